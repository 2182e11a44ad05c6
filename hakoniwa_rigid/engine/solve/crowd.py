# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Crowds: what an island is solved by that costs too much to be solved exactly (docs/adr/0018-crowds.md).

Time stepping in velocities (Moreau 1988, Jean 1999): all contacts that may be reached until the end of the step, known
or still ahead, are one problem; a fixed number of Gauss-Seidel sweeps over it with Coulomb's cone, from the forces of
the last step on; then one straight path to the end.  No times of impact, no events: the work is linear in the contacts.
A contact ahead may close by its gap and no more.  Where impulses would make kinetic energy, they are scaled down.
"""
import math

from ..constants import (
    BOUNCE_SWEEPS,
    CREDITED,
    CROWD_CAP,
    CROWD_SLOP,
    CROWD_SWEEPS,
    CROWD_TIME,
    FREE_WORK,
    HUGE,
    HUGE_SWEEPS,
    LANES,
    LEFT_BY_SOLVE,
    LONGEST_CROWD_TIME,
    MOST_CREDIT,
    ROTATION_SUBSTEP,
    SETTLED,
    SETTLED_CREDIT,
    SLOP,
    UNEVEN,
    UNEVEN_WORK,
)
from ..contact.frame import has_moments
from ..contact.log import log_resting, log_row
from ..contact.material import elasticity, slowest_bounce
from ..contact.pending_impulses import runs
from ..detect.clusters import cluster_size
from ..detect.contact_points import add_late_points, crowd_reach, look_ahead, open_point
from ..maths import elementary
from ..maths.jit import kernel
from ..maths.search import sort_small
from ..maths.vec3 import madd, norm, scale, store3, sym_mul
from ..model import layout as L
from ..motion.bodies import advance, advance_in_contact
from ..motion.limits import limit_row
from ..motion.states import in_crowd
from ..shapes.kinds import UNBOUNDED
from .common import apply, surface_speed
from .crowd_energy import calm_down, make_no_energy
from .crowd_gaps import keep_gaps
from .crowd_sweeps import is_capped, solve_all
from .island_solve import SEED, is_driven, let_static_win, tame
from .islands import next_stamp
from .moments import twist
from .warm_start import warm_start_crowd

# shares of the fastest approach: a sweep that changes no velocity by more is the last; of small and huge crowds and
# those of very different masses, of others, and where it is fast
ENOUGH, MANY, HURRIED = 1e-3, 3e-3, 5e-3
# m/s: below this speed the former count, above the last
UNHURRIED = 0.2


@kernel
def _reach_out(s, pairs, bodies, first, t, h):
    """Collect the crowd of body `first` at time t: every dynamic body that may be reached from it through contacts that
    may be reached.  Returns the numbers of pairs and of bodies.  Writes: s, pairs, bodies."""
    stamp = next_stamp(s)
    bodies[0], n, b, done = first, 0, 1, 0
    s.body[first].stamp = stamp
    while done < b:
        i = bodies[done]
        done += 1
        if s.body[i].kind != L.DYNAMIC:
            continue
        for k in range(s.body[i].first_adjacent, s.body[i].first_adjacent + s.body[i].adjacent_count):
            m = s.adjacent[k]
            p = s.pair_i[m]
            if p.stamp == stamp:
                continue
            p.stamp = stamp
            other = p.body_b if p.body_a == i else p.body_a
            if s.work[other].is_done == 1.0 and s.work[other].inverse_mass > 0.0:
                continue
            if p.looks_ahead == 0 or t > 0.0:
                if p.touches == 1:
                    log_resting(s, m, t)
                _bring(s, i, t)
                _bring(s, other, t)
                look_ahead(s, m, crowd_reach(s, m, h - t), False, s.pair_f[m].normal)
            if runs(s, m):
                p.point_count = 0
            if p.point_count == 0:
                continue
            pairs[n] = m
            n += 1
            if s.body[other].stamp != stamp:
                s.body[other].stamp = stamp
                bodies[b] = other
                b += 1
    return n, b


@kernel
def _bring(s, i, t):
    """Body i to time t of the step, if it is not there.  Writes: s.block, s.par, s.work."""
    r = s.work[i]
    if r.time < t:
        s.par.energy_given += advance_in_contact(r, t)
    s.block[i // LANES, L.H_FREE * LANES + i % LANES] = 0.0


@kernel
def _predict(s, bodies, h):
    """Velocities after h seconds of the external loads alone, into W_V1 and W_W1, and into W_BACK, where they stay.
    Writes: s.work."""
    for k in range(len(bodies)):
        r = s.work[bodies[k]]
        r.predicted_velocity = madd(r.velocity, r.external_acceleration, h)
        r.predicted_angular_velocity = madd(r.angular_velocity, sym_mul(r.inverse_inertia, r.external_torque), h)
        r.velocity_to_restore = r.predicted_velocity
        store3(r, L.W_BACK + 3, r.predicted_angular_velocity)


@kernel
def _set_cap(s, bodies):
    """No impulse is larger than this: where bodies are squeezed by others of infinite mass there is no solution.
    Writes: s.par."""
    mass, speed = 0.0, 0.0
    for k in range(len(bodies)):
        r = s.work[bodies[k]]
        if s.anchor[bodies[k]].radius < UNBOUNDED:
            speed = max(speed, surface_speed(s, bodies[k], L.W_V1, L.W_W1))
        mass += 1.0 / r.inverse_mass if r.inverse_mass > 0.0 else 0.0
    s.par.crowd_impulse_cap = CROWD_CAP * mass * speed


@kernel
def _open(s, pairs, h, warm):
    """Targets of the rows, their velocities before, and the forces of the last step; the fastest approach (m/s).
    Writes: s.row, s.work."""
    low, fastest = 0, 0.0
    for i in range(len(pairs)):
        m = pairs[i]
        p = s.pair_i[m]
        ra, rb = s.work[p.body_a], s.work[p.body_b]
        if warm:
            low = warm_start_crowd(s, m, h, low)
        for c in range(p.point_count):
            r = s.row[L.POINTS * m + c]
            open_point(ra, rb, r, h)
            fastest = max(fastest, -r.first_normal_velocity)
            keep = warm and r.is_twin == 0.0
            r.impulse = r.warm_start_impulse if keep else (0.0, 0.0, 0.0)
            r.moment = r.warm_start_moment if keep else (0.0, 0.0, 0.0)
    for i in range(len(pairs) if warm else 0):
        p = s.pair_i[pairs[i]]
        for c in range(p.point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            if r.normal_impulse > 0.0:
                apply(s.work[p.body_a], s.work[p.body_b], r, r.impulse, L.W_V1, L.W_W1)
                if has_moments(r):
                    twist(s.work[p.body_a], s.work[p.body_b], r, r.moment, L.W_W1)
    return fastest


@kernel
def _bounce(s, pairs):
    """Give rows that were hit their restitution; True if there are any.  Writes: s.row."""
    any_bounces = False
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        for c in range(p.point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            if r.normal_impulse > 0.0:
                r.restitution = elasticity(s, p, r, -r.normal_velocity_before)
                if r.restitution > 0.0:
                    r.target_velocity = -r.restitution * r.normal_velocity_before
                    any_bounces = True
    return any_bounces


@kernel
def _crowding(s, bodies):
    """Numbers of the bodies of a crowd that move, and of its cluster.  Writes: s.body."""
    free, near = 0, 0
    for k in range(len(bodies)):
        if s.work[bodies[k]].inverse_mass > 0.0:
            free, near = free + 1, max(near, cluster_size(s, bodies[k]))
    return free, max(free, near)


@kernel
def _is_uneven(s, bodies):
    """True if the masses of a crowd are so different that sweeps do not get anywhere."""
    light, heavy = 0.0, math.inf
    for k in range(len(bodies)):
        im = s.work[bodies[k]].inverse_mass
        if im > 0.0:
            light, heavy = max(light, im), min(heavy, im)
    return light > UNEVEN * heavy


@kernel
def _free_work(s, bodies, tried):
    """Work units that a crowd may spend on solving all rows together: where bodies are few, in the cluster too, and not
    many of them have been tried exactly in this step, or of very different masses.  Writes: s.body."""
    free, near = _crowding(s, bodies)
    uneven = UNEVEN_WORK * free if _is_uneven(s, bodies) else 0
    return max(uneven, 0 if tried else elementary.whole(
        FREE_WORK * free / near * elementary.square(min(1.0, CREDITED / near))))


@kernel
def _solve_on(s, pairs, bodies, h, most, enough, free):
    """Impulses of all rows, and once more with those that come in by how the bodies turn then; returns as there.
    Writes: s."""
    (change, free), late = solve_all(s, pairs, bodies, most, enough, free), False
    for m in pairs:
        late = add_late_points(s, m, h) or late
    return solve_all(s, pairs, bodies, BOUNCE_SWEEPS, enough, free) if late else (change, free)


@kernel
def _solve(s, pairs, bodies, h, enough, tried):
    """Impulses of all rows; the largest change (m/s) of the last sweep.  tried: many bodies, exactly in this step.
    Writes: s."""
    most = BOUNCE_SWEEPS if tried else HUGE_SWEEPS if len(bodies) > HUGE else CROWD_SWEEPS
    change, free = _solve_on(s, pairs, bodies, h, most, enough, _free_work(s, bodies, tried))
    if _bounce(s, pairs):
        change, free = _solve_on(s, pairs, bodies, h, BOUNCE_SWEEPS, enough, free)
    if make_no_energy(s, pairs):
        s.count.restitution_lowered += 1
    keep_gaps(s, pairs, h)
    if is_driven(s, bodies):
        let_static_win(s, pairs, L.W_V1, L.W_W1)
        tame(s, bodies, L.W_V1, L.W_W1, 1.0 if is_capped(s, pairs) else SEED)
    return change


@kernel
def _is_hit(s, p, r):
    """True if a row was an impact, not a rest: it met faster than what never bounces."""
    ra, rb = s.work[p.body_a], s.work[p.body_b]
    return r.normal_impulse > 0.0 and -r.normal_velocity_before >= slowest_bounce(s, ra, rb, r)


@kernel
def _close(s, pairs, t):
    """Touch and log: impacts at once; what is left is logged with what rests at the end of the step.
    Writes: s.count, s.out, s.pair_i, s.row."""
    for i in range(len(pairs)):
        m = pairs[i]
        p, hit = s.pair_i[m], False
        for c in range(p.point_count):
            r = s.row[L.POINTS * m + c]
            if _is_hit(s, p, r) and r.normal_impulse > r.warm_start_normal_impulse:
                # what it carried before it goes on carrying
                rest = max(r.warm_start_normal_impulse, 0.0) / r.normal_impulse
                log_row(s, m, c, 1.0, t, 1.0 - rest)
                hit = True
                r.impulse = scale(r.impulse, rest)
                r.moment = scale(r.moment, rest)
        if hit:
            p.is_hit = 1
            s.count.impacts += 1


@kernel
def _ends(s, bodies):
    """True in the last step of a crowd all of whose bodies hardly move."""
    for k in range(len(bodies)):
        r, i = s.work[bodies[k]], bodies[k]
        if r.inverse_mass == 0.0:
            if norm(r.predicted_velocity) + norm(r.predicted_angular_velocity) > SETTLED:
                return False
        elif surface_speed(s, i, L.W_V1, L.W_W1) > SETTLED or s.body[i].crowd_until != s.count.steps + 1:
            return False
    return True


@kernel
def _settle(s, bodies):
    """Velocities to 0: the exact solve goes on from rest.  Writes: s.body, s.work."""
    for k in range(len(bodies)):
        r = s.work[bodies[k]]
        if r.inverse_mass > 0.0:
            r.predicted_velocity = (0.0, 0.0, 0.0)
            r.predicted_angular_velocity = (0.0, 0.0, 0.0)
            s.body[bodies[k]].credit_used = MOST_CREDIT - SETTLED_CREDIT
            s.body[bodies[k]].credit_step = s.count.steps


@kernel
def _finish(s, bodies):
    """Straight to the end of the step with the velocities found.  Writes: s.anchor, s.count, s.work."""
    for k in range(len(bodies)):
        r = s.work[bodies[k]]
        if r.inverse_mass > 0.0:
            r.velocity = r.predicted_velocity
            r.angular_velocity = r.predicted_angular_velocity
            limit_row(s, bodies[k])
            r.acceleration = (0.0, 0.0, 0.0)
            r.torque = (0.0, 0.0, 0.0)
            r.is_done = 1.0


@kernel
def _fly(s, bodies, h):
    """All that is settled to the end h of the step.  Writes: s.count, s.work."""
    for k in range(len(bodies)):
        r = s.work[bodies[k]]
        if r.is_done == 1.0:
            s.count.work += elementary.whole(norm(r.angular_velocity) * h / ROTATION_SUBSTEP)
            advance(r, h)


@kernel
def enter_crowd(s, bodies, h):
    """Bodies of an island that has cost too much are a crowd from now on: for longer, the sooner it is one again.
    Writes: s.body, s.count."""
    now, wait = s.count.steps, elementary.whole(CROWD_TIME / h) + 1
    for k in range(len(bodies)):
        b = s.body[bodies[k]]
        if b.kind == L.DYNAMIC and b.crowd_wait > 0 and now - b.crowd_until <= b.crowd_wait:
            wait = max(wait, min(2 * b.crowd_wait, elementary.whole(LONGEST_CROWD_TIME / h) + 1))
    for k in range(len(bodies)):
        b = s.body[bodies[k]]
        if b.kind == L.DYNAMIC:
            b.crowd_until, b.crowd_wait = now + wait, wait
    s.count.crowded_until = max(s.count.crowded_until, now + wait)


@kernel
def _join(s, bodies):
    """One crowd ends as one: all its bodies are in it as long as any.  Writes: s.body."""
    until, wait = 0, 0
    for k in range(len(bodies)):
        b = s.body[bodies[k]]
        if b.kind == L.DYNAMIC:
            until, wait = max(until, b.crowd_until), max(wait, b.crowd_wait)
    for k in range(len(bodies)):
        b = s.body[bodies[k]]
        if b.kind == L.DYNAMIC:
            b.crowd_until, b.crowd_wait = until, wait


@kernel
def step_crowd(s, first, t, h, must):
    """Take the crowd of dynamic body `first` from time t to the end h of the step.

    A body that meets nothing that may be reached is left alone, unless it must be taken.  Writes: s."""
    m = len(s.pair_i)
    _bring(s, first, t)
    n, b = _reach_out(s, s.island[:m], s.island[m:], first, t, h)
    if n == 0 and not must:
        return
    pairs, bodies = s.island[:n], s.island[m:m + b]
    sort_small(pairs)
    _join(s, bodies)
    s.count.crowds += 1
    for k in range(len(bodies)):
        _bring(s, bodies[k], t)
    _predict(s, bodies, h - t)
    calm_down(s, bodies, h - t)
    _set_cap(s, bodies)
    fastest = _open(s, pairs, h - t, t == 0.0)
    few = _crowding(s, bodies)[1] <= CREDITED
    finely = few or len(bodies) > HUGE or _is_uneven(s, bodies)
    share = HURRIED if fastest > UNHURRIED else ENOUGH if finely else MANY
    change = _solve(s, pairs, bodies, h - t, share * fastest, must and (fastest > UNHURRIED or not few))
    s.par.crowd_residual = max(s.par.crowd_residual, change)
    slop = CROWD_SLOP
    if few:
        slop = min(CROWD_SLOP, max(SLOP, LEFT_BY_SOLVE * h * change))
    s.count.unsolved += 1 if is_capped(s, pairs) else 0
    for i in range(len(pairs)):
        s.pair_i[pairs[i]].touches, s.pair_f[pairs[i]].time_of_impact = 1, math.inf
        s.pair_f[pairs[i]].rest_start, s.pair_f[pairs[i]].rest_span = t, h - t
        s.pair_f[pairs[i]].residual, s.pair_f[pairs[i]].overlap_slop = change, slop
    if _ends(s, bodies):
        _settle(s, bodies)
    _finish(s, bodies)
    _close(s, pairs, t)
    _fly(s, bodies, h)


@kernel
def step_crowds(s, h):
    """All crowds there are at the start of the step.  Writes: s."""
    for k in range(s.count.close_bodies):
        i = s.close[k]
        if in_crowd(s, i) == 1 and s.body[i].kind == L.DYNAMIC and s.work[i].is_done == 0.0:
            step_crowd(s, i, 0.0, h, False)
