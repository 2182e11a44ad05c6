# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Every drone of a world hovers where the world has it: for worlds whose simulator is not at hand.

Publishes ``<drone>/odom`` (nav_msgs/Odometry, world, at rest), best effort, at a fixed rate. A plan without a pilot:
with the authority ``correct`` a drone that is pushed comes back to it. A drone of ``simulate`` starts there with its
motors off: its ``<drone>/wrench`` (geometry_msgs/WrenchStamped) is zero, and it lies, rolls and falls by itself.
"""
from __future__ import annotations

import sys

import numpy as np
from geometry_msgs.msg import WrenchStamped
from nav_msgs.msg import Odometry
from rclpy.node import Node

from hakoniwa_rigid import rotations as rot
from hakoniwa_rigid.paths import world_file
from hakoniwa_rigid.ros.errors import StartError
from hakoniwa_rigid.ros.executor import run
from hakoniwa_rigid.ros.params import Parameters
from hakoniwa_rigid.ros.qos import INPUT
from hakoniwa_rigid.scene.errors import WorldFileError
from hakoniwa_rigid.scene.parameters.params import Param
from hakoniwa_rigid.scene.world_files import world_file as worlds
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig

HOVER = (
    Param('world', 'ar_room', 'World file (YAML): a path, or the name of one here or in config/worlds.'),
    Param('rate', 50.0, 'Rate of the odometry, Hz.', 1.0, 1000.0),
    Param('frame_id', 'world', 'Frame of the odometry.'),
)


class Hover(Node):
    """See the module docstring for topics."""

    def __init__(self) -> None:
        super().__init__('hover')
        values = Parameters(self).declare(HOVER)
        try:
            drones = worlds.load(world_file(values['world'])).drones
        except (WorldFileError, OSError) as error:
            raise StartError(f'parameter world: {error}') from error
        self.drones = [(self.create_publisher(Odometry, f'{drone.name}/odom', INPUT),
                        odometry(drone, values['frame_id'])) for drone in drones]
        off = [drone.name for drone in drones if drone.authority == 'simulate']
        self.motors_off = [(self.create_publisher(WrenchStamped, f'{name}/wrench', INPUT), no_wrench(name))
                           for name in off]
        self.timer = self.create_timer(1.0 / values['rate'], self._on_timer)

    def _on_timer(self) -> None:
        now = self.get_clock().now().to_msg()
        for publisher, msg in (*self.drones, *self.motors_off):
            msg.header.stamp = now
            publisher.publish(msg)


def odometry(drone: DroneConfig, frame: str) -> Odometry:
    """A drone at its start, at rest, in the frame of its origin."""
    back = rot.conjugate(np.array(drone.origin.quat))
    position = rot.rotate(back, np.subtract(drone.pose.position, drone.origin.position))
    quat = rot.multiply(back, np.array(drone.pose.quat))
    msg = Odometry(child_frame_id=f'{drone.name}/base_link')
    msg.header.frame_id = frame
    p, q = msg.pose.pose.position, msg.pose.pose.orientation
    p.x, p.y, p.z = position.tolist()
    q.w, q.x, q.y, q.z = quat.tolist()
    return msg


def no_wrench(name: str) -> WrenchStamped:
    """Neither force nor torque, in the drone's body."""
    msg = WrenchStamped()
    msg.header.frame_id = f'{name}/base_link'
    return msg


def main(args: list[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    return run(Hover, args)


if __name__ == '__main__':
    sys.exit(main())
