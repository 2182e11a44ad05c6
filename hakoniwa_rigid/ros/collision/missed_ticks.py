# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Why ticks were missed: the processor was given to another machine or to other programs, a part of the tick before
took too long, the clock jumped, or the node was woken late."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from time import perf_counter

__all__ = ['MissedTicks']

# share of the lateness that a cause has to explain
MOST = 0.5
STEAL = 8  # column of the line 'cpu' in /proc/stat


class MissedTicks:
    """`counts`: ticks missed by cause; their sum is all of them. `period` s. The functions give s: time, time that this
    thread has waited for a processor, time that went to other machines on all processors."""

    def __init__(self, period: float, clock: Callable[[], float] = perf_counter,
                 waited: Callable[[], float] | None = None, stolen: Callable[[], float] | None = None) -> None:
        self._period, self._clock = period, clock
        self._files: list[int] = []
        self._waited = waited or self._reader('/proc/thread-self/schedstat', _run_delay)
        self._stolen = stolen or self._reader('/proc/stat', _steal)
        self.counts: dict[str, int] = {}
        self._begun: float | None = None
        self._behind = self._ended = 0.0
        self._delays = self._waited(), self._waited()  # at the ends of the last two ticks
        self._part = ''
        self._steal = self._stolen()

    def close(self) -> None:
        """Close the files of /proc."""
        for number in self._files:
            os.close(number)
        self._files.clear()

    def pause(self) -> None:
        """Ticking stops on purpose: what is missed then has no cause here."""
        self._begun = None

    def look(self) -> None:
        """Now and then: from when on time counts as stolen, which is told in hundredths of a second."""
        self._steal = self._stolen()

    def begin(self, missed: int, behind: float) -> None:
        """A tick begins, so many s behind its time; so many between it and the one before were missed."""
        now = self._clock()
        if missed:
            cause = 'late_wake_up' if self._begun is None else self._cause(missed, now)
            self.counts[cause] = self.counts.get(cause, 0) + missed
        self._begun, self._behind = now, behind

    def end(self, part: str) -> None:
        """It is over; `part` took the longest."""
        self._ended, self._part, self._delays = self._clock(), part, (self._delays[1], self._waited())

    def _cause(self, missed: int, now: float) -> str:
        # what made the tick before come late counts, too
        late = now - self._begun + self._behind - self._period
        if late < MOST * missed * self._period:
            return 'clock'      # no time has passed that explains it
        stolen, self._steal = self._stolen() - self._steal, self._stolen()
        if stolen >= MOST * late:
            return 'stolen'
        if self._waited() - self._delays[0] >= MOST * late:
            return 'other_programs'
        return f'long_tick {self._part}' if self._ended - self._begun > self._period else 'late_wake_up'

    def _reader(self, path: str, value: Callable[[bytes], float]) -> Callable[[], float]:
        """What a file of /proc says now; always 0 where there is none."""
        try:
            number = os.open(path, os.O_RDONLY)
        except OSError:
            return lambda: 0.0
        self._files.append(number)

        def read() -> float:
            with suppress(OSError, IndexError, ValueError):
                return value(os.pread(number, 4096, 0))
            return 0.0

        return read


def _run_delay(text: bytes) -> float:
    return int(text.split()[1]) / 1e9


def _steal(text: bytes) -> float:
    return int(text.split(b'\n', 1)[0].split()[STEAL]) / os.sysconf('SC_CLK_TCK')
