"""Messages of a bag, many at a time, cut into ticks.

Tick k is at start + k * period; every message with a log time up to a tick's time is heard before that tick, so a
message exactly on the grid is heard by the tick at its own time.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from hakoniwa_rigid.replay.reader import BagMessage

CHUNK = 2048    # messages read at once
NONE = np.zeros(0, dtype=np.int64)


class Slice(NamedTuple):
    """The K messages of a tick that the intake reads: data (uint8) holds them at offsets with lengths (K,); topics (K,)
    of the intake; receptions (K,) ns.  ``messages``: all of the tick, as they are in the bag, in order."""

    data: np.ndarray
    offsets: np.ndarray
    lengths: np.ndarray
    topics: np.ndarray
    receptions: np.ndarray
    messages: list[BagMessage]


class TickFeed:
    """Iterates (time of the tick in ns, its slices); ends with the first tick at or after the last message."""

    def __init__(self, messages: Iterable[BagMessage], numbers: dict[str, tuple[int, ...]], start_ns: int | None,
                 period_ns: int) -> None:
        """``numbers``: topics of the intake by name in the bag, empty for what it does not read.  ``start_ns``: None
        for the stamp of the first message."""
        self._messages, self._numbers = iter(messages), numbers
        self.start_ns, self._period = start_ns, period_ns
        self._single = all(len(n) == 1 for n in numbers.values())

    def __iter__(self) -> Iterator[tuple[int, list[Slice]]]:
        due: list[Slice] = []
        tick, period = None, self._period
        while chunk := list(islice(self._messages, CHUNK)):
            stamps = np.fromiter((m[0] for m in chunk), np.int64, len(chunk))
            if tick is None:
                self.start_ns = tick = chunk[0].stamp_ns if self.start_ns is None else self.start_ns
            whole = self._slice(chunk, stamps)
            ticks = np.maximum(-((tick - stamps) // period), 0)     # how many ticks after this one each belongs to
            cuts = [0, *(np.flatnonzero(np.diff(ticks)) + 1).tolist(), len(chunk)]
            rows = cuts if self._single else np.searchsorted(self._rows_of, cuts).tolist()
            number = 0
            for k in range(len(cuts) - 1):
                a, b = cuts[k], cuts[k + 1]
                for _ in range(int(ticks[a]) - number):
                    yield tick, due
                    due, tick, number = [], tick + period, number + 1
                due.append(_part(whole, rows[k], rows[k + 1], chunk[a:b]))
        if due:
            yield tick, due

    def _slice(self, chunk: list[BagMessage], stamps: np.ndarray) -> Slice:
        numbers = self._numbers
        datas = [m[3] for m in chunk]
        if self._single:
            topics = [numbers[m[1]][0] for m in chunk]
        else:    # a topic that two sources read, or that the intake does not
            rows = [(k, n) for k, m in enumerate(chunk) for n in numbers[m[1]]]
            self._rows_of = np.array([k for k, _ in rows], dtype=np.int64)
            topics = [n for _, n in rows]
        lengths = np.fromiter(map(len, datas), np.int64, len(datas))
        offsets = np.cumsum(lengths) - lengths
        data = np.frombuffer(b''.join(datas), np.uint8)
        if not self._single:
            lengths, offsets, stamps = lengths[self._rows_of], offsets[self._rows_of], stamps[self._rows_of]
        return Slice(data, offsets, lengths, np.array(topics, dtype=np.int64), stamps, [])


def _part(whole: Slice, a: int, b: int, messages: list[BagMessage]) -> Slice:
    return Slice(whole.data, whole.offsets[a:b], whole.lengths[a:b], whole.topics[a:b], whole.receptions[a:b], messages)
