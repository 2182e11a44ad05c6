# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Samples and wrenches judged and stored, compiled: loops over the rows of a call."""
from __future__ import annotations

import math

import numpy as np

from ...codec.message_fields import NANOSECONDS
from ...codec.motion_columns import MOTION, OMEGA, POS, QUAT, VEL
from ...engine.maths import quat
from ...engine.maths.entries import entry
from ...engine.maths.jit import inline, kernel
from ...engine.maths.vec3 import add, load3, norm, scale, store3, sub
from .fleet_table import GATE_AT, WRENCHES_AT, view_bounds, view_gate, view_inbox
from .rows import (
    APPLY_TIME,
    BACKWARDS,
    DX,
    LEAST_STEPS,
    MOST_COORDINATE,
    MOST_QUATERNION,
    MOST_STAMP,
    NON_UNIT,
    NOT_FINITE,
    OK,
    OUT_OF_RANGE,
    OWN_ACCEL,
    REPEATED,
    RESTARTED,
    SHORT_BASE,
    STALE,
    STEADIER,
    STEADY,
    STEPS,
    TELEPORT,
    UNIT_ROUNDING,
    UNIT_TOLERANCE,
    bounded,
    difference,
    gate_of,
    is_applied,
    least_base,
    load_motion,
    store_motion,
    was_applied,
)

_least_base = kernel(least_base)


@kernel
def judge_one(g, i, stamp, now, timed):
    """Writes: g.back_count, g.back_stamp, g.known, g.newest."""
    code, count = OK, 0
    if stamp > MOST_STAMP or stamp < -MOST_STAMP:
        return OUT_OF_RANGE
    if g.known[i] and stamp == g.newest[i]:
        code = REPEATED
    elif g.known[i] and stamp < g.newest[i]:
        count = g.back_count[i] + 1 if g.back_count[i] > 0 and stamp > g.back_stamp[i] else 1
        needed = g.limits[1] if g.newest[i] - stamp > g.limits[0] else g.limits[2]
        code = RESTARTED if count >= needed else BACKWARDS
    if timed and code <= RESTARTED and now - stamp > g.limits[3]:
        code = STALE
    g.back_count[i] = 0 if code == RESTARTED else count
    g.back_stamp[i] = stamp
    if code <= RESTARTED:
        g.newest[i] = stamp
        g.known[i] = True
    return code


@entry
def judge(g, i, stamp, now, timed):
    """Code of a stamp (ns) of stream i; now is the scene's time if timed.  A taken stamp becomes the newest."""
    return judge_one(gate_of(g), i, stamp, now, timed)


@kernel
def _check(m, p):
    """Code of the numbers of a sample; its quaternion is normalised if it is taken.  Writes: m."""
    bad = False
    for c in range(MOTION):
        if not math.isfinite(m[c]):
            return NOT_FINITE
        bad |= c < VEL and abs(m[c]) > (MOST_COORDINATE if c < QUAT else MOST_QUATERNION)
    bad |= norm(load3(m, VEL)) > p.linear or norm(load3(m, OMEGA)) > p.angular
    w, x, y, z = quat.load4(m, QUAT)
    length = math.sqrt(w * w + x * x + y * y + z * z)
    if not abs(length - 1.0) <= UNIT_TOLERANCE:
        return NON_UNIT
    if bad:
        return OUT_OF_RANGE
    if abs(length - 1.0) > UNIT_ROUNDING:
        for c in range(QUAT, QUAT + 4):
            m[c] /= length
    return OK


@kernel
def _into_world(m, origin):
    """From a fixed frame whose pose in the world is given, to the world.  Writes: m."""
    q = quat.load4(origin, QUAT)
    x, turned, v, w = load_motion(m)
    x = add(load3(origin, POS), quat.rotate(q, x))
    store_motion(m, (x, quat.mul(q, turned), quat.rotate(q, v), quat.rotate(q, w)))


