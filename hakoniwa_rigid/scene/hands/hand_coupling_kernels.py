# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The pull of a hand of finite mass on its parts, and what contacts did to them, compiled: see hand_coupling."""
from __future__ import annotations

import math

import numpy as np

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


@kernel
def _drawn3(d, r, tau, h):
    """The same of what presses on something: at rest with the stiffness itself, however long its pull is held."""
    if h < MOST_HELD * tau:
        return madd(_return3((0.0, 0.0, 0.0), r, tau, h), d, -1.0 / (tau * tau))
    return _return3(d, r, tau, h)


@kernel
def _pressed(a, jump, most, h):
    """Acceleration a of what presses, with the change of the hand's velocity at the beginning of h s, is no more than
    most: the acceleration, and what of the jump is taken back."""
    both = madd(a, jump, 1.0 / h)
    if norm(both) <= most:
        return a, (0.0, 0.0, 0.0)
    return bounded(both, most), jump


@entry
def pull_parts(offset, rate, carried, touched, freed, on, palm, places, velocity, tau, most, h, accel):
    """Accelerations (B,3) m/s^2 of the parts for the next h s.

    offset, rate (B,3) m, m/s: from where and how the tracker moves a part, those of the palm, the last and others (B,)
    bool, are one; carried (B,6): velocity that the tracker gave it in the last tick, NaN of new ones, and that of the
    hand as a whole there; touched (B,): it was touching then; freed (1,) s since the hand was hit; on (B,): it is
    there; places, velocity (B,3) m, m/s: what the tracker gives it now; tau: s, of the return.

    What touches is carried by the motion of the hand as a whole, in which the noise of single joints averages out, and
    drawn: the palm to where it is tracked, a finger to where it is on the palm as that is held back; damped by its
    motion against that of the whole; with `most` m/s^2 at most in all, and so is the sum.  Writes: rate, carried,
    accel.
    """
    centre, mean, turn = rigid(places, velocity, on)
    last, free, count, none = len(offset) - 1, freed[0] < FREE, 0, (0.0, 0.0, 0.0)
    drawn, jump, kept, way, total = np.empty(len(offset), dtype=np.bool_), none, none, none, none
    for k in range(len(offset)):
        whole = add(mean, cross(turn, sub(load3(places[k], 0), centre)))
        drawn[k] = on[k] and touched[k] and math.isfinite(carried[k, 0])
        if drawn[k]:    # from here on changes of velocity: its own, and that of the whole
            store3(carried[k], 0, sub(load3(velocity[k], 0), load3(carried[k], 0)))
            store3(carried[k], 3, sub(whole, load3(carried[k], 3)))
            if palm[k]:
                count += 1
                jump, kept = add(jump, load3(carried[k], 0)), add(kept, load3(carried[k], 3))
                way = add(way, sub(load3(velocity[k], 0), whole))
    d, r, pulled = load3(offset[last], 0), load3(rate[last], 0), none
    if count > 0:
        kept = scale(kept, 1.0 / count)
        r = add(madd(r, jump, -1.0 / count), kept)
        if not free:
            pulled, back = _pressed(_drawn3(d, madd(r, way, 1.0 / count), tau, h), kept, most, h)
            r = sub(r, back)
        total = pulled
    elif not free:
        pulled = _return3(d, r, tau, h)
    presses = 1 if count > 0 else 0
    for k in range(len(offset)):
        whole = add(mean, cross(turn, sub(load3(places[k], 0), centre)))
        if palm[k]:
            store3(rate[k], 0, r)
        elif drawn[k]:
            own, a, kept = sub(load3(offset[k], 0), d), none, load3(carried[k], 3)
            now = add(sub(load3(rate[k], 0), load3(carried[k], 0)), kept)
            if not free:
                moves = sub(sub(add(load3(velocity[k], 0), now), whole), r)
                a, back = _pressed(_drawn3(own, moves, tau, h), kept, most, h)
                now = sub(now, back)
            store3(rate[k], 0, now)
            store3(accel[k], 0, a)
            total, presses = add(total, a), presses + 1
        else:
            own = _return3(sub(load3(offset[k], 0), d), sub(load3(rate[k], 0), r), tau, h)
            store3(accel[k], 0, pulled if free else add(pulled, own))
        store3(carried[k], 0, load3(velocity[k], 0))
        store3(carried[k], 3, whole)
    less = none
    if norm(total) > most:
        less = scale(sub(total, bounded(total, most)), 1.0 / presses)
    for k in range(len(offset)):
        if palm[k]:     # one spring, however many parts of the palm it presses with
            store3(accel[k], 0, scale(sub(pulled, less), 1.0 / count) if count > 0 else pulled)
        elif drawn[k]:
            store3(accel[k], 0, sub(load3(accel[k], 0), less))


@entry
def take_parts(offset, rate, accel, touched, freed, on, palm, places, speeds, expected, given, h):
    """After h s: what contacts did to the parts that are there (in their order: places, speeds (K,3) m, m/s of the
    engine, expected, given (K,3) without contact) becomes theirs; what they did to those of the palm, in the mean, that
    of the palm and of all fingers that touched nothing.  Writes: offset, rate, touched, freed."""
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
            touched[i] = True
            is_hit = is_hit or (not before and norm(change) > IMPACT)
            if palm[i]:
                count, shift, kick = count + 1, add(shift, moved), add(kick, change)
            else:
                store3(offset[i], 0, add(load3(offset[i], 0), moved))
                store3(rate[i], 0, add(load3(rate[i], 0), change))
        k += 1
    freed[0] = 0.0 if is_hit and freed[0] + h >= AGAIN else freed[0] + h
    rest = True
    for i in range(len(offset)):
        if count > 0 and (palm[i] or not touched[i]):
            store3(offset[i], 0, madd(load3(offset[i], 0), shift, 1.0 / count))
            store3(rate[i], 0, madd(load3(rate[i], 0), kick, 1.0 / count))
        rest = rest and not touched[i] and _settled(load3(offset[i], 0), SETTLED)
        rest = rest and _settled(load3(rate[i], 0), SETTLED_RATE)
    if rest:
        offset[:] = 0.0
        rate[:] = 0.0
