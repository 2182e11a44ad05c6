# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The pull of a hand of finite mass on its parts, and what contacts did to them, compiled: see hand_coupling."""
from __future__ import annotations

import math

from ...engine.maths.jit import entry, kernel
from ...engine.maths.vec3 import add, cross, load3, madd, norm, scale, store3, sub
from ..drones.rows import bounded
from ..drones.tick_kernels import pull
from .tracking_kernels import rigid

# m/s: a change of speed beyond this is a contact's, below it rounding
TOUCHED = 1e-9
# s: a hand that was hit is a free mass for so long: the first reflex of an arm comes after 20 to 50 ms.  The s after
# which the next impact counts as one: what bounces on a hand does not keep it free.  And the m/s that are an impact
FREE, AGAIN, IMPACT = 0.025, 0.1, 0.05
# of the time constant: a spring whose force is held for longer is no spring
MOST_HELD = 0.5
# m, m/s: smaller offsets without contact end
SETTLED, SETTLED_RATE = 1e-6, 1e-5


@kernel
def _return3(d, r, tau, h):
    """Acceleration of the critically damped return."""
    return pull(d[0], r[0], tau, h), pull(d[1], r[1], tau, h), pull(d[2], r[2], tau, h)


@kernel
def _settled(v, most):
    """Whether no component is larger than most."""
    return max(abs(v[0]), abs(v[1]), abs(v[2])) < most


@entry
def pull_parts(offset, rate, carried, touched, freed, on, places, velocity, tau, most, h, accel):
    """Accelerations (B,3) m/s^2 of the parts for the next h s.

    offset, rate (B,3) m, m/s: from where and how the tracker moves a part; carried (B,3): velocity that the tracker
    gave it in the last tick, NaN of new ones; touched (B,): it was touching then; freed (1,) s since the hand was hit;
    on (B,): it is there; places, velocity (B,3) m, m/s: what the tracker gives it now; tau: s, of the return.

    What touches is not carried by the tracker but drawn: by its distance, and damped by its motion against that of the
    hand as a whole, in which the noise of single joints averages out; by `most` m/s^2 at most, and so is the sum of all
    that touch.  Writes: rate, accel.
    """
    centre, mean, turn = rigid(places, velocity, on)
    total, count, free = (0.0, 0.0, 0.0), 0, freed[0] < FREE
    for k in range(len(offset)):
        d, a = load3(offset[k], 0), (0.0, 0.0, 0.0)
        if on[k] and touched[k] and math.isfinite(carried[k, 0]):
            store3(rate[k], 0, sub(load3(rate[k], 0), sub(load3(velocity[k], 0), load3(carried[k], 0))))
            if not free:
                whole = add(mean, cross(turn, sub(load3(places[k], 0), centre)))
                r = sub(add(load3(velocity[k], 0), load3(rate[k], 0)), whole)
                if h < MOST_HELD * tau:     # a spring at rest presses with its stiffness, however long its pull is held
                    a = madd(_return3((0.0, 0.0, 0.0), r, tau, h), d, -1.0 / (tau * tau))
                else:
                    a = _return3(d, r, tau, h)
                a = bounded(a, most)
            total, count = add(total, a), count + 1
        elif not free:
            a = _return3(d, load3(rate[k], 0), tau, h)
        store3(accel[k], 0, a)
    size = norm(total)
    if size > most:
        less = scale(total, (1.0 - most / size) / count)
        for k in range(len(offset)):
            if on[k] and touched[k] and math.isfinite(carried[k, 0]):
                store3(accel[k], 0, sub(load3(accel[k], 0), less))


@entry
def take_parts(offset, rate, accel, touched, freed, on, places, speeds, expected, given, h):
    """After h s: what contacts did to the parts that are there (in their order: places, speeds (K,3) m, m/s of the
    engine, expected, given (K,3) without contact) becomes theirs, and the mean of it that of all others.
    Writes: offset, rate, touched, freed."""
    k, count, shift, kick, is_hit = 0, 0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), False
    for i in range(len(offset)):
        a, r = load3(accel[i], 0), load3(rate[i], 0)
        store3(offset[i], 0, madd(madd(load3(offset[i], 0), r, h), a, 0.5 * h * h))
        store3(rate[i], 0, madd(r, a, h))
        before, touched[i] = touched[i], False
        if not on[i]:
            continue
        change = sub(load3(speeds[k], 0), load3(given[k], 0))
        if not _settled(change, TOUCHED):
            moved = sub(load3(places[k], 0), load3(expected[k], 0))
            store3(offset[i], 0, add(load3(offset[i], 0), moved))
            store3(rate[i], 0, add(load3(rate[i], 0), change))
            touched[i] = True
            is_hit = is_hit or (not before and norm(change) > IMPACT)
            count, shift, kick = count + 1, add(shift, moved), add(kick, change)
        k += 1
    freed[0] = 0.0 if is_hit and freed[0] + h >= AGAIN else freed[0] + h
    rest = 0
    for i in range(len(offset)):
        if count > 0 and not touched[i]:
            store3(offset[i], 0, madd(load3(offset[i], 0), shift, 1.0 / count))
            store3(rate[i], 0, madd(load3(rate[i], 0), kick, 1.0 / count))
        rest += _settled(load3(offset[i], 0), SETTLED) and _settled(load3(rate[i], 0), SETTLED_RATE)
    if count == 0 and rest == len(offset):
        offset[:] = 0.0
        rate[:] = 0.0
