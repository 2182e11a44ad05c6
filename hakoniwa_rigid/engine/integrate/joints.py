# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Islands with constraints in time: the end of an interval, cables that become taut, bodies that meet nothing else."""
import math

from ..constants import (
    IMPACTS_PER_BODY,
    INFEASIBLE,
    JOINED_BUDGET,
    JOINT_BUDGET,
    LONGEST_BUDGET,
    NO_BUDGET,
    REST_TOLERANCE,
)
from ..constraints.bodies import is_active
from ..constraints.cables import EVENTS, time_of_taut
from ..constraints.intervals import (
    keep_velocities,
    note_impulses,
    note_limits,
    parts,
    shorten,
    take_back_half,
)
from ..constraints.limits import CLOSING, INTERVAL
from ..constraints.log import break_joint
from ..constraints.rows import add_impulses
from ..constraints.slips import anchor_anew
from ..detect.contact_points import evaluate
from ..maths import elementary
from ..maths.jit import kernel
from ..maths.vec3 import madd, scale
from ..model import layout as L
from ..motion.bodies import advance
from ..motion.limits import limit_row
from ..motion.states import in_crowd
from ..solve.closing import close_contacts, open_contacts
from ..solve.common import exhausted
from ..solve.islands import collect_joined, next_stamp
from ..solve.joined import solve_joined
from ..solve.joint_aim import aim_by_end
from ..solve.joint_impacts import forget_broken, note_cables
from ..solve.resting import AIM_ROUNDS, AIMED, load_torques, solve_resting

# s: an interval that ends this much before its planned end, as a share of it, is not solved anew
SAME_END = 1e-12


@kernel
def _list_group(s, n, start):
    """The constraints of the island with intervals that began at `start` (s in the step) are the island in hand; n: of
    the whole island, which is kept in the second half of joint_island.  Writes: s.count, s.joint_island."""
    half, kept = len(s.joint_i), 0
    for i in range(n):
        k = s.joint_island[half + i]
        if s.joint[k].span > 0.0 and s.joint[k].start == start:
            s.joint_island[kept] = k
            kept += 1
    s.count.island_joints = kept


@kernel
def close_intervals(s, pairs, bodies, t, to_end):
    """Bring the bodies of the island in hand that are under constraints to time t (s in the step), where their interval
    ends.  to_end: with their contacts, at the planned end of an interval.  Writes: s."""
    half, n = len(s.joint_i), s.count.island_joints
    for i in range(n):
        s.joint_island[half + i] = s.joint_island[i]
    done = -math.inf
    while True:
        start = math.inf
        for i in range(n):
            f = s.joint[s.joint_island[half + i]]
            if f.span > 0.0 and done < f.start < start:
                start = f.start
        if start == math.inf:
            break
        done = start
        _list_group(s, n, start)
        _close_group(s, pairs, bodies, start, t, to_end)
    s.count.island_joints = 0
    for i in range(n):
        k = s.joint_island[half + i]
        s.joint[k].span = 0.0
        if s.joint_i[k].in_force == 1:
            s.joint_island[s.count.island_joints] = k
            s.count.island_joints += 1


@kernel
def _close_group(s, pairs, bodies, start, t, to_end):
    """close_intervals of those that began at `start`.  Writes: s."""
    first = s.joint[s.joint_island[0]]
    early = t - start < (1.0 - SAME_END) * first.span
    if early and not t > start:
        return
    spent = limit_joined(s, pairs, s.par.dt)
    if early:
        _solve_shorter(s, pairs, bodies, start, t - start)
    for i in range(s.count.island_joints):
        p = s.joint_i[s.joint_island[i]]
        advance(s.work[p.body_a], t)
        advance(s.work[p.body_b], t)
    for i in bodies if to_end else bodies[:0]:
        advance(s.work[i], t)
    live = pairs if to_end else pairs[:0]
    open_contacts(s, live)
    take_back_half(s)
    speed = 10.0 * s.par.dt
    for i in range(s.count.island_joints):
        p = s.joint_i[s.joint_island[i]]
        for r in (s.work[p.body_a], s.work[p.body_b]):
            for c in range(3):
                speed = max(speed, max(abs(r[L.W_V + c]), abs(r[L.W_W + c])))
    solve_joined(s, live, L.W_V, L.W_W, REST_TOLERANCE * speed, CLOSING)
    close_contacts(s, live)
    add_impulses(s, L.JT_LOAD, L.JT_LOAD_T)     # what was given anew is part of the reactions
    for i in range(s.count.island_joints):
        k = s.joint_island[i]
        f = s.joint[k]
        if s.joint_i[k].slips != 0:
            anchor_anew(s, k)
            if f.break_force <= f.max_force and s.joint_i[k].slips & L.SLIPS != 0:
                break_joint(s, k, t, L.BROKEN_BY_FORCE, scale(f.linear_impulse, 1.0 / f.span))
        limit_row(s, s.joint_i[k].body_a)
        limit_row(s, s.joint_i[k].body_b)
    charge_joined(s, bodies[:0], spent)


