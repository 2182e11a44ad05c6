# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A simulator in a process of its own: N vehicles, one after the other.  Each appears, hovers, and vanishes with its
topic when it is told to; the next one comes then."""
from __future__ import annotations

import sys

import rclpy
from geometry_msgs.msg import PoseStamped
from harness import odometry
from nav_msgs.msg import Odometry
from rclpy.parameter import Parameter

HZ = 50.0


def main() -> int:
    rclpy.init()
    node = rclpy.create_node('simulator', parameter_overrides=[Parameter('use_sim_time', value=True)])
    done: list[str] = []
    node.create_subscription(PoseStamped, '/done', lambda told: done.append(told.header.frame_id), 100)
    for k in range(int(sys.argv[1])):
        name = f'{"bc"[k % 2]}{k}'
        publisher = node.create_publisher(Odometry, f'{name}/odom', 5)
        while name not in done and rclpy.ok():
            rclpy.spin_once(node, timeout_sec=1.0 / HZ)
            now = node.get_clock().now().nanoseconds
            if now > 0:     # before the first /clock there is no time
                publisher.publish(odometry(now, (3.0 + k, 4.0, 2.0)))
        node.destroy_publisher(publisher)
    node.destroy_node()
    rclpy.try_shutdown()
    return 0


if __name__ == '__main__':
    raise SystemExit(main())
