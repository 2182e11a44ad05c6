# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Constraints over an interval without events, in which bodies move under constant forces.

The scheme is that of RATTLE (Andersen 1983), for forces that are constant: those of the rows at the start of the
interval, such that the constraints hold at its end; there the second half of their impulse is taken back and given anew
along the rows of the end, such that velocities obey too.  It is symmetric in time and of second order; without contacts
it is symplectic, so that energy does not drift.  Between, bodies move on smooth paths, on which impacts are looked for.
"""
import math

import numpy as np

from ..maths import elementary
from ..maths.jit import kernel
from ..maths.vec3 import madd, norm, scale, sub
from ..model import layout as L
from ..motion.bodies import pose_at
from .limits import AT_LIMIT, INTERVAL, largest_force, largest_torque, softness
from .rows import (
    MOST_ROWS,
    ROW_SIZE,
    angular_count,
    errors,
    fill,
    impulses_of,
    linear_count,
    push,
    push_row,
    row_velocity,
)

# m or rad: an error that is no drift but a state that was set; the share of it, and the speed (m/s, rad/s), by which it
# is taken back, as overlaps are: by positions alone
FAR, SHARE, SPEED = 1e-7, 0.2, 1.0
# rad: longest part of the swing of a link across its load that an interval may take, and most intervals of a step.  The
# scheme is unstable from 2 rad on.
PART, MOST_PARTS = 0.7, 16


@kernel
def _goal(error, h):
    """Error (m, rad) that an interval of h seconds leaves."""
    size = abs(error)
    return 0.0 if size <= FAR else error * (1.0 - min(SHARE, SPEED * h / size))


@kernel
def _slips(s, k, angular):
    """True where rows slipped before: they are stopped, not brought back."""
    return s.joint_i[k].kind != L.SPRING and s.joint_i[k].slips & (L.TURNS if angular else L.SLIPS) != 0


@kernel
def _stiffness(f):
    """Mean stiffness (N/m) of a spring with its damper over an interval."""
    return 0.5 * f.stiffness + f.damping / f.span


@kernel
def _rest(f, error):
    """Extension (m) at the end of an interval at which a spring gives no force; error: that at its start."""
    return error * (f.damping / f.span - 0.5 * f.stiffness) / _stiffness(f)


@kernel
def begin_interval(s, start, h):
    """An interval of the constraints of the island in hand from time `start` (s in the step) for h seconds; no impulses
    yet.  Writes: s.joint."""
    table, error = np.empty((MOST_ROWS, ROW_SIZE)), np.empty(MOST_ROWS)
    for n in range(s.count.island_joints):
        k = s.joint_island[n]
        f, p = s.joint[k], s.joint_i[k]
        ra, rb = s.work[p.body_a], s.work[p.body_b]
        f.start, f.span = start, h
        errors(s, k, ra.position, ra.attitude, rb.position, rb.attitude, error)
        for i in range(fill(s, k, table)):
            f[L.JT_P + i] = 0.0
            f[L.JT_GOAL + i] = _rest(f, error[0]) if p.kind == L.SPRING else _goal(error[i], h)
        _note(s, k, table)


@kernel
def _note(s, k, table):
    """Impulses of constraint k over the interval in the world.  Writes: s.joint."""
    f = s.joint[k]
    p, b, a, moment = impulses_of(s, k, table)
    f.linear_impulse = p
    f.moment = moment
    f.angular_impulse_a = a
    f.angular_impulse_b = b


@kernel
def note_impulses(s):
    """Impulses of the island's constraints in the world; bodies are where the interval starts.  Writes: s.joint."""
    table = np.empty((MOST_ROWS, ROW_SIZE))
    for n in range(s.count.island_joints):
        k = s.joint_island[n]
        fill(s, k, table)
        _note(s, k, table)


