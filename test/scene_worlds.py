# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Worlds for the scene's tests, built in code: no gravity unless asked for, one drone model with round numbers."""
import math

from hakoniwa_rigid.engine import Box, HalfSpace
from hakoniwa_rigid.scene import CollisionScene, SceneParams, WorldConfig
from hakoniwa_rigid.scene.world_files.world_types import (
    DroneConfig,
    DroneModel,
    HandConfig,
    MaterialConfig,
    WallConfig,
)

MS = 1_000_000
TICK = 5 * MS
UPRIGHT = (0.0, 0.0, 0.0, 1.0)
ZERO = (0.0, 0.0, 0.0)
MODEL = DroneModel('test', 0.71, (0.0061, 0.00653, 0.0116), Box((0.2, 0.2, 0.05)),
                   material=MaterialConfig('hull', 0.5, 0.0))


def make_config(*drones, walls=(), objects=(), hands=(), model=MODEL, authority='correct', **fields):
    """A world of drones by name; fields go to WorldConfig, scene parameters as scene=dict."""
    scene = SceneParams(**fields.pop('scene', {}))
    configs = tuple(d if isinstance(d, DroneConfig) else DroneConfig(d, model, authority=authority) for d in drones)
    return WorldConfig(drones=configs, walls=tuple(walls), objects=tuple(objects),
                       hands=tuple(HandConfig(h, material=MaterialConfig('skin', 0.0, 0.0), effective_mass=math.inf)
                                   for h in hands),
                       scene=scene, **fields)


def make_scene(*drones, **fields):
    """A started scene at time 0."""
    scene = CollisionScene.from_config(make_config(*drones, **fields))
    scene.advance(0)
    return scene


def floor(restitution=0.0, friction=0.5):
    return WallConfig('floor', material=MaterialConfig('floor', restitution, friction))


def wall_x(x, restitution=0.0, friction=0.0):
    """A plane solid beyond x."""
    return WallConfig('wall', HalfSpace((-1.0, 0.0, 0.0), -x),
                      material=MaterialConfig('wall', restitution, friction))


def fly(scene, name, plan, start_ns, end_ns, every_ns=2 * TICK):
    """Feed plan(t) = (position, velocity) at `every_ns` and advance by ticks; returns the ticks."""
    ticks = []
    for now in range(start_ns, end_ns, TICK):
        if (now - start_ns) % every_ns == 0:
            position, velocity = plan(now * 1e-9)
            scene.feed_drone(name, now, position, UPRIGHT, velocity, ZERO)
        ticks.append(scene.advance(now + TICK))
    return ticks


def events_of(ticks):
    return [event for tick in ticks for event in tick.events]
