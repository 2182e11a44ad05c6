# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The contacts of an island as one problem in its velocities, solved by the method of multipliers with Newton's method.

Coulomb's law is a projection on the friction cone once the normal target is raised by mu |u_t| (De Saxce and Feng
1998).  For a given shift the problem is convex: each step of the method of multipliers is a smooth convex minimum,
whose Newton steps are direct solves on the present active set (F_f = -A_ff^-1 b_f) in the velocities, where
redundant contacts are no matter.  Multipliers and shift are renewed until nothing changes.

y (6 per body) are the velocities that the contacts cause, in units that make the mass matrix 1; row k has the velocity
U + G y.
"""
import math

import numpy as np

from ..constants import LARGEST_FACTOR, TOGETHER_BUDGET
from ..contact.coulomb import project, project_slope, target_shift
from ..maths import elementary
from ..maths.jit import kernel
from .block_factor import BLOCK, SIDE, add_product, eliminate, factor, multiplications, structure, substitute
from .columns import (
    C_G,
    C_J,
    C_MU,
    C_P,
    C_PUSH,
    C_RHO,
    C_RHO_M,
    C_ROLL,
    C_SHIFT,
    C_TARGET,
    C_TORSION,
    C_U,
    C_Z,
    add_response,
    moved,
)
from .row_newton import MOST_ALONE, MOST_ROWS, newton_on_rows, step_cost
from .stick import all_stick

# renewals of the multipliers; steps of Newton's method between two of them; halvings of such a step; renewals that do
# not halve the change, after which shifts follow by half as much, and the least of that
RENEWALS, STEPS, HALVINGS, PATIENCE, LEAST_MIX = 80, 30, 20, 5, 0.1
# penalty in units of a row's effective mass: first, last, and its growth.  It grows where the multipliers change by
# more than GAIN of what they did before and more than LAG of the shifts.  Larger: fewer renewals, more rounding.
FIRST_PENALTY, LAST_PENALTY, GROWTH, GAIN, LAG = 1e2, 1e6, 10.0, 0.1, 0.3
# share of the predicted decrease that a step must give
DECREASE = 1e-4
# share of the merit: a step that is predicted to gain less is the last
LITTLE = 1e-22

# multiplications that a step of Newton's method takes as long as, beside its factorisation, and for each row; and that
# come once for each row
PER_STEP, PER_ROW, ONCE_PER_ROW = 5000, 1000, 500
# share of the change by which shifts may still move where multipliers are said to contradict each other
SETTLED = 0.1


@kernel
def _velocity(row, slot, y, axis):
    """Velocity (m/s) or rate (rad/s) of a row along one of its six axes."""
    return moved(row[C_U + axis], row, slot, y, axis)


@kernel
def _trial(row, slot, y):
    """The impulse before its projection, into C_Z too.  Writes: row."""
    rho = row[C_RHO]
    row[C_Z] = row[C_J] - rho * (_velocity(row, slot, y, 0) - row[C_TARGET] + row[C_SHIFT])
    row[C_Z + 1] = row[C_J + 1] - rho * _velocity(row, slot, y, 1)
    row[C_Z + 2] = row[C_J + 2] - rho * _velocity(row, slot, y, 2)
    return row[C_Z], row[C_Z + 1], row[C_Z + 2]


@kernel
def _project_moments(row, slot, y):
    """Moments before and after their projection into C_Z + 3 .., C_P + 3 ..; returns their part of the merit.
    Writes: row."""
    for axis in range(3, 6):
        row[C_Z + axis] = row[C_J + axis] - row[C_RHO_M] * _velocity(row, slot, y, axis)
    z3, z4, z5 = row[C_Z + 3], row[C_Z + 4], row[C_Z + 5]
    twist, roll = row[C_TORSION] * row[C_PUSH], row[C_ROLL] * row[C_PUSH]
    row[C_P + 3] = min(max(z3, -twist), twist)
    size = math.sqrt(z4 * z4 + z5 * z5)
    share = roll / size if size > roll else 1.0
    row[C_P + 4], row[C_P + 5] = share * z4, share * z5
    left = elementary.square(z3 - row[C_P + 3]) + elementary.square(1.0 - share) * size * size
    return (z3 * z3 + size * size - left) / (2.0 * row[C_RHO_M])


@kernel
def _evaluate(rows, slots, y, gradient):
    """Merit (returned) and its gradient at y; the projections stay in the rows.  Writes: rows, gradient."""
    merit = 0.0
    for f in range(len(y)):
        merit += 0.5 * y[f] * y[f]
        gradient[f] = -y[f]
    for k in range(len(rows)):
        row, slot = rows[k], slots[k]
        z0, z1, z2 = _trial(row, slot, y)
        p0, p1, p2, kind, _ = project(z0, z1, z2, row[C_MU])
        row[C_P], row[C_P + 1], row[C_P + 2] = p0, p1, p2
        if kind > 0:
            merit += (p0 * p0 + p1 * p1 + p2 * p2) / (2.0 * row[C_RHO])
            add_response(row, slot, 0, p0, gradient)
            add_response(row, slot, 1, p1, gradient)
            add_response(row, slot, 2, p2, gradient)
        if row[C_RHO_M] > 0.0:
            merit += _project_moments(row, slot, y)
            for axis in range(3, 6):
                add_response(row, slot, axis, row[C_P + axis], gradient)
    for f in range(len(y)):
        gradient[f] = -gradient[f]
    return merit


@kernel
def _derivative(row, d):
    """Derivative (6, 6) of the projections of a row last evaluated, times its penalties, into d.

    Returns the number of axes used.  Writes: d."""
    d[:] = 0.0
    kind = project_slope(row[C_Z], row[C_Z + 1], row[C_Z + 2], row[C_MU], row[C_RHO], d)
    if row[C_RHO_M] == 0.0:
        return 3 if kind > 0 else 0
    z3, z4, z5 = row[C_Z + 3], row[C_Z + 4], row[C_Z + 5]
    rho, roll, size = row[C_RHO_M], row[C_ROLL] * row[C_PUSH], math.sqrt(z4 * z4 + z5 * z5)
    d[3, 3] = rho if abs(z3) < row[C_TORSION] * row[C_PUSH] else 0.0
    if size <= roll:
        d[4, 4] = d[5, 5] = rho
    else:
        c, s, across = z4 / size, z5 / size, rho * roll / size
        d[4, 4], d[5, 5], d[4, 5] = across * s * s, across * c * c, -across * c * s
        d[5, 4] = d[4, 5]
    return 6


@kernel
def _curvature(rows, slots, h, first, where):
    """Second derivative of the merit where it was last evaluated, as blocks (see block_factor).  Writes: h."""
    d, w = np.empty((6, 6)), np.empty(2 * BLOCK)
    h[:] = 0.0
    for j in range(len(first) - 1):
        for f in range(0, BLOCK, SIDE + 1):
            h[first[j], f] = 1.0
    for k in range(len(rows)):
        row, slot = rows[k], slots[k]
        axes = _derivative(row, d)
        for side in range(2 if axes > 0 else 0):
            if slot[side] < 0:
                continue
            w[:] = 0.0
            for i in range(axes):
                for j in range(axes):
                    for f in range(SIDE):
                        w[SIDE * i + f] += d[i, j] * row[C_G + BLOCK * side + SIDE * j + f]
            for other in range(2):
                if 0 <= slot[other] <= slot[side]:
                    g = C_G + BLOCK * other
                    add_product(h[where[slot[other], slot[side]]], row[g:g + SIDE * axes], w, 1.0)


@kernel
def _size(x):
    total = 0.0
    for f in range(len(x)):
        total += x[f] * x[f]
    return math.sqrt(total)


@kernel
def _minimise(rows, slots, y, matrix, room, share_left, most):
    """Newton's method with a line search on the merit, from y, to `share_left` of the gradient there, in `most` steps.

    Returns the number of factorisations.  Writes: rows, y, matrix, room."""
    h, first, column, where = matrix
    gradient, step, trial = room[0], room[1], room[2]
    merit = _evaluate(rows, slots, y, gradient)
    size = begun = _size(gradient)
    for k in range(most):
        if size == 0.0:
            return k
        _curvature(rows, slots, h, first, where)
        factor(h, first, column, where)
        slope = 0.0
        for f in range(len(y)):
            step[f] = -gradient[f]
        substitute(h, first, column, step.reshape(-1, SIDE))
        for f in range(len(y)):
            slope += step[f] * gradient[f]
        share, better = 1.0, False
        for _ in range(HALVINGS):
            for f in range(len(y)):
                trial[f] = y[f] + share * step[f]
            new = _evaluate(rows, slots, trial, gradient)
            after = _size(gradient)
            better = new <= merit + DECREASE * share * slope or after < 0.5 * size
            if better:
                break
            share *= 0.5
        if not better:
            _evaluate(rows, slots, y, gradient)
            return k + 1
        merit, size = new, after
        for f in range(len(y)):
            y[f] = trial[f]
        if -slope <= LITTLE * merit or size <= share_left * begun:
            return k + 1
    return most


@kernel
def _renew(rows, slots, y, mix):
    """Multipliers, and by the share `mix` shifts and bounds of moments, from the minimum at y.

    Returns the largest change (m/s, rad/s) of multipliers, and that of shifts.  Writes: rows."""
    worst, moved = 0.0, 0.0
    for k in range(len(rows)):
        row, slot = rows[k], slots[k]
        for axis in range(3):
            worst = max(worst, abs(row[C_P + axis] - row[C_J + axis]) / row[C_RHO])
            row[C_J + axis] = row[C_P + axis]
        if row[C_MU] > 0.0:
            raised = target_shift(row[C_MU], elementary.hypot(_velocity(row, slot, y, 1), _velocity(row, slot, y, 2)))
            moved = max(moved, abs(raised - row[C_SHIFT]))
            row[C_SHIFT] += mix * (raised - row[C_SHIFT])
        if row[C_RHO_M] > 0.0:
            for axis in range(3, 6):
                worst = max(worst, abs(row[C_P + axis] - row[C_J + axis]) / row[C_RHO_M])
                row[C_J + axis] = row[C_P + axis]
            row[C_PUSH] += mix * (row[C_P] - row[C_PUSH])
    return worst, moved


@kernel
def _stiffen(rows, factor):
    """Writes: rows."""
    for k in range(len(rows)):
        rows[k, C_RHO] *= factor
        rows[k, C_RHO_M] *= factor


@kernel
def _distance(rows, slots, y):
    """How far (m/s, rad/s) impulses and velocities are from obeying the laws: what one projection changes.
    Writes: rows."""
    worst = 0.0
    for k in range(len(rows)):
        row, slot = rows[k], slots[k]
        row[C_SHIFT] = target_shift(row[C_MU], elementary.hypot(_velocity(row, slot, y, 1), _velocity(row, slot, y, 2)))
        z0, z1, z2 = _trial(row, slot, y)
        p0, p1, p2, _, _ = project(z0, z1, z2, row[C_MU])
        off = max(abs(p0 - row[C_J]), max(abs(p1 - row[C_J + 1]), abs(p2 - row[C_J + 2])))
        worst = max(worst, off / row[C_RHO])
        if row[C_RHO_M] > 0.0:
            row[C_PUSH] = row[C_J]
            _project_moments(row, slot, y)
            for axis in range(3, 6):
                worst = max(worst, abs(row[C_P + axis] - row[C_J + axis]) / row[C_RHO_M])
    return worst


@kernel
def _place(slots, n):
    """Places of the bodies in the order of elimination, into slots too, and the factor's structure.  Writes: slots."""
    coupled, place = np.zeros((n, n), np.int8), np.empty(n, np.int64)
    for k in range(len(slots)):
        a, b = slots[k, 0], slots[k, 1]
        if a >= 0 and b >= 0:
            coupled[a, b] = coupled[b, a] = 1
    eliminate(coupled, place)
    for k in range(len(slots)):
        for side in range(2):
            slots[k, side] = place[slots[k, side]] if slots[k, side] >= 0 else -1
    return place, structure(coupled, place)


