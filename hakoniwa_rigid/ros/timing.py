# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The node's clockwork: when a tick is due, which stamp it stands for, and how regular ticks come.

Stamps are ROS time in integer nanoseconds. Durations on the machine's monotonic clock feed the statistics only.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from hakoniwa_rigid.scene.read_settings import period_ns

__all__ = ['LATE', 'TickGrid', 'TickStats', 'period_ns']

# samples kept for the percentiles: 5 s at 200 Hz, so one slow tick stays visible over five reports
WINDOW = 1024
# s; a tick that comes this much too early or too late is counted
LATE = 0.0005
# simulated time may come this fraction of a period early and still count for the next grid point
EARLY = 0.1


@dataclass
class TickGrid:
    """Maps the time of a tick to a stamp: the first tick's time plus whole periods, never backwards.

    A clock that goes back by more than `reset_after` was set anew, and the grid with it; a smaller step back (a clock
    being disciplined) only holds the ticks until time has caught up.
    """

    period: int  # ns
    reset_after: int  # ns
    origin: int | None = None
    last: int | None = None
    jumps: int = 0  # times the clock was set back
    missed: int = 0  # grid points that had no tick, because the one before took too long

    def rest(self, now: int) -> int | None:
        """ns until the next grid point, 0 where it has come; None where time is unknown."""
        if now <= 0:  # ROS time before the first /clock
            return None
        if self.last is None or self.last - now > self.reset_after:
            return 0
        return max(self.last + self.period - now, 0)

    def due(self, now: int) -> bool:
        """Whether `stamp` has one for the time `now`."""
        rest = self.rest(now)
        return rest is not None and rest <= int(EARLY * self.period)

    def stamp(self, now: int) -> int | None:
        """The stamp in ns for the time `now`; None where the grid point has had its tick or time is unknown."""
        if now <= 0:
            return None
        if self.last is None:
            self.origin = self.last = now
            return now
        if self.last - now > self.reset_after:
            self.jumps += 1
            self.origin = self.last = now
            return now
        count = (now - self.origin + int(EARLY * self.period)) // self.period
        stamp = self.origin + count * self.period
        if stamp <= self.last:
            return None
        self.missed += (stamp - self.last) // self.period - 1
        self.last = stamp
        return stamp

    def clear(self) -> None:
        """Forget the grid; the next tick starts a new one."""
        self.origin = self.last = None


class TickStats:
    """Ring buffers of the time one tick takes and of the time between ticks, both in s on the monotonic clock."""

    def __init__(self, period: float) -> None:
        """`period`: the nominal one, s."""
        self._nominal = period
        self._steps = np.zeros(WINDOW)
        self._periods = np.zeros(WINDOW)
        self._ticks = 0
        self._gaps = 0
        self._off_time = 0
        self._begun: float | None = None

    def begin(self) -> None:
        """A tick starts."""
        now = perf_counter()
        if self._begun is not None:
            self._periods[self._gaps % WINDOW] = now - self._begun
            self._gaps += 1
            self._off_time += abs(now - self._begun - self._nominal) > LATE
        self._begun = now

    def end(self) -> None:
        """The same tick is done."""
        self._steps[self._ticks % WINDOW] = perf_counter() - self._begun
        self._ticks += 1

    def pause(self) -> None:
        """Ticking stops on purpose: the gap to the next tick is not a period."""
        self._begun = None

    def summary(self) -> dict[str, float]:
        """p50 and p99 of tick time, of the period and of its error over the last WINDOW ticks, in s; NaN before the
        first. off_time: periods more than LATE off, of all periods."""
        result = {'ticks': float(self._ticks), 'periods': float(self._gaps), 'off_time': float(self._off_time)}
        errors = np.abs(self._periods - self._nominal)
        for name, data, count in (
            ('step_time', self._steps, self._ticks),
            ('tick_period', self._periods, self._gaps),
            ('period_error', errors, self._gaps),
        ):
            used = data[: min(count, WINDOW)]
            p50, p99 = np.percentile(used, (50, 99)) if len(used) else (np.nan, np.nan)
            result[f'{name}_p50'] = float(p50)
            result[f'{name}_p99'] = float(p99)
        return result
