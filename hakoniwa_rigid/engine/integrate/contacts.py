# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Contacts inside one step: islands that touch at its start, then every impact at its own time.

Bodies keep local times.  Between events a body moves under constant acceleration and torque: external loads plus the
resting forces of its island.  An impact brings its island to the instant, resolves it, solves the resting contacts for
the time that is left, and looks for the next impacts of the bodies involved.
"""
import math

from ..constants import (
    IMPACTS_PER_BODY,
    INFEASIBLE,
    LANES,
    LATE_EVENTS,
    LONG_TURN,
    NO_BUDGET,
    SHORTEST_REST,
)
from ..constraints.bodies import is_active
from ..contact.log import log_impacts, log_resting
from ..contact.pending_impulses import predict_velocities, restore_velocities
from ..detect.clusters import count_cluster_pairs
from ..detect.contact_points import evaluate
from ..maths.jit import inline, kernel
from ..maths.vec3 import load3, norm, scale, store3
from ..model import layout as L
from ..motion.bodies import advance_in_contact, hold, scatter, unload
from ..motion.limits import limit_row
from ..solve.budget import budget_left, charge
from ..solve.common import exhausted
from ..solve.crowd import enter_crowd, step_crowd, step_crowds
from ..solve.deliveries import deliver_impacts, set_times
from ..solve.flush import leave_one_manifold
from ..solve.impacts import solve_impacts
from ..solve.islands import begin_touch, collect, collect_joined, next_stamp
from ..solve.joint_impacts import end_joints, note_cables
from ..solve.recovery import recover_overlap
from ..solve.resting import first_stop, has_stopped, load_torques, shorten, solve_resting
from ..solve.warm_start import remember, warm_start
from .impact_queue import earliest, is_done, is_first, schedule
from .joints import (
    charge_joined,
    charge_looks,
    close_intervals,
    earliest_joint,
    finish_joints,
    leave_crowds,
    limit_joined,
    schedule_cables,
    solve_joined_interval,
)

# s: impacts of one island this close in time are one: the order of rounding errors must not decide what a body does
# that lands on several parts at once
SAME_TIME = 1e-12
# s: the same where static shapes lie side by side: their tops are one only up to rounding
SAME_FLOOR = 1e-9


@kernel
def _is_infeasible(s, bodies):
    """True if a body is in an infeasible island; where it would stop sliding is no longer of interest."""
    infeasible = False
    for i in range(len(bodies)):
        infeasible = infeasible or s.work[bodies[i]].impacts >= INFEASIBLE
    return infeasible


@kernel
def _limit(s, bodies):
    """No hit leaves a body of an island faster than the world's limits.  Writes: s.anchor, s.count, s.work."""
    for i in range(len(bodies)):
        limit_row(s, bodies[i])


@kernel
def solve_island(s, pairs, bodies, t, h):
    """Impacts of an island at time t, then its resting contacts until the end h of the step.

    Where a sliding contact stops before, the contacts are solved until then, and the island has another event at that
    time.  Writes: s."""
    _put_aside(s, bodies)
    if len(s.beside) > 0:
        leave_one_manifold(s, pairs)
    if s.par.contact_profile == L.NO_PROFILE:
        if solve_impacts(s, pairs, bodies):
            log_impacts(s, pairs, t)
            if s.count.island_joints > 0:
                end_joints(s, t)
            _limit(s, bodies)
            _put_aside(s, bodies)
    else:
        predict_velocities(s, bodies, t, h)
        hit = solve_impacts(s, pairs, bodies)
        if hit:
            set_times(s, pairs)
            log_impacts(s, pairs, t)
        restore_velocities(s, bodies)
        if hit:
            deliver_impacts(s, pairs, t, h)
            _limit(s, bodies)
            _put_aside(s, bodies)
    if exhausted(s) and s.count.island_joints == 0:
        return
    for i in range(len(pairs)):
        s.pair_f[pairs[i]].time_of_impact = math.inf
    if s.count.island_joints > 0:
        note_cables(s, t)
    if h - t > SHORTEST_REST * h:
        if s.count.island_joints > 0:
            solve_joined_interval(s, pairs, bodies, t, h)
            return
        solve_resting(s, pairs, bodies, t, h - t)
        share, first = first_stop(s, pairs)
        if share == 1.0 or _is_infeasible(s, bodies) or exhausted(s):
            return
        shorten(s, pairs, share)
        s.pair_i[first].stops += 1
        solve_resting(s, pairs, bodies, t, share * (h - t))
        if has_stopped(s, first):
            s.pair_f[first].time_of_impact = t + share * (h - t)
        else:
            shorten(s, pairs, 1.0 / share)
            solve_resting(s, pairs, bodies, t, h - t)
        return
    for i in range(len(bodies)):
        unload(s.work[bodies[i]])
    for i in range(len(pairs)):
        s.pair_f[pairs[i]].rest_span = 0.0


