# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""One body whose contacts all stick, as those of a box that lands flat do: a direct solve, where its guess is right."""

import numpy as np

from ..contact.coulomb import is_within
from ..maths import elementary
from ..maths.jit import kernel
from ..maths.vec3 import load6, store6
from .block_factor import BLOCK, SIDE, add_product, backward, forward, root
from .columns import C_G, C_J, C_MU, C_RHO_M, C_TARGET, C_U, add_response, moved

# share of its diagonal below which a pivot counts as none: the contacts do not hold the body in all six directions
FLAT = 1e-8
# of the tolerance: rounding that may be left
LEFT = 10.0
# contacts that may hold a body in all directions
FEWEST = 3


@kernel
def _wanted(row, axis):
    """Change of velocity (m/s) along an axis of a row that sticks."""
    return (row[C_TARGET] if axis == 0 else 0.0) - row[C_U + axis]


@kernel
def _solve(h, x):
    """Writes: x."""
    store6(x, 0, backward(h, forward(h, load6(x, 0))))


@kernel
def _factor(rows, slots, h):
    """Factor of the sum of G^T G over the rows; False if they leave the body a way to go.  Writes: h."""
    h[:] = 0.0
    for k in range(len(rows)):
        first = C_G if slots[k, 0] >= 0 else C_G + BLOCK
        g = rows[k, first:first + 3 * SIDE]
        add_product(h, g, g, 1.0)
    d = h[0], h[7], h[14], h[21], h[28], h[35]
    root(h)
    firm = True
    for i in range(SIDE):
        firm = firm and FLAT * d[i] * elementary.square(h[(SIDE + 1) * i]) < 1.0
    return firm


@kernel
def _agree(rows, slots, h, y):
    """The velocity that comes nearest to what all rows want; once more for what rounding has left.  Writes: y."""
    x = np.empty(SIDE)
    for _ in range(2):
        x[:] = 0.0
        for k in range(len(rows)):
            for axis in range(3):
                left = _wanted(rows[k], axis) - moved(0.0, rows[k], slots[k], y, axis)
                add_response(rows[k], slots[k], axis, left, x)
        _solve(h, x)
        for f in range(SIDE):
            y[f] += x[f]


@kernel
def _give(rows, slots, h, left, new):
    """The smallest impulses (rows, 3) that give the velocity `left`; once more for what rounding has left.
    Writes: left, new."""
    x = np.empty(SIDE)
    for _ in range(2):
        x[:] = left
        _solve(h, x)
        for k in range(len(rows)):
            for axis in range(3):
                size = moved(0.0, rows[k], slots[k], x, axis)
                new[k, axis] += size
                add_response(rows[k], slots[k], axis, -size, left)


@kernel
def take(rows, slots, new, change):
    """The impulses into the rows, and what they change.  Writes: rows, change."""
    change[:] = 0.0
    for k in range(len(rows)):
        for axis in range(3):
            add_response(rows[k], slots[k], axis, new[k, axis] - rows[k, C_J + axis], change)
            rows[k, C_J + axis] = new[k, axis]


@kernel
def all_stick(rows, slots, change, tolerance):
    """Impulses of the smallest sum of squares by which every row sticks, if they lie in the cones.

    As solve_problem, for one body without moments.  False, and nothing has changed, if it is not so.
    Writes: rows, change."""
    if len(change) != SIDE or len(rows) < FEWEST:
        return False
    h, y, new = np.empty(BLOCK), np.zeros(SIDE), np.zeros((len(rows), 3))
    for k in range(len(rows)):
        if rows[k, C_RHO_M] > 0.0:
            return False
    if not _factor(rows, slots, h):
        return False
    _agree(rows, slots, h, y)
    _give(rows, slots, h, y.copy(), new)
    for k in range(len(rows)):
        if not is_within(rows[k, C_MU], new[k, 0], elementary.hypot(new[k, 1], new[k, 2])):
            return False
        for axis in range(3):
            if not abs(_wanted(rows[k], axis) - moved(0.0, rows[k], slots[k], y, axis)) <= LEFT * tolerance:
                return False
    take(rows, slots, new, change)
    return True
