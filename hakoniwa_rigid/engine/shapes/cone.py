# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The cone."""
import math
from dataclasses import dataclass

import numpy as np

from ..maths.matrices import length
from .kinds import CONE
from .shape import ORIGIN, Primitive, rim


@dataclass(frozen=True)
class Cone(Primitive):
    """radius (m) of the base at z = -height / 2; apex at z = height / 2, so the centroid is at z = -height / 4."""

    radius: float
    height: float
    word = drawn_as = 'cone'

    def bounding_radius(self):
        return length((self.radius, 0.5 * self.height))

    def core(self):
        return CONE, (self.radius, 0.5 * self.height, 0.0), ORIGIN

    def half_sides(self):
        return self.radius, self.radius, 0.5 * self.height

    def reach(self, d):
        up = 0.5 * self.height * float(d[2])
        return max(up, self.radius * length(d[:2]) - up)

    def holds(self, p, margin=0.0):
        inside = length(p[:2]) < self.radius * (0.5 - p[2] / self.height)
        return bool(abs(2.0 * p[2]) < self.height and inside)

    def outline(self):
        half = 0.5 * self.height
        return np.concatenate([rim(self.radius, -half), [(0.0, 0.0, half)]])

    def measure(self):
        return math.pi / 3.0 * self.radius * self.radius * self.height

    def centroid(self):
        return np.array([0.0, 0.0, -0.25 * self.height])

    def moments(self, mass):
        r, h = self.radius, self.height
        across = 3.0 / 80.0 * mass * (4.0 * r * r + h * h)
        return np.array([across, across, 0.3 * mass * r * r])
