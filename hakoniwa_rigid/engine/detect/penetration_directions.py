# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Penetration depth where the expanding polytope has no room left: a small shape deep in a large round one has many
penetration directions.

A polytope (or a point or segment) in an ellipsoid, cylinder or cone: every direction whose depth is a local minimum
leaves by a corner, an edge or a face of the polytope and by one feature of the round shape, which is a problem of its
own with at most two solutions.  All of them are tried; those that cannot be better, for hulls, are left out.

All directions d here are in the frame of the round shape `core`, which is a (side 0) or b (side 1), and say where the
other one goes.
"""
import math

from ..maths import elementary
from ..maths.jit import kernel
from ..maths.vec3 import add, cross, dot, load3, norm, scale, sub, tangents
from ..model.convex import F_A, F_E, F_TIES, ZERO, face_corners, faces_around, is_polytope, neighbours, put
from ..shapes.kinds import BOX, CAPSULE, ELLIPSOID, HULL, TRIANGLE
from .curved import penetration_features, reach_and_bend, side_normal, thin_axis
from .polish import normal_between, polish
from .support import at3, separation, support, to_b, triangle_normal, turned, vertex_of

# penetration directions through the side of a cylinder or cone that are looked at, and golden sections around good ones
AROUND, CUTS, GOLDEN = 24, 40, 0.381966
# length of the sum of a corner's normals below which their cap has no middle; rad by which a cap is taken as wider
NO_MIDDLE, WIDER = 1e-3, 1e-7


@kernel
def _along(pose, side, d):
    """Normal a -> b of the penetration direction d of shape a (side 0) or b (side 1), d in that shape's frame."""
    return d if side == 0 else scale(turned(pose, d), -1.0)


@kernel
def _try(g, a, b, pose, side, d, n, s):
    """(n, s) or the direction d, if its depth is less."""
    m = _along(pose, side, d)
    found = separation(g, a, b, pose, m)
    return (m, found) if found > s else (n, s)


@kernel
def _here(pose, side, p):
    """Direction from the frame of the other shape to that of the round one."""
    return turned(pose, p) if side == 0 else to_b(pose, p)


@kernel
def _corner(g, other, pose, side, k):
    """Vertex k of the polytope in the frame of the round shape."""
    p = vertex_of(g, other, k)
    return add(turned(pose, p), pose[0]) if side == 0 else to_b(pose, sub(p, pose[0]))


@kernel
def _links(g, other, k):
    """(corners, first, past the last of the neighbours of corner k): arguments of _link."""
    kind, _, first, count = other
    if kind == HULL:
        begin, end = neighbours(g, first + k)
        return count, begin, end
    if kind == BOX:
        return 8, 0, 3
    if kind == TRIANGLE:
        return 3, 0, 2
    return (2, 0, 1) if kind == CAPSULE else (1, 0, 0)


@kernel
def _link(g, other, k, i):
    """Neighbour i of corner k of a polytope."""
    kind, _, first, _ = other
    if kind == HULL:
        return g.topology[i] - first
    if kind == BOX:
        return k ^ (1 << i)
    return (k + 1 + i) % 3 if kind == TRIANGLE else 1 - k


@kernel
def _thin_way(row, e):
    """Unit direction across e in which the ellipse that a feature's ellipsoid casts along e is thinnest."""
    u, v = tangents(e)
    uu, uv, vv = 0.0, 0.0, 0.0
    for f in range(3):
        axis = load3(row, F_A + 3 * f)
        x, y = dot(axis, u), dot(axis, v)
        uu, uv, vv = uu + x * x, uv + x * y, vv + y * y
    angle = 0.5 * (elementary.atan2(2.0 * uv, uu - vv) + math.pi)
    return add(scale(u, elementary.cos(angle)), scale(v, elementary.sin(angle)))


@kernel
def _corner_guess(core, p):
    """From where to look for the ways out of a point p: this and, in ellipsoids, its opposite."""
    kind, size, _, _ = core
    if kind == ELLIPSOID:
        # of the at most two ways out there is one on either side of the plane of the longer two axes
        return thin_axis(size)
    r = math.sqrt(p[0] * p[0] + p[1] * p[1])
    return (p[0] / r, p[1] / r, 0.0) if r > 0.0 else (1.0, 0.0, 0.0)


