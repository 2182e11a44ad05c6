# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Resting and sliding contacts over the rest of a step (docs/solvers.md, part II): complementarity at the end of the
step.

The velocities predicted under the external loads are corrected by contact impulses so that at the end of the step no
touching contact approaches, with Coulomb friction opposed to the slip at the end.  Impulses are warm-started.  The
result is a constant acceleration and torque per body, so that positions follow the mean of the old and the new
velocity: a body at rest does not sink.
"""
import math

from ..constants import NO_MATTER, REST_TOLERANCE, STILL
from ..constraints.cables import posing_work
from ..constraints.intervals import add_torques, aim, begin_interval, keep_velocities, note_impulses, note_limits
from ..contact.coulomb import most_friction
from ..contact.frame import has_moments, relative_rate, relative_velocity, to_world
from ..contact.pending_impulses import predict_end_velocities
from ..detect.midpoint import turn_back, turn_on, way_error
from ..detect.travel import slow
from ..maths.jit import kernel
from ..maths.vec3 import add, cross, dot, madd, norm, scale, sub, sym_mul
from ..model import layout as L
from ..motion.bodies import is_uniform, predict, turns_far, unload
from ..motion.limits import limit_torque, set_acceleration
from ..motion.schemes import turn
from .common import apply, exhausted, faint, speed_scale
from .island_solve import solve_island
from .joint_aim import aim_by_end
from .moments import twist

# m/s^2: what it gives in the interval is added to the speed scale of the convergence test: bodies at rest converge too
FLOOR = 10.0
# m/s, share of the interval, number: slower slips (5e-9 m in a step of 1 ms), earlier or later stops, and further stops
# of the same pair in a step are not given a time of their own
SLOW_SLIP = 1e-5
SHORTEST_STOP = 1e-3
STOPS_PER_PAIR = 2
# share of the slip that may be left where a row counts as stopped: at the edge of the cone the solve is slow to tell
STOPPED = 0.05
# of what turns, solves more for the rates that the forces of the last one truly lead to: each is better by the turn
RATE_ROUNDS = 3
# solves of an interval with constraints at most, and m or rad: an error at its end that is none
AIM_ROUNDS, AIMED = 30, 2e-16
# share of an error that is left by a solve that gains on it, and by one that gains too little to go on like that
HALVED, SLOWLY = 0.5, 0.03
# m or rad: an error that is more than the rounding of coordinates
ROUNDED = 1e-13


@kernel
def _leaves(ra, rb, r, u, h):
    """True if a row that separates with u (m/s) is not brought back by the loads within h seconds."""
    return u + dot(r.normal, sub(rb.external_acceleration, ra.external_acceleration)) * h > 0.0


@kernel
def _open(s, pairs, h):
    """Relative velocities before and targets of the rows; returns the largest of the velocities' components (m/s).
    Writes: s.row."""
    speed, least = 0.0, faint(s)
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        ra, rb = s.work[p.body_a], s.work[p.body_b]
        turn_back(s, pairs[i])
        for c in range(p.point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            u = relative_velocity(ra, rb, r, L.W_V, L.W_W)
            r.velocity_before = u
            if has_moments(r):
                r.rate_before = relative_rate(ra, rb, r, L.W_W)
            speed = max(speed, max(abs(u[0]), max(abs(u[1]), abs(u[2]))))
            # what separates may be back at the end, at the mean of both velocities nothing has moved into each other
            r.target_velocity = -u[0] if u[0] > least else 0.0
            if s.pair_f[pairs[i]].velocity_change > 0.0:
                # no faster than closes in another step what is left of the gap then: so it closes without an impact
                r.target_velocity = min(0.0, -(u[0] + 2.0 * max(r.gap, 0.0) / h) / 3.0)
            if r.is_twin == 1.0 or (turns_far(ra, h) or turns_far(rb, h)) and _leaves(ra, rb, r, u[0], h):
                # its twin acts; or by the end of the interval it is elsewhere: if it comes back, that is an impact
                r.target_velocity = -NO_MATTER
                r.warm_start_impulse = (0.0, 0.0, 0.0)
                r.warm_start_moment = (0.0, 0.0, 0.0)
    return speed


@kernel
def _start(s, pairs, bodies, start, h, midway):
    """Predict the velocities and apply the warm start; True if there was no impulse to start from.

    midway: all rows are taken in mid-interval.  Writes: s.row, s.work."""
    cold = True
    for i in range(len(bodies)):
        predict(s.work[bodies[i]], h, midway)
    if s.count.profiles > 0:
        predict_end_velocities(s, bodies, start + h, s.par.dt, 1.0)
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        ra, rb = s.work[p.body_a], s.work[p.body_b]
        for c in range(p.point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            j = r.warm_start_impulse
            r.impulse = j
            r.moment = r.warm_start_moment
            if j[0] != 0.0 or j[1] != 0.0 or j[2] != 0.0:
                cold = False
                apply(ra, rb, r, j, L.W_V1, L.W_W1)
            if has_moments(r):
                twist(ra, rb, r, r.moment, L.W_W1)
    return cold


@kernel
def _begin(s, pairs, bodies, start, h):
    """Open the rows, predict the velocities, apply the warm start.

    Returns the scale of velocities (m/s), if there was no impulse to start from, and if all rows are in mid-interval.
    Writes: s."""
    speed, rows, turned = max(FLOOR * h, _open(s, pairs, h)), 0, 0
    cold = _start(s, pairs, bodies, start, h, False)
    for i in range(len(pairs)):
        rows += s.pair_i[pairs[i]].point_count
        turned += turn_on(s, pairs[i], h)
    midway = turned > 0 and turned == rows
    if turned > 0:
        _start(s, pairs, bodies, start, h, midway)
    if midway:
        _set_rates(s, pairs, bodies, start, h)
    return speed, cold, midway


@kernel
def _needs_solving(s, pairs):
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        for c in range(p.point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            u = relative_velocity(s.work[p.body_a], s.work[p.body_b], r, L.W_V1, L.W_W1)
            if r.warm_start_normal_impulse > 0.0 or u[0] < r.target_velocity:
                return True
    return False


@kernel
def _mean_travel(r, h):
    """Mean displacement (m) over the next h seconds."""
    return scale(madd(r.velocity, r.acceleration, h / 3.0), 0.5 * h)


@kernel
def load_torques(s, pairs, bodies, end):
    """Torques of an island's bodies from its resting impulses, for the part of their interval up to time `end`.
    Writes: s.anchor, s.count, s.row, s.work."""
    _sum_torques(s, pairs, bodies, end)
    for i in range(len(bodies)):
        limit_torque(s, bodies[i], end)


@kernel
def _sum_torques(s, pairs, bodies, end):
    """load_torques without limits.

    The point of contact moves with both bodies alike: arms are taken to its mean place, so that the torques of the pair
    and the moments of its forces cancel to rounding over the part.  Writes: s.row, s.work."""
    for i in range(len(bodies)):
        r = s.work[bodies[i]]
        r.torque = r.external_torque
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        ra, rb = s.work[p.body_a], s.work[p.body_b]
        span, h = s.pair_f[pairs[i]].rest_span, end - s.pair_f[pairs[i]].rest_start
        if not span > 0.0:
            continue
        apart = (0.0, 0.0, 0.0)
        if ra.inverse_mass > 0.0 and rb.inverse_mass > 0.0:
            apart = scale(sub(_mean_travel(rb, h), _mean_travel(ra, h)), 0.5)
        for c in range(p.point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            f = scale(to_world(r, r.impulse), 1.0 / span)
            moment = scale(to_world(r, r.moment), 1.0 / span)
            off = apart
            if r.is_midway == 1.0 and ra.inverse_mass > 0.0 and rb.inverse_mass > 0.0:
                arms = sub(r.arm_b, r.arm_a)
                off = madd(apart, add(arms, sub(rb.position, ra.position)), 0.5)
            rb.torque = add(add(rb.torque, moment), cross(sub(r.arm_b, off), f))
            ra.torque = sub(sub(ra.torque, moment), cross(add(r.arm_a, off), f))
    if s.count.island_joints > 0:
        add_torques(s)


@kernel
def _set_rates(s, pairs, bodies, start, h):
    """Give bodies the rates that the impulses of the rows truly lead to: their inertia turns in the interval, and what
    they gain precesses.  Returns the largest change that makes of a surface's speed (m/s).  Writes: s.row, s.work."""
    change = 0.0
    for i in range(len(bodies)):
        r = s.work[bodies[i]]
        if r.inverse_mass > 0.0:
            r.acceleration = scale(sub(r.predicted_velocity, r.velocity), 1.0 / h)
    _sum_torques(s, pairs, bodies, start + h)
    for i in range(len(bodies)):
        r = s.work[bodies[i]]
        if r.inverse_mass > 0.0:
            w, torque = r.angular_velocity, r.torque
            if is_uniform(r):
                w = madd(w, sym_mul(r.inverse_inertia, torque), h)
            else:
                w = turn(r, r.attitude, w, torque, h)[1]
            change = max(change, norm(sub(w, r.predicted_angular_velocity)) * s.anchor[bodies[i]].radius)
            r.predicted_angular_velocity = w
    return change


