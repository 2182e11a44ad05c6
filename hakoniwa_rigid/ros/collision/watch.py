# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Which of many topics have a subscriber or publisher at their other end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

__all__ = ['Watch']

# looks over which all topics are asked about, a share at each: asking costs a microsecond, and a fleet has a thousand
LOOKS = 16


class Watch:
    """`on` (N,) bool: the topic whose number of other ends `counts[k]` tells has one. Asked a few at a time, so that no
    tick pays for all."""

    def __init__(self, counts: Sequence[Callable[[], int]]) -> None:
        self._counts = counts
        self._share = -(-len(counts) // LOOKS)
        self._next = 0
        self.on = np.zeros(len(counts), dtype=bool)

    def look(self) -> None:
        """Ask about the next few."""
        end = min(self._next + self._share, len(self._counts))
        for k in range(self._next, end):
            self.on[k] = self._counts[k]() > 0
        self._next = end if end < len(self._counts) else 0
