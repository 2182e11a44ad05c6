# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The offset of a source's clock that is not ours, learnt from pairs of (header stamp, time of reception).

    gap = reception - stamp = offset + delay,  delay >= least delay

The least gap is the offset plus the least delay of the way here; it is what a stamp gets added.  A clock may drift, so
what was least is let rise by MAX_DRIFT, and a gap below it pulls it down at once: old minima are forgotten at the pace
at which they can have become wrong.  This is a minimum over a window that is as long as the delays are uneven, and
needs no window.

A gap that leaves the estimate by more than STEP is a clock that was set, or a delay.  A set clock shows in
STEP_SAMPLES samples in a row that agree with each other; where the gap has grown while the stamps go on, which a full
queue can do too, only after STEP_TIME.  Equal sequences give equal offsets: no other clock is read.
"""
from __future__ import annotations

from dataclasses import dataclass

from hakoniwa_rigid.codec.message_fields import NANOSECONDS

# s/s, as 1/N: the fastest an estimate rises.  Crystals differ by up to 1e-4, a clock being disciplined by 5e-4.  With a
# sample of least delay every 0.1 s the estimate errs by 50 us; a slower rise would lose such a clock.
MAX_DRIFT_INVERSE = 2000
# ns: a gap further from the estimate is a step or a delay, not noise; local networks stay below 50 ms
STEP = NANOSECONDS // 10
# as many samples in a row make a step of what could be one late packet or one bad stamp
STEP_SAMPLES = 3
# ns: queues of a network under load empty faster
STEP_TIME = NANOSECONDS // 2
# ns: the drift is the slope over one to two of these; below, the unevenness of delays would be all of it
DRIFT_WINDOW = 10 * NANOSECONDS

__all__ = ['ClockOffset']


@dataclass
class Suspicion:
    """Samples in a row that disagree with the estimate by a step: least gap, first reception, newest stamp (ns)."""

    count: int
    gap: int
    since: int
    stamp: int


class ClockOffset:
    """The clock of one source.  All times integer nanoseconds."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Know nothing: the next sample is a first one."""
        self.offset: int | None = None   # ours minus the source's, least delay included
        self.steps = 0                   # times the clock was set, by the source or by us
        self.excess = 0                  # of the newest sample: its delay above the least
        self._received = self._newest = 0
        self._suspicion: Suspicion | None = None
        self._anchors: tuple[tuple[int, int], ...] = ()

    def observe(self, stamp: int, received: int) -> int:
        """The stamp in our time: never after `received`, the time of reception."""
        gap = received - stamp
        if self.offset is None:
            self._begin(gap, stamp, received)
        elif abs(gap - self.offset) > STEP:
            self._suspect(gap, stamp, received)
        else:
            self._suspicion = None
            self.offset = min(gap, self.offset + max(received - self._received, 0) // MAX_DRIFT_INVERSE)
            self._newest = max(stamp, self._newest)
        self._received = received
        self.excess = gap - self.offset
        self._anchor(received)
        return min(stamp + self.offset, received)

    @property
    def drift(self) -> float:
        """How much faster our clock runs than the source's, s/s, over the last ten to twenty seconds; 0 before."""
        if len(self._anchors) < 2 or self.offset is None:
            return 0.0
        received, offset = self._anchors[0]
        return (self.offset - offset) / max(self._received - received, 1)

    def _begin(self, gap: int, stamp: int, received: int) -> None:
        self.offset, self._newest = gap, stamp
        self._suspicion = None
        self._anchors = ((received, gap),)

    def _suspect(self, gap: int, stamp: int, received: int) -> None:
        """One more sample off by a step, or the first; enough of them are a new clock."""
        s = self._suspicion
        # topics of one source may be a little out of order among each other
        if s is None or stamp < s.stamp - STEP or abs(gap - s.gap) > STEP:
            self._suspicion = s = Suspicion(0, gap, received, stamp)
        s.count, s.gap, s.stamp = s.count + 1, min(s.gap, gap), max(s.stamp, stamp)
        # what cannot be a delay: less of it than ever, or stamps from before those already seen
        surely = gap < self.offset or stamp < self._newest
        if s.count >= STEP_SAMPLES and (surely or received - s.since >= STEP_TIME):
            self.steps += 1
            self._begin(s.gap, stamp, received)

    def _anchor(self, received: int) -> None:
        """Remember the offset of ten to twenty seconds ago, for the drift."""
        if received - self._anchors[-1][0] >= DRIFT_WINDOW:
            self._anchors = (*self._anchors[-1:], (received, self.offset))