@kernel
def solve_resting(s, pairs, bodies, start, h):
    """Contact forces of an island from time `start` for h seconds (s in the step).  Writes: s."""
    for i in range(len(pairs)):
        s.pair_f[pairs[i]].rest_start = start
        s.pair_f[pairs[i]].rest_span = h
    speed, cold, midway = _begin(s, pairs, bodies, start, h)
    if s.count.island_joints > 0:
        _solve_joined(s, pairs, bodies, start, h, speed)
        return
    if _needs_solving(s, pairs):
        speed += speed_scale(s, bodies, L.W_V1, L.W_W1)
        solved = solve_island(s, pairs, bodies, L.W_V1, L.W_W1, speed, REST_TOLERANCE, STILL * h, cold)
        for _ in range(RATE_ROUNDS if midway else 0):
            if not solved or exhausted(s) or _set_rates(s, pairs, bodies, start, h) <= faint(s):
                break
            solved = solve_island(s, pairs, bodies, L.W_V1, L.W_W1, speed, REST_TOLERANCE, STILL * h, False)
        for i in range(len(pairs)):
            s.pair_i[pairs[i]].unsolved = 0 if solved else 1
    if s.count.profiles > 0:
        predict_end_velocities(s, bodies, start + h, s.par.dt, -1.0)
    for i in range(len(bodies)):
        r = s.work[bodies[i]]
        unload(r)
        if r.inverse_mass > 0.0:
            set_acceleration(s, bodies[i], h)
    load_torques(s, pairs, bodies, start + h)


