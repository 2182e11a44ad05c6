# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What the general narrow phase asks of a curved core, in the core's frame: support point, the flat end or the straight
line of the side that faces a direction, features near it, ways out.

Cylinder, cone and frustum are turned solids: flat ends across z (the cone has one), a side whose lines are straight.
Ellipsoids have neither.  Lengths of the cores: see convex.  Rays are in queries.
"""
import math

from ..maths import elementary
from ..maths.jit import kernel
from ..maths.vec3 import dot, scale
from ..model.convex import ZERO, put
from ..shapes.kinds import CONE, CYLINDER, ELLIPSOID, FRUSTUM

# rad: features whose condition the first guess misses by less are tried.  It is wrong by 1e-4, more on thin shapes.
NEAR = 0.05
COS_NEAR = 1.0 - 0.5 * NEAR * NEAR


@kernel
def is_turned(kind):
    """Whether a core has straight lines on its side."""
    return kind >= CYLINDER and kind < ELLIPSOID


@kernel
def rim_point(radius, z, n):
    """Farthest point along n of the circle about the z axis; on x where all are."""
    r = math.sqrt(n[0] * n[0] + n[1] * n[1])
    if r > 0.0:
        return radius * (n[0] / r), radius * (n[1] / r), z
    return radius, 0.0, z


@kernel
def ellipsoid_point(size, n):
    """Farthest point along n of an ellipsoid."""
    q = (size[0] * n[0], size[1] * n[1], size[2] * n[2])
    big = max(abs(q[0]), max(abs(q[1]), abs(q[2])))
    if not big > 0.0:
        return 0.0, 0.0, size[2]
    q = scale(q, 1.0 / big)
    s = 1.0 / math.sqrt(dot(q, q))
    return size[0] * q[0] * s, size[1] * q[1] * s, size[2] * q[2] * s


@kernel
def curved_support(kind, size, n):
    """Farthest point along n, and its vertex id; -1 where the surface bends."""
    if kind == CYLINDER:
        return rim_point(size[0], size[1] if n[2] >= 0.0 else -size[1], n), -1
    if kind == CONE:
        rim = rim_point(size[0], -size[1], n)
        if 2.0 * size[1] * n[2] >= rim[0] * n[0] + rim[1] * n[1]:
            return (0.0, 0.0, size[1]), 0
        return rim, -1
    if kind == FRUSTUM:
        upper = 2.0 * size[1] * n[2] >= (size[0] - size[2]) * math.sqrt(n[0] * n[0] + n[1] * n[1])
        return (rim_point(size[2], size[1], n) if upper else rim_point(size[0], -size[1], n)), -1
    return ellipsoid_point(size, n), -1


@kernel
def flat_end(kind, size, n, cosine):
    """(radius, z) of the flat end of a turned solid within whose normal n lies by this cosine; radius 0 if none."""
    r, h = size[0], size[1]
    if kind == CYLINDER and abs(n[2]) > cosine:
        return r, (h if n[2] > 0.0 else -h)
    if kind == CONE and -n[2] > cosine:
        return r, -h
    if kind == FRUSTUM and abs(n[2]) > cosine:
        # not where the side of a flat one is as near
        narrow, slant = r - size[2], elementary.hypot(r - size[2], 2.0 * h)
        if abs(n[2]) >= (2.0 * h * math.sqrt(n[0] * n[0] + n[1] * n[1]) + narrow * n[2]) / slant:
            return (size[2], h) if n[2] > 0.0 else (r, -h)
    return 0.0, 0.0


@kernel
def side_line(kind, size, n):
    """Lower and upper end of the straight line of a turned solid's side that faces n."""
    r, h = size[0], size[1]
    if kind == CONE:
        return rim_point(r, -h, n), (0.0, 0.0, h)
    return rim_point(r, -h, n), rim_point(r if kind == CYLINDER else size[2], h, n)


@kernel
def side_normal(kind, size, angle):
    """Outward normal of the side of a turned solid at an angle (rad) about its axis."""
    c, s, r, h = elementary.cos(angle), elementary.sin(angle), size[0], size[1]
    if kind == CYLINDER:
        return c, s, 0.0
    narrow = r - size[2] if kind == FRUSTUM else r
    slant = elementary.hypot(narrow, 2.0 * h)
    return 2.0 * h * c / slant, 2.0 * h * s / slant, narrow / slant


@kernel
def _put_side_of_frustum(row, size):
    """Its side as a feature: the circle half way up, on the cone of the side's normals.  Returns the sine of these.
    Writes: row."""
    r, h, top = size
    middle, sine = 0.5 * (r + top), (r - top) / elementary.hypot(r - top, 2.0 * h)
    put(row, 1, ZERO, (middle, 0.0, 0.0), (0.0, middle, 0.0), ZERO, (0.0, 0.0, 1.0), sine)
    return sine


@kernel
def _put_end_of_frustum(row, size, up):
    """The rim of its upper (up 1) or lower (-1) end as a feature.  Writes: row."""
    r = size[2] if up > 0.0 else size[0]
    put(row, 0, (0.0, 0.0, up * size[1]), (r, 0.0, 0.0), (0.0, r, 0.0), ZERO, ZERO, 0.0)


