"""The contacts of an island as one problem in its velocities, solved by the method of multipliers with Newton's method.

Coulomb's law is a projection on the friction cone once the normal target is raised by mu |u_t| (De Saxce and Feng
1998).  For a given shift the problem is convex: each step of the method of multipliers is a smooth convex minimum,
whose Newton steps are direct solves on the present active set (seed 002, F_f = -A_ff^-1 b_f) in the velocities, where
redundant contacts are no matter.  Multipliers and shift are renewed until nothing changes.

y (6 per body) are the velocities that the contacts cause, in units that make the mass matrix 1; row k has the velocity
U + G y.
"""
import math

import numpy as np

from ..maths.jit import kernel

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

# columns of a row: G (three axes of velocity, three of rate, 12 numbers each: a, b), velocity without impulses (m/s,
# rad/s), impulse, its projection, normal target, shift, mu, lengths of torsional and rolling friction, penalties
C_G, C_U, C_J, C_P, C_TARGET, C_SHIFT, C_MU, C_TORSION, C_ROLL, C_RHO, C_RHO_M, C_PUSH = (
    0, 72, 78, 84, 90, 91, 92, 93, 94, 95, 96, 97)
COLUMNS = 98


@kernel
def moved(u, row, slot, y, axis):
    """u + G y along one of the six axes of a row."""
    for side in range(2):
        if slot[side] >= 0:
            for f in range(6):
                u += row[C_G + 12 * axis + 6 * side + f] * y[6 * slot[side] + f]
    return u


@kernel
def _velocity(row, slot, y, axis):
    """Velocity (m/s) or rate (rad/s) of a row along one of its six axes."""
    return moved(row[C_U + axis], row, slot, y, axis)


@kernel
def add_response(row, slot, axis, j, out):
    """out += G^T j"""
    for side in range(2):
        if slot[side] >= 0:
            for f in range(6):
                out[6 * slot[side] + f] += row[C_G + 12 * axis + 6 * side + f] * j


@kernel
def _cone(z0, z1, z2, mu):
    """Projection on the cone |t| <= mu n, and its parts: (p, kind, |t|); kind 0 none, 1 inside, 2 on the edge."""
    t = math.sqrt(z1 * z1 + z2 * z2)
    if mu * t <= -z0:
        return 0.0, 0.0, 0.0, 0, t
    if t <= mu * z0:
        return z0, z1, z2, 1, t
    n = (z0 + mu * t) / (1.0 + mu * mu)
    if mu == 0.0:
        return n, 0.0, 0.0, 2, t
    return n, mu * n * z1 / t, mu * n * z2 / t, 2, t


@kernel
def _trial(row, slot, y):
    """The impulse before its projection."""
    rho = row[C_RHO]
    return (row[C_J] - rho * (_velocity(row, slot, y, 0) - row[C_TARGET] + row[C_SHIFT]),
            row[C_J + 1] - rho * _velocity(row, slot, y, 1), row[C_J + 2] - rho * _velocity(row, slot, y, 2))


@kernel
def _trial_moment(row, slot, y, axis):
    return row[C_J + axis] - row[C_RHO_M] * _velocity(row, slot, y, axis)


@kernel
def _project_moments(row, slot, y):
    """Projected moments into C_P + 3 ..; returns their part of the merit."""
    z3, z4, z5 = _trial_moment(row, slot, y, 3), _trial_moment(row, slot, y, 4), _trial_moment(row, slot, y, 5)
    twist, roll = row[C_TORSION] * row[C_PUSH], row[C_ROLL] * row[C_PUSH]
    row[C_P + 3] = min(max(z3, -twist), twist)
    size = math.sqrt(z4 * z4 + z5 * z5)
    share = roll / size if size > roll else 1.0
    row[C_P + 4], row[C_P + 5] = share * z4, share * z5
    left = (z3 - row[C_P + 3]) ** 2 + (1.0 - share) ** 2 * size * size
    return (z3 * z3 + size * size - left) / (2.0 * row[C_RHO_M])


