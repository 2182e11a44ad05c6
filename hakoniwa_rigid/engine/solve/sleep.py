# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Sleep: islands at rest stand still and cost next to nothing, until something wakes them (docs/adr/0019-sleep.md).

What sleeps is neither moved nor solved; its contacts are logged in every step with the forces of the last one before.
It wakes, all of the island, by a contact that may come about within the step, another load, a state that was set, or
a parameter.
"""
from ..constants import (
    CARRIED,
    CREDITED,
    CROWD_RECOVERY,
    CROWD_STRAY,
    LANES,
    LEAST_WAIT,
    LIFTED,
    LIFTED_SPEED,
    LIFTED_STRAY,
    SLEEP_EVERY,
    SLEEP_TIME,
    STILL_SPEED,
    UNCARRIED,
)
from ..constraints.bodies import is_active, next_joint
from ..maths import elementary, quat
from ..maths.jit import kernel
from ..maths.lanes import load_lane3
from ..maths.vec3 import madd, norm, sub
from ..model import layout as L
from ..model.solvers import sleeps
from ..motion.bodies import force_on, torque_on
from ..motion.states import attitude, in_crowd, position, rate
from ..motion.waking import wake, wake_all
from .common import surface_speed
from .islands import next_stamp


@kernel
def wake_changed(s):
    """Wake the islands of bodies that have been set anew, have other loads, or all of them for a parameter.
    Writes: s."""
    if s.count.asleep > 0 and s.count.changed > 0:
        wake_all(s, L.BY_PARAMETER)
    s.count.changed = 0
    for i in range(len(s.body) if s.count.asleep > 0 else 0):
        if s.body[i].sleeping_island == 0:
            continue
        if _is_elsewhere(s, i):
            wake(s, s.body[i].sleeping_island, L.BY_STATE)
        elif s.still[i].force != force_on(s, i) or s.still[i].torque != torque_on(s, i):
            wake(s, s.body[i].sleeping_island, L.BY_LOAD)


@kernel
def _is_elsewhere(s, i):
    v, w = load_lane3(s.block[i // LANES], L.H_V, i % LANES), rate(s, i)
    return (position(s, i) != s.still[i].position or attitude(s, i) != s.still[i].attitude
            or v != (0.0, 0.0, 0.0) or w != (0.0, 0.0, 0.0))


@kernel
def log_asleep(s):
    """The contacts of what sleeps, in every step.  Writes: s.count, s.out."""
    for k in range(s.count.rest_rows):
        if s.rest[k, L.Z_KIND] == L.Z_LOG:
            if s.count.log_rows >= len(s.out):
                s.count.lost_log_rows += 1
                continue
            o = s.out[s.count.log_rows]
            for f in range(L.OUT):
                o[f] = s.rest[k, L.Z_ROW + f]
            o.step = s.count.steps
            o.energy_lost = 0.0
            s.count.log_rows += 1


@kernel
def _note_pose(s, i):
    """Writes: s.still."""
    s.still[i].position = position(s, i)
    s.still[i].attitude = attitude(s, i)


@kernel
def _strayed(s, i):
    """Bound (m) on how far the surface of body i is from where it was when its pose was last noted."""
    turn = quat.mul(quat.conj(s.still[i].attitude), attitude(s, i))
    way = norm(sub(position(s, i), s.still[i].position))
    return way + 2.0 * norm((turn[1], turn[2], turn[3])) * s.anchor[i].radius


@kernel
def _moves(s, i, h):
    """True if body i is not at rest: by its speed, or in a crowd and where recovery moves it, where speeds come and go,
    by how far it has come."""
    recovery = surface_speed(s, i, L.W_DX, L.W_DR) / h
    if in_crowd(s, i) == 1:
        return recovery > CROWD_RECOVERY or _strayed(s, i) > CROWD_STRAY
    speed = surface_speed(s, i, L.W_V, L.W_W)
    if recovery > 0.0:
        return recovery > LIFTED or speed > LIFTED_SPEED or _strayed(s, i) > LIFTED_STRAY
    return speed > STILL_SPEED


@kernel
def fall_asleep(s, h):
    """Put islands to sleep that have been still for long; every SLEEP_EVERY steps they are looked for.  Writes: s."""
    if s.par.sleep == 0.0 or not sleeps(s) or s.par.contact_profile != L.NO_PROFILE:
        return
    now, long, ready = s.count.steps, elementary.whole(SLEEP_TIME / h) + 1, False
    met = s.close[:s.count.close_bodies]
    for i in met:
        b = s.body[i]
        if b.kind != L.DYNAMIC:
            continue
        moves = _moves(s, i, h)
        if moves or b.looked_at != now:
            b.still_since = now + 1 if moves else now
            _note_pose(s, i)
        b.looked_at = now + 1
        ready = ready or now - b.still_since >= long
    if not ready or now % SLEEP_EVERY > 0:
        return
    first = s.count.stamp + 1
    for i in met:
        b = s.body[i]
        if b.kind == L.DYNAMIC and b.stamp < first and now - b.still_since >= long:
            stamp = next_stamp(s)
            bodies = _all_near(s, i, stamp)
            if _is_still(s, bodies, now, long, elementary.whole(LEAST_WAIT / h)) and (
                    in_crowd(s, i) == 0 or now - b.still_since >= UNCARRIED * long or _is_carried(s, bodies, stamp, h)):
                _put_to_sleep(s, bodies, now)


@kernel
def _all_near(s, first, stamp):
    """Body `first` and all that are near it or joined to it, and so on; static and kinematic bodies end that.

    Not those alone that touch: two that are near each other would wake each other for ever.
    Writes: s.body, s.island."""
    bodies, n, done = s.island[len(s.pair_i):], 1, 0
    bodies[0], s.body[first].stamp = first, stamp
    while done < n:
        i = bodies[done]
        done += 1
        if s.body[i].kind != L.DYNAMIC:
            continue
        for k in range(s.body[i].first_adjacent, s.body[i].first_adjacent + s.body[i].adjacent_count):
            p = s.pair_i[s.adjacent[k]]
            for f in range(L.P_A, L.P_B + 1):
                if s.body[p[f]].stamp != stamp:
                    s.body[p[f]].stamp = stamp
                    bodies[n] = p[f]
                    n += 1
        link = s.body[i].first_joint
        while link > 0:
            k, other, link = next_joint(s, link)
            if is_active(s, k) and s.body[other].stamp != stamp:
                s.body[other].stamp = stamp
                bodies[n] = other
                n += 1
    return bodies[:n]


@kernel
def _is_still(s, bodies, now, long, least):
    """True if all bodies that move have been still for so many steps, and lie on nothing that could be moved.

    A crowd has been one for `least` steps at a time; a small one has been tried exactly since it is still.
    """
    free = 0
    for i in bodies:
        free += s.body[i].kind == L.DYNAMIC
    few = free <= CREDITED
    for i in bodies:
        b = s.body[i]
        if b.kind == L.KINEMATIC:
            return False
        if b.kind == L.DYNAMIC:
            if b.looked_at != now + 1 or now - b.still_since < long or s.work[i].impacts > 0.0:
                return False
            tried = b.crowd_until - b.crowd_wait >= b.still_since - 2
            if in_crowd(s, i) == 1 and (b.crowd_wait < least or few and not tried):
                return False
            for k in range(b.first_adjacent, b.first_adjacent + b.adjacent_count):
                if s.pair_i[s.adjacent[k]].is_hit == 1:
                    return False
    return True


@kernel
def _is_carried(s, bodies, stamp, h):
    """True if the impulses of this step on the bodies of the island that has this stamp are what carries them: they
    will be logged as long as it sleeps."""
    net, size, k = (0.0, 0.0, 0.0), 0.0, s.count.log_rows - 1
    for i in bodies:
        r = s.work[i]
        if r.inverse_mass > 0.0:
            net = madd(net, r.external_acceleration, h / r.inverse_mass)
    while k >= 0 and s.out[k].step == s.count.steps:
        o, sign = s.out[k], 0.0
        for f in range(L.O_A, L.O_B + 1):
            i = int(o[f])
            if s.body[i].stamp == stamp and s.body[i].kind == L.DYNAMIC:
                sign += 2.0 * (f - L.O_A) - 1.0
        if sign != 0.0:
            net, size = madd(net, o.impulse, sign), size + norm(o.impulse)
        k -= 1
    return norm(net) <= CARRIED * size


@kernel
def _put_to_sleep(s, bodies, now):
    """Writes: s."""
    first = s.count.log_rows
    while first > 0 and s.out[first - 1].step == now:
        first -= 1
    # no room for their rows: they stay awake, until there are more contact pairs
    if s.count.rest_rows + s.count.log_rows - first + s.count.last_forces > len(s.rest):
        return
    island = len(s.body)
    for i in bodies:
        if s.body[i].kind == L.DYNAMIC:
            island = min(island, i + 1)
    for i in bodies:
        if s.body[i].kind == L.DYNAMIC:
            s.body[i].sleeping_island = island
            s.count.asleep += 1
            lane = s.block[i // LANES]
            for f in range(3):
                lane[(L.H_V + f) * LANES + i % LANES] = lane[(L.H_W + f) * LANES + i % LANES] = 0.0
            lane[L.H_FREE * LANES + i % LANES] = 0.0
            _note_pose(s, i)
            s.still[i].force = force_on(s, i)
            s.still[i].torque = torque_on(s, i)
    for k in range(first, s.count.log_rows):
        if s.out[k].is_impact == 0.0:
            _keep(s, island, L.Z_LOG, s.out[k], L.OUT, int(s.out[k].body_a), int(s.out[k].body_b))
    for k in range(s.count.last_forces):
        _keep(s, island, L.Z_FORCE, s.last[k], L.LAST, int(s.last[k, L.L_A]), int(s.last[k, L.L_B]))


@kernel
def _keep(s, island, kind, row, width, a, b):
    """A row of bodies a and b, if they belong to the island.  Writes: s.count, s.rest."""
    if s.body[a].sleeping_island != island and s.body[b].sleeping_island != island:
        return
    n = s.count.rest_rows
    s.rest[n, L.Z_ISLAND], s.rest[n, L.Z_KIND] = island, kind
    for f in range(width):
        s.rest[n, L.Z_ROW + f] = row[f]
    s.count.rest_rows = n + 1