@kernel
def _responses(rows, slots, y):
    """y from the impulses.  Writes: y."""
    y[:] = 0.0
    for k in range(len(rows)):
        for axis in range(6 if rows[k, C_RHO_M] > 0.0 else 3):
            add_response(rows[k], slots[k], axis, rows[k, C_J + axis], y)


@kernel
def _iterate(rows, slots, y, matrix, tolerance, most, share_left):
    """The method of multipliers from rows and y; returns the penalty that it ended with, and how many factorisations it
    took.  Writes: rows, y, matrix."""
    room = np.empty((3, len(y)))
    penalty, last, least, idle, mix, spent = FIRST_PENALTY, math.inf, math.inf, 0, 1.0, 0
    last_call = False
    for _ in range(RENEWALS):
        spent += _minimise(rows, slots, y, matrix, room, 0.0 if last_call else share_left,
                           min(STEPS, max(most - spent, 1)))
        change, shift = _renew(rows, slots, y, mix)
        if last_call or spent >= most:
            break
        last_call = max(change, shift) <= tolerance
        least, idle = (max(change, shift), 0) if max(change, shift) < 0.5 * least else (least, idle + 1)
        if idle == PATIENCE:
            if shift <= SETTLED * change and penalty >= LAST_PENALTY:
                break       # redundant contacts that contradict each other: multipliers grow for ever
            mix, least, idle = 0.5 * mix, math.inf, 0
            if mix < LEAST_MIX:
                break
        if change > max(GAIN * last, LAG * shift) and penalty < LAST_PENALTY:
            penalty *= GROWTH
            _stiffen(rows, GROWTH)
        last = change
    return penalty, spent


