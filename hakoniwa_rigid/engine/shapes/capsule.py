# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The capsule: all points within a radius of a segment along z."""
import math
from dataclasses import dataclass

import numpy as np

from ..maths.matrices import length
from .kinds import CAPSULE
from .shape import ORIGIN, Primitive, unit_ball


@dataclass(frozen=True)
class Capsule(Primitive):
    """radius (m); length (m) between the centres of the caps, may be 0; axis z."""

    radius: float
    length: float
    word = drawn_as = 'capsule'
    may_be_zero = ('length',)

    def bounding_radius(self):
        return self.radius + 0.5 * self.length

    def core(self):
        return CAPSULE, (self.radius, 0.5 * self.length, 0.0), ORIGIN

    def half_sides(self):
        return self.radius, self.radius, 0.5 * self.length + self.radius

    def reach(self, d):
        return self.radius + 0.5 * self.length * abs(float(d[2]))

    def holds(self, p, margin=0.0):
        return bool(length((p[0], p[1], max(0.0, abs(p[2]) - 0.5 * self.length))) < self.radius)

    def outline(self):
        ball, half = self.radius * unit_ball(), (0.0, 0.0, 0.5 * self.length)
        return np.concatenate([ball[ball[:, 2] >= -1e-12] + half, ball[ball[:, 2] <= 1e-12] - half])

    def measure(self):
        return math.pi * self.radius * self.radius * (self.length + 4.0 / 3.0 * self.radius)

    def moments(self, mass):
        """Cylinder of the given length and two half spheres at its ends, by volume."""
        r, length = self.radius, self.length
        cylinder, caps = math.pi * r * r * length, 4.0 / 3.0 * math.pi * (r * r * r)
        mc, ms = mass * cylinder / (cylinder + caps), mass * caps / (cylinder + caps)
        across = (mc * (3.0 * r * r + length * length) / 12.0
                  + ms * (0.4 * r * r + 0.25 * length * length + 0.375 * length * r))
        return np.array([across, across, 0.5 * mc * r * r + 0.4 * ms * r * r])
