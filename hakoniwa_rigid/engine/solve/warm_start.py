# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Warm start: the forces of the last step are where the solve of this one begins.

Rows that are nearest to each other and close by belong together: where edges coincide, which features meet in a point
is a matter of rounding.  In a crowd a pair loses no force while it touches: where discs all but lie on each other their
points come and go, and what carries a heap would have to be found anew, by sweeps from body to body.
"""
import math

from ..constants import SAME_POINT
from ..contact.frame import to_world
from ..maths.jit import kernel
from ..maths.vec3 import add, dot, load3, norm, scale, store3, sub
from ..model import layout as L


@kernel
def _key(last):
    return last[L.L_A], last[L.L_B], last[L.L_GA], last[L.L_GB], last[L.L_SUB]


@kernel
def _nearest(table, first, end, column, x):
    """The row first .. end - 1 of a table whose point (m, at `column`) is nearest to x; -1 if there is none."""
    best, least = -1, math.inf
    for k in range(first, end):
        d = sub(load3(table[k], column), x)
        if dot(d, d) < least:
            best, least = k, dot(d, d)
    return best


@kernel
def _fastest(s, i, x):
    """Bound (m/s) on the speed of body i at the point x."""
    r = s.work[i]
    return norm(r.velocity) + norm(r.angular_velocity) * norm(sub(x, r.position))


@kernel
def _add(r, last, h):
    """Add the forces that a row of the last step had, times h, to those of row r.  Writes: r."""
    f = scale(load3(last, L.L_F), h)
    push = dot(f, r.normal)
    if not push > 0.0:  # a body that was set to the other side would be pulled
        return
    r.warm_start_impulse = add(r.warm_start_impulse, (push, dot(f, r.tangent_1), dot(f, r.tangent_2)))
    f = scale(load3(last, L.L_M), h)
    # the coefficients may have been set to 0 since
    if r.torsion_length > 0.0:
        r[L.R_WARM_M] += dot(f, r.normal)
    if r.rolling_length > 0.0:
        r[L.R_WARM_M + 1] += dot(f, r.tangent_1)
        r[L.R_WARM_M + 2] += dot(f, r.tangent_2)


@kernel
def _find(s, m, low):
    """First and end of the rows in `last` of contact pair m; low: as returned for the pair before.

    `last` is sorted like the contact pairs."""
    p = s.pair_i[m]
    key = (float(p.body_a), float(p.body_b), float(p.shape_a), float(p.shape_b), float(p.patch))
    while low < s.count.last_forces and _key(s.last[low]) < key:
        low += 1
    end = low
    while end < s.count.last_forces and _key(s.last[end]) == key:
        end += 1
    return low, end


@kernel
def warm_start(s, m, h, low):
    """Give the rows of contact pair m, which have none yet, the forces of the last step, times h; returns the number of
    the first row in `last` that a later pair may have.  low: as returned for the pair before.  Writes: s.row."""
    (low, end), p, first = _find(s, m, low), s.pair_i[m], L.POINTS * m
    for c in range(first, first + p.point_count if end > low else first):
        x = s.row[c].position
        k = _nearest(s.last, low, end, L.L_X, x)
        y = load3(s.last[k], L.L_X)
        mutual = _nearest(s.row, first, first + p.point_count, L.R_X, y) == c
        if mutual and norm(sub(x, y)) <= SAME_POINT + h * max(_fastest(s, p.body_a, x), _fastest(s, p.body_b, x)):
            _add(s.row[c], s.last[k], h)
    return end


@kernel
def _nearest_that_acts(s, m, x):
    """The row of contact pair m that is nearest to x (m), twins left out; -1 if there is none."""
    best, least = -1, math.inf
    for c in range(L.POINTS * m, L.POINTS * m + s.pair_i[m].point_count):
        d = sub(s.row[c].position, x)
        if s.row[c].is_twin == 0.0 and dot(d, d) < least:
            best, least = c, dot(d, d)
    return best


@kernel
def warm_start_crowd(s, m, h, low):
    """As warm_start, but each force goes to the row that is nearest to it now.  Writes: s.row."""
    low, end = _find(s, m, low)
    for k in range(low, end):
        c = _nearest_that_acts(s, m, load3(s.last[k], L.L_X))
        if c >= 0:
            _add(s.row[c], s.last[k], h)
    return end


@kernel
def remember(s):
    """Keep the forces of the touching rows for the next step.

    Islands that did not converge start cold: a drone squeezed between a wall and a hand has no solution, and its
    impulses would grow from step to step.  Writes: s.count, s.last."""
    n = 0
    for m in range(s.count.contact_pairs):
        p = s.pair_i[m]
        if p.touches == 0 or p.unsolved == 1 or s.pair_f[m].rest_span <= 0.0:
            continue
        for c in range(p.point_count):
            r = s.row[L.POINTS * m + c]
            if r.normal_impulse == 0.0:
                continue
            last = s.last[n]
            last[L.L_A], last[L.L_B], last[L.L_SUB] = p.body_a, p.body_b, p.patch
            last[L.L_GA], last[L.L_GB] = p.shape_a, p.shape_b
            store3(last, L.L_X, r.position)
            store3(last, L.L_F, scale(to_world(r, r.impulse), 1.0 / s.pair_f[m].rest_span))
            store3(last, L.L_M, scale(to_world(r, r.moment), 1.0 / s.pair_f[m].rest_span))
            n += 1
    s.count.last_forces = n
