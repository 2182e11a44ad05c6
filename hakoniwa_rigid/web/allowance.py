# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""How much a client may ask for: buckets that refill."""
from __future__ import annotations

import time


class Allowance:
    """A bucket of ``most`` (default: one second's worth) that refills at ``rate`` per s.  Either it is asked before
    (`take`), or what was used is charged to it, and owed where there was not enough (`charge`, `owed`)."""

    def __init__(self, rate: float, most: float | None = None) -> None:
        self._most = self._left = rate if most is None else most
        self._rate = rate
        self._at = time.monotonic()
        self.refused = 0.0  # and not forgiven yet: a second forgives a second's worth

    def take(self) -> bool:
        """Whether one more is allowed now."""
        self._refill()
        if self._left < 1.0:
            self.refused += 1.0
            return False
        self._left -= 1.0
        return True

    def give_back(self) -> None:
        """The last one was not needed."""
        self._left = min(self._left + 1.0, self._most)

    def charge(self, amount: float) -> None:
        """So much was used."""
        self._refill()
        self._left -= amount

    def owed(self) -> float:
        """s until the bucket is no longer in debt."""
        self._refill()
        return max(0.0, -self._left / self._rate)

    def limit(self, rate: float) -> None:
        """Refill at another rate from now on."""
        self._refill()
        self._rate = rate

    def _refill(self) -> None:
        now = time.monotonic()
        more, self._at = (now - self._at) * self._rate, now
        self._left = min(self._left + more, self._most)
        self.refused = max(self.refused - more, 0.0)
