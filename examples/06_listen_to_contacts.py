# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Print every contact that the collision node reports. Start it beside `hakoniwa-rigid demo` or your own set-up."""
import sys

import rclpy
from hakoniwa_rigid.msg import ContactEvent, ContactEventArray
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node

PHASES = {getattr(ContactEvent, name): name for name in ('BEGIN', 'PERSIST', 'END')}


def line(event):
    """One contact event in words; the impulse is the one on body_b, world frame."""
    stamp, j, v = event.header.stamp, event.impulse, event.relative_velocity_before
    closing = -(v.x * event.normal.x + v.y * event.normal.y + v.z * event.normal.z)
    return (f'{stamp.sec}.{stamp.nanosec:09d} {PHASES[event.phase]:7s} {event.body_a} - {event.body_b}: '
            f'impulse ({j.x:+.3f}, {j.y:+.3f}, {j.z:+.3f}) N s, closing at {closing:.2f} m/s')


class Listener(Node):
    """Subscribes contact_events; one message holds all events of one tick."""

    def __init__(self):
        super().__init__('contact_listener')
        # the node sends reliably; a long queue keeps every impulse while we print
        self.create_subscription(ContactEventArray, 'contact_events', self.on_events, 1000)

    def on_events(self, msg):
        """Yours: play a sound, count a score, change the state of your simulator (see correction_adapter)."""
        for event in msg.events:
            print(line(event), flush=True)


def main():
    """Until Ctrl-C."""
    rclpy.init(args=sys.argv)
    try:
        rclpy.spin(Listener())
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        rclpy.try_shutdown()


if __name__ == '__main__':
    main()
