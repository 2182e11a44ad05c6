# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""From shapes to the tables that the detection reads: shape rows, hulls, triangles, trees of static meshes."""
from typing import NamedTuple

import numpy as np

from ..errors import EngineError
from ..maths.matrices import length
from ..maths.quat import NO_TURN, conj_rows, mul_rows, rotate_one
from ..shapes import Compound
from ..shapes.hull_tables import hull_tables
from ..shapes.kinds import HALFSPACE, HULL, MESH, UNBOUNDED
from . import layout as L
from .convex import make_convex
from .mesh_tree import mesh_tables


class Geometry(NamedTuple):
    """See layout: geom, geom_i, and Convex with the vertices of all hulls, triangles and boxes of trees."""

    geom: np.ndarray
    geom_i: np.ndarray
    convex: tuple


def leaves(shape, pos=(0.0, 0.0, 0.0), quat=NO_TURN):
    """[(shape, pos (3,), quat (4,))] of all parts of a compound, nested ones too, in the outermost frame."""
    if not isinstance(shape, Compound):
        return [(shape, np.asarray(pos), np.asarray(quat))]
    found = []
    for part in shape.parts:
        where = np.asarray(pos) + rotate_one(np.asarray(quat), np.asarray(part.pos))
        found += leaves(part.shape, where, mul_rows(np.asarray(quat), np.asarray(part.quat)))
    return found


def _leaf_shapes(shape):
    """The shapes of `leaves`."""
    if not isinstance(shape, Compound):
        return [shape]
    return [leaf for part in shape.parts for leaf in _leaf_shapes(part.shape)]


def check_contacts(shape, kind):
    """EngineError if a body of this kind cannot have this shape in contacts."""
    for leaf in _leaf_shapes(shape):
        if leaf.core()[0] == MESH and kind != 'static':
            raise EngineError(f'kind: a {type(leaf).__name__} has a surface but no inside that contacts could push out '
                              f'of and is static, got {kind!r}; use its ConvexHull or a Compound of convex parts')
    _refuse_holes(shape)


def _refuse_holes(shape):
    for i, part in enumerate(getattr(shape, 'parts', ())):
        if part.hole or min(part.density or 0.0, part.mass or 0.0) < 0.0:
            raise EngineError(f'shape: Compound.parts[{i}] is a hole, which counts for the mass but has no contacts; '
                              'build the outline from parts and give mass, inertia and com by mass_properties')
        _refuse_holes(part.shape)


def build_geometry(bodies):
    """Geometry of all bodies (BodySpec); the shapes of a body are neighbours."""
    rows = [(i, part, *leaf) for i, b in enumerate(bodies) for part, leaf in enumerate(leaves(b.shape))]
    geom, geom_i = np.zeros((len(rows), L.GEOM)), np.zeros((len(rows), L.GEOM_I), np.int64)
    for k, (i, part, shape, pos, quat) in enumerate(rows):
        geom[k], geom_i[k, :3] = _row(bodies[i], shape, pos, quat), (shape.core()[0], i, part)
    hulls = {k: hull_tables(row[2].centred()) for k, row in enumerate(rows) if geom_i[k, L.GI_TYPE] == HULL}
    meshes = [k for k in range(len(rows)) if geom_i[k, L.GI_TYPE] == MESH]
    tables = [mesh_tables(rows[k][2].centred(), rows[k][2].faces) for k in meshes]
    convex, ranges = make_convex(list(hulls.values()))
    for k, (first, count) in zip(hulls, ranges, strict=True):
        geom_i[k, L.GI_FIRST:L.GI_COUNT + 1] = first, count
    vertex = [convex.vertex]
    for k, mesh in zip(meshes, tables, strict=True):
        first = sum(len(v) for v in vertex)
        vertex += [mesh.rows.reshape(-1, 3), mesh.box.reshape(-1, 3)]
        geom_i[k, L.GI_FIRST:L.GI_LEAVES + 1] = first, len(mesh.rows), first + len(vertex[-2]), mesh.leaves
    return Geometry(geom, geom_i, convex._replace(vertex=np.concatenate(vertex)))


def _row(body, shape, pos, quat):
    """Row of `geom`: pose in the body's principal frame about its centre of mass, bounds."""
    kind, size, origin = shape.core()
    back, row = conj_rows(body.axes), np.zeros(L.GEOM)
    where = rotate_one(back, pos + rotate_one(quat, np.asarray(origin)) - body.com)
    frame = mul_rows(back, quat)
    row[L.G_SIZE:L.G_SIZE + 3] = rotate_one(frame, np.asarray(size)) if kind == HALFSPACE else size
    row[L.G_X:L.G_X + 3] = where
    row[L.G_Q:L.G_Q + 4] = NO_TURN if kind == HALFSPACE else frame
    row[L.G_EXTENT] = shape.extent()
    row[L.G_HALF:L.G_HALF + 3] = shape.half_sides()
    row[L.G_RADIUS] = UNBOUNDED if kind == HALFSPACE else row[L.G_EXTENT] + length(where)
    return row


def shape_geometry(shape):
    """Size (3,), radius (m) of the ball and half sides (3,) m of the box about the origin of a convex shape, for its
    row of `geom`."""
    return shape.core()[1], shape.extent(), shape.half_sides()
