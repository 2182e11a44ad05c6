# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Boxes, solid and hollow."""
import math
from dataclasses import dataclass
from itertools import product

import numpy as np

from ..maths.matrices import dots, length
from .kinds import BOX
from .shape import ORIGIN, Primitive, sizes, wall


class _Block(Primitive):
    """What both have in common."""

    def bounding_radius(self):
        return 0.5 * length(self.size)

    def core(self):
        return BOX, tuple(0.5 * s for s in self.size), ORIGIN

    def half_sides(self):
        return tuple(0.5 * s for s in self.size)

    def reach(self, d):
        return float(dots(0.5 * np.abs(d), np.array(self.size)))

    def holds(self, p, margin=0.0):
        return bool((2.0 * np.abs(p) < self.size).all())

    def outline(self):
        return 0.5 * np.array(self.size) * np.array(list(product((-1, 1), repeat=3)))


@dataclass(frozen=True)
class Box(_Block):
    """size: full sides (x, y, z) in m."""

    size: tuple
    word = drawn_as = 'box'

    def measure(self):
        return math.prod(self.size)

    def moments(self, mass):
        x, y, z = self.size
        return mass / 12.0 * np.array([y * y + z * z, z * z + x * x, x * x + y * y])


@dataclass(frozen=True)
class BoxShell(_Block):
    """A closed box; size: full outer sides (x, y, z) in m; thickness (m) of all six walls, 0 for thin ones, whose
    density is in kg/m^2."""

    size: tuple
    thickness: float = 0.0

    def __post_init__(self):
        object.__setattr__(self, 'size', sizes('BoxShell.size', self.size))
        object.__setattr__(self, 'thickness', wall('BoxShell', self.thickness, 0.5 * min(self.size)))

    @property
    def thin(self):
        return self.thickness == 0.0

    def _sides(self):
        """Outer and inner sides (m)."""
        return self.size, [s - 2.0 * self.thickness for s in self.size]

    def _volume_per_wall(self):
        """(volume outside - volume inside) / (2 thickness), m^2, as a sum of positive terms."""
        (x, y, z), (u, v, _) = self._sides()
        return y * z + u * z + u * v

    def measure(self):
        return 2.0 * self._volume_per_wall() * (self.thickness or 1.0)

    def moments(self, mass):
        """Integrals of x^2, y^2, z^2 outside minus inside, divided by 2 thickness as the volume is: all terms
        positive."""
        outer, inner = self._sides()
        squares = np.empty(3)
        for i in range(3):
            x, y, z = (outer[(i + k) % 3] for k in range(3))
            u, v, _ = (inner[(i + k) % 3] for k in range(3))
            squares[i] = (x * x + x * u + u * u) * y * z + u * u * u * (z + v)
        squares *= mass / (12.0 * self._volume_per_wall())
        return np.array([squares[1] + squares[2], squares[2] + squares[0], squares[0] + squares[1]])
