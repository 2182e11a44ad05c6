# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Where a body was between the impacts of a tick, compiled: it may have turned by tens of radians."""
from __future__ import annotations

import numpy as np

from ...codec.motion_columns import OMEGA, POS, QUAT, VEL
from ...engine.maths import elementary, quat
from ...engine.maths.entries import entry
from ...engine.maths.jit import kernel
from ...engine.maths.vec3 import add, load3, madd, norm, scale, store3
from ..drones.rows import from_vector

# rad, turn in one step of the flight: Runge and Kutta's method is then right to 1e-11 of the turn
TURN = 0.02
# steps of one flight, however fast the body: 200 rad, more than the limits of a scene allow in a tick of 0.1 s
MOST_STEPS = 10_000


@kernel
def _times(m, a):
    return (m[0, 0] * a[0] + m[0, 1] * a[1] + m[0, 2] * a[2], m[1, 0] * a[0] + m[1, 1] * a[1] + m[1, 2] * a[2],
            m[2, 0] * a[0] + m[2, 1] * a[1] + m[2, 2] * a[2])


@kernel
def _rate(p, momentum, inverse):
    return quat.rotate(p, _times(inverse, quat.rotate_back(p, momentum)))


@kernel
def _change(p, momentum, inverse):
    r = _rate(p, momentum, inverse)
    d = quat.mul((0.0, r[0], r[1], r[2]), p)
    return 0.5 * d[0], 0.5 * d[1], 0.5 * d[2], 0.5 * d[3]


@kernel
def _moved(q, k, s):
    return q[0] + s * k[0], q[1] + s * k[1], q[2] + s * k[2], q[3] + s * k[3]


@kernel
def _turned(q, w, inertia, inverse, torque, t):
    """Attitude and rate after t s under a torque (N m, world): what is known at any time is the angular momentum."""
    momentum = quat.rotate(q, _times(inertia, quat.rotate_back(q, w)))
    turns = norm(w) + norm(torque) > 0.0
    steps = min(max(1, elementary.whole(np.ceil(norm(w) * t / TURN))), MOST_STEPS) if turns else 0
    for k in range(steps):
        h = t / steps
        half = madd(momentum, torque, (k + 0.5) * h)
        k1 = _change(q, madd(momentum, torque, k * h), inverse)
        k2 = _change(_moved(q, k1, 0.5 * h), half, inverse)
        k3 = _change(_moved(q, k2, 0.5 * h), half, inverse)
        k4 = _change(_moved(q, k3, h), madd(momentum, torque, (k + 1) * h), inverse)
        q = _moved(_moved(_moved(_moved(q, k1, h / 6.0), k2, h / 3.0), k3, h / 3.0), k4, h / 6.0)
        q = quat.normalised(q)
    return q, _rate(q, madd(momentum, torque, t), inverse)


@entry
def fly(start, times, dv, dw, free, accel, torque, inertia, inverse, states):
    """The motions states (K+1,13) of one body: first `start` (13,) at time 0, then that just after each change dv, dw
    (K,3) m/s, rad/s at times (K,) s, which do not decrease.  Between them it flies free under accel (3,) m/s^2 and
    torque (3,) N m, world, with inertia (3,3) kg m^2, body, and its inverse; not `free`: as its motion says.
    Writes: states."""
    states[0] = start
    now = 0.0
    for k in range(len(times)):
        s, t = states[k], times[k] - now
        x, q, v, w = load3(s, POS), quat.load4(s, QUAT), load3(s, VEL), load3(s, OMEGA)
        if t > 0.0:
            now = times[k]
            x = madd(x, v, t)
            if free:
                a = load3(accel, 0)
                x, v = add(x, scale(a, 0.5 * t * t)), madd(v, a, t)
                q, w = _turned(q, w, inertia, inverse, load3(torque, 0), t)
            else:
                q = quat.mul(from_vector(scale(w, t)), q)
        store3(states[k + 1], POS, x)
        quat.store4(states[k + 1], QUAT, q)
        store3(states[k + 1], VEL, add(v, load3(dv[k], 0)))
        store3(states[k + 1], OMEGA, add(w, load3(dw[k], 0)))
