"""Which of many topics have somebody at their other end."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ['Watch']

# topics asked about at a time: each costs a microsecond, and a fleet has a thousand
SHARE = 16


class Watch:
    """`on[k]`: the k-th added topic has another end. Asked a few at a time, so that no tick pays for all."""

    def __init__(self) -> None:
        self._counts: list[Callable[[], int]] = []
        self._next = 0
        self.on: list[bool] = []

    def add(self, count: Callable[[], int]) -> None:
        """One more topic; `count` says how many other ends it has now."""
        self._counts.append(count)
        self.on.append(False)

    def look(self) -> None:
        """Ask about the next few."""
        n = len(self._counts)
        for _ in range(min(SHARE, n)):
            k = self._next
            self.on[k] = self._counts[k]() > 0
            self._next = (k + 1) % n
