# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Reads bags: rosbag2 folders and single files, mcap and sqlite3, split and compressed, in one stated order.

    with Bag('flight') as bag:
        for message in bag.messages(topics=['/d0/odom']):
            odometry = bag.decode(message)

Messages come in the order (stamp, topic name, place in the bag): how messages of equal stamps were stored is of no
influence unless they are of one topic. Bags are streamed: what is held does not grow with the bag.
"""
from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hakoniwa_rigid.brief import brief
from hakoniwa_rigid.replay.bag.compression import ZSTD_MAGIC, decompress_file, decompressed
from hakoniwa_rigid.replay.bag.folder import ZSTD, layout, storage_suffix
from hakoniwa_rigid.replay.bag.mcap.file import McapFile
from hakoniwa_rigid.replay.bag.merge import in_order
from hakoniwa_rigid.replay.bag.sqlite_file import SqliteFile
from hakoniwa_rigid.replay.bag.storage import (
    LENGTH,
    MAX_BLOCK,
    MAX_WEIGHT,
    NEVER,
    OFFSET,
    RANK,
    STAMP,
    Messages,
    StorageFile,
    Wanted,
)
from hakoniwa_rigid.replay.bag.types import Decoder
from hakoniwa_rigid.replay.errors import BagError

__all__ = ['Bag', 'BagError', 'BagMessage', 'TopicInfo']

# ns; stamps of one clock do not lie on both sides: simulated time begins at 0, and no run has 30 years
SIMULATED, WALL = 10**18 // 10, 10**18
UNPACKED = 16 << 20    # bytes that are gathered of messages that are compressed one by one
# letters of the name of a topic or type, which are printed: no control characters
MOST_NAME = 1024
new = tuple.__new__    # what the constructor of a named tuple does, at a third of its cost


class TopicInfo(NamedTuple):
    """A topic of a bag."""

    name: str
    type: str          # 'nav_msgs/msg/Odometry'
    count: int
    definition: str    # msg or IDL text; '' where the bag has none
    qos: str = ''      # YAML text of the offered profiles, as stored


class BagMessage(NamedTuple):
    """A message of a bag."""

    stamp_ns: int      # log time: when it was received
    topic: str
    type: str
    data: bytes        # CDR with encapsulation
    sequence: int      # its number within its topic, from 0, in the order of the bag


class Bag:
    """A bag, open for reading; a context manager.  ``warnings`` is complete when all messages have been read."""

    def __init__(self, path: str | Path) -> None:
        """``path``: a folder with metadata.yaml or a file .mcap or .db3.  BagError says why it cannot be read."""
        self.path = Path(path)
        self.files: list[StorageFile] = []
        self._scratch: tempfile.TemporaryDirectory | None = None
        try:
            found = layout(self.path)
            self.warnings = list(found.warnings)
            for file in found.files:
                self.files.append(self._open(file))
                if sum(file.weight for file in self.files) > MAX_WEIGHT:
                    raise BagError(f'{self.path}: has more chunks and definitions than can be remembered')
        except OSError as error:
            self.close()
            raise BagError(f'{self.path}: cannot be read: {error}') from error
        except BaseException:
            self.close()
            raise
        self.metadata = dict(found.metadata)
        for file in self.files:
            self.metadata.update(file.metadata)
            self.warnings += file.warnings
        self.topics = self._topics(found.announced)
        self._decoder = Decoder({topic.type: topic.definition for topic in self.topics})
        self.message_count = sum(topic.count for topic in self.topics)
        full = [file for file in self.files if file.start_ns != NEVER]
        self.start_ns = min((file.start_ns for file in full), default=0)
        self.end_ns = max((file.end_ns for file in full), default=0)
        self._check(found.message_count)

    def _open(self, name: Path) -> StorageFile:
        path = name
        if name.suffix in ZSTD:
            self._scratch = self._scratch or tempfile.TemporaryDirectory(prefix='hakoniwa_rigid_bag_')
            path = Path(self._scratch.name) / name.stem
            if not decompress_file(name, path):
                self.warnings.append(f'{name}: the compressed file is cut off; read up to there')
        return McapFile(path, name) if storage_suffix(path) == '.mcap' else SqliteFile(path, name)

    def _topics(self, announced: dict[str, str]) -> tuple[TopicInfo, ...]:
        found = {name: TopicInfo(name, kind, 0, '') for name, kind in announced.items()}
        for file in self.files:
            for key, channel in file.channels.items():
                topic = found.get(channel.topic)
                if topic is None or not topic.type:
                    topic = TopicInfo(channel.topic, channel.type, 0, '')
                elif topic.type != channel.type:
                    raise BagError(f'{self.path}: topic {topic.name} has two types: {topic.type} and {channel.type}')
                found[channel.topic] = topic._replace(count=topic.count + file.counts.get(key, 0),
                                                      definition=topic.definition or channel.definition,
                                                      qos=topic.qos or channel.qos)
        for name, topic in found.items():
            for word in (name, topic.type):
                if len(word) > MOST_NAME or not word.isprintable():
                    raise BagError(f'{self.path}: {brief(word)} is no name of a topic or type')
        return tuple(found[name] for name in sorted(found))

    def _check(self, announced: int | None) -> None:
        if announced is not None and announced != self.message_count:
            self.warnings.append(f'{self.path}: metadata.yaml announces {announced} messages, the files hold '
                                 f'{self.message_count}')
        if not self.message_count:
            self.warnings.append(f'{self.path}: holds no messages')
        elif self.start_ns < SIMULATED and self.end_ns > WALL:
            self.warnings.append(f'{self.path}: stamps of two clocks: from {self.start_ns / 1e9:.3f} s (simulated '
                                 f'time?) to {self.end_ns / 1e9:.3f} s (wall time?)')

    def messages(self, topics: Collection[str] | None = None, start_ns: int | None = None,
                 end_ns: int | None = None) -> Iterator[BagMessage]:
        """Messages in order, streamed; of ``topics`` (default all) with start_ns <= stamp_ns <= end_ns.

        BagError for a topic that is not in the bag, where the bag is damaged, or too far out of order.
        """
        older = [0] * len(self.topics)
        return self._messages(self._pieces(*self._asked(topics, start_ns, end_ns), older), older)

    def pieces(self, topics: Collection[str] | None = None, start_ns: int | None = None,
               end_ns: int | None = None) -> Iterator[Messages]:
        """The same many at a time, as they lie in the file (storage.Messages); the rank of a topic is its place in
        ``topics``."""
        return self._pieces(*self._asked(topics, start_ns, end_ns), [0] * len(self.topics))

    def _asked(self, topics: Collection[str] | None, start_ns: int | None,
               end_ns: int | None) -> tuple[set[str], int, int]:
        names = [topic.name for topic in self.topics]
        if unknown := sorted(set(topics or ()) - set(names)):
            raise BagError(f'{self.path}: no topic {unknown[0]}; it has {", ".join(names) or "none"}')
        chosen = set(names if topics is None else topics)
        return chosen, 0 if start_ns is None else start_ns, NEVER - 1 if end_ns is None else end_ns

    def _messages(self, pieces: Iterator[Messages], numbers: list[int]) -> Iterator[BagMessage]:
        """``numbers``: of messages that came before these, by topic; complete with the first piece."""
        kinds = [(topic.name, topic.type) for topic in self.topics]
        for table, data in pieces:
            for stamp, n, offset, length in zip(*table[:, [STAMP, RANK, OFFSET, LENGTH]].T.tolist(), strict=True):
                name, kind = kinds[n]
                number = numbers[n]
                numbers[n] = number + 1
                yield new(BagMessage, (stamp, name, kind, data[offset:offset + length], number))

    def _pieces(self, chosen: set[str], low: int, high: int, older: list[int]) -> Iterator[Messages]:
        """``older``: gets the number of messages before ``low``, by topic."""
        rank = {topic.name: n for n, topic in enumerate(self.topics)}
        streams, begun = [], False
        for number, file in enumerate(self.files):
            ranks = {key: rank[channel.topic] for key, channel in file.channels.items() if channel.topic in chosen}
            streams.append((file.stream(Wanted(ranks, low, high), number), ranks))
        try:
            for piece in in_order([stream for stream, _ in streams]):
                if not begun:    # everything older than low has been met by now
                    for stream, ranks in streams:
                        for key, count in stream.skipped.items():
                            if key in ranks:
                                older[ranks[key]] += count
                    begun = True
                offset = int(piece.table[0, OFFSET])
                if piece.data[offset:offset + 4] == ZSTD_MAGIC:
                    yield from _unpacked(piece)
                else:
                    yield piece
        except (BagError, OSError) as error:
            raise BagError(str(error) if str(error).startswith(str(self.path)) else f'{self.path}: {error}') from error
        self._report_late(max((stream.late_ns for stream, _ in streams), default=0))

    def _report_late(self, late_ns: int) -> None:
        overlaps = [a.end_ns - b.start_ns for a, b in pairwise(file for file in self.files if file.start_ns != NEVER)]
        late_ns = max([late_ns, *overlaps])
        text = f'{self.path}: messages are stored out of order, by up to {late_ns / 1e9:.6f} s; sorted by stamp'
        if late_ns > 0 and not any('stored out of order' in warning for warning in self.warnings):
            self.warnings.append(text)

    def decode(self, message: BagMessage):
        """The message as an object, its attributes as in ROS; BagError names topic and number where it is none."""
        try:
            return self._decoder.decode(message.type, message.data)
        except BagError as error:
            raise BagError(f'{self.path}: {message.topic}[{message.sequence}]: {error}') from error

    def close(self) -> None:
        """Close the files."""
        for file in self.files:
            file.close()
        if self._scratch:
            self._scratch.cleanup()

    def __enter__(self) -> Bag:
        return self

    def __exit__(self, *_) -> None:
        self.close()


def _unpacked(piece: Messages) -> Iterator[Messages]:
    """Of messages that are compressed one by one; not many bytes at a time, however well they were packed."""
    first, datas, size = 0, [], 0
    for k, (offset, length) in enumerate(piece.table[:, [OFFSET, LENGTH]].tolist()):
        datas.append(decompressed(piece.data[offset:offset + length], 'zstd', MAX_BLOCK))
        size += len(datas[-1])
        if size >= UNPACKED or k + 1 == len(piece.table):
            table = piece.table[first:k + 1].copy()
            table[:, LENGTH] = [len(data) for data in datas]
            table[:, OFFSET] = np.cumsum(table[:, LENGTH]) - table[:, LENGTH]
            yield Messages(table, b''.join(datas))
            first, datas, size = k + 1, [], 0
