# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bodies put together from others."""
from dataclasses import dataclass

import numpy as np

from ..checks import array, number, unit_quaternion
from ..constants import MAX_COORDINATE, ROUNDING
from ..errors import EngineError, MassError
from ..maths.matrices import length
from .shape import Shape


@dataclass(frozen=True)
class Part:
    """A shape at pos (3,) m, quat (4,) wxyz in the compound's frame.

    density kg/m^3 or mass kg of its own, or neither: then the compound's density counts.  Negative ones are holes.
    hole=True subtracts the part, with its own density or mass if it has one, else with the compound's.
    name: for people; nothing is computed from it.
    """

    shape: Shape
    pos: tuple = (0.0, 0.0, 0.0)
    quat: tuple = (1.0, 0.0, 0.0, 0.0)
    density: float | None = None
    mass: float | None = None
    hole: bool = False
    name: str = ''

    def __post_init__(self):
        if not isinstance(self.shape, Shape) or not self.shape.bounded:
            raise EngineError(f'Part.shape: must be a bounded shape, got {self.shape!r}')
        object.__setattr__(self, 'pos', tuple(array('Part.pos', self.pos, (3,), limit=MAX_COORDINATE).tolist()))
        object.__setattr__(self, 'quat', _kept(self.quat, unit_quaternion('Part.quat', self.quat)))
        object.__setattr__(self, 'hole', bool(self.hole))
        if self.density is not None and self.mass is not None:
            raise MassError(f'Part: give density or mass, not both, got {self.density!r} and {self.mass!r}')
        for name in ('density', 'mass'):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, self._amount(name, getattr(self, name)))

    def _amount(self, name, value):
        try:
            x = number(f'Part.{name}', value)
        except EngineError as error:
            raise MassError(str(error)) from None
        if x == 0.0:
            raise MassError(f'Part.{name}: must not be 0; leave the part out')
        if x < 0.0 and self.hole:
            raise MassError(f'Part.{name}: must be > 0 where hole=True says that it is subtracted, got {value!r}')
        return x


@dataclass(frozen=True)
class Compound(Shape):
    """Parts, or tuples (shape, pos, quat), (shape, pos), (shape,) of them, or bare shapes; compounds may be parts.

    Parts that overlap count twice; cut the overlap out with a hole.
    """

    parts: tuple
    word = 'compound'

    def __post_init__(self):
        if isinstance(self.parts, (Part, Shape)) or not np.iterable(self.parts):
            raise EngineError(f'Compound.parts: must be a sequence of parts, got {self.parts!r}')
        parts = tuple(_part(i, part) for i, part in enumerate(self.parts))
        if not parts:
            raise EngineError('Compound.parts: must not be empty')
        object.__setattr__(self, 'parts', parts)

    def bounding_radius(self):
        return max(length(part.pos) + part.shape.bounding_radius() for part in self.parts)


def _kept(given, unit):
    """(4,) floats: what was given where it is of unit length to rounding, so that making a part of a part's own values
    changes none of them."""
    given, unit = tuple(float(x) for x in given), tuple(unit.tolist())
    return given if max(abs(a - b) for a, b in zip(given, unit, strict=True)) <= ROUNDING else unit


def _part(i, value):
    try:
        if isinstance(value, Part):
            return value
        if isinstance(value, Shape):
            return Part(value)
        if isinstance(value, (tuple, list)) and 1 <= len(value) <= 3:
            return Part(*value)
    except EngineError as error:
        raise type(error)(f'Compound.parts[{i}]: {error}') from None
    raise EngineError(f'Compound.parts[{i}]: must be a Part, (shape, pos, quat) or (shape, pos), got {value!r}')
