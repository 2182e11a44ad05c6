"""From shapes to the tables that the detection reads: one row per convex part."""
import numpy as np

from ..errors import EngineError
from ..shapes import Box, BoxShell, Capsule, Compound, HalfSpace, HollowSphere, Sphere
from . import layout as at
from .turns import NO_TURN, quat_conj, quat_mul, rotate


def shape_row(shape):
    """(type, size (3,), origin (3,) m) of a convex shape or half-space in its own frame; EngineError if it has none."""
    if isinstance(shape, (Sphere, HollowSphere)):
        return at.SPHERE, (shape.radius, 0.0, 0.0), (0.0, 0.0, 0.0)
    if isinstance(shape, Capsule):
        return at.CAPSULE, (shape.radius, 0.5 * shape.length, 0.0), (0.0, 0.0, 0.0)
    if isinstance(shape, (Box, BoxShell)):
        return at.BOX, tuple(0.5 * s for s in shape.size), (0.0, 0.0, 0.0)
    if isinstance(shape, HalfSpace):
        return at.HALFSPACE, shape.normal, tuple(shape.offset * n for n in shape.normal)
    raise EngineError(f'shape: a {type(shape).__name__} has mass properties but no contacts; give a Sphere, Box, '
                      'Capsule, HalfSpace or a Compound of them, and its mass, inertia and com')


def leaves(shape, pos=(0.0, 0.0, 0.0), quat=NO_TURN):
    """[(shape, pos (3,) m, quat (4,))] of all parts of a compound, nested ones too, in the outermost frame."""
    if not isinstance(shape, Compound):
        return [(shape, np.asarray(pos), np.asarray(quat))]
    found = []
    for part in shape.parts:
        where = np.asarray(pos) + rotate(np.asarray(quat), np.asarray(part.pos))
        found += leaves(part.shape, where, quat_mul(np.asarray(quat), np.asarray(part.quat)))
    return found


def check_contacts(shape):
    """EngineError if a body cannot have this shape in contacts."""
    for leaf, _, _ in leaves(shape):
        shape_row(leaf)
    _refuse_holes(shape)


def _refuse_holes(shape):
    for i, part in enumerate(getattr(shape, 'parts', ())):
        if part.hole or min(part.density or 0.0, part.mass or 0.0) < 0.0:
            raise EngineError(f'shape: Compound.parts[{i}] is a hole, which counts for the mass but has no contacts; '
                              'build the outline from parts and give mass, inertia and com by mass_properties')
        _refuse_holes(part.shape)


def build_geometry(bodies):
    """Tables geom, geom_i (see layout) of all bodies (BodySpec); the shapes of a body are neighbours."""
    rows = [(i, part, *leaf) for i, b in enumerate(bodies) for part, leaf in enumerate(leaves(b.shape))]
    geom, geom_i = np.zeros((len(rows), at.GEOM)), np.zeros((len(rows), at.GEOM_I), np.int64)
    for k, (i, part, shape, pos, quat) in enumerate(rows):
        geom[k], geom_i[k] = _row(bodies[i], shape, pos, quat), (shape_row(shape)[0], i, part)
    return geom, geom_i


def _row(body, shape, pos, quat):
    """Row of `geom`: pose in the body's principal frame about its centre of mass, bounds, material."""
    kind, size, origin = shape_row(shape)
    back, row = quat_conj(body.axes), np.zeros(at.GEOM)
    where = rotate(back, pos + rotate(quat, np.asarray(origin)) - body.com)
    frame = quat_mul(back, quat)
    row[at.G_SIZE:at.G_SIZE + 3] = rotate(frame, np.asarray(size)) if kind == at.HALFSPACE else size
    row[at.G_X:at.G_X + 3] = where
    row[at.G_Q:at.G_Q + 4] = NO_TURN if kind == at.HALFSPACE else frame
    row[at.G_EXTENT] = at.UNBOUNDED if kind == at.HALFSPACE else shape.bounding_radius()
    row[at.G_RADIUS] = at.UNBOUNDED if kind == at.HALFSPACE else row[at.G_EXTENT] + np.linalg.norm(where)
    row[at.G_MU], row[at.G_E] = body.friction, body.restitution
    return row
