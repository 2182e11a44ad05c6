# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A world to YAML that world_file reads: reading gives back an equal world, number for number."""
from __future__ import annotations

import math
from dataclasses import asdict

import numpy as np
import yaml

from ... import rotations as rot
from ...engine import HalfSpace
from ...engine.maths.matrices import dots
from .constraint_file import write_constraint
from .mass_file import write_inertia
from .material_file import write_material, write_materials
from .shape_file import write_pose, write_shape
from .world_types import (
    INFINITE,
    Body,
    CollisionBits,
    DroneConfig,
    DroneModel,
    HandConfig,
    ObjectConfig,
    Pose,
    RotorConfig,
    SpareConfig,
    WallConfig,
    WorldConfig,
)


def write(config: WorldConfig) -> str:
    """YAML text.  Files of meshes and height fields are named by their absolute paths, not copied.  WorldFileError for
    a shape that has no word in world files."""
    models = {_key(d.model): (d.model, _model_name(k, d.model, config)) for k, d in enumerate(config.drones)}
    data = {
        'name': config.name, 'gravity': list(config.gravity), 'dt': config.dt, 'integrator': config.integrator,
        'restitution_threshold': config.restitution_threshold, **write_materials(config), 'scene': asdict(config.scene),
        'filters': {**dict.fromkeys(config.filters.off, False), 'pairs': [list(p) for p in config.filters.pairs],
                    'groups': list(config.filters.groups)},
        'models': {name: _model(model, config) for model, name in models.values()},
        'walls': [_wall(w, config) for w in config.walls],
        'objects': [_object(o, config) for o in config.objects],
        'drones': [_drone(d, models[_key(d.model)][1]) for d in config.drones],
        'hands': [_hand(h, config) for h in config.hands]}
    if config.spare != SpareConfig():
        data['spare'] = {group: count for group, count in asdict(config.spare).items() if count}
    if config.constraints:
        data['constraints'] = [write_constraint(c) for c in config.constraints]
    return yaml.safe_dump(data, sort_keys=False, default_flow_style=None, width=130)


def entry(kind: str, item: Body, config: WorldConfig) -> dict:
    """One 'drone' with its model, 'wall', 'object' or 'hand', of plain lists, texts and numbers."""
    if kind == 'drone':
        return _drone(item, '') | {'model': _model(item.model, config)}
    if kind == 'hand':
        return _hand(item, config) | ({'effective_mass': INFINITE} if math.isinf(item.effective_mass) else {})
    return _wall(item, config) if kind == 'wall' else _object(item, config)


def _key(model: DroneModel) -> tuple:
    """Models are distinguished by what their materials are called, too: pairs of materials go by names."""
    return model, model.material.name


def _model_name(k: int, model: DroneModel, config: WorldConfig) -> str:
    """The model's key, made unique where two different models share a name."""
    same = {_key(d.model) for d in config.drones if d.model.name == model.name}
    return model.name if len(same) == 1 else f'{model.name}_{k}'


def _model(m: DroneModel, config: WorldConfig) -> dict:
    strike = {} if m.stop_above is None else {'rotor_strike': {'stop_above': m.stop_above}}
    return {'name': m.name, 'mass': m.mass, 'inertia': write_inertia(m.inertia), 'com': list(m.com), 'drag': m.drag,
            'shape': write_shape(m.shape), **write_material(m.material, config),
            'rotors': [_rotor(r) for r in m.rotors], **strike}


def _rotor(r: RotorConfig) -> dict:
    return {'position': list(r.position), 'thrust_coefficient': r.thrust_coefficient,
            'torque_coefficient': r.torque_coefficient, 'spin': r.spin, 'time_constant': r.time_constant,
            'max_speed': r.max_speed}


def _wall(w: WallConfig, config: WorldConfig) -> dict:
    if isinstance(w.shape, HalfSpace):
        shape = write_shape(_in_world(w.shape, w.pose))
    else:
        shape = write_shape(w.shape, w.source) | write_pose(w.pose)
    return {'name': w.name, **shape, **write_material(w.material, config), **_bits(w.collision)}


def _in_world(plane: HalfSpace, pose: Pose) -> HalfSpace:
    """Planes of world files have no pose."""
    if pose == Pose():
        return plane
    normal = rot.rotate(np.array(pose.quat), np.array(plane.normal))
    return HalfSpace(tuple(normal.tolist()), plane.offset + float(dots(normal, np.array(pose.position))))


def _object(o: ObjectConfig, config: WorldConfig) -> dict:
    own = {} if o.inertia is None else {'inertia': write_inertia(o.inertia)}
    own |= {} if o.com is None else {'com': list(o.com)}
    return {'name': o.name, 'shape': write_shape(o.shape), 'mass': o.mass, **own, **write_pose(o.pose),
            'linear_velocity': list(o.linear_velocity), 'angular_velocity': list(o.angular_velocity),
            **write_material(o.material, config), **_bits(o.collision)}


def _drone(d: DroneConfig, model: str) -> dict:
    return {'name': d.name, 'model': model, **write_pose(d.pose), 'authority': d.authority,
            'origin': write_pose(d.origin), **_bits(d.collision)}


def _hand(h: HandConfig, config: WorldConfig) -> dict:
    own = {} if h.shape is None else {'shape': write_shape(h.shape)}
    own |= {'effective_mass': h.effective_mass}
    own |= {'grasp_assistance': True} if h.grasp_assistance else {}
    own |= {} if h.handedness is None else {'handedness': h.handedness}
    return {'name': h.name, 'radius_scale': h.radius_scale, **own, **write_material(h.material, config),
            **_bits(h.collision)}


def _bits(bits: CollisionBits) -> dict:
    return {} if bits == CollisionBits() else {'collision': {'group': bits.group, 'mask': bits.mask}}
