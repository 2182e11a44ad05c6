# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""From the impacts of an island at one instant to their profiles over time: one for every contact pair that was hit."""
from ..contact.force_profile import duration_of
from ..contact.frame import to_world
from ..contact.pending_impulses import deliver
from ..maths.jit import kernel
from ..maths.vec3 import add, cross, madd, norm, scale, sub
from ..model import layout as L
from ..shapes.kinds import MESH

# m/s: a Hertz contact that is carried along by a hit elsewhere approaches at no speed; it has this one
SLOWEST = 1e-3
# approach speed times duration, in half sides of both bodies: they press in by half of it at most
DEEPEST = 1.6


@kernel
def _half_side(s, g):
    """Least half side (m) of shape g; none for a mesh, which has a surface only."""
    if s.geom_i[g].kind == MESH:
        return 0.0
    half = s.geom[g].half_sides
    return min(half[0], min(half[1], half[2]))


@kernel
def set_times(s, pairs):
    """R_TIME of the rows that were hit: the same for all of a contact pair, from its row with the largest impulse.

    Shortened where the bodies would press in as far as their middles meet: beyond, the way out is on the other side.
    Writes: s.row."""
    kind, stiffness = int(s.par.contact_profile), s.par.contact_stiffness
    for i in range(len(pairs)):
        first, n = L.POINTS * pairs[i], s.pair_i[pairs[i]].point_count
        best, duration = 0, s.par.contact_time
        for c in range(n):
            if s.row[first + c].normal_impulse > s.row[first + best].normal_impulse:
                best = c
        if n == 0 or not s.row[first + best].normal_impulse > 0.0:
            continue
        if stiffness > 0.0:
            r = s.row[first + best]
            approach = max(-r.normal_velocity_before, SLOWEST)
            duration = duration_of(kind, stiffness, 1.0 / r.normal_inverse_mass, approach)
        room = DEEPEST * (_half_side(s, s.pair_i[pairs[i]].shape_a) + _half_side(s, s.pair_i[pairs[i]].shape_b))
        fastest = -s.row[first].normal_velocity_before
        for c in range(1, n):
            fastest = max(fastest, -s.row[first + c].normal_velocity_before)
        if fastest * duration > room:
            duration = room / fastest
        for c in range(n):
            s.row[first + c].duration = duration


@kernel
def deliver_impacts(s, pairs, t, h):
    """Start the profiles of the rows that were hit at time t of the step of h seconds.
    Writes: s.count, s.pending, s.profile, s.work."""
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        normal = (0.0, 0.0, 0.0)
        total, turn_a, turn_b, duration = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
        for c in range(p.point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            if not r.normal_impulse > 0.0:
                continue
            j, moment = to_world(r, r.impulse), to_world(r, r.moment)
            total, duration, normal = add(total, j), r.duration, madd(normal, r.normal, r.normal_impulse)
            turn_a = sub(turn_a, add(cross(r.arm_a, j), moment))
            turn_b = add(turn_b, add(cross(r.arm_b, j), moment))
        if duration > 0.0:
            normal = scale(normal, 1.0 / norm(normal))
            deliver(s, pairs[i], normal, total, turn_a, turn_b, duration, t, h)
