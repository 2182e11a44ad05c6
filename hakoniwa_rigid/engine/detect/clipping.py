# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Clipping: the feature of each shape that faces the other, cut against the other's; what is left are contact points.

A facing feature is a point, a segment, a polygon or a disc, seen along the normal n: corners (u, v) across n, heights
along it.  Contact points are the corners of the intersection of two features; each has its own gap, and the deepest is
among them.
"""
import math

from ..maths import elementary
from ..maths.jit import kernel
from ..maths.vec3 import add, dot, norm, scale, sub
from ..model import layout as L
from ..model.convex import CANDIDATE, CANDIDATES, CORNER, FEATURE_CORNERS, SIDE, face_corners, faces_around, neighbours
from ..shapes.kinds import BOX, CAPSULE, HULL, SPHERE, TRIANGLE
from .curved import flat_end, is_turned, side_line
from .support import at3, box_corner, support, triangle_normal, turned

# rad: faces and edges tilted by less than this to the other shape take part as a whole.  Larger: points far from
# touching are listed.  Smaller: a rocking body lacks the points that it is about to land on.
TILT = 0.3
# by their digits: libraries round them as they like
COS_TILT, SIN_TILT = 0.955336489125606, 0.29552020666133955
# relative to the feature: corners this far outside count as inside (rounding); edges parallel to this (rad) and so far
# off each other lie over each other
INSIDE, BESIDE = 1e-9, 1e-4
# sine of the angle between an edge and the plane across the normal: below, the edge lies in it but for rounding
ACROSS = 1e-7
# relative: contact points closer than this are one; a rim whose slope is less lies flat; edges whose cross product is
# less are parallel
SAME, LEVEL, PARALLEL = 1e-9, 1e-9, 1e-12
# kinds of facing features
POINT, SEGMENT, POLYGON, DISC, PLANE = 1, 2, 3, 4, 5
# columns of `plane`: slope of the height along u and v, height at u = v = 0; disc: centre, two half axes
L_SLOPE, L_HEIGHT, L_C, L_1, L_2, L_SIZE = 0, 2, 3, 5, 7, 9
# ids of the points of a rim: 1..4 fixed in the body, the lowest, crossings of a line
RIM_LOWEST, RIM_CROSSING = 5, 6
# ids of a are below this, those of b are multiples of it, those of crossings are sums
ID = 2.0 ** 22


@kernel
def corners(g, side):
    """Corners of the feature of one side."""
    return g.work[CORNER + side * FEATURE_CORNERS:CORNER + (side + 1) * FEATURE_CORNERS]


@kernel
def _corner(g, side, k, p, name):
    """Writes: g.work."""
    row = g.work[CORNER + side * FEATURE_CORNERS + k]
    row[0], row[1], row[2], row[3] = p[0], p[1], p[2], name


@kernel
def _hull_edge(g, first, k, n):
    """Neighbour of vertex k along the edge that is most nearly across n, and the sine."""
    best, other, p = 2.0, k, at3(g.vertex, first + k)
    begin, end = neighbours(g, first + k)
    for c in range(begin, end):
        d = sub(at3(g.vertex, g.topology[c]), p)
        s = abs(dot(d, n)) / norm(d)
        if s < best:
            best, other = s, g.topology[c] - first
    return other, best


@kernel
def _has(g, face, vertex):
    begin, end = face_corners(g, face)
    found = False
    for k in range(begin, end):
        found = found or g.topology[k] == vertex
    return found


@kernel
def _hull_face(g, first, k, other, n):
    """Face around vertices k and `other` that looks most along n, and the cosine."""
    best, face = -1.0, 0
    begin, end = faces_around(g, first + k)
    for c in range(begin, end):
        s = dot(at3(g.face_normal, g.topology[c]), n)
        if s > best and _has(g, g.topology[c], first + other):
            best, face = s, g.topology[c]
    return face, best


@kernel
def _hull_feature(g, side, first, n, k):
    """Writes: g.work."""
    p = at3(g.vertex, first + k)
    other, sine = _hull_edge(g, first, k, n)
    # an edge across n may be what touches: the face must have it
    face, cosine = _hull_face(g, first, k, other if sine < ACROSS else k, n)
    if cosine > COS_TILT:
        begin, end = face_corners(g, face)
        count = end - begin
        kept = min(count, FEATURE_CORNERS)
        for i in range(kept):
            v = g.topology[begin + i * count // kept]
            _corner(g, side, i, at3(g.vertex, v), v - first + 1)
        return POLYGON, kept, at3(g.face_normal, face)
    _corner(g, side, 0, p, k + 1)
    if sine < SIN_TILT:
        low, high = min(k, other), max(k, other)
        _corner(g, side, 0, at3(g.vertex, first + low), low + 1)
        _corner(g, side, 1, at3(g.vertex, first + high), high + 1)
        return SEGMENT, 2, n
    return POINT, 1, n


@kernel
def _triangle_feature(g, side, first, n, k):
    """Writes: g.work."""
    normal = triangle_normal(g, first)
    if abs(dot(normal, n)) > COS_TILT:
        for i in range(3):
            _corner(g, side, i, at3(g.vertex, first + i), i + 1)
        return POLYGON, 3, normal
    best, other, p = 2.0, k, at3(g.vertex, first + k)
    for i in range(3):
        d = sub(at3(g.vertex, first + i), p)
        if i != k and abs(dot(d, n)) < best * norm(d):
            best, other = abs(dot(d, n)) / norm(d), i
    if best < SIN_TILT:
        low, high = min(k, other), max(k, other)
        _corner(g, side, 0, at3(g.vertex, first + low), low + 1)
        _corner(g, side, 1, at3(g.vertex, first + high), high + 1)
        return SEGMENT, 2, n
    _corner(g, side, 0, p, k + 1)
    return POINT, 1, n


@kernel
def _box_feature(g, side, size, n, k):
    """Face, edge or corner of a box around its corner k.  Writes: g.work."""
    axis, least = 0, 0
    for i in range(1, 3):
        axis = i if abs(n[i]) > abs(n[axis]) else axis
        least = i if abs(n[i]) < abs(n[least]) else least
    if abs(n[axis]) > COS_TILT:
        i, j = 1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3)
        base = k & (1 << axis)
        for c in range(4):
            corner = base + (i if c in (1, 2) else 0) + (j if c >= 2 else 0)
            _corner(g, side, c, box_corner(size, corner), corner + 1)
        s = 1.0 if n[axis] > 0.0 else -1.0
        return POLYGON, 4, (s if axis == 0 else 0.0, s if axis == 1 else 0.0, s if axis == 2 else 0.0)
    if abs(n[least]) < SIN_TILT:
        low = k & ~(1 << least)
        _corner(g, side, 0, box_corner(size, low), low + 1)
        _corner(g, side, 1, box_corner(size, low + (1 << least)), low + (1 << least) + 1)
        return SEGMENT, 2, n
    _corner(g, side, 0, box_corner(size, k), k + 1)
    return POINT, 1, n


@kernel
def _disc(g, side, radius, z):
    """Centre and two half axes.  Writes: g.work."""
    _corner(g, side, 0, (0.0, 0.0, z), 0)
    _corner(g, side, 1, (radius, 0.0, 0.0), 0)
    _corner(g, side, 2, (0.0, radius, 0.0), 0)
    return DISC, 3, (0.0, 0.0, 1.0)


@kernel
def _turned_region(g, side, core, n, p):
    """Of a turned solid: flat end, straight line of the side, or point.  Writes: g.work."""
    kind, size, _, _ = core
    radius, z = flat_end(kind, size, n, COS_TILT)
    if radius > 0.0:
        return _disc(g, side, radius, z)
    low, high = side_line(kind, size, n)
    d = sub(high, low)
    if abs(dot(d, n)) < SIN_TILT * norm(d):
        _corner(g, side, 0, low, 1)
        _corner(g, side, 1, high, 2)
        return SEGMENT, 2, n
    _corner(g, side, 0, p, 2 if p[2] == size[1] else 1)
    return POINT, 1, n


@kernel
def _local_region(g, side, core, n):
    """Feature of a core that faces along n, in the core's frame: (kind, corners, normal of its plane).
    Writes: g.work."""
    kind, size, first, _ = core
    p, k = support(g, core, n, 0)
    if kind == HULL:
        return _hull_feature(g, side, first, n, k)
    if kind == TRIANGLE:
        return _triangle_feature(g, side, first, n, k)
    if kind == BOX:
        return _box_feature(g, side, size, n, k)
    if is_turned(kind):
        return _turned_region(g, side, core, n, p)
    if kind == CAPSULE and abs(n[2]) < SIN_TILT and size[1] > 0.0:
        _corner(g, side, 0, (0.0, 0.0, -size[1]), 1)
        _corner(g, side, 1, (0.0, 0.0, size[1]), 2)
        return SEGMENT, 2, n
    _corner(g, side, 0, p, 1 if kind == SPHERE or k == 0 else 2)
    return POINT, 1, n


@kernel
def facing_feature(g, side, core, toward, pose, frame):
    """Feature of a core along `toward` (its own frame) as seen in frame = (n, t1, t2) of shape a.

    pose: of the core in that frame.  Fills corners(g, side) and g.work[SIDE + side]; returns (kind, corners).
    Writes: g.work."""
    kind, count, normal = _local_region(g, side, core, toward)
    rows, plane = corners(g, side), g.work[SIDE + side]
    normal = turned(pose, normal)
    along = dot(normal, frame[0])
    for k in range(count):
        p = turned(pose, at3(rows, k))
        if kind != DISC or k == 0:
            p = add(p, pose[0])
        rows[k, 0], rows[k, 1], rows[k, 2] = dot(frame[1], p), dot(frame[2], p), dot(frame[0], p)
    if kind >= POLYGON:
        plane[L_SLOPE], plane[L_SLOPE + 1] = -dot(normal, frame[1]) / along, -dot(normal, frame[2]) / along
        plane[L_HEIGHT] = rows[0, 2] - plane[L_SLOPE] * rows[0, 0] - plane[L_SLOPE + 1] * rows[0, 1]
    if kind == DISC:
        for f in range(2):
            plane[L_C + f], plane[L_1 + f], plane[L_2 + f] = rows[0, f], rows[1, f], rows[2, f]
    size = 0.0
    for k in range(1, count):
        if kind == DISC:
            size = max(size, abs(rows[k, 0]) + abs(rows[k, 1]))
        else:
            size = max(size, abs(rows[k, 0] - rows[0, 0]) + abs(rows[k, 1] - rows[0, 1]))
    plane[L_SIZE] = size
    return kind, count


@kernel
def share(rows, u, v):
    """Where along a segment (0..1) the point (u, v) lies, and its distance from it."""
    du, dv = rows[1, 0] - rows[0, 0], rows[1, 1] - rows[0, 1]
    dd = du * du + dv * dv
    t = ((u - rows[0, 0]) * du + (v - rows[0, 1]) * dv) / dd if dd > 0.0 else 0.0
    t = min(max(t, 0.0), 1.0)
    return t, elementary.hypot(u - rows[0, 0] - t * du, v - rows[0, 1] - t * dv)


@kernel
def _height(g, side, kind, u, v):
    rows, plane = corners(g, side), g.work[SIDE + side]
    if kind >= POLYGON:
        return plane[L_HEIGHT] + plane[L_SLOPE] * u + plane[L_SLOPE + 1] * v
    if kind == POINT:
        return rows[0, 2]
    t, _ = share(rows, u, v)
    return rows[0, 2] + t * (rows[1, 2] - rows[0, 2])


@kernel
def _on_disc(plane, u, v):
    """(u, v) in units of the half axes of a disc."""
    u, v = u - plane[L_C], v - plane[L_C + 1]
    det = plane[L_1] * plane[L_2 + 1] - plane[L_1 + 1] * plane[L_2]
    return (u * plane[L_2 + 1] - v * plane[L_2]) / det, (plane[L_1] * v - plane[L_1 + 1] * u) / det


@kernel
def _holds(g, side, kind, count, u, v, beside):
    """True when (u, v) lies in the feature; beside: how far off a segment, in its lengths, counts as on it."""
    rows, plane = corners(g, side), g.work[SIDE + side]
    if kind == PLANE:
        return True
    if kind == DISC:
        x, y = _on_disc(plane, u, v)
        return x * x + y * y <= 1.0 + 2.0 * INSIDE
    if kind == SEGMENT:
        return share(rows, u, v)[1] <= beside * plane[L_SIZE]
    low, high, slack = True, True, INSIDE * plane[L_SIZE]
    for k in range(count):
        j = k + 1 if k + 1 < count else 0
        du, dv = rows[j, 0] - rows[k, 0], rows[j, 1] - rows[k, 1]
        s = du * (v - rows[k, 1]) - dv * (u - rows[k, 0])
        room = slack * elementary.hypot(du, dv)
        low, high = low and s <= room, high and s >= -room
    return low or high


@kernel
def _candidate(g, found, kinds, radii, u, v, name):
    """Add a contact point, unless it is there.  Writes: g.work."""
    if found == CANDIDATES:
        return found
    near = SAME * max(g.work[SIDE + 0, L_SIZE], g.work[SIDE + 1, L_SIZE])
    for k in range(found):
        if abs(g.work[CANDIDATE + k, L.M_X] - u) + abs(g.work[CANDIDATE + k, L.M_X + 1] - v) <= near:
            return found
    za, zb = _height(g, 0, kinds[0], u, v) + radii[0], _height(g, 1, kinds[1], u, v) - radii[1]
    row = g.work[CANDIDATE + found]
    row[L.M_X], row[L.M_X + 1], row[L.M_X + 2] = u, v, 0.5 * (za + zb)
    row[L.M_GAP], row[L.M_FEATURE] = zb - za, name
    return found + 1


@kernel
def are_parallel(g, sine):
    """True when two segments are parallel, as seen along the normal, but for an angle of that sine."""
    a, b = corners(g, 0), corners(g, 1)
    du, dv, eu, ev = a[1, 0] - a[0, 0], a[1, 1] - a[0, 1], b[1, 0] - b[0, 0], b[1, 1] - b[0, 1]
    return abs(du * ev - dv * eu) <= sine * elementary.hypot(du, dv) * elementary.hypot(eu, ev)


@kernel
def own_points(g, found, side, kinds, counts, radii):
    """Corners of the feature of `side` that lie in the other.  Writes: g.work."""
    other, unit = 1 - side, 1.0 if side == 0 else ID
    beside = BESIDE if kinds[0] == SEGMENT and kinds[1] == SEGMENT and are_parallel(g, BESIDE) else INSIDE
    rows, plane = corners(g, side), g.work[SIDE + side]
    if kinds[side] != DISC:
        for k in range(counts[side]):
            u, v = rows[k, 0], rows[k, 1]
            if _holds(g, other, kinds[other], counts[other], u, v, beside):
                found = _candidate(g, found, kinds, radii, u, v, unit * rows[k, 3])
        return found
    for k in range(5):
        c, s = (1.0, 0.0) if k == 0 else (0.0, 1.0) if k == 1 else (-1.0, 0.0) if k == 2 else (0.0, -1.0)
        if k == 4:
            if kinds[other] < POLYGON:
                break
            # the rim's lowest point over the other's plane
            under = g.work[SIDE + other]
            gu, gv = plane[L_SLOPE] - under[L_SLOPE], plane[L_SLOPE + 1] - under[L_SLOPE + 1]
            x, y = gu * plane[L_1] + gv * plane[L_1 + 1], gu * plane[L_2] + gv * plane[L_2 + 1]
            slope = elementary.hypot(x, y)
            # less than this (m) is lost by taking the fixed points instead
            if slope <= LEVEL * plane[L_SIZE]:
                break
            sign = 1.0 if side == 0 else -1.0
            c, s = sign * x / slope, sign * y / slope
        u, v = plane[L_C] + c * plane[L_1] + s * plane[L_2], plane[L_C + 1] + c * plane[L_1 + 1] + s * plane[L_2 + 1]
        if _holds(g, other, kinds[other], counts[other], u, v, beside):
            found = _candidate(g, found, kinds, radii, u, v, unit * (k + 1))
    return found


@kernel
def _edge_edge(g, found, kinds, radii, i, i2, j, j2):
    """Crossing of edge i-i2 of a with edge j-j2 of b.  Writes: g.work."""
    ra, rb = corners(g, 0), corners(g, 1)
    du, dv = ra[i2, 0] - ra[i, 0], ra[i2, 1] - ra[i, 1]
    eu, ev = rb[j2, 0] - rb[j, 0], rb[j2, 1] - rb[j, 1]
    det = du * ev - dv * eu
    if abs(det) <= PARALLEL * elementary.hypot(du, dv) * elementary.hypot(eu, ev):
        return found
    wu, wv = rb[j, 0] - ra[i, 0], rb[j, 1] - ra[i, 1]
    t, r = (wu * ev - wv * eu) / det, (wu * dv - wv * du) / det
    if t < -INSIDE or t > 1.0 + INSIDE or r < -INSIDE or r > 1.0 + INSIDE:
        return found
    name = ra[i, 3] + ID * rb[j, 3] + ID * ID
    return _candidate(g, found, kinds, radii, ra[i, 0] + t * du, ra[i, 1] + t * dv, name)


@kernel
def _edge_disc(g, found, kinds, radii, disc, i, i2):
    """Crossings of edge i-i2 with the rim of the feature of side `disc`.  Writes: g.work."""
    rows, plane = corners(g, 1 - disc), g.work[SIDE + disc]
    x, y = _on_disc(plane, rows[i, 0], rows[i, 1])
    x2, y2 = _on_disc(plane, rows[i2, 0], rows[i2, 1])
    dx, dy = x2 - x, y2 - y
    dd, xd = dx * dx + dy * dy, x * dx + y * dy
    if not dd > 0.0:
        return found
    root = xd * xd - dd * (x * x + y * y - 1.0)
    if root < 0.0:
        return found
    for k in range(2):
        t = (-xd + (math.sqrt(root) if k else -math.sqrt(root))) / dd
        if -INSIDE <= t <= 1.0 + INSIDE:
            u, v = rows[i, 0] + t * (rows[i2, 0] - rows[i, 0]), rows[i, 1] + t * (rows[i2, 1] - rows[i, 1])
            name = rows[i, 3] * (ID if disc == 0 else 1.0) + (RIM_CROSSING + k) * (1.0 if disc == 0 else ID) + ID * ID
            found = _candidate(g, found, kinds, radii, u, v, name)
    return found


@kernel
def _disc_disc(g, found, kinds, radii):
    """Crossings of two rims, which are nearly parallel.

    In units of the half axes of a its rim is a unit circle however it is tilted; so is that of b, but for its size.
    Writes: g.work."""
    p, q = g.work[SIDE + 0], g.work[SIDE + 1]
    ratio = math.sqrt(abs((q[L_1] * q[L_2 + 1] - q[L_1 + 1] * q[L_2]) / (p[L_1] * p[L_2 + 1] - p[L_1 + 1] * p[L_2])))
    u, v = _on_disc(p, q[L_C], q[L_C + 1])
    d = elementary.hypot(u, v)
    if not (abs(1.0 - ratio) < d < 1.0 + ratio):
        return found
    x = 0.5 * (d * d + 1.0 - ratio * ratio) / d
    y = math.sqrt(max(1.0 - x * x, 0.0))
    for k in range(2):
        s = y if k else -y
        c1, c2 = (x * u - s * v) / d, (x * v + s * u) / d
        found = _candidate(g, found, kinds, radii, p[L_C] + c1 * p[L_1] + c2 * p[L_2],
                           p[L_C + 1] + c1 * p[L_1 + 1] + c2 * p[L_2 + 1], RIM_CROSSING + k + ID * ID)
    return found


@kernel
def clip_features(g, kinds, counts, radii):
    """Corners of the intersection of both features into g.candidate: (u, v, height of the middle), gap, id.

    Returns their number; 0 where the features do not lie over each other or one is a point.  Writes: g.work."""
    found = 0
    if kinds[0] == POINT or kinds[1] == POINT:
        return found
    for side in range(2):
        found = own_points(g, found, side, kinds, counts, radii)
    if kinds[0] == DISC and kinds[1] == DISC:
        return _disc_disc(g, found, kinds, radii)
    if kinds[0] == DISC or kinds[1] == DISC:
        disc = 0 if kinds[0] == DISC else 1
        n = counts[1 - disc]
        for k in range(n if n > 2 else 1):
            found = _edge_disc(g, found, kinds, radii, disc, k, k + 1 if k + 1 < n else 0)
        return found
    for i in range(counts[0] if counts[0] > 2 else 1):
        for j in range(counts[1] if counts[1] > 2 else 1):
            found = _edge_edge(g, found, kinds, radii, i, i + 1 if i + 1 < counts[0] else 0,
                               j, j + 1 if j + 1 < counts[1] else 0)
    return found


@kernel
def place(m, k, row, frame, x, q_axes, gap):
    """Manifold row k from a candidate; frame and candidate in a's frame, x and q_axes: pose of a in world.
    Writes: m."""
    local = add(add(scale(frame[1], row[L.M_X]), scale(frame[2], row[L.M_X + 1])), scale(frame[0], row[L.M_X + 2]))
    pose = (x, q_axes[0], q_axes[1], q_axes[2])
    p, n = add(turned(pose, local), x), turned(pose, frame[0])
    for f in range(3):
        m[k, L.M_X + f], m[k, L.M_N + f] = p[f], n[f]
    m[k, L.M_GAP], m[k, L.M_FEATURE] = gap, row[L.M_FEATURE]
