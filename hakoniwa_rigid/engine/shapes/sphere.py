# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Spheres, solid and hollow."""
import math
from dataclasses import dataclass

import numpy as np

from ..maths.matrices import length
from .kinds import SPHERE
from .shape import ORIGIN, Primitive, size, unit_ball, wall


class _Ball(Primitive):
    """What both have in common."""

    def bounding_radius(self):
        return self.radius

    def core(self):
        return SPHERE, (self.radius, 0.0, 0.0), ORIGIN

    def holds(self, p, margin=0.0):
        return bool(length(p) < self.radius)

    def outline(self):
        return self.radius * unit_ball()


@dataclass(frozen=True)
class Sphere(_Ball):
    """radius (m)."""

    radius: float
    word = drawn_as = 'sphere'

    def measure(self):
        return 4.0 / 3.0 * math.pi * (self.radius * self.radius * self.radius)

    def moments(self, mass):
        return np.full(3, 0.4 * mass * (self.radius * self.radius))


@dataclass(frozen=True)
class HollowSphere(_Ball):
    """radius (m), the outer one; thickness (m) of the wall, 0 for a thin shell, whose density is in kg/m^2."""

    radius: float
    thickness: float = 0.0

    def __post_init__(self):
        object.__setattr__(self, 'radius', size('HollowSphere.radius', self.radius))
        object.__setattr__(self, 'thickness', wall('HollowSphere', self.thickness, self.radius))

    @property
    def thin(self):
        return self.thickness == 0.0

    def measure(self):
        R, r = self.radius, self.radius - self.thickness
        return 4.0 / 3.0 * math.pi * (R * R + R * r + r * r) * (self.thickness or 1.0)

    def moments(self, mass):
        """2/5 M (R^5 - r^5) / (R^3 - r^3), both divided by R - r: thin walls lose no digits, none at all is the
        limit."""
        R, r = self.radius, self.radius - self.thickness
        fifth = R * R * (R * R) + R * R * R * r + R * R * r * r + R * (r * r * r) + r * r * (r * r)
        return np.full(3, 0.4 * mass * fifth / (R * R + R * r + r * r))
