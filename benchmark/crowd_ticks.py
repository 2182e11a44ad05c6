# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Ticks of a CollisionScene with much in it: a swarm that lands on one spot, a hundred drones that fall into a heap,
two hands among six drones.

A tick is five engine steps of 1 ms and all that the scene does around them.
"""
import time
from dataclasses import replace

import numpy as np

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.engine import Box, HalfSpace
from hakoniwa_rigid.paths import config_file
from hakoniwa_rigid.scene import CollisionScene, WorldConfig
from hakoniwa_rigid.scene.world_files import world_file
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig, DroneModel, MaterialConfig, Pose, WallConfig
from hakoniwa_rigid.sims.hands.motion import read_motion

TICK_NS, TICKS = 5_000_000, 1000
# recordings of config/hands that are played one group after the other, as late as a headset's
ACTS = (('grip_right', 'strike_left'), ('throw_right',), ('catch_right',), ('clap_left', 'clap_right'),
        ('punch_right', 'strike_left'), ('lift_right',), ('wave_right', 'strike_left'))
LATE_NS, PAUSE_NS = 40_000_000, NANOSECONDS // 5
FLOOR = WallConfig('floor', material=MaterialConfig('floor', 0.5, 0.3))


def landing(n=20):
    """n drones in `correct` whose plans sink to one spot within 1.5 s: the scene, and what feeds tick k."""
    model = DroneModel('box', 0.71, (0.0061, 0.00653, 0.0116), Box((0.2, 0.2, 0.05)),
                       material=MaterialConfig('hull', 0.5, 0.3))
    rng = np.random.default_rng(1)
    start = np.column_stack([rng.uniform(-1, 1, (n, 2)), 0.5 + 0.15 * np.arange(n)])
    goal, index, still = np.array((0.0, 0.0, 0.025)), np.arange(n), np.zeros((n, 3))
    level = np.tile((0.0, 0.0, 0.0, 1.0), (n, 1))

    def feed(scene, k):
        share = min(k / 300, 1.0)
        velocity = (goal - start) / 1.5 if share < 1.0 else still
        scene.feed_drones(index, k * TICK_NS, start + (goal - start) * share, level, velocity, still)
    config = WorldConfig(walls=(FLOOR,), drones=tuple(DroneConfig(f'd{k:02d}', model) for k in range(n)))
    return CollisionScene.from_config(config), feed


def dropped(scene):
    """The bodies of a benchmark scene of plates as drones in `simulate` without thrust."""
    shape = scene.parts[0][0]
    model = DroneModel('plate', scene.mass, scene.inertia, shape,
                       material=MaterialConfig('hull', scene.restitution, 0.3))
    pen = MaterialConfig('pen', scene.restitution, 0.3)
    walls = tuple(WallConfig(f'wall_{k}', HalfSpace(normal, offset), material=pen)
                  for k, (normal, offset) in enumerate(scene.walls))
    drones = tuple(DroneConfig(f'd{k:03d}', model, Pose(tuple(scene.pos[k]), tuple(scene.quat[k])), 'simulate')
                   for k in range(scene.n))
    index, still = np.arange(scene.n), np.zeros((scene.n, 3))

    def feed(collision, k):
        collision.feed_wrenches(index, k * TICK_NS, still, still)
    return CollisionScene.from_config(WorldConfig(walls=walls, drones=drones)), feed


def acts():
    """Samples of two hands in the order in which they come: (arrival ns, stamp ns, motion, number); ticks they take."""
    begin, samples = 0, []
    for names in ACTS:
        motions = [read_motion(config_file('hands', f'{name}.npz')) for name in names]
        samples += [(begin + stamp + LATE_NS, begin + stamp, motion, number) for motion in motions
                    for number, stamp in enumerate(motion.stamps.tolist())]
        begin += max(int(motion.stamps[-1]) for motion in motions) + PAUSE_NS
    return sorted(samples, key=lambda sample: sample[:2]), begin // TICK_NS


def handled(samples):
    """Six drones that hover, the first where the hands do all they can, the others around it; samples: of `acts`."""
    world = world_file.load(config_file('worlds', 'ar_room.yaml'))
    first, beside = world.drones[0], 0.55
    around = np.array(((0, 0, 0), (0, beside, 0), (0, -beside, 0), (beside, 0, 0), (0, 0, beside), (beside, beside, 0)))
    drones = tuple(replace(first, name=f'd{k}', pose=Pose(tuple(at))) for k, at in
                   enumerate((around + first.pose.position).tolist()))
    index, still = np.arange(len(drones)), np.zeros((len(drones), 3))
    places, level = around + first.pose.position, np.tile((0.0, 0.0, 0.0, 1.0), (len(drones), 1))
    waiting = samples[::-1]

    def feed(scene, k):
        scene.feed_drones(index, k * TICK_NS, places, level, still, still)
        while waiting and waiting[-1][0] <= k * TICK_NS:
            _, stamp, motion, number = waiting.pop()
            scene.feed_hand(motion.hand, stamp, motion.positions[number], motion.orientations[number], motion.radii,
                            motion.is_valid[number])
    return CollisionScene.from_config(replace(world, drones=drones)), feed


def run(make, ticks=TICKS):
    """ms of every tick."""
    scene, feed = make()
    scene.advance(0)
    times = np.empty(ticks)
    for k in range(ticks):
        feed(scene, k)
        begin = time.process_time_ns()
        scene.advance((k + 1) * TICK_NS)
        times[k] = 1e-6 * (time.process_time_ns() - begin)
    return times