@kernel
def _by_corner(g, a, b, pose, side, p, n, s):
    """(n, s) or a shorter way out by a corner p, row 0 of the round shape's features: its rims have none of that.
    Writes: g.feature."""
    core = a if side == 0 else b
    fc, fp = g.feature[0], g.feature[1]
    put(fp[0], 0, p, ZERO, ZERO, ZERO, ZERO, 0.0)
    d = _corner_guess(core, p)
    n, s = _try(g, a, b, pose, side, normal_between(fc[0], fp[0], d), n, s)
    if core[0] == ELLIPSOID:
        n, s = _try(g, a, b, pose, side, normal_between(fc[0], fp[0], scale(d, -1.0)), n, s)
    return n, s


@kernel
def _by_edge(g, a, b, pose, side, p, e, count, n, s):
    """(n, s) or a shorter way out by the edge through p along e and one of the `count` features of the round shape.
    Writes: g.feature."""
    length = norm(e)
    if not length > 0.0:
        return n, s
    fc, fp = g.feature[0], g.feature[1]
    e = scale(e, 1.0 / length)
    put(fp[0], 1, p, ZERO, ZERO, ZERO, e, 0.0)
    for f in range(count):
        d = cross(e, load3(fc[f], F_E)) if fc[f, F_TIES] > 0.0 else _thin_way(fc[f], e)
        n, s = _try(g, a, b, pose, side, normal_between(fc[f], fp[0], d), n, s)
        n, s = _try(g, a, b, pose, side, normal_between(fc[f], fp[0], scale(d, -1.0)), n, s)
    return n, s