@kernel
def _put_aside(s, bodies):
    """Velocities to go back to.  Writes: s.work."""
    for i in range(len(bodies)):
        r = s.work[bodies[i]]
        r.velocity_to_restore = r.velocity
        store3(r, L.W_BACK + 3, r.angular_velocity)


@kernel
def solve_island_within(s, pairs, bodies, t, h):
    """solve_island, at what it may cost.  False if that was too little: then the island has gone to the end of the step
    as a crowd.  What is under constraints is never one: it is solved less well, and has no more events.  Writes: s."""
    if s.count.island_joints > 0:
        spent = limit_joined(s, pairs, s.par.dt)
        solve_island(s, pairs, bodies, t, h)
        charge_joined(s, bodies, spent)
        return True
    (left, credit), before = budget_left(s, pairs, bodies, h), s.count.work
    if left + credit > 0:
        s.count.work_limit = before + left + credit
        solve_island(s, pairs, bodies, t, h)
        over = exhausted(s)
        s.count.work_limit = NO_BUDGET
        work = s.count.work - before
        charge(s, bodies, work, max(0, work - max(left, 0)) if credit > 0 else 0)
        if not over:
            return True
        for i in range(len(bodies)):
            r = s.work[bodies[i]]
            r.velocity = r.velocity_to_restore
            r.angular_velocity = load3(r, L.W_BACK + 3)
    _end_as_crowd(s, pairs, bodies, t, h)
    return False


@kernel
def _end_as_crowd(s, pairs, bodies, t, h):
    """An island goes from time t to the end h of the step as a crowd.  Writes: s."""
    enter_crowd(s, bodies, h)
    for i in range(len(pairs)):     # their books are closed
        s.pair_f[pairs[i]].rest_span = 0.0
    # s.island, where the bodies are listed, is used again from here on
    for i in bodies.copy():
        if s.work[i].inverse_mass > 0.0 and s.work[i].is_done == 0.0:
            step_crowd(s, i, t, h, True)


