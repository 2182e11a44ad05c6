# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Worlds of scene cases: a plain description, and what it means.

Healthy drones live 100 m off in a group of their own that touches nothing but their own floor; whatever the others do,
no contact explains a change of their bits.
"""
from __future__ import annotations

import math
from functools import cache
from pathlib import Path

from scene_worlds import MODEL

from hakoniwa_rigid.engine import Box, Capsule, Compound, Cylinder, HalfSpace, Sphere
from hakoniwa_rigid.scene import SceneParams, WorldConfig
from hakoniwa_rigid.scene.world_files.world_file import load_drone_model
from hakoniwa_rigid.scene.world_files.world_types import (
    CollisionBits,
    ContactTimeConfig,
    DroneConfig,
    DroneModel,
    HandConfig,
    MaterialConfig,
    ObjectConfig,
    Pose,
    WallConfig,
)

DRONES = Path(__file__).resolve().parents[2] / 'config' / 'drones'
SHIPPED = ('api-1', 'crazyflie', 'hummingbird', 'x500', 'unity', 'mujoco')
MODELS = ('box', 'compound', 'ball', *SHIPPED)
OTHERS, APART = CollisionBits(1, 1), CollisionBits(2, 2)
# name, authority, where they begin
HEALTHY = (('healthy-simulate', 'simulate', (100.0, 0.0, 50.0)), ('healthy-correct', 'correct', (-100.0, 0.0, 2.0)),
           ('healthy-bounce', 'simulate', (0.0, 100.0, 0.8)))
WALLS = {
    'floor': HalfSpace(), 'east': HalfSpace((-1.0, 0.0, 0.0), -5.0), 'table': Box((1.2, 0.8, 0.05)),
    'pole': Cylinder(0.1, 3.0),
}
PLACES = {'table': (1.0, 1.0, 0.7), 'pole': (-1.0, 1.0, 1.5)}
SHAPES = {'ball': Sphere(0.12), 'crate': Box((0.3, 0.3, 0.3)), 'roller': Capsule(0.05, 0.4)}
INTEGRATORS = ('exact',) * 4 + ('rk4', 'implicit_midpoint', 'semi_implicit_euler')
GRAVITY = (0.0, 0.0, -9.80665)


@cache
def model(name: str) -> DroneModel:
    """A drone model by its word."""
    if name == 'box':
        return MODEL
    shapes = {'compound': Compound([(Box((0.3, 0.1, 0.05)),), (Box((0.1, 0.3, 0.05)), (0.0, 0.0, 0.02)),
                                    (Cylinder(0.08, 0.02), (0.2, 0.0, 0.05))]), 'ball': Sphere(0.15)}
    if name in shapes:
        return DroneModel(name, 0.5, (0.004, 0.005, 0.006), shapes[name], material=MaterialConfig('hull', 0.5, 0.3))
    return load_drone_model(DRONES / f'{name}.yaml')


def draw(chance) -> dict:
    """A description of a world, as JSON."""
    drones = [[f'd{k}', chance.one(MODELS), chance.one(('observe', 'correct', 'simulate')), chance.normal(1.0)]
              for k in range(chance.one((1, 2, 2, 3, 4, 8)))]
    contact = chance.one((None, None, ['hertz', 0.005], ['half_sine', 0.01], ['rectangle', 0.02]))
    return {'drones': drones, 'walls': [w for w in WALLS if chance.happens(0.6)],
            'objects': [o for o in SHAPES if chance.happens(0.3)],
            'hands': [h for h in ('right', 'left') if chance.happens(0.3)],
            'mass': chance.one((None, 0.5)), 'contact': contact,
            'solver': 'sequential' if contact else chance.one(('sequential',) * 4 + ('impulse', 'penalty')),
            'gravity': chance.happens(0.7), 'proximity': chance.one((0.0, 0.0, 0.5)),
            'max_steps': chance.one((20, 100)), 'integrator': chance.one(INTEGRATORS)}


def build(spec: dict) -> WorldConfig:
    """The world of a description."""
    skin = MaterialConfig('skin', 0.2, 0.4)
    drones = [DroneConfig(name, model(kind), Pose(tuple(place)), authority, collision=OTHERS)
              for name, kind, authority, place in spec['drones']]
    drones += [DroneConfig(name, MODEL, Pose(place), authority, collision=APART) for name, authority, place in HEALTHY]
    walls = [WallConfig(w, WALLS[w], Pose(PLACES.get(w, (0.0, 0.0, 0.0))), collision=OTHERS) for w in spec['walls']]
    walls.append(WallConfig('corner', Box((4.0, 4.0, 0.2)), Pose((0.0, 100.0, -0.1)),
                            MaterialConfig('elastic', 0.9, 0.2), APART))
    objects = [ObjectConfig(o, SHAPES[o], 0.4, pose=Pose((0.5 * k, -0.5, 0.4)), collision=OTHERS)
               for k, o in enumerate(spec['objects'])]
    mass = math.inf if spec['mass'] is None else spec['mass']
    hands = [HandConfig(h, material=skin, collision=OTHERS, effective_mass=mass) for h in spec['hands']]
    contact = ContactTimeConfig(*spec['contact']) if spec['contact'] else None
    return WorldConfig(gravity=GRAVITY if spec['gravity'] else (0.0, 0.0, 0.0), solver=spec['solver'], contact=contact,
                       integrator=spec['integrator'], walls=tuple(walls), objects=tuple(objects), drones=tuple(drones),
                       hands=tuple(hands), scene=SceneParams(proximity=spec['proximity'], max_steps=spec['max_steps']))
