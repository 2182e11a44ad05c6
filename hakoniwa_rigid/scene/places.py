# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Places of a scene that bodies come to and leave: of drones, walls, objects and hands.

A scene has as many places as its world file has bodies, and those of `spare:`.  So everything is as large from the
start as it will ever be, rows and bodies keep their numbers, and what comes or goes costs no more than itself.  A free
place holds a small sphere far away that is disabled; its row among the drones has the name ''.  One of a hand holds
the bodies of a hand, disabled, since most hands that come are of the same matter.
"""
from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ..engine import Sphere
from .bodies import DRONE, HAND, OBJECT, WALL
from .free_names import FREE
from .world_files.world_types import (
    Body,
    DroneConfig,
    DroneModel,
    HandConfig,
    MaterialConfig,
    ObjectConfig,
    Pose,
    WallConfig,
    WorldConfig,
)

__all__ = ['GROUPS', 'KINDS', 'Body', 'Place', 'free_config', 'with_places']

# words of calls, kinds of bodies, and the lists of a WorldConfig
KINDS = {'drone': DRONE, 'wall': WALL, 'object': OBJECT, 'hand': HAND}
GROUPS = {'drone': 'drones', 'wall': 'walls', 'object': 'objects', 'hand': 'hands'}
# m: below everything, each by itself
FAR, APART = -4e5, 1.0
_BALL = Sphere(0.1)


class Place(NamedTuple):
    """A place: 'drone', 'wall', 'object' or 'hand'; its number among those; the engine's body, of a hand the first."""

    kind: str
    number: int
    body: int


def free_config(kind: str, number: int, material: MaterialConfig) -> Body:
    """What a free place holds; material: that of what says none."""
    name = f'{FREE}{kind} {number}'
    if kind == 'hand':
        return HandConfig(name, material=material)
    pose = Pose((APART * number, APART * KINDS[kind], FAR))
    if kind == 'drone':
        return DroneConfig(name, DroneModel('free', 1.0, (0.004, 0.004, 0.004), _BALL), pose)
    return WallConfig(name, _BALL, pose) if kind == 'wall' else ObjectConfig(name, _BALL, 1.0, pose=pose)


def with_places(config: WorldConfig) -> WorldConfig:
    """The world with what its spare places hold."""
    changes = {}
    for kind, group in GROUPS.items():
        there = getattr(config, group)
        count = len(there) + getattr(config.spare, group)
        changes[group] = (*there, *(free_config(kind, k, config.default_material) for k in range(len(there), count)))
    return replace(config, **changes)