@kernel
def _evaluate(rows, slots, y, gradient):
    """Merit (returned) and its gradient at y; the projections stay in the rows."""
    merit = 0.0
    for f in range(len(y)):
        merit += 0.5 * y[f] * y[f]
        gradient[f] = -y[f]
    for k in range(len(rows)):
        row, slot = rows[k], slots[k]
        z0, z1, z2 = _trial(row, slot, y)
        p0, p1, p2, kind, _ = _cone(z0, z1, z2, row[C_MU])
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
def _derivative(row, slot, y, d):
    """Derivative (6, 6) of the projections of a row times its penalties, into d; returns the number of axes used."""
    for i in range(6):
        for j in range(6):
            d[i, j] = 0.0
    z0, z1, z2 = _trial(row, slot, y)
    mu, rho = row[C_MU], row[C_RHO]
    p0, _, _, kind, t = _cone(z0, z1, z2, mu)
    if kind == 1:
        d[0, 0] = d[1, 1] = d[2, 2] = rho
    elif kind == 2:
        d[0, 0] = rho / (1.0 + mu * mu)
        if mu > 0.0:
            c, s, across = z1 / t, z2 / t, rho * mu * p0 / t
            along = mu * mu * d[0, 0]
            d[0, 1] = d[1, 0] = mu * c * d[0, 0]
            d[0, 2] = d[2, 0] = mu * s * d[0, 0]
            d[1, 1], d[2, 2] = along * c * c + across * s * s, along * s * s + across * c * c
            d[1, 2] = d[2, 1] = (along - across) * c * s
    if row[C_RHO_M] == 0.0:
        return 3
    z3, z4, z5 = _trial_moment(row, slot, y, 3), _trial_moment(row, slot, y, 4), _trial_moment(row, slot, y, 5)
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
def _curvature(rows, slots, y, h):
    """Second derivative of the merit at y, lower triangle."""
    d, w = np.empty((6, 6)), np.empty((6, 12))
    for i in range(len(h)):
        for j in range(i + 1):
            h[i, j] = 1.0 if i == j else 0.0
    for k in range(len(rows)):
        row, slot = rows[k], slots[k]
        axes = _derivative(row, slot, y, d)
        for i in range(axes):
            for f in range(12):
                w[i, f] = 0.0
                for j in range(axes):
                    w[i, f] += d[i, j] * row[C_G + 12 * j + f]
        for side in range(2):
            for other in range(2):
                first, second = slot[side], slot[other]
                if first < 0 or second < 0 or first < second:
                    continue
                for f in range(6):
                    for g in range(f + 1 if first == second else 6):
                        total = 0.0
                        for i in range(axes):
                            total += row[C_G + 12 * i + 6 * side + f] * w[i, 6 * other + g]
                        h[6 * first + f, 6 * second + g] += total


@kernel
def _factor(h, first):
    """Cholesky factor in place of the lower triangle, whose row i begins at column first[i]."""
    for i in range(len(h)):
        for j in range(first[i], i + 1):
            total = h[i, j]
            for k in range(max(first[i], first[j]), j):
                total -= h[i, k] * h[j, k]
            h[i, j] = total / h[j, j] if i > j else math.sqrt(total)


@kernel
def _substitute(h, first, x):
    n = len(h)
    for i in range(n):
        for k in range(first[i], i):
            x[i] -= h[i, k] * x[k]
        x[i] /= h[i, i]
    for i in range(n - 1, -1, -1):
        x[i] /= h[i, i]
        for k in range(first[i], i):
            x[k] -= h[i, k] * x[i]


@kernel
def envelope(slots, first):
    """First column that is not 0, of every row of the curvature."""
    for i in range(len(first)):
        first[i] = i - i % 6
    for k in range(len(slots)):
        low, high = min(slots[k, 0], slots[k, 1]), max(slots[k, 0], slots[k, 1])
        if low >= 0:
            for f in range(6):
                first[6 * high + f] = min(first[6 * high + f], 6 * low)


@kernel
def _size(x):
    total = 0.0
    for f in range(len(x)):
        total += x[f] * x[f]
    return math.sqrt(total)


@kernel
def _minimise(rows, slots, y, first, h, room, share_left):
    """Newton's method with a line search on the merit, from y, to `share_left` of the gradient there.

    Returns the number of factorisations.
    """
    gradient, step, trial = room[0], room[1], room[2]
    merit = _evaluate(rows, slots, y, gradient)
    size = begun = _size(gradient)
    for k in range(STEPS):
        if size == 0.0:
            return k
        _curvature(rows, slots, y, h)
        _factor(h, first)
        slope = 0.0
        for f in range(len(y)):
            step[f] = -gradient[f]
        _substitute(h, first, step)
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
    return STEPS