@kernel
def _take_over(s, bodies):
    """Bodies of an island move by their work rows: what free flight made of them does not count.  Writes: s.block."""
    for i in range(len(bodies)):
        s.block[bodies[i] // LANES, L.H_FREE * LANES + bodies[i] % LANES] = 0.0


@inline
def solve_touching_islands(s, h):
    """All islands that touch at the start of the step.  Writes: s."""
    first, row = s.count.stamp + 1, 0
    for m in range(s.count.contact_pairs):
        if s.pair_i[m].touches == 1 and not is_done(s, m):
            row = warm_start(s, m, h, row)
    for m in range(s.count.contact_pairs):
        if s.pair_i[m].touches == 1 and s.pair_i[m].stamp < first and not is_done(s, m):
            pairs, bodies = collect(s, m, next_stamp(s), -math.inf)
            _take_over(s, bodies)
            solve_island_within(s, pairs, bodies, 0.0, h)
            if s.count.joints > 0:
                schedule_cables(s, 0.0, h)
    for k in range(len(s.joint_i) if s.count.joints > 0 else 0):
        if is_active(s, k) and s.joint_i[k].stamp < first:
            pairs, bodies = collect_joined(s, -1, k, next_stamp(s), -math.inf)
            _take_over(s, bodies)
            solve_island_within(s, pairs, bodies, 0.0, h)
            schedule_cables(s, 0.0, h)


@kernel
def refresh_manifold(s, m, t, h):
    """Close the books of a pair's resting interval at time t, and find its contact points anew.  Writes: s."""
    log_resting(s, m, t)
    old, span = s.pair_i[m].point_count, s.pair_f[m].rest_span
    keep = s.row[L.POINTS * m:L.POINTS * m + L.POINTS]
    feature = (keep[0].feature, keep[1].feature, keep[2].feature, keep[3].feature)
    impulse = (keep[0].impulse, keep[1].impulse, keep[2].impulse, keep[3].impulse)
    evaluate(s, m)
    if span <= 0.0:
        return
    for c in range(s.pair_i[m].point_count):
        for k in range(old):
            if keep[c].feature == feature[k]:
                keep[c].warm_start_impulse = scale(impulse[k], (h - t) / span)


@inline
def handle_event(s, m, h):
    """The event of contact pair m at its time, an impact or the end of a slide.

    Brings its island there, solves it, and reschedules the pairs of its bodies.  Writes: s."""
    t = s.pair_f[m].time_of_impact
    s.pair_f[m].time_of_impact = math.inf
    if s.pair_i[m].touches == 0:
        begin_touch(s, m)
    else:
        s.pair_i[m].late_events += 1
    s.count.impact_events += 1
    pairs, bodies = collect(s, m, next_stamp(s), t + (SAME_TIME if len(s.beside) == 0 else SAME_FLOOR))
    _resolve(s, pairs, bodies, t, h, False, _whirls(s, m, h - t))


@kernel
def _whirls(s, m, span):
    """True if contact pair m has had all its events and one of its bodies turns so far in `span` seconds that it would
    go through the other meanwhile."""
    p = s.pair_i[m]
    fastest = max(norm(s.work[p.body_a].angular_velocity), norm(s.work[p.body_b].angular_velocity))
    return p.late_events >= LATE_EVENTS and fastest * span > LONG_TURN


@inline
def handle_taut(s, k, h):
    """Cable k has its length, or the interval of its island ends: as handle_event.  Writes: s."""
    f = s.joint[k]
    t, renewed = min(f.time_of_taut, f.renewal), f.renewal < f.time_of_taut
    if renewed:
        f.renewal = math.inf
    else:
        f.time_of_taut = math.inf
        s.joint_i[k].events += 1
        s.count.impact_events += 1
    pairs, bodies = collect_joined(s, -1, k, next_stamp(s), t + (SAME_TIME if len(s.beside) == 0 else SAME_FLOOR))
    _resolve(s, pairs, bodies, t, h, renewed, False)


@kernel
def _resolve(s, pairs, bodies, t, h, renewed, ends):
    """An island at the time t of an event; renewed: at the planned end of an interval; ends: unless constraints hold
    it, it goes to the end of the step from here.  Writes: s."""
    _take_over(s, bodies)
    load_torques(s, pairs, bodies, t)
    if s.count.island_joints > 0:
        close_intervals(s, pairs, bodies, t, renewed)
    for i in range(len(bodies)):
        s.par.energy_given += advance_in_contact(s.work[bodies[i]], t)
    for i in range(len(pairs)):
        refresh_manifold(s, pairs[i], t, h)
    if ends and s.count.island_joints == 0:
        _end_as_crowd(s, pairs, bodies, t, h)
        return
    if not solve_island_within(s, pairs, bodies, t, h):
        return
    if s.count.joints > 0:
        schedule_cables(s, t, h)
    before = s.count.work
    s.count.work += 1
    for i in range(len(bodies)):
        b = s.body[bodies[i]]
        if b.kind != L.DYNAMIC:
            continue
        for k in range(b.first_adjacent, b.first_adjacent + b.adjacent_count):
            if is_first(s, s.adjacent[k], bodies[i]):
                schedule(s, s.adjacent[k], t, h)
    charge(s, bodies, s.count.work - before, 0)
    charge_looks(s, before)


@kernel
def _moved_by_contacts(s):
    """Keep in `close` the bodies that free flight has not moved, but for static ones; returns them, ascending.
    Writes: s.close, s.count."""
    n = 0
    for i in s.close[:s.count.close_bodies]:
        if s.block[i // LANES, L.H_FREE * LANES + i % LANES] == 0.0 and s.body[i].kind != L.STATIC:
            s.close[n] = i
            n += 1
    s.count.close_bodies = n
    return s.close[:n]


@inline
def step_near_bodies(s, h):
    """Advance every body that is in contact within the step of h seconds; others have flown.  Writes: s."""
    s.par.energy_given = 0.0
    s.count.work_limit = NO_BUDGET
    count_cluster_pairs(s)
    if s.count.joints > 0 and s.count.crowded_until > s.count.steps:
        leave_crowds(s)
    step_crowds(s, h)
    solve_touching_islands(s, h)
    for m in range(s.count.contact_pairs):
        schedule(s, m, 0.0, h)
    for _ in range(IMPACTS_PER_BODY * (s.count.contact_pairs + s.count.joints)):
        m = earliest(s)
        k = earliest_joint(s) if s.count.joints > 0 else -1
        if k >= 0 and (m < 0 or min(s.joint[k].time_of_taut, s.joint[k].renewal) <= s.pair_f[m].time_of_impact):
            handle_taut(s, k, h)
            continue
        if m < 0:
            break
        if is_done(s, m):
            s.pair_f[m].time_of_impact = math.inf
        else:
            handle_event(s, m, h)
    if s.count.joints > 0:
        finish_joints(s, h)
    moved = _moved_by_contacts(s)
    for i in moved:
        if IMPACTS_PER_BODY <= s.work[i].impacts < INFEASIBLE:
            # no search for its impacts any more: it waits where it is for the next step
            s.par.energy_given += hold(s.work[i], h)
        s.par.energy_given += advance_in_contact(s.work[i], h)
    for m in range(s.count.contact_pairs):
        if s.pair_i[m].touches == 1:
            log_resting(s, m, h)
    s.par.contact_work += max(0.0, s.par.energy_given)
    remember(s)
    recover_overlap(s, h)
    for i in moved:
        scatter(s, i)
