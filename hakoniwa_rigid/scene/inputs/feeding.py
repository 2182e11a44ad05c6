# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Many samples at a time from the adapter to the scene.  What fails there costs these samples, not the tick."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...rotations import rotate_rows_xyzw
from ..collision_scene import CollisionScene
from ..records import Ledger
from .failures import Failures, error_text
from .fast_path import FORCES, MOVING, STILL

__all__ = ['FORCES', 'IN_WORLD', 'MIXED', 'MOVING', 'STILL', 'Feeding']

# kinds beside those of the fast path: a pose with velocities in the world; with the angular one in the body
IN_WORLD, MIXED = 4, 5


class Feeding:
    """Of K drones at rows (K,), stamps (K,) ns."""

    def __init__(self, scene: CollisionScene, ledger: Ledger, failures: Failures) -> None:
        self._scene, self._ledger, self._failures = scene, ledger, failures

    def _try(self, feed: Callable, rows: np.ndarray, *arguments) -> None:
        try:
            feed(rows, *arguments)
        except Exception as error:
            self._ledger.note('failed', 'flush', error_text(error), len(rows))
            self._failures.report('flush', error)

    def motions(self, rows: np.ndarray, stamps: np.ndarray, motions: np.ndarray, moving: bool) -> None:
        """motions (K,13) in the world; moving: with velocities."""
        self._try(self._scene.feed_motions, rows, stamps, motions, moving)

    def forces(self, rows: np.ndarray, stamps: np.ndarray, table: np.ndarray) -> None:
        """table (K,6): forces and torques."""
        self._try(self._forces, rows, stamps, table)

    def samples(self, rows: np.ndarray, stamps: np.ndarray, table: np.ndarray, kind: int) -> None:
        """table (K,7), with velocities (K,13): quaternions x, y, z, w, velocities as the kind says; or forces."""
        self._try(self._forces if kind == FORCES else self._samples, rows, stamps, table, kind)

    def _forces(self, rows: np.ndarray, stamps: np.ndarray, table: np.ndarray, _kind: int = FORCES) -> None:
        self._scene.feed_wrenches(rows, stamps, table[:, :3], table[:, 3:])

    def _samples(self, rows: np.ndarray, stamps: np.ndarray, table: np.ndarray, kind: int) -> None:
        velocities, orientation = (None, None), table[:, 3:7]
        if kind != STILL:
            velocities = table[:, 7:10], table[:, 10:]
        with np.errstate(all='ignore'):  # the scene says what is not finite
            if kind == MOVING:
                velocities = [rotate_rows_xyzw(orientation, v) for v in velocities]
            elif kind == MIXED:
                velocities = velocities[0], rotate_rows_xyzw(orientation, velocities[1])
        self._scene.feed_drones(rows, stamps, table[:, :3], orientation, *velocities)
