# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Questions of users: how far apart two shapes are and where, and what a ray meets first."""
import math

from ..constants import LEAST_DIVISOR
from ..maths import quat
from ..maths.jit import kernel
from ..maths.vec3 import cross, dot, load3, madd, scale, sub
from ..model import layout as L
from ..model.convex import face_corners, faces_around
from ..shapes.kinds import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, FRUSTUM, HALFSPACE, HULL, SPHERE, TRIANGLE
from .general import collide_general
from .manifold import least_gap
from .support import at3, triangle_normal

NO_HIT = (math.inf, (0.0, 0.0, 0.0))


@kernel
def distance_between(g, m, a, xa, qa, b, xb, qb):
    """Signed distance (m) of two shapes, the points (world) that realise it, on a and on b, and the normal a -> b.

    Arguments as for pairs_convex.collide_convex.  Overlapping: minus the depth, and the points to bring together.
    Writes: g.feature, g.index, g.work, m."""
    row = m[least_gap(m, collide_general(g, m, a, xa, qa, b, xb, qb))]
    x, n, gap = load3(row, L.M_X), load3(row, L.M_N), row[L.M_GAP]
    return gap, madd(x, n, -0.5 * gap), madd(x, n, 0.5 * gap), n


@kernel
def _quadratic(a, b, c, low, high):
    """Smaller root in [low, high] of a t^2 + 2 b t + c that goes from positive to negative values, or inf."""
    disc = b * b - a * c
    if not (disc >= 0.0 and a > 0.0) or b > 0.0 and c > 0.0:
        return math.inf
    q = -b + math.sqrt(disc)
    # c / q: no cancellation where the ray starts near
    t = c / q if b < 0.0 and q > 0.0 else (-b - math.sqrt(disc)) / a
    return t if low <= t <= high else math.inf


@kernel
def _on_ball(o, d, centre, radius, t, n):
    """Nearer one of the hit (t, n) and the ray's entry into a ball."""
    p = sub(o, centre)
    found = _quadratic(dot(d, d), dot(p, d), dot(p, p) - radius * radius, 0.0, t)
    if found < t:
        return found, scale(madd(p, d, found), 1.0 / radius)
    return t, n


@kernel
def _on_tube(o, d, radius, low, high, t, n):
    """Nearer one of the hit and the ray's entry into the side of a cylinder about z, low <= z <= high."""
    found = _quadratic(d[0] * d[0] + d[1] * d[1], o[0] * d[0] + o[1] * d[1],
                       o[0] * o[0] + o[1] * o[1] - radius * radius, 0.0, t)
    if found < t and low <= o[2] + found * d[2] <= high:
        return found, ((o[0] + found * d[0]) / radius, (o[1] + found * d[1]) / radius, 0.0)
    return t, n


@kernel
def _on_cap(o, d, radius, z, up, t, n):
    """Nearer one of the hit and the ray's entry into a disc across z that looks up (1) or down (-1)."""
    if up * d[2] < 0.0:
        found = (z - o[2]) / d[2]
        x, y = o[0] + found * d[0], o[1] + found * d[1]
        if 0.0 <= found < t and x * x + y * y <= radius * radius:
            return found, (0.0, 0.0, up)
    return t, n


@kernel
def _on_cone(o, d, radius, half, top, t, n):
    """Nearer one of the hit and the entry into a side of `radius` at z = -half and `top` at z = half (m)."""
    k = (radius - top) / (2.0 * half)
    r = top + k * (half - o[2])
    a = d[0] * d[0] + d[1] * d[1] - k * k * d[2] * d[2]
    b = o[0] * d[0] + o[1] * d[1] + k * r * d[2]
    c = o[0] * o[0] + o[1] * o[1] - r * r
    disc = b * b - a * c
    for i in range(2):
        found = math.inf
        if a != 0.0 and disc >= 0.0:
            found = (-b - math.sqrt(disc) if i == 0 else -b + math.sqrt(disc)) / a
        elif a == 0.0 and b != 0.0:
            found = -0.5 * c / b
        p = madd(o, d, found) if math.isfinite(found) else o
        out = (p[0], p[1], k * (top + k * (half - p[2])))
        if 0.0 <= found < t and abs(p[2]) <= half and dot(out, d) < 0.0:
            t, n = found, scale(out, 1.0 / math.sqrt(max(dot(out, out), LEAST_DIVISOR)))
    return t, n


@kernel
def _into_planes(normal, height, o, d, entry, leave, n):
    """Cut the stretch [entry, leave] of the ray by the half-space normal . x <= height."""
    slope, gap = dot(normal, d), height - dot(normal, o)
    if slope < 0.0:
        if gap / slope > entry:
            return gap / slope, leave, normal
    elif slope > 0.0:
        leave = min(leave, gap / slope)
    elif gap < 0.0:
        leave = -math.inf
    return entry, leave, n


