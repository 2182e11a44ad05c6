# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""For tests of sweeps: a ball that comes down on a floor, as a bag, and the world for it."""
from pathlib import Path

from bags import odometry

from hakoniwa_rigid.codec.motion_packer import ODOMETRY
from hakoniwa_rigid.replay.bag.writer import BagWriter

MASS, SPEED, RADIUS = 0.8, 2.0, 0.1
TOUCH = 0.3023     # s after the beginning
WORLD = """
name: drop
gravity: [0, 0, 0]
materials:
  rubber: {restitution: 0.5, friction: 0.5}
  stone: {restitution: 0.0, friction: 0.5}
models:
  ball: {shape: {type: sphere, radius: 0.1}, mass: 0.8, inertia: [0.0032, 0.0032, 0.0032], material: rubber}
walls: [{name: floor, type: plane, normal: [0, 0, 1], offset: 0.0, material: stone}]
drones: [{name: ball, model: ball, position: [0, 0, 1]}]
scene: {end_hysteresis: 0.02}
"""


def world(folder: Path) -> str:
    """The path of the world file."""
    path = folder / 'drop.yaml'
    path.write_text(WORLD)
    return str(path)


def drop(folder: Path, name: str = 'drop', speed: float = SPEED) -> str:
    """The path of a bag of 0.32 s: the ball comes down with constant speed (m/s), and would sink into the floor."""
    path = folder / name
    with BagWriter(path) as bag:
        topic = bag.topic('/ball/odom', ODOMETRY)
        for k in range(65):
            stamp = 1_000_000_000 + 5_000_000 * k
            height = RADIUS + speed * (TOUCH - 0.005 * k)
            bag.write(topic, stamp, odometry(stamp, (0, 0, height), velocity=(0, 0, -speed)))
    return str(path)
