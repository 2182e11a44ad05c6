"""A world and the present poses of its drones and objects back to YAML that world_file reads."""
from __future__ import annotations

from dataclasses import asdict

import numpy as np
import yaml

from . import rotations as rot
from .authority import CODES
from .motion import Motion
from .world_types import DroneModel, MaterialConfig, Pose, ShapeConfig, WallConfig, WorldConfig

_AUTHORITY = {code: word for word, code in CODES.items()}


def write_world(config: WorldConfig, drones: Motion, authority: np.ndarray, world, objects: dict[str, int]) -> str:
    """YAML text.  drones: motion of every drone at base_link (poses are kept, speeds are not); objects: name to engine
    body."""
    models = {d.model: _model_name(k, d.model, config) for k, d in enumerate(config.drones)}
    data = {
        'name': config.name, 'gravity': list(config.gravity), 'dt': config.dt, 'integrator': config.integrator,
        'restitution_threshold': config.restitution_threshold, 'scene': asdict(config.scene),
        'models': {name: _model(model) for model, name in models.items()},
        'walls': [_wall(w) for w in config.walls],
        'objects': [_object(o, world, objects[o.name]) for o in config.objects],
        'drones': [_drone(d, models[d.model], drones, k, int(authority[k])) for k, d in enumerate(config.drones)],
        'hands': [{'name': h.name, 'radius_scale': h.radius_scale, 'material': _surface(h.material)}
                  for h in config.hands],
        'filters': {**dict.fromkeys(config.filters.off, False), 'pairs': [list(p) for p in config.filters.pairs]}}
    return yaml.safe_dump(data, sort_keys=False, default_flow_style=None, width=130)


def _drone(d, model: str, drones: Motion, k: int, authority: int) -> dict:
    return {'name': d.name, 'model': model, **_pose(drones.pos[k], drones.quat[k]), 'authority': _AUTHORITY[authority],
            'origin': _place(d.origin)}


def _model_name(k: int, model: DroneModel, config: WorldConfig) -> str:
    """The model's name, made unique where two different models share one."""
    same = {d.model for d in config.drones if d.model.name == model.name}
    return model.name if len(same) == 1 else f'{model.name}_{k}'


def _model(m: DroneModel) -> dict:
    rotors = [{'position': list(r.position), 'thrust_coefficient': r.thrust_coefficient,
               'torque_coefficient': r.torque_coefficient, 'spin': r.spin, 'time_constant': r.time_constant}
              for r in m.rotors]
    return {'name': m.name, 'mass': m.mass, 'inertia': list(m.inertia), 'com': list(m.com), 'shape': _shape(m.shape),
            'drag': m.drag, 'material': _surface(m.material), 'rotors': rotors}


def _wall(w: WallConfig) -> dict:
    head = {'name': w.name, 'type': w.kind, 'material': _surface(w.material)}
    if w.kind == 'plane':
        return {**head, 'normal': list(w.normal), 'offset': w.offset}
    return {**head, 'size': list(w.size), **_place(w.pose)}


def _object(o, world, body: int) -> dict:
    out = {'name': o.name, 'shape': _shape(o.shape), 'mass': o.mass, **_pose(world.pos[body], world.quat[body]),
           'linear_velocity': world.linvel[body].tolist(), 'angular_velocity': world.angvel[body].tolist(),
           'material': _surface(o.material)}
    return out if o.inertia is None else {**out, 'inertia': list(o.inertia)}


def _shape(s: ShapeConfig) -> dict:
    if s.kind == 'box':
        return {'type': 'box', 'size': list(s.size)}
    return {'type': s.kind, 'radius': s.radius, **({'length': s.length} if s.kind == 'capsule' else {})}


def _surface(m: MaterialConfig) -> dict:
    return {'restitution': m.restitution, 'friction': m.friction}


def _pose(pos, quat) -> dict:
    return {'position': [float(x) for x in pos], 'orientation_xyzw': [float(x) for x in rot.xyzw(np.asarray(quat))]}


def _place(pose: Pose) -> dict:
    return _pose(pose.position, pose.quat)
