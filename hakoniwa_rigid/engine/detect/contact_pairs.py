# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""From candidate pairs to contact pairs: those whose shapes may touch within this step, with their contact points."""
import math

import numpy as np

from ..constants import LANES, SURE, TOUCH, WIDEST_TOUCH
from ..constraints.bodies import is_active
from ..maths import quat
from ..maths.jit import inline, kernel
from ..maths.vec3 import add, load3, norm, scale, store3, sub
from ..model import layout as L
from ..motion.bodies import gather
from ..motion.states import attitude, in_crowd, is_idle, may_fly, position, rate
from ..motion.waking import wake, wake_all
from ..shapes.kinds import BOX, CYLINDER, HALFSPACE, MESH, SPHERE
from .balls import balls_apart, beyond, body_spin, centre, spin, swing, turning
from .clusters import find_clusters
from .contact_points import crowd_reach, evaluate, farther, look_again, look_ahead, note
from .manifold_cache import KEPT_WAY, begin_cache, old_normal
from .mesh_query import next_near, probe_of
from .pairs_box_box import best_axis
from .separating_axis import over, separated
from .separating_plane import OLD_DIRECTION, gap_along, pose_of, widest_gap
from .travel import on_mesh, reach_of_pair, surface_reach

# 0 as a number of a type, not as a literal, for which the kernels below would be compiled once more
NONE = np.int64(0)
NOTHING = (0.0, 0.0, 0.0)
# times that contact pairs are found anew in a step because islands wake, before all of them do
WAKE_ROUNDS = 4


