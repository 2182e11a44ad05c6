# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Overlap recovery of bodies under constraints: what pushes one of them apart from others takes along the rest."""
import math

from ..constraints.bodies import is_active
from ..constraints.limits import CLOSING
from ..constraints.rows import MOST_ROWS
from ..maths.jit import kernel
from ..model import layout as L
from .islands import collect_joined, next_stamp
from .joined import solve_joined

# m: displacements that are as they should be
ENOUGH = 1e-15


@kernel
def hold_displacements(s):
    """Shifts and turns of bodies under constraints, such that these still hold.  Writes: s."""
    first = s.count.stamp + 1
    for k in range(len(s.joint_i)):
        if not is_active(s, k) or s.joint_i[k].stamp >= first:
            continue
        pairs, _ = collect_joined(s, -1, k, next_stamp(s), -math.inf)
        for n in range(s.count.island_joints):
            f = s.joint[s.joint_island[n]]
            f.span = 1.0        # of no interval: limits need one
            for i in range(MOST_ROWS):
                f[L.JT_P + i] = f[L.JT_TARGET + i] = 0.0
        solve_joined(s, pairs[:0], L.W_DX, L.W_DR, ENOUGH, CLOSING)
        for n in range(s.count.island_joints):
            s.joint[s.joint_island[n]].span = 0.0
