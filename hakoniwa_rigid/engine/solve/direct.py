"""Direct solve on the active set, the seed's first step (seed 002, F_f = -A_ff^-1 b_f): the cure where sweeps stall.

The rows that Gauss-Seidel holds active give a small dense system: three equations for a sticking row, one for a row
that slips in a known direction.  Redundant rows (four corners of a box) make it singular; a relative regularisation
with iterative refinement picks the most even of the equal solutions.  The step is cut where a row would leave its cone;
that row changes its state (open, slipping) and the system is solved again.  The sweeps in between close rows that were
opened too early.
"""
import math

import numpy as np

from ..maths.jit import kernel
from ..maths.vec3 import add, cross, dot, load3, scale, store3, sym_mul
from ..model import layout as at
from .common import apply, relative_velocity, to_world

# unknowns above which the dense system costs more than sweeps
LARGEST = 150
# relative to the diagonal; below it directions count as redundant
REGULARISATION = 1e-9
REFINEMENTS = 3
# share of the cone left as room, so that a row on its edge counts as slipping
EDGE = 1e-9
# share of the largest impulse that counts as none: the rounding of a step cut where the impulse vanishes
NOTHING = 1e-12
# changes of state in one call
CHANGES = 8


@kernel
def _count(s, pairs):
    n = 0
    for i in range(len(pairs)):
        for c in range(s.pair_i[pairs[i], at.P_N]):
            n += _unknowns(s.row[at.POINTS * pairs[i] + c])
    return n


@kernel
def _unknowns(r):
    """0 open, 1 frictionless or slipping, 3 sticking."""
    jn = r[at.R_J]
    if not jn > 0.0:
        return 0
    jt = math.sqrt(r[at.R_J + 1] ** 2 + r[at.R_J + 2] ** 2)
    return 3 if jt < r[at.R_MU] * jn * (1.0 - EDGE) else 1


