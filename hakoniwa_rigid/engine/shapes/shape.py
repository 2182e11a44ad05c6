# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What every shape says of itself, and what those that are given by a few lengths have in common.

Lengths in metres, centred on the shape's origin, axis of symmetry z.
"""
from dataclasses import fields

import numpy as np

from ..checks import array, number
from ..constants import MAX_SIZE, MIN_SIZE
from ..errors import EngineError
from ..maths.pointwise import cos, sin

ORIGIN = (0.0, 0.0, 0.0)
# points around a round shape in outlines, and rings from pole to pole
AROUND, RINGS = 24, 12


class Shape:
    """Base of all shapes.  bounded: it has a volume.  static: a body with contacts of it cannot move.

    word: its `type` in world files, None where they do not have it.  drawn_as: how viewers draw it, with its own
    fields: as a primitive of theirs ('box', 'sphere', 'capsule', 'cylinder', 'cone', 'ellipsoid', 'plane'), or as the
    triangles of a 'mesh' or 'heightfield'; as a 'hull' otherwise: its own triangles or those of its outline.
    """

    bounded = True
    static = False
    word = None
    drawn_as = 'hull'

    def bounding_radius(self):
        """Radius (m) of a sphere about the shape's origin that holds it; inf for unbounded shapes."""
        raise NotImplementedError(type(self).__name__)

    def core(self):
        """(kind, size (3,), origin (3,) m): its number and lengths as the kernels have them (model.convex), and where
        the core's frame begins in the shape's.  EngineError for shapes without contacts."""
        raise EngineError(f'shape: a {type(self).__name__} has mass properties but no contacts; give a shape that has, '
                          'and its mass, inertia and com')

    def extent(self):
        """Radius (m) of the ball about the core's origin."""
        return self.bounding_radius()

    def half_sides(self):
        """Half sides (3,) m of the box about the core's origin, in the shape's axes."""
        return np.full(3, self.extent())

    def reach(self, d):
        """Largest d . x (m) over the shape, unit d (3,) in its frame; inf for unbounded shapes."""
        return self.bounding_radius()

    def holds(self, p, margin=0.0):
        """Whether the point p (3,) m in its frame is inside; False for shapes without an inside.

        margin (m): how far below the surface of an unbounded shape counts.
        """
        return False

    def outline(self):
        """Points (n, 3) m on the surface, whose hull viewers draw where a shape has no faces of its own."""
        raise EngineError(f'shape: a {type(self).__name__} has no outline')


class Primitive(Shape):
    """Base of the shapes that are given by lengths and triples of them, with closed forms of their mass properties.

    may_be_zero: the names of the lengths that may be 0; instead_of_zero: the shape that others
    would make it, in words.  thin: a density is in kg/m^2.
    """

    may_be_zero = ()
    instead_of_zero = {}
    thin = False

    def __post_init__(self):
        name = type(self).__name__
        for f in fields(self):
            value, check = getattr(self, f.name), sizes if f.type is tuple else size
            if f.name in self.may_be_zero:
                value = number(f'{name}.{f.name}', value, 0.0, MAX_SIZE)
            elif f.name in self.instead_of_zero and number(f'{name}.{f.name}', value) == 0.0:
                raise EngineError(f'{name}.{f.name}: must be > 0, got {value!r}; that would be '
                                  f'{self.instead_of_zero[f.name]}')
            else:
                value = check(f'{name}.{f.name}', value)
            object.__setattr__(self, f.name, value)

    def measure(self):
        """Volume (m^3), or area (m^2) of a thin shell: mass is density times this."""
        raise NotImplementedError(type(self).__name__)

    def centroid(self):
        """(3,) m in the shape's frame."""
        return np.zeros(3)

    def moments(self, mass):
        """Principal moments (3,) kg m^2 of a mass (kg) about the centroid, in the order of the shape's axes."""
        raise NotImplementedError(type(self).__name__)


def size(key, value):
    """A length (m) that a shape may have, or EngineError."""
    return number(key, value, MIN_SIZE, MAX_SIZE)


def triple(key, value):
    """Three floats, or EngineError."""
    return tuple(array(key, value, (3,)).tolist())


def sizes(key, value):
    """Three lengths (m) that a shape may have, or EngineError."""
    return tuple(size(f'{key}[{i}]', x) for i, x in enumerate(triple(key, value)))


def wall(name, thickness, most):
    """The thickness (m) of a shell's wall, or EngineError."""
    thickness = number(f'{name}.thickness', thickness, 0.0)
    if thickness > most:
        raise EngineError(f'{name}.thickness: must be at most {most:g} m, where the shell is solid, got {thickness!r}')
    return thickness


def rim(radius, z):
    """Points (AROUND, 3) m of an outline on a circle about the z axis."""
    angle = 2.0 * np.pi * np.arange(AROUND) / AROUND
    return np.column_stack([radius * cos(angle), radius * sin(angle), np.full(AROUND, z)])


def unit_ball():
    """Points (n, 3) of the unit sphere; an odd number of rings and two poles."""
    rings = [rim(cos(s), sin(s)) for s in np.pi * (np.arange(1, RINGS) / RINGS - 0.5)]
    return np.concatenate([*rings, [(0.0, 0.0, -1.0), (0.0, 0.0, 1.0)]])
