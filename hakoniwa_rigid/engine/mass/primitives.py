"""Inertia about the centre of mass of uniform shapes (physics.md section 1, seed 000 with its slips corrected)."""
import math

import numpy as np

from ..errors import EngineError
from ..shapes.definitions import Box, Capsule, Sphere


def _box(shape, mass):
    x, y, z = shape.size
    return mass / 12.0 * np.array([y * y + z * z, z * z + x * x, x * x + y * y])


def _sphere(shape, mass):
    return np.full(3, 0.4 * mass * shape.radius ** 2)


def _capsule(shape, mass):
    """Cylinder of the given length and two half spheres at its ends, by volume."""
    r, length = shape.radius, shape.length
    cylinder, caps = math.pi * r * r * length, 4.0 / 3.0 * math.pi * r ** 3
    mc, ms = mass * cylinder / (cylinder + caps), mass * caps / (cylinder + caps)
    across = (mc * (3.0 * r * r + length * length) / 12.0
              + ms * (0.4 * r * r + 0.25 * length * length + 0.375 * length * r))
    return np.array([across, across, 0.5 * mc * r * r + 0.4 * ms * r * r])


_FORMULAS = {Box: _box, Sphere: _sphere, Capsule: _capsule}


def uniform_inertia(shape, mass):
    """Principal moments (3,) kg m^2 about the centroid of a uniform shape of `mass` kg, in the shape's frame."""
    formula = _FORMULAS.get(type(shape))
    if formula is None:
        raise EngineError(f'inertia: must be given for a {type(shape).__name__}')
    return formula(shape, mass)
