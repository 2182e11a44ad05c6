# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The pull of a hand of finite mass on its parts, and what contacts did to them, compiled: see hand_coupling."""
from __future__ import annotations

import math

import numpy as np

from ...engine.maths.entries import entry
from ...engine.maths.jit import kernel
from ...engine.maths.vec3 import add, cross, load3, madd, norm, scale, store3, sub
from ..drones.rows import bounded
from ..drones.tick_kernels import pull
from .rigid_kernels import rigid_of_most

# m/s: a change of speed beyond this is a contact's, below it rounding
TOUCHED = 1e-9
# s: a hand that was hit is a free mass for so long: the first reflex of an arm comes after 20 to 50 ms.  The s after
# which the next impact counts as one: what bounces on a hand does not keep it free.  And the m/s that are an impact
FREE, AGAIN, IMPACT = 0.025, 0.1, 0.05
# s: what touched this long ago still presses: contacts of many parts come and go from tick to tick
PRESSES = 0.007
# m/s: parts that move so against the hand as a whole do it by themselves
TOGETHER = 0.01
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
def pull_parts(offset, rate, carried, quiet, freed, on, palm, places, velocity, tau, most, h, accel):
    """Accelerations (B,3) m/s^2 of the parts for the next h s.

    offset, rate (B,3) m, m/s: from where and how the tracker moves a part; carried (B,6): velocity that the tracker
    gave it in the last tick, NaN of new ones, and that of the hand as a whole there; quiet (B,): s since it touched;
    freed (1,) s since the hand was hit; on (B,): it is there; palm (B,): it is of the palm, as the last is; places,
    velocity (B,3) m, m/s: what the tracker gives it now; tau: s, of the return.

    What touches is carried by the motion of the hand as a whole, in which the noise of single joints averages out, and
    drawn: the palm to where it is tracked, by one spring, however many of its parts touch, and every part to where it
    is on the palm as that is held back; damped by its motion against that of the whole; with `most` m/s^2 at most in
    all, and so is the sum.  Writes: rate, carried, accel.
    """
    centre, mean, turn = rigid_of_most(places, velocity, on, TOGETHER)
    last, free, count, presses, none = len(offset) - 1, freed[0] < FREE, 0, 0, (0.0, 0.0, 0.0)
    drawn, d, r, way, kept = np.empty(len(offset), dtype=np.bool_), none, none, none, none
    for k in range(len(offset)):
        whole = add(mean, cross(turn, sub(load3(places[k], 0), centre)))
        drawn[k] = on[k] and quiet[k] < PRESSES and math.isfinite(carried[k, 0])
        if drawn[k]:
            # the change of velocity of its own joints is taken back, that of the whole is kept
            own, all_of = sub(load3(velocity[k], 0), load3(carried[k], 0)), sub(whole, load3(carried[k], 3))
            store3(rate[k], 0, add(sub(load3(rate[k], 0), own), all_of))
            store3(carried[k], 0, all_of)
            if palm[k]:
                count, d, r = count + 1, add(d, load3(offset[k], 0)), add(r, load3(rate[k], 0))
                kept, way = add(kept, all_of), add(way, sub(load3(velocity[k], 0), whole))
    pulled = none
    if count > 0:
        share = 1.0 / count
        d, r, kept, way = scale(d, share), scale(r, share), scale(kept, share), scale(way, share)
        back = none
        if not free:
            pulled, back = _pressed(_drawn3(d, add(r, way), tau, h), kept, most, h)
            pulled = scale(pulled, share)
        for k in range(len(offset)):
            if drawn[k] and palm[k]:
                store3(rate[k], 0, sub(load3(rate[k], 0), back))
        r = sub(r, back)
    else:
        d, r = load3(offset[last], 0), load3(rate[last], 0)
        if not free:
            pulled = _return3(d, r, tau, h)
    total = none
    for k in range(len(offset)):
        whole = add(mean, cross(turn, sub(load3(places[k], 0), centre)))
        own, now, a = sub(load3(offset[k], 0), d), load3(rate[k], 0), none
        if drawn[k]:
            if not free:
                moves = sub(sub(add(load3(velocity[k], 0), now), whole), r)
                a, back = _pressed(_drawn3(own, moves, tau, h), none if palm[k] else load3(carried[k], 0), most, h)
                store3(rate[k], 0, sub(now, back))
            a = add(a, pulled) if palm[k] else a
            total, presses = add(total, a), presses + 1
        else:
            a = pulled if free else add(pulled, _return3(own, sub(now, r), tau, h))
        store3(accel[k], 0, a)
        store3(carried[k], 0, load3(velocity[k], 0))
        store3(carried[k], 3, whole)
    if norm(total) > most:
        less = scale(sub(total, bounded(total, most)), 1.0 / presses)
        for k in range(len(offset)):
            if drawn[k]:
                store3(accel[k], 0, sub(load3(accel[k], 0), less))


@entry
def take_parts(offset, rate, accel, quiet, freed, on, palm, places, speeds, expected, given, h):
    """After h s: what contacts did to the parts that are there (in their order: places, speeds (K,3) m, m/s of the
    engine, expected, given (K,3) without contact) becomes theirs.

    What they did to parts of the palm is, in the mean, that of all parts that touched nothing; in the first tick of an
    impact also what they did to fingers: a hand that is hit gives way as a whole.  quiet (B,): s since
    a part touched.  Writes: offset, rate, quiet, freed.
    """
    k, hits, count = 0, False, 0
    shift, kick, all_shift, all_kick, touches = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0
    for i in range(len(offset)):
        a, r = load3(accel[i], 0), load3(rate[i], 0)
        store3(offset[i], 0, madd(madd(load3(offset[i], 0), r, h), a, 0.5 * h * h))
        store3(rate[i], 0, madd(r, a, h))
        before = quiet[i]
        quiet[i] += h
        if not on[i]:
            continue
        change = sub(load3(speeds[k], 0), load3(given[k], 0))
        if not _settled(change, TOUCHED):
            moved = sub(load3(places[k], 0), load3(expected[k], 0))
            quiet[i] = 0.0
            hits = hits or (before >= PRESSES and norm(change) > IMPACT)
            touches, all_shift, all_kick = touches + 1, add(all_shift, moved), add(all_kick, change)
            store3(offset[i], 0, add(load3(offset[i], 0), moved))
            store3(rate[i], 0, add(load3(rate[i], 0), change))
            if palm[i]:
                count, shift, kick = count + 1, add(shift, moved), add(kick, change)
        k += 1
    is_hit = hits and freed[0] + h >= AGAIN
    freed[0] = 0.0 if is_hit else freed[0] + h
    if is_hit:
        shift, kick, count = all_shift, all_kick, touches
    rest = True
    for i in range(len(offset)):
        if count > 0 and quiet[i] > 0.0:
            store3(offset[i], 0, madd(load3(offset[i], 0), shift, 1.0 / count))
            store3(rate[i], 0, madd(load3(rate[i], 0), kick, 1.0 / count))
        rest = rest and quiet[i] > 0.0 and _settled(load3(offset[i], 0), SETTLED)
        rest = rest and _settled(load3(rate[i], 0), SETTLED_RATE)
    if rest:
        offset[:] = 0.0
        rate[:] = 0.0
