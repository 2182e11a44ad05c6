# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Cables: how far from their length they are, and when they become taut."""
import math

from ..constants import APPROACH, LEAST_DIVISOR
from ..maths.jit import kernel
from ..maths.vec3 import add, cross, dot, norm, sub, sym_mul
from ..motion.bodies import pose_at, turning_work
from .rows import anchors, line

# m: a cable this close to its length is taut unless it slackens; evaluations of a search; m, a gap that is none
TAUT_GAP, EVALUATIONS, NO_GAP = 1e-9, 100, 1e-15
# times that a cable becomes taut in a step, before it waits for the next
EVENTS = 16
# work units of poses but for what turns
POSES = 4


@kernel
def posing_work(s, k, t):
    """Work units of finding where the bodies of constraint k are at time t (s in the step)."""
    p = s.joint_i[k]
    return POSES + turning_work(s.work[p.body_a], t) + turning_work(s.work[p.body_b], t)


@kernel
def gap_at(s, k, t):
    """Gap (m) of cable k to its length at time t (s in the step), the rate (m/s) at which it opens, the speed (m/s) of
    its anchors against each other and their distance (m)."""
    xa, qa, va, wa = pose_at(s.work[s.joint_i[k].body_a], t)
    xb, qb, vb, wb = pose_at(s.work[s.joint_i[k].body_b], t)
    pa, pb = anchors(s, k, xa, qa, xb, qb)
    u = sub(add(vb, cross(wb, sub(pb, xb))), add(va, cross(wa, sub(pa, xa))))
    d, length = line(s, k, xa, qa, xb, qb)
    return s.joint[k].length - length, dot(u, d), norm(u), length


@kernel
def _swing(s, i, anchor):
    """Bound (m/s^2) on the acceleration of an anchor (m, body) but for that of the centre of mass."""
    r = s.work[i]
    w, twist = r.angular_velocity, (0.0, 0.0, 0.0)
    if r.inverse_mass > 0.0:
        twist = sym_mul(r.inverse_inertia, r.torque)
    rate = norm(w) + norm(twist) * s.par.dt
    # the rate of what is no ball may grow as it tumbles
    return (8.0 * rate * rate + norm(twist)) * norm(anchor)


@kernel
def time_of_taut(s, k, start, end):
    """First time in (start, end] at which slack cable k has its length, or inf.

    Both bodies' rows must allow poses from `start` on.  By bounds on speed and acceleration no search steps over it.
    Writes: s.count."""
    if end <= start:
        return math.inf
    f, a, b = s.joint[k], s.joint_i[k].body_a, s.joint_i[k].body_b
    ra, rb = s.work[a], s.work[b]
    swing = _swing(s, a, f.anchor_a) + _swing(s, b, f.anchor_b) + norm(sub(rb.acceleration, ra.acceleration))
    t = start
    for _ in range(EVALUATIONS):
        s.count.work += posing_work(s, k, t)
        gap, opening, speed, length = gap_at(s, k, t)
        if gap <= NO_GAP * (1.0 + f.length) and opening < -APPROACH:
            return min(max(t + gap / -opening, start), end)
        fastest = speed + swing * (end - t) + LEAST_DIVISOR
        step, half = max(gap, 0.0) / fastest, 0.5 * f.length
        if length > half:
            # away from its middle the line turns no faster than this
            bend = swing + fastest * fastest / half + LEAST_DIVISOR
            root = (opening + math.sqrt(opening * opening + 2.0 * bend * max(gap, 0.0))) / bend
            step = max(step, min(root, (length - half) / fastest))
        if t + step <= t:
            return t if opening < -APPROACH else math.inf
        t += step
        if t > end:
            return math.inf
    return t


@kernel
def load_rate(s, k):
    """Rate (m/s^2) at which the loads of the bodies of cable k close its gap, bodies without rotation."""
    ra, rb = s.work[s.joint_i[k].body_a], s.work[s.joint_i[k].body_b]
    d, _ = line(s, k, ra.position, ra.attitude, rb.position, rb.attitude)
    return -dot(d, sub(rb.external_acceleration, ra.external_acceleration))


@kernel
def slack_by(s, k):
    """Gap (m) and its rate (m/s) of cable k where its bodies are now."""
    gap, opening, _, _ = gap_at(s, k, max(s.work[s.joint_i[k].body_a].time, s.work[s.joint_i[k].body_b].time))
    return gap, opening