@kernel
def _renew(rows, slots, y, mix):
    """Multipliers, and by the share `mix` shifts and bounds of moments, from the minimum at y.

    Returns the largest change (m/s, rad/s) of multipliers, and that of shifts.
    """
    worst, moved = 0.0, 0.0
    for k in range(len(rows)):
        row, slot = rows[k], slots[k]
        for axis in range(3):
            worst = max(worst, abs(row[C_P + axis] - row[C_J + axis]) / row[C_RHO])
            row[C_J + axis] = row[C_P + axis]
        if row[C_MU] > 0.0:
            shift = row[C_MU] * math.hypot(_velocity(row, slot, y, 1), _velocity(row, slot, y, 2))
            moved = max(moved, abs(shift - row[C_SHIFT]))
            row[C_SHIFT] += mix * (shift - row[C_SHIFT])
        if row[C_RHO_M] > 0.0:
            for axis in range(3, 6):
                worst = max(worst, abs(row[C_P + axis] - row[C_J + axis]) / row[C_RHO_M])
                row[C_J + axis] = row[C_P + axis]
            row[C_PUSH] += mix * (row[C_P] - row[C_PUSH])
    return worst, moved


@kernel
def _stiffen(rows, factor):
    for k in range(len(rows)):
        rows[k, C_RHO] *= factor
        rows[k, C_RHO_M] *= factor


@kernel
def _distance(rows, slots, y):
    """How far (m/s, rad/s) impulses and velocities are from obeying the laws: what one projection changes."""
    worst = 0.0
    for k in range(len(rows)):
        row, slot = rows[k], slots[k]
        row[C_SHIFT] = row[C_MU] * math.hypot(_velocity(row, slot, y, 1), _velocity(row, slot, y, 2))
        z0, z1, z2 = _trial(row, slot, y)
        p0, p1, p2, _, _ = _cone(z0, z1, z2, row[C_MU])
        off = max(abs(p0 - row[C_J]), max(abs(p1 - row[C_J + 1]), abs(p2 - row[C_J + 2])))
        worst = max(worst, off / row[C_RHO])
        if row[C_RHO_M] > 0.0:
            row[C_PUSH] = row[C_J]
            _project_moments(row, slot, y)
            for axis in range(3, 6):
                worst = max(worst, abs(row[C_P + axis] - row[C_J + axis]) / row[C_RHO_M])
    return worst


@kernel
def solve_problem(rows, slots, y, tolerance, most, share_left):
    """Impulses of the rows (C_J) and y, from those given, until a renewal changes no velocity by `tolerance` (m/s) or
    `most` factorisations are spent.  share_left: of the gradient, between two renewals.

    Returns 1 if they are nearer to the laws than before, else 0.  C_RHO and C_RHO_M: effective masses and inertias, 0
    for no moments.
    """
    n = len(y)
    h, room, first = np.empty((n, n)), np.empty((3, n)), np.empty(n, np.int64)
    envelope(slots, first)
    before = _distance(rows, slots, y)
    _stiffen(rows, FIRST_PENALTY)
    penalty, last, least, idle, mix, spent = FIRST_PENALTY, math.inf, math.inf, 0, 1.0, 0
    last_call = False
    for _ in range(RENEWALS):
        spent += _minimise(rows, slots, y, first, h, room, 0.0 if last_call else share_left)
        change, shift = _renew(rows, slots, y, mix)
        if last_call or spent >= most:
            break
        last_call = max(change, shift) <= tolerance
        least, idle = (max(change, shift), 0) if max(change, shift) < 0.5 * least else (least, idle + 1)
        if idle == PATIENCE:
            mix, least, idle = 0.5 * mix, math.inf, 0
            if mix < LEAST_MIX:
                break
        if change > max(GAIN * last, LAG * shift) and penalty < LAST_PENALTY:
            penalty *= GROWTH
            _stiffen(rows, GROWTH)
        last = change
    for f in range(n):
        y[f] = 0.0
    for k in range(len(rows)):
        for axis in range(6 if rows[k, C_RHO_M] > 0.0 else 3):
            add_response(rows[k], slots[k], axis, rows[k, C_J + axis], y)
    _stiffen(rows, 1.0 / penalty)
    return 1 if _distance(rows, slots, y) < before else 0
