# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The arrays of a world that a scene reads and writes between steps: motions, loads, and which bodies take part."""
from typing import NamedTuple

import numpy as np


class MotionView(NamedTuple):
    """arrays: block, principal axes (N,4), table of bodies, counters, force (N,3) N, torque (N,3) N m, as the entries
    of `motions` take them; bodies: N; turned: principal axes are not the bodies' own.  A step may replace the
    arrays."""

    arrays: tuple[np.ndarray, ...]
    bodies: int
    turned: bool
    state: tuple

    def is_of(self, world) -> bool:
        """Whether these are still the arrays of the world."""
        return world._s is self.state


def motion_view(world) -> MotionView:
    """The view of a World as it is now."""
    s = world._s
    return MotionView((s.block, world._axes, s.body, s.count, world.force, world.torque), world.n, world._turned, s)
