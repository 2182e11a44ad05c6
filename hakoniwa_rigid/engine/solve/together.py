# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""All contacts of an island solved together: its rows as a cone problem, and the solution back into rows and bodies."""
import math

import numpy as np
from numba import carray, float64, int64, types

from ..constants import NO_MATTER, PRODUCTS
from ..contact.frame import has_moments, relative_rate, relative_velocity
from ..maths.checked import BY_ADDRESS
from ..maths.jit import kernel
from ..maths.unit import unit
from ..maths.vec3 import add, cross, load3, scale, store3
from ..model import layout as L
from .block_factor import BLOCK, SIDE
from .columns import C_G, C_J, C_MU, C_RHO, C_RHO_M, C_ROLL, C_TARGET, C_TORSION, C_U, COLUMNS, add_response, moved
from .cone_problem import PER_ROW, solve_problem

_F = types.CPointer(float64)
# bodies beyond which the table of blocks would take more than 4 MB
MOST_BODIES = 1000


@unit(int64(_F, types.CPointer(int64), _F, int64, int64, float64, float64, float64, int64))
def _problem(rows, slots, change, count, bodies, tolerance, good, share_left, budget):
    return solve_problem(carray(rows, (count, COLUMNS)), carray(slots, (count, 2)), carray(change, (6 * bodies,)),
                         tolerance, good, share_left, budget)


@kernel
def _by_address(rows, slots, change, tolerance, good, share_left, budget):
    """As solve_problem."""
    return _problem(rows.ctypes, slots.ctypes, change.ctypes, len(rows), len(change) // 6, tolerance, good, share_left,
                    budget)


_solve = _by_address if BY_ADDRESS else solve_problem


@kernel
def _root(a):
    """Lower Cholesky factor of a symmetric matrix (xx, xy, xz, yy, yz, zz), by columns."""
    l00 = math.sqrt(a[0])
    l10, l20 = a[1] / l00, a[2] / l00
    l11 = math.sqrt(a[3] - l10 * l10)
    l21 = (a[4] - l20 * l10) / l11
    return l00, l10, l20, l11, l21, math.sqrt(a[5] - l20 * l20 - l21 * l21)


@kernel
def _fill_side(body, arm, sign, r, out, first):
    """One body's part of G of row r, in units of its mass and inertia.  Writes: out."""
    im = math.sqrt(body.inverse_mass)
    c00, c10, c20, c11, c21, c22 = _root(body.inverse_inertia)
    for axis in range(3):
        n = scale(load3(r, L.R_N + 3 * axis), sign)
        for kind in range(2):
            t = cross(arm, n) if kind == 0 else n
            k = first + SIDE * (axis + 3 * kind)
            store3(out, k, scale(n, im) if kind == 0 else (0.0, 0.0, 0.0))
            store3(out, k + 3, (c00 * t[0] + c10 * t[1] + c20 * t[2], c11 * t[1] + c21 * t[2], c22 * t[2]))


@kernel
def _number(s, pairs, bodies):
    """Number the dynamic bodies of the rows that take part in B_SLOT, -1 for others; returns how many, and the rows.
    Writes: s.body."""
    for i in range(len(bodies)):
        s.body[bodies[i]].slot = -1
    n, rows = 0, 0
    for i in range(len(pairs)):
        p, before = s.pair_i[pairs[i]], rows
        for c in range(p.point_count):
            rows += 1 if s.row[L.POINTS * pairs[i] + c].target_velocity > -NO_MATTER else 0
        for f in range(L.P_A, L.P_B + 1 if rows > before else L.P_A):
            if s.work[p[f]].inverse_mass > 0.0 and s.body[p[f]].slot < 0:
                s.body[p[f]].slot = n
                n += 1
    return n, rows


