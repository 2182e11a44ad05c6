# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Whether the simulators of observed drones follow the impulses reported to them, and what is to be reported next.

A simulator that follows is known by its samples: the velocity of its centre of mass changes as the impulse asks, beyond
what its own push explains (`response_kernels`).  Spins are not asked for: a controller of attitude ends them within a
sample.  From then on it gets another report for as long as its samples approach, once for each sample that shows what
was reported before, so that a late simulator gets none twice.

What is reported holds it only if it is more than the approach of the sample.  With a push, and nothing but m v (1 + e)
for each sample, a drone sinks in without end: the mean of its velocity before and after is v (1 - e)/2, into the wall.
So a renewed impulse meets the approach that is predicted for the middle of the time from when it acts to when the next
one does, and what the drone overlaps by returns within RETURN of its lags."""
from __future__ import annotations

import numpy as np

from ...engine.maths.matrices import dots
from ..bodies import BodyTable
from ..drones.authority import OBSERVE
from ..drones.drones import Fleet
from ..drones.rows import NEVER
from .response_kernels import (
    BASE,
    BASE_NS,
    FRESH,
    LAG,
    LAST_X,
    LEAST,
    MISSED,
    NEWEST,
    NUMBERS,
    OWN,
    REPORTED,
    REPORTED_NS,
    SAMPLES,
    STEP,
    SUM,
    TRUST,
    TRUSTED,
    UNKNOWN,
    WAITED,
    WAITING,
    WHOLES,
    V,
    X,
    note_samples,
)

# lags within which an overlap returns; below 4 a simulator that is a lag late would swing
RETURN = 4.0
# m/s: no overlap returns faster
MOST_RETURN = 0.25

__all__ = ['Responses']


class Responses:
    """Of the N drones of a fleet; `rows` and `bodies` are theirs and the engine's."""

    def __init__(self, table: BodyTable, fleet: Fleet, bound: float):
        self._rows, self._fleet, self._bound = table.drone_row, fleet, bound
        self.numbers = np.zeros((fleet.n, NUMBERS))
        self.wholes = np.zeros((fleet.n, WHOLES), dtype=np.int64)
        self.clear()

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """All that is known, for copies."""
        return self.numbers, self.wholes

    def clear(self, rows=slice(None)) -> None:
        """Nothing is known of these drones."""
        self.numbers[rows] = 0.0
        self.numbers[rows, TRUST] = UNKNOWN
        self.wholes[rows] = 0
        self.wholes[rows, NEWEST] = NEVER

    def look(self) -> int:
        """Take the samples that have come; the number of drones that have new ones."""
        s = self._fleet.s
        on = (s.authority == OBSERVE) & s.enabled
        return note_samples(self.numbers, self.wholes, on, s.reference, s.reference_stamp, s.com, self._bound)

    def trusts(self, body: int) -> bool:
        """Whether it is a drone that follows."""
        row = self._rows[body]
        return row >= 0 and bool(self.numbers[row, TRUST] > TRUSTED) and self.wholes[row, NEWEST] != NEVER

    def may_follow(self, body: int) -> bool:
        """Whether a drone of which nothing is known got its first report a few samples ago."""
        row = self._rows[body]
        f, n = self.numbers[row], self.wholes[row]
        return bool(n[WAITING] and n[WAITED] < SAMPLES and f[TRUST] == UNKNOWN)

    def waits(self, body: int) -> bool:
        """Whether a drone has not shown yet what was reported to it."""
        return bool(self.wholes[self._rows[body], WAITING])

    def gave_up(self, body: int) -> bool:
        """Whether `look` has given up waiting for it."""
        row = self._rows[body]
        return row >= 0 and bool(self.wholes[row, MISSED])

    def fresh(self, body: int) -> bool:
        """Whether `look` had a sample of it."""
        row = self._rows[body]
        return row >= 0 and bool(self.wholes[row, FRESH])

    def way(self, body: int) -> tuple[np.ndarray, np.ndarray, float]:
        """From the place at the sample before to that at the newest (3,) m, and the time between, s."""
        f = self.numbers[self._rows[body]]
        return f[LAST_X:LAST_X + 3], f[X:X + 3], float(f[STEP])

    def reported(self, body: int) -> np.ndarray:
        """(3,) m/s: what was reported to a drone and it has not shown."""
        at = self.numbers[self._rows[body]]
        return at[REPORTED:REPORTED + 3] if self.waits(body) else np.zeros(3)

    def predicted(self, body: int, normal: np.ndarray, closing: float, depth: float) -> float:
        """m/s against the normal (3,), out of what a drone overlaps by `depth` (m) and comes nearer to at `closing`
        (m/s): what its own push adds to that, and the return; 0 where it leaves by itself.

        What is reported on a sample acts LAG - STEP after it or later, and the next impulse as long after that: the
        middle of the time between them is 1.5 (LAG - STEP) after the sample, or later.  The earliest is taken: what it
        lacks, the return makes up for at a small overlap, so that the contact lasts.  With more, the drone leaves by
        itself, comes back, and that beginning is met without its push: a late one then sinks in four times as deep."""
        f = self.numbers[self._rows[body]]
        push = max(0.0, -float(dots(normal, f[OWN:OWN + 3]))) * max(1.5 * (f[LAG] - f[STEP]), f[STEP])
        if push + closing <= LEAST:
            return 0.0
        return push + min(depth / (RETURN * max(f[LAG], f[STEP])), MOST_RETURN)

    def report(self, body: int, change: np.ndarray, now_ns: int) -> None:
        """A change of its velocity (3,) m/s was reported to a drone, at now."""
        f, n = self.numbers[self._rows[body]], self.wholes[self._rows[body]]
        if not n[WAITING]:
            n[REPORTED_NS], f[REPORTED:REPORTED + 3] = now_ns, 0.0
        if not n[WAITING] or f[TRUST] > TRUSTED:
            # one that follows is given its time from the last on; one that may not, from the first
            n[WAITING], n[WAITED], n[BASE_NS] = 1, 0, n[NEWEST]
            f[BASE:BASE + 3], f[SUM] = f[V:V + 3], 0.0
        f[REPORTED:REPORTED + 3] += change
