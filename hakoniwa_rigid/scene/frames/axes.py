# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Axes of simulators in those of ROS (REP 103: world east-north-up, body forward-left-up), on plain floats.

`ned`: world north-east-down, body forward-right-down.  `rfu`: world ENU, body x right, y forward, z up.  Quaternions
x, y, z, w rotate the body into the world.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from ...rotations import Four, Three

__all__ = ['AXES', 'Axes']

HALF = math.sqrt(0.5)


class Axes(NamedTuple):
    """What takes vectors of the world, vectors of the body, and orientations to ROS."""

    world: Callable[[Three], Three]
    body: Callable[[Three], Three]
    orientation: Callable[[Four], Four]

    def pose(self, numbers: tuple[float, ...]) -> tuple[float, ...]:
        """Position and orientation."""
        return (*self.world(numbers[:3]), *self.orientation(numbers[3:7]))


def _ned(v: Three) -> Three:
    return v[1], v[0], -v[2]


def _frd(v: Three) -> Three:
    return v[0], -v[1], -v[2]


def _ned_frd(q: Four) -> Four:
    """A turn by pi about (1, 1, 0) from NED to ENU, q, and one by pi about x from FLU to FRD."""
    x, y, z, w = q
    return HALF * (x + y), HALF * (x - y), HALF * (w - z), HALF * (w + z)


def _rfu(v: Three) -> Three:
    return v[1], -v[0], v[2]


def _enu_rfu(q: Four) -> Four:
    """q, and a turn by pi / 2 about z from FLU to RFU."""
    x, y, z, w = q
    return HALF * (x + y), HALF * (y - x), HALF * (w + z), HALF * (w - z)


AXES = {'ros': None, 'ned': Axes(_ned, _frd, _ned_frd), 'rfu': Axes(lambda v: v, _rfu, _enu_rfu)}