@kernel
def _frustum_features(size, rows, n):
    """As curved_features.  Writes: rows."""
    k = 0
    if abs(n[2]) > COS_NEAR:
        put(rows[0], 2, ZERO, ZERO, ZERO, ZERO, (0.0, 0.0, 1.0 if n[2] > 0.0 else -1.0), 0.0)
        k = 1
    apart = elementary.asin(min(max(n[2], -1.0), 1.0)) - elementary.asin(_put_side_of_frustum(rows[k], size))
    up = 1.0 if apart >= 0.0 else -1.0
    if abs(apart) < NEAR:
        _put_end_of_frustum(rows[k + 1], size, -up)
        k += 2
    _put_end_of_frustum(rows[k], size, up)
    return k + 1


@kernel
def curved_features(core, rows, n):
    """Features near the support point along n, faces first, into rows (see polish); returns their number.
    Writes: rows."""
    kind, size, _, _ = core
    if kind == ELLIPSOID:
        put(rows[0], 0, ZERO, (size[0], 0.0, 0.0), (0.0, size[1], 0.0), (0.0, 0.0, size[2]), ZERO, 0.0)
        return 1
    if kind == FRUSTUM:
        return _frustum_features(size, rows, n)
    r, h = size[0], size[1]
    up, x, y = (0.0, 0.0, 1.0), (r, 0.0, 0.0), (0.0, r, 0.0)
    k = 0
    if kind == CYLINDER:
        side = 1.0 if n[2] >= 0.0 else -1.0
        if abs(n[2]) > COS_NEAR:
            put(rows[k], 2, ZERO, ZERO, ZERO, ZERO, (0.0, 0.0, side), 0.0)
            k += 1
        if abs(n[2]) < NEAR:
            put(rows[k], 1, ZERO, x, y, ZERO, up, 0.0)
            put(rows[k + 1], 0, (0.0, 0.0, -side * h), x, y, ZERO, ZERO, 0.0)
            k += 2
        put(rows[k], 0, (0.0, 0.0, side * h), x, y, ZERO, ZERO, 0.0)
        return k + 1
    sine = r / math.sqrt(r * r + 4.0 * h * h)
    if n[2] < -COS_NEAR:
        put(rows[k], 2, ZERO, ZERO, ZERO, ZERO, (0.0, 0.0, -1.0), 0.0)
        k += 1
    apart = elementary.asin(min(max(n[2], -1.0), 1.0)) - elementary.asin(sine)
    if abs(apart) < NEAR:
        put(rows[k], 1, (0.0, 0.0, h), ZERO, ZERO, ZERO, up, sine)
        k += 1
    if apart < NEAR:
        put(rows[k], 0, (0.0, 0.0, -h), x, y, ZERO, ZERO, 0.0)
        k += 1
    if apart > -NEAR:
        put(rows[k], 0, (0.0, 0.0, h), ZERO, ZERO, ZERO, ZERO, 0.0)
        k += 1
    return k


@kernel
def penetration_features(core, rows):
    """Features that may have the least penetration depth, into rows, the side of a turned solid first; returns their
    number.

    Not the apex alone: between two corners it has no minimum.  Writes: rows."""
    kind, size, _, _ = core
    if kind == ELLIPSOID:
        put(rows[0], 0, ZERO, (size[0], 0.0, 0.0), (0.0, size[1], 0.0), (0.0, 0.0, size[2]), ZERO, 0.0)
        return 1
    if kind == FRUSTUM:
        _put_side_of_frustum(rows[0], size)
        _put_end_of_frustum(rows[1], size, -1.0)
        _put_end_of_frustum(rows[2], size, 1.0)
        return 3
    r, h = size[0], size[1]
    up, x, y = (0.0, 0.0, 1.0), (r, 0.0, 0.0), (0.0, r, 0.0)
    put(rows[1], 0, (0.0, 0.0, -h), x, y, ZERO, ZERO, 0.0)
    if kind == CONE:
        put(rows[0], 1, (0.0, 0.0, h), ZERO, ZERO, ZERO, up, r / math.sqrt(r * r + 4.0 * h * h))
        return 2
    put(rows[0], 1, ZERO, x, y, ZERO, up, 0.0)
    put(rows[2], 0, (0.0, 0.0, h), x, y, ZERO, ZERO, 0.0)
    return 3


@kernel
def thin_axis(size):
    """Direction of the shortest axis of an ellipsoid."""
    thin = 0 if size[0] <= size[1] and size[0] <= size[2] else 1 if size[1] <= size[2] else 2
    return 1.0 if thin == 0 else 0.0, 1.0 if thin == 1 else 0.0, 1.0 if thin == 2 else 0.0


@kernel
def reach_and_bend(core):
    """Largest support (m) about the origin, and the least radius of curvature (m)."""
    kind, size, _, _ = core
    if kind == ELLIPSOID:
        big, small = max(size[0], max(size[1], size[2])), min(size[0], min(size[1], size[2]))
        return big, small * small / big
    return elementary.hypot(max(size[0], size[2]), size[1]), 0.0
