# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""How far bodies may travel in a step in which they hit each other, and the candidate pairs that may touch then.

A body that is hit leaves faster than it came.  Pairs are kept that may touch then, by what these bodies can do: what
falls far away shall change no bit here, nor when the list was made.

A hit by a body of mass m' whose surface comes with V changes the velocity of one of mass m by 2 m' / (m + m') V at
most, and turns its rotation into velocity: in the frame of a heavy surface the kinetic energy does not grow, so that
it leaves with sqrt(v^2 + k^2 w^2) at most, k being its largest radius of gyration.
What has been hit hits others in the same step: rows of balls, a heavy body that throws a light one."""
import math

from ..constants import CROWD_SPEED, LANES, PAIR_LOOKS, SURE, TOUCH
from ..maths.jit import kernel
from ..maths.vec3 import norm
from ..model import layout as L
from ..motion.states import in_crowd, is_idle, rate
from ..shapes.kinds import UNBOUNDED
from .broadphase import clearance, reach, used
from .contact_points import farther
from .travel import reach_of_pair

# bodies that hit one after the other in one step, and times that more pairs are looked at because a reach has grown
HIT_ROUNDS, WIDENED = 4, 8
# m: clearance of a pair that has not been asked for in this step
UNKNOWN = -math.inf
# no body hits it
NO_BODY = -1


@kernel
def _wake_pairs(s, most, far):
    """Candidate pairs that may touch if no body travels more than `most` m; `far` m is the most without any hit.

    Their numbers into pairs[1, :, 0].  They have used up the clearance that they had, but for what both may travel now;
    crowds look farther.  What `_is_clear` would leave out may be among them.  Returns how many.  Writes: s.pairs."""
    room = 4.0 * far + CROWD_SPEED * s.par.dt if s.count.crowded_until > s.count.steps else 0.0
    way = 2.0 * most + room + 2.0 * TOUCH + SURE
    n, pairs, awake, used, clear = 0, s.pairs[0], s.pairs[1], s.travel[L.V_USED], s.clear
    for k in range(s.count.candidate_pairs):
        awake[n, 0] = k
        n += not used[pairs[k, 0]] + used[pairs[k, 1]] + way < clear[k, L.C_GAP]
    return _leave_idle(s, n)


@kernel
def _leave_idle(s, n):
    """Of n pairs leave out those in which neither moves, unless what moves may touch what sleeps: if that wakes, so do
    its neighbours.  Returns how many are left.  Writes: s.pairs."""
    pairs, awake, idle = s.pairs[0], s.pairs[1], 0
    for j in range(n):
        a, b = is_idle(s, pairs[awake[j, 0], 0]), is_idle(s, pairs[awake[j, 0], 1])
        idle += a and b
        if a != b and s.body[pairs[awake[j, 0], 0 if a else 1]].kind != L.STATIC:
            return n
    kept = 0
    for j in range(n if idle > 0 else 0):
        k = awake[j, 0]
        awake[kept, 0] = k
        kept += not (is_idle(s, pairs[k, 0]) and is_idle(s, pairs[k, 1]))
    return kept if idle > 0 else n


@kernel
def _is_clear(s, k, way):
    """True if candidate pair k has more clearance than `way` (m), which both of its bodies together may travel; crowds
    look farther.

    Of most pairs their clearance when the list was built, less what they have used of it, shows it.  It decides
    nothing: when the list was built shall change no bit.  Writes: s.clear."""
    a, b, c = s.pairs[0, k, 0], s.pairs[0, k, 1], s.clear[k]
    if in_crowd(s, a) + in_crowd(s, b) > 0:
        way += farther(s, a, b, s.par.dt)
    way += 2.0 * TOUCH
    if used(s, a) + used(s, b) + way + SURE < c[L.C_GAP]:
        return True
    if c[L.C_NOW] == UNKNOWN:
        c[L.C_NOW] = clearance(s, a, b)
    return c[L.C_NOW] > way


@kernel
def _start(s, i, h):
    """Reach of body i that is not hit.  Writes: s.anchor."""
    f = s.anchor[i]
    f.reach = f.reach_when_hit = f.reach_by_others = f.round_reach = reach(s, i)
    f.hit_by = NO_BODY
    f.turn_reach = 0.0 if f.radius >= UNBOUNDED else norm(rate(s, i)) * f.radius * h


@kernel
def _start_all(s, awake, h):
    """Reach of the bodies in pairs that are awake, and of those under constraints.  Writes: s.anchor, s.clear."""
    for j in range(awake):
        s.clear[s.pairs[1, j, 0], L.C_NOW] = UNKNOWN
        for side in range(2):
            _start(s, s.pairs[0, s.pairs[1, j, 0], side], h)
    for k in range(len(s.joint_i)):
        for f in range(L.JI_A, L.JI_B + 1):
            _start(s, s.joint_i[k, f], h)


@kernel
def _inverse_mass(s, i):
    return s.block[i // LANES, L.H_IM * LANES + i % LANES]


@kernel
def _gain(s, a, b):
    """Velocity that body a gains at most by a hit, relative to that with which the surface of b comes.  Constraints may
    give b the mass of others."""
    own, other = _inverse_mass(s, a), _inverse_mass(s, b)
    return 2.0 if s.count.joints > 0 or own <= 0.0 else 2.0 * own / (own + other)


@kernel
def _own_way(s, i):
    """m that body i may travel in this step if a hit turns all its rotation into velocity."""
    f, b, k = s.anchor[i], s.block[i // LANES], i % LANES
    if f.turn_reach == 0.0 or s.par.inertia_storage == L.FULL:
        return f.reach + f.turn_reach
    least = min(b[L.H_J * LANES + k], min(b[(L.H_J + 1) * LANES + k], b[(L.H_J + 2) * LANES + k]))
    if least * f.radius * f.radius <= _inverse_mass(s, i):
        return f.reach + f.turn_reach
    gained = f.turn_reach * math.sqrt(_inverse_mass(s, i) / least) / f.radius
    return math.sqrt(f.reach * f.reach + gained * gained)


@kernel
def _hit(s, a, b, turn):
    """Body a is hit by body b, in the round `turn` of a chain of hits.  Writes: s.anchor."""
    if s.body[a].kind != L.DYNAMIC:
        return
    f, g = s.anchor[a], s.anchor[b]
    gain = _gain(s, a, b)
    way = _own_way(s, a) + gain * (g.round_reach + g.turn_reach) if turn == 0 else gain * g.round_reach
    if f.hit_by == b:
        f.reach_when_hit = max(f.reach_when_hit, way)
    elif way > f.reach_when_hit:
        f.reach_by_others, f.reach_when_hit, f.hit_by = f.reach_when_hit, way, b
    else:
        f.reach_by_others = max(f.reach_by_others, way)


@kernel
def _spread(s, awake, h):
    """Reach when hit of all bodies in pairs that are awake; returns the farthest.
    Writes: s.anchor, s.clear, s.count."""
    _start_all(s, awake, h)
    most = 0.0
    for turn in range(HIT_ROUNDS):
        s.count.work += awake // PAIR_LOOKS
        for j in range(awake):
            a, b = s.pairs[0, s.pairs[1, j, 0], 0], s.pairs[0, s.pairs[1, j, 0], 1]
            if not _is_clear(s, s.pairs[1, j, 0], s.anchor[a].round_reach + s.anchor[b].round_reach):
                _hit(s, a, b, turn)
                _hit(s, b, a, turn)
        grown = False
        for j in range(awake):
            for side in range(2):
                f = s.anchor[s.pairs[0, s.pairs[1, j, 0], side]]
                grown |= f.reach_when_hit > f.round_reach
                f.round_reach = f.reach_when_hit
                most = max(most, f.reach_when_hit)
        if not grown:
            break
    return most


@kernel
def _is_short(s, awake, h):
    """True if a body of the first pairs that are awake may leave its skin when it is hit: the list has to be made anew,
    with skins that last for such steps.  Writes: s.anchor."""
    short, room = False, CROWD_SPEED * h + SURE
    for j in range(awake):
        for side in range(2):
            i = s.pairs[0, s.pairs[1, j, 0], side]
            f = s.anchor[i]
            wanted = f.reach_when_hit + 2.0 * f.reach + room
            if s.body[i].kind != L.STATIC and not used(s, i) + wanted <= f.skin:
                f.wanted_skin, short = 2.0 * wanted, True
    return short


@kernel
def pairs_in_reach(s, h, far):
    """Candidate pairs that may touch in this step, their numbers into pairs[1, :, 0]; returns how many, and whether
    the list is too short for them.

    far: m that the fastest body may travel without being hit.  No pair is left out that what was found calls for: it is
    found again, with more pairs, until all have room for the farthest.  Writes: s.anchor, s.clear, s.count, s.pairs."""
    most, awake = 3.0 * far, 0
    for _ in range(WIDENED):
        awake = _wake_pairs(s, most, far)
        grown = _spread(s, awake, h)
        if grown <= most:
            break
        most = max(3.0 * most, grown)
    short, pairs, kept = _is_short(s, awake, h), s.pairs[1], 0
    for j in range(awake):
        a, b = s.pairs[0, pairs[j, 0], 0], s.pairs[0, pairs[j, 0], 1]
        pairs[kept, 0] = pairs[j, 0]
        kept += not _is_clear(s, pairs[j, 0], reach_of_pair(s, a, b))
    return kept, short