@kernel
def _set_base(base, stamps, k, x, q, stamp):
    """Writes: base, stamps."""
    store3(base[k], POS, x)
    quat.store4(base[k], QUAT, q)
    stamps[k] = stamp


@kernel
def _begin_base(base, stamps, x, q, stamp):
    """No difference reaches further back than the sample (x, q).  Writes: base, stamps."""
    _set_base(base, stamps, 0, x, q, stamp)
    _set_base(base, stamps, 1, x, q, stamp)


@kernel
def _base(base, stamps, x, q, stamp):
    """Pose and age (ns) of what the sample (x, q) of a drone with base (2,7) of stamps (2,) is differenced against: the
    last sample, or, where that is closer than least_base, one before it; age 0 where there is none yet.
    Writes: base, stamps."""
    older, newer = stamps[0], stamps[1]
    if stamp - newer >= _least_base(newer - older):
        _set_base(base, stamps, 0, load3(base[1], POS), quat.load4(base[1], QUAT), newer)
        _set_base(base, stamps, 1, x, q, stamp)
    age = stamp - stamps[0]
    return load3(base[0], POS), quat.load4(base[0], QUAT), age if age >= SHORT_BASE else 0


@kernel
def _mean_step(steps, n):
    """m and s per interval, of the first n of a ring of steps."""
    length = time = intervals = 0.0
    for k in range(n):
        length += norm(load3(steps[k], 0))
        time += steps[k, 3]
        intervals += steps[k, 4]
    return length / intervals, time / intervals


@kernel
def _remember_step(steps, count, d, h):
    """Add the step d (m) of h s to a ring of them; across lost poses it is several intervals, by length and by time.
    Writes: steps."""
    intervals = 1.0
    if count > 0:
        length, time = _mean_step(steps, min(count, STEPS))
        before = steps[(count - 1) % STEPS]
        length = max(length, norm(load3(before, 0)) / before[4])
        if length > 0.0:
            intervals = max(min(float(np.floor(norm(d) / length + 0.5)), float(np.floor(h / time + 0.9))), 1.0)
    k = count % STEPS
    store3(steps[k], 0, d)
    steps[k, 3] = h
    steps[k, 4] = intervals


@kernel
def _apart(a, b, column):
    """How far apart two steps are, each divided by the number in a column of its own."""
    return norm(sub(scale(load3(b, 0), 1.0 / b[column]), scale(load3(a, 0), 1.0 / a[column])))


@kernel
def _steady_span(steps, count):
    """s that the last of `count` steps took by the mean interval, of an even stream with uneven stamps; 0 of others.

    Speeds tell: of steps of one length uneven stamps make uneven speeds.
    """
    n = min(count, STEPS)
    if n < LEAST_STEPS:
        return 0.0
    length, time = _mean_step(steps, n)
    uneven_speeds = uneven_steps = 0.0
    for k in range(count - n + 1, count):
        a, b = steps[(k - 1) % STEPS], steps[k % STEPS]
        uneven_speeds += min(_apart(a, b, 3) * time, length)
        uneven_steps += min(_apart(a, b, 4), length)
    if uneven_steps < STEADIER * uneven_speeds and uneven_steps < STEADY * length * (n - 1):
        return steps[(count - 1) % STEPS, 4] * time
    return 0.0


