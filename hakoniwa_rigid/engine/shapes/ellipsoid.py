# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The ellipsoid, and its relatives with rounder or squarer edges."""
import math
from dataclasses import dataclass

import numpy as np

from ..checks import array, number
from ..maths.matrices import length
from ..maths.pointwise import exp, power
from .kinds import ELLIPSOID
from .shape import ORIGIN, Primitive, sizes, unit_ball

# from here on five terms of Stirling's series give all digits
LARGE = 16.0


@dataclass(frozen=True)
class Ellipsoid(Primitive):
    """semi_axes: (a, b, c) in m along x, y, z."""

    semi_axes: tuple
    word = drawn_as = 'ellipsoid'

    def bounding_radius(self):
        return max(self.semi_axes)

    def core(self):
        return ELLIPSOID, self.semi_axes, ORIGIN

    def half_sides(self):
        return self.semi_axes

    def reach(self, d):
        return length([x * a for x, a in zip(d, self.semi_axes, strict=True)])

    def holds(self, p, margin=0.0):
        return bool(length(p / np.array(self.semi_axes)) < 1.0)

    def outline(self):
        return np.array(self.semi_axes) * unit_ball()

    def measure(self):
        return 4.0 / 3.0 * math.pi * math.prod(self.semi_axes)

    def moments(self, mass):
        """Not the 2/5 M (bc, ca, ab) of the notes on polyhedra (docs/mass_properties.md)."""
        a, b, c = self.semi_axes
        return mass / 5.0 * np.array([b * b + c * c, c * c + a * a, a * a + b * b])


@dataclass(frozen=True)
class Superquadric(Primitive):
    """(|x/a|^(2/e2) + |y/b|^(2/e2))^(e2/e1) + |z/c|^(2/e1) <= 1; semi_axes (a, b, c) m, exponents (e1, e2) in (0, 1].

    (1, 1) is an ellipsoid; smaller exponents are boxes with round edges, flat where an axis leaves them.  It has mass
    and slides and rolls on a floor (SurfaceMotion); a World has no contacts for it.
    """

    semi_axes: tuple
    exponents: tuple = (1.0, 1.0)

    def __post_init__(self):
        object.__setattr__(self, 'semi_axes', sizes('Superquadric.semi_axes', self.semi_axes))
        e = array('Superquadric.exponents', self.exponents, (2,)).tolist()
        for i, x in enumerate(e):
            number(f'Superquadric.exponents[{i}]', x, 0.05, 1.0)
        object.__setattr__(self, 'exponents', tuple(e))

    def bounding_radius(self):
        return length(self.semi_axes)

    def measure(self):
        e1, e2 = self.exponents
        return 2.0 * math.prod(self.semi_axes) * e1 * e2 * _beta(0.5 * e1 + 1.0, e1) * _beta(0.5 * e2, 0.5 * e2)

    def moments(self, mass):
        """Integrals of x^2 and z^2 over the unit shape by Beta functions (Jaklic, Leonardis, Solina, Segmentation and
        Recovery of Superquadrics, section 2.4)."""
        (a, b, c), (e1, e2) = self.semi_axes, self.exponents
        share = mass * math.prod(self.semi_axes) * e1 * e2 / self.measure()
        flat = 0.5 * share * _beta(1.5 * e2, 0.5 * e2) * _beta(0.5 * e1, 2.0 * e1 + 1.0)
        high = 2.0 * share * _beta(0.5 * e2, 0.5 * e2 + 1.0) * _beta(1.5 * e1, e1 + 1.0)
        return np.array([flat * b * b + high * c * c, high * c * c + flat * a * a, flat * (a * a + b * b)])


def _beta(x, y):
    return _gamma(x) * _gamma(y) / _gamma(x + y)


def _gamma(x):
    """Euler's function of 0 < x by Stirling's series, which is exact to rounding from LARGE on (DLMF 5.11.3)."""
    below = 1.0
    while x < LARGE:
        below, x = below * x, x + 1.0
    s = 1.0 / (x * x)
    series = (1.0 / 12.0 - s * (1.0 / 360.0 - s * (1.0 / 1260.0 - s * (1.0 / 1680.0 - s / 1188.0)))) / x
    return math.sqrt(2.0 * math.pi) * power(x, x - 0.5) * exp(series - x) / below
