# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Axes of other worlds: north-east-down with a forward-right-down body, to ROS (up, with a forward-left-up body).

North-west-up is NED turned by half a turn about its x axis, and what Hakoniwa itself publishes to ROS; east-north-up
(REP-103) is that turned by a quarter turn about its z axis.
"""
from __future__ import annotations

from hakoniwa_rigid.codec.motion_packer import Motion
from hakoniwa_rigid.engine.maths.pointwise import cos, sin
from hakoniwa_rigid.scene.frames.axes import AXES

TARGETS = ('enu', 'nwu')


def from_ned(motion: Motion, target: str) -> Motion:
    """A motion in NED and FRD, in the axes of ``target``."""
    ned = AXES['ned']
    if target == 'enu':
        world, orientation = ned.world, ned.orientation(motion.orientation)
    else:
        x, y, z, w = motion.orientation
        world, orientation = ned.body, (x, -y, -z, w)     # half a turn about x, as of the body
    return Motion(motion.stamp_ns, world(motion.position), orientation, motion.linear and world(motion.linear),
                  motion.angular and ned.body(motion.angular))


def body_rates(roll: float, pitch: float, rates: tuple[float, float, float]) -> tuple[float, float, float]:
    """Angular velocity in the body of the rates of roll, pitch and yaw, rad/s."""
    roll_rate, pitch_rate, yaw_rate = rates
    level = cos(pitch) * yaw_rate
    return (roll_rate - sin(pitch) * yaw_rate, cos(roll) * pitch_rate + sin(roll) * level,
            cos(roll) * level - sin(roll) * pitch_rate)
