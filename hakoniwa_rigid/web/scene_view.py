# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A world as the page draws it: the JSON of /scene.  Lengths in m, quaternions xyzw; docs/web.md has the keys."""
from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from hakoniwa_rigid import rotations as rot
from hakoniwa_rigid.engine import Compound, ConvexHull, Shape
from hakoniwa_rigid.scene.world_files.world_types import DroneModel, MaterialConfig, Pose, WallConfig, WorldConfig

# m: of a rotor that no file gives a size, as a part of the distance to its nearest neighbour
RADIUS_PART = 0.45
LONE_RADIUS = 0.1   # m, of a rotor without neighbours
# digits of a vertex; the rest is noise on a screen
DIGITS = 5
HERE = Pose()
# what the page draws from a shape's own fields (page/src/view/shapes.ts)
PRIMITIVES = ('box', 'sphere', 'capsule', 'cylinder', 'cone', 'ellipsoid', 'plane')


def scene_message(world: WorldConfig, authorities: Mapping[str, str] | None = None,
                  hands: Collection[str] | None = None) -> bytes:
    """The message of /scene.  authorities: of drones by name, where parameters say another than the world file; hands:
    names of those that clients may move, None for all."""
    given = authorities or {}
    moved = [hand for hand in world.hands if hands is None or hand.name in hands]
    view = {
        'world': world.name,
        'frame': 'world',
        'drones': [{'name': d.name, 'authority': given.get(d.name) or d.authority, **_model(d.model)}
                   for d in world.drones],
        'walls': [wall for w in world.walls for wall in _walls(w)],
        'objects': [{'name': o.name, 'mass': o.mass, **_material(o.material), 'parts': _parts(o.shape),
                     **_pose(o.pose.position, o.pose.quat)}
                    for o in world.objects],
        'hands': [hand.name for hand in moved],
        'grasping': [hand.name for hand in moved if hand.grasp_assistance],
        'hand_timeout': world.scene.hand_timeout,
        'hands_of_others': [hand.name for hand in world.hands if hand not in moved],
    }
    return json.dumps(view, separators=(',', ':'), allow_nan=False).encode()


def hover_speeds(model: DroneModel, thrust: float) -> list[float]:
    """Speeds of the rotors, rad/s, with which they lift `thrust` N together, all by the same share; > 0 is counter-
    clockwise from above."""
    lift = sum(rotor.thrust_coefficient for rotor in model.rotors)
    speed = float(np.sqrt(max(thrust, 0.0) / lift)) if lift > 0.0 else 0.0
    return turning(model, [speed] * len(model.rotors))


def turning(model: DroneModel, speeds: Sequence[float]) -> list[float]:
    """Speeds of the rotors, rad/s, with the sign of the way that each turns; > 0 is counter-clockwise from above."""
    return [abs(speed) if rotor.spin == 'ccw' else -abs(speed)
            for rotor, speed in zip(model.rotors, speeds, strict=True)]


def _model(model: DroneModel) -> dict[str, Any]:
    places = np.array([rotor.position for rotor in model.rotors]).reshape(-1, 3)
    rotors = [{'position': list(rotor.position), 'radius': _rotor_radius(places, k), 'spin': rotor.spin}
              for k, rotor in enumerate(model.rotors)]
    return {'model': model.name, 'mass': model.mass, **_material(model.material), 'parts': _parts(model.shape),
            'rotors': rotors}


def _walls(wall: WallConfig) -> list[dict[str, Any]]:
    """A compound as several walls."""
    forms = _parts(wall.shape, wall.pose)
    names = [wall.name] if len(forms) == 1 else [f'{wall.name}/{k}' for k in range(len(forms))]
    return [{'name': name, **_material(wall.material), **form} for name, form in zip(names, forms, strict=True)]


def _material(material: MaterialConfig) -> dict[str, str]:
    """The name that a world file gave it; one without a name is told by its place in the file, which is no name."""
    return {'material': material.name} if material.name.isidentifier() and material.name != 'default' else {}


def _rotor_radius(places: np.ndarray, k: int) -> float:
    others = np.delete(places, k, axis=0)
    if not len(others):
        return LONE_RADIUS
    return round(float(RADIUS_PART * np.linalg.norm(others - places[k], axis=1).min()), DIGITS)


def _parts(shape: Shape, pose: Pose = HERE) -> list[dict[str, Any]]:
    """A shape as shapes that are no compounds, each with its pose in the same frame as `pose`."""
    if not isinstance(shape, Compound):
        return [{**_form(shape), 'pose': _pose(pose.position, pose.quat)}]
    q = np.array(pose.quat)
    placed = [(part.shape, Pose(tuple(np.array(pose.position) + rot.rotate(q, np.array(part.pos))),
                                tuple(rot.multiply(q, np.array(part.quat))))) for part in shape.parts]
    return [form for part, at in placed for form in _parts(part, at)]


def _pose(position, quat) -> dict[str, list[float]]:
    w, x, y, z = (float(v) for v in quat)
    return {'position': [float(v) for v in position], 'orientation_xyzw': [x, y, z, w]}


def _form(shape: Shape) -> dict[str, Any]:
    """Type and dimensions, or triangles where the page has no such primitive."""
    if shape.drawn_as in PRIMITIVES:
        return {'type': shape.drawn_as} | {key.name: _plain(getattr(shape, key.name)) for key in fields(shape)}
    faceted = shape if hasattr(shape, 'faces') else ConvexHull(shape.outline())
    return {'type': shape.drawn_as, 'vertices': np.round(faceted.vertices, DIGITS).tolist(),
            'faces': np.asarray(faceted.faces).tolist()}


def _plain(value: float | tuple) -> float | list:
    return list(value) if isinstance(value, tuple) else value