@inline
def _take(s, g, p, i, stamp, m, has_vel, has_omega, now, timed):
    """Judge the stamp (ns) of a sample m (13,) of drone i whose numbers are good, and store what is taken.
    Writes: s, g.back_count, g.back_stamp, g.known, g.newest, m."""
    if p.has_origin:
        _into_world(m, s.origin[i])
        if not max(abs(m[POS]), max(abs(m[POS + 1]), abs(m[POS + 2]))) <= MOST_COORDINATE:
            return OUT_OF_RANGE
    known, step = g.known[i], (stamp - g.newest[i]) / NANOSECONDS
    code = judge_one(g, i, stamp, now, timed)
    if code > RESTARTED:
        return code
    # a drone that had left the scene comes back wherever it is
    fresh = not known or code == RESTARTED or step > p.remove
    x, q, v, w = load_motion(m)
    x0, q0, v0, w0 = load_motion(s.sample[i])
    jump, d = sub(x, add(x0, scale(v0, step))), load3(s.offset[i], DX)
    if not fresh and norm(jump) > p.teleport and not is_applied(jump, d):
        code = TELEPORT
        fresh = True
    if fresh:
        v0 = w0 = (0.0, 0.0, 0.0)
        _begin_base(s.base[i], s.base_stamp[i], x, q, stamp)
        s.step_count[i] = 0
    x1, q1, age = _base(s.base[i], s.base_stamp[i], x, q, stamp)
    span = age / NANOSECONDS
    if not has_vel and not fresh:
        _remember_step(s.steps[i], s.step_count[i], sub(x, x0), step)
        s.step_count[i] += 1
        steady = _steady_span(s.steps[i], s.step_count[i])
        if steady > 0.0:
            x1, q1, span = x0, q0, steady
    if not has_omega:
        w = w0 if span == 0.0 else bounded(scale(difference(q, q1), 1.0 / span), p.max_rate)
    if not has_vel:
        # a pose that jumped because of us says nothing of the velocity; twice in a row it is motion
        jumped = not fresh and norm(d) > 0.0 and not s.held[i] and was_applied(
            jump, d, OWN_ACCEL * step * max(step, span), stamp - s.touch_stamp[i] < APPLY_TIME, scale(v0, -step))
        s.held[i] = jumped or (s.held[i] and span == 0.0 and not fresh)
        v = v0 if jumped or span == 0.0 else bounded(scale(sub(x, x1), 1.0 / span), p.max_speed)
        if jumped:
            _begin_base(s.base[i], s.base_stamp[i], x, q, stamp)
            s.step_count[i] = 0
    store_motion(m, (x, q, v, w))
    store_motion(s.sample[i], (x, q, v, w))
    s.reset[i] |= fresh
    return code


@entry
def feed(t, n, rows, stamps, m, has_vel, has_omega, now, timed, codes):
    """Judge and store samples m (K,13) of drones rows (K,) of the n in a table; m is changed to what is stored, in the
    world.  Returns how many codes (K,) are not OK.  Writes: t, m, codes."""
    s, g, p = view_inbox(t, n), view_gate(t, GATE_AT, n), view_bounds(t)
    odd = 0
    for k in range(len(rows)):
        codes[k] = _check(m[k], p)
        if codes[k] == OK:
            codes[k] = _take(s, g, p, rows[k], stamps[k], m[k], has_vel, has_omega, now, timed)
        odd += codes[k] != OK
    return odd


@entry
def feed_wrenches(t, n, rows, stamps, forces, torques, now, timed, codes):
    """Judge and store wrenches (K,3) of drones rows (K,) of the n in a table; those beyond most_load are refused.
    Writes: t, codes."""
    s, g = view_inbox(t, n), view_gate(t, WRENCHES_AT, n)
    most = s.most_load
    for k in range(len(rows)):
        i, code = rows[k], OK
        for c in range(3):
            if not (math.isfinite(forces[k, c]) and math.isfinite(torques[k, c])):
                code = NOT_FINITE
            elif code == OK and (abs(forces[k, c]) > most[i, 0] or abs(torques[k, c]) > most[i, 1]):
                code = OUT_OF_RANGE
        if code == OK:
            code = judge_one(g, i, stamps[k], now, timed)
        codes[k] = code
        if code <= RESTARTED:
            store3(s.force[i], 0, load3(forces[k], 0))
            store3(s.torque[i], 0, load3(torques[k], 0))
            s.by_rotors[i] = False
