# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
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
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import yaml

from hakoniwa_rigid.files import sync_folder, write_whole
from hakoniwa_rigid.replay.bag import qos as qos_text
from hakoniwa_rigid.replay.bag.mcap.writer import McapWriter
from hakoniwa_rigid.replay.bag.part import Part, give_name
from hakoniwa_rigid.replay.bag.qos import Qos
from hakoniwa_rigid.replay.bag.types import IDL_MARK, known_definition, type_hash
from hakoniwa_rigid.replay.errors import BagError

__all__ = ['BagError', 'BagWriter', 'Qos']

NAME = 'bag_{}.mcap'     # the same in every folder, so that equal bags are equal folders
FILE = NAME.format(0)
VERSION = 9            # of metadata.yaml
BUFFER = 1 << 20
OFFERED = Qos()


class _Topic(NamedTuple):
    """A topic as metadata.yaml describes it, and the arguments of its channel."""

    name: str
    type: str
    hash: str
    qos: list[dict]
    channel: tuple


class _Finished(NamedTuple):
    """A file that is complete: messages by topic, first and last stamp, bytes."""

    path: Path
    counts: list[int]
    first: int
    last: int


class BagWriter:
    """A bag being written; a context manager.  After an exception nothing has the final name."""

    def __init__(self, path: str | Path, metadata: dict[str, str] | None = None, *, is_record: bool = False) -> None:
        """``path``: the folder, or FILE.mcap; a bag that lies there is replaced, anything else is a BagError.

        ``metadata`` is stored with the bag and may be added to until it is closed.  ``is_record``: there is no second
        chance, so that nothing is ever replaced (a number is put behind the name), and what could not be completed
        stays in ``part``.
        """
        self.path = Path(path)
        self.metadata = dict(metadata or {})
        self.topics: list[_Topic] = []
        self._is_record, self._finished, self._number = is_record, [], 0
        self.is_file = self.path.suffix == '.mcap'
        check_target(self.path, is_record)
        try:
            self._part = Part(self.path, self.is_file)
            self.part = self._part.path
            self._begin()
        except OSError as error:
            raise BagError(f'{self.path}: cannot be written: {error}') from error
        self.is_open = True

    def _begin(self) -> None:
        """A file, the first or a further one."""
        self._place = self.part if self.is_file else self.part / NAME.format(self._number)
        self.file = self._place.open('wb', buffering=BUFFER)
        self.mcap = McapWriter(self.file)
        for topic in self.topics:
            self.mcap.channel(*topic.channel)
        self._message = self.mcap.message

    def topic(self, name: str, type: str, definition: str | None = None, qos: Qos | str = OFFERED) -> int:
        """Number of a new topic.

        ``definition``: msg or IDL text with dependencies; left out for types of this package and of Kilted.
        ``qos``: what its publisher offered, or the text of another bag's TopicInfo.
        """
        if any(topic.name == name for topic in self.topics):
            raise BagError(f'{self.path}: topic {name} is there already')
        definition = definition or known_definition(type)
        profiles = qos_text.profiles(qos)
        hashed = type_hash(type, definition)
        encoding = 'ros2idl' if definition.startswith(IDL_MARK) else 'ros2msg'
        channel = (name, type, definition, encoding,
                   {'offered_qos_profiles': qos_text.text(profiles), 'topic_type_hash': hashed})
        number = self.mcap.channel(*channel)
        self.topics.append(_Topic(name, type, hashed, profiles, channel))
        return number

    def write(self, topic: int, stamp_ns: int, data: bytes) -> None:
        """One message (CDR with encapsulation) of a topic; stamps may come in any order.  BagError when it fails."""
        try:
            self._message(topic, stamp_ns, data)
        except (OSError, BagError) as error:
            raise BagError(f'{self.path}: cannot be written: {error}') from error

    @property
    def size(self) -> int:
        """Bytes of the file in the making."""
        return self.mcap.offset + self.mcap.size

    def flush(self) -> None:
        """Hand everything so far to the system: a process that is killed loses nothing of it.  BagError as write."""
        try:
            self.mcap.end_chunk()
            self.file.flush()
        except (OSError, BagError) as error:
            raise BagError(f'{self.path}: cannot be written: {error}') from error

    def sync(self) -> None:
        """Wait until what was flushed is on the disk: a power cut loses nothing of it.  BagError as write."""
        try:
            self.file.flush()
            os.fsync(self.file.fileno())
        except OSError as error:
            raise BagError(f'{self.path}: cannot be written: {error}') from error

    def split(self, keep: int = 0) -> None:
        """Complete the file in the making and begin another one, where the bag is a folder; of the complete ones only
        the newest ``keep`` stay (0: all).  BagError as write."""
        try:
            self._finish()
            self._number += 1
            self._begin()
            while 0 < keep < len(self._finished):
                self._finished.pop(0).path.unlink()
        except (OSError, BagError) as error:
            raise BagError(f'{self.path}: cannot be written: {error}') from error

    def _finish(self) -> None:
        first, last = self.mcap.finish(self.metadata)
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()
        self._finished.append(_Finished(self._place, list(self.mcap.counts), first, last))

    def close(self) -> None:
        """Complete the bag and give it its name, which is ``path`` then."""
        if not self.is_open:
            return
        self.is_open = False
        whole = False
        try:
            self._finish()
            if not self.is_file:
                write_whole(self.part / 'metadata.yaml', self._description())
            if self._is_record:
                self.path = give_name(self.part, self.path)
            else:
                put_in_place(self.part, self.path)
            sync_folder(self.path.parent)
            whole = True
        except (OSError, BagError) as error:
            raise BagError(f'{self.path}: cannot be written: {error}') from error
        finally:
            self.file.raw.close()
            self._part.release()
            if not whole and not self._is_record:
                self._remove_part()

    def abandon(self) -> None:
        """Give up: nothing is left."""
        self.give_up()
        self._remove_part()

    def give_up(self) -> None:
        """End without the final name; what has been written stays in ``part``, and can be read as a cut-off bag."""
        self.is_open = False
        self._part.release()
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

    def _description(self) -> str:
        """The text of metadata.yaml."""
        files = [(file, sum(file.counts)) for file in self._finished]
        full = [file for file, number in files if number]
        times = _times(min((f.first for f in full), default=0), max((f.last for f in full), default=0))
        count = sum(number for _, number in files)
        counts = [sum(numbers) for numbers in zip_longest(*(f.counts for f in self._finished), fillvalue=0)]
        topics = [{'topic_metadata': {'name': topic.name, 'type': topic.type, 'serialization_format': 'cdr',
                                      'offered_qos_profiles': topic.qos, 'type_description_hash': topic.hash},
                   'message_count': number} for topic, number in zip(self.topics, counts, strict=True)]
        content = {'version': VERSION, 'storage_identifier': 'mcap', **times, 'message_count': count,
                   'topics_with_message_count': topics, 'compression_format': '', 'compression_mode': '',
                   'relative_file_paths': [file.path.name for file in self._finished],
                   'files': [{'path': file.path.name, **_times(file.first, file.last), 'message_count': number}
                             for file, number in files],
                   'custom_data': {key: self.metadata[key] for key in sorted(self.metadata)} or None,
                   'ros_distro': 'kilted'}
        # no anchors: not every reader of bags knows them
        dumper = type('Dumper', (yaml.SafeDumper,), {'ignore_aliases': lambda *_: True})
        return yaml.dump({'rosbag2_bagfile_information': content}, Dumper=dumper, sort_keys=False, allow_unicode=True)


def _times(first: int, last: int) -> dict:
    return {'duration': {'nanoseconds': last - first}, 'starting_time': {'nanoseconds_since_epoch': first}}


def check_target(path: Path, is_record: bool = False) -> None:
    """BagError where a bag must not be written: not a bag already, or no folder to write it in."""
    if not path.parent.is_dir():
        raise BagError(f'{path}: there is no folder {path.parent} to write it in')
    if is_record:
        return
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
