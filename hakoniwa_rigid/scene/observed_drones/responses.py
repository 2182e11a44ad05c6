"""Whether the simulators of observed drones do what they are told, and what is to be told next.

A simulator that follows is known by its samples: the velocity of its centre of mass changes as the impulse asks, beyond
what its own push explains (`response_kernels`).  Spins are not asked for: a controller of attitude ends them within a
sample.  From then on it is told again for as long as its samples approach, once for each sample that shows what it was
told before, so that a late simulator is not told twice.

What is told holds it only if it is more than the approach of the sample.  With a push, and nothing but m v (1 + e) for
each sample, a drone sinks in without end: the mean of its velocity before and after is v (1 - e)/2, into the wall.  So
a renewed impulse meets the approach that is foreseen for the middle of the time from when it acts to when the next one
does, and what the drone overlaps by returns within RETURN of its lags.
"""
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
    SAMPLES,
    STEP,
    SUM,
    TOLD,
    TOLD_NS,
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
        """Whether a drone of which nothing is known was told something for the first time, a few samples ago."""
        row = self._rows[body]
        f, n = self.numbers[row], self.wholes[row]
        return bool(n[WAITING] and n[WAITED] < SAMPLES and f[TRUST] == UNKNOWN)

    def waits(self, body: int) -> bool:
        """Whether a drone has not shown yet what it was told."""
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

    def told(self, body: int) -> np.ndarray:
        """(3,) m/s: what a drone was told and has not shown."""
        at = self.numbers[self._rows[body]]
        return at[TOLD:TOLD + 3] if self.waits(body) else np.zeros(3)

    def foreseen(self, body: int, normal: np.ndarray, closing: float, depth: float) -> float:
        """m/s against the normal (3,), out of what a drone overlaps by `depth` (m) and comes nearer to at `closing`
        (m/s): what its own push adds to that, and the return; 0 where it leaves by itself.

        What is told on a sample acts LAG - STEP after it or later, and the next impulse as long after that: the middle
        of the time between them is 1.5 (LAG - STEP) after the sample, or later.  The earliest is taken: what it lacks,
        the return makes up for at a small overlap, so that the contact lasts.  With more, the drone leaves by itself,
        comes back, and that beginning is met without its push: a late one then sinks in four times as deep.
        """
        f = self.numbers[self._rows[body]]
        push = max(0.0, -float(dots(normal, f[OWN:OWN + 3]))) * max(1.5 * (f[LAG] - f[STEP]), f[STEP])
        if push + closing <= LEAST:
            return 0.0
        return push + min(depth / (RETURN * max(f[LAG], f[STEP])), MOST_RETURN)

    def tell(self, body: int, change: np.ndarray, now_ns: int) -> None:
        """A drone was told a change of its velocity (3,) m/s, at now."""
        f, n = self.numbers[self._rows[body]], self.wholes[self._rows[body]]
        if not n[WAITING]:
            n[TOLD_NS], f[TOLD:TOLD + 3] = now_ns, 0.0
        if not n[WAITING] or f[TRUST] > TRUSTED:
            # one that follows is given its time from the last on; one that may not, from the first
            n[WAITING], n[WAITED], n[BASE_NS] = 1, 0, n[NEWEST]
            f[BASE:BASE + 3], f[SUM] = f[V:V + 3], 0.0
        f[TOLD:TOLD + 3] += change
