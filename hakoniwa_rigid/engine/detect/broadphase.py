# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Candidate pairs of bodies: a list with a skin, rebuilt only when some body has used up its skin (Verlet's list).

Each body is bounded by a ball about its centre of mass, so rotation never invalidates the list.  The grid finds the
balls that meet; half-spaces are tried against every body.  Static bodies are then tested exactly (distance to the
box, the plane, the box around the mesh).
"""
import math

from ..constants import CROWD_SPEED, CROWDED_SKIN, LANES, LOOKED_AT, ROOMY_SKIN, SHORTEST_SKIN, SKIN, SURE
from ..constraints.bodies import kept_apart
from ..maths import quat
from ..maths.jit import kernel
from ..maths.search import contains
from ..maths.vec3 import add, dot, load3, norm, scale, sub
from ..model import layout as L
from ..motion.states import attitude, may_fly, position
from ..shapes.kinds import BOX, HALFSPACE, MESH, UNBOUNDED
from .grid import ROOM, bounded_pairs, put_pair, rows_of
from .mesh_query import next_near, probe_of
from .pairs_box import outward


@kernel
def reach(s, i):
    """Bound (m) on the distance that the centre of body i travels in this step, whatever way impacts turn it."""
    return s.travel[L.V_REACH, i]


@kernel
def used(s, i):
    """Distance (m) of body i from where it was when the list was built."""
    return s.travel[L.V_USED, i]


@kernel
def may_collide(s, a, b):
    """By kinds, groups, masks, exclusions and constraints of bodies, and whether they are enabled."""
    if a == b or (s.body[a].kind != L.DYNAMIC and s.body[b].kind != L.DYNAMIC):
        return False
    if s.body[a].enabled == 0 or s.body[b].enabled == 0:
        return False
    if s.body[a].group & s.body[b].mask == 0 or s.body[b].group & s.body[a].mask == 0:
        return False
    if s.count.joints > 0 and kept_apart(s, a, b):
        return False
    if len(s.excluded) == 0:
        return True
    return not contains(s.excluded, min(a, b) * len(s.body) + max(a, b))


@kernel
def distance_to_static(s, g, x):
    """Lower bound (m) on the distance from a point outside to a static shape; not positive inside.

    Exact for half-spaces, boxes and spheres; of a mesh the box around it counts, of other shapes the ball.
    """
    b = s.geom_i[g].body
    f = s.geom[g]
    origin = add(position(s, b), quat.rotate(attitude(s, b), f.position))
    q = quat.mul(attitude(s, b), f.attitude)
    kind = s.geom_i[g].kind
    if kind == HALFSPACE:
        return dot(quat.rotate(q, f.dimensions), sub(x, origin))
    if kind == BOX:
        return norm(outward(quat.rotate_back(q, sub(x, origin)), f.dimensions))
    if kind == MESH:
        root = s.geom_i[g].tree_root
        low, high = load3(s.convex.vertex[root], 0), load3(s.convex.vertex[root + 1], 0)
        middle, half = scale(add(low, high), 0.5), scale(sub(high, low), 0.5)
        return norm(outward(sub(quat.rotate_back(q, sub(x, origin)), middle), half))
    return norm(sub(x, origin)) - f.extent


@kernel
def _is_near_mesh(s, g, x, r):
    """True if a triangle of mesh g that looks at the ball about x with radius r (m) may meet the cube around it."""
    b, f = s.geom_i[g].body, s.geom[g]
    origin = add(position(s, b), quat.rotate(attitude(s, b), f.position))
    q = quat.mul(attitude(s, b), f.attitude)
    probe = probe_of(origin, q, x, q, (r, r, r), 0.0)
    return next_near(s.convex.vertex, s.geom_i[g], probe, 0) >= 0


@kernel
def _reaches_static(s, a, b):
    """True if the ball of body a, with its skin, meets a shape of the static body b."""
    x, r = position(s, a), s.anchor[a].radius + s.anchor[a].skin
    least = math.inf
    for g in range(s.body[b].first_shape, s.body[b].end_shape):
        if s.geom_i[g].kind != MESH:
            least = min(least, distance_to_static(s, g, x))
        elif _is_near_mesh(s, g, x, r):
            return True
    return least <= r


@kernel
def _skin(s, i, usual, steps):
    """Skin (m) of body i: what it travels in so many steps, and a body of usual reach (m), which it may become.

    No more than its radius, where that is not too little for a few steps: a crowd has no end of neighbours.  And what
    pairs are looked at beyond what their bodies travel; what may be hit needs what was found (detect/hit_reach).
    """
    far, most = reach(s, i), (ROOM - 1.0) * s.anchor[i].radius
    beyond = CROWD_SPEED * s.par.dt + SURE + (LOOKED_AT - 1.0) * far
    usual = beyond + max(SKIN, max(SHORTEST_SKIN * far, min(steps * max(far, usual), most)))
    return max(usual, s.anchor[i].wanted_skin)


@kernel
def _set_anchors(s):
    """Writes: s.anchor, s.block, s.travel."""
    total, movers = 0.0, 0
    for i in range(len(s.body)):
        total += reach(s, i)
        movers += s.body[i].kind != L.STATIC
    steps = ROOMY_SKIN if s.count.candidate_pairs <= movers else CROWDED_SKIN
    for i in range(len(s.body)):
        b, k, x = s.block[i // LANES], i % LANES, position(s, i)
        for f in range(3):
            s.anchor[i, f] = b[(L.H_ANCHOR + f) * LANES + k] = x[f]
        s.travel[L.V_USED, i] = 0.0
        fixed = s.body[i].kind == L.STATIC
        s.anchor[i].skin = 0.0 if fixed else _skin(s, i, total / max(movers, 1), steps)
        s.anchor[i].wanted_skin = 0.0
        b[L.H_SKIN * LANES + k] = math.inf if fixed else s.anchor[i].skin
        b[L.H_FREE * LANES + k] = 1.0 if may_fly(s, i) else 0.0
    for i in range(len(s.body), len(s.block) * LANES):     # lanes without a body never stray
        s.block[i // LANES, L.H_SKIN * LANES + i % LANES] = math.inf


@kernel
def _over_plane(ball, cell, pairs, n, rows, b, normal, offset):
    """Bodies whose balls meet the half-space of body b, normal . x <= offset (m).  Writes: pairs."""
    for k in range(rows):
        c = ball[L.A_BALL, k], ball[L.A_BALL + 1, k], ball[L.A_BALL + 2, k]
        if dot(normal, c) - ball[L.A_BALL + 3, k] <= offset and cell[k, L.C_MOVER] == 1:
            n = put_pair(pairs, n, cell[k, L.C_BODY], b)
    return n


@kernel
def plane_pairs(s, n):
    """Pairs with half-spaces, from number n on; returns the number of pairs then.  Writes: s.pairs."""
    for b in range(len(s.body)):
        if s.anchor[b].radius >= UNBOUNDED:
            f = s.geom[s.body[b].first_shape]
            normal = quat.rotate(attitude(s, b), f.dimensions)
            origin = add(position(s, b), quat.rotate(attitude(s, b), f.position))
            n = _over_plane(s.ball, s.cell, s.pairs, n, rows_of(s.bucket), b, normal, dot(normal, origin))
    return n


@kernel
def is_wanted(s, a, b):
    """True if two bodies may collide and the ball of one, with its skin, meets the other where that one is static."""
    if not may_collide(s, a, b):
        return False
    if s.body[b].kind == L.STATIC:
        return _reaches_static(s, a, b)
    return s.body[a].kind != L.STATIC or _reaches_static(s, b, a)


@kernel
def _sift(s, n):
    """Keep of the first n pairs those that may meet; returns their number.  Writes: s.pairs."""
    kept = 0
    for k in range(n):
        a, b = s.pairs[0, k, 0], s.pairs[0, k, 1]
        if is_wanted(s, a, b):
            s.pairs[0, kept, 0], s.pairs[0, kept, 1] = a, b
            kept += 1
    return kept


@kernel
def _distance_to_body(s, b, x):
    """Lower bound (m) on the distance of a point from the static body b."""
    least = math.inf
    for g in range(s.body[b].first_shape, s.body[b].end_shape):
        least = min(least, distance_to_static(s, g, x))
    return least


@kernel
def clearance(s, a, b):
    """m between the balls of two bodies, or the ball of one and the other itself where that is static."""
    if s.body[b].kind == L.STATIC:
        return _distance_to_body(s, b, position(s, a)) - s.anchor[a].radius
    if s.body[a].kind == L.STATIC:
        return _distance_to_body(s, a, position(s, b)) - s.anchor[b].radius
    return norm(sub(position(s, b), position(s, a))) - s.anchor[a].radius - s.anchor[b].radius


@kernel
def rebuild(s):
    """New candidate list, sorted by body indices.

    Returns the number of pairs wanted; more than fit means: grow, call again.  Writes: s."""
    _set_anchors(s)
    n = plane_pairs(s, bounded_pairs(s.body, s.anchor, s.ball, s.cell, s.bucket, s.pairs))
    fits = n <= s.pairs.shape[1]
    if fits:
        s.count.candidate_pairs = _sift(s, n)
        _sort_pairs(s.close, s.pairs, s.count.candidate_pairs)
        for k in range(s.count.candidate_pairs):
            s.clear[k, L.C_GAP] = clearance(s, s.pairs[0, k, 0], s.pairs[0, k, 1])
            s.clear[k, L.C_N] = s.clear[k, L.C_N + 1] = s.clear[k, L.C_N + 2] = 0.0
    s.count.list_is_stale = 0 if fits else 1
    s.count.list_rebuilds += 1
    return n


@kernel
def _sort_pairs(start, pairs, n):
    """By counting: the second body first, then, in the same order among equals, the first.  start (N,): scratch.
    Writes: start, pairs."""
    _count_sort(start, pairs[0], pairs[1], n, 1)
    _count_sort(start, pairs[1], pairs[0], n, 0)


@kernel
def _count_sort(start, pairs, out, n, column):
    """Stable sort of n pairs by one body, into `out`.  Writes: start, out."""
    for i in range(len(start)):
        start[i] = 0
    for k in range(n):
        start[pairs[k, column]] += 1
    total = 0
    for i in range(len(start)):
        total, start[i] = total + start[i], total
    for k in range(n):
        place = start[pairs[k, column]]
        start[pairs[k, column]] = place + 1
        out[place, 0], out[place, 1] = pairs[k, 0], pairs[k, 1]
