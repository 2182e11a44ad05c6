# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A simulator in a process of its own, in simulated time: `sim_source.py NAME [LOSS [ZERO]]`.

Publishes NAME/odom every 10 ms of /clock: a drone that swings along x about its place (see `place`).  LOSS: the share
of samples that get lost.  ZERO: time of /clock (s) at which the source's own clock, which stamps, is 0.  NAME/beat
repeats every time of /clock that was served, so that a test can go on in step with the source.
"""
from __future__ import annotations

import math
import random
import sys

import rclpy
from nav_msgs.msg import Odometry
from rosgraph_msgs.msg import Clock

NS = 1_000_000_000
PERIOD = 10_000_000
PLACES = {'a': (-1.5, 0.0, 1.0), 'b': (1.0, 0.0, 1.0), 'c': (0.0, 5.0, 1.0)}   # m
SWING = 0.3   # m, at 1 rad/s


def place(name: str, t: float) -> tuple[tuple[float, float, float], float]:
    """Where the drone is at a time of /clock (s), m, and its speed along x, m/s."""
    x, y, z = PLACES[name]
    return (x + SWING * math.sin(t), y, z), SWING * math.cos(t)


def main(name: str, loss: float = 0.0, zero: float = 0.0) -> None:
    rclpy.init()
    node = rclpy.create_node(f'sim_{name}')
    publisher = node.create_publisher(Odometry, f'{name}/odom', 10)
    beat = node.create_publisher(Clock, f'{name}/beat', 10)
    dice, sent = random.Random(7), [0]
    message = Odometry()
    message.header.frame_id = 'world'
    message.pose.pose.orientation.w = 1.0

    def on_clock(clock: Clock) -> None:
        now = clock.clock.sec * NS + clock.clock.nanosec
        if not 0 <= now - sent[0] < PERIOD:
            sent[0] = now
            send(now)
        beat.publish(clock)

    def send(now: int) -> None:
        stamp = now - round(zero * NS)
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, NS)
        p, v = message.pose.pose.position, message.twist.twist.linear
        (p.x, p.y, p.z), v.x = place(name, now / NS)
        if dice.random() >= loss:
            publisher.publish(message)
    node.create_subscription(Clock, '/clock', on_clock, 10)
    rclpy.spin(node)


if __name__ == '__main__':
    name, *numbers = sys.argv[1:sys.argv.index('--ros-args')]
    main(name, *map(float, numbers))
