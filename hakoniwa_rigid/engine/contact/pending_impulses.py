# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Impacts that are delivered over time: running profiles, their forces in this step, and the impulses still pending.

The laws of contact see every body as if its running profiles had been delivered whole: so a pair in the middle of its
contact separates already and does not fire again, later hits come on top, and no sequence of hits makes energy.  The
bodies move with what they have got so far.
"""
import math

from ..constants import LANES, MAX_SPEED, MOST_PENDING, SHORTEST_REST
from ..maths.jit import kernel
from ..maths.vec3 import add, dot, load3, madd, norm, scale, store3, sym_mul
from ..model import layout as L
from .force_profile import share_until

# durations of a profile, from its beginning, in which its normal stays while the shapes are deeper than SHALLOW (m)
COMES_OUT = 3.0
SHALLOW = 1e-5


@kernel
def _clear(s, k):
    """Writes: s.pending."""
    for f in range(L.Y_A, L.Y_B + 1):
        for c in range(L.PENDING):
            s.pending[int(s.profile[k, f]), c] = 0.0


@kernel
def _add_pending(d, impulse, turn, now, later, h):
    """Add the shares `now` (during the next h seconds) and `later` of an impulse and angular impulse to what is pending
    of a body.  Writes: d."""
    if (now + later) * (dot(impulse, impulse) + dot(turn, turn)) == 0.0:
        return
    d.profile_count += 1.0
    d.force = madd(d.force, impulse, now / h)
    d.torque = madd(d.torque, turn, now / h)
    d.impulse = madd(d.impulse, impulse, later)
    d.angular_impulse = madd(d.angular_impulse, turn, later)


@kernel
def begin_profiles(s, h):
    """Forces of the running profiles over the step of h seconds; the same however often it is called.
    Writes: s.pending."""
    n = s.count.profiles
    for k in range(n):
        _clear(s, k)
    kind = int(s.par.contact_profile)
    for k in range(n):
        y = s.profile[k]
        before = share_until(kind, y.age / y.duration)
        after = share_until(kind, (y.age + h) / y.duration)
        _add_pending(s.pending[int(y.body_a)], y.impulse_a, y.angular_impulse_a, after - before, 1.0 - after, h)
        _add_pending(s.pending[int(y.body_b)], y.impulse_b, y.angular_impulse_b, after - before, 1.0 - after, h)


@kernel
def limit_pending(s, h):
    """Cut the forces of profiles on every body to what changes its speeds by MOST_PENDING of MAX_SPEED in the step of h
    seconds; whether any was larger.  Such a hit is beyond the engine's range: momentum is lost with what is cut.
    Writes: s.anchor, s.count, s.pending."""
    changed = False
    for i in range(len(s.body)):
        d, b, k = s.pending[i], s.block[i // LANES], i % LANES
        im, j = b[L.H_IM * LANES + k], max(b[L.H_J * LANES + k], max(b[(L.H_J + 1) * LANES + k],
                                                                      b[(L.H_J + 2) * LANES + k]))
        size = max(norm(d.force) * im, norm(d.torque) * j) * h
        if not size <= MOST_PENDING * MAX_SPEED:
            share = MOST_PENDING * MAX_SPEED / size if size < math.inf else 0.0
            d.force = scale(d.force, share) if share > 0.0 else (0.0, 0.0, 0.0)
            d.torque = scale(d.torque, share) if share > 0.0 else (0.0, 0.0, 0.0)
            s.count.limited += 1
            s.anchor[i].top_speed = max(s.anchor[i].top_speed, norm(d.force) * im * h)
            changed = True
    return changed


@kernel
def deliver(s, m, normal, impulse, turn_a, turn_b, duration, t, h):
    """Start a profile of contact pair m at time t of the step: impulse (N s) on b, angular impulses on a and b;
    duration (s).

    One that ends within the step is delivered at once: a step resolves no more.  So is one for which there is no room:
    more than PROFILES_PER_PAIR of one contact pair in one step.  Writes: s.count, s.pending, s.profile, s.work."""
    p = s.pair_i[m]
    a, b = p.body_a, p.body_b
    k = s.count.profiles
    if k == len(s.profile) or duration <= h - t:
        _hit(s.work[a], scale(impulse, -1.0), turn_a)
        _hit(s.work[b], impulse, turn_b)
        return
    s.count.profiles = k + 1
    y, rest = s.profile[k], h - t
    y.body_a, y.body_b, y.age, y.duration = a, b, -t, duration
    y.shape_a, y.shape_b, y.patch = p.shape_a, p.shape_b, p.patch
    y.normal = normal
    y.impulse_a = scale(impulse, -1.0)
    y.impulse_b = impulse
    y.angular_impulse_a = turn_a
    y.angular_impulse_b = turn_b
    now = share_until(int(s.par.contact_profile), rest / duration) if rest > SHORTEST_REST * h else 0.0
    if now == 0.0:
        y.age = -h
        rest = h
    _add_pending(s.pending[a], scale(impulse, -1.0), turn_a, now, 1.0 - now, rest)
    _add_pending(s.pending[b], impulse, turn_b, now, 1.0 - now, rest)
    _load(s.work[a], scale(impulse, -1.0), turn_a, now / rest)
    _load(s.work[b], impulse, turn_b, now / rest)


@kernel
def _hit(r, impulse, turn):
    """All at once.  Writes: r."""
    if r.inverse_mass > 0.0:
        r.velocity = madd(r.velocity, impulse, r.inverse_mass)
        r.angular_velocity = add(r.angular_velocity, sym_mul(r.inverse_inertia, turn))


@kernel
def _load(r, impulse, turn, rate):
    """External load of a work row for the rest of the step.  Writes: r."""
    if r.inverse_mass > 0.0:
        r.external_acceleration = madd(r.external_acceleration, impulse, rate * r.inverse_mass)
        r.external_torque = madd(r.external_torque, turn, rate)


@kernel
def pending_velocity(s, i, t, h):
    """Velocity (m/s) and rate (rad/s) that the running profiles will still give to body i after time t of the step."""
    d, r = s.pending[i], s.work[i]
    j = madd(d.impulse, d.force, h - t)
    turn = madd(d.angular_impulse, d.torque, h - t)
    if r.inverse_mass == 0.0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    return scale(j, r.inverse_mass), sym_mul(r.inverse_inertia, turn)


@kernel
def predict_velocities(s, bodies, t, h):
    """Add to the bodies' velocities what pending impulses will; keep the old ones for `restore_velocities`.
    Writes: s.work."""
    for k in range(len(bodies)):
        r = s.work[bodies[k]]
        r.kept_velocity = r.velocity
        store3(r, L.W_KEPT + 3, r.angular_velocity)
        if s.pending[bodies[k]].profile_count > 0.0:
            v, w = pending_velocity(s, bodies[k], t, h)
            r.velocity = add(r.velocity, v)
            r.angular_velocity = add(r.angular_velocity, w)


@kernel
def restore_velocities(s, bodies):
    """Undo `predict_velocities`.  Writes: s.work."""
    for k in range(len(bodies)):
        r = s.work[bodies[k]]
        r.velocity = r.kept_velocity
        r.angular_velocity = load3(r, L.W_KEPT + 3)


@kernel
def predict_end_velocities(s, bodies, end, h, sign):
    """Add (sign 1) the velocity still pending after time `end` to the velocities predicted for it, or take it away
    (-1).  Writes: s.work."""
    for k in range(len(bodies)):
        if s.pending[bodies[k]].profile_count > 0.0:
            r = s.work[bodies[k]]
            v, w = pending_velocity(s, bodies[k], end, h)
            r.predicted_velocity = madd(r.predicted_velocity, v, sign)
            r.predicted_angular_velocity = madd(r.predicted_angular_velocity, w, sign)


@kernel
def runs(s, m):
    """True if a body of contact pair m is in the middle of a contact over time."""
    if s.count.profiles == 0:
        return False
    a, b = s.pair_i[m].body_a, s.pair_i[m].body_b
    return ((s.work[a].inverse_mass > 0.0 and s.pending[a].profile_count > 0.0)
            or (s.work[b].inverse_mass > 0.0 and s.pending[b].profile_count > 0.0))


@kernel
def normal_now(s, m, normal):
    """Normal of contact pair m: from the impact of a profile until the shapes have come out of each other that of the
    impact, whatever they say while pressed in; else the given one."""
    p = s.pair_i[m]
    for k in range(s.count.profiles - 1, -1, -1):
        if _is_of(s.profile[k], p):
            return s.profile[k].normal
    return normal


@kernel
def _is_of(y, p):
    """True if profile y is of contact pair p."""
    return y.shape_a == p.shape_a and y.shape_b == p.shape_b and y.patch == p.patch


@kernel
def presses(s, m):
    """True if a profile of contact pair m, or of another patch of its shapes, is running."""
    p = s.pair_i[m]
    for k in range(s.count.profiles):
        y = s.profile[k]
        if y.shape_a == p.shape_a and y.shape_b == p.shape_b and y.age < y.duration:
            return True
    return False


@kernel
def _comes_out(s, y):
    """True if the shapes of profile y, which is over, still are deep in each other: they separate along its normal."""
    if y.age > COMES_OUT * y.duration:
        return False
    for m in range(s.count.contact_pairs):
        if _is_of(y, s.pair_i[m]):
            deepest = 0.0
            for c in range(s.pair_i[m].point_count if s.pair_i[m].touches == 1 else 0):
                deepest = max(deepest, s.row[L.POINTS * m + c].depth)
            return deepest > SHALLOW
    return False


@kernel
def end_profiles(s, h):
    """The step of h seconds is over: profiles age, and leave when they are delivered and the shapes have come out.
    Writes: s.count, s.pending, s.profile."""
    n, kept = s.count.profiles, 0
    for k in range(n):
        _clear(s, k)
    for k in range(n):
        y = s.profile[k]
        y.age += h
        if y.age < y.duration or _comes_out(s, y):
            s.profile[kept] = y
            kept += 1
    s.count.profiles = kept
