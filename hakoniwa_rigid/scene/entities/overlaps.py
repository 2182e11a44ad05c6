# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Which entities overlap a ball or a box in the world: exact, by the engine's distances in a world of its own.

That world has the shapes of all entities and what they are compared with.  It is made when it is asked for first, which
takes as long as making the scene's: nothing of it is there where no bounds are ever asked for.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ... import rotations as rot
from ...codec.motion_columns import MOTION, POS, QUAT, VEL
from ...engine import Box, Capsule, EngineError, WorldBuilder
from ..collision_scene import CollisionScene
from ..drones.rows import MOST_COORDINATE
from ..errors import EntityError
from ..records import HandBones
from ..world_files.world_types import DroneConfig, ObjectConfig, WallConfig
from .bounds import SPHERE, Bounds

__all__ = ['Overlaps']

Item = DroneConfig | ObjectConfig | WallConfig
# places in the world: what is compared with, and the bones and the box of a hand
BALL, BLOCK, BONE, PALM, FIRST = range(5)
SIDES = (1.0, 1.0, 1.0)
ASIDE = {'kind': 'kinematic'}


class Overlaps:
    """Of one scene."""

    def __init__(self, scene: CollisionScene) -> None:
        self._scene = scene
        self._config = self._world = None
        self._index: dict[str, int] = {}

    def select(self, names: Sequence[str], items: Mapping[str, Item], bounds: Bounds) -> tuple[str, ...]:
        """Those of the names that overlap or touch bounds, a BOX or a SPHERE in the world; hands are not among the
        items.  EntityError where the bounds are none."""
        self._make(items)
        probe, centre, radius = self._put(bounds)
        return tuple(name for name in names if self._meets(name, items.get(name), probe, centre, radius))

    def _make(self, items: Mapping[str, Item]) -> None:
        """The world, where the scene's is another than it was."""
        if self._scene.config is self._config:
            return
        builder = WorldBuilder(gravity=(0.0, 0.0, 0.0))
        for shape in (Capsule(1.0, 0.0), Box(SIDES), Capsule(1.0, 0.0), Box(SIDES)):
            builder.add_body(shape, **ASIDE)
        self._index = {}
        for name, item in items.items():
            shape = item.model.shape if isinstance(item, DroneConfig) else item.shape
            place = {'kind': 'static', 'pos': item.pose.position, 'quat': item.pose.quat}
            self._index[name] = builder.add_body(shape, **place if isinstance(item, WallConfig) else ASIDE)
        self._world, self._config = builder.build(), self._scene.config

    def _put(self, bounds: Bounds) -> tuple[int, np.ndarray, float]:
        """What is compared with, where the bounds are: its place, its middle (3,) m and how far it reaches, m."""
        points = bounds.points
        if len(points) != 2 or not (np.abs(points) <= MOST_COORDINATE).all():
            raise EntityError(f'bounds: must have two points, finite and within {MOST_COORDINATE:g} m, '
                              f'got {points.tolist()}')
        try:
            if bounds.kind == SPHERE:
                centre, radius = points[0], float(points[1, 0])
                self._world.set_capsule(BALL, radius, 0.0)
                return self._place(BALL, centre), centre, radius
            centre, sides = 0.5 * (points[0] + points[1]), np.abs(points[0] - points[1])
            self._world.set_box(BLOCK, tuple(sides.tolist()))
        except EngineError as error:
            raise EntityError(f'bounds: must have a volume: {error}') from None
        return self._place(BLOCK, centre), centre, float(0.5 * rot.norm(sides))

    def _place(self, body: int, position, orientation_xyzw=(0.0, 0.0, 0.0, 1.0)) -> int:
        motion = np.zeros((1, MOTION))
        motion[0, POS:QUAT] = position
        motion[0, QUAT:VEL] = rot.wxyz(np.asarray(orientation_xyzw, dtype=float))
        self._world.set_motions(np.array([body]), motion)
        return body

    def _meets(self, name: str, item: Item | None, probe: int, centre: np.ndarray, radius: float) -> bool:
        if item is None:
            return self._meets_hand(self._scene.hand_bones(name), probe, centre, radius)
        body = self._index[name]
        if isinstance(item, WallConfig):
            return self._world.overlap(probe, body)
        shape, motion = item.model.shape if isinstance(item, DroneConfig) else item.shape, self._scene.motion_of(name)
        if rot.norm(motion.position - centre) > radius + shape.bounding_radius():
            return False
        return self._world.overlap(probe, self._place(body, motion.position, motion.orientation_xyzw))

    def _meets_hand(self, bones: HandBones, probe: int, centre: np.ndarray, radius: float) -> bool:
        for k in np.flatnonzero(bones.enabled):
            if rot.norm(bones.positions[k] - centre) > radius + bones.radii[k] + 0.5 * bones.lengths[k]:
                continue
            self._world.set_capsule(BONE, float(bones.radii[k]), float(bones.lengths[k]))
            if self._world.overlap(probe, self._place(BONE, bones.positions[k], bones.orientations_xyzw[k])):
                return True
        if bones.box is None:
            return False
        self._world.set_box(PALM, tuple(bones.box.size.tolist()))
        return self._world.overlap(probe, self._place(PALM, bones.box.position, bones.box.orientation_xyzw))
