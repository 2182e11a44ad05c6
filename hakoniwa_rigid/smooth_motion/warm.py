# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Compile (or load from the cache) every kernel before a clock is running."""
from ..engine.shapes import Sphere
from .floors import PlaneFloor
from .motion import SurfaceMotion


def warmup():
    """One step of a ball on a floor."""
    SurfaceMotion.resting(PlaneFloor(), Sphere(1.0), mass=1.0).step(1)
