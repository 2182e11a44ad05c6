# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Rows with a law of their own beside those that hold exactly: contacts, cables, constraints with a limit.

What holds exactly is eliminated; what is left is dense.  Each item has its law: a contact Coulomb's cone, a cable pulls
and does not push, a limited block is as strong as its limit.  Gauss-Seidel, and Newton's method on the projections of
all items where that is slow (as row_newton, which is for islands without constraints).
"""
import math

import numpy as np

from ..contact.coulomb import impulse_near, project_in_turn, project_in_turn_slope
from ..maths.jit import kernel
from .row_newton import eliminate

# kinds of items
CONTACT, PULL, BALL = 0, 1, 2
# columns of `items` (kind, first row, number of rows), and of `laws` (friction or limit)
I_KIND, I_FIRST, I_COUNT = 0, 1, 2
# sweeps before Newton's method and after it; its steps; rounds of a block at its limit
FIRST_SWEEPS, LAST_SWEEPS, STEPS, ROUNDS = 30, 300, 40, 12
# share of the identity, in units where a row's own response is 1: redundant rows leave the matrix singular
REDUNDANT = 1e-9
# steps without progress, by this share, after which Newton's method is given up
PATIENCE, IDLE = 6, 0.9
# rows beyond which Newton's method takes too long
MOST_NEWTON = 120
# multiplications that an item in a sweep costs beside those of its rows, and what settling may cost: some 3 ms; sweeps
# that are made at any cost
ITEM, MOST_PRODUCTS, LEAST_SWEEPS = 600, 6_000_000, 4


@kernel
def _limit(x, n, cap):
    """Shorten x (3,) to a length of `cap`; returns the share left.  Writes: x."""
    size = 0.0
    for i in range(n):
        size += x[i] * x[i]
    size = math.sqrt(size)
    if size <= cap:
        return 1.0
    for i in range(n):
        x[i] *= cap / size
    return cap / size


@kernel
def _solve_limited(w, n, u, target, cap, x):
    """Impulse x of a block that reaches its targets, or its limit.  u: velocities without it.  Writes: x."""
    y, trace = np.empty(3), 0.0
    for i in range(n):
        y[i] = target[i] - u[i]
        trace += w[i, i]
    if not trace > 0.0:
        return
    old = np.empty(3)
    for i in range(n):
        old[i] = x[i]
    if n == 1:
        x[0] = y[0] / w[0, 0]
    else:
        full = np.empty((n, n + 1))
        for i in range(n):
            for j in range(n):
                full[i, j] = w[i, j]
            full[i, i] *= 1.0 + REDUNDANT
            full[i, n] = y[i]
        if eliminate(full):
            for i in range(n):
                x[i] = full[i, n]
    if _limit(x, n, cap) == 1.0:
        return
    if n > 1:
        # from where it was: the direction on the limit settles over the sweeps
        for i in range(n):
            x[i] = old[i] if old[0] != 0.0 or old[1] != 0.0 or n == 3 and old[2] != 0.0 else x[i]
        for _ in range(ROUNDS):
            step = np.empty(3)
            for i in range(n):
                total = y[i]
                for j in range(n):
                    total -= w[i, j] * x[j]
                step[i] = total / trace
            for i in range(n):
                x[i] += step[i]
            _limit(x, n, cap)


@kernel
def solve_item(kind, w, n, u, target, law, x):
    """Impulse x (3,) of an item by its law, from what it is.  w (n, n): its own response; u: velocities without it.
    Writes: x."""
    if kind == CONTACT:
        block = (w[0, 0], w[0, 1], w[0, 2], w[1, 1], w[1, 2], w[2, 2])
        new = impulse_near(block, (u[0], u[1], u[2]), target[0], law, (x[0], x[1], x[2]))
        x[0], x[1], x[2] = new[0], new[1], new[2]
    elif kind == PULL:
        x[0] = min(max((target[0] - u[0]) / w[0, 0], 0.0), law) if w[0, 0] > 0.0 else 0.0
    else:
        _solve_limited(w, n, u, target, law, x)


@kernel
def _sweep(w, u, j, items, laws, target):
    """One sweep; u are the velocities with all impulses j.  Returns the largest change of velocity.  Writes: u, j."""
    worst, x, own = 0.0, np.empty(3), np.empty(3)
    for k in range(len(items)):
        f, n, kind = items[k, I_FIRST], items[k, I_COUNT], items[k, I_KIND]
        for i in range(n):
            x[i] = j[f + i]
            own[i] = u[f + i]
            for m in range(n):
                own[i] -= w[f + i, f + m] * j[f + m]
        solve_item(kind, w[f:f + n, f:f + n], n, own, target[f:f + n], laws[k], x)
        for i in range(n):
            change = x[i] - j[f + i]
            if change != 0.0 and math.isfinite(change):
                j[f + i] = x[i]
                worst = max(worst, abs(change) * w[f + i, f + i])
                out = w[f + i]      # w is symmetric
                for m in range(len(u)):
                    u[m] += out[m] * change
    return worst


@kernel
def _project(w, u, j, items, laws, target, z, p):
    """Impulses before and after their projections; returns what is left (m/s).  Writes: z, p."""
    worst = 0.0
    for k in range(len(items)):
        f, n, kind = items[k, I_FIRST], items[k, I_COUNT], items[k, I_KIND]
        rho = 1.0 / _scale(w, items, k)
        for i in range(n):
            z[f + i] = j[f + i] - rho * (u[f + i] - target[f + i])
            p[f + i] = z[f + i]
        if kind == CONTACT:
            p[f], p[f + 1], p[f + 2] = project_in_turn(z[f], z[f + 1], z[f + 2], laws[k])
        elif kind == PULL:
            p[f] = min(max(z[f], 0.0), laws[k])
        else:
            _limit(p[f:f + n], n, laws[k])
        for i in range(n):
            worst = max(worst, abs(p[f + i] - j[f + i]) / rho)
    return worst


@kernel
def _scale(w, items, k):
    """Response (1/kg) that the projections of an item are relative to."""
    f, n, size = items[k, I_FIRST], items[k, I_COUNT], 0.0
    if items[k, I_KIND] == CONTACT:
        return w[f, f]
    for i in range(n):
        size = max(size, w[f + i, f + i])
    return size


@kernel
def _slope(items, laws, k, z, d):
    """Derivative (3, 3) of the projection of item k.  Writes: d."""
    f, n, kind = items[k, I_FIRST], items[k, I_COUNT], items[k, I_KIND]
    if kind == CONTACT:
        project_in_turn_slope(z[f], z[f + 1], z[f + 2], laws[k], d)
        return
    d[:] = 0.0
    if kind == PULL:
        d[0, 0] = 1.0 if 0.0 < z[f] < laws[k] else 0.0
        return
    size = 0.0
    for i in range(n):
        size += z[f + i] * z[f + i]
    size = math.sqrt(size)
    share = 1.0 if size <= laws[k] else laws[k] / size
    for i in range(n):
        d[i, i] = share
        for m in range(n if share < 1.0 else 0):
            d[i, m] -= share * z[f + i] * z[f + m] / (size * size)


@kernel
def _newton(w, u, j, items, laws, target, tolerance, steps):
    """Newton's method from j; True, and j and u have changed, if it leaves no more than `tolerance` (m/s).  Returns
    the number of its steps, of `steps` at most, too.  Writes: u, j."""
    size, least, idle = len(j), math.inf, 0
    a, d = np.empty((size, size + 1)), np.empty((3, 3))
    z, p, x, y = np.empty(size), np.empty(size), j.copy(), u.copy()
    for step in range(steps):
        left = _project(w, y, x, items, laws, target, z, p)
        if left <= tolerance:
            j[:] = p
            _respond(w, u, y, x, p)
            return step, True
        idle = 0 if left < IDLE * least else idle + 1
        least = min(least, left)
        if not left < math.inf or idle >= PATIENCE:
            return step, False
        for k in range(len(items)):
            f, n = items[k, I_FIRST], items[k, I_COUNT]
            rho = 1.0 / _scale(w, items, k)
            _slope(items, laws, k, z, d)
            for i in range(n):
                out = a[f + i]
                for m in range(size):
                    total = 0.0
                    for g in range(n):
                        total += d[i, g] * w[f + g, m]
                    out[m] = rho * total
                for g in range(n):
                    out[f + g] -= d[i, g]
                out[f + i] += 1.0 + REDUNDANT
                out[size] = p[f + i] - x[f + i]
        if not eliminate(a):
            return step, False
        for i in range(size):
            change, of_row = a[i, size], w[i]
            x[i] += change
            for m in range(size):
                y[m] += of_row[m] * change
    return steps, False


@kernel
def _respond(w, u, y, x, p):
    """Velocities u of the impulses p from those, y, of x.  Writes: u."""
    for m in range(len(u)):
        total = y[m]
        for i in range(len(p)):
            total += w[m, i] * (p[i] - x[i])
        u[m] = total


@kernel
def settle(w, u, j, items, laws, target, tolerance, most):
    """Impulses j (N s, N m s) of all items by their laws, from what they are; u are the velocities that they have, w
    (n, n) their responses.

    most: multiplications that it may cost.  Returns the change of velocity of the first sweep and that of the last, and
    multiplications.  Writes: u, j."""
    first, size, most = _sweep(w, u, j, items, laws, target), len(j), min(most, MOST_PRODUCTS)
    of_sweep, of_step = size * size + ITEM * len(items), size * size * (4 + size // 3) + ITEM * len(items)
    change, cost = first, of_sweep
    for k in range(1, FIRST_SWEEPS + 1):
        if change <= tolerance:
            return first, change, cost
        if k >= LEAST_SWEEPS and cost > most:
            break
        change = _sweep(w, u, j, items, laws, target)
        cost += of_sweep
    if size <= MOST_NEWTON and cost < most:
        steps, solved = _newton(w, u, j, items, laws, target, tolerance, min(STEPS, 1 + (most - cost) // of_step))
        cost += steps * of_step
        if solved:
            return first, tolerance, cost
    for _ in range(LAST_SWEEPS):
        if change <= tolerance or cost > most:
            break
        change = _sweep(w, u, j, items, laws, target)
        cost += of_sweep
    return first, change, cost
