# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Spheres, capsules and half-spaces among themselves: closed forms."""
import math

from ..maths import quat
from ..maths.jit import kernel
from ..maths.vec3 import add, cross, dot, madd, norm, scale, sub, tangents
from .manifold import put

# sin^2 of the angle below which two capsules count as parallel and touch along a line
PARALLEL = 1e-8
# m: a stretch on which two shapes touch, if it is shorter, is a point
SHORT = 1e-6
# m^2: below this squared distance two axes count as crossing, and the normal comes from the axes
CROSSING = 1e-24


@kernel
def ball_ball(m, k, xa, ra, xb, rb, fallback, feature):
    """One row for two spheres; `fallback` is the normal of concentric ones.  Writes: m."""
    d = sub(xb, xa)
    r2 = dot(d, d)
    n, r = fallback, 0.0
    if r2 > CROSSING:
        r = math.sqrt(r2)
        n = scale(d, 1.0 / r)
    gap = r - ra - rb
    put(m, k, madd(xa, n, ra + 0.5 * gap), n, gap, feature)


@kernel
def sphere_sphere(m, xa, qa, sa, xb, qb, sb):
    """Writes: m."""
    ball_ball(m, 0, xa, sa[0], xb, sb[0], (0.0, 0.0, 1.0), 0)
    return 1


@kernel
def segment(x, q, s):
    """Ends of a capsule's axis; s = (radius, half length)."""
    d = scale(quat.rotate(q, (0.0, 0.0, 1.0)), s[1])
    return sub(x, d), add(x, d)


@kernel
def clamp01(t):
    return min(max(t, 0.0), 1.0)


@kernel
def nearest_on_segment(p, a, d):
    """Parameter in [0, 1] of the point of a + t d nearest to p."""
    dd = dot(d, d)
    return clamp01(dot(sub(p, a), d) / dd) if dd > 0.0 else 0.0


@kernel
def sphere_capsule(m, xa, qa, sa, xb, qb, sb):
    """Writes: m."""
    b0, b1 = segment(xb, qb, sb)
    d = sub(b1, b0)
    t = nearest_on_segment(xa, b0, d)
    side, _ = tangents(quat.rotate(qb, (0.0, 0.0, 1.0)))
    ball_ball(m, 0, xa, sa[0], madd(b0, d, t), sb[0], side, 0)
    return 1


@kernel
def sphere_halfspace(m, xa, qa, sa, xb, qb, sb):
    """Writes: m."""
    n = quat.rotate(qb, sb)
    gap = dot(n, sub(xa, xb)) - sa[0]
    put(m, 0, madd(xa, n, -(sa[0] + 0.5 * gap)), scale(n, -1.0), gap, 0)
    return 1


@kernel
def capsule_halfspace(m, xa, qa, sa, xb, qb, sb):
    """Writes: m."""
    n = quat.rotate(qb, sb)
    ends = segment(xa, qa, sa)
    for k in range(2):
        p = ends[0] if k == 0 else ends[1]
        gap = dot(n, sub(p, xb)) - sa[0]
        put(m, k, madd(p, n, -(sa[0] + 0.5 * gap)), scale(n, -1.0), gap, k)
    return 2


@kernel
def nearest_on_segments(a0, da, b0, db):
    """Parameters of the nearest points of two segments (Ericson, Real-Time Collision Detection, 5.1.9)."""
    r = sub(a0, b0)
    aa, bb, ab = dot(da, da), dot(db, db), dot(da, db)
    ar, br = dot(da, r), dot(db, r)
    det = aa * bb - ab * ab
    s = clamp01((ab * br - ar * bb) / det) if det > 0.0 else 0.0
    t = (ab * s + br) / bb if bb > 0.0 else 0.0
    if t < 0.0:
        t = 0.0
        s = clamp01(-ar / aa) if aa > 0.0 else 0.0
    elif t > 1.0:
        t = 1.0
        s = clamp01((ab - ar) / aa) if aa > 0.0 else 0.0
    return s, t


@kernel
def capsule_capsule(m, xa, qa, sa, xb, qb, sb):
    """The nearest points, or both ends of the common stretch of parallel capsules.  Writes: m."""
    a0, a1 = segment(xa, qa, sa)
    b0, b1 = segment(xb, qb, sb)
    da, db = sub(a1, a0), sub(b1, b0)
    aa, bb, ab = dot(da, da), dot(db, db), dot(da, db)
    ua, ub = quat.rotate(qa, (0.0, 0.0, 1.0)), quat.rotate(qb, (0.0, 0.0, 1.0))
    across = cross(ua, ub)
    slant = norm(across)
    if aa * bb - ab * ab > PARALLEL * aa * bb:
        s, t = nearest_on_segments(a0, da, b0, db)
        side = scale(across, 1.0 / slant)
        if dot(side, sub(xb, xa)) < 0.0:
            side = scale(side, -1.0)
        ball_ball(m, 0, madd(a0, da, s), sa[0], madd(b0, db, t), sb[0], side, 0)
        return 1
    side, _ = tangents(ua)
    if aa == 0.0:
        return sphere_capsule(m, xa, qa, sa, xb, qb, sb)
    low, high = dot(sub(b0, a0), da) / aa, dot(sub(b1, a0), da) / aa
    low, high = clamp01(min(low, high)), clamp01(max(low, high))
    n = 2 if (high - low) * math.sqrt(aa) > SHORT else 1
    for k in range(n):
        p = madd(a0, da, low if k == 0 else high)
        ball_ball(m, k, p, sa[0], madd(b0, db, nearest_on_segment(p, b0, db)), sb[0], side, k)
    return n


