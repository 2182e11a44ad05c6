# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Witness points: where two shapes are nearest whose facing features do not lie over each other."""
import math

from ..maths.jit import kernel
from ..maths.vec3 import add, scale, sub
from ..model import layout as L
from ..model.convex import CANDIDATE, SIDE
from .clipping import ID, L_SIZE, POINT, SAME, SEGMENT, are_parallel, corners, share
from .manifold import swap
from .support import at3

# sine of an angle: segments less askew meet along both, however far off each other a normal that is not exact sees them
ALONGSIDE = 0.05


@kernel
def _at_share(rows, t):
    """Point (u, v, height) of a segment at t, 0..1."""
    p = at3(rows, 0)
    return add(p, scale(sub(at3(rows, 1), p), t))


@kernel
def _overlap(g, radii):
    """As witness, of parallel segments: the ends of what they have in common, or one point.  Writes: g.work."""
    ra, rb, first, second = corners(g, 0), corners(g, 1), g.work[CANDIDATE + 0], g.work[CANDIDATE + 1]
    for k in range(2):
        on_b = _at_share(rb, share(rb, ra[k, 0], ra[k, 1])[0])
        on_a = _at_share(ra, share(ra, on_b[0], on_b[1])[0])
        za, zb, row = on_a[2] + radii[0], on_b[2] - radii[1], first if k == 0 else second
        row[L.M_X], row[L.M_X + 1] = 0.5 * (on_a[0] + on_b[0]), 0.5 * (on_a[1] + on_b[1])
        row[L.M_X + 2], row[L.M_GAP], row[L.M_FEATURE] = 0.5 * (za + zb), zb - za, 4.0 * ID * ID + ra[k, 3]
    near = SAME * max(g.work[SIDE + 0, L_SIZE], g.work[SIDE + 1, L_SIZE])
    if abs(first[L.M_X] - second[L.M_X]) + abs(first[L.M_X + 1] - second[L.M_X + 1]) <= near:
        return 1
    if second[L.M_GAP] < first[L.M_GAP]:
        swap(g.work, CANDIDATE, CANDIDATE + 1)
    return 2


@kernel
def _across(g):
    """Points (u, v, height) at which two segments that are askew and do not cross are nearest, as seen along the
    normal: one of them is an end."""
    least, points = math.inf, (at3(corners(g, 0), 0), at3(corners(g, 1), 0))
    for side in range(2):
        own, other = corners(g, side), corners(g, 1 - side)
        for k in range(2):
            t, away = share(other, own[k, 0], own[k, 1])
            if away < least:
                p, q = at3(own, k), _at_share(other, t)
                least, points = away, (p, q) if side == 0 else (q, p)
    return points


@kernel
def witness(g, kinds, radii, pa, pb, s):
    """Contact points of a pair whose features do not lie over each other, as candidates; the one of the least gap
    first.  Returns their number.

    One: on the feature that is a point, between segments where they are nearest, else at the support point of the
    smaller feature, midway to the other where that is a segment; two of segments that are all but parallel.
    pa, pb: support points (u, v, height) of both.
    Writes: g.work."""
    ra, rb = corners(g, 0), corners(g, 1)
    u, v, z, name = 0.5 * (pa[0] + pb[0]), 0.5 * (pa[1] + pb[1]), 0.5 * (pa[2] + pb[2]), 4.0 * ID * ID
    gap = s - radii[0] - radii[1]
    if kinds[0] == SEGMENT and kinds[1] == SEGMENT:
        if are_parallel(g, ALONGSIDE):
            return _overlap(g, radii)
        p, q = _across(g)
        u, v, z = 0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]), 0.5 * (p[2] + radii[0] + q[2] - radii[1])
    elif kinds[0] == POINT:
        u, v, z, name = ra[0, 0], ra[0, 1], ra[0, 2] + radii[0] + 0.5 * gap, ra[0, 3]
        if kinds[1] == POINT:
            u, v, name = 0.5 * (u + rb[0, 0]), 0.5 * (v + rb[0, 1]), name + ID * rb[0, 3]
    elif kinds[1] == POINT:
        u, v, z, name = rb[0, 0], rb[0, 1], rb[0, 2] - radii[1] - 0.5 * gap, ID * rb[0, 3]
    else:
        small = 0 if g.work[SIDE + 0, L_SIZE] <= g.work[SIDE + 1, L_SIZE] else 1
        u, v = (pa[0], pa[1]) if small == 0 else (pb[0], pb[1])
        if kinds[1 - small] == SEGMENT:
            rows = corners(g, 1 - small)
            there = _at_share(rows, share(rows, u, v)[0])
            u, v = 0.5 * (u + there[0]), 0.5 * (v + there[1])
    row = g.work[CANDIDATE + 0]
    row[L.M_X], row[L.M_X + 1], row[L.M_X + 2] = u, v, z
    row[L.M_GAP], row[L.M_FEATURE] = gap, name
    return 1
