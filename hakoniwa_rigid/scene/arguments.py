# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What callers of a scene hand over, as arrays of the right shape."""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..codec.motion_columns import OMEGA, POS, QUAT, VEL
from .drones.rows import MOST_STAMP
from .drones.stamps import VERDICTS
from .records import Verdict

__all__ = ['Vector', 'as_numbers', 'as_row', 'as_stamps', 'counted', 'fill_motion', 'shape_of']

Vector = Sequence[float] | np.ndarray


def as_stamps(stamp_ns: int | np.ndarray, count: int) -> np.ndarray:
    """(count,) int64 ns; those that do not fit are beyond MOST_STAMP here too."""
    stamps = np.empty(count, dtype=np.int64)
    stamps[:] = min(max(stamp_ns, -MOST_STAMP - 1), MOST_STAMP + 1) if isinstance(stamp_ns, int) else stamp_ns
    return stamps


def as_numbers(values) -> np.ndarray | None:
    """As floats, or None where they are no array of numbers."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return None


def shape_of(array: np.ndarray | None) -> tuple[int, ...] | str:
    """Its shape; a word where there is no array."""
    return 'no numbers' if array is None else array.shape


def as_row(values: Vector, width: int) -> np.ndarray | None:
    """(width,) floats, or None when it is not a vector of that width."""
    row = as_numbers(values)
    return np.ascontiguousarray(row) if row is not None and row.shape == (width,) else None


def fill_motion(sample: np.ndarray, position: Vector, xyzw: Vector, vel: Vector | None, omega: Vector | None) -> bool:
    """Into a motion (13,) of zeros; False when a vector has not its width."""
    for at, values in ((POS, position), (VEL, vel), (OMEGA, omega)):
        if values is not None or at == POS:
            row = as_row(values, 3)
            if row is None:
                return False
            sample[at:at + 3] = row
    row = as_row(xyzw, 4)
    if row is None:
        return False
    sample[QUAT], sample[QUAT + 1:VEL] = row[3], row[:3]
    return True


def counted(verdicts: dict[Verdict, int], codes: np.ndarray) -> dict[Verdict, int]:
    """The counts with those of codes (K,) of VERDICTS."""
    if len(codes) and not np.count_nonzero(codes):
        verdicts[Verdict.ACCEPTED] = verdicts.get(Verdict.ACCEPTED, 0) + len(codes)
        return verdicts
    for code, count in enumerate(np.bincount(codes).tolist()):
        if count:
            verdicts[VERDICTS[code]] = verdicts.get(VERDICTS[code], 0) + count
    return verdicts
