"""How much a client may ask for: buckets that refill."""
from __future__ import annotations

import time


class Allowance:
    """A bucket of ``most`` (default: one second's worth) that refills at ``rate`` per s.  What is larger than what is
    left is allowed where there is one left, and owed afterwards."""

    def __init__(self, rate: float, most: float | None = None) -> None:
        self._most = self._left = rate if most is None else most
        self._rate = rate
        self._at = time.monotonic()
        self.refused = 0.0  # and not forgiven yet: a second forgives a second's worth

    def take(self, amount: float = 1.0) -> bool:
        """Whether so much is allowed now."""
        self._refill()
        if self._left < min(amount, 1.0):
            self.refused += 1.0
            return False
        self._left -= amount
        return True

    def give_back(self, amount: float = 1.0) -> None:
        """What was taken was not needed."""
        self._left = min(self._left + amount, self._most)

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