@kernel
def _wake(s, i):
    """Writes: s.body, s.todo, s.work."""
    if s.body[i].near == 0:
        s.body[i].near = L.GATHERED
        s.todo[L.DO_NEAR, i // LANES] |= 1 << i % LANES
        gather(s, i)


@kernel
def _forget(s):
    """No body is near a contact any more.  Writes: s.block, s.body, s.todo."""
    for block in range(s.todo.shape[1]):
        lanes, s.todo[L.DO_NEAR, block] = s.todo[L.DO_NEAR, block], 0
        for k in range(LANES if lanes != 0 else 0):
            i = block * LANES + k
            if lanes >> k & 1:
                s.body[i].near = 0
                s.block[block, L.H_FREE * LANES + k] = 1.0 if may_fly(s, i) else 0.0


@kernel
def _list_close(s):
    """Bodies with a contact pair into `close`, ascending.  Writes: s.close, s.count."""
    n = 0
    for block in range(s.todo.shape[1]):
        lanes = s.todo[L.DO_NEAR, block]
        for k in range(LANES if lanes != 0 else 0):
            i = block * LANES + k
            if lanes >> k & 1 and s.body[i].near == L.IN_CONTACT:
                s.close[n] = i
                n += 1
    s.count.close_bodies = n


@inline
def find_contact_pairs(s, h, awake):
    """Fill pair_i and row for every pair that may touch in this step; gather their bodies.

    awake: number of candidate pairs that may (hit_reach.pairs_in_reach).  Returns the number wanted.  Writes: s."""
    find_clusters(s, awake)
    for _ in range(WAKE_ROUNDS):
        m, woken = _find(s, h, awake)
        if not woken:
            return m
    wake_all(s, L.BY_CONTACT)
    return _find(s, h, awake)[0]


@kernel
def _find(s, h, awake):
    """find_contact_pairs among the candidate pairs that are awake.

    Returns also whether an island has been met that slept: it is awake now, and they have to be found anew.
    Writes: s."""
    _forget(s)
    begin_cache(s)
    m, woken = NONE, False
    for j in range(awake):
        k = s.pairs[1, j, 0]
        a, b = s.pairs[0, k, 0], s.pairs[0, k, 1]
        if is_idle(s, a) and is_idle(s, b):
            continue
        way = reach_of_pair(s, a, b) + 2.0 * TOUCH
        if in_crowd(s, a) + in_crowd(s, b) > 0:
            way += farther(s, a, b, h) + 2.0 * (body_spin(s, a, h) + body_spin(s, b, h))
        if not beyond(s, position(s, a), s.anchor[a].radius, b, way) and not separated(
                s, _all_of(s, a), _all_of(s, b), load3(s.clear[k], L.C_N),
                _by_old_direction(s, a, b, way + body_spin(s, a, h) + body_spin(s, b, h))):
            found = _near_shapes(s, m, k, way, h)
            for i in (a, b):
                if found > m and s.body[i].sleeping_island > 0:
                    wake(s, s.body[i].sleeping_island, L.BY_CONTACT)
                    woken = True
            m = found
    s.count.contact_pairs = min(m, len(s.pair_i))
    if s.count.joints > 0:
        _bring_joined(s)
    _list_close(s)
    return m, woken


@kernel
def _by_old_direction(s, a, b, travel):
    """m by which an old direction has to part shapes of bodies a and b, so that without it too they would be found to
    be apart for a relative travel `travel` (m): which directions are known shall change no bit."""
    kept = 2.0 * KEPT_WAY if in_crowd(s, a) + in_crowd(s, b) > 0 else 0.0
    return OLD_DIRECTION * (travel + kept) + SURE


@kernel
def _bring_joined(s):
    """Bodies under constraints are solved as those near a contact.  Writes: s.body, s.todo, s.work."""
    for k in range(len(s.joint_i)):
        if is_active(s, k):
            for f in range(L.JI_A, L.JI_B + 1):
                _wake(s, s.joint_i[k, f])
                s.body[s.joint_i[k, f]].near = L.IN_CONTACT


@kernel
def _all_of(s, b):
    """Body b with all its shapes, as `separated` takes them."""
    return b, s.body[b].first_shape, s.body[b].end_shape


@kernel
def _near_shapes(s, m, k, way, h):
    """The shapes of candidate pair k that may touch in this step, as contact pairs; way (m): bound on their relative
    motion but for rotations.  Returns the number of contact pairs wanted.  Writes: s."""
    a, b = s.pairs[0, k, 0], s.pairs[0, k, 1]
    (_, a0, a1), (_, b0, b1) = _all_of(s, a), _all_of(s, b)
    several, meshes = a1 - a0 > 1 or b1 - b0 > 1, False
    speed_a, speed_b = norm(rate(s, a)), norm(rate(s, b))
    for ga in range(a0, a1):
        sway, xa = way + swing(s, ga, speed_a, h), centre(s, ga)
        if several and beyond(s, xa, s.geom[ga].extent, b, sway):
            continue
        for gb in range(b0, b1):
            travel = sway + swing(s, gb, speed_b, h)
            if balls_apart(s, ga, xa, gb, a, b, travel):
                continue
            if s.geom_i[ga].kind == MESH:
                m, meshes = _near_patches(s, m, ga, gb, ga, gb, travel, h), True
            elif s.geom_i[gb].kind == MESH:
                m, meshes = _near_patches(s, m, ga, gb, gb, ga, travel, h), True
            elif not (several and separated(
                    s, (a, ga, ga + 1), (b, gb, gb + 1), load3(s.clear[k], L.C_N),
                    _by_old_direction(s, a, b, way + spin(s, ga, a, h) + spin(s, gb, b, h)))):
                found = _near(s, m, ga, gb, NONE, travel, h)
                if found == m:
                    store3(s.clear[k], L.C_N, s.pair_f[m].normal)
                m = found
    if meshes:  # their patches count as near from farther away
        store3(s.clear[k], L.C_N, NOTHING)
    return m


@kernel
def _near_patches(s, m, ga, gb, mesh, other, travel, h):
    """The patches of shape `mesh` that shape `other` may touch, as contact pairs of ga and gb.  Writes: s."""
    body = s.geom_i[mesh].body
    origin = add(position(s, body), quat.rotate(attitude(s, body), s.geom[mesh].position))
    q = quat.mul(attitude(s, body), s.geom[mesh].attitude)
    b = s.geom_i[other].body
    turn = quat.mul(attitude(s, b), s.geom[other].attitude)
    half, reach = s.geom[other].half_sides, travel + turning(s, other, h)
    probe = probe_of(origin, q, centre(s, other), turn, half, reach)
    vertex, row = s.convex.vertex, s.geom_i[mesh]
    triangle = next_near(vertex, row, probe, 0)
    while triangle >= 0:
        patch = vertex[row.first_vertex + L.TRIANGLE_ROWS * triangle + L.TRI_PATCH]
        m = _near(s, m, ga, gb, int(patch[0]), reach, h)
        triangle = next_near(vertex, row, probe, int(patch[1]))
    return m


@kernel
def _near(s, m, ga, gb, patch, within, h):
    """Make shapes ga and gb contact pair m, if they may touch in this step; returns the number of contact pairs wanted.

    patch: of a mesh; within (m): bound on the relative motion of the surface of a patch and that of a shape.
    Writes: s."""
    if m >= len(s.pair_i):
        return m + 1
    a, b = s.geom_i[ga].body, s.geom_i[gb].body
    _wake(s, a)
    _wake(s, b)
    p = s.pair_i[m]
    p.shape_a, p.shape_b, p.body_a, p.body_b, p.patch = ga, gb, a, b, patch
    p.is_hit = p.stamp = p.touches = p.point_count = p.unsolved = p.stops = 0
    p.looks_ahead = p.late_events = 0
    s.pair_f[m].rest_start = s.pair_f[m].rest_span = 0.0
    s.pair_f[m].time_of_impact, s.pair_f[m].reach = math.inf, within
    crowded, kept = in_crowd(s, a) + in_crowd(s, b) > 0, s.count.caching
    far = crowd_reach(s, m, h) if crowded else surface_reach(s, m, h) + 2.0 * TOUCH
    if crowded and look_again(s, m, far):
        found = _count_near(s, m, s.pair_f[m].least_gap, far)
    else:
        gap, normal, known = -math.inf, old_normal(s, m) if crowded else NOTHING, False
        if normal == NOTHING:
            gap, normal, known = _early_out(s, m, surface_reach(s, m, h) + 2.0 * TOUCH)
        if gap <= far and crowded:
            gap = look_ahead(s, m, far, True, normal)
        elif gap > 2.0 * WIDEST_TOUCH and (gap > far or known):
            note(s, m, gap, normal)
        else:
            gap = evaluate(s, m)
        found = _count_near(s, m, gap, within if on_mesh(s, m) else far)
    if found == m:
        s.count.caching = kept  # what is far apart is kept for no step: it need not be looked at in the next
    return found


@kernel
def _count_near(s, m, gap, far):
    """Number of contact pairs with m, whose gap (m) is known, as the last: m + 1 if it may close.  Writes: s.body."""
    if gap > far or gap == far and on_mesh(s, m):
        return m
    for f in range(L.P_A, L.P_B + 1):
        s.body[s.pair_i[m, f]].near = L.IN_CONTACT
    return m + 1


@kernel
def _early_out(s, m, far):
    """Gap (m) of contact pair m, at least, and its direction (unit, a -> b), where both cost little; -inf elsewhere.

    far (m): where they are farther apart than that, how much farther does not matter.  Third: whether it is known from
    this alone if they are a contact pair.
    """
    ga, gb = s.pair_i[m].shape_a, s.pair_i[m].shape_b
    ta, tb = s.geom_i[ga].kind, s.geom_i[gb].kind
    if on_mesh(s, m):
        return -math.inf, NOTHING, False
    if (ta > HALFSPACE or tb > HALFSPACE) and ta != HALFSPACE and tb != HALFSPACE:
        return widest_gap(s, m, far)
    if ta == HALFSPACE or tb == HALFSPACE:
        gap, n = _over_plane(s, m)
        return gap, n, True
    (xa, qa), (xb, qb) = pose_of(s, ga, s.work[s.pair_i[m].body_a]), pose_of(s, gb, s.work[s.pair_i[m].body_b])
    if ta == tb == BOX:
        gap, _, n = best_axis(sub(xb, xa), quat.axes(qa), s.geom[ga].dimensions,
                              quat.axes(qb), s.geom[gb].dimensions)
        return gap, n, True
    return -math.inf, NOTHING, False


@kernel
def _over_plane(s, m):
    """As _early_out, for contact pair m with a half-space, at the start of the step."""
    p = s.pair_i[m]
    side = 0 if s.geom_i[p.shape_a].kind == HALFSPACE else 1
    plane, g, sign = p[L.P_GA + side], p[L.P_GB - side], 1.0 - 2.0 * side
    n = scale(quat.rotate(pose_of(s, plane, s.work[p[L.P_A + side]])[1], s.geom[plane].dimensions), sign)
    kind = s.geom_i[g].kind
    if kind in (SPHERE, BOX, CYLINDER):
        return over(s, plane, p[L.P_B - side], g, g + 1), n
    return gap_along(s, m, n), n


@kernel
def link_bodies(s):
    """Adjacency: B_ADJ, B_NADJ of each near body index the contact pairs in `adjacent`, ascending.
    Writes: s.adjacent, s.body."""
    m, close = s.count.contact_pairs, s.close[:s.count.close_bodies]
    for i in close:
        s.body[i].adjacent_count = 0
    for k in range(m):
        s.body[s.pair_i[k].body_a].adjacent_count += 1
        s.body[s.pair_i[k].body_b].adjacent_count += 1
    start = 0
    for i in close:
        s.body[i].first_adjacent = start
        start += s.body[i].adjacent_count
        s.body[i].adjacent_count = 0
    for k in range(m):
        for f in range(L.P_A, L.P_B + 1):
            i = s.pair_i[k, f]
            s.adjacent[s.body[i].first_adjacent + s.body[i].adjacent_count] = k
            s.body[i].adjacent_count += 1
