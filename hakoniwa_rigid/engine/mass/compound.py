# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bodies of compounds: parts with their own densities or masses, holes, compounds in compounds."""
import math

from ..constants import ROUNDING
from ..errors import MassError
from ..shapes import Compound, Primitive
from .body import placed, scaled
from .uniform import uniform_body


def bodies_of(key, shape, density=None, mass=None):
    """Bodies (with signed masses) of the shape or, of a compound, of all that it is made of, in the shape's frame.

    density counts where a part has neither density nor mass of its own.  mass scales the whole: the parts' densities
    and masses then count relative to each other, and as equal if no part has any.  MassError names the part that has
    none of them.
    """
    if mass is not None and isinstance(shape, Compound):
        bodies = bodies_of(key, shape, density=None if _has_own(shape) else 1.0)
        factor = mass / total_mass(key, bodies)
        return [scaled(body, factor) for body in bodies]
    if isinstance(shape, Compound):
        if density is not None:
            _check_units(key, shape)
        return [body for i, part in enumerate(shape.parts) for body in _part(f'{key}.parts[{i}]', part, density)]
    if density is None and mass is None:
        raise MassError(f'{key}: needs a density or a mass: its own, or one for all parts that have none')
    return [uniform_body(shape, density, mass)]


def total_mass(key, bodies):
    """Sum of the masses, kg; MassError if the holes leave nothing, or if it is beyond all numbers."""
    total, size = math.fsum(b.mass for b in bodies), math.fsum(abs(b.mass) for b in bodies)
    if not ROUNDING * size < total < math.inf:
        raise MassError(f'{key}: the mass must add up to more than 0 and be finite, got {total:g} kg')
    return total


def _part(key, part, density):
    """Bodies of a part in the frame of its compound."""
    if part.density is not None:
        density = part.density
    sign = -1.0 if part.hole else 1.0
    return [placed(scaled(body, sign), part.pos, part.quat)
            for body in bodies_of(key, part.shape, density, part.mass)]


def _has_own(compound):
    """Whether any part, or part of a part, has a density or mass of its own."""
    return any(part.density is not None or part.mass is not None
               or isinstance(part.shape, Compound) and _has_own(part.shape) for part in compound.parts)


def _sharing(compound):
    """The shapes that take the compound's density."""
    for part in compound.parts:
        if part.density is None and part.mass is None:
            yield from _sharing(part.shape) if isinstance(part.shape, Compound) else [part.shape]


def _check_units(key, compound):
    """One density cannot be meant per area and per volume."""
    shapes = list(_sharing(compound))
    thin = [shape for shape in shapes if isinstance(shape, Primitive) and shape.thin]
    if thin and len(thin) < len(shapes):
        raise MassError(f'{key}: one density cannot be kg/m^2 for a thin {type(thin[0]).__name__} and kg/m^3 for other '
                        'parts; give the thin shells a density or mass of their own')