@kernel
def _solve_shorter(s, pairs, bodies, start, h):
    """The constraints' forces of an interval that ends early, after h seconds; those of contacts stay as they are.
    Writes: s."""
    shorten(s, h)
    for i in range(s.count.island_joints):
        p = s.joint_i[s.joint_island[i]]
        for r in (s.work[p.body_a], s.work[p.body_b]):
            r.predicted_velocity = madd(r.velocity, r.acceleration, h)
            r.predicted_angular_velocity = r.angular_velocity
    keep_velocities(s)
    least = math.inf
    for _ in range(AIM_ROUNDS):
        note_impulses(s)
        for i in range(s.count.island_joints):
            p = s.joint_i[s.joint_island[i]]
            for r in (s.work[p.body_a], s.work[p.body_b]):
                if r.inverse_mass > 0.0:
                    r.acceleration = scale(madd(r.predicted_velocity, r.velocity, -1.0), 1.0 / h)
        load_torques(s, pairs, bodies, start + h)
        left = aim_by_end(s, start + h)
        if left <= AIMED or not left < 0.5 * least or exhausted(s):
            break
        least = left
        solve_joined(s, pairs[:0], L.W_V1, L.W_W1, 0.0, INTERVAL)
    note_limits(s)


@kernel
def limit_joined(s, pairs, h):
    """What the island in hand may still cost in this step of h seconds; its solves take the fewest rounds then.
    Returns what all has cost so far (work units).  Writes: s.count."""
    spent = 0.0
    for n in range(s.count.island_joints):
        spent = max(spent, s.joint[s.joint_island[n]].work_spent)
    most = JOINED_BUDGET + JOINT_BUDGET * (s.count.island_joints + len(pairs))
    most *= min(max(1000.0 * h, 1.0), LONGEST_BUDGET)
    s.count.work_limit = s.count.work + elementary.whole(max(most - spent, -1.0))
    return s.count.work


@kernel
def charge_joined(s, bodies, before):
    """What a solve of the island in hand has cost since limit_joined.  Beyond its budget no more impacts of its bodies
    are looked for in this step: they move on, and overlap is for the recovery.  Writes: s.count, s.joint, s.work."""
    spent = 0.0
    for n in range(s.count.island_joints):
        spent = max(spent, s.joint[s.joint_island[n]].work_spent)
    for n in range(s.count.island_joints):
        s.joint[s.joint_island[n]].work_spent = spent + s.count.work - before
    for i in bodies if exhausted(s) else bodies[:0]:
        s.work[i].impacts += INFEASIBLE if s.work[i].inverse_mass > 0.0 else 0.0
    s.count.work_limit = NO_BUDGET


@kernel
def leave_crowds(s):
    """Bodies of crowds that meet a body under constraints are solved exactly with it.  Writes: s."""
    left, changed = next_stamp(s), True
    while changed:
        changed = False
        for m in range(s.count.contact_pairs):
            a, b = s.pair_i[m].body_a, s.pair_i[m].body_b
            for i, other in ((a, b), (b, a)):
                joined = s.body[i].kind == L.DYNAMIC and (s.body[i].first_joint > 0 or s.body[i].stamp == left)
                if joined and in_crowd(s, other) == 1 and s.body[other].kind == L.DYNAMIC:
                    s.body[other].crowd_until, s.body[other].stamp, changed = s.count.steps, left, True
    for m in range(s.count.contact_pairs):
        p = s.pair_i[m]
        if p.looks_ahead == 1 and in_crowd(s, p.body_a) + in_crowd(s, p.body_b) == 0:
            p.looks_ahead = 0
            evaluate(s, m)


@kernel
def schedule_cables(s, t, h):
    """When the slack cables of the island in hand become taut after time t of the step.  Writes: s.count, s.joint."""
    before = s.count.work
    for n in range(s.count.island_joints):
        h = min(h, s.joint[s.joint_island[n]].renewal)  # there they are looked at again
    for n in range(s.count.island_joints):
        k = s.joint_island[n]
        f, p = s.joint[k], s.joint_i[k]
        if p.kind == L.CABLE:
            tired = max(s.work[p.body_a].impacts, s.work[p.body_b].impacts) >= IMPACTS_PER_BODY
            f.time_of_taut = math.inf
            if p.is_taut == 0 and p.events < EVENTS and not tired:
                f.time_of_taut = time_of_taut(s, k, t, h)
    charge_looks(s, before)


@kernel
def charge_looks(s, before):
    """What looks at later times have cost an island with constraints.  Writes: s.joint."""
    for n in range(s.count.island_joints):
        s.joint[s.joint_island[n]].work_spent += s.count.work - before


@kernel
def earliest_joint(s):
    """Constraint with the first event: a cable that becomes taut, an interval that ends; -1 if there is none."""
    best, when = -1, math.inf
    for k in range(len(s.joint_i)):
        if is_active(s, k) and min(s.joint[k].time_of_taut, s.joint[k].renewal) < when:
            best, when = k, min(s.joint[k].time_of_taut, s.joint[k].renewal)
    return best


@kernel
def solve_joined_interval(s, pairs, bodies, t, h):
    """Resting forces of an island with constraints from time t of the step on, to its end h, or for as long as it is
    stable; the island has an event then.  Writes: s."""
    n = 1 if exhausted(s) else parts(s, h - t)
    if n > 1:
        s.joint[s.joint_island[0]].renewal = t + (h - t) / n
    solve_resting(s, pairs, bodies, t, (h - t) / n)


@kernel
def finish_joints(s, h):
    """Bring all bodies under constraints to the end h of the step.  Writes: s."""
    first = s.count.stamp + 1
    for k in range(len(s.joint_i)):
        if not is_active(s, k) or s.joint_i[k].stamp >= first:
            continue
        pairs, bodies = collect_joined(s, -1, k, next_stamp(s), -math.inf)
        held = False
        for i in bodies:
            held = held or IMPACTS_PER_BODY <= s.work[i].impacts < INFEASIBLE
        if held:
            for i in bodies:
                s.work[i].time = h
            continue
        load_torques(s, pairs, bodies, h)
        close_intervals(s, pairs, bodies, h, True)
        for i in bodies:
            advance(s.work[i], h)
        forget_broken(s)
        note_cables(s, h)

