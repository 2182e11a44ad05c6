# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""When a scene in lockstep goes on: as soon as every awaited drone has a sample of the next stamp.

Before the first tick every drone is awaited; the first stamp is the least of their newest ones.  From then on stamps
are whole periods apart.  The time-out counts from the first drone that has the next stamp: a simulator that is paused
as a whole is waited for without end.  Drones that do not come in time are left out until a sample of theirs is later
than the last tick, as are drones that come later.  Stamps are integer ns of the simulator; times are s of any steady
clock, and decide on nothing but the time-out.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..codec.message_fields import NANOSECONDS

__all__ = ['MOST_AHEAD', 'Barrier', 'Look']

# ns: where all samples are further ahead of the next tick, the simulator's time was set forward
MOST_AHEAD = NANOSECONDS


class Look(NamedTuple):
    """What one look found: the stamp of the tick that is due, ns; the rows of drones that are left out from this tick
    on; whether the simulator's time was set back, to this stamp, instead."""

    stamp: int | None = None
    left_out: tuple[int, ...] = ()
    is_reset: bool = False


class Barrier:
    """That of n drones.  `last`: ns, of the last tick; `out` (n,) bool: drones that are not awaited; `fresh` (n,)
    bool: those among them that have come and were never awaited; `skipped`: ticks that were left out because the
    simulator's time was set forward."""

    def __init__(self, n: int, period: int, timeout: float, reset_after: int) -> None:
        """period: ns between ticks; timeout: s; reset_after: ns that all stamps go back where time was set back."""
        self._period, self._timeout, self._reset_after = period, timeout, reset_after
        self.out, self.fresh = np.zeros((2, n), dtype=bool)
        self.skipped = 0
        self.clear()

    def clear(self) -> None:
        """As before the first tick: every drone is awaited."""
        self.out[:] = self.fresh[:] = False
        self.last: int | None = None
        self._since: float | None = None    # when the first drone had the next stamp

    def look(self, newest: np.ndarray, offered: np.ndarray, time: float) -> Look:
        """newest (n,) ns: of the samples taken, -1 without; offered (n,) ns: of the last samples that came, taken or
        refused; time: s."""
        if self.last is None:
            return self._wait(newest, newest >= 0, time)
        self.out &= newest <= self.last
        self.fresh &= self.out
        awaited = ~self.out
        # where all have gone, those that come say what time it is
        asked = awaited if awaited.any() else self.fresh
        if asked.any() and (offered[asked] < self.last - self._reset_after).all():
            return Look(int(offered[asked].min()), is_reset=True)
        return self._wait(newest, newest >= self.last + self._period, time)

    @property
    def is_begun(self) -> bool:
        """Whether some drone has the next stamp, so that the time-out runs."""
        return self._since is not None

    def late(self, newest: np.ndarray) -> np.ndarray:
        """Rows (K,) of the awaited drones that do not have the next stamp."""
        need = 0 if self.last is None else self.last + self._period
        return np.flatnonzero(~self.out & (newest < need))

    def _wait(self, newest: np.ndarray, ready: np.ndarray, time: float) -> Look:
        awaited = ~self.out
        if not (ready & awaited).any():
            self._since = None
            return Look()
        if self._since is None:
            self._since = time
        missing = awaited & ~ready
        if missing.any() and time - self._since < self._timeout:
            return Look()
        self.out |= missing
        self.last = self._next(int(newest[ready & awaited].min()))
        self._since = None
        return Look(self.last, tuple(np.flatnonzero(missing).tolist()))

    def _next(self, least: int) -> int:
        """The stamp of the tick, where all samples are at `least` or later."""
        if self.last is None:
            return least
        if least - self.last - self._period <= MOST_AHEAD:
            return self.last + self._period
        count = (least - self.last) // self._period
        self.skipped += count - 1
        return self.last + count * self._period
