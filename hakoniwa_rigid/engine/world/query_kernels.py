# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Entries from Python that ask about the present state; nothing moves."""
import math

from ..detect.broadphase import is_wanted, plane_pairs
from ..detect.clearance import between_bodies
from ..detect.grid import bounded_pairs
from ..detect.rays import cast
from ..maths.entries import entry
from ..maths.jit import kernel
from ..model import layout as L
from ..model.handle import arrays_at
from ..motion.states import position

# out: distance, point on a, point on b, normal a -> b; or distance, normal of a ray
DISTANCE, POINT_A, POINT_B, NORMAL = 0, 1, 4, 7
OUT = 10


@kernel
def _write(out, distance, a, b, normal):
    """Writes: out."""
    out[DISTANCE] = distance
    for f in range(3):
        out[POINT_A + f], out[POINT_B + f], out[NORMAL + f] = a[f], b[f], normal[f]


@entry
def clearance(table, a, b, limit, out):
    """between_bodies into out (OUT,).  Writes: table.convex, table.manifold, out."""
    gap, pa, pb, n = between_bodies(arrays_at(table), a, b, limit)
    _write(out, gap, pa, pb, n)


@entry
def first_hit(table, o, d, longest, mask, out):
    """detect.rays.cast: returns the shape; distance and normal into out (OUT,).  Writes: out."""
    g, t, n = cast(arrays_at(table), o, d, longest, mask)
    _write(out, t, n, n, n)
    return g


@kernel
def _set_balls(s, limit):
    """Balls about the present positions, those of bodies that can move with the limit (m) around them.
    Writes: s.anchor."""
    for i in range(len(s.body)):
        x = position(s, i)
        s.anchor[i].position = x
        s.anchor[i].skin = 0.0 if s.body[i].kind == L.STATIC else limit


@entry
def nearest(table, limit, wanted, distance, other):
    """Of each body the nearest one that it may meet within limit (m): distance (N,) m, inf if none; other (N,).

    wanted (N,): 1 for bodies whose answer is asked for.  table: of arrays with copies of anchor, ball, cell, bucket and
    pairs, which are overwritten.  Returns the number of pairs wanted; where that is more than there is room, make room
    and call again.  Writes: table, distance, other."""
    s = arrays_at(table)
    _set_balls(s, limit)
    n = plane_pairs(s, bounded_pairs(s.body, s.anchor, s.ball, s.cell, s.bucket, s.pairs))
    if n > s.pairs.shape[1]:
        return n
    for i in range(len(s.body)):
        distance[i], other[i] = math.inf, -1
    for k in range(n):
        a, b = s.pairs[0, k, 0], s.pairs[0, k, 1]
        if wanted[a] + wanted[b] == 0 or not is_wanted(s, a, b):
            continue
        far = -math.inf
        if wanted[a] == 1:
            far = distance[a]
        if wanted[b] == 1:
            far = max(far, distance[b])
        gap, _, _, _ = between_bodies(s, a, b, min(far, limit))
        if gap < distance[a] or (gap == distance[a] and b < other[a] and gap < math.inf):
            distance[a], other[a] = gap, b
        if gap < distance[b] or (gap == distance[b] and a < other[b] and gap < math.inf):
            distance[b], other[b] = gap, a
    return n
