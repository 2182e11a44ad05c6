# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Where bodies are by name, and putting those elsewhere whose motion is the engine's.  A part of CollisionScene."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import rotations as rot
from ..codec.motion_columns import MOTION, OMEGA, POS, QUAT, VEL
from .arguments import Vector, as_row
from .bodies import BodyTable
from .drones.authority import SIMULATE
from .drones.drones import Fleet
from .drones.rows import MOST_COORDINATE, UNIT_TOLERANCE
from .errors import EntityError, PoseError, UnknownEntityError
from .hands.hand_set import HandSet
from .records import HandBones
from .world_files.constraint_file import MOST_NAME
from .world_files.world_types import SceneParams, WorldConfig

__all__ = ['EntityMotion', 'StateSettingScene', 'check_pose']


class EntityMotion(NamedTuple):
    """Motion of an entity's frame, in the world: position (3,) m, orientation (4,) xyzw, velocity (3,) m/s of the
    frame's origin, angular velocity (3,) rad/s."""

    position: np.ndarray
    orientation_xyzw: np.ndarray
    linear_velocity: np.ndarray
    angular_velocity: np.ndarray


class StateSettingScene:
    """Between two ticks.  The frame of a drone is base_link, that of an object or a wall is its shape's, that of a hand
    is its palm or box, or the first of its bones."""

    config: WorldConfig
    params: SceneParams
    _fleet: Fleet
    _hands: HandSet
    _table: BodyTable

    def motion_of(self, name: str) -> EntityMotion | None:
        """Motion of a drone (as last published), object, wall or hand; None for a hand that is not in the scene.
        UnknownEntityError where there is none of that name."""
        if name and name in self._fleet.index:
            return _entity_motion(self._fleet.s.shown[self._fleet.index[name]])
        if name in self._table.index:
            return _entity_motion(self._shape_motion(self._table.index[name]))
        if name in self._hands:
            return self._hand_motion(name)
        raise UnknownEntityError(f'no such drone, object, wall or hand, got {name[:MOST_NAME]!r}')

    def object_motions(self) -> tuple[tuple[str, ...], np.ndarray]:
        """Names of the objects, and the motions (K,13) of their centres of mass: pos, quat wxyz, vel, omega."""
        bodies = np.fromiter(self._table.objects.values(), np.int64, len(self._table.objects))
        return tuple(self._table.objects), self.world.motions(bodies)

    def frame_velocities(self, name: str, motion: np.ndarray) -> np.ndarray:
        """(6,) m/s and rad/s, world: of the frame of an object whose centre of mass has this motion (13,)."""
        return _seen_from(motion, -self.world.com[self._table.objects[name]])[VEL:]

    def hand_bones(self, name: str) -> HandBones:
        """A hand as it is now.  UnknownEntityError where there is none of that name."""
        if name not in self._hands:
            raise UnknownEntityError(f'no such hand, got {name[:MOST_NAME]!r}')
        return self._hands[name].bones(self.world)

    def _shape_motion(self, body: int) -> np.ndarray:
        """Motion (13,) of the frame of a body's shape."""
        motion = self.world.motions(np.array([body]))[0]
        return _seen_from(motion, -self.world.com[body])

    def _hand_motion(self, name: str) -> EntityMotion | None:
        """Of the box where there is one, else of the first bone."""
        hand, bones = self._hands[name], self.hand_bones(name)
        if not bones.present:
            return None
        if bones.box is not None:
            pose, slot = (bones.box.position, bones.box.orientation_xyzw), len(hand.bodies) - 1
        else:
            slot = int(np.flatnonzero(bones.enabled)[0])
            pose = bones.positions[slot], bones.orientations_xyzw[slot]
        speed = np.zeros(6)
        if hand.shown[slot]:
            speed = self.world.motions(hand.bodies[slot:slot + 1])[0, VEL:]
        return EntityMotion(*(a.copy() for a in pose), speed[:3], speed[3:])

    def set_state(self, name: str, position: Vector | None = None, orientation_xyzw: Vector | None = None,
                  linear_velocity: Vector | None = None, angular_velocity: Vector | None = None) -> None:
        """Put an object, or a drone under `simulate` that takes part, elsewhere: what is given of its EntityMotion; the
        rest stays.  Nothing is asked of the way there, and what it overlaps there pushes it out.

        PoseError for a pose that no body can have, UnknownEntityError for a name, EntityError for everything else that
        is wrong; nothing has changed then."""
        body = self._movable(name)
        motion = self._wanted(name, position, orientation_xyzw, linear_velocity, angular_velocity)
        self.world.set_motions(np.array([body]), _seen_from(motion, self.world.com[body])[None])
        if name in self._fleet.index:
            self._fleet.s.shown[self._fleet.index[name]] = motion

    def _movable(self, name: str) -> int:
        """The body of an entity that the engine moves."""
        if name in self._table.objects:
            return self._table.objects[name]
        row = self._fleet.index.get(name)
        if row is None:
            self.motion_of(name)    # an unknown name
            why = 'a hand is where its tracker has it' if name in self._hands else 'a wall never moves'
            raise EntityError(f'{name}: {why}')
        if self._fleet.authority[row] != SIMULATE:
            raise EntityError(f"{name}: its motion is its simulator's, which has to be asked; only drones with the "
                              'authority simulate can be put elsewhere')
        if not self._fleet.s.enabled[row]:
            raise EntityError(f'{name}: it takes no part at present: no input of it has come, or it is frozen')
        return int(self._table.drones[row])

    def _wanted(self, name: str, position, orientation, linear, angular) -> np.ndarray:
        """The motion (13,) of the entity's frame, checked."""
        now = self.motion_of(name)
        motion = np.empty(MOTION)
        motion[POS:QUAT] = _vector(PoseError, 'position', now.position if position is None else position,
                                   MOST_COORDINATE, 'm')
        quat = rot.wxyz(now.orientation_xyzw)
        motion[QUAT:VEL] = quat if orientation is None else _quaternion(orientation)
        most = self.params.linear_velocity_limit, self.params.angular_velocity_limit
        motion[VEL:OMEGA] = _vector(EntityError, 'linear velocity', now.linear_velocity if linear is None else linear,
                                    most[0], 'm/s')
        motion[OMEGA:] = _vector(EntityError, 'angular velocity', now.angular_velocity if angular is None else angular,
                                 most[1], 'rad/s')
        return motion


