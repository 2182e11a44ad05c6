"""Topics whose messages need no thought: their strings are those of the last message, which meant the world's frame
and the clock of the scene.  A compiled loop reads them; everything else takes the long way, one message at a time, and
is what teaches a topic's strings here.
"""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..rows import MOTION
from .cdr import SampleReader
from .plain_kernel import FORCES, HEAD, MOVING, STILL, UNKNOWN, Plain, Rows, read_plain

__all__ = ['FORCES', 'MOVING', 'STILL', 'PlainTopics']

# bytes of strings that are compared; topics with more take the long way
TEXTS = 252
# bytes: the largest piece of a message that is looked at at once
SCRATCH = 64


class PlainTopics:
    """`topics` of them, of `sources`; received and newest (sources,): messages and the stamp (ns) of the newest."""

    def __init__(self, topics: int, sources: int) -> None:
        whole = (np.zeros(topics, dtype=np.int64) for _ in range(3))
        sizes = (np.zeros(topics, dtype=np.int64) for _ in range(3))
        self._plain = Plain(*whole, np.zeros((topics, TEXTS), dtype=np.uint8), *sizes, np.arange(topics))
        self.received, self.newest = np.zeros((2, sources), dtype=np.int64)
        self._scratch = np.zeros(SCRATCH, dtype=np.uint8)
        self._counts = np.zeros(3, dtype=np.int64)
        self._grow(max(topics, 1))

    def _grow(self, capacity: int) -> None:
        self._rows = [Rows(np.zeros(capacity, dtype=np.int64), np.zeros(capacity, dtype=np.int64),
                           np.zeros((capacity, MOTION))) for _ in range(3)]
        self._other = np.zeros(capacity, dtype=np.int64)

    def learn(self, topic: int, kind: int, row: int, source: int, data: bytes, reader: SampleReader) -> None:
        """Messages of a topic that begin like this one, which `reader` has just read, are of a kind, of the drone at
        `row`, and count for a source."""
        end, at = reader.end_of_texts, reader.first_double
        plain = self._plain
        if data[:2] != b'\0\1' or end - HEAD > TEXTS:
            return
        plain.kind[topic], plain.row[topic], plain.source[topic] = kind, row, source
        plain.texts[topic, :end - HEAD] = np.frombuffer(data, np.uint8, end - HEAD, HEAD)
        plain.end[topic], plain.at[topic], plain.size[topic] = end, at, reader.size

    def follow(self, follower: int, topic: int) -> None:
        """Messages of the first topic must not overtake those of another."""
        self._plain.follower[topic] = follower

    def forget(self, topic: int) -> None:
        """The next message of a topic takes the long way."""
        self._plain.kind[topic] = UNKNOWN

    def read(self, data: np.ndarray, offsets: np.ndarray, lengths: np.ndarray, topics: np.ndarray) -> np.ndarray:
        """Read what is plain of messages (K,), which lie in data (uint8) at offsets with lengths; topics (K,).  Returns
        the numbers of those left for the long way, in order: each stands behind what was read of its topic."""
        k = len(topics)
        if k + self._counts.max() > len(self._other):
            kept = [(n, rows) for n, rows in zip(self._counts, self._rows, strict=True)]
            self._grow(2 * (k + int(self._counts.max())))
            for (n, old), new in zip(kept, self._rows, strict=True):
                for a, b in zip(old, new, strict=True):
                    b[:n] = a[:n]
        left = read_plain(tuple(self._plain), data, offsets, lengths, topics, self._scratch, self.received, self.newest,
                          *map(tuple, self._rows), self._counts, self._other)
        return self._other[:left]

    def drain(self) -> Iterator[tuple[int, np.ndarray, np.ndarray, np.ndarray]]:
        """What was read since: kind, rows of drones (K,), stamps (K,) ns, motions (K,13) or wrenches (K,6); valid until
        the next read."""
        for kind, rows, n in zip((MOVING, STILL, FORCES), self._rows, self._counts.tolist(), strict=True):
            if n:
                width = 6 if kind == FORCES else MOTION
                yield kind, rows.drone[:n], rows.stamp[:n], rows.numbers[:n, :width]
        self._counts[:] = 0

    def clear(self) -> None:
        """Drop what was read."""
        self._counts[:] = 0
