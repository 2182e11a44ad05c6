# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A simulator in a process of its own: N vehicles, or N hands of a tracker, one after the other.  Each appears, hovers,
and vanishes with its topic when it is told to; the next one comes then.  Arguments: N, `drones` or `hands`."""
from __future__ import annotations

import sys

import rclpy
from geometry_msgs.msg import Point, Pose, PoseStamped
from hakoniwa_rigid.msg import HandJoints
from harness import odometry, stamped
from nav_msgs.msg import Odometry
from rclpy.parameter import Parameter

HZ = 50.0


def hand(now: int, place: tuple[float, ...]) -> HandJoints:
    """Of one joint."""
    return stamped(HandJoints(poses=[Pose(position=Point(x=place[0], y=place[1], z=place[2]))], radii=[0.1]), now)


def main() -> int:
    rclpy.init()
    node = rclpy.create_node('simulator', parameter_overrides=[Parameter('use_sim_time', value=True)])
    done: list[str] = []
    node.create_subscription(PoseStamped, '/done', lambda told: done.append(told.header.frame_id), 100)
    of_hands = sys.argv[2] == 'hands'
    for k in range(int(sys.argv[1])):
        name = f'{"bc"[k % 2]}{k}'
        topic = (HandJoints, f'hands/{name}') if of_hands else (Odometry, f'{name}/odom')
        publisher = node.create_publisher(*topic, 5)
        while name not in done and rclpy.ok():
            rclpy.spin_once(node, timeout_sec=1.0 / HZ)
            now = node.get_clock().now().nanoseconds
            if now > 0:     # before the first /clock there is no time
                place = 3.0 + k, 4.0, 2.0
                publisher.publish(hand(now, place) if of_hands else odometry(now, place))
        node.destroy_publisher(publisher)
    node.destroy_node()
    rclpy.try_shutdown()
    return 0


if __name__ == '__main__':
    raise SystemExit(main())
