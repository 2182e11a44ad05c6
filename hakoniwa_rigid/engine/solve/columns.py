# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Columns of the rows of a cone problem, and their G times velocities and impulses."""
from ..maths.jit import kernel
from .block_factor import BLOCK, SIDE

# columns of a row: G (of a, of b: three axes of velocity, three of rate, 6 numbers each), velocity without impulses
# (m/s, rad/s), impulse, the same before and after its projection, normal target, shift, mu, lengths of torsional and
# rolling friction, penalties
C_G, C_U, C_J, C_Z, C_P, C_TARGET, C_SHIFT, C_MU, C_TORSION, C_ROLL, C_RHO, C_RHO_M, C_PUSH = (
    0, 72, 78, 84, 90, 96, 97, 98, 99, 100, 101, 102, 103)
COLUMNS = 104


@kernel
def moved(u, row, slot, y, axis):
    """u + G y along one of the six axes of a row."""
    for side in range(2):
        if slot[side] >= 0:
            for f in range(6):
                u += row[C_G + BLOCK * side + SIDE * axis + f] * y[6 * slot[side] + f]
    return u


@kernel
def add_response(row, slot, axis, j, out):
    """out += G^T j.  Writes: out."""
    for side in range(2):
        if slot[side] >= 0:
            for f in range(6):
                out[6 * slot[side] + f] += row[C_G + BLOCK * side + SIDE * axis + f] * j