@kernel
def _set_motion(s, pairs, bodies, start, h):
    """Constant acceleration and torque of an island's bodies, as solved.  Writes: s.anchor, s.count, s.row, s.work."""
    for i in range(len(bodies)):
        unload(s.work[bodies[i]])
        if s.work[bodies[i]].inverse_mass > 0.0:
            set_acceleration(s, bodies[i], h)
    load_torques(s, pairs, bodies, start + h)


@kernel
def _solve_joined(s, pairs, bodies, start, h, speed):
    """solve_resting of an island with constraints: until its paths end where these hold, or at rounding of that.
    Writes: s."""
    begin_interval(s, start, h)
    keep_velocities(s)
    speed += speed_scale(s, bodies, L.W_V1, L.W_W1)
    left, stalls, solved, slow = math.inf, 0, True, False
    for k in range(AIM_ROUNDS):
        _set_motion(s, pairs, bodies, start, h)
        for n in range(s.count.island_joints):
            s.count.work += 2 * posing_work(s, s.joint_island[n], start + h)
        before, left = left, aim_by_end(s, start + h) if slow else aim(s, start + h)
        stalls += 0 if left < HALVED * before else 1
        if not slow and left > max(SLOWLY * before, ROUNDED):
            slow, stalls = True, -1     # from here on by the rows of the end
        if k > 0 and (left <= AIMED or stalls > 1 or exhausted(s)):
            break
        solved = solve_island(s, pairs, bodies, L.W_V1, L.W_W1, speed, REST_TOLERANCE, STILL * h, False)
        note_impulses(s)
    _set_motion(s, pairs, bodies, start, h)
    note_limits(s)
    for i in range(len(pairs)):
        s.pair_i[pairs[i]].unsolved = 0 if solved else 1


