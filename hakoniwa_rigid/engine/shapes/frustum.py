# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The frustum: a cone without its point."""
import math
from dataclasses import dataclass

import numpy as np

from ..maths.matrices import length
from .kinds import FRUSTUM
from .shape import ORIGIN, Primitive, rim


@dataclass(frozen=True)
class Frustum(Primitive):
    """radius (m) of the base at z = -height / 2; top_radius (m) of the upper face at z = height / 2, either the larger.

    A Cylinder where they are equal.  The centroid is not in the middle of the height, but nearer the larger face.
    """

    radius: float
    top_radius: float
    height: float
    word = 'frustum'
    instead_of_zero = {'radius': 'a Cone upside down', 'top_radius': 'a Cone'}

    def bounding_radius(self):
        return length((max(self.radius, self.top_radius), 0.5 * self.height))

    def core(self):
        return FRUSTUM, (self.radius, 0.5 * self.height, self.top_radius), ORIGIN

    def half_sides(self):
        wide = max(self.radius, self.top_radius)
        return wide, wide, 0.5 * self.height

    def reach(self, d):
        across, up = length(d[:2]), 0.5 * self.height * float(d[2])
        return max(self.top_radius * across + up, self.radius * across - up)

    def holds(self, p, margin=0.0):
        share = p[2] / self.height
        inside = length(p[:2]) < self.radius * (0.5 - share) + self.top_radius * (0.5 + share)
        return bool(abs(2.0 * p[2]) < self.height and inside)

    def outline(self):
        half = 0.5 * self.height
        return np.concatenate([rim(self.radius, -half), rim(self.top_radius, half)])

    def measure(self):
        r, t = self.radius, self.top_radius
        return math.pi / 3.0 * self.height * (r * r + r * t + t * t)

    def centroid(self):
        r, t = self.radius, self.top_radius
        return np.array([0.0, 0.0, 0.25 * self.height * (t - r) * (t + r) / (r * r + r * t + t * t)])

    def moments(self, mass):
        """Discs from face to face; all terms positive, so that no digits are lost where the radii are equal."""
        r, t, h = self.radius, self.top_radius, self.height
        squares, both = r * r + r * t + t * t, (r + t) * (r + t)
        fourth = r * r * (r * r) + r * r * r * t + r * r * t * t + r * (t * t * t) + t * t * (t * t)
        along = 0.3 * mass * fourth / squares
        spread = 3.0 / 80.0 * mass * h * h * (both * both + 4.0 * r * r * t * t) / (squares * squares)
        return np.array([0.5 * along + spread, 0.5 * along + spread, along])
