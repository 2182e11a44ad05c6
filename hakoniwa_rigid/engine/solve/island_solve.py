# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Solve an island to convergence: Gauss-Seidel sweeps, and where they are slow all rows together by direct solves.

Sweeps cost least where little has changed since the last step; Newton's method on the whole island finishes what they
do not: stacks, mass ratios, rows on the edge of their cones, redundant manifolds.
"""
import math

import numpy as np

from ..constants import (
    FIRST_SWEEPS,
    INFEASIBLE,
    LEFT_TO_REST,
    SHARED,
    SOLVE_ROUNDS,
    SOLVE_TOLERANCE,
    SWEEPS_PER_ROUND,
)
from ..constraints.limits import INSTANT, INTERVAL
from ..contact.frame import has_moments
from ..maths.jit import kernel
from ..maths.vec3 import load3, norm, scale, store3, sym_mul
from ..model import layout as L
from .common import apply, exhausted, faint, surface_speed, sweep
from .joined import solve_joined
from .together import solve_together

# share of the gradient that minima of the first round leave: faster, but the shift may not settle
INEXACT = 0.01
# m/s: changes above this are no matter of rounding
CLOSE = 1e-6
# impulses above this many times the island's momentum have no bound (a wedge of 1:10 stays below), and the bound given
# then
INFEASIBLE_IMPULSE = 20.0
IMPULSE_CLAMP = 2.0
COMPROMISE_SWEEPS = 16
# sweeps in which static bodies have the last word where moving bodies of infinite mass press others against them
STATIC_SWEEPS = 16
# so many times as fast as the hands that press it a body may slip out
SEED = 4.0
# sweeps of an island that a body of infinite mass drives: enough for infeasible impulses to show, at half the
# cost of one solve together
DRIVEN_SWEEPS = 96
# share of what surfaces that are carried round separate and touch by (PF_CHANGE) that a solve may leave, at first and
# once all rows have been solved together: what is finer is less than the error of the step
CARRIED = 0.01, 0.1
# share of the former to which all rows are solved together
FINER = 0.1
# share of what would be accepted, which the direct solve of a small island may leave where it gets no better: redundant
# contacts contradict each other by a few times 1e-11 m/s
GOOD = 0.6
# m/s, and share of what is faint: what a solve that no longer halves what is left may leave at rest, and of an impact
STALLED, STALLED_IMPACT = 1e-9, 0.5
# share of the island's speeds: the same after all rounds, at rest: redundant contacts of bodies that lean on each other
# contradict each other
CONTRADICTION = 1e-7
# share of what is faint: to solve all rows of a slow impact together more exactly than this would be for nothing
NOTHING = 1e-3


@kernel
def _response_scale(s, pairs):
    """Largest velocity (m/s) that one row's impulse causes: what its rounding is relative to."""
    size = 0.0
    for i in range(len(pairs)):
        for c in range(s.pair_i[pairs[i]].point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            size = max(size, r.normal_inverse_mass * r.normal_impulse)
    return size


@kernel
def _largest_impulse(s, pairs):
    largest = 0.0
    for i in range(len(pairs)):
        for c in range(s.pair_i[pairs[i]].point_count):
            largest = max(largest, s.row[L.POINTS * pairs[i] + c].normal_impulse)
    return largest


@kernel
def _momentum_scale(s, bodies, speed):
    """Mass of the island's bodies times the speed scale (N s)."""
    mass = 0.0
    for i in range(len(bodies)):
        im = s.work[bodies[i]].inverse_mass
        mass += 1.0 / im if im > 0.0 else 0.0
    return mass * speed


@kernel
def _begin_anew(s, pairs, v, w):
    """Take all impulses back.  Writes: s.row, s.work."""
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        for c in range(p.point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            apply(s.work[p.body_a], s.work[p.body_b], r, scale(r.impulse, -1.0), v, w)
            r.impulse = (0.0, 0.0, 0.0)


@kernel
def _solve_anew(s, pairs, bodies, v, w, enough):
    """All rows together without the impulses that they have: from where a solve is stuck it may get nowhere.  False,
    and they have them again, if that fails too.  Writes: s.body, s.count, s.row, s.work."""
    kept = np.empty((len(pairs), L.POINTS, 3))
    for i in range(len(pairs)):
        for c in range(s.pair_i[pairs[i]].point_count):
            store3(kept[i, c], 0, s.row[L.POINTS * pairs[i] + c].impulse)
    _begin_anew(s, pairs, v, w)
    if solve_together(s, pairs, bodies, v, w, enough, 0.0, 0.0):
        return True
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        for c in range(p.point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            r.impulse = load3(kept[i, c], 0)
            apply(s.work[p.body_a], s.work[p.body_b], r, r.impulse, v, w)
    return False


@kernel
def _clamp_impulses(s, pairs, v, w, cap):
    """A bounded answer where none exists (a drone squeezed between immovable bodies): no impulse above `cap` (N s).
    Writes: s.count, s.par, s.row, s.work."""
    _begin_anew(s, pairs, v, w)
    s.par.impulse_cap = cap
    change = math.inf
    for _ in range(COMPROMISE_SWEEPS):
        change = sweep(s, pairs, v, w)
    s.par.impulse_cap = math.inf
    return change


@kernel
def is_pushed(s, m):
    """True for contact pairs with a moving body of infinite mass."""
    p = s.pair_i[m]
    return s.body[p.body_a].kind == L.KINEMATIC or s.body[p.body_b].kind == L.KINEMATIC


@kernel
def let_static_win(s, pairs, v, w):
    """Sweeps over all rows but those of kinematic bodies, whose impulses stay as they are: what is pressed against
    something static does not go into it, the overlap stays with what presses.  Writes: s.count, s.row, s.work."""
    others, n = np.empty(len(pairs), np.int64), 0
    for i in range(len(pairs)):
        if not is_pushed(s, pairs[i]):
            others[n] = pairs[i]
            n += 1
    for _ in range(STATIC_SWEEPS if n > 0 else 0):
        sweep(s, others[:n], v, w)


@kernel
def tame(s, bodies, v, w, faster):
    """Where something presses no body leaves faster than the fastest came, or than so many times the hands, but for
    what its loads give it in a step: what slips out between two surfaces like a seed, or has no way out, would gain in
    every step.  All are slowed down alike, so that what separates still separates.  Writes: s.work."""
    h, came, leaves, given = s.par.dt, 2.0 * s.par.dt * norm(s.par.gravity), 0.0, 0.0
    for i in range(len(bodies)):
        r = s.work[bodies[i]]
        free = r.inverse_mass > 0.0
        came = max(came, (1.0 if free else faster) * surface_speed(s, bodies[i], L.W_BACK, L.W_BACK + 3))
        if free:
            leaves = max(leaves, surface_speed(s, bodies[i], v, w))
            turn = sym_mul(r.inverse_inertia, r.external_torque)
            given = max(given, h * (norm(r.external_acceleration) + norm(turn) * s.anchor[bodies[i]].radius))
    came += given
    for i in range(len(bodies) if leaves > came else 0):
        r = s.work[bodies[i]]
        if r.inverse_mass > 0.0:
            store3(r, v, scale(load3(r, v), came / leaves))
            store3(r, w, scale(load3(r, w), came / leaves))


@kernel
def _mark_infeasible(s, pairs):
    """Bodies with a row whose impulse is of the order of the largest have had their impacts of this step.
    Writes: s.work."""
    least = 0.5 * _largest_impulse(s, pairs)
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        for c in range(p.point_count):
            if s.row[L.POINTS * pairs[i] + c].normal_impulse >= least:
                for f in range(L.P_A, L.P_B + 1):
                    s.work[p[f]].impacts += INFEASIBLE if s.work[p[f]].inverse_mass > 0.0 else 0.0


@kernel
def is_driven(s, bodies):
    """True if bodies of infinite mass, one of them in motion, have others between them."""
    unstopped, moves = 0, False
    for i in range(len(bodies)):
        r = s.work[bodies[i]]
        if r.inverse_mass == 0.0:
            unstopped += 1
            moves = moves or norm(r.velocity) + norm(r.angular_velocity) > 0.0
    return moves and unstopped > 1


@kernel
def _velocity_change(s, pairs):
    """Largest change of velocity (m/s) in a step that is due to bodies being carried round."""
    allowed = 0.0
    for i in range(len(pairs)):
        allowed = max(allowed, s.pair_f[pairs[i]].velocity_change)
    return allowed


@kernel
def solve_island(s, pairs, bodies, v, w, speed, tolerance, still, cold):
    """Until a sweep changes no velocity by more than `tolerance` of `speed` (m/s), the scale of the island's
    velocities, by more than `still` (m/s), or more than rounding of what the impulses cause does.

    cold: nothing is known of the impulses, and where they are not unique they shall be even: sweeps come second then,
    they would leave the legs of a table pushing against each other.  still: 0 for impacts, which are solved exactly
    also where bodies are carried round.  True if it converged; counts sweeps and failures. Impulses far above the
    island's momentum mean that there is no solution.  Writes: s."""
    if s.count.island_joints > 0:
        solved = solve_joined(s, pairs, v, w, tolerance * speed, INTERVAL if still > 0.0 else INSTANT)
        s.count.unsolved += 0 if solved else 1
        if not solved and is_driven(s, bodies):
            tame(s, bodies, v, w, 1.0)
            _mark_infeasible(s, pairs)
        return solved
    single = len(pairs) == 1 and s.pair_i[pairs[0]].point_count == 1 and not has_moments(s.row[L.POINTS * pairs[0]])
    momentum = _momentum_scale(s, bodies, speed)
    change, infeasible, rounding, last = math.inf, False, SOLVE_TOLERANCE, math.inf
    stalled = STALLED if still > 0.0 else STALLED_IMPACT * faint(s)
    settled, least = (LEFT_TO_REST * still, 0.0) if still > 0.0 else (faint(s), NOTHING * faint(s))
    left_at_last = CONTRADICTION * speed if still > 0.0 else 0.0
    driven, allowed = not single and is_driven(s, bodies), _velocity_change(s, pairs) if still > 0.0 else 0.0
    patient, solved, enough = driven and (cold or allowed == 0.0), True, least
    for k in range(SOLVE_ROUNDS):
        still = max(still, CARRIED[min(k, 1)] * allowed)
        first = DRIVEN_SWEEPS if patient else 0 if cold and not single else FIRST_SWEEPS
        for _ in range(first if k == 0 else SWEEPS_PER_ROUND):
            change = sweep(s, pairs, v, w)
            s.count.sweeps += 1
            done = single or change <= still or change <= max(tolerance, rounding) * speed
            if done or (change <= CLOSE and change <= rounding * _response_scale(s, pairs)):
                s.par.last_residual = max(s.par.last_residual, change)
                if driven:
                    tame(s, bodies, v, w, SEED)
                return True
            if exhausted(s):
                return False
        if change <= stalled and change > 0.5 * last:
            if solved or not _solve_anew(s, pairs, bodies, v, w, enough):
                s.par.last_residual = max(s.par.last_residual, change)
                if driven:
                    tame(s, bodies, v, w, SEED)
                return True
            solved = True
            continue
        infeasible = change > CLOSE * speed and _largest_impulse(s, pairs) > INFEASIBLE_IMPULSE * momentum
        if infeasible or k + 1 == SOLVE_ROUNDS:
            break
        last = change
        enough = max(least, max(SOLVE_TOLERANCE * max(speed, _response_scale(s, pairs)), FINER * CARRIED[0] * allowed))
        good = GOOD * max(settled, max(tolerance * speed, SHARED * enough)) if allowed == 0.0 else 0.0
        solved = solve_together(s, pairs, bodies, v, w, enough, good, INEXACT if k == 0 else 0.0)
        if solved:
            rounding, still = SHARED * SOLVE_TOLERANCE, max(still, settled)
    if infeasible:
        change = _clamp_impulses(s, pairs, v, w, IMPULSE_CLAMP * momentum)
    if infeasible or driven:  # what is left of the approach would be the next event, and the next
        let_static_win(s, pairs, v, w)
        tame(s, bodies, v, w, 1.0)
        _mark_infeasible(s, pairs)
    s.par.last_residual = max(s.par.last_residual, change)
    if not infeasible and not driven and change <= left_at_last:
        return True
    s.count.unsolved += 1
    s.par.residual = max(s.par.residual, change)
    return False