@kernel
def _box_hit(size, o, d, t):
    entry, leave, n = -math.inf, t, (0.0, 0.0, 0.0)
    for k in range(6):
        s = 1.0 if k % 2 == 0 else -1.0
        axis = (s if k // 2 == 0 else 0.0, s if k // 2 == 1 else 0.0, s if k // 2 == 2 else 0.0)
        entry, leave, n = _into_planes(axis, size[k // 2], o, d, entry, leave, n)
    return (entry, n) if 0.0 <= entry <= leave else NO_HIT


@kernel
def _hull_hit(g, core, o, d, t):
    """All planes around all vertices: every face is met at each of its corners, which is simple and does no harm."""
    _, _, first, count = core
    entry, leave, n = -math.inf, t, (0.0, 0.0, 0.0)
    for v in range(first, first + count):
        begin, end = faces_around(g, v)
        for k in range(begin, end):
            face = g.topology[k]
            if g.topology[face_corners(g, face)[0]] == v:
                normal = at3(g.face_normal, face)
                entry, leave, n = _into_planes(normal, dot(normal, at3(g.vertex, v)), o, d, entry, leave, n)
    return (entry, n) if 0.0 <= entry <= leave else NO_HIT


@kernel
def _triangle_hit(g, core, o, d, t):
    """From the front only (Moeller, Trumbore 1997)."""
    first = core[2]
    p = at3(g.vertex, first)
    u, v = sub(at3(g.vertex, first + 1), p), sub(at3(g.vertex, first + 2), p)
    w, h = sub(o, p), cross(d, v)
    det = dot(u, h)
    if not det > 0.0:
        return NO_HIT
    x, q = dot(w, h), cross(w, u)
    y, found = dot(d, q), dot(v, q)
    if x < 0.0 or y < 0.0 or x + y > det or found < 0.0 or found > t * det:
        return NO_HIT
    return found / det, triangle_normal(g, first)


@kernel
def _local_hit(g, core, o, d, t):
    """(parameter, outward normal) of the ray's entry, in the core's frame."""
    kind, size, _, _ = core
    none = (0.0, 0.0, 0.0)
    if kind == BOX:
        return _box_hit(size, o, d, t)
    if kind == HULL:
        return _hull_hit(g, core, o, d, t)
    if kind == TRIANGLE:
        return _triangle_hit(g, core, o, d, t)
    if kind == HALFSPACE:
        slope, gap = dot(size, d), -dot(size, o)
        return (gap / slope, size) if slope < 0.0 and 0.0 <= gap / slope <= t else NO_HIT
    if kind == ELLIPSOID:
        p, e = (o[0] / size[0], o[1] / size[1], o[2] / size[2]), (d[0] / size[0], d[1] / size[1], d[2] / size[2])
        found, n = _on_ball(p, e, none, 1.0, t, none)
        n = (n[0] / size[0], n[1] / size[1], n[2] / size[2])
        length = math.sqrt(dot(n, n))
        return (found, scale(n, 1.0 / length)) if length > 0.0 else NO_HIT
    hit, n = math.inf, none
    if kind == SPHERE:
        hit, n = _on_ball(o, d, none, size[0], hit, n)
    elif kind == CAPSULE:
        z = max(abs(o[2]) - size[1], 0.0)
        if o[0] * o[0] + o[1] * o[1] + z * z < size[0] * size[0]:
            return NO_HIT
        hit, n = _on_ball(o, d, (0.0, 0.0, size[1]), size[0], hit, n)
        hit, n = _on_ball(o, d, (0.0, 0.0, -size[1]), size[0], hit, n)
        hit, n = _on_tube(o, d, size[0], -size[1], size[1], hit, n)
    elif kind == CYLINDER:
        hit, n = _on_tube(o, d, size[0], -size[1], size[1], hit, n)
        hit, n = _on_cap(o, d, size[0], size[1], 1.0, hit, n)
        hit, n = _on_cap(o, d, size[0], -size[1], -1.0, hit, n)
    elif kind == CONE:
        hit, n = _on_cone(o, d, size[0], size[1], 0.0, hit, n)
        hit, n = _on_cap(o, d, size[0], -size[1], -1.0, hit, n)
    elif kind == FRUSTUM:
        hit, n = _on_cone(o, d, size[0], size[1], size[2], hit, n)
        hit, n = _on_cap(o, d, size[2], size[1], 1.0, hit, n)
        hit, n = _on_cap(o, d, size[0], -size[1], -1.0, hit, n)
    return (hit, n) if hit <= t else NO_HIT


@kernel
def ray_cast(g, core, x, q, origin, direction, longest):
    """Where a ray enters a shape with pose x, q: (distance in units of |direction|, at most `longest`, outward normal).

    inf where it does not; a ray that starts inside does not enter.  World frame.
    """
    o, d = quat.rotate_back(q, sub(origin, x)), quat.rotate_back(q, direction)
    t, n = _local_hit(g, core, o, d, longest)
    return t, quat.rotate(q, n)