@kernel
def _fill(s, pairs, rows, slots, y, v, w):
    """The problem's rows from those of the pairs, impulses as they are; y from the impulses.
    Writes: rows, slots, y."""
    n = 0
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        a, b = s.work[p.body_a], s.work[p.body_b]
        for c in range(p.point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            if not r.target_velocity > -NO_MATTER:
                continue
            out, slots[n, 0], slots[n, 1] = rows[n], s.body[p.body_a].slot, s.body[p.body_b].slot
            out[:] = 0.0
            if slots[n, 0] >= 0:
                _fill_side(a, r.arm_a, -1.0, r, out, C_G)
            if slots[n, 1] >= 0:
                _fill_side(b, r.arm_b, 1.0, r, out, C_G + BLOCK)
            store3(out, C_U, relative_velocity(a, b, r, v, w))
            store3(out, C_U + 3, relative_rate(a, b, r, w))
            store3(out, C_J, r.impulse)
            out[C_TARGET], out[C_MU], out[C_RHO] = r.target_velocity, r.friction, 1.0 / r.normal_inverse_mass
            if has_moments(r):
                store3(out, C_J + 3, r.moment)
                out[C_TORSION], out[C_ROLL], out[C_RHO_M] = r.torsion_length, r.rolling_length, 1.0 / _compliance(out)
            for axis in range(6 if has_moments(r) else 3):
                add_response(out, slots[n], axis, out[C_J + axis], y)
            n += 1
    for k in range(n):
        for axis in range(6):
            rows[k, C_U + axis] -= moved(0.0, rows[k], slots[k], y, axis)


@kernel
def _compliance(row):
    """Sum of the squares of G's rows for the rates: what a unit angular impulse causes, at most."""
    total = 0.0
    for side in range(2):
        for k in range(C_G + BLOCK * side + BLOCK // 2, C_G + BLOCK * side + BLOCK):
            total += row[k] * row[k]
    return total


@kernel
def _take(s, pairs, rows):
    """Impulses of the solution into the rows of the pairs.  Writes: s.row."""
    n = 0
    for i in range(len(pairs)):
        for c in range(s.pair_i[pairs[i]].point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            if r.target_velocity > -NO_MATTER:
                r.impulse = load3(rows[n], C_J)
                r.moment = load3(rows[n], C_J + 3)
                n += 1


@kernel
def _move(s, bodies, change, v, w):
    """Velocities of the bodies by a change of y.  Writes: s.work."""
    for i in range(len(bodies)):
        r, k = s.work[bodies[i]], 6 * s.body[bodies[i]].slot
        if k < 0:
            continue
        store3(r, v, add(load3(r, v), scale(load3(change, k), math.sqrt(r.inverse_mass))))
        c00, c10, c20, c11, c21, c22 = _root(r.inverse_inertia)
        t = load3(change, k + 3)
        turn = c00 * t[0], c10 * t[0] + c11 * t[1], c20 * t[0] + c21 * t[1] + c22 * t[2]
        store3(r, w, add(load3(r, w), turn))


@kernel
def solve_together(s, pairs, bodies, v, w, tolerance, good, share_left):
    """Solve all rows of an island at once, from their present impulses, to `tolerance` (m/s); good and share_left as
    there.

    False, and nothing has changed, if the island is too large, or the laws are obeyed no better than before.
    Writes: s.body, s.count, s.row, s.work."""
    n, count = _number(s, pairs, bodies)
    budget = PRODUCTS * (s.count.work_limit - s.count.work)
    if n == 0 or n > MOST_BODIES or n * n + PER_ROW * count > budget:
        return False
    rows, slots, change = np.empty((count, COLUMNS)), np.empty((count, 2), np.int64), np.zeros(6 * n)
    _fill(s, pairs, rows, slots, change, v, w)
    spent = _solve(rows, slots, change, tolerance, good, share_left, budget)
    s.count.work += abs(spent) // PRODUCTS
    if spent <= 0:
        return False
    for f in range(6 * n):
        if not math.isfinite(change[f]):
            return False
    _take(s, pairs, rows)
    _move(s, bodies, change, v, w)
    return True
