# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The contact log: one row per contact point and impulse, in the order of time; what contacts() shows."""

from ..maths.jit import kernel
from ..maths.vec3 import add, cross, dot, load3, norm, scale, sym_mul
from ..model import layout as L
from .energy import energy_lost
from .force_profile import shape_at
from .frame import relative_velocity, to_world


@kernel
def _turn(body, arm, p, moment):
    """Change of rate (rad/s) by an impulse p (N s) at `arm` and an angular impulse (N m s)."""
    iw = (body[L.W_IW], body[L.W_IW + 1], body[L.W_IW + 2], body[L.W_IW + 3], body[L.W_IW + 4], body[L.W_IW + 5])
    return sym_mul(iw, add(cross(arm, p), moment))


@kernel
def _log_force(s, m, r, o, impact, impulse):
    """Peak force (N) and duration (s) of a row: those of the profile of an impact over time; an instant counts as one
    step; a resting force is what it is over its part of the step.  Writes: o."""
    h, span = s.par.dt, s.pair_f[m].rest_span
    if impact == 1.0 and r.duration > 0.0:
        o.peak_force = impulse / r.duration * shape_at(int(s.par.contact_profile), 0.5)
        o.duration = r.duration
    elif impact == 1.0:
        o.peak_force, o.duration = impulse / h, h
    else:
        o.peak_force, o.duration = norm(r.impulse) / span, h


@kernel
def log_row(s, m, c, impact, time, share):
    """One row of contact pair m with a share of its impulse, at a time (s in the step); impact: 1.0, or 0.0 at rest.
    Writes: s.count, s.out."""
    n = s.count.log_rows
    if n >= len(s.out):
        s.count.lost_log_rows += 1
        return
    s.count.log_rows = n + 1
    p, r, o = s.pair_i[m], s.row[L.POINTS * m + c], s.out[n]
    a, b = p.body_a, p.body_b
    ra, rb = s.work[a], s.work[b]
    impulse = to_world(r, scale(r.impulse, share))
    normal = r.normal
    before = to_world(r, r.velocity_before)
    after = to_world(r, relative_velocity(ra, rb, r, L.W_V, L.W_W))
    moment = to_world(r, scale(r.moment, share))
    turn_b = _turn(rb, r.arm_b, impulse, moment)
    turn_a = _turn(ra, r.arm_a, scale(impulse, -1.0), scale(moment, -1.0))
    ga, gb = p.shape_a, p.shape_b
    if a > b:
        a, b, ga, gb = b, a, gb, ga
        impulse, moment, normal = scale(impulse, -1.0), scale(moment, -1.0), scale(normal, -1.0)
        before, after = scale(before, -1.0), scale(after, -1.0)
        turn_a, turn_b = turn_b, turn_a
    o.body_a, o.body_b, o.part_a, o.part_b = a, b, s.geom_i[ga].part, s.geom_i[gb].part
    o.feature, o.step, o.is_impact, o.time = r.feature, s.count.steps, impact, time
    o.depth, o.restitution, o.friction = r.depth, r.restitution if impact else 0.0, r.friction
    o.is_crowd, o.residual = p.looks_ahead, s.pair_f[m].residual if p.looks_ahead == 1 else 0.0
    # the passes of an impact have added it up
    passes = impact == 1.0 and p.looks_ahead == 0
    o.energy_lost = r.energy_lost if passes else share * energy_lost(ra, rb, r, r.rate_before)
    _log_force(s, m, r, o, impact, norm(impulse))
    o.moment = moment
    o.position = r.position
    o.normal = normal
    o.impulse = impulse
    o.velocity_before = before
    o.velocity_after = after
    o.delta_omega_a = turn_a
    o.delta_omega_b = turn_b


@kernel
def log_impacts(s, pairs, time):
    """Rows that took an impulse at this instant (s in the step).  Writes: s.count, s.out."""
    for i in range(len(pairs)):
        for c in range(s.pair_i[pairs[i]].point_count):
            if s.row[L.POINTS * pairs[i] + c].normal_impulse > 0.0:
                log_row(s, pairs[i], c, 1.0, time, 1.0)


@kernel
def _work_of_movers(s, m, share):
    """Work (J) that kinematic bodies do through the resting forces of contact pair m."""
    p, total = s.pair_i[m], 0.0
    for c in range(p.point_count):
        r = s.row[L.POINTS * m + c]
        for side in range(2):
            body, arm = s.work[p[L.P_A + side]], load3(r, L.R_RA + 3 * side)
            if body.inverse_mass == 0.0:
                v = add(body.velocity, cross(body.angular_velocity, arm))
                total += (1.0 - 2.0 * side) * share * dot(to_world(r, r.impulse), v)
    return total


@kernel
def log_resting(s, m, time):
    """Rows of a touching pair with the share of their impulse that acted until `time`.

    A touching row without impulse is listed too (it touches), unless the pair has an impact in this step.
    Writes: s.count, s.out, s.par."""
    p = s.pair_i[m]
    since, span = s.pair_f[m].rest_start, s.pair_f[m].rest_span
    share = min((time - since) / span, 1.0) if span > 0.0 else 0.0
    if not share > 0.0:
        return
    s.par.energy_given -= _work_of_movers(s, m, share)
    for c in range(p.point_count):
        r = s.row[L.POINTS * m + c]
        # of a crowd there are rows that might have been reached
        if r.normal_impulse != 0.0 or (p.is_hit == 0 and r.gap <= s.pair_f[m].touch_gap):
            log_row(s, m, c, 0.0, time, share)


