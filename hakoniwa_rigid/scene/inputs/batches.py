# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Samples of many drones gathered for one call of the scene: judging one costs as much as judging fifty."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

__all__ = ['Batch', 'Batches']


class Batch(NamedTuple):
    """Samples of K distinct drones of one kind: rows in the scene (K,), stamps (K,) ns, numbers (K, width)."""

    kind: str
    index: np.ndarray
    stamps: np.ndarray
    table: np.ndarray


class Batches:
    """Samples in order of arrival, given out in rounds: the first of every drone, the second of every drone, ...
    rows: those stored, by round and kind."""

    def __init__(self) -> None:
        self.rows: dict[tuple[int, str], list[tuple[int, int, tuple[float, ...]]]] = {}
        self._counts: dict[int, int] = {}

    def add(self, kind: str, index: int, stamp: int, numbers: tuple[float, ...]) -> None:
        """Store one; those of a kind have equally many numbers."""
        number = self._counts.get(index, 0)
        self._counts[index] = number + 1
        self.rows.setdefault((number, kind), []).append((index, stamp, numbers))

    def drain(self) -> Iterator[Batch]:
        """Everything stored, which is then forgotten."""
        rows = self.rows
        self.clear()
        for key in sorted(rows):
            index, stamps, numbers = zip(*rows[key], strict=True)
            yield Batch(key[1], np.array(index), np.array(stamps), np.array(numbers))

    def clear(self) -> None:
        """Drop what is stored."""
        self.rows, self._counts = {}, {}
