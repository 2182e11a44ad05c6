# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A box against a sphere, a capsule and a half-space."""
from ..maths import quat
from ..maths.jit import kernel
from ..maths.vec3 import add, cross, dot, madd, norm, scale, sub
from ..model import layout as L
from .manifold import put
from .pairs_round import clamp01, nearest_on_segments, segment

# m: closer than this to the box's surface counts as on or in it; the normal then comes from the faces
INSIDE = 1e-12
# share of the segment: a stretch over a face, if it is shorter, is a point; sine of the angle below which a segment and
# an edge are parallel; m by which an edge must be better than a face to be taken
SHORT, PARALLEL, PREFER_FACE = 1e-6, 1e-9, 1e-8


@kernel
def axis_of(i, s):
    return (s if i == 0 else 0.0, s if i == 1 else 0.0, s if i == 2 else 0.0)


@kernel
def outward(p, h):
    """Vector from the box (half sides h) to a point p outside it, in the box's frame; zero inside."""
    return (p[0] - min(max(p[0], -h[0]), h[0]), p[1] - min(max(p[1], -h[1]), h[1]), p[2] - min(max(p[2], -h[2]), h[2]))


@kernel
def sphere_box(m, xa, qa, sa, xb, qb, sb):
    """Writes: m."""
    p = quat.rotate_back(qb, sub(xa, xb))
    d = outward(p, sb)
    r = norm(d)
    if r > INSIDE:
        n = scale(d, 1.0 / r)
        feature = (1 if d[0] > 0.0 else 2 if d[0] < 0.0 else 0) + 3 * (1 if d[1] > 0.0 else 2 if d[1] < 0.0 else 0)
        feature += 9 * (1 if d[2] > 0.0 else 2 if d[2] < 0.0 else 0)
    else:
        best, r = 0, abs(p[0]) - sb[0]
        for i in range(1, 3):
            if abs(p[i]) - sb[i] > r:
                best, r = i, abs(p[i]) - sb[i]
        n = axis_of(best, 1.0 if p[best] >= 0.0 else -1.0)
        feature = (1 if p[best] >= 0.0 else 2) * (1, 3, 9)[best]
    n = quat.rotate(qb, n)
    gap = r - sa[0]
    put(m, 0, madd(xa, n, -(sa[0] + 0.5 * gap)), scale(n, -1.0), gap, feature)
    return 1


@kernel
def box_halfspace(m, xa, qa, sa, xb, qb, sb):
    """The (up to) four lowest corners; feature = corner index, bit i set for the positive side of axis i.
    Writes: m."""
    n = quat.rotate(qb, sb)
    b = quat.rotate_back(qa, n)
    base = dot(n, sub(xa, xb))
    for k in range(8):
        c = (sa[0] if k & 1 else -sa[0], sa[1] if k & 2 else -sa[1], sa[2] if k & 4 else -sa[2])
        gap = base + dot(b, c)
        point = madd(add(xa, quat.rotate(qa, c)), n, -0.5 * gap)
        put(m, k, point, scale(n, -1.0), gap, k)
    for i in range(4):
        low = i
        for k in range(i + 1, 8):
            if m[k, L.M_GAP] < m[low, L.M_GAP]:
                low = k
        if low != i:
            for f in range(L.MANIFOLD):
                m[i, f], m[low, f] = m[low, f], m[i, f]
    return 4


@kernel
def _slope(p, d, h, t):
    """Half the derivative along the segment of the squared distance to the box; never decreases with t."""
    return dot(outward(madd(p, d, t), h), d)


@kernel
def nearest_to_box(p, d, h):
    """Parameter in [0, 1] of the point of p + t d nearest to the box: root of a monotone, piecewise linear slope."""
    low, high = 0.0, 1.0
    at_low, at_high = _slope(p, d, h, 0.0), _slope(p, d, h, 1.0)
    if at_low >= 0.0:
        return 0.0
    if at_high <= 0.0:
        return 1.0
    for i in range(6):
        k = i // 2
        if d[k] == 0.0:
            continue
        t = ((h[k] if i % 2 == 0 else -h[k]) - p[k]) / d[k]
        if low < t < high:
            s = _slope(p, d, h, t)
            if s > 0.0:
                high, at_high = t, s
            else:
                low, at_low = t, s
    if at_high == at_low:
        return 0.5 * (low + high)
    return low + (high - low) * (-at_low / (at_high - at_low))


