# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Compile (or load from the cache) every kernel of the engine and the scene before a clock is running."""
from __future__ import annotations

import math

import numpy as np

from .. import engine, kernel_cache, progress, smooth_motion
from ..codec.cdr import FleetReader
from ..codec.cdr_writers import FleetStateWriter, OdometryWriter
from ..codec.message_batch import MessageBatch
from ..codec.motion_columns import MOTION, QUAT
from .collision_scene import CollisionScene
from .hands import tracking_kernels
from .inputs.fast_fleets import FastFleets
from .inputs.fast_path import FastTopics
from .inputs.fixed_layouts import FixedTopics
from .inputs.fleets import STATE_FIELDS
from .observed_drones import impact_kernels
from .world_files.world_types import DroneConfig, DroneModel, HandConfig, Pose, WallConfig, WorldConfig

TICK_NS = 5_000_000


def warmup() -> None:
    """A few ticks of a tiny scene, with a drone on the floor and a hand.

    The first time on a machine this compiles for minutes; a line on the terminal says so.
    """
    with progress.shown(what=kernel_cache.what_is_missing()):
        kernel_cache.compile_on_two_cores(compile_rest)
        _run_all()


def compile_rest() -> None:
    """Compile all but the step, and leave it on disk, while another process compiles the step.

    No world of this process moves afterwards.
    """
    kernel_cache.stand_still()
    _run_all()


def _run_all() -> None:
    engine.warmup()
    smooth_motion.warmup()
    model = DroneModel('warm', 1.0, (0.01, 0.01, 0.01), engine.Box((0.2, 0.2, 0.1)))
    right = HandConfig('right', effective_mass=math.inf)
    head = HandConfig('head', shape=engine.Box((0.3, 0.3, 0.3)), effective_mass=5.0)
    scene = CollisionScene(WorldConfig(drones=(DroneConfig('d0', model, Pose((0.0, 0.0, 0.05))),),
                                       walls=(WallConfig('floor'),), hands=(right, head)))
    topics, none = FastTopics(1, 1), np.zeros(0, dtype=np.int64)
    nothing = MessageBatch(np.zeros(0, dtype=np.uint8), none, none, none, none)
    topics.read(nothing, 0, 0)
    FixedTopics({}, 1, 1, lambda _arrived: None, lambda _topic, _error: None).read(nothing, [])
    states = scene.advance(0).states
    OdometryWriter('', ['d0']).fill(TICK_NS, states, np.zeros(1, dtype=np.int64))
    fleets, data = FastFleets(topics, 0, 1 << 20), FleetStateWriter('', ('d0',)).write(TICK_NS, states)
    fleets.learn(FleetReader(tuple(STATE_FIELDS)).read(data), np.zeros(1, dtype=np.int64))
    fleets.read(MessageBatch.of_one(data, 0, 0), 0)
    vector, matrix, motion = np.zeros(3), np.eye(3), np.eye(1, MOTION, QUAT)[0]
    impact_kernels.fly(motion, np.ones(1), np.zeros((1, 3)), np.zeros((1, 3)), True, vector, vector, matrix, matrix,
                       np.zeros((2, MOTION)))
    joints = np.linspace((0.5, 0.0, 1.0), (0.7, 0.0, 1.0), 25)
    for k in range(6):
        now = k * TICK_NS
        scene.feed_drone('d0', now, (0.0, 0.0, 0.049), (0.0, 0.0, 0.0, 1.0))
        scene.feed_wrench('d0', now, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
        if k > 2:   # without a hand the drones go another way into the engine
            scene.feed_hand('right', now, joints + 0.001 * k)
            scene.feed_hand('head', now, joints[:1] + 0.001 * k)
        scene.advance(now)
        scene.clearances(1.0)
        scene.world.ray_cast((0.0, 0.0, 1.0), (0.0, 0.0, -1.0), 2.0)
        scene.set_authority('d0', ('simulate', 'observe', 'correct')[k % 3])
    # a hand that stood still and moves again
    tracking_kernels.rest(scene._hands['right'].tracking.track)
