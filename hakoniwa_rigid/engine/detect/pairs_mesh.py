# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A convex shape against one patch of a static mesh: the triangles near it, as one manifold.

A box that lands flat on a floor of many triangles gets the contact points of the floor, not of each triangle.
"""
import math

from ..constants import TOUCH
from ..maths import quat
from ..maths.elementary import remainder
from ..maths.jit import kernel
from ..maths.vec3 import add, cross, dot, load3, madd, norm, scale, sub
from ..model import layout as L
from ..shapes.kinds import HALFSPACE, TRIANGLE
from .general import collide_general
from .manifold import least_gap, put, reduce_to_four
from .mesh_query import next_near, probe_of

# 1 - cosine below which a normal counts as that of the patch, and m^2, below which two contact points are one
FACING = 1e-9
SAME_CORNER_SQUARED = 1e-18
# features of the rows of a triangle are folded into 2^40 and distinguished by the number of the triangle
FOLD, TRIANGLES = 2.0 ** 40, 4096
# rows of the manifold scratch: those kept so far, and those of the triangle in hand
KEPT, ROWS = 12, 4
# feature of a row that is no contact: the distance of triangles that a neighbour hides, or that are out of reach
NO_CONTACT = -1.0
# relative to the size: a point this far beyond the edge of a triangle still counts as on it
SEAM = 1e-12


@kernel
def _add(m, n, k, triangle, face, reach):
    """Row k of the triangle's rows to the n rows kept, if within reach (m).  Returns the number kept.

    The best of those that lean is kept apart in row 0.  A leaning row stands for the edge or corner of a patch; it
    counts only where it is nearer than all flat rows.  Writes: m."""
    row = m[k]
    if not row[L.M_GAP] <= reach:
        return n
    flat = dot(load3(row, L.M_N), face) >= 1.0 - FACING
    for i in range(1, n):
        d = sub(load3(m[i], L.M_X), load3(row, L.M_X))
        if flat and dot(d, d) <= SAME_CORNER_SQUARED:
            return n
    if not flat and not row[L.M_GAP] < m[0, L.M_GAP]:
        return n
    i = n if flat else 0
    feature = remainder(row[L.M_FEATURE], FOLD) * TRIANGLES + triangle % TRIANGLES
    put(m, i, load3(row, L.M_X), load3(row, L.M_N), row[L.M_GAP], feature)
    return n + 1 if flat else n


@kernel
def _finish(m, n, bound, normal):
    """Final rows from the leaning row 0 and the flat rows 1 .. n - 1; returns their number.

    bound (m), normal: distance of the nearest triangle that has no row, because a neighbour is nearer.  The body may
    reach it before it reaches those that have, so it alone counts while nothing touches: a row of no speed.
    Writes: m."""
    least = m[least_gap(m, n), L.M_GAP]
    if bound < least and least > TOUCH:
        put(m, 0, load3(m[0], L.M_X), normal, max(bound, 2.0 * TOUCH), NO_CONTACT)
        return 1
    if n == 1:
        return 1
    lean = m[0, L.M_GAP]
    for f in range(L.MANIFOLD):
        m[0, f], m[n - 1, f] = m[n - 1, f], m[0, f]
    flat = n - 1
    if not lean < m[least_gap(m, flat), L.M_GAP]:
        return reduce_to_four(m, flat)
    for f in range(L.MANIFOLD):
        m[0, f] = m[flat, f]
    return 1


@kernel
def _holds(vertex, row, p):
    """Whether a triangle holds the point p (mesh frame), up to rounding, seen along its normal."""
    n = load3(vertex[row + L.TRI_NORMAL], 0)
    for i in range(3):
        a, b = load3(vertex[row + i], 0), load3(vertex[row + (i + 1) % 3], 0)
        edge = sub(b, a)
        if dot(cross(edge, sub(p, a)), n) < -SEAM * dot(edge, edge):
            return False
    return True


@kernel
def _in_patch(vertex, mesh, first, end, p):
    """Whether p (mesh frame, in the plane of the patch) lies in one of its triangles first .. end - 1."""
    seam = SEAM * (1.0 + norm(p))
    probe = p, (seam, seam, seam), ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)), 1.0
    k = next_near(vertex, mesh, probe, first)
    while 0 <= k < end:
        if _holds(vertex, mesh.first_vertex + L.TRIANGLE_ROWS * k, p):
            return True
        k = next_near(vertex, mesh, probe, k + 1)
    return False


@kernel
def _is_behind(g, m, n, origin, xg, qg, core, xo, qo):
    """Whether a shape lies wholly behind the plane through `origin` with normal n (mesh frame).
    Writes: g.feature, g.index, g.work, m."""
    if dot(n, sub(quat.rotate_back(qg, sub(xo, xg)), origin)) >= 0.0:
        return False
    back = (HALFSPACE, scale(n, -1.0), 0, 0)
    found = collide_general(g, m, back, add(xg, quat.rotate(qg, origin)), qg, core, xo, qo)
    return m[least_gap(m, found), L.M_GAP] >= 0.0


@kernel
def _on_plane(g, m, mesh, patch, xg, qg, core, xo, qo, reach):
    """Rows of the shape over the plane of a patch within reach, if all lie over the patch; else 0; -1 if behind it.
    Writes: g.feature, g.index, g.work, m."""
    first, end = int(patch[0]), int(patch[1])
    row = mesh.first_vertex + L.TRIANGLE_ROWS * int(patch[2])
    origin, n = load3(g.vertex[row], 0), load3(g.vertex[row + L.TRI_NORMAL], 0)
    if _is_behind(g, m, n, origin, xg, qg, core, xo, qo):
        return -1
    plane = (HALFSPACE, n, 0, 0)
    found, kept = collide_general(g, m, plane, add(xg, quat.rotate(qg, origin)), qg, core, xo, qo), 0
    for k in range(found):
        if m[k, L.M_GAP] <= reach:
            p = quat.rotate_back(qg, sub(load3(m[k], L.M_X), xg))
            if not _in_patch(g.vertex, mesh, first, end, madd(p, n, -dot(n, sub(p, origin)))):
                return 0
            for f in range(L.MANIFOLD):
                m[kept, f] = m[k, f]
            kept += 1
    return kept


@kernel
def collide_patch(g, m, mesh, first, xg, qg, half, core, xo, qo, reach):
    """Manifold of the patch of a mesh that begins with triangle `first` and a convex shape, normals mesh -> shape.

    g: Convex, m: manifold; mesh: row of `geom_i`; half (m): half sides of the box around the shape, core: its core;
    poses of both shapes' frames; reach (m): triangles farther off are left out.  Where none is nearer, one row with
    that gap.  Returns the number of rows, at least 1.  Where all of the shape that is near lies over the patch, its
    plane stands for all its triangles.  Writes: g.feature, g.index, g.work, m."""
    base, probe = mesh.first_vertex, probe_of(xg, qg, xo, qo, half, reach)
    patch = g.vertex[base + L.TRIANGLE_ROWS * first + L.TRI_PATCH]
    end, triangle = int(patch[1]), next_near(g.vertex, mesh, probe, first)
    if end - first > 1 and 0 <= triangle < end:
        n = _on_plane(g, m, mesh, patch, xg, qg, core, xo, qo, reach)
        if n > 0:
            return n
        if n < 0:
            triangle = -1
    face = quat.rotate(qg, load3(g.vertex[base + L.TRIANGLE_ROWS * int(patch[2]) + L.TRI_NORMAL], 0))
    put(m, 0, xo, face, reach, NO_CONTACT)
    n, bound, hidden = 1, math.inf, face
    while 0 <= triangle < end:
        row = base + L.TRIANGLE_ROWS * triangle
        tri = (TRIANGLE, load3(g.vertex[row + L.TRI_LIMITS], 0), row, 3)
        found = collide_general(g, m[KEPT:], tri, xg, qg, core, xo, qo)
        if found == 0 and m[KEPT, L.M_GAP] < bound:
            bound, hidden = m[KEPT, L.M_GAP], load3(m[KEPT], L.M_N)
        for k in range(KEPT, KEPT + found):
            n = _add(m, n, k, triangle, face, reach)
        if n > KEPT - ROWS:
            n = _thin(m, n)
        triangle = next_near(g.vertex, mesh, probe, triangle + 1)
    return _finish(m, n, bound, hidden)


@kernel
def _thin(m, n):
    """Flat rows 1 .. n - 1 down to four; row 0 stays.  Writes: m."""
    return 1 + reduce_to_four(m[1:], n - 1)
