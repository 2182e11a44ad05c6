"""A scene as it is now, as a world that can be written: what `~/save_world` keeps."""
from __future__ import annotations

from dataclasses import replace

import numpy as np

from .bodies import shape_frame
from .drones.authority import CODES
from .drones.motion import Motion
from .world_files.world_types import ObjectConfig, Pose, WorldConfig

_AUTHORITY = {code: word for word, code in CODES.items()}


def at_present(config: WorldConfig, drones: Motion, authority: np.ndarray, world,
               objects: dict[str, int]) -> WorldConfig:
    """The world with its drones and objects where they are.  drones: motion of every drone at base_link (poses are
    kept, speeds are not); objects: name to engine body."""
    return replace(
        config,
        drones=tuple(replace(d, pose=_pose(drones.pos[k], drones.quat[k]), authority=_AUTHORITY[int(authority[k])])
                     for k, d in enumerate(config.drones)),
        objects=tuple(_object_now(o, world, objects[o.name]) for o in config.objects))


def _object_now(o: ObjectConfig, world, body: int) -> ObjectConfig:
    return replace(o, pose=_pose(*shape_frame(world, body)), linear_velocity=tuple(world.linvel[body].tolist()),
                   angular_velocity=tuple(world.angvel[body].tolist()))


def _pose(position: np.ndarray, quat: np.ndarray) -> Pose:
    return Pose(tuple(position.tolist()), tuple(quat.tolist()))
