# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""How far apart two bodies are at this moment, and where: exact for every pair of shapes that has an answer."""
import math

from ..maths import quat
from ..maths.jit import kernel
from ..maths.vec3 import add, load3, madd, norm, scale, sub
from ..model import layout as L
from ..motion.states import attitude, position
from ..shapes.kinds import MESH, TRIANGLE, UNBOUNDED
from .general import collide_general
from .manifold import least_gap
from .mesh_query import next_near, probe_of
from .narrowphase import core

NOWHERE = (0.0, 0.0, 0.0)


@kernel
def shape_pose(s, g):
    """Position (m) and attitude of shape g, world."""
    b, f = s.geom_i[g].body, s.geom[g]
    x, q = position(s, b), attitude(s, b)
    return add(x, quat.rotate(q, f.position)), quat.mul(q, f.attitude)


@kernel
def _found(m, n, gap, x, normal):
    """Nearer one of the least of n manifold points and (gap, x, normal)."""
    if n > 0:
        row = m[least_gap(m, n)]
        if row[L.M_GAP] < gap:
            return row[L.M_GAP], load3(row, L.M_X), load3(row, L.M_N)
    return gap, x, normal


@kernel
def _from_mesh(s, mesh, other, limit):
    """As `between_shapes` for a mesh and a convex shape: its nearest triangle that looks at the shape.
    Writes: s.convex, s.manifold."""
    (xm, qm), (xo, qo) = shape_pose(s, mesh), shape_pose(s, other)
    row, vertex = s.geom_i[mesh], s.convex.vertex
    probe = probe_of(xm, qm, xo, qo, s.geom[other].half_sides, limit)
    gap, x, normal = math.inf, NOWHERE, NOWHERE
    triangle = next_near(vertex, row, probe, 0)
    while triangle >= 0:
        first = row.first_vertex + L.TRIANGLE_ROWS * triangle
        tri = (TRIANGLE, load3(vertex[first + L.TRI_LIMITS], 0), first, 3)
        n = collide_general(s.convex, s.manifold, tri, xm, qm, core(s, other), xo, qo)
        gap, x, normal = _found(s.manifold, n, gap, x, normal)
        probe = probe_of(xm, qm, xo, qo, s.geom[other].half_sides, max(min(gap, limit), 0.0))
        triangle = next_near(vertex, row, probe, triangle + 1)
    return gap, x, normal


@kernel
def between_shapes(s, ga, gb, limit):
    """Signed distance (m) of two shapes, the middle between the nearest points, and the normal ga -> gb; world.

    What is farther apart than `limit` (m) may be given as inf.  One of the two is convex and bounded.
    Writes: s.convex, s.manifold."""
    if s.geom_i[ga].kind == MESH:
        return _from_mesh(s, ga, gb, limit)
    if s.geom_i[gb].kind == MESH:
        gap, x, n = _from_mesh(s, gb, ga, limit)
        return gap, x, scale(n, -1.0)
    (xa, qa), (xb, qb) = shape_pose(s, ga), shape_pose(s, gb)
    rows = collide_general(s.convex, s.manifold, core(s, ga), xa, qa, core(s, gb), xb, qb)
    return _found(s.manifold, rows, math.inf, NOWHERE, NOWHERE)


@kernel
def _between_balls(s, ga, gb):
    """Lower bound (m) on the distance of two shapes: that of the balls around them."""
    ra, rb = s.geom[ga].extent, s.geom[gb].extent
    if max(ra, rb) >= UNBOUNDED:
        return -math.inf
    return norm(sub(shape_pose(s, gb)[0], shape_pose(s, ga)[0])) - ra - rb


@kernel
def between_bodies(s, a, b, limit):
    """Signed distance (m) of two bodies, the points (world) that realise it, on a and on b, and the normal a -> b.

    inf where they are farther apart than `limit` (m).  Overlapping: minus the depth, and the points to bring together.
    Writes: s.convex, s.manifold."""
    gap, x, n = math.inf, NOWHERE, NOWHERE
    for ga in range(s.body[a].first_shape, s.body[a].end_shape):
        for gb in range(s.body[b].first_shape, s.body[b].end_shape):
            if _between_balls(s, ga, gb) <= min(gap, limit):
                found, point, normal = between_shapes(s, ga, gb, min(gap, limit))
                if found < gap:
                    gap, x, n = found, point, normal
    if not gap <= limit:
        return math.inf, NOWHERE, NOWHERE, NOWHERE
    return gap, madd(x, n, -0.5 * gap), madd(x, n, 0.5 * gap), n