@kernel
def _direction(r, kind, k):
    """Impulse (contact frame) of unknown k of a row: a frame axis, or the edge of the cone where it slips."""
    if kind == 3:
        return (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
    return 1.0, r[at.R_J + 1] / r[at.R_J], r[at.R_J + 2] / r[at.R_J]


@kernel
def _fill_unknowns(s, pairs, column, move, equation, wrong, v, w):
    """Fill, per unknown: its row, kind, number in the row and bodies; the velocity changes it causes on a and b; the
    world axis it is measured along; its error (m/s)."""
    n = 0
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        a, b = s.work[p[at.P_A]], s.work[p[at.P_B]]
        for c in range(p[at.P_N]):
            index = at.POINTS * pairs[i] + c
            r = s.row[index]
            kind = _unknowns(r)
            if kind == 0:
                continue
            u = relative_velocity(a, b, r, v, w)
            for k in range(kind):
                column[n, 0], column[n, 1], column[n, 2] = index, kind, k
                column[n, 3], column[n, 4] = p[at.P_A], p[at.P_B]
                d = to_world(r, _direction(r, kind, k))
                store3(equation[n], 0, to_world(r, _direction(r, 3, k)))
                _response(a, load3(r, at.R_RA), scale(d, -1.0), move[n], 0)
                _response(b, load3(r, at.R_RB), d, move[n], 6)
                wrong[n] = (r[at.R_TARGET] if k == 0 else 0.0) - u[k]
                n += 1


@kernel
def _response(body, arm, p, out, first):
    iw = (body[at.W_IW], body[at.W_IW + 1], body[at.W_IW + 2], body[at.W_IW + 3], body[at.W_IW + 4], body[at.W_IW + 5])
    still = body[at.W_IM] == 0.0
    store3(out, first, scale(p, body[at.W_IM]))
    store3(out, first + 3, (0.0, 0.0, 0.0) if still else sym_mul(iw, cross(arm, p)))


@kernel
def _at_point(move, first, arm):
    return add(load3(move, first), cross(load3(move, first + 3), arm))


@kernel
def _matrix(s, column, move, equation, m):
    """m[i, j]: change of the velocity of equation i by one unit of unknown j."""
    n = len(m)
    for i in range(n):
        r = s.row[column[i, 0]]
        e = load3(equation[i], 0)
        for j in range(n):
            value = 0.0
            for side in range(2):
                if column[j, 3 + side] == column[i, 4]:
                    value += dot(e, _at_point(move[j], 6 * side, load3(r, at.R_RB)))
                if column[j, 3 + side] == column[i, 3]:
                    value -= dot(e, _at_point(move[j], 6 * side, load3(r, at.R_RA)))
            m[i, j] = value


@kernel
def _factor(m, order):
    """LU with partial pivoting in place; `order` (n,) gets the row exchanges."""
    n = len(m)
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(m[i, k]) > abs(m[best, k]):
                best = i
        order[k] = best
        if best != k:
            for j in range(n):
                m[k, j], m[best, j] = m[best, j], m[k, j]
        if m[k, k] == 0.0:
            continue
        for i in range(k + 1, n):
            f = m[i, k] / m[k, k]
            m[i, k] = f
            if f != 0.0:
                for j in range(k + 1, n):
                    m[i, j] -= f * m[k, j]


@kernel
def _substitute(m, order, x):
    n = len(m)
    for k in range(n):
        x[k], x[order[k]] = x[order[k]], x[k]
    for i in range(n):
        for j in range(i):
            x[i] -= m[i, j] * x[j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= m[i, j] * x[j]
        x[i] = x[i] / m[i, i] if m[i, i] != 0.0 else 0.0


@kernel
def _solve(m, wrong):
    """x with m x = wrong in the least-change sense: regularised LU, refined with the true residual."""
    n = len(m)
    lu, order, x, rest = m.copy(), np.empty(n, np.int64), np.zeros(n), wrong.copy()
    for k in range(n):
        lu[k, k] += REGULARISATION * m[k, k]
    _factor(lu, order)
    for _ in range(REFINEMENTS):
        _substitute(lu, order, rest)
        for i in range(n):
            x[i] += rest[i]
        for i in range(n):
            rest[i] = wrong[i]
            for j in range(n):
                rest[i] -= m[i, j] * x[j]
    return x


@kernel
def _longest_step(s, column, x):
    """Share of the step x that keeps every row in its cone; at least a little, so that states can change."""
    share, k = 1.0, 0
    while k < len(x):
        r = s.row[column[k, 0]]
        j = load3(r, at.R_J)
        if column[k, 1] == 1:
            if j[0] + x[k] < 0.0:
                share = min(share, j[0] / -x[k])
            k += 1
            continue
        d = (x[k], x[k + 1], x[k + 2])
        mu2 = r[at.R_MU] * r[at.R_MU]
        # |Jt + f dt|^2 = mu^2 (Jn + f dn)^2, smallest positive f
        a = d[1] * d[1] + d[2] * d[2] - mu2 * d[0] * d[0]
        b = j[1] * d[1] + j[2] * d[2] - mu2 * j[0] * d[0]
        c = j[1] * j[1] + j[2] * j[2] - mu2 * j[0] * j[0]
        root = b * b - a * c
        if root >= 0.0 and c < 0.0:
            f = -c / (b + math.sqrt(root)) if b + math.sqrt(root) > 0.0 else math.inf
            share = min(share, f)
        if j[0] + d[0] < 0.0:
            share = min(share, j[0] / -d[0])
        k += 3
    return share


@kernel
def solve_active(s, pairs, v, w):
    """Direct solve on the active rows of an island.

    Returns its cost, the cubes of unknowns; 0 where there is one, or too many.
    """
    spent = 0
    for _ in range(CHANGES):
        n = _count(s, pairs)
        if n < 2 or n > LARGEST:
            break
        spent += n * n * n
        if _step_active(s, pairs, v, w, n) == 1.0:
            break
    return spent


@kernel
def _step_active(s, pairs, v, w, n):
    """Solve for the n unknowns and move there as far as the cones allow; returns the share of the way."""
    column, move, equation, wrong = np.empty((n, 5), np.int64), np.empty((n, 12)), np.empty((n, 3)), np.empty(n)
    _fill_unknowns(s, pairs, column, move, equation, wrong, v, w)
    m = np.empty((n, n))
    _matrix(s, column, move, equation, m)
    now = np.empty(n)
    for k in range(n):
        r = s.row[column[k, 0]]
        now[k] = r[at.R_J + column[k, 2]]
    for i in range(n):
        for j in range(n):
            wrong[i] += m[i, j] * now[j]
    x = _solve(m, wrong)
    for k in range(n):
        x[k] -= now[k]
        if not math.isfinite(x[k]):
            return 1.0
    share = _longest_step(s, column, x)
    for k in range(n):
        r = s.row[column[k, 0]]
        j = scale(_direction(r, column[k, 1], column[k, 2]), share * x[k])
        apply(s.work[column[k, 3]], s.work[column[k, 4]], r, j, v, w)
        store3(equation[k], 0, j)
    largest = 0.0
    for k in range(n):
        r = s.row[column[k, 0]]
        store3(r, at.R_J, add(load3(r, at.R_J), load3(equation[k], 0)))
        largest = max(largest, r[at.R_J])
    for k in range(n):
        r = s.row[column[k, 0]]
        if 0.0 < abs(r[at.R_J]) < NOTHING * largest or r[at.R_J] < 0.0:
            _open(s.work[column[k, 3]], s.work[column[k, 4]], r, v, w)
    return share


@kernel
def _open(a, b, r, v, w):
    """Take the rest of a row's impulse away."""
    apply(a, b, r, scale(load3(r, at.R_J), -1.0), v, w)
    store3(r, at.R_J, (0.0, 0.0, 0.0))

