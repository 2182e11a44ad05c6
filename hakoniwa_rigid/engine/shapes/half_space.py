# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The half-space: a plane, solid below."""
import math
from dataclasses import dataclass

import numpy as np

from ..checks import number
from ..constants import MAX_COORDINATE, ROUNDING
from ..errors import EngineError
from ..maths.matrices import dots, length
from .kinds import HALFSPACE, UNBOUNDED
from .shape import Shape, triple

# a normal that is given shorter than this has no direction
LEAST_NORMAL = 1e-9


@dataclass(frozen=True)
class HalfSpace(Shape):
    """Solid where normal . x <= offset, in the body's frame; static.

    normal is made unit length; offset (m) scales with it.
    """

    normal: tuple = (0.0, 0.0, 1.0)
    offset: float = 0.0
    bounded = False
    static = True
    word = drawn_as = 'plane'

    def __post_init__(self):
        n = triple('HalfSpace.normal', self.normal)
        size = length(n)
        if not size > LEAST_NORMAL:
            raise EngineError(f'HalfSpace.normal: must not be zero, got {n}')
        d = number('HalfSpace.offset', self.offset, -MAX_COORDINATE, MAX_COORDINATE)
        # unit to rounding stays as it is: making a half-space of its own values changes none of them
        if abs(size - 1.0) > ROUNDING:
            n, d = tuple(x / size for x in n), d / size
        object.__setattr__(self, 'normal', n)
        object.__setattr__(self, 'offset', d)

    def bounding_radius(self):
        return math.inf

    def core(self):
        return HALFSPACE, self.normal, tuple(self.offset * n for n in self.normal)

    def extent(self):
        return UNBOUNDED

    def holds(self, p, margin=0.0):
        return bool(dots(p, np.array(self.normal)) < self.offset - margin)