@kernel
def _has_moments(rows):
    any_has = False
    for k in range(len(rows)):
        any_has = any_has or rows[k, C_RHO_M] > 0.0
    return any_has


@kernel
def solve_problem(rows, slots, change, tolerance, good, share_left, budget):
    """Impulses of the rows (C_J), until a renewal changes no velocity by `tolerance` (m/s) or the budget is spent.

    good (m/s): what will do where it gets no better; 0 where small problems are not to be solved by their rows.
    share_left: of the gradient, that a minimum may leave; budget: multiplications that may be spent.

    Returns the multiplications spent, and the change of y if they are nearer to the laws than before; if not, or if the
    matrix is too large, 0 or less. C_RHO and C_RHO_M: effective masses and inertias, 0 for no moments.
    Writes: rows, slots, change."""
    begun = len(change) * len(change) // (SIDE * SIDE) + ONCE_PER_ROW * len(rows)
    if all_stick(rows, slots, change, tolerance):
        return begun
    few = len(rows) <= (MOST_ROWS if len(change) > SIDE else MOST_ALONE)
    if good > 0.0 and few and not _has_moments(rows):
        steps = newton_on_rows(rows, slots, change, tolerance, good, budget - begun)
        begun += abs(steps) * step_cost(len(rows))
        if steps > 0:
            return begun
    place, (first, column, where) = _place(slots, len(change) // SIDE)
    cost = multiplications(first)
    if cost > min(LARGEST_FACTOR, budget):
        return -begun
    y, before = np.empty_like(change), np.empty_like(change)
    _responses(rows, slots, before)
    y[:] = before
    distance = _distance(rows, slots, y)
    _stiffen(rows, FIRST_PENALTY)
    matrix = np.empty((len(column), BLOCK)), first, column, where
    cost += PER_STEP + PER_ROW * len(rows)
    most = min(TOGETHER_BUDGET, budget) // cost
    penalty, factors = _iterate(rows, slots, y, matrix, tolerance, most, share_left)
    _responses(rows, slots, y)
    _stiffen(rows, 1.0 / penalty)
    spent = begun + factors * cost
    if not _distance(rows, slots, y) < distance:
        return -spent
    for i in range(len(place)):
        for f in range(SIDE):
            change[SIDE * i + f] = y[SIDE * place[i] + f] - before[SIDE * place[i] + f]
    return spent
