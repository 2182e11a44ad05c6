# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Copies of arrays to go back to: taken in every tick, so by one compiled call."""
from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..array_table import address_table, copy_bytes
from ..engine.maths.direct import Direct
from ..engine.maths.entries import entry

__all__ = ['Mirror']


class Mirror:
    """The contents of some contiguous arrays at the last `take`."""

    def __init__(self, arrays: Iterable[np.ndarray]) -> None:
        self.arrays = tuple(arrays)
        self.copies = tuple(np.array(a) for a in self.arrays)
        self._sizes = np.array([a.nbytes for a in self.arrays], dtype=np.int64)
        ours, theirs = (address_table(_bytes(a) for a in side) for side in (self.copies, self.arrays))
        self._ours, self._theirs, self._copy = ours, theirs, Direct(copy_arrays)

    def take(self) -> None:
        """Remember the arrays as they are."""
        self._copy.call(self._theirs.addresses, self._ours.addresses, self._sizes)

    def put_back(self) -> None:
        """Make the arrays what they were."""
        self._copy.call(self._ours.addresses, self._theirs.addresses, self._sizes)

    def put_back_rows(self, rows: np.ndarray) -> None:
        """As put_back, of these rows (K,) of every array."""
        for array, copy in zip(self.arrays, self.copies, strict=True):
            array[rows] = copy[rows]


def _bytes(array: np.ndarray) -> np.ndarray:
    """The array's memory (K,) uint8."""
    return array.reshape(-1).view(np.uint8)


@entry
def copy_arrays(source, target, sizes):
    """Bytes of the arrays of one table into those of another; sizes (K,) of each.  Writes: target."""
    for k in range(len(sizes)):
        copy_bytes(source, target, k, sizes[k])