@kernel
def _size(s, k, angular):
    """Length of the impulse of the rows of force, or of torque, of constraint k."""
    kind, total = s.joint_i[k].kind, 0.0
    first = linear_count(kind) if angular else 0
    for i in range(first, first + (angular_count(kind) if angular else linear_count(kind))):
        total += s.joint[k, L.JT_P + i] * s.joint[k, L.JT_P + i]
    return math.sqrt(total)


@kernel
def is_at_limit(s, k, angular):
    """True if the rows of force, or of torque, of constraint k give all they may in the interval."""
    cap = largest_torque(s, k, INTERVAL) if angular else largest_force(s, k, INTERVAL)
    return cap < math.inf and _size(s, k, angular) >= AT_LIMIT * cap


@kernel
def end_errors(s, k, end, error):
    """What the paths of the bodies of constraint k leave of its rows at time `end` (s in the step), beside their goals.
    Writes: error."""
    f, p = s.joint[k], s.joint_i[k]
    xa, qa, _, _ = pose_at(s.work[p.body_a], end)
    xb, qb, _, _ = pose_at(s.work[p.body_b], end)
    errors(s, k, xa, qa, xb, qb, error)
    if p.kind == L.SPRING:
        error[0] += f[L.JT_P] / (f.span * _stiffness(f))
    for i in range(linear_count(p.kind) + angular_count(p.kind)):
        error[i] -= f[L.JT_GOAL + i]


@kernel
def is_held(s, k, angular, error):
    """Whether rows of constraint k reach their goal by their impulses: no cable that is slack, none at its limit."""
    p = s.joint_i[k]
    if p.kind == L.CABLE and (p.is_taut == 0 or s.joint[k, L.JT_P] == 0.0 and error > 0.0):
        return False
    return not (_slips(s, k, angular) or is_at_limit(s, k, angular))


@kernel
def aim(s, end):
    """Move the targets of the island's rows by what its paths leave of them at time `end` (s in the step); returns the
    largest of that (m, rad).  Writes: s.joint."""
    error, worst = np.empty(MOST_ROWS), 0.0
    for n in range(s.count.island_joints):
        k = s.joint_island[n]
        forces = linear_count(s.joint_i[k].kind)
        end_errors(s, k, end, error)
        for i in range(forces + angular_count(s.joint_i[k].kind)):
            if is_held(s, k, i >= forces, error[i]):
                worst = max(worst, abs(error[i]))
                s.joint[k, L.JT_TARGET + i] -= 2.0 / s.joint[k].span * error[i]
    return worst


@kernel
def add_torques(s):
    """Torques of the island's constraints, on top of what the bodies have.  Writes: s.work."""
    for n in range(s.count.island_joints):
        k = s.joint_island[n]
        f, p = s.joint[k], s.joint_i[k]
        if f.span > 0.0:
            ra, rb = s.work[p.body_a], s.work[p.body_b]
            if rb.inverse_mass > 0.0:
                rb.torque = madd(rb.torque, f.angular_impulse_b, 1.0 / f.span)
            if ra.inverse_mass > 0.0:
                ra.torque = madd(ra.torque, f.angular_impulse_a, -1.0 / f.span)


@kernel
def note_limits(s):
    """Which rows give all they may over the interval.  Writes: s.joint_i."""
    for n in range(s.count.island_joints):
        k = s.joint_island[n]
        s.joint_i[k].slips = (L.SLIPS if is_at_limit(s, k, False) else 0) | (L.TURNS if is_at_limit(s, k, True) else 0)


@kernel
def _stiffness_about(s, k, i, anchor):
    """(rad/s)^2 of the swing of body i about an anchor (m, its frame) by which constraint k pulls it."""
    r = s.work[i]
    if r.inverse_mass == 0.0:
        return 0.0
    turn = max(r[L.W_IW], max(r[L.W_IW + 3], r[L.W_IW + 5]))
    return s.joint[k].strain * norm(anchor) * turn


