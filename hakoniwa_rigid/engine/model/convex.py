# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What the general narrow phase works on: convex cores, their tables, and its scratch memory.

A shape is a convex core and a radius around it.  A core is the tuple (kind, size, first, count); kind and size are
those of the shape table, first and count its vertices in `Convex.vertex` (hulls and triangles only).  Sizes, m:

SPHERE (radius, -, -): core is a point.  CAPSULE (radius, half length, -): core is a segment along z.
BOX half sides.  CYLINDER, CONE (radius, half height, -): axis z, base of the cone down.  FRUSTUM (radius, half height,
radius of the upper end).  ELLIPSOID semi-axes.
HULL: -.  TRIANGLE: three angles, see `triangle.front`; three vertices in a row, counter-clockwise seen from outside.
"""
from typing import NamedTuple

import numpy as np

from ..maths.jit import kernel
from ..maths.vec3 import store3
from ..shapes.kinds import CAPSULE, CYLINDER, ELLIPSOID, SPHERE

# room for the expanding polytope: vertices, facets, edges of its horizon
EPA_POINTS, EPA_FACETS, EPA_EDGES = 160, 320, 256
# corners of a support face that are looked at; a face of a hull with more is thinned out
FEATURE_CORNERS = 32
# candidate contact points of two faces
CANDIDATES = 4 * FEATURE_CORNERS
# first rows in `work`, whose first rows are the vertices of the simplex or polytope: b - a in a's frame, vertex ids
FACET = EPA_POINTS                          # unit normal, plane, key
CORNER = FACET + EPA_FACETS                 # of the facing features of a, then of b: (u, v, height), id
SIDE = CORNER + 2 * FEATURE_CORNERS         # one row each: slope and height of the feature, ellipse of a disc
CANDIDATE = SIDE + 2                        # contact points, columns as in a manifold
# one row each: a core and its pose, where they are handed over in memory
ARGUMENTS = CANDIDATE + CANDIDATES
# in a hurry: world normal a -> b near which the true one is looked for, or zeros
OLD_NORMAL = ARGUMENTS + 2
WORK_ROWS, WORK = OLD_NORMAL + 1, 13
# first rows in `index`, whose first rows are the vertices of the facets; the table of a handle to Convex comes last
HORIZON = EPA_FACETS
TABLE = HORIZON + EPA_EDGES
TABLE_ROWS = 6
# its first cell: 1 where a crowd's contacts are sought, which need not be exact
HURRY = TABLE + TABLE_ROWS
INDEX_ROWS = HURRY + 1
# features of a shape near its support point, and their columns (polish.py)
FEATURES, FEATURE = 24, 17
# the columns: number of conditions, centre, half axes, condition e . m = value
F_TIES, F_C, F_A, F_E, F_VALUE = 0, 1, 4, 13, 16
ZERO = (0.0, 0.0, 0.0)


class Convex(NamedTuple):
    """Tables of all hulls and triangles, and scratch.  Few arrays: each costs compile time in every kernel.

    Vertices of hulls come first, then those of triangles, three each.  With V and F the vertices and faces of all
    hulls, `topology` is V, then V + 1 starts of the neighbours of each vertex, V + 1 of the faces around it, F + 1 of
    the corners of each face, then these lists end to end; starts count from the beginning of `topology`.
    """

    vertex: np.ndarray          # (vertices, 3) float64 m, in each shape's own frame
    face_normal: np.ndarray     # (F, 3) float64, unit, outward
    topology: np.ndarray        # int64
    work: np.ndarray            # (WORK_ROWS, WORK) float64 scratch
    index: np.ndarray           # (INDEX_ROWS, 3) int64 scratch
    feature: np.ndarray         # (2, FEATURES, FEATURE) float64 scratch


# kinds of these arrays as handles have them (maths.handle)
CONVEX = dict(vertex='f2', face_normal='f2', topology='i1', work='f2', index='i2', feature='f3')


def make_convex(hulls=(), triangles=None):
    """Convex of some HullTables and of triangles (T, 3, 3), m.  Returns it and (first, count) of each hull.

    Triangle t starts at vertex (hull vertices) + 3 t.
    """
    rows, lists, v0, f0 = [], ([], [], []), 0, 0
    for h in hulls:
        rows.append((v0, len(h.vertex)))
        ends = (h.link_start, h.link, v0), (h.corner_start, h.corner, f0), (h.face_start, h.face_vertex, v0)
        for out, (start, values, offset) in zip(lists, ends, strict=True):
            out += [values[i:j] + offset for i, j in zip(start[:-1], start[1:], strict=True)]
        v0, f0 = v0 + len(h.vertex), f0 + len(h.face_normal)
    vertex = [h.vertex for h in hulls] + ([] if triangles is None else [np.reshape(triangles, (-1, 3))])
    normals = [h.face_normal for h in hulls]
    none = np.zeros((0, 3))
    tables = np.concatenate([none, *vertex]), np.concatenate([none, *normals]), _topology(v0, lists)
    return Convex(*tables, *scratch()), rows


def _topology(vertices, lists):
    starts, at_now = [np.array([vertices])], 1 + sum(len(x) + 1 for x in lists)
    for one in lists:
        lengths = np.array([0] + [len(x) for x in one])
        starts.append(at_now + np.cumsum(lengths))
        at_now += lengths.sum()
    return np.concatenate(starts + [x for one in lists for x in one]).astype(np.int64)


def scratch():
    """The scratch arrays of Convex, in its order."""
    return (np.zeros((WORK_ROWS, WORK)), np.zeros((INDEX_ROWS, 3), np.int64),
            np.zeros((2, FEATURES, FEATURE)))


@kernel
def put(row, ties, c, a1, a2, a3, e, value):
    """Write a feature into its row.  Writes: row."""
    row[F_TIES], row[F_VALUE] = ties, value
    store3(row, F_C, c)
    store3(row, F_A, a1)
    store3(row, F_A + 3, a2)
    store3(row, F_A + 6, a3)
    store3(row, F_E, e)


@kernel
def neighbours(g, vertex):
    """Range in `topology` of the neighbours of a vertex."""
    return g.topology[1 + vertex], g.topology[2 + vertex]


@kernel
def faces_around(g, vertex):
    """Range in `topology` of the faces around a vertex."""
    k = 2 + g.topology[0] + vertex
    return g.topology[k], g.topology[k + 1]


@kernel
def face_corners(g, face):
    """Range in `topology` of the corners of a face."""
    k = 3 + 2 * g.topology[0] + face
    return g.topology[k], g.topology[k + 1]


@kernel
def radius_of(core):
    """Radius (m) around the core."""
    return core[1][0] if core[0] == SPHERE or core[0] == CAPSULE else 0.0


@kernel
def is_polytope(core):
    return core[0] < CYLINDER or core[0] > ELLIPSOID
