# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Speeds and places beyond which a body is held: what keeps the work of a step bounded, whatever hits or drives it.

A dynamic body faster than the world's limits keeps its direction and is slowed down to them; at the border of the
world it stops.  Both are counted, and `anchor` keeps the largest value that was cut.  Nothing within the limits is
touched, not even in its last bit.
"""
import math

from ..constants import BORDER, LANES
from ..maths.jit import kernel
from ..maths.vec3 import dot, norm, scale, sub, sym_mul
from ..model import layout as L


@kernel
def _note(s, i, column, value):
    """A value of body i was cut.  Writes: s.anchor, s.count."""
    s.count.limited += 1
    if not value <= s.anchor[i, column]:
        s.anchor[i, column] = value


@kernel
def _held(s, i, v, most, column):
    """A velocity of body i no longer than most; one that is not finite is none.  Writes: s.anchor, s.count."""
    square = dot(v, v)
    if square <= most * most:
        return v
    length = norm(v)
    _note(s, i, column, length if length <= math.inf else math.inf)
    return scale(v, most / length) if length < math.inf else (0.0, 0.0, 0.0)


@kernel
def limit_row(s, i):
    """Slow the work row of body i down to the limits.  r changes.  Writes: s.anchor, s.count, s.work."""
    r = s.work[i]
    v, w, most_v, most_w = r.velocity, r.angular_velocity, s.par.max_speed, s.par.max_angular_speed
    if r.inverse_mass == 0.0 or (dot(v, v) <= most_v * most_v and dot(w, w) <= most_w * most_w):
        return
    r.velocity = _held(s, i, v, most_v, L.A_CUT_V)
    r.angular_velocity = _held(s, i, w, most_w, L.A_CUT_W)


@kernel
def set_acceleration(s, i, h):
    """Acceleration of body i from its velocity of now to the predicted one, h seconds later; no more than the limit of
    speed in that time.  Writes: s.anchor, s.count, s.work."""
    r = s.work[i]
    change = _held(s, i, sub(r.predicted_velocity, r.velocity), s.par.max_speed, L.A_CUT_V)
    r.acceleration = scale(change, 1.0 / h)


@kernel
def limit_torque(s, i, end):
    """The torque of body i changes its rate by no more than the limit until the time `end` of the step.  A body that is
    turned by 200 rad in a step is as wrong as by two, and costs as much more time.
    Writes: s.anchor, s.count, s.work."""
    r = s.work[i]
    h = end - r.time
    rate = norm(sym_mul(r.inverse_inertia, r.torque)) * h
    if rate <= s.par.max_angular_speed:
        return
    _note(s, i, L.A_CUT_W, rate if rate <= math.inf else math.inf)
    r.torque = scale(r.torque, s.par.max_angular_speed / rate) if rate < math.inf else (0.0, 0.0, 0.0)


@kernel
def _is_nowhere(s, i):
    """Whether position or attitude of body i is not finite."""
    b, total = s.block[i // LANES], 0.0
    for f in range(L.H_X, L.H_V):
        total += abs(b[f * LANES + i % LANES])
    return not total < math.inf


@kernel
def _limit_body(s, i):
    """As limit_row for the state in the block, and its place; whether anything changed.
    Writes: s.anchor, s.block, s.count."""
    b, k, cut = s.block[i // LANES], i % LANES, s.count.limited
    for first, most, column in ((L.H_V, s.par.max_speed, L.A_CUT_V), (L.H_W, s.par.max_angular_speed, L.A_CUT_W)):
        v = (b[first * LANES + k], b[(first + 1) * LANES + k], b[(first + 2) * LANES + k])
        v = _held(s, i, v, most, column)
        for f in range(3):
            b[(first + f) * LANES + k] = v[f]
    for f in range(3):
        x, v = (L.H_X + f) * LANES + k, (L.H_V + f) * LANES + k
        if abs(b[x]) > BORDER:
            _note(s, i, L.A_CUT_X, abs(b[x]))
            b[x] = math.copysign(BORDER, b[x])
            b[v] = 0.0 if b[v] * b[x] > 0.0 else b[v]
    return s.count.limited > cut


@kernel
def limit_bodies(s):
    """Hold all dynamic bodies within the limits: (whether any changed, index of one that is nowhere, or -1).
    Writes: s.anchor, s.block, s.count."""
    changed = False
    for i in range(len(s.body)):
        if s.body[i].kind == L.DYNAMIC:
            if _is_nowhere(s, i):
                return changed, i
            changed = _limit_body(s, i) or changed
    return changed, -1