@kernel
def _clip_to_face(p, d, h, axis):
    """Stretch [t0, t1] of the segment that lies over the face across `axis`."""
    t0, t1 = 0.0, 1.0
    for k in range(3):
        if k == axis or d[k] == 0.0:
            continue
        u, v = (-h[k] - p[k]) / d[k], (h[k] - p[k]) / d[k]
        t0, t1 = max(t0, min(u, v)), min(t1, max(u, v))
    return t0, t1


@kernel
def _capsule_on_face(m, p, d, r, h, axis, side, xb, qb):
    """Two rows at the ends of the stretch over the face, one where the stretch is a point.  Writes: m."""
    t0, t1 = _clip_to_face(p, d, h, axis)
    if t1 < t0:
        t0 = t1 = clamp01(0.5 * (t0 + t1))
    n = 2 if t1 - t0 > SHORT else 1
    local = axis_of(axis, side)
    normal = quat.rotate(qb, local)
    for k in range(n):
        c = madd(p, d, t0 if k == 0 else t1)
        gap = side * c[axis] - h[axis] - r
        point = add(xb, quat.rotate(qb, madd(c, local, -(r + 0.5 * gap))))
        put(m, k, point, scale(normal, -1.0), gap, 32 + 4 * axis + 2 * (side > 0.0) + k)
    return n


@kernel
def _axis_in_box(p, d, h):
    """Least overlap of a segment with the box: (separation < 0, axis, side, edge normal).

    Axes 3 + i are the edges along axis i, with their unit normal.
    """
    best, axis, side, edge = -1e300, 0, 1.0, (0.0, 0.0, 1.0)
    for k in range(3):
        up, down = min(p[k], p[k] + d[k]) - h[k], -max(p[k], p[k] + d[k]) - h[k]
        if up > best:
            best, axis, side = up, k, 1.0
        if down > best:
            best, axis, side = down, k, -1.0
    for k in range(3):
        n = cross(axis_of(k, 1.0), d)
        length = norm(n)
        if length <= PARALLEL * norm(d):
            continue
        n = scale(n, (1.0 if dot(n, p) >= 0.0 else -1.0) / length)
        s = dot(n, p) - abs(n[0]) * h[0] - abs(n[1]) * h[1] - abs(n[2]) * h[2]
        if s > best + PREFER_FACE:
            best, axis, edge = s, 3 + k, n
    return best, axis, side, edge


@kernel
def capsule_box(m, xa, qa, sa, xb, qb, sb):
    """Writes: m."""
    a0, a1 = segment(xa, qa, sa)
    p, e = quat.rotate_back(qb, sub(a0, xb)), quat.rotate_back(qb, sub(a1, xb))
    d = sub(e, p)
    c = madd(p, d, nearest_to_box(p, d, sb))
    o = outward(c, sb)
    r = norm(o)
    if r > INSIDE:
        out = (o[0] != 0.0) + 2 * (o[1] != 0.0) + 4 * (o[2] != 0.0)
        if out == 1 or out == 2 or out == 4:
            axis = out // 2
            return _capsule_on_face(m, p, d, sa[0], sb, axis, 1.0 if o[axis] > 0.0 else -1.0, xb, qb)
        gap = r - sa[0]
        n = scale(o, 1.0 / r)
        point = add(xb, quat.rotate(qb, madd(c, n, -(sa[0] + 0.5 * gap))))
        put(m, 0, point, scale(quat.rotate(qb, n), -1.0), gap, 64 + out)
        return 1
    s, axis, side, n = _axis_in_box(p, d, sb)
    if axis < 3:
        return _capsule_on_face(m, p, d, sa[0], sb, axis, side, xb, qb)
    k = axis - 3
    edge0 = (sb[0] if n[0] >= 0.0 else -sb[0], sb[1] if n[1] >= 0.0 else -sb[1], sb[2] if n[2] >= 0.0 else -sb[2])
    edge0 = (-sb[0] if k == 0 else edge0[0], -sb[1] if k == 1 else edge0[1], -sb[2] if k == 2 else edge0[2])
    t, _ = nearest_on_segments(p, d, edge0, axis_of(k, 2.0 * sb[k]))
    gap = s - sa[0]
    point = add(xb, quat.rotate(qb, madd(madd(p, d, t), n, -(sa[0] + 0.5 * gap))))
    put(m, 0, point, scale(quat.rotate(qb, n), -1.0), gap, 128 + k)
    return 1
