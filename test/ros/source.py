# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A simulator in a process of its own: `source.py NAME X Y Z` publishes NAME/odom, holding still, at 100 Hz."""

from __future__ import annotations

import sys

import rclpy
from nav_msgs.msg import Odometry

name, place = sys.argv[1], [float(word) for word in sys.argv[2:5]]
rclpy.init()
node = rclpy.create_node(f'source_{name}')
publisher = node.create_publisher(Odometry, f'{name}/odom', 10)
message = Odometry()
message.header.frame_id = 'world'
message.pose.pose.orientation.w = 1.0
p = message.pose.pose.position
p.x, p.y, p.z = place


def send() -> None:
    message.header.stamp = node.get_clock().now().to_msg()
    publisher.publish(message)


node.create_timer(0.01, send)
rclpy.spin(node)
