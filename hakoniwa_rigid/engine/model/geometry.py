"""From shapes to the tables that the detection reads: shape rows, hulls, triangles, trees of static meshes."""
from typing import NamedTuple

import numpy as np

from ..errors import EngineError
from ..shapes import (
    Box,
    BoxShell,
    Capsule,
    Compound,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    HeightField,
    HollowSphere,
    Sphere,
    Tetrahedron,
    TriangleMesh,
)
from ..shapes.hull_tables import hull_tables
from . import layout as L
from .convex import make_convex
from .mesh_tree import mesh_tables
from .turns import NO_TURN, quat_conj, quat_mul, rotate

_ROUND = {Cylinder: L.CYLINDER, Cone: L.CONE}


class Geometry(NamedTuple):
    """See layout: geom, geom_i, and Convex with the vertices of all hulls, triangles and boxes of trees."""

    geom: np.ndarray
    geom_i: np.ndarray
    convex: tuple


def shape_row(shape):
    """(type, size (3,), origin (3,) m) of a convex shape or half-space in its own frame; EngineError if it has none."""
    if isinstance(shape, (Sphere, HollowSphere)):
        return L.SPHERE, (shape.radius, 0.0, 0.0), (0.0, 0.0, 0.0)
    if isinstance(shape, Capsule):
        return L.CAPSULE, (shape.radius, 0.5 * shape.length, 0.0), (0.0, 0.0, 0.0)
    if isinstance(shape, (Box, BoxShell)):
        return L.BOX, tuple(0.5 * s for s in shape.size), (0.0, 0.0, 0.0)
    if isinstance(shape, HalfSpace):
        return L.HALFSPACE, shape.normal, tuple(shape.offset * n for n in shape.normal)
    if type(shape) in _ROUND:
        return _ROUND[type(shape)], (shape.radius, 0.5 * shape.height, 0.0), (0.0, 0.0, 0.0)
    if isinstance(shape, Ellipsoid):
        return L.ELLIPSOID, tuple(shape.semi_axes), (0.0, 0.0, 0.0)
    if isinstance(shape, (ConvexHull, Tetrahedron)):
        return L.HULL, (0.0, 0.0, 0.0), tuple(_middle(shape.vertices).tolist())
    if isinstance(shape, (TriangleMesh, HeightField)):
        return L.MESH, (0.0, 0.0, 0.0), tuple(_middle(shape.vertices).tolist())
    raise EngineError(f'shape: a {type(shape).__name__} has mass properties but no contacts; give a shape that has, '
                      'and its mass, inertia and com')


def leaves(shape, pos=(0.0, 0.0, 0.0), quat=NO_TURN):
    """[(shape, pos (3,), quat (4,))] of all parts of a compound, nested ones too, in the outermost frame."""
    if not isinstance(shape, Compound):
        return [(shape, np.asarray(pos), np.asarray(quat))]
    found = []
    for part in shape.parts:
        where = np.asarray(pos) + rotate(np.asarray(quat), np.asarray(part.pos))
        found += leaves(part.shape, where, quat_mul(np.asarray(quat), np.asarray(part.quat)))
    return found


def check_contacts(shape, kind):
    """EngineError if a body of this kind cannot have this shape in contacts."""
    for leaf, _, _ in leaves(shape):
        if shape_row(leaf)[0] == L.MESH and kind != 'static':
            raise EngineError(f'kind: a {type(leaf).__name__} has a surface but no inside that contacts could push out '
                              f'of and is static, got {kind!r}; use its ConvexHull or a Compound of convex parts')
    _refuse_holes(shape)


def _refuse_holes(shape):
    for i, part in enumerate(getattr(shape, 'parts', ())):
        if part.hole or min(part.density or 0.0, part.mass or 0.0) < 0.0:
            raise EngineError(f'shape: Compound.parts[{i}] is a hole, which counts for the mass but has no contacts; '
                              'build the outline from parts and give mass, inertia and com by mass_properties')
        _refuse_holes(part.shape)


def _middle(vertices):
    return 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))


