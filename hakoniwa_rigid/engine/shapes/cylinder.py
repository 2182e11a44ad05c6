# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The cylinder."""
import math
from dataclasses import dataclass

import numpy as np

from ..maths.matrices import length
from .kinds import CYLINDER
from .shape import ORIGIN, Primitive, rim


@dataclass(frozen=True)
class Cylinder(Primitive):
    """radius (m); height (m) along z, from -height / 2 to height / 2."""

    radius: float
    height: float
    word = drawn_as = 'cylinder'

    def bounding_radius(self):
        return length((self.radius, 0.5 * self.height))

    def core(self):
        return CYLINDER, (self.radius, 0.5 * self.height, 0.0), ORIGIN

    def half_sides(self):
        return self.radius, self.radius, 0.5 * self.height

    def reach(self, d):
        return self.radius * length(d[:2]) + 0.5 * self.height * abs(float(d[2]))

    def holds(self, p, margin=0.0):
        return bool(length(p[:2]) < self.radius and 2.0 * abs(p[2]) < self.height)

    def outline(self):
        half = 0.5 * self.height
        return np.concatenate([rim(self.radius, -half), rim(self.radius, half)])

    def measure(self):
        return math.pi * self.radius * self.radius * self.height

    def moments(self, mass):
        """In place of the cone garbled in the notes on polyhedra (docs/mass_properties.md)."""
        r, h = self.radius, self.height
        across = mass * (3.0 * r * r + h * h) / 12.0
        return np.array([across, across, 0.5 * mass * r * r])
