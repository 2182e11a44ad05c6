# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Which inputs a scene has and how they are read: values of the parameters, read once."""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ...rotations import Rigid
from ..world_files.world_types import WorldConfig

__all__ = ['Settings', 'Values', 'topic_token']

Values = dict[str, Any]


@dataclass(frozen=True)
class Settings:
    """Values of the parameters: the node's own, and those of each served drone and hand by name; the world to run; the
    poses in it of the frames that stand still."""

    node: Values
    drones: dict[str, Values]
    hands: dict[str, Values]
    world: WorldConfig
    fixed_frames: dict[str, Rigid]


def topic_token(name: str) -> str:
    """A drone's or hand's name as a legal ROS topic token: `Drone-1` becomes `Drone_1`."""
    token = re.sub(r'[^A-Za-z0-9_/]', '_', name)
    return f'_{token}' if token[:1].isdigit() else token
