# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A scene as it is now, as a world that can be written: what `~/save_world` keeps."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from .. import rotations as rot
from .bodies import shape_frame
from .drones.authority import CODES
from .drones.motion import Motion
from .world_files.world_types import ConstraintConfig, ObjectConfig, Pose, WorldConfig

# share by which the gap of what is drawn together is larger than it has to be
ROUNDING = 1e-9

_AUTHORITY = {code: word for word, code in CODES.items()}


def at_present(config: WorldConfig, drones: Motion, authority: np.ndarray, rows: Mapping[str, int], world,
               objects: dict[str, int], constraints: Iterable[ConstraintConfig]) -> WorldConfig:
    """The world with its drones and objects where they are.  drones: motion of every drone at base_link (poses are
    kept, speeds are not), in `rows` by name; objects: name to engine body; constraints: those that hold, of which those
    of hands, which have no place in a file, are left out."""
    fixed = {hand.name for hand in config.hands}
    return replace(
        config,
        drones=tuple(replace(d, pose=_pose(drones.pos[k], drones.quat[k]), authority=_AUTHORITY[int(authority[k])])
                     for d in config.drones for k in [rows[d.name]]),
        objects=tuple(_object_now(o, world, objects[o.name]) for o in config.objects),
        constraints=tuple(_constraint_now(c, world) for c in constraints
                          if fixed.isdisjoint({c.body_a.split('/')[0], c.body_b.split('/')[0]})))


def _constraint_now(c: ConstraintConfig, world) -> ConstraintConfig:
    """Where it holds now: what has slipped holds elsewhere than it was attached."""
    state = world.constraint(c.name)
    anchors = [_in_shape(world, body, point) for body, point in ((state.body_a, state.anchor_a),
                                                                 (state.body_b, state.anchor_b))]
    apart = float(rot.norm(state.anchor_b - state.anchor_a))
    off = abs(apart - state.length) if c.kind == 'distance' else apart - state.length if c.kind == 'cable' else apart
    gap = c.gap if c.kind == 'spring' else min(max(c.gap, off * (1.0 + ROUNDING)), 1.0)
    return replace(c, anchor_a=anchors[0], anchor_b=anchors[1], gap=gap, length=state.length or None)


def _in_shape(world, body: int, point: np.ndarray) -> tuple[float, ...]:
    """A world point (3,) m in the frame of a body's shape."""
    origin, quat = shape_frame(world, body)
    return tuple(rot.rotate_inverse(quat, point - origin).tolist())


def _object_now(o: ObjectConfig, world, body: int) -> ObjectConfig:
    return replace(o, pose=_pose(*shape_frame(world, body)), linear_velocity=tuple(world.linvel[body].tolist()),
                   angular_velocity=tuple(world.angvel[body].tolist()))


def _pose(position: np.ndarray, quat: np.ndarray) -> Pose:
    return Pose(tuple(position.tolist()), tuple(quat.tolist()))
