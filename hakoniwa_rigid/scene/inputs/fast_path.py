# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The fast path: messages whose strings are those of the last message of their topic, which meant the world's frame and
the clock of the scene.  A compiled loop reads them.  Everything else takes the slow path, one message at a time; it
teaches the fast path a topic's strings.
"""
from __future__ import annotations

import numpy as np

from ...array_table import address_table
from ...codec.cdr import SampleReader
from ...codec.fast_path_kernel import FORCES, HEAD, MOVING, SCRATCH, STILL, TEXTS, UNKNOWN, Learned, Rows, read_fast
from ...codec.message_batch import MessageBatch
from ...codec.motion_columns import MOTION
from ...engine.maths.direct import Direct

__all__ = ['FORCES', 'MOVING', 'STILL', 'TEXTS', 'FastTopics']


class FastTopics:
    """`topics` of them, of `sources`; received and newest (sources,): messages and the stamp (ns) of the newest."""

    def __init__(self, topics: int, sources: int) -> None:
        whole = (np.zeros(topics, dtype=np.int64) for _ in range(3))
        sizes = (np.zeros(topics, dtype=np.int64) for _ in range(3))
        self._learned = Learned(*whole, np.zeros((topics, TEXTS), dtype=np.uint8), *sizes, np.arange(topics))
        self.received, self.newest = np.zeros((2, sources), dtype=np.int64)
        self._scratch = np.zeros(SCRATCH, dtype=np.uint8)
        self._counts = np.zeros(3, dtype=np.int64)
        self._most = 0      # what the counts are at most
        self._read = Direct(read_fast)
        self._grow(max(topics, 1))

    def _grow(self, capacity: int) -> None:
        self._rows = [Rows(np.zeros(capacity, dtype=np.int64), np.zeros(capacity, dtype=np.int64),
                           np.zeros((capacity, MOTION))) for _ in range(3)]
        self._other = np.zeros(capacity, dtype=np.int64)
        self._table = address_table((*self._learned, self._scratch, self.received, self.newest, self._counts,
                                     self._other, *(a for rows in self._rows for a in rows)))
        self._drained = [], []      # counts, and the views that they mean
        self._where = self._table.addresses, len(self._learned.kind), len(self.received), capacity

    def learn(self, topic: int, kind: int, row: int, source: int, data: bytes, reader: SampleReader) -> None:
        """Messages of a topic that begin like this one, which `reader` has just read, are of a kind, of the drone at
        `row`, and count for a source."""
        end, at = reader.end_of_texts, reader.first_double
        learned = self._learned
        if data[:2] != b'\0\1' or end - HEAD > TEXTS:
            return
        learned.kind[topic], learned.row[topic], learned.source[topic] = kind, row, source
        learned.texts[topic, :end - HEAD] = np.frombuffer(data, np.uint8, end - HEAD, HEAD)
        learned.end[topic], learned.offset[topic], learned.size[topic] = end, at, reader.size

    def follow(self, follower: int, topic: int) -> None:
        """Messages of the first topic must not overtake those of another."""
        self._learned.follower[topic] = follower

    def forget(self, topic: int) -> None:
        """The next message of a topic takes the slow path."""
        self._learned.kind[topic] = UNKNOWN

    def give_back(self, topics: list[int], source: int) -> None:
        """The numbers of these topics, and of their source, are free for others."""
        for topic in topics:
            self.forget(topic)
            self._learned.follower[topic] = topic
        self.received[source] = self.newest[source] = 0

    def read(self, batch: MessageBatch, first: int, last: int) -> list[int]:
        """Read on the fast path the messages from number `first` to the one before `last`.  Returns the numbers of
        those left for the slow path, in order: each stands behind what was read of its topic."""
        self._most += last - first
        if self._most > len(self._other):
            kept = [(n, rows) for n, rows in zip(self._counts, self._rows, strict=True)]
            self._grow(2 * self._most)
            for (n, old), new in zip(kept, self._rows, strict=True):
                for a, b in zip(old, new, strict=True):
                    b[:n] = a[:n]
        left = self._read.call(*self._where, *batch.where, first, last)
        return self._other[:left].tolist() if left else []

    def drain(self) -> list[tuple[int, np.ndarray, np.ndarray, np.ndarray]]:
        """What was read since: kind, rows of drones (K,), stamps (K,) ns, motions (K,13) or wrenches (K,6); valid until
        the next read."""
        if not self._most:
            return []
        counts, self._most = self._counts.tolist(), 0
        self._counts.fill(0)
        if counts != self._drained[0]:
            self._drained = counts, self._views(counts)
        return self._drained[1]

    def _views(self, counts: list[int]) -> list[tuple[int, np.ndarray, np.ndarray, np.ndarray]]:
        """The rows that there are of each kind, mostly as many as last time: three slices take 1 us."""
        found = []
        for kind, (drone, stamp, numbers), n in zip((MOVING, STILL, FORCES), self._rows, counts, strict=True):
            if n:
                found.append((kind, drone[:n], stamp[:n], numbers[:n, :6] if kind == FORCES else numbers[:n]))
        return found

    def clear(self) -> None:
        """Drop what was read."""
        self._most = self._counts[:] = 0