@kernel
def _friction(s, m):
    """Friction of contact pair m over the interval.

    Size of its sum (N s), its cone (N s), its work rate at the start (J), the fastest slip at the start (m/s) that is
    no error of the interval before.
    """
    total, cone, power, slip = (0.0, 0.0, 0.0), 0.0, 0.0, 0.0
    error = way_error(s, m)
    for c in range(s.pair_i[m].point_count):
        r = s.row[L.POINTS * m + c]
        u, j = r.velocity_before, r.impulse
        total = add(total, to_world(r, (0.0, j[1], j[2])))
        cone += most_friction(r.friction, j[0])
        power += u[1] * j[1] + u[2] * j[2]
        slip = max(slip, math.sqrt(u[1] * u[1] + u[2] * u[2]) - error * norm(r.velocity_bias))
    return norm(total), cone, power, slip


@kernel
def first_stop(s, pairs):
    """Share of the interval after which the first sliding pair comes to rest, 1 if none does, and that pair.

    A pair that slides at the start and sticks at the end was given less friction than its cone allows: with full
    friction it stops after |J_t| / (mu J_n) of the interval (docs/pipeline.md: a body that stops inside a step
    stops at that time).  Where its points slide in several directions the sum of their friction is less than its cone
    too: what slides at the end as well has not stopped.
    """
    share, first = 1.0, -1
    for i in range(len(pairs)):
        if s.pair_i[pairs[i]].stops >= STOPS_PER_PAIR:
            continue
        friction, cone, power, slip = _friction(s, pairs[i])
        slides = slip > max(SLOW_SLIP, slow(s, pairs[i])) and power < 0.0
        stops = slides and SHORTEST_STOP * cone < friction < (1.0 - SHORTEST_STOP) * cone
        if stops and friction < share * cone and has_stopped(s, pairs[i]):
            share, first = friction / cone, pairs[i]
    return share, first


@kernel
def has_stopped(s, m):
    """True if contact pair m has lost its slip at the end of the interval that it was solved over.

    Over a shortened one it may not have: where pairs are coupled the estimate can be wrong.
    """
    p = s.pair_i[m]
    for c in range(p.point_count):
        r = s.row[L.POINTS * m + c]
        u0, u1 = r.velocity_before, relative_velocity(s.work[p.body_a], s.work[p.body_b], r, L.W_V1, L.W_W1)
        if u1[1] * u1[1] + u1[2] * u1[2] > STOPPED * STOPPED * (u0[1] * u0[1] + u0[2] * u0[2]):
            return False
    return True


@kernel
def shorten(s, pairs, share):
    """Warm start for a solve over `share` of the interval just solved.  Writes: s.row."""
    for i in range(len(pairs)):
        for c in range(s.pair_i[pairs[i]].point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            r.warm_start_impulse = scale(r.impulse, share)
            r.warm_start_moment = scale(r.moment, share)
