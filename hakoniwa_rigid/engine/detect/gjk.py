# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Distance of two convex cores that are apart (Gilbert, Johnson, Keerthi 1988).

The nearest simplex is found by comparing all candidates of lower order that hold the newest vertex, which needs no
region tests and cannot loop (after Ericson, Real-Time Collision Detection, 9.5, and Montanari et al. 2017).
"""
import math

from ..maths.jit import kernel
from ..maths.vec3 import cross, dot, norm, scale, store3, sub
from .support import at3, pair_support

# Curved shapes need about ten support points per two digits; flat ones end after a few.
MAX_ITERATIONS = 80
# relative to the largest support point: a nearest point this close to the origin is rounding
NOTHING = 4e-15
# Relative and absolute (per size) width of the bracket on the distance at which a search ends.  Curved shapes are left
# to `polish`: it pins the normal to the root of it, 1e-3 rad.  Rough: for crowds.
FLAT, CURVED, ROUGH = (0.0, 1e-16), (1e-6, 1e-7), (1e-4, 1e-5)


@kernel
def _drop_to(p, i, j, k, count):
    """Keep rows i < j < k (as many as count) of the simplex, in front.  Writes: p."""
    for to in range(count):
        at = i if to == 0 else j if to == 1 else k
        if at != to:
            for f in range(5):
                p[to, f] = p[at, f]


@kernel
def _on_edge(a, b):
    """Point of the line through a and b nearest to the origin, and whether it lies between them."""
    d = sub(b, a)
    dd, t = dot(d, d), -dot(a, d)
    if not (0.0 < t < dd):
        return (0.0, 0.0, 0.0), False
    # from the nearer end, for accuracy
    v = (a[0] + d[0] * (t / dd), a[1] + d[1] * (t / dd), a[2] + d[2] * (t / dd))
    # the part along the edge is rounding
    s = dot(v, d) / dd
    return (v[0] - s * d[0], v[1] - s * d[1], v[2] - s * d[2]), True


@kernel
def _on_face(a, b, c):
    """Point of the plane through a, b, c nearest to the origin, and whether it lies within the triangle."""
    n = cross(sub(b, a), sub(c, a))
    nn = dot(n, n)
    if not (nn > 0.0 and dot(n, cross(b, c)) > 0.0 and dot(n, cross(c, a)) > 0.0 and dot(n, cross(a, b)) > 0.0):
        return (0.0, 0.0, 0.0), False
    return scale(n, dot(a, n) / nn), True


@kernel
def _holds_origin(a, b, c, d):
    """True when the origin lies in the tetrahedron."""
    for k in range(4):
        p, q, r, top = (a, b, c, d) if k == 0 else (b, c, d, a) if k == 1 else (c, d, a, b) if k == 2 else (d, a, b, c)
        n = cross(sub(q, p), sub(r, p))
        if (dot(n, sub(top, p)) > 0.0) != (dot(n, p) < 0.0):
            return False
    return True


@kernel
def nearest(p, count):
    """Shrink the simplex, rows 0..count-1 of p, to the part nearest to the origin.

    Returns (nearest point, rows kept, True if the origin is inside).  Writes: p."""
    last = count - 1
    w = at3(p, last)
    v, kept, i0, i1 = w, 1, last, last
    least = dot(w, w)
    for i in range(last):
        x, ok = _on_edge(at3(p, i), w)
        if ok and dot(x, x) < least:
            least, v, kept, i0 = dot(x, x), x, 2, i
    for i in range(last):
        for j in range(i + 1, last):
            x, ok = _on_face(at3(p, i), at3(p, j), w)
            if ok and dot(x, x) < least:
                least, v, kept, i0, i1 = dot(x, x), x, 3, i, j
    if count == 4 and _holds_origin(at3(p, 0), at3(p, 1), at3(p, 2), w):
        return v, 4, True
    _drop_to(p, i0, i1 if kept == 3 else last, last, kept)
    return v, kept, False


@kernel
def _known(p, count, w, ia, ib):
    for k in range(count):
        if p[k, 0] == w[0] and p[k, 1] == w[1] and p[k, 2] == w[2]:
            return True
        if ia >= 0 and ib >= 0 and p[k, 3] == ia and p[k, 4] == ib:
            return True
    return False


@kernel
def gjk(g, a, b, pose, first, wide):
    """Returns (n, lower, upper, count, size).

    n: unit normal a -> b of the largest separation found, which is `lower` (m); the distance is at most `upper` (m), 0
    where the cores overlap or touch; rows 0..count-1 of g.work hold the nearest simplex; size: of the support points.
    first: direction of the first look, a -> b, of any length.  wide: relative and absolute width (per size) of lower
    and upper at which to end.  Writes: g.work."""
    p = g.work
    v = first
    length = norm(v)
    n = scale(v, 1.0 / length) if length > 0.0 else (1.0, 0.0, 0.0)
    best, lower, upper, count, size, ia, ib = n, -math.inf, math.inf, 0, 0.0, 0, 0
    for _ in range(MAX_ITERATIONS):
        w, ia, ib = pair_support(g, a, b, pose, n, ia, ib)
        size = max(size, norm(w))
        s = dot(w, n)
        if s > lower:
            lower, best = s, n
        if count > 0 and upper - lower <= wide[0] * upper + wide[1] * size:
            break
        if _known(p, count, w, ia, ib):
            break
        store3(p[count], 0, w)
        p[count, 3], p[count, 4] = ia, ib
        v, count, inside = nearest(p, count + 1)
        length = norm(v)
        if inside or length <= NOTHING * size:
            return best, lower, 0.0, count, size
        if not length < upper:
            break
        upper = length
        n = scale(v, 1.0 / length)
    return best, lower, upper, count, size
