# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Numbers at the edge of what is accepted, and beyond."""
from __future__ import annotations

import numpy as np

# what a scene takes at most, from the documented bounds: m, m/s, rad/s; rad/s and m/s that a wrench may add in a step
POSITION, SPEED, RATE, KICK = 5e5, 1e4, 1e4, 1e4
# N, N m, N s; N/m, N s/m; m
MOST_LOAD = 1e15
# the same for runs that are to find what hides behind fast spinning
GENTLE_RATE, GENTLE_TURN = 300.0, 1e3
INT64 = 2**63 - 1
ODD = (float('nan'), float('inf'), float('-inf'), 5e-324, -0.0, 1e308, -1e308, 1e-300)
SHARES = (0.99, 1.0, 1.01, 0.5, 0.1)
UPRIGHT = (0.0, 0.0, 0.0, 1.0)


class Chance:
    """Draws from a seeded generator; `gentle`: nothing that spins fast."""

    def __init__(self, seed, gentle: bool = False) -> None:
        self.rng, self.gentle = np.random.default_rng(seed), gentle

    def one(self, choices):
        """One of these."""
        return choices[int(self.rng.integers(len(choices)))]

    def some(self, choices, most: int) -> list:
        """Up to `most` of these, again and again possibly."""
        return [self.one(choices) for _ in range(int(self.rng.integers(1, most + 1)))]

    def happens(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def whole(self, low: int, high: int) -> int:
        """From low to high - 1."""
        return int(self.rng.integers(low, high))

    def normal(self, size: float, n: int = 3) -> list[float]:
        return (size * self.rng.normal(size=n)).tolist()

    def vector(self, usual: float, limit: float, odd: float = 0.08, n: int = 3) -> list[float]:
        """Mostly of the usual size; sometimes at the limit, sometimes no number at all."""
        values = self.normal(usual, n)
        if self.happens(odd):
            k = self.whole(0, n)
            values[k] = self.one(ODD) if self.happens(0.5) else self.one(SHARES) * limit * self.one((-1, 1))
        return values

    def quaternion(self, odd: float = 0.08) -> list[float]:
        """Four numbers x, y, z, w."""
        if self.happens(0.3):
            return list(UPRIGHT)
        q = self.rng.normal(size=4)
        q /= np.linalg.norm(q)
        if self.happens(odd):
            q = q * self.one((0.0, 0.9, 0.9901, 0.989, 1.0099, 1.011, 2.0, 1e-200, 1e200, float('nan')))
        return q.tolist()

    def rates(self) -> list[float]:
        """Angular velocity, rad/s."""
        if self.gentle:
            return self.vector(3.0, GENTLE_RATE / 2.0)
        values = self.vector(3.0, RATE)
        faster = self.one((10.0, 100.0, 1000.0)) if self.happens(0.1) else 1.0
        return [faster * value for value in values]

    def stamp(self) -> int | list[int]:
        """ns after the scene's time, or [ns] on its clock."""
        if self.happens(0.85):
            return self.whole(-3_000_000, 3_000_000)
        absolute = [0, 1, -1, INT64, INT64 - 1, -INT64 - 1, 10**18, -10**18]
        far = [-10**9, 10**9, -2 * 10**8, 4 * 10**8, 10**10]
        return [self.one(absolute)] if self.happens(0.4) and not self.gentle else self.one(far)
