# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Contacts that a neighbour hides: side faces, edges and corners inside a floor of several shapes.

A body that slides over boxes side by side meets each of them alone, and would be hit by faces and edges that are
inside the floor.  A contact of shape S with normal n at its point p is real only if what touches S at p does not rise
above the plane through p across n: of a convex neighbour that is decided by its support point.  Where a wall stands
on a floor, p may lie in the corner of both; there a point of the same face of S close by is asked too.  The tops of
neighbours that differ by more than SEAM are steps, and are met.
"""
from ..constants import LEAST_DIVISOR, TOUCH
from ..maths import elementary, quat
from ..maths.jit import kernel
from ..maths.vec3 import dot, load3, madd, norm, scale, sub
from ..model import layout as L
from ..model.convex import faces_around
from ..shapes.kinds import BOX, CONE, CYLINDER, FRUSTUM, HALFSPACE, HULL, UNBOUNDED
from .manifold import least_gap, put
from .pairs_mesh import NO_CONTACT
from .support import at3, box_corner, support
from .travel import half_thickness

# m: what lies this close to a shape touches it; heights that differ by less are one
SEAM = 1e-9
# m: how far along a face the next point is asked.  Share of the least half side: shapes that overlap by more are pushed
# apart as if they were alone, whatever lies beside them
BESIDE, DEEP = 1e-6, 0.1
# m: points of rows of hulls may be as far below their plane, and beside the edge that they belong to
BELOW, BESIDE_EDGE = 2e-7, 1e-5
# corners of a hull beyond which only the contact point itself is asked, and rounds that bring a point onto a hull
MANY, ROUNDS = 64, 4


@kernel
def _in_hull(s, g, p):
    first, count = s.geom_i[g].first_vertex, s.geom_i[g].vertex_count
    for v in range(first, first + count):
        d = sub(p, at3(s.convex.vertex, v))
        start, end = faces_around(s.convex, v)
        for k in range(start, end):
            if dot(d, at3(s.convex.face_normal, s.convex.topology[k])) > SEAM:
                return False
    return True


@kernel
def _holds(s, g, p):
    """True if the point p (m, frame of shape g) is in the shape or touches it."""
    kind, size = s.geom_i[g].kind, s.geom[g].dimensions
    if kind == BOX:
        return abs(p[0]) <= size[0] + SEAM and abs(p[1]) <= size[1] + SEAM and abs(p[2]) <= size[2] + SEAM
    if kind == HALFSPACE:
        return dot(p, size) <= SEAM
    if kind == CYLINDER:
        return abs(p[2]) <= size[1] + SEAM and p[0] * p[0] + p[1] * p[1] <= elementary.square(size[0] + SEAM)
    if kind in (CONE, FRUSTUM):
        wide = size[0] + (size[2] - size[0]) * (0.5 + 0.5 * p[2] / size[1]) + SEAM
        return abs(p[2]) <= size[1] + SEAM and wide > 0.0 and p[0] * p[0] + p[1] * p[1] <= wide * wide
    return _in_hull(s, g, p)


@kernel
def _rises(s, g, p, n):
    """True if shape g has a point above the plane through p across n (both in its frame)."""
    kind, size = s.geom_i[g].kind, s.geom[g].dimensions
    if kind == HALFSPACE:
        return norm(sub(n, size)) > SEAM
    if kind == BOX:
        top = abs(n[0]) * size[0] + abs(n[1]) * size[1] + abs(n[2]) * size[2]
        return top - dot(n, p) > SEAM
    core = kind, size, s.geom_i[g].first_vertex, s.geom_i[g].vertex_count
    return dot(sub(support(s.convex, core, n, 0)[0], p), n) > SEAM


@kernel
def _first_beside(s, g, x):
    """First neighbour of shape g that may reach to x (m) along the axis by which they are sorted."""
    low = s.geom_i[g].first_neighbour
    high = low + s.geom_i[g].neighbour_count
    while low < high:
        middle = (low + high) // 2
        if s.beside[middle, L.K_REACH] < x - SEAM:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _covered(s, g, p, n):
    """True if a neighbour of shape g touches its point p and rises above the plane across n (frame of g)."""
    x = p[s.geom_i[g].neighbour_axis]
    for k in range(_first_beside(s, g, x), s.geom_i[g].first_neighbour + s.geom_i[g].neighbour_count):
        row = s.beside[k]
        if row[L.K_LOW] > x + SEAM:
            return False
        other = int(row[L.K_SHAPE])
        q, d = quat.load4(row, L.K_Q), quat.rotate_back(quat.load4(row, L.K_Q), sub(p, load3(row, L.K_X)))
        enabled = s.body[s.geom_i[other].body].enabled == 1
        if enabled and _holds(s, other, d) and _rises(s, other, d, quat.rotate_back(q, n)):
            return True
    return False


@kernel
def _corner(s, g, k):
    if s.geom_i[g].kind == BOX:
        return box_corner(s.geom[g].dimensions, k)
    return at3(s.convex.vertex, s.geom_i[g].first_vertex + k)


@kernel
def _corners(s, g):
    """Number of the corners of shape g that are asked."""
    if s.geom_i[g].kind == BOX:
        return 8
    count = s.geom_i[g].vertex_count
    return count if s.geom_i[g].kind == HULL and count <= MANY else 0


@kernel
def _top(s, g, n):
    """How far (m) shape g reaches along n, of shapes whose corners are asked."""
    top = -UNBOUNDED
    for k in range(_corners(s, g)):
        top = max(top, dot(n, _corner(s, g, k)))
    return top


@kernel
def _on_top(s, g, p, n):
    """The point next to p of the corner or edge of g that reaches farthest along n; of a face p, raised to it."""
    top, found, first, second = _top(s, g, n), 0, p, p
    for k in range(_corners(s, g)):
        v = _corner(s, g, k)
        if dot(n, v) >= top - SEAM:
            first, second, found = (v, first, 1) if found == 0 else (first, v if found == 1 else second, found + 1)
    if found == 1:
        return first
    if found > 2:
        return madd(p, n, top - dot(n, p))
    along = sub(second, first)
    share = dot(sub(p, first), along) / max(dot(along, along), LEAST_DIVISOR)
    return madd(first, along, min(max(share, 0.0), 1.0))


@kernel
def is_hidden(s, g, p, n):
    """True if shape g has no contact at its point p with normal n (frame of g): p is covered, and so is what lies
    beside it on the face or edge of g that has this normal."""
    if not _covered(s, g, p, n):
        return False
    top = _top(s, g, n)
    for k in range(_corners(s, g)):
        v = _corner(s, g, k)
        d = sub(v, p)
        away = norm(d)
        if dot(n, v) >= top - SEAM and away > SEAM and not _covered(s, g, madd(p, d, min(BESIDE / away, 1.0)), n):
            return False
    return True


@kernel
def _onto(s, g, p):
    """The point p (m), or one of the box or hull g close to it: faces that only pass each other have a row of their
    distance that is beside both."""
    if s.geom_i[g].kind == BOX:
        half = s.geom[g].dimensions
        return (min(max(p[0], -half[0]), half[0]), min(max(p[1], -half[1]), half[1]),
                min(max(p[2], -half[2]), half[2]))
    if _corners(s, g) == 0:
        return p
    first = s.geom_i[g].first_vertex
    for _ in range(ROUNDS):
        out = 0.0
        for v in range(first, first + s.geom_i[g].vertex_count):
            start, end = faces_around(s.convex, v)
            for k in range(start, end):
                normal = at3(s.convex.face_normal, s.convex.topology[k])
                high = dot(sub(p, at3(s.convex.vertex, v)), normal)
                if high > 0.0:
                    p, out = madd(p, normal, -high), max(out, high)
        if out < SEAM:
            break
    return p


@kernel
def _is_hidden_by(s, g, x, q, point, normal, gap):
    """As is_hidden, for a point (m) and a normal in the world; x, q: pose of the shape's frame.

    gap (m): of the row; points of overlapping shapes may be beside the edge that they belong to.
    """
    if s.geom_i[g].neighbour_count == 0:
        return False
    p, n = _onto(s, g, quat.rotate_back(q, sub(point, x))), quat.rotate_back(q, normal)
    if _corners(s, g) > 0:
        on = _on_top(s, g, p, n)
        p = on if dot(n, sub(on, p)) <= abs(gap) + BELOW and norm(sub(on, p)) <= BESIDE_EDGE else p
    return is_hidden(s, g, p, n)


@kernel
def leave_out_hidden(s, ga, xa, qa, gb, xb, qb, n):
    """Drop those of the n rows of the scratch that a neighbour hides; poses are those of the shapes' frames.

    Where none is left, a row that is no contact, at their distance.  Returns their number.  Writes: s.manifold."""
    if s.geom_i[ga].neighbour_count + s.geom_i[gb].neighbour_count == 0:
        return n
    m = s.manifold
    least = least_gap(m, n)
    gap, normal, point = m[least, L.M_GAP], load3(m[least], L.M_N), load3(m[least], L.M_X)
    if gap < -DEEP * min(half_thickness(s, ga), half_thickness(s, gb)):
        return n
    kept = 0
    for k in range(n):
        x, up, way = load3(m[k], L.M_X), load3(m[k], L.M_N), 0.5 * m[k, L.M_GAP]
        if (_is_hidden_by(s, ga, xa, qa, madd(x, up, -way), up, 2.0 * way)
                or _is_hidden_by(s, gb, xb, qb, madd(x, up, way), scale(up, -1.0), 2.0 * way)):
            continue
        if kept < k:
            for f in range(L.MANIFOLD):
                m[kept, f] = m[k, f]
        kept += 1
    if kept == 0:
        put(m, 0, point, normal, max(gap, 2.0 * TOUCH), NO_CONTACT)
        return 1
    return kept
