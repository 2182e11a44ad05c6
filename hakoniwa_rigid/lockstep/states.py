# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What goes to and fro: the states of a simulator's drones, checked, as arrays."""
from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..brief import brief
from .errors import LockstepError

__all__ = ['IN_CONTACT', 'States', 'checked', 'checked_names']

# of flags: msg/FleetState
IN_CONTACT = 1
WIDTHS = {'positions': 3, 'orientations': 4, 'linear_velocities': 3, 'angular_velocities': 3}
# of a quaternion's length from 1
UNIT = 1e-3


class States(NamedTuple):
    """N drones at base_link at a stamp, ns: positions (N,3) m and orientations (N,4) xyzw in the world, linear
    velocities (N,3) m/s in the world, angular velocities (N,3) rad/s in the body, flags (N,) uint8 as in FleetState."""

    stamp_ns: int
    positions: np.ndarray
    orientations_xyzw: np.ndarray
    linear_velocities: np.ndarray
    angular_velocities: np.ndarray
    flags: np.ndarray


def checked_names(names: Sequence[str]) -> tuple[str, ...]:
    """The names; LockstepError where there are none, or one comes twice."""
    found = tuple(map(str, names))
    if not found or len(set(found)) != len(found):
        raise LockstepError(f'names: must be at least one drone, and every one once, got {brief(list(found))}')
    return found


def checked(names: tuple[str, ...], stamp_ns: int, *arrays) -> States:
    """The states; LockstepError names the array, and the drone, of what is no state."""
    if not isinstance(stamp_ns, (int, np.integer)) or stamp_ns <= 0:
        raise LockstepError(f'stamp_ns: must be a whole number above 0, got {brief(stamp_ns)}')
    made = [_array(names, what, width, a) for (what, width), a in zip(WIDTHS.items(), arrays, strict=True)]
    wrong = np.flatnonzero(np.abs(np.linalg.norm(made[1], axis=1) - 1.0) > UNIT)
    if len(wrong):
        raise LockstepError(f'orientations: {names[wrong[0]]}: must be a unit quaternion, got {made[1][wrong[0]]}')
    return States(int(stamp_ns), *made, np.zeros(len(names), dtype=np.uint8))


def _array(names: tuple[str, ...], what: str, width: int, values) -> np.ndarray:
    try:
        array = np.ascontiguousarray(values, dtype=float)
    except (TypeError, ValueError):
        raise LockstepError(f'{what}: must be numbers, got {brief(values)}') from None
    if array.shape != (len(names), width):
        raise LockstepError(f'{what}: must be of shape ({len(names)}, {width}), got {array.shape}')
    if not np.isfinite(array).all():
        row = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
        raise LockstepError(f'{what}: {names[row]}: must be finite, got {array[row]}')
    return array
