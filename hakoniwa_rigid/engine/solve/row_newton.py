# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The contacts of a small island solved by Newton's method on their rows (Alart and Curnier 1991).

Each row's law is that its impulse is the projection of itself less a penalty times what is wrong with its velocity: on
the half-line along the normal, on the disc of friction that belongs to that across.  Newton's method on all of these
at once takes a few steps where the method of multipliers takes dozens; it may fail, then nothing has changed.  Rows
that are redundant leave the matrix singular: a small share of the identity (a proximal point) takes care of that.
"""
import math

import numpy as np

from ..contact.coulomb import project_in_turn, project_in_turn_slope
from ..maths.jit import kernel
from .block_factor import BLOCK, SIDE
from .columns import C_G, C_J, C_MU, C_RHO, C_TARGET, C_U
from .stick import take

# rows that are solved like this, and of one body alone: beyond, elimination costs more than the blocks of bodies do
MOST_ROWS, MOST_ALONE = 12, 16
# steps, and those without progress after which it is given up; share of what is left that no progress leaves.  Where
# the corners of a body stop with all of the friction there is, what is left halves from step to step.
STEPS, PATIENCE, IDLE = 60, 5, 0.9
# share of the identity, in units where a row's own response is 1.  Larger: redundant rows are solved slowly.  Smaller:
# rounding.
REDUNDANT = 1e-7
# a pivot below this is none
FLAT = 1e-14


@kernel
def _coupling(rows, slots, w):
    """Velocities (3 n, 3 n) of the rows by unit impulses of each other: G G^T.  Writes: w."""
    for k in range(len(rows)):
        for m in range(k + 1):
            w[3 * k:3 * k + 3, 3 * m:3 * m + 3] = 0.0
            for side in range(2):
                for other in range(2):
                    if 0 <= slots[k, side] == slots[m, other]:
                        _add_products(rows[k], C_G + BLOCK * side, rows[m], C_G + BLOCK * other, w, 3 * k, 3 * m)
            for i in range(3):
                for j in range(3):
                    w[3 * m + j, 3 * k + i] = w[3 * k + i, 3 * m + j]


@kernel
def _add_products(x, a, y, b, w, k, m):
    """Products of three times SIDE numbers of x from a on with as many of y from b on, onto w (3, 3) from k, m on.
    Writes: w."""
    for i in range(3):
        t0, t1, t2 = w[k + i, m], w[k + i, m + 1], w[k + i, m + 2]
        for f in range(SIDE):
            g = x[a + SIDE * i + f]
            t0, t1, t2 = t0 + g * y[b + f], t1 + g * y[b + SIDE + f], t2 + g * y[b + 2 * SIDE + f]
        w[k + i, m], w[k + i, m + 1], w[k + i, m + 2] = t0, t1, t2


@kernel
def _project(rows, w, j, z, p):
    """Impulses before and after their projections, z and p (3 n,); returns what is left (m/s).  Writes: z, p."""
    worst = 0.0
    for k in range(len(rows)):
        row = rows[k]
        u0, u1, u2 = row[C_U] - row[C_TARGET], row[C_U + 1], row[C_U + 2]
        for m in range(len(j)):     # three sums at a time: each waits for its last addition
            u0, u1, u2 = u0 + w[3 * k, m] * j[m], u1 + w[3 * k + 1, m] * j[m], u2 + w[3 * k + 2, m] * j[m]
        rho, j0, j1, j2 = row[C_RHO], j[3 * k], j[3 * k + 1], j[3 * k + 2]
        z0, z1, z2 = j0 - rho * u0, j1 - rho * u1, j2 - rho * u2
        p0, p1, p2 = project_in_turn(z0, z1, z2, row[C_MU])
        z[3 * k], z[3 * k + 1], z[3 * k + 2] = z0, z1, z2
        p[3 * k], p[3 * k + 1], p[3 * k + 2] = p0, p1, p2
        worst = max(worst, max(abs(p0 - j0), max(abs(p1 - j1), abs(p2 - j2))) / rho)
    return worst


@kernel
def _linearise(rows, w, j, z, p, a):
    """Newton's equations into a (3 n, 3 n + 1), the right side last.  Writes: a."""
    d, size = np.empty((3, 3)), len(j)
    for k in range(len(rows)):
        project_in_turn_slope(z[3 * k], z[3 * k + 1], z[3 * k + 2], rows[k, C_MU], d)
        rho = rows[k, C_RHO]
        for i in range(3):
            out = a[3 * k + i]
            d0, d1, d2 = rho * d[i, 0], rho * d[i, 1], rho * d[i, 2]
            for m in range(size):
                out[m] = d0 * w[3 * k, m] + d1 * w[3 * k + 1, m] + d2 * w[3 * k + 2, m]
            for m in range(3):
                out[3 * k + m] -= d[i, m]
            out[3 * k + i] += 1.0 + REDUNDANT
            out[size] = p[3 * k + i] - j[3 * k + i]


@kernel
def eliminate(a):
    """Solve a (n, n + 1) by elimination with the largest pivots, the solution into its last column; False if it is
    singular.  Writes: a."""
    n = len(a)
    for c in range(n):
        best, most = c, abs(a[c, c])
        for r in range(c + 1, n):
            if abs(a[r, c]) > most:
                best, most = r, abs(a[r, c])
        if not most > FLAT:
            return False
        top = a[c, c:]
        if best != c:
            other = a[best, c:]
            for m in range(len(top)):
                top[m], other[m] = other[m], top[m]
        share = 1.0 / top[0]
        for r in range(c + 1, n):
            row = a[r, c:]
            f = row[0] * share
            if f != 0.0:
                for m in range(1, len(row)):
                    row[m] -= f * top[m]
    for c in range(n - 1, -1, -1):
        total = a[c, n]
        for m in range(c + 1, n):
            total -= a[c, m] * a[m, n]
        a[c, n] = total / a[c, c]
    return True


@kernel
def step_cost(n):
    """Multiplications that a step with n rows takes as long as."""
    return 600 + 60 * n * n + 9 * n * n * n


@kernel
def newton_on_rows(rows, slots, change, tolerance, good, budget):
    """Impulses of the rows (C_J) that leave no more than `tolerance` (m/s), or `good` where it gets no better.

    As solve_problem, for rows without moments.  Returns the steps taken; 0 or less, and nothing has changed, if the
    method fails.  Writes: rows, change."""
    size, most = 3 * len(rows), max(0, min(STEPS, budget // step_cost(len(rows))))
    w, a = np.empty((size, size)), np.empty((size, size + 1))
    j, z, p, best = np.empty(size), np.empty(size), np.empty(size), np.empty(size)
    _coupling(rows, slots, w)
    for k in range(len(rows)):
        for i in range(3):
            j[3 * k + i] = rows[k, C_J + i]
    least, idle = math.inf, 0
    for step in range(most + 1):
        left = _project(rows, w, j, z, p)
        idle, slow = 0 if left < IDLE * least else idle + 1, not left < 0.5 * least
        if left < least:
            least = left
            best[:] = p
        if left <= tolerance or (slow and least <= good):
            take(rows, slots, best.reshape(-1, 3), change)
            return step + 1
        if not left < math.inf or idle >= PATIENCE or step == most:
            return -step - 1
        _linearise(rows, w, j, z, p, a)
        if not eliminate(a):
            return -step - 1
        for f in range(size):
            j[f] += a[f, size]
    return -most