def build_geometry(bodies):
    """Geometry of all bodies (BodySpec); the shapes of a body are neighbours."""
    rows = [(i, part, *leaf) for i, b in enumerate(bodies) for part, leaf in enumerate(leaves(b.shape))]
    geom, geom_i = np.zeros((len(rows), L.GEOM)), np.zeros((len(rows), L.GEOM_I), np.int64)
    for k, (i, part, shape, pos, quat) in enumerate(rows):
        geom[k], geom_i[k, :3] = _row(bodies[i], shape, pos, quat), (shape_row(shape)[0], i, part)
    hulls = {k: hull_tables(_centred(row[2])) for k, row in enumerate(rows) if geom_i[k, L.GI_TYPE] == L.HULL}
    meshes = [k for k in range(len(rows)) if geom_i[k, L.GI_TYPE] == L.MESH]
    tables = [mesh_tables(_centred(rows[k][2]), rows[k][2].faces) for k in meshes]
    convex, ranges = make_convex(list(hulls.values()))
    for k, (first, count) in zip(hulls, ranges, strict=True):
        geom_i[k, L.GI_FIRST:L.GI_COUNT + 1] = first, count
    vertex = [convex.vertex]
    for k, mesh in zip(meshes, tables, strict=True):
        first = sum(len(v) for v in vertex)
        vertex += [mesh.rows.reshape(-1, 3), mesh.box.reshape(-1, 3)]
        geom_i[k, L.GI_FIRST:L.GI_LEAVES + 1] = first, len(mesh.rows), first + len(vertex[-2]), mesh.leaves
    return Geometry(geom, geom_i, convex._replace(vertex=np.concatenate(vertex)))


def _centred(shape):
    """(V, 3) vertices about the middle of their box: there hulls and meshes have their origin inside the engine."""
    return shape.vertices - _middle(shape.vertices)


def _row(body, shape, pos, quat):
    """Row of `geom`: pose in the body's principal frame about its centre of mass, bounds."""
    kind, size, origin = shape_row(shape)
    back, row = quat_conj(body.axes), np.zeros(L.GEOM)
    where = rotate(back, pos + rotate(quat, np.asarray(origin)) - body.com)
    frame = quat_mul(back, quat)
    row[L.G_SIZE:L.G_SIZE + 3] = rotate(frame, np.asarray(size)) if kind == L.HALFSPACE else size
    row[L.G_X:L.G_X + 3] = where
    row[L.G_Q:L.G_Q + 4] = NO_TURN if kind == L.HALFSPACE else frame
    row[L.G_EXTENT] = _extent(kind, shape)
    row[L.G_HALF:L.G_HALF + 3] = _half_sides(kind, shape, size)
    row[L.G_RADIUS] = L.UNBOUNDED if kind == L.HALFSPACE else row[L.G_EXTENT] + np.linalg.norm(where)
    return row


def shape_geometry(shape):
    """Size (3,), radius (m) of the ball and half sides (3,) m of the box about the origin of a convex shape, for its
    row of `geom`."""
    kind, size, _ = shape_row(shape)
    return size, _extent(kind, shape), _half_sides(kind, shape, size)


def _extent(kind, shape):
    """Radius (m) of the ball about the engine's origin of the shape."""
    if kind == L.HALFSPACE:
        return L.UNBOUNDED
    if kind in (L.HULL, L.MESH):
        return float(np.linalg.norm(_centred(shape), axis=1).max())
    return shape.bounding_radius()


def _half_sides(kind, shape, size):
    """Half sides (m) of the box around a shape in its own frame."""
    if kind in (L.SPHERE, L.HALFSPACE):
        return np.full(3, L.UNBOUNDED if kind == L.HALFSPACE else size[0])
    if kind in (L.HULL, L.MESH):
        return np.abs(_centred(shape)).max(axis=0)
    if kind in (L.BOX, L.ELLIPSOID):
        return size
    return size[0], size[0], size[1] + (size[0] if kind == L.CAPSULE else 0.0)
