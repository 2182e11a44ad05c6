# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A stand-in for `ros2 bag play BAG --clock HZ --rate R --delay S [--topics T ...]`, where rosbag2 is not installed.

It publishes the bytes of a bag and /clock; test/launch puts it on PATH as `ros2`.
"""
import argparse
import sys
import time
from importlib import import_module

import rclpy
from builtin_interfaces.msg import Time
from rosgraph_msgs.msg import Clock

from hakoniwa_rigid.replay.bag.reader import Bag

NS = 1_000_000_000


def options():
    parser = argparse.ArgumentParser(prog='ros2')
    parser.add_argument('words', nargs=2)
    parser.add_argument('bag')
    for name in ('--clock', '--rate', '--delay'):
        parser.add_argument(name, type=float, required=True)
    parser.add_argument('--topics', nargs='*')
    return parser.parse_args()


def kind_of(name):
    package, folder, kind = name.split('/')
    return getattr(import_module(f'{package}.{folder}'), kind)


def main():
    asked = options()
    if asked.words != ['bag', 'play']:
        sys.exit(f'ros2 {" ".join(asked.words)}: only `bag play` is played here')
    rclpy.init()
    node = rclpy.create_node('rosbag2_player')
    clock = node.create_publisher(Clock, '/clock', 10)
    with Bag(asked.bag) as bag:
        topics = {t.name: node.create_publisher(kind_of(t.type), t.name, 100) for t in bag.topics
                  if not asked.topics or t.name in asked.topics}
        time.sleep(asked.delay)
        begun, tick = time.monotonic(), bag.start_ns
        for message in bag.messages(topics):
            while tick <= message.stamp_ns:
                late = begun + (tick - bag.start_ns) / NS / asked.rate - time.monotonic()
                time.sleep(max(late, 0.0))
                clock.publish(Clock(clock=Time(sec=tick // NS, nanosec=tick % NS)))
                tick += round(NS / asked.clock)
            topics[message.topic].publish(bytes(message.data))
    time.sleep(0.5)
    rclpy.shutdown()


if __name__ == '__main__':
    main()
