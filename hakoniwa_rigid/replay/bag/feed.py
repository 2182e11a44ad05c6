# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Messages of a bag, many at a time, cut into ticks.

Tick k is at start + k * period; every message with a log time up to a tick's time is taken before that tick, so a
message exactly on the grid is taken by the tick at its own time.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from hakoniwa_rigid.codec.message_batch import MessageBatch
from hakoniwa_rigid.replay.bag.storage import LENGTH, OFFSET, RANK, STAMP, Messages

new = tuple.__new__    # what the constructor of a named tuple does, at a third of its cost


class FeedMessage(NamedTuple):
    """A message as it is in the bag."""

    stamp_ns: int
    topic: str
    data: bytes


class Slice(NamedTuple):
    """The messages of a tick: of ``whole`` those from ``first`` to the one before ``last``; ``begin`` and ``end``: the
    same of the ``batch`` of what the adapter reads of them."""

    batch: MessageBatch
    begin: int
    end: int
    whole: Messages
    names: Sequence[str]    # of the bag's topics
    first: int
    last: int

    def each(self) -> Iterator[FeedMessage]:
        """The messages, in order."""
        names, data = self.names, self.whole.data
        rows = self.whole.table[self.first:self.last, [STAMP, RANK, OFFSET, LENGTH]].tolist()
        for stamp, rank, offset, length in rows:
            yield FeedMessage(stamp, names[rank], data[offset:offset + length])


class TickFeed:
    """Iterates (time of the tick in ns, its slices); ends with the first tick at or after the last message."""

    def __init__(self, pieces: Iterable[Messages], names: Sequence[str], numbers: dict[str, tuple[int, ...]],
                 start_ns: int | None, period_ns: int) -> None:
        """``names``: of the bag's topics by rank.  ``numbers``: topics of the adapter by name in the bag, empty for
        what it does not read.  ``start_ns``: None for the stamp of the first message."""
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
            places = piece.table[rows].astype(np.int64)
            batch = MessageBatch(np.frombuffer(piece.data, np.uint8), places[:, OFFSET], places[:, LENGTH], topics,
                                 stamps[rows])
            ticks = np.maximum(-((tick - stamps) // period), 0)     # how many ticks after this one each belongs to
            cuts = [0, *(np.flatnonzero(np.diff(ticks)) + 1).tolist(), len(stamps)]
            begins, due_at = np.searchsorted(rows, cuts).tolist(), ticks[cuts[:-1]].tolist()
            number, spans = 0, zip(due_at, begins, begins[1:], cuts, cuts[1:], strict=False)
            for later, begin, end, first, last in spans:
                while number < later:
                    yield tick, due
                    due, tick, number = [], tick + period, number + 1
                due.append(new(Slice, (batch, begin, end, piece, self._names, first, last)))
        if due:
            yield tick, due

    def _topics(self, ranks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of messages (K,) of topics of the bag: which the adapter reads, as often as it has topics of that name, and
        the numbers of these."""
        counts = self._counts[ranks]
        rows = np.repeat(np.arange(len(ranks)), counts)
        number = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        return rows, self._numbers[self._begins[ranks[rows]] + number]