@kernel
def parts(s, h):
    """Number of equal intervals that h seconds of the island in hand are cut into: light links under a heavy load swing
    across it, and no interval may be longer than a part of that swing.

    By the forces of the last interval; both ends of a link pull.  Writes: s.joint."""
    square = 0.0
    for n in range(s.count.island_joints):
        k = s.joint_island[n]
        f, p = s.joint[k], s.joint_i[k]
        f.renewal = math.inf
        square = max(square, 2.0 * max(_stiffness_about(s, k, p.body_a, f.anchor_a),
                                       _stiffness_about(s, k, p.body_b, f.anchor_b)))
    wanted = math.sqrt(square) * h / PART
    whole = elementary.whole(wanted)
    return min(max(whole + 1 if whole < wanted else whole, 1), MOST_PARTS) if wanted < MOST_PARTS else MOST_PARTS


@kernel
def shorten(s, span):
    """The forces of the island's constraints act for `span` seconds only; bodies are where the interval starts.
    Writes: s.joint."""
    error = np.empty(MOST_ROWS)
    for n in range(s.count.island_joints):
        k = s.joint_island[n]
        f, p = s.joint[k], s.joint_i[k]
        share = span / f.span
        for i in range(MOST_ROWS):
            f[L.JT_P + i] *= share
        f.span = span
        if p.kind == L.SPRING:
            ra, rb = s.work[p.body_a], s.work[p.body_b]
            errors(s, k, ra.position, ra.attitude, rb.position, rb.attitude, error)
            f[L.JT_GOAL] = _rest(f, error[0])


@kernel
def keep_velocities(s):
    """The targets of the island's rows are what they have now, in W_V1 and W_W1; of those that slip, to stop.
    Writes: s.joint."""
    table = np.empty((MOST_ROWS, ROW_SIZE))
    for n in range(s.count.island_joints):
        k = s.joint_island[n]
        f, p = s.joint[k], s.joint_i[k]
        for i in range(fill(s, k, table)):
            u = row_velocity(s.work[p.body_a], s.work[p.body_b], table[i], L.W_V1, L.W_W1)
            f[L.JT_TARGET + i] = u + softness(s, k, INTERVAL) * f[L.JT_P + i]
            if _slips(s, k, i >= linear_count(p.kind)):
                f[L.JT_TARGET + i] = 0.0


@kernel
def take_back_half(s):
    """Take back the second half of the impulses of the island's constraints, where its bodies have come to the end of
    the interval; what does not depend on velocities is given anew there: springs, and rows at their limits.

    The reactions have the first half from now on, and what is given anew.  Writes: s.joint, s.work."""
    table = np.empty((MOST_ROWS, ROW_SIZE))
    for n in range(s.count.island_joints):
        k = s.joint_island[n]
        f, p = s.joint[k], s.joint_i[k]
        if not f.span > 0.0:
            continue
        ra, rb = s.work[p.body_a], s.work[p.body_b]
        half = scale(f.linear_impulse, -0.5)
        f.strain = norm(f.linear_impulse) / f.span
        push(rb, half, scale(f.angular_impulse_b, -0.5), L.W_V, L.W_W)
        push(ra, scale(half, -1.0), scale(f.angular_impulse_a, 0.5), L.W_V, L.W_W)
        count, forces = fill(s, k, table), linear_count(p.kind)
        f.load = sub(f.load, half)
        f.load_moment = madd(f.load_moment, f.moment, 0.5)
        for i in range(count):
            given, f[L.JT_TARGET + i] = 0.5 * f[L.JT_P + i], 0.0
            f[L.JT_P + i] = 0.0
            again = p.kind == L.SPRING or p.slips & (L.TURNS if i >= forces else L.SLIPS) != 0
            if again:
                push_row(ra, rb, table[i], given, L.W_V, L.W_W)
                _add_row(f, table[i], given, i >= forces)


@kernel
def _add_row(f, row, size, angular):
    """An impulse of a row into the reactions.  Writes: f."""
    if angular:
        f.load_moment = madd(f.load_moment, (row[6], row[7], row[8]), size)
    else:
        f.load = madd(f.load, (row[0], row[1], row[2]), size)
