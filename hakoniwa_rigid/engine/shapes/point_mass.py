# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The point mass."""
from dataclasses import dataclass

from .shape import Shape


@dataclass(frozen=True)
class PointMass(Shape):
    """A point at the origin: mass and no volume, so it is given by mass=, never by density=."""

    def bounding_radius(self):
        return 0.0
