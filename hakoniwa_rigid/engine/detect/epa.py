# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Depth of two overlapping convex cores: the polytope inside their difference grows where it is thinnest.

After van den Bergen 2001, with three departures.  Facets carry a signed distance, so the origin need not be inside at
the start, and a contact that only touches is no special case.  The horizon is the set of edges that the removed facets
do not share, so there are no neighbour links that could break.  A facet that cannot grow is closed with its true
separation.
"""
import math

from ..maths import elementary
from ..maths.jit import kernel
from ..maths.vec3 import cross, dot, norm, scale, store3, sub, tangents
from ..model.convex import EPA_EDGES, EPA_FACETS, EPA_POINTS, FACET, HORIZON
from .support import at3, pair_support

# relative to the size of the difference: points this close to a plane lie in it
FLAT = 1e-14
# columns of a facet
PLANE, KEY = 3, 4


@kernel
def _add_point(g, a, b, pose, n, k, ia, ib):
    """Support point for the normal n into row k; returns its separation.  Writes: g.work."""
    w, ia, ib = pair_support(g, a, b, pose, n, ia, ib)
    store3(g.work[k], 0, w)
    g.work[k, 3], g.work[k, 4] = ia, ib
    return dot(w, n)


@kernel
def _add_facet(g, k, i, j, l):
    """Facet of three points, counter-clockwise seen from outside; one without area is never looked at.
    Writes: g.index, g.work."""
    p = at3(g.work, i)
    n = cross(sub(at3(g.work, j), p), sub(at3(g.work, l), p))
    length = norm(n)
    g.index[k, 0], g.index[k, 1], g.index[k, 2] = i, j, l
    if length > 0.0:
        n = scale(n, 1.0 / length)
    store3(g.work[FACET + k], 0, n)
    g.work[FACET + k, PLANE] = dot(n, p)
    g.work[FACET + k, KEY] = g.work[FACET + k, PLANE] if length > 0.0 else math.inf


@kernel
def _farthest(g, a, b, pose, directions, some, to, origin, across):
    """Of the support points along +- the first `some` directions, put that with the largest distance into row `to`.

    Distance from the point `origin`: across 0: itself; 1: from the line along directions[0] x directions[1]; 2: along
    directions[0].  Returns it.  Writes: g.work."""
    best = -1.0
    for k in range(2 * some):
        d = directions[k // 2]
        n = d if k % 2 == 0 else scale(d, -1.0)
        w, ia, ib = pair_support(g, a, b, pose, n, 0, 0)
        r = sub(w, origin)
        if across == 1:
            x, y = dot(r, directions[0]), dot(r, directions[1])
            r = (x, y, 0.0)
        elif across == 2:
            r = (dot(r, directions[0]), 0.0, 0.0)
        if norm(r) > best:
            best = norm(r)
            store3(g.work[to], 0, w)
            g.work[to, 3], g.work[to, 4] = ia, ib
    return best


@kernel
def start(g, a, b, pose):
    """A large tetrahedron of support points: (rank, normal).

    rank 3: four facets are set up; below, the difference of the cores has no volume and `normal` is across it.
    Writes: g.index, g.work."""
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    _add_point(g, a, b, pose, x, 0, 0, 0)
    size = _farthest(g, a, b, pose, (x, y, z), 3, 1, at3(g.work, 0), 0)
    origin = at3(g.work, 0)
    flat = FLAT * (size + norm(origin))
    if not size > flat:
        return 0, z
    d = scale(sub(at3(g.work, 1), origin), 1.0 / size)
    t1, t2 = tangents(d)
    wide = _farthest(g, a, b, pose, (t1, t2, t1), 2, 2, origin, 1)
    if not wide > flat:
        return 1, t1
    n = cross(d, sub(at3(g.work, 2), origin))
    n = scale(n, 1.0 / norm(n))
    tall = _farthest(g, a, b, pose, (n, n, n), 1, 3, origin, 2)
    if not tall > flat:
        return 2, n
    up = dot(sub(at3(g.work, 3), origin), n) > 0.0
    i, j = (2, 1) if up else (1, 2)
    _add_facet(g, 0, 0, i, j)
    _add_facet(g, 1, 0, j, 3)
    _add_facet(g, 2, j, i, 3)
    _add_facet(g, 3, i, 0, 3)
    return 3, n


@kernel
def _toggle(g, count, i, j):
    """Add the directed edge i -> j to the horizon, or take out its reverse.  Returns the count, -1 without room.
    Writes: g.index."""
    for k in range(count):
        edge, last = g.index[HORIZON + k], g.index[HORIZON + count - 1]
        if edge[0] == j and edge[1] == i:
            edge[0], edge[1] = last[0], last[1]
            return count - 1
    if count == EPA_EDGES:
        return -1
    g.index[HORIZON + count, 0], g.index[HORIZON + count, 1] = i, j
    return count + 1


@kernel
def _expand(g, facets, k, flat):
    """Replace the facets that point k sees by the cone from k to their horizon; returns the facets, -1 without room.
    Writes: g.index, g.work."""
    w, edges, i = at3(g.work, k), 0, 0
    while i < facets:
        if dot(at3(g.work, FACET + i), w) > g.work[FACET + i, PLANE] - flat:
            for f in range(3):
                edges = _toggle(g, edges, g.index[i, f], g.index[i, (f + 1) % 3])
                if edges < 0:
                    return -1
            facets -= 1
            for f in range(5):
                g.work[FACET + i, f] = g.work[FACET + facets, f]
            for f in range(3):
                g.index[i, f] = g.index[facets, f]
        else:
            i += 1
    if edges == 0 or facets + edges > EPA_FACETS:
        return -1
    for e in range(edges):
        _add_facet(g, facets + e, g.index[HORIZON + e, 0], g.index[HORIZON + e, 1], k)
    return facets + edges


@kernel
def _known(g, i, w):
    for f in range(3):
        p = g.work[g.index[i, f]]
        if p[0] == w[0] and p[1] == w[1] and p[2] == w[2]:
            return True
    return False


@kernel
def grow(g, a, b, pose, points, facets, size, best, tolerance):
    """Grow the polytope until its thinnest facet is within `tolerance` (m) of the best separation known.

    best: (separation <= 0, n) known so far.  Returns (best, n, facet, floor, points, facets): the facet with the best
    normal if it is one of the present ones, else the thinnest; the true signed distance is at most `floor`.
    Writes: g.index, g.work."""
    s, n = best
    thin = 0
    while True:
        thin = 0
        for i in range(1, facets):
            if g.work[FACET + i, KEY] < g.work[FACET + thin, KEY]:
                thin = i
        key = g.work[FACET + thin, KEY]
        if key >= -s - tolerance or points == EPA_POINTS:
            return s, n, thin, -key, points, facets
        # outward normal of b - a: the separating direction a -> b is its opposite
        m = scale(at3(g.work, FACET + thin), -1.0)
        near = g.work[g.index[thin, 0]]
        found = _add_point(g, a, b, pose, m, points, elementary.whole(max(near[3], 0.0)),
                           elementary.whole(max(near[4], 0.0)))
        if found > s:
            s, n = found, m
        if -found - g.work[FACET + thin, PLANE] <= FLAT * size or _known(g, thin, at3(g.work, points)):
            g.work[FACET + thin, KEY] = max(-found, key)
            if -s <= g.work[FACET + thin, KEY]:
                return s, n, thin, s, points, facets
            continue
        grown = _expand(g, facets, points, FLAT * size)
        if grown < 0:
            return s, n, thin, -key, EPA_POINTS, facets
        points, facets = points + 1, grown
