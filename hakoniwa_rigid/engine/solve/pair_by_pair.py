# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The model `impulse`: the frictionless two-body formula of the Hakoniwa article, one pair of bodies after the other.

A pair that meets in several points (a box lands flat) gets one impulse, shared out among its approaching points in
proportion to their approach speeds: for one point, and for points with one normal, that is the article's formula at the
mean point.  Pairs take turns in the order of their indices until none approaches.
"""
from ..constants import APPROACH, IMPULSE_ROUNDS, INELASTIC_ROUNDS
from ..contact.frame import relative_velocity
from ..contact.material import elasticity
from ..maths.jit import kernel
from ..maths.vec3 import add, cross, dot, madd, scale, sub, sym_mul
from ..model import layout as L
from .common import apply


@kernel
def _same_bodies(s, m, other):
    return s.pair_i[m].body_a == s.pair_i[other].body_a and s.pair_i[m].body_b == s.pair_i[other].body_b


@kernel
def _approach(s, pairs, first, end):
    """Of the rows of contact pairs first .. end - 1 of the island: keep their approach speeds in R_TARGET_SPEED; their
    sum.  Writes: s.row."""
    total = 0.0
    for i in range(first, end):
        p = s.pair_i[pairs[i]]
        for c in range(p.point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            u = relative_velocity(s.work[p.body_a], s.work[p.body_b], r, L.W_V, L.W_W)[0]
            r.target_velocity = -u if -u > APPROACH and r.is_twin == 0.0 else 0.0
            total += r.target_velocity
    return total


@kernel
def _compliance(r, push, turn):
    """Part of one body (work row r) in the compliance (1/kg) of an impulse and the moment that it has."""
    if r.inverse_mass == 0.0:
        return 0.0
    return r.inverse_mass * dot(push, push) + dot(turn, sym_mul(r.inverse_inertia, turn))


@kernel
def _bounce(s, pairs, first, end, total, elastic):
    """One impulse on a pair of bodies whose rows approach, with `total` the sum of their speeds (m/s).

    elastic: 0 to let nothing bounce.  Writes: s.row, s.work."""
    p = s.pair_i[pairs[first]]
    ra, rb = s.work[p.body_a], s.work[p.body_b]
    push, turn_a, turn_b, speed, e = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, 0.0
    for i in range(first, end):
        for c in range(s.pair_i[pairs[i]].point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            share, n = r.target_velocity / total, r.normal
            push = madd(push, n, share)
            turn_a = sub(turn_a, scale(cross(r.arm_a, n), share))
            turn_b = add(turn_b, scale(cross(r.arm_b, n), share))
            speed += share * r.target_velocity
            if share > 0.0:
                r.restitution = elastic * elasticity(s, p, r, r.target_velocity)
                e += share * r.restitution
    size = (1.0 + e) * speed / (_compliance(ra, push, turn_a) + _compliance(rb, push, turn_b))
    for i in range(first, end):
        for c in range(s.pair_i[pairs[i]].point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            j = size * r.target_velocity / total
            if j > 0.0:
                r.normal_impulse += j
                apply(ra, rb, r, (j, 0.0, 0.0), L.W_V, L.W_W)
    for i in range(first, end):
        for c in range(s.pair_i[pairs[i]].point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            j = size * r.target_velocity / total
            if j > 0.0:
                r.energy_lost += 0.5 * j * (r.target_velocity - relative_velocity(ra, rb, r, L.W_V, L.W_W)[0])


@kernel
def solve_pair_by_pair(s, pairs):
    """Impulses of an island, contact pairs ascending; the rows keep them in R_J.  Writes: s.row, s.work."""
    for k in range(IMPULSE_ROUNDS + INELASTIC_ROUNDS):
        quiet, first = True, 0
        while first < len(pairs):
            end = first + 1
            while end < len(pairs) and _same_bodies(s, pairs[first], pairs[end]):
                end += 1
            total = _approach(s, pairs, first, end)
            if total > 0.0:
                quiet = False
                _bounce(s, pairs, first, end, total, 1.0 if k < IMPULSE_ROUNDS else 0.0)
            first = end
        if quiet:
            return
