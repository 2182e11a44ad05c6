"""Writes bags: a rosbag2 folder (metadata.yaml and one mcap file), or one mcap file where the path ends in .mcap.

    with BagWriter('out') as bag:
        topic = bag.topic('/d0/odom', 'nav_msgs/msg/Odometry')
        bag.write(topic, stamp_ns, data)

The bag is made beside its place and moved there when it is whole: what has the final name is complete. Equal calls give
equal bytes, whatever the name of the bag, the machine, the day and the versions of libraries.
"""
from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NamedTuple

import yaml

from hakoniwa_rigid.replay.bag import qos as qos_text
from hakoniwa_rigid.replay.bag.mcap.writer import McapWriter
from hakoniwa_rigid.replay.bag.qos import Qos
from hakoniwa_rigid.replay.bag.types import IDL_MARK, known_definition, type_hash
from hakoniwa_rigid.replay.errors import BagError

__all__ = ['BagError', 'BagWriter', 'Qos']

FILE = 'bag_0.mcap'    # the same in every folder, so that equal bags are equal folders
VERSION = 9            # of metadata.yaml
BUFFER = 1 << 20
OFFERED = Qos()


class _Topic(NamedTuple):
    """A topic as metadata.yaml describes it."""

    name: str
    type: str
    hash: str
    qos: list[dict]


class BagWriter:
    """A bag being written; a context manager.  After an exception nothing has the final name."""

    def __init__(self, path: str | Path, metadata: dict[str, str] | None = None) -> None:
        """``path``: the folder, or FILE.mcap; a bag that lies there is replaced, anything else is a BagError.

        ``metadata`` is stored with the bag and may be added to until it is closed.
        """
        self.path = Path(path)
        self.metadata = dict(metadata or {})
        self.topics: list[_Topic] = []
        check_target(self.path)
        self.is_file = self.path.suffix == '.mcap'
        self.part = self.path.parent / f'.{self.path.name}.{os.getpid()}.part'
        try:
            self._remove_part()
            if not self.is_file:
                self.part.mkdir()
            self.file = (self.part if self.is_file else self.part / FILE).open('wb', buffering=BUFFER)
        except OSError as error:
            raise BagError(f'{self.path}: cannot be written: {error}') from error
        self.mcap = McapWriter(self.file)
        self._message = self.mcap.message
        self.is_open = True

    def topic(self, name: str, type: str, definition: str | None = None, qos: Qos | str = OFFERED) -> int:
        """Number of a new topic.

        ``definition``: msg or IDL text with dependencies; left out for types of this package and of Kilted.
        ``qos``: what its publisher offered, or the text of another bag's TopicInfo.
        """
        if any(topic.name == name for topic in self.topics):
            raise BagError(f'{self.path}: topic {name} is there already')
        definition = definition or known_definition(type)
        profiles = qos_text.profiles(qos)
        topic = _Topic(name, type, type_hash(type, definition), profiles)
        encoding = 'ros2idl' if definition.startswith(IDL_MARK) else 'ros2msg'
        number = self.mcap.channel(name, type, definition, encoding,
                                   {'offered_qos_profiles': qos_text.text(profiles), 'topic_type_hash': topic.hash})
        self.topics.append(topic)
        return number

    def write(self, topic: int, stamp_ns: int, data: bytes) -> None:
        """One message (CDR with encapsulation) of a topic; stamps may come in any order.  BagError when it fails."""
        try:
            self._message(topic, stamp_ns, data)
        except (OSError, BagError) as error:
            raise BagError(f'{self.path}: cannot be written: {error}') from error

    def flush(self) -> None:
        """Hand everything so far to the system: a process that is killed loses nothing of it.  BagError as write."""
        try:
            self.mcap.end_chunk()
            self.file.flush()
        except (OSError, BagError) as error:
            raise BagError(f'{self.path}: cannot be written: {error}') from error

    def close(self) -> None:
        """Complete the bag and give it its name."""
        if not self.is_open:
            return
        self.is_open = False
        try:
            first, last = self.mcap.finish(self.metadata)
            self.file.flush()
            os.fsync(self.file.fileno())
            self.file.close()
            if not self.is_file:
                (self.part / 'metadata.yaml').write_text(self._description(first, last), encoding='utf8')
            put_in_place(self.part, self.path)
        except (OSError, BagError) as error:
            raise BagError(f'{self.path}: cannot be written: {error}') from error
        finally:
            self.file.raw.close()
            self._remove_part()

    def abandon(self) -> None:
        """Give up: nothing is left."""
        self.give_up()
        self._remove_part()

    def give_up(self) -> None:
        """End without the final name; what has been written stays in ``part``, and can be read as a cut-off bag."""
        self.is_open = False
        self.file.raw.close()    # without writing the buffer: the disk may be full

    def __enter__(self) -> BagWriter:
        return self

    def __exit__(self, kind, *_) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()

    def _remove_part(self) -> None:
        if self.part.is_dir():
            shutil.rmtree(self.part, ignore_errors=True)
        else:
            self.part.unlink(missing_ok=True)

    def _description(self, first: int, last: int) -> str:
        """The text of metadata.yaml."""
        times = {'duration': {'nanoseconds': last - first}, 'starting_time': {'nanoseconds_since_epoch': first}}
        count = sum(self.mcap.counts)
        topics = [{'topic_metadata': {'name': topic.name, 'type': topic.type, 'serialization_format': 'cdr',
                                      'offered_qos_profiles': topic.qos, 'type_description_hash': topic.hash},
                   'message_count': number} for topic, number in zip(self.topics, self.mcap.counts, strict=True)]
        content = {'version': VERSION, 'storage_identifier': 'mcap', **times, 'message_count': count,
                   'topics_with_message_count': topics, 'compression_format': '', 'compression_mode': '',
                   'relative_file_paths': [FILE], 'files': [{'path': FILE, **times, 'message_count': count}],
                   'custom_data': {key: self.metadata[key] for key in sorted(self.metadata)} or None,
                   'ros_distro': 'kilted'}
        # no anchors: not every reader of bags knows them
        dumper = type('Dumper', (yaml.SafeDumper,), {'ignore_aliases': lambda *_: True})
        return yaml.dump({'rosbag2_bagfile_information': content}, Dumper=dumper, sort_keys=False, allow_unicode=True)


def check_target(path: Path) -> None:
    """BagError where a bag must not be written: not a bag already, or no folder to write it in."""
    if not path.parent.is_dir():
        raise BagError(f'{path}: there is no folder {path.parent} to write it in')
    if path.suffix == '.mcap':
        if path.is_dir():
            raise BagError(f'{path}: is a folder; name another file, or a folder without .mcap')
    elif path.exists() and not (path / 'metadata.yaml').is_file() and not (path.is_dir() and not any(path.iterdir())):
        raise BagError(f'{path}: is there already and is no bag; name another place')


def put_in_place(part: Path, path: Path) -> None:
    """Renames ``part`` to ``path``; a bag that lies there is removed when the new one has its name."""
    if not path.is_dir():
        part.replace(path)
        return
    old = path.with_name(f'.{path.name}.{os.getpid()}.old')
    path.rename(old)
    try:
        part.rename(path)
    except BaseException:
        old.rename(path)
        raise
    shutil.rmtree(old, ignore_errors=True)
