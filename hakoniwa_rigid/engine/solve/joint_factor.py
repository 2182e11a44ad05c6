# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Rows of constraints as a linear problem: their responses to each other, and its direct solution.

Rows without limits hold exactly: G M^-1 G^T x = b, by a Cholesky factor with the envelope of the matrix, in the order
in which constraints were collected: of a chain that is a band.  Constraints that are redundant leave the matrix
singular; a share of its diagonal is added, and taken back by refinement, which converges for all that can be obeyed.
"""
import math

import numpy as np

from ..constraints.rows import T_A, T_B, T_D
from ..maths.jit import kernel
from ..maths.vec3 import dot, load3, scale, store3, sym_mul

# share of the diagonal, and rounds of refinement at most
REDUNDANT, REFINEMENTS = 1e-8, 6
# share of what is left before that a round of refinement must leave
GAIN = 0.5
# multiplications that the response of a row to another costs
COUPLING = 60
# numbers of a row's response: velocities and rates of a and b by a unit impulse
RESPONSE = 12


@kernel
def respond_rows(s, table, ends, out):
    """Velocities (m/s) and rates (rad/s) of the bodies of each row by its unit impulse, without its sign, into out
    (n, RESPONSE).  ends (n, 2): bodies a and b, -1 for those of infinite mass.  Writes: out."""
    for k in range(len(table)):
        for side in range(2):
            i, at = ends[k, side], 6 * side
            if i >= 0:
                r = s.work[i]
                store3(out[k], at, scale(load3(table[k], T_D), r.inverse_mass))
                store3(out[k], at + 3, sym_mul(r.inverse_inertia, load3(table[k], T_B if side == 1 else T_A)))


@kernel
def coupling(p, ends_p, out_q, ends_q):
    """Velocity of row p by a unit impulse of the row with response out_q."""
    total = 0.0
    for side in range(2):
        if ends_p[side] < 0:
            continue
        for other in range(2):
            if ends_q[other] == ends_p[side]:
                arm = load3(p, T_B if side == 1 else T_A)
                part = dot(load3(p, T_D), load3(out_q, 6 * other)) + dot(arm, load3(out_q, 6 * other + 3))
                total += part if side == other else -part
    return total


@kernel
def _meet(one, other):
    """True if two rows, by their ends, have a body in common that moves."""
    return one[0] >= 0 and (one[0] == other[0] or one[0] == other[1]) or (
        one[1] >= 0 and (one[1] == other[0] or one[1] == other[1]))


@kernel
def envelope(ends, first):
    """First column of each row that is not 0.  Returns the sum of their lengths from there on, and the multiplications
    that `factorise` takes at most.  Writes: first."""
    length, products = 0, 0
    for i in range(len(ends)):
        first[i] = i
        for j in range(i):
            if _meet(ends[i], ends[j]):
                first[i] = j
                break
        width = i + 1 - first[i]
        length, products = length + width, products + width * (width + 1) // 2
    return length, products


@kernel
def assemble(table, ends, out, softness, a, first):
    """Lower half of the matrix (n, n) in its envelope.  Writes: a."""
    for i in range(len(table)):
        for j in range(first[i], i + 1):
            a[i, j] = coupling(table[i], ends[i], out[j], ends[j]) if _meet(ends[i], ends[j]) else 0.0
        a[i, i] += softness[i]


@kernel
def factorise(a, first, low):
    """Envelope Cholesky factor of a (n, n), its diagonal raised, into low.  Returns its multiplications.
    Writes: low."""
    count = 0
    for i in range(len(a)):
        begin = first[i]
        for j in range(begin, i + 1):
            total = a[i, j]
            start = max(begin, first[j])
            for k in range(start, j):
                total -= low[i, k] * low[j, k]
            count += j - start + 1
            if j < i:
                low[i, j] = total / low[j, j]
            else:
                least = REDUNDANT * a[i, i]
                low[i, i] = math.sqrt(max(total + least, least))
    return count


@kernel
def _substitute(low, first, x):
    """Writes: x."""
    n = len(x)
    for i in range(n):
        total = x[i]
        for k in range(first[i], i):
            total -= low[i, k] * x[k]
        x[i] = total / low[i, i]
    for i in range(n - 1, -1, -1):
        x[i] /= low[i, i]
        for k in range(first[i], i):
            x[k] -= low[i, k] * x[i]


@kernel
def _residual(a, first, b, x, out):
    """b - a x into out; returns its largest size.  Writes: out."""
    out[:] = b
    for i in range(len(b)):
        for k in range(first[i], i):
            out[i] -= a[i, k] * x[k]
            out[k] -= a[i, k] * x[i]
        out[i] -= a[i, i] * x[i]
    worst = 0.0
    for i in range(len(b)):
        worst = max(worst, abs(out[i]))
    return worst


@kernel
def solve_rows(a, first, low, b, x):
    """x with a x = b, as far as that can be.  Writes: x."""
    left, best = np.empty(len(b)), math.inf
    x[:] = 0.0
    left[:] = b
    for _ in range(REFINEMENTS):
        _substitute(low, first, left)
        x += left
        worst = _residual(a, first, b, x, left)
        if not worst < GAIN * best:
            return
        best = worst


@kernel
def approximate(low, first, b, x):
    """x with a x = b but for the share of the diagonal.  Writes: x."""
    x[:] = b
    _substitute(low, first, x)


@kernel
def factorise_uneven(a, first, low):
    """As factorise, of a matrix (n, n) that is not symmetric but has that envelope: L, with ones on its diagonal, below
    it, U in the rest.  Returns its multiplications.  Writes: low."""
    count = 0
    for i in range(len(a)):
        for j in range(first[i], i):
            start = max(first[i], first[j])
            above, below = a[j, i], a[i, j]
            for k in range(start, j):
                above -= low[j, k] * low[k, i]
                below -= low[i, k] * low[k, j]
            low[j, i], low[i, j] = above, below / low[j, j]
            count += 2 * (j - start)
        total = a[i, i]
        for k in range(first[i], i):
            total -= low[i, k] * low[k, i]
        least = REDUNDANT * abs(a[i, i])
        low[i, i] = total + least if abs(total) > least else 2.0 * least
    return count


@kernel
def solve_uneven(a, first, low, b, x):
    """x with a x = b by factorise_uneven, refined as solve_rows.  Writes: x."""
    n, best = len(b), math.inf
    left = b.copy()
    x[:] = 0.0
    for _ in range(REFINEMENTS):
        for i in range(n):
            for k in range(first[i], i):
                left[i] -= low[i, k] * left[k]
        for i in range(n - 1, -1, -1):
            left[i] /= low[i, i]
            for k in range(first[i], i):
                left[k] -= low[k, i] * left[i]
        x += left
        left[:] = b
        worst = 0.0
        for i in range(n):
            for k in range(first[i], i):
                left[i] -= a[i, k] * x[k]
                left[k] -= a[k, i] * x[i]
            left[i] -= a[i, i] * x[i]
        for i in range(n):
            worst = max(worst, abs(left[i]))
        if not worst < GAIN * best:
            return
        best = worst
