# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a ray meets first, among all bodies."""
import math

from ..constants import LEAST_DIVISOR
from ..maths import quat
from ..maths.jit import kernel
from ..maths.vec3 import cross, load3, norm, sub
from ..model import layout as L
from ..motion.states import position
from ..shapes.kinds import MESH, TRIANGLE
from .clearance import shape_pose
from .mesh_query import after, triangles_of
from .narrowphase import core
from .queries import ray_cast

NONE = (0.0, 0.0, 0.0)
# relative: by so much a ray may miss a box and still meet it, which is rounding
BOX_ROUNDING = 1e-12


@kernel
def _misses_box(vertex, row, o, d, longest):
    """True if the ray o + t d, 0 <= t <= longest, stays clear of the box whose corners begin at a row of the table."""
    enter, leave = 0.0, longest
    for f in range(3):
        low, high = vertex[row, f] - o[f], vertex[row + 1, f] - o[f]
        if d[f] == 0.0:
            if not low <= 0.0 <= high:
                return True
        else:
            t0, t1 = low / d[f], high / d[f]
            enter, leave = max(enter, min(t0, t1)), min(leave, max(t0, t1))
    # rounding of the quotients must not lose a ray along the wall of a box
    return not enter <= leave * (1.0 + BOX_ROUNDING) + LEAST_DIVISOR


@kernel
def _into_mesh(s, g, o, d, longest):
    """As ray_cast for a mesh, which is met from its front only."""
    x, q = shape_pose(s, g)
    lo, ld = quat.rotate_back(q, sub(o, x)), quat.rotate_back(q, d)
    row, vertex = s.geom_i[g], s.convex.vertex
    root, leaves, count = row.tree_root, row.tree_leaves, row.vertex_count
    best, normal, box = math.inf, NONE, 0
    while box >= 0:
        if _misses_box(vertex, root + 2 * box, lo, ld, min(best, longest)):
            box = after(box)
        elif box < leaves - 1:
            box = 2 * box + 1
        else:
            low, high = triangles_of(leaves, count, box)
            for triangle in range(low, high):
                first = row.first_vertex + L.TRIANGLE_ROWS * triangle
                tri = (TRIANGLE, load3(vertex[first + L.TRI_LIMITS], 0), first, 3)
                t, n = ray_cast(s.convex, tri, x, q, o, d, min(best, longest))
                if t < best:
                    best, normal = t, n
            box = after(box)
    return best, normal


@kernel
def _passes_ball(c, r, o, d):
    """True if the line o + t d, with unit d, stays clear of the ball about c with radius r (m)."""
    return norm(cross(sub(c, o), d)) > r


@kernel
def cast(s, o, d, longest, mask):
    """(shape, distance, normal) of the first enabled body of a group in `mask` that a ray enters; shape -1 if none.

    o (m), d unit, world; longest (m).  A shape that holds the origin of the ray is not entered.
    """
    hit, best, normal = -1, longest, NONE
    for b in range(len(s.body)):
        if s.body[b].enabled == 0 or s.body[b].group & mask == 0:
            continue
        if _passes_ball(position(s, b), s.anchor[b].radius, o, d):
            continue
        for g in range(s.body[b].first_shape, s.body[b].end_shape):
            if s.geom_i[g].kind == MESH:
                t, n = _into_mesh(s, g, o, d, best)
            else:
                x, q = shape_pose(s, g)
                t, n = ray_cast(s.convex, core(s, g), x, q, o, d, best)
            if t < best or (hit < 0 and t == best < math.inf):
                hit, best, normal = g, t, n
    return hit, best, normal
