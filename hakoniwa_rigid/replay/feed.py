"""Messages of a bag, many at a time, cut into ticks.

Tick k is at start + k * period; every message with a log time up to a tick's time is heard before that tick, so a
message exactly on the grid is heard by the tick at its own time.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from hakoniwa_rigid.replay.storage import LENGTH, OFFSET, RANK, STAMP, Messages


class Heard(NamedTuple):
    """A message as it is in the bag."""

    stamp_ns: int
    topic: str
    data: bytes


class Slice(NamedTuple):
    """The K messages of a tick that the intake reads: data (uint8) holds them at offsets with lengths (K,); topics (K,)
    of the intake; receptions (K,) ns.  ``each`` gives all of the tick, ``first`` to ``last`` of those read at once."""

    data: np.ndarray
    offsets: np.ndarray
    lengths: np.ndarray
    topics: np.ndarray
    receptions: np.ndarray
    whole: Messages
    names: Sequence[str]    # of the bag's topics
    first: int
    last: int

    def each(self) -> Iterator[Heard]:
        """The messages, in order."""
        names, data = self.names, self.whole.data
        rows = self.whole.table[self.first:self.last, [STAMP, RANK, OFFSET, LENGTH]].tolist()
        for stamp, rank, at, length in rows:
            yield Heard(stamp, names[rank], data[at:at + length])


class TickFeed:
    """Iterates (time of the tick in ns, its slices); ends with the first tick at or after the last message."""

    def __init__(self, pieces: Iterable[Messages], names: Sequence[str], numbers: dict[str, tuple[int, ...]],
                 start_ns: int | None, period_ns: int) -> None:
        """``names``: of the bag's topics by rank.  ``numbers``: topics of the intake by name in the bag, empty for what
        it does not read.  ``start_ns``: None for the stamp of the first message."""
        self._pieces, self._names = pieces, names
        self.start_ns, self._period = start_ns, period_ns
        found = [numbers.get(name, ()) for name in names]
        self._counts = np.array([len(n) for n in found], dtype=np.int64)
        self._begins = np.cumsum(self._counts) - self._counts
        self._numbers = np.array([number for n in found for number in n], dtype=np.int64)

    def __iter__(self) -> Iterator[tuple[int, list[Slice]]]:
        due: list[Slice] = []
        tick, period = None, self._period
        for piece in self._pieces:
            stamps = piece.table[:, STAMP].astype(np.int64)
            if tick is None:
                self.start_ns = tick = int(stamps[0]) if self.start_ns is None else self.start_ns
            rows, topics = self._topics(piece.table[:, RANK].astype(np.int64))
            data, offsets = np.frombuffer(piece.data, np.uint8), piece.table[rows, OFFSET].astype(np.int64)
            lengths, receptions = piece.table[rows, LENGTH].astype(np.int64), stamps[rows]
            ticks = np.maximum(-((tick - stamps) // period), 0)     # how many ticks after this one each belongs to
            cuts = [0, *(np.flatnonzero(np.diff(ticks)) + 1).tolist(), len(stamps)]
            places, due_at = np.searchsorted(rows, cuts).tolist(), ticks[cuts[:-1]].tolist()
            number = 0
            for k, later in enumerate(due_at):
                for _ in range(later - number):
                    yield tick, due
                    due, tick, number = [], tick + period, number + 1
                a, b = places[k], places[k + 1]
                due.append(Slice(data, offsets[a:b], lengths[a:b], topics[a:b], receptions[a:b], piece, self._names,
                                 cuts[k], cuts[k + 1]))
        if due:
            yield tick, due

    def _topics(self, ranks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of messages (K,) of topics of the bag: which the intake reads, as often as it has topics of that name, and
        the numbers of these."""
        counts = self._counts[ranks]
        rows = np.repeat(np.arange(len(ranks)), counts)
        number = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        return rows, self._numbers[self._begins[ranks[rows]] + number]
