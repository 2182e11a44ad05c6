# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Support points of convex cores, in the core's frame and for a pair."""
import math

from ..maths.jit import always_inline, kernel
from ..maths.vec3 import add, dot, scale, sub
from ..model.convex import neighbours
from ..shapes.kinds import BOX, CAPSULE, HULL, SPHERE
from .curved import curved_support

# hulls with more vertices are climbed along edges, smaller ones scanned
SCAN = 32


@always_inline
def at3(a, k):
    """Elements 0, 1, 2 of row k of a 2-D array, without a view of it: each view costs two atomic counts."""
    return a[k, 0], a[k, 1], a[k, 2]


@kernel
def box_corner(size, k):
    """Corner k of a box: bit i set for the positive side of axis i."""
    return (size[0] if k & 1 else -size[0], size[1] if k & 2 else -size[1], size[2] if k & 4 else -size[2])


@kernel
def vertex_of(g, core, k):
    """Vertex k of a polytope."""
    kind, size, first, _ = core
    if kind == SPHERE:
        return 0.0, 0.0, 0.0
    if kind == CAPSULE:
        return 0.0, 0.0, (size[1] if k else -size[1])
    if kind == BOX:
        return box_corner(size, k)
    return at3(g.vertex, first + k)


@kernel
def _climb(g, first, n, k):
    """Walk along edges while it goes up: on a convex polytope the top of the walk is the top of all."""
    best = dot(at3(g.vertex, first + k), n)
    moved = True
    while moved:
        moved = False
        begin, end = neighbours(g, first + k)
        for i in range(begin, end):
            h = dot(at3(g.vertex, g.topology[i]), n)
            if h > best:
                best, k, moved = h, g.topology[i] - first, True
                break
    return k


@kernel
def _scan(g, first, count, n):
    k, best = 0, dot(at3(g.vertex, first), n)
    for i in range(1, count):
        h = dot(at3(g.vertex, first + i), n)
        if h > best:
            k, best = i, h
    return k


@kernel
def support(g, core, n, hint):
    """Farthest point of the core along n, and its vertex id; -1 on curved parts.  hint: vertex at which to start."""
    kind, size, first, count = core
    if kind >= HULL:
        k = _climb(g, first, n, max(hint, 0)) if kind == HULL and count > SCAN else _scan(g, first, count, n)
        return at3(g.vertex, first + k), k
    if kind == BOX:
        k = (1 if n[0] >= 0.0 else 0) + (2 if n[1] >= 0.0 else 0) + (4 if n[2] >= 0.0 else 0)
        return box_corner(size, k), k
    if kind == SPHERE:
        return (0.0, 0.0, 0.0), 0
    if kind == CAPSULE:
        return (0.0, 0.0, size[1] if n[2] >= 0.0 else -size[1]), (1 if n[2] >= 0.0 else 0)
    return curved_support(kind, size, n)


@kernel
def to_b(pose, n):
    """Direction from a's frame to b's; pose = (origin of b in a, the three axes of b in a)."""
    return dot(pose[1], n), dot(pose[2], n), dot(pose[3], n)


@kernel
def turned(pose, p):
    """Direction from b's frame to a's."""
    return (pose[1][0] * p[0] + pose[2][0] * p[1] + pose[3][0] * p[2],
            pose[1][1] * p[0] + pose[2][1] * p[1] + pose[3][1] * p[2],
            pose[1][2] * p[0] + pose[2][2] * p[1] + pose[3][2] * p[2])


@kernel
def pair_support(g, a, b, pose, n, ia, ib):
    """Support points for the normal n (a -> b): the farthest of a along n, of b against it.

    Returns b's minus a's point in a's frame, and the two vertex ids; ia, ib: vertices at which to start.
    """
    m = to_b(pose, n)
    pa, ia = support(g, a, n, ia)
    pb, ib = support(g, b, (-m[0], -m[1], -m[2]), ib)
    return sub(add(turned(pose, pb), pose[0]), pa), ia, ib


@kernel
def separation(g, a, b, pose, n):
    """Signed distance (m) of the two support planes across the unit vector n (a -> b).

    A lower bound of the signed distance of the cores, which is its maximum over all n, apart and overlapping.
    """
    return dot(pair_support(g, a, b, pose, n, 0, 0)[0], n)


@kernel
def triangle_normal(g, first):
    """Unit outward normal; z for a triangle without area."""
    p = at3(g.vertex, first)
    u, v = sub(at3(g.vertex, first + 1), p), sub(at3(g.vertex, first + 2), p)
    n = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
    s = math.sqrt(dot(n, n))
    return scale(n, 1.0 / s) if s > 0.0 else (0.0, 0.0, 1.0)
