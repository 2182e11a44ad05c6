# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Compile (or load from the cache) every kernel before a clock is running."""
from .maths import pointwise
from .shapes import Box, HalfSpace
from .world.builder import WorldBuilder


def warmup():
    """One step of a tiny world; the first time on a machine this compiles for minutes."""
    pointwise.warm_up()
    b = WorldBuilder()
    b.add_body(HalfSpace(), kind='static')
    b.add_body(Box((1.0, 1.0, 1.0)), mass=1.0, pos=(0.0, 0.0, 0.5))
    w = b.build()
    w.step(1)
    w.pos   # noqa: B018 -- compiles what reads it
