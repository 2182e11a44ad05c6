# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Impacts: the approaching contacts of an island at one instant, by Newton's restitution with Coulomb friction.

One contact is the two-body formula of docs/solvers.md with the exact friction law.  Several contacts take turns in
passes: each pass reflects all contacts that approach at its beginning, together, and leaves the others alone; what it
sets in motion is the next pass's matter.  So an impact runs through a row of touching balls and leaves by its end, a
box that lands on four corners bounces from all of them (Generalized Reflections: Smith, Kaufman, Vouga, Tamstorf,
Grinspun, "Reflections on simultaneous impact", SIGGRAPH 2012; without friction each pass is theirs).  When all have
become too slow to bounce, or the passes run out, a last pass takes all touching contacts together without restitution.
If a pass would raise the kinetic energy (Kane's paradox), e is lowered to the largest share that keeps it; the rows
report the e' used.
"""
import math

import numpy as np

from ..constants import (
    APPROACH,
    ENERGY_BISECTIONS,
    ENERGY_TOLERANCE,
    IMPACTS_BEFORE_INELASTIC,
    NO_MATTER,
    REFLECTIONS,
    SOLVE_TOLERANCE,
)
from ..constraints.rows import add_impulses
from ..contact.energy import energy_lost
from ..contact.frame import has_moments, relative_rate, relative_velocity
from ..contact.material import elasticity, restitution, slowest_bounce
from ..maths.jit import kernel
from ..maths.vec3 import dot, norm
from ..model import layout as L
from ..model.solvers import is_pairwise
from .common import exhausted, faint, speed_scale
from .island_solve import solve_island
from .joint_impacts import (
    aim_joints,
    begin_joints,
    cables_bounce,
    cables_work,
    let_cables_rest,
    open_joints,
)
from .pair_by_pair import solve_pair_by_pair


@kernel
def _open_rows(s, pairs):
    """Velocities before a pass, and e.

    Returns the fastest approach and speed (m/s), and if any approach is fast enough to bounce.
    Writes: s.joint, s.joint_i, s.row."""
    approach, speed, fast = 0.0, 0.0, False
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        ra, rb = s.work[p.body_a], s.work[p.body_b]
        for c in range(p.point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            u = relative_velocity(ra, rb, r, L.W_V, L.W_W)
            r.velocity_before = u
            r.duration, r.restitution = 0.0, elasticity(s, p, r, -u[0])
            approach, fast = max(approach, -u[0] - r.velocity_slop), fast or -u[0] >= slowest_bounce(s, ra, rb, r)
            speed = max(speed, max(abs(u[0]), max(abs(u[1]), abs(u[2]))))
    if s.count.island_joints > 0:
        return open_joints(s, approach, speed, fast)
    return approach, speed, fast


@kernel
def _begin(s, pairs):
    """Nothing has acted yet: the velocities before the impact, sums of 0.  Writes: s.joint, s.row."""
    if s.count.island_joints > 0:
        begin_joints(s)
    for i in range(len(pairs)):
        for c in range(s.pair_i[pairs[i]].point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            r.first_velocity = r.velocity_before
            for f in range(3):
                r[L.R_J + f] = r[L.R_M + f] = r[L.R_SUM + f] = r[L.R_SUM_M + f] = 0.0
            r.strongest_impulse = r.strongest_restitution = r.energy_lost = 0.0


@kernel
def _take_part(s, pairs, approach, last):
    """Choose the rows of a pass (R_REST 0): those that approach, in the last pass all; others leave it alone.

    Contacts that never bounce at such speeds (e = 0) carry the impact on within the pass: all of them take part.
    Returns the pairs with such rows.  Writes: s.row."""
    live, n = np.empty(len(pairs), np.int64), 0
    for i in range(len(pairs)):
        p, live[n], any_takes = s.pair_i[pairs[i]], pairs[i], False
        passes_on = last or restitution(s, p.body_a, p.body_b, approach) == 0.0
        for c in range(p.point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            takes = (passes_on or -r.normal_velocity_before - r.velocity_slop > APPROACH) and r.is_twin == 0.0
            r.is_left_out, any_takes = 0.0 if takes else 1.0, any_takes or takes
            if last:
                r.restitution = 0.0
        n += 1 if any_takes else 0
    return live[:n]


@kernel
def _add_up(s, pairs, share):
    """Add a pass to the sums; the e' of a row is that of its strongest pass.  Writes: s.joint, s.row."""
    if s.count.island_joints > 0:
        add_impulses(s, L.JT_SUM, L.JT_SUM_T)
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        ra, rb = s.work[p.body_a], s.work[p.body_b]
        for c in range(p.point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            r.energy_lost += energy_lost(ra, rb, r, relative_rate(ra, rb, r, L.W_W1))
            for f in range(3):
                r[L.R_SUM + f] += r[L.R_J + f]
                r[L.R_SUM_M + f] += r[L.R_M + f]
            if r.normal_impulse > r.strongest_impulse:
                r.strongest_impulse, r.strongest_restitution = r.normal_impulse, share * r.restitution


@kernel
def _sum_up(s, pairs):
    """Leave in the rows what the impact was as a whole.  Writes: s.row."""
    for i in range(len(pairs)):
        for c in range(s.pair_i[pairs[i]].point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            r.restitution = r.strongest_restitution
            r.velocity_before = r.first_velocity
            r.impulse = r.impulse_sum
            r.moment = r.moment_sum


@kernel
def _set_targets(s, pairs, share):
    """Writes: s.joint, s.row."""
    if s.count.island_joints > 0:
        aim_joints(s, share)
    for i in range(len(pairs)):
        for c in range(s.pair_i[pairs[i]].point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            bounce = -share * r.restitution * r.normal_velocity_before
            r.target_velocity = bounce if bounce > 0.0 else -r.velocity_slop if r.velocity_slop > 0.0 else 0.0
            if r.is_left_out != 0.0:
                r.target_velocity = -NO_MATTER


@kernel
def _solve(s, pairs, bodies, share, speed):
    """Start from the velocities before the impact (kept in W_V1, W_W1) and solve with e scaled by `share`.
    Writes: s."""
    for i in range(len(bodies)):
        r = s.work[bodies[i]]
        r.velocity = r.predicted_velocity
        r.angular_velocity = r.predicted_angular_velocity
    for i in range(len(pairs)):
        for c in range(s.pair_i[pairs[i]].point_count):
            s.row[L.POINTS * pairs[i] + c].impulse = (0.0, 0.0, 0.0)
            s.row[L.POINTS * pairs[i] + c].moment = (0.0, 0.0, 0.0)
    _set_targets(s, pairs, share)
    solve_island(s, pairs, bodies, L.W_V, L.W_W, speed, SOLVE_TOLERANCE, 0.0, False)


@kernel
def _bounces(s, pairs):
    for i in range(len(pairs)):
        for c in range(s.pair_i[pairs[i]].point_count):
            if s.row[L.POINTS * pairs[i] + c].target_velocity > 0.0:
                return True
    return s.count.island_joints > 0 and cables_bounce(s)


@kernel
def _work_done(s, pairs):
    """Change of kinetic energy (J), sum of J.(u + u')/2 in the frame of the heavy bodies, and the size of its terms."""
    total, size = cables_work(s) if s.count.island_joints > 0 else (0.0, 0.0)
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        ra, rb = s.work[p.body_a], s.work[p.body_b]
        for c in range(p.point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            u1 = relative_velocity(ra, rb, r, L.W_V, L.W_W)
            u0, j = r.velocity_before, r.impulse
            total += 0.5 * (dot(j, u0) + dot(j, u1))
            size += math.sqrt(dot(j, j) * dot(u0, u0))
            if has_moments(r):
                m, w = r.moment, relative_rate(ra, rb, r, L.W_W1)
                total += 0.5 * (dot(m, w) + dot(m, relative_rate(ra, rb, r, L.W_W)))
                size += math.sqrt(dot(m, m) * dot(w, w))
    return total, size


@kernel
def _largest_share(s, pairs, bodies, speed):
    """Largest share of e that creates no energy: bisection, the last solve has it.  Writes: s."""
    low, high = 0.0, 1.0
    for _ in range(ENERGY_BISECTIONS):
        middle = 0.5 * (low + high)
        if not low < middle < high or exhausted(s):
            break
        _solve(s, pairs, bodies, middle, speed)
        gain, _ = _work_done(s, pairs)
        if gain > 0.0:
            high = middle
        else:
            low = middle
    _solve(s, pairs, bodies, low, speed)
    return low


@kernel
def _reflect(s, pairs, bodies, speed):
    """One pass; returns the share of e that was used.  Writes: s."""
    for i in range(len(bodies)):
        r = s.work[bodies[i]]
        r.predicted_velocity = r.velocity
        r.predicted_angular_velocity = r.angular_velocity
    _solve(s, pairs, bodies, 1.0, speed)
    gain, size = _work_done(s, pairs)
    if gain > ENERGY_TOLERANCE * size and _bounces(s, pairs):
        s.count.restitution_lowered += 1
        return _largest_share(s, pairs, bodies, speed)
    return 1.0


@kernel
def _count_hits(s, pairs):
    """Writes: s.count, s.pair_i, s.work."""
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        hit = False
        for c in range(p.point_count):
            hit = hit or s.row[L.POINTS * pairs[i] + c].normal_impulse > 0.0
        if hit:
            p.is_hit = 1
            s.count.impacts += 1
            for f in range(L.P_A, L.P_B + 1):
                s.work[p[f]].impacts += 1.0 if s.work[p[f]].inverse_mass > 0.0 else 0.0
                if s.work[p[f]].impacts == IMPACTS_BEFORE_INELASTIC:
                    s.count.impacts_capped += 1


@kernel
def _most_passes(s, bodies):
    """Number of passes with restitution.

    Between bones of a closing fist a drone would go to and fro in one instant, faster each time: where something that
    infinite mass drives the island, there is a pass for the way through it and one for the way back.
    """
    free, driven = 0, False
    for i in range(len(bodies)):
        r = s.work[bodies[i]]
        if r.inverse_mass > 0.0:
            free += 1
        elif norm(r.velocity) + norm(r.angular_velocity) > 0.0:
            driven = True
    return min(2 * free, REFLECTIONS) if driven else REFLECTIONS


@kernel
def solve_impacts(s, pairs, bodies):
    """Resolve the approaching contacts of an island now.

    True if any contact approached; the rows keep J, the velocity before, e'.  Writes: s."""
    approach, speed, fast = _open_rows(s, pairs)
    if approach <= faint(s):
        return False
    _begin(s, pairs)
    if is_pairwise(s):
        solve_pair_by_pair(s, pairs)
    else:
        unsolved, most = s.count.unsolved, _most_passes(s, bodies)
        for k in range(most + 1):
            last = k == most or not fast or exhausted(s)
            live = _take_part(s, pairs, approach, last)
            if last and s.count.island_joints > 0:
                let_cables_rest(s)
            _add_up(s, live, _reflect(s, live, bodies, speed + speed_scale(s, bodies, L.W_V, L.W_W)))
            if exhausted(s) and s.count.island_joints == 0:
                return False
            # without a solution every further pass would only add to the impulses
            if last or s.count.unsolved > unsolved:
                break
            approach, speed, fast = _open_rows(s, pairs)
            if approach <= APPROACH:
                break
        _sum_up(s, pairs)
    _count_hits(s, pairs)
    return True
