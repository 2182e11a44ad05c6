# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bodies that are in each other so that their overlaps point in opposing directions, by much, or with one centre.

Their rows would push to and fro and cancel: drones that were spawned at one pose, or hooked into each other by their
rotors; or all of them the same way, plates into a tower.  Such a pair is pushed apart as a whole, along the line
between the centres of mass; where these coincide by a rule: body i has a direction of its own, the i-th of a golden
spiral over the sphere, and two part along the difference of theirs."""
import math

from ..constants import NO_MATTER
from ..detect.travel import thickness
from ..maths import elementary
from ..maths.jit import kernel
from ..maths.vec3 import dot, norm, scale, sub
from ..model import layout as L

# overlap that counts: m, and share of the thinner shape's least half side; share of that which is much; share of the
# smaller radius within which centres coincide
DEEP, DEEP_SHARE, MUCH, COINCIDENT = 5e-4, 0.05, 0.5, 1e-3
GOLDEN = math.pi * (3.0 - math.sqrt(5.0))
# directions on the spiral: bodies that many numbers apart have the same
SPIRAL = 1024


@kernel
def own_direction(i):
    """Direction (unit) of body i: heights follow the golden ratio too, so that neighbouring numbers are far apart."""
    k = i % SPIRAL
    z = 2.0 * elementary.remainder(0.5 + 0.6180339887498949 * k, 1.0) - 1.0
    r = math.sqrt(1.0 - z * z)
    return r * elementary.cos(GOLDEN * k), r * elementary.sin(GOLDEN * k), z


@kernel
def _way(s, a, b):
    """Direction (unit) along which bodies a and b part, from a to b, and if their centres coincide."""
    d = sub(s.work[b].position, s.work[a].position)
    if norm(d) > COINCIDENT * min(s.anchor[a].radius, s.anchor[b].radius):
        return scale(d, 1.0 / norm(d)), False
    d = sub(own_direction(b), own_direction(a))
    size = norm(d)
    return (scale(d, 1.0 / size) if size > 0.0 else (0.0, 0.0, 1.0)), True


@kernel
def _deepest(s, first, end, much):
    """Deepest row of the contact pairs first .. end - 1, -1 if none is deep; and if deep rows oppose each other, or one
    of them is deep by more than `much` of the shapes' thickness."""
    deep, opposed, lead = -1, False, (0.0, 0.0, 0.0)
    for m in range(first, end):
        thin = thickness(s, m)
        limit = min(DEEP, DEEP_SHARE * thin)
        for k in range(L.POINTS * m, L.POINTS * m + (s.pair_i[m].point_count if s.pair_i[m].touches == 1 else 0)):
            if s.row[k].depth <= limit:
                continue
            n = s.row[k].normal
            lead = n if deep < 0 else lead
            opposed = opposed or dot(n, lead) < 0.0 or s.row[k].depth > much * thin
            deep = k if deep < 0 or s.row[k].depth > s.row[deep].depth else deep
    return deep, opposed


@kernel
def _as_one(s, first, end, deep, n):
    """Of the rows of contact pairs first .. end - 1 the deepest alone is left, between the centres of mass along n.
    Writes: s.row."""
    a, b = s.work[s.pair_i[first].body_a], s.work[s.pair_i[first].body_b]
    wanted = s.row[deep].target_velocity
    for m in range(first, end):
        for k in range(L.POINTS * m, L.POINTS * m + s.pair_i[m].point_count):
            s.row[k].target_velocity = -NO_MATTER
    r = s.row[deep]
    r.normal = n
    r.arm_a = (0.0, 0.0, 0.0)
    r.arm_b = (0.0, 0.0, 0.0)
    r.target_velocity, r.normal_inverse_mass = wanted, a.inverse_mass + b.inverse_mass


@kernel
def part_interlocked(s):
    """Give pairs of dynamic bodies that are in each other like that one row that pushes them apart; R_TARGET_SPEED (m)
    is set.  Writes: s.row."""
    first, count = 0, s.count.contact_pairs
    while first < count:
        a, b, end = s.pair_i[first].body_a, s.pair_i[first].body_b, first + 1
        while end < count and s.pair_i[end].body_a == a and s.pair_i[end].body_b == b:
            end += 1
        if s.work[a].inverse_mass > 0.0 and s.work[b].inverse_mass > 0.0:
            # two alone part by the shortest way
            others = max(s.body[a].adjacent_count, s.body[b].adjacent_count) > end - first
            deep, opposed = _deepest(s, first, end, MUCH if others else math.inf)
            if deep >= 0:
                n, coincide = _way(s, a, b)
                if (opposed or coincide) and s.row[deep].target_velocity > 0.0:
                    _as_one(s, first, end, deep, n)
        first = end