@kernel
def _by_faces(g, a, b, pose, side, n, s):
    """(n, s) or a shorter way out across a face of either shape; those of hulls come with their corners."""
    kind, _, first, _ = b if side == 0 else a
    for f in range(6):
        t = 1.0 if f % 2 == 0 else -1.0
        d = (t if f < 2 else 0.0, t if f // 2 == 1 else 0.0, t if f > 3 else 0.0)
        if kind == BOX:
            n, s = _try(g, a, b, pose, side, _here(pose, side, d), n, s)
        elif kind == TRIANGLE and f < 2:
            n, s = _try(g, a, b, pose, side, _here(pose, side, scale(triangle_normal(g, first), t)), n, s)
        if f > 3 and (a if side == 0 else b)[0] != ELLIPSOID:
            # the upper end of a cone is no face, but no worse than any other way
            n, s = _try(g, a, b, pose, side, d, n, s)
    return n, s


@kernel
def _by_hull_faces(g, a, b, pose, side, k, n, s):
    """(n, s) or a shorter way out across a face of the hull whose first corner is k."""
    first = (b if side == 0 else a)[2]
    begin, end = faces_around(g, first + k)
    for i in range(begin, end):
        face = g.topology[i]
        if g.topology[face_corners(g, face)[0]] == first + k:
            n, s = _try(g, a, b, pose, side, scale(_here(pose, side, at3(g.face_normal, face)), -1.0), n, s)
    return n, s


@kernel
def _cannot_improve(g, core, other, pose, side, k, p, s):
    """True where no direction by corner k of a hull, its edges or faces has a depth below -s.

    These lie in a cap, as wide as the corner's normals.  Along a great circle the separation of the corner has the
    second derivative (depth - radius of curvature), which bounds it from its value and slope in the middle of the cap.
    """
    begin, end = faces_around(g, other[2] + k)
    d = (0.0, 0.0, 0.0)
    for i in range(begin, end):
        d = sub(d, at3(g.face_normal, g.topology[i]))
    length = norm(d)
    if not length > NO_MIDDLE:
        return False
    d = scale(d, 1.0 / length)
    least = 1.0
    for i in range(begin, end):
        least = min(least, -dot(d, at3(g.face_normal, g.topology[i])))
    if not least > 0.0:
        return False
    width = elementary.acos(min(least, 1.0)) + WIDER
    d = _here(pose, side, d)
    w = sub(p, support(g, core, d, 0)[0])
    value = dot(w, d)
    slope = norm(sub(w, scale(d, value)))
    big, bend = reach_and_bend(core)
    return value + width * (slope + 0.5 * width * max(big + norm(p) - bend, 0.0)) < s


@kernel
def _polytope_in_round(g, a, b, pose, side, n, s):
    """(n, s) or the best of all penetration directions of a polytope in a round shape.  Writes: g.feature."""
    core, other = (a, b) if side == 0 else (b, a)
    count = penetration_features(core, g.feature[0])
    n, s = _by_faces(g, a, b, pose, side, n, s)
    k, corners = 0, 1
    while k < corners:
        corners, begin, end = _links(g, other, k)
        p = _corner(g, other, pose, side, k)
        if other[0] != HULL or not _cannot_improve(g, core, other, pose, side, k, p, s):
            n, s = _by_corner(g, a, b, pose, side, p, n, s)
            for i in range(begin, end):
                j = _link(g, other, k, i)
                if j > k:
                    e = sub(_corner(g, other, pose, side, j), p)
                    n, s = _by_edge(g, a, b, pose, side, p, e, count, n, s)
            if other[0] == HULL:
                n, s = _by_hull_faces(g, a, b, pose, side, k, n, s)
        k += 1
    return n, s


@kernel
def _side(core, angle):
    """Outward normal of the side of a turned solid at an angle (rad) about its axis, in its frame."""
    return side_normal(core[0], core[1], angle)


@kernel
def _side_separation(g, a, b, pose, side, angle):
    return separation(g, a, b, pose, _along(pose, side, _side(a if side == 0 else b, angle)))


@kernel
def _best_between(g, a, b, pose, side, low, high):
    """Normal a -> b through the side with the greatest separation between two angles (golden section)."""
    for _ in range(CUTS):
        p, q = low + GOLDEN * (high - low), high - GOLDEN * (high - low)
        if _side_separation(g, a, b, pose, side, p) > _side_separation(g, a, b, pose, side, q):
            high = q
        else:
            low = p
    return _along(pose, side, _side(a if side == 0 else b, 0.5 * (low + high)))


@kernel
def _near(g, a, b, pose, m, n, s, size):
    """(n, s) or what is better near the normal m.  Writes: g.feature."""
    found = separation(g, a, b, pose, m)
    if found > s:
        n, s = m, found
    return polish(g, a, b, pose, m, n, s, (-1, -1, -1), 0.0, size)


@kernel
def _around(g, a, b, pose, side, n, s, size):
    """(n, s) or the best of the penetration directions through the side of a cylinder or cone that beat those on both
    sides.  Writes: g.feature."""
    step = 2.0 * math.pi / AROUND
    last, here = _side_separation(g, a, b, pose, side, -step), _side_separation(g, a, b, pose, side, 0.0)
    for k in range(AROUND):
        to = _side_separation(g, a, b, pose, side, (k + 1) * step)
        if here >= last and here >= to:
            m = _best_between(g, a, b, pose, side, (k - 1) * step, (k + 1) * step)
            n, s = _near(g, a, b, pose, m, n, s, size)
        last, here = here, to
    return n, s


@kernel
def _round_in_round(g, a, b, pose, n, s, size):
    """(n, s) or the best of some penetration directions of each of two round shapes.  Writes: g.feature."""
    for side in range(2):
        kind, r, _, _ = a if side == 0 else b
        up = (0.0, 0.0, 1.0)
        if kind == ELLIPSOID:
            up = thin_axis(r)
            c = pose[0] if side == 0 else to_b(pose, scale(pose[0], -1.0))
            d = (c[0] / (r[0] * r[0]), c[1] / (r[1] * r[1]), c[2] / (r[2] * r[2]))
            length = norm(d)
            if length > 0.0:
                n, s = _near(g, a, b, pose, _along(pose, side, scale(d, 1.0 / length)), n, s, size)
        else:
            n, s = _around(g, a, b, pose, side, n, s, size)
        n, s = _near(g, a, b, pose, _along(pose, side, up), n, s, size)
        n, s = _near(g, a, b, pose, _along(pose, side, scale(up, -1.0)), n, s, size)
    return _near(g, a, b, pose, scale(n, -1.0), n, s, size)


@kernel
def penetration_directions(g, a, b, pose, n, s, size):
    """(n, s), or a better normal and separation (m) where there is one; at least one of the cores is round.
    Writes: g.feature."""
    if is_polytope(a):
        return _polytope_in_round(g, a, b, pose, 1, n, s)
    if is_polytope(b):
        return _polytope_in_round(g, a, b, pose, 0, n, s)
    return _round_in_round(g, a, b, pose, n, s, size)
