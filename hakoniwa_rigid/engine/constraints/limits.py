# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Which constraints of an island act in a solve, and how strongly they may."""
import math

import numpy as np

from ..maths.jit import kernel
from ..maths.vec3 import norm
from ..model import layout as L

# what a solve is for: an instant, an interval (velocities at its end), the second half of its impulse; numbers
# of a type, not literals, for which the solve would be compiled once more
INSTANT, INTERVAL, CLOSING = np.int64(0), np.int64(1), np.int64(2)

# share of an impulse at its limit that counts as reaching it
AT_LIMIT = 1.0 - 1e-12


@kernel
def takes_part(s, k, mode, angular):
    """Whether constraint k has rows of force, or of torque, in a solve.

    Of one that slips there are none but in an interval: it gives its limit already.
    """
    p = s.joint_i[k]
    if p.kind == L.CABLE and (p.takes_part == 0 if mode == INSTANT else p.is_taut == 0):
        return False
    if p.kind == L.SPRING:
        return mode == INTERVAL
    return mode == INTERVAL or p.slips & (L.TURNS if angular else L.SLIPS) == 0


@kernel
def largest_force(s, k, mode):
    """Bound (N s) on the impulse of constraint k, of its limit or of what breaks it, less what passes before gave."""
    f = s.joint[k]
    if mode == INSTANT:
        cap = min(f.max_force * s.par.dt, f.break_impulse)
        return max(cap - norm(f.impulse_sum), 0.0) if cap < math.inf else cap
    return min(f.max_force, f.break_force) * f.span * (0.5 if mode == CLOSING else 1.0)


@kernel
def largest_torque(s, k, mode):
    """Bound (N m s) on the angular impulse of constraint k."""
    f = s.joint[k]
    if mode == INSTANT:
        cap = f.max_torque * s.par.dt
        return max(cap - norm(f.moment_sum), 0.0) if cap < math.inf else cap
    return f.max_torque * f.span * (0.5 if mode == CLOSING else 1.0)


@kernel
def softness(s, k, mode):
    """Velocity (m/s) of a spring's row by a unit impulse of its own: it yields to the mean of its force."""
    f = s.joint[k]
    if s.joint_i[k].kind != L.SPRING or mode != INTERVAL:
        return 0.0
    return 2.0 / (f.span * f.span * (0.5 * f.stiffness + f.damping / f.span))


@kernel
def is_limited(limit):
    return limit < math.inf