def _entity_motion(motion: np.ndarray) -> EntityMotion:
    m = motion.copy()
    return EntityMotion(m[POS:QUAT], rot.xyzw(m[QUAT:VEL]), m[VEL:OMEGA], m[OMEGA:])


def _seen_from(motion: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """The motion (13,) of the point at `arm` (3,) m in the body: x + R a, v + omega x R a."""
    m = motion.copy()
    turned = rot.rotate(m[QUAT:VEL], np.asarray(arm, dtype=float))
    m[POS:QUAT] += turned
    m[VEL:OMEGA] += rot.cross(m[OMEGA:], turned)
    return m


def check_pose(position: Vector, orientation_xyzw: Vector) -> None:
    """PoseError for a pose that no body can have."""
    _vector(PoseError, 'position', position, MOST_COORDINATE, 'm')
    _quaternion(orientation_xyzw)


def _vector(error: type[EntityError], key: str, values: Vector, most: float, unit: str) -> np.ndarray:
    row = as_row(values, 3)
    if row is None:
        raise error(f'{key}: must be three numbers')
    if not (np.abs(row) <= most).all() or not rot.norm(row) <= most:
        raise error(f'{key}: must be finite and at most {most:g} {unit}, got {row.tolist()}')
    return row


def _quaternion(values: Vector) -> np.ndarray:
    """(4,) wxyz of a quaternion xyzw of unit length."""
    row = as_row(values, 4)
    if row is None:
        raise PoseError('orientation: must be four numbers')
    if not np.isfinite(row).all() or not abs(rot.norm(row) - 1.0) <= UNIT_TOLERANCE:
        raise PoseError(f'orientation: must be a quaternion x, y, z, w of length 1, got {row.tolist()}')
    return rot.normalise(rot.wxyz(row))
