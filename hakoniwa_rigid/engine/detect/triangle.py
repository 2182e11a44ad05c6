# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Triangles of a mesh are one-sided, and their edges know how far a normal may lean out over them.

Without that, a box that slides over a flat floor of triangles stumbles over the edges between them: for the single
triangle the short way out is sideways.
"""
import math

from ..maths import elementary
from ..maths.jit import kernel
from ..maths.vec3 import add, cross, dot, norm, scale, sub
from ..shapes.kinds import TRIANGLE
from .support import at3, separation, to_b, triangle_normal, turned

# relative to the triangle: vertices this close to the farthest one along the normal take part in the contact
TIED = 1e-6
# 1 - cosine of the angle between normals that count as one
SAME_NORMAL = 1e-12
# m: an overlap that the allowed normal makes deeper than so many times the least one, and that much, is another
# triangle's: one at the same corner of the mesh that leaves the normal free
DEEPER, DEEPER_BY = 2.0, 1e-6


@kernel
def _lean(n, m, out, limit):
    """Turn n back towards m so that it leans towards `out` by no more than `limit` (rad)."""
    x, z = dot(n, out), dot(n, m)
    if elementary.atan2(x, z) <= limit and (x > 0.0 or z > 0.0):
        return n
    r = elementary.hypot(x, z)
    n = add(n, add(scale(out, r * elementary.sin(limit) - x), scale(m, r * elementary.cos(limit) - z)))
    length = norm(n)
    return scale(n, 1.0 / length) if length > 0.0 else m


@kernel
def front(g, core, n):
    """The unit normal nearest to n, outward from a triangle, that its neighbours leave free; in the triangle's frame.

    size of the core: for each edge v0-v1, v1-v2, v2-v0 the angle (rad) between the outward normals across it where the
    mesh is convex there, 0 where it is flat or concave, pi/2 at its rim.  The first one more than pi: a triangle with
    two sides, which leaves all normals free.
    """
    _, limits, first, _ = core
    if limits[0] > math.pi:
        return n
    m = triangle_normal(g, first)
    v = (at3(g.vertex, first), at3(g.vertex, first + 1), at3(g.vertex, first + 2))
    h = (dot(v[0], n), dot(v[1], n), dot(v[2], n))
    top = max(h[0], max(h[1], h[2])) - TIED * (norm(sub(v[1], v[0])) + norm(sub(v[2], v[0])))
    tied = (1 if h[0] >= top else 0) + (1 if h[1] >= top else 0) + (1 if h[2] >= top else 0)
    if tied == 3:
        return m
    for i in range(3):
        j = (i + 1) % 3
        if h[i] >= top and h[j] >= top or tied == 1 and (h[i] >= top or h[j] >= top):
            out = cross(sub(v[j], v[i]), m)
            length = norm(out)
            if length > 0.0:
                n = _lean(n, m, scale(out, 1.0 / length), limits[i])
    return n


@kernel
def one_sided(g, a, b, pose, n, s, radius):
    """Normal and separation of cores of which one or both are triangles, as far as the triangles allow.

    radius (m): of both around their cores.  Shapes that are apart keep their distance, which is inf where the normal is
    not allowed: a neighbour of the triangle is nearer then.  Overlapping ones get the depth along the allowed normal,
    and also inf where that is far more than the least overlap.
    """
    before = n
    if a[0] == TRIANGLE:
        n = front(g, a, n)
    if b[0] == TRIANGLE:
        back = to_b(pose, n)
        n = scale(turned(pose, front(g, b, (-back[0], -back[1], -back[2]))), -1.0)
    if s > radius:
        return n, s if dot(n, before) >= 1.0 - SAME_NORMAL else math.inf
    if dot(n, before) >= 1.0:
        return n, s
    along = min(separation(g, a, b, pose, n), s)
    return n, along if along - radius >= DEEPER * (s - radius) - DEEPER_BY else math.inf
