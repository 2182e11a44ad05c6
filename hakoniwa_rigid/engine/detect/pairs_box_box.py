# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Box against box: separating axes, then the clipped face or the two edges.

Gottschalk 1996; Ericson, Real-Time Collision Detection, 2005, 4.4.1 and 5.5.
"""
import math

from ..constants import TOUCH
from ..maths import quat
from ..maths.elementary import remainder
from ..maths.jit import kernel
from ..maths.vec3 import add, cross, dot, load3, madd, norm, scale, sub
from ..model import layout as L
from .manifold import put, reduce_steadily, reduce_to_four
from .pairs_round import nearest_on_segments

# m: an edge pair must separate better than the best face by this, so that resting faces keep their manifold
EDGE_BIAS = 1e-8
# sin^2 below which two edges count as parallel: their cross product is then no axis
PARALLEL_EDGES = 1e-10
# cosine of the angle between the axes of an edge pair and of a face below which a crowd takes the edges: of plates that
# all but lie on each other the edges have one point, and the plates would rock on it.  m: by how much less than the
# edges that face may part them
FLAT, FLAT_ROOM = 0.97, 1e-3
# m: deeper than what lies exactly: such boxes are taken by their faces in any case, else they rock and sink
OVERLAP = 2e-8
# cosine of the angle between two faces below which an edge touches, not a face: which of its points are over the face
# where it lies along an edge of the other box is a matter of rounding
FACING = 0.999
# first number of the features of edges along edges
ALONG = 16384


@kernel
def _reach(u, axes, h):
    """Half the extent of a box along the unit vector u."""
    return abs(dot(u, axes[0])) * h[0] + abs(dot(u, axes[1])) * h[1] + abs(dot(u, axes[2])) * h[2]


@kernel
def best_axis(d, aa, ha, ab, hb):
    """Axis of greatest separation: (separation, code, unit normal a->b).

    Codes: 0-2 face of a, 3-5 face of b, 6-14 edges.
    """
    best, code, normal = -1e300, 0, (0.0, 0.0, 1.0)
    for k in range(6):
        u = aa[k] if k < 3 else ab[k - 3]
        along = dot(d, u)
        s = abs(along) - (ha[k] + _reach(u, ab, hb) if k < 3 else hb[k - 3] + _reach(u, aa, ha))
        if s > best:
            best, code, normal = s, k, scale(u, 1.0 if along >= 0.0 else -1.0)
    face = best
    for i in range(3):
        for j in range(3):
            u = cross(aa[i], ab[j])
            length2 = dot(u, u)
            if length2 < PARALLEL_EDGES:
                continue
            u = scale(u, 1.0 / math.sqrt(length2))
            along = dot(d, u)
            s = abs(along) - _reach(u, aa, ha) - _reach(u, ab, hb)
            if s > best and s > face + EDGE_BIAS:
                best, code, normal = s, 6 + 3 * i + j, scale(u, 1.0 if along >= 0.0 else -1.0)
    return best, code, normal


@kernel
def _face_corners(poly, x, axes, h, toward):
    """Four corners of the face of the box whose normal points most along `toward`; fourth column: the corner's id.

    Returns the cosine between both.  Writes: poly."""
    k, best = 0, -1.0
    for i in range(3):
        if abs(dot(axes[i], toward)) > best:
            k, best = i, abs(dot(axes[i], toward))
    s = 1.0 if dot(axes[k], toward) >= 0.0 else -1.0
    i, j = (k + 1) % 3, (k + 2) % 3
    for c in range(4):
        p = (1.0 if c in (0, 3) else -1.0) * h[i]
        q = (1.0 if c < 2 else -1.0) * h[j]
        v = madd(madd(madd(x, axes[k], s * h[k]), axes[i], p), axes[j], q)
        for f in range(3):
            poly[c, f] = v[f]
        poly[c, 3] = 4 * k + c if s > 0.0 else 12 + 4 * k + c
    return best


@kernel
def _clip(source, n, target, normal, offset, plane, room):
    """Keep the part of a polygon with normal . p <= offset; new corners carry the plane in their id.

    Corners beyond the plane by no more than `room` (m) stay.  Writes: target."""
    m = 0
    for k in range(n):
        nxt = (k + 1) % n
        p = (source[k, 0], source[k, 1], source[k, 2])
        q = (source[nxt, 0], source[nxt, 1], source[nxt, 2])
        a, b = dot(normal, p) - offset, dot(normal, q) - offset
        if a <= room:
            for f in range(4):
                target[m, f] = source[k, f]
            m += 1
        if (a <= 0.0 and b > room) or (b <= 0.0 and a > room):
            v = madd(p, sub(q, p), a / (a - b))
            for f in range(3):
                target[m, f] = v[f]
            target[m, 3] = 32 * (plane + 1) + remainder(source[k if a <= 0.0 else nxt, 3], 32.0)
            m += 1
    return m


@kernel
def _touching_side(m, n, x, axes, h, code):
    """The side (number of its plane, as in _face_rows) of the face `code` along whose edge all rows that touch lie; -1
    if there is none, or nothing touches."""
    for side in range(4):
        k = (code + 1 + side // 2) % 3
        u = scale(axes[k], 1.0 if side % 2 == 0 else -1.0)
        plane, touching, along = dot(u, x) + h[k], 0, True
        for c in range(n):
            if m[c, L.M_GAP] <= TOUCH:
                touching += 1
                along = along and abs(dot(u, load3(m[c], L.M_X)) - plane) <= 2.0 * TOUCH
        if along and touching > 0:
            return side
    return -1


@kernel
def _edge_along_edge(m, n, x, axes, h, code, normal, axes_o, sign):
    """Rows of the n of a face where an edge of the one box lies along an edge of the other: its two ends.

    Which of the faces beside both edges separates them best is a matter of rounding; so the normal is midway between
    the directions in which both edges point.  0 if it is no such contact, and nothing has changed.  Writes: m."""
    side = _touching_side(m, n, x, axes, h, code)
    if side < 0:
        return 0
    k = (code + 1 + side // 2) % 3
    edge, other = 3 - code - k, -1
    out = add(normal, scale(axes[k], 1.0 if side % 2 == 0 else -1.0))
    for j in range(3):
        across = cross(axes[edge], axes_o[j])
        if dot(across, across) < PARALLEL_EDGES:
            other = j
    if other < 0:
        return 0
    for j in range(3):
        if j != other:
            out = madd(out, axes_o[j], 1.0 if dot(axes_o[j], normal) > 0.0 else -1.0)
    # both ends, seen along the edge of box a
    along, first = (axes[edge], 3 * edge + other) if sign > 0.0 else (axes_o[other], 3 * other + edge)
    low, high = -1, -1
    for c in range(n):
        if m[c, L.M_GAP] <= TOUCH:
            low = c if low < 0 or dot(load3(m[c], L.M_X), along) < dot(load3(m[low], L.M_X), along) else low
            high = c if high < 0 or dot(load3(m[c], L.M_X), along) > dot(load3(m[high], L.M_X), along) else high
    ends = (load3(m[low], L.M_X), load3(m[high], L.M_X), m[low, L.M_GAP], m[high, L.M_GAP])
    out = scale(out, sign / norm(out))
    put(m, 0, ends[0], out, ends[2], ALONG + first)
    put(m, 1, ends[1], out, ends[3], ALONG + 9 + first)
    return 1 if low == high else 2


@kernel
def _face_rows(m, clip, x, axes, h, code, normal, xo, axes_o, ho, gap, sign, steady):
    """Rows of the reference face `code` (outward `normal`) of one box against the other; sign +1: a owns the face.

    steady: rows are chosen by their places.  Writes: m, clip."""
    room = TOUCH if _face_corners(clip[0], xo, axes_o, ho, scale(normal, -1.0)) < FACING else 0.0
    n, now = 4, 0
    for side in range(4):
        k = (code + 1 + side // 2) % 3
        u = scale(axes[k], 1.0 if side % 2 == 0 else -1.0)
        n = _clip(clip[now], n, clip[1 - now], u, dot(u, x) + h[k], side, room)
        now = 1 - now
        if n == 0:
            break
    plane = dot(normal, x) + h[code]
    if n == 0:
        u = scale(normal, -1.0)
        v = xo
        for k in range(3):
            v = madd(v, axes_o[k], ho[k] if dot(axes_o[k], u) >= 0.0 else -ho[k])
        put(m, 0, madd(v, normal, -0.5 * gap), scale(normal, sign), gap, 4095)
        return 1
    for k in range(n):
        p = (clip[now, k, 0], clip[now, k, 1], clip[now, k, 2])
        g = dot(normal, p) - plane
        feature = 256 * (code + (0 if sign > 0.0 else 3)) + clip[now, k, 3]
        put(m, k, madd(p, normal, -0.5 * g), scale(normal, sign), g, feature)
    ends = _edge_along_edge(m, n, x, axes, h, code, normal, axes_o, sign) if room > 0.0 else 0
    if ends > 0:
        return ends
    return reduce_steadily(m, n) if steady else reduce_to_four(m, n)


@kernel
def _edge_row(m, xa, aa, ha, xb, ab, hb, code, n, gap):
    """Writes: m."""
    i, j = (code - 6) // 3, (code - 6) % 3
    pa, pb = xa, xb
    for k in range(3):
        if k != i:
            pa = madd(pa, aa[k], ha[k] if dot(aa[k], n) >= 0.0 else -ha[k])
        if k != j:
            pb = madd(pb, ab[k], hb[k] if dot(ab[k], n) <= 0.0 else -hb[k])
    da, db = scale(aa[i], 2.0 * ha[i]), scale(ab[j], 2.0 * hb[j])
    pa, pb = madd(pa, aa[i], -ha[i]), madd(pb, ab[j], -hb[j])
    s, t = nearest_on_segments(pa, da, pb, db)
    middle = scale(add(madd(pa, da, s), madd(pb, db, t)), 0.5)
    put(m, 0, middle, n, gap, 8192 + code)
    return 1


@kernel
def _face_beside(d, aa, ha, ab, hb, gap, code, n):
    """What best_axis found, or the face whose axis is next to that of the edges."""
    best, face, normal = -1e300, code, n
    for k in range(6):
        u = aa[k] if k < 3 else ab[k - 3]
        if abs(dot(u, n)) < FLAT:
            continue
        along = dot(d, u)
        s = abs(along) - (ha[k] + _reach(u, ab, hb) if k < 3 else hb[k - 3] + _reach(u, aa, ha))
        if s > best:
            best, face, normal = s, k, scale(u, 1.0 if along >= 0.0 else -1.0)
    return (best, face, normal) if best >= gap - FLAT_ROOM else (gap, code, n)


@kernel
def box_box(m, clip, xa, qa, sa, xb, qb, sb, flat):
    """flat: of boxes that all but lie on each other the manifold shall be that of faces, as where they overlap.
    Writes: m, clip."""
    aa, ab = quat.axes(qa), quat.axes(qb)
    gap, code, n = best_axis(sub(xb, xa), aa, sa, ab, sb)
    if code >= 6 and (flat or gap < -OVERLAP):
        gap, code, n = _face_beside(sub(xb, xa), aa, sa, ab, sb, gap, code, n)
    if code < 3:
        return _face_rows(m, clip, xa, aa, sa, code, n, xb, ab, sb, gap, 1.0, flat)
    if code < 6:
        return _face_rows(m, clip, xb, ab, sb, code - 3, scale(n, -1.0), xa, aa, sa, gap, -1.0, flat)
    return _edge_row(m, xa, aa, sa, xb, ab, sb, code, n, gap)
