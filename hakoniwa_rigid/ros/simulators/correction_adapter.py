# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The glue a user writes once for his simulator: when a drone took an impulse, hand its corrected state to the
simulator.

Subscribes ``contact_events`` and ``<drone>/odom_corrected`` of the collision node; publishes ``<drone>/set_state``,
the input by which this simulator lets a vehicle's state be overwritten. One message per drone and impulse: in free
flight the simulator is left alone, and lying on a table it gets the report as often as the contact is reported.
"""
from __future__ import annotations

import sys
from functools import partial

from nav_msgs.msg import Odometry
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.node import Node

from hakoniwa_rigid.msg import ContactEvent, ContactEventArray
from hakoniwa_rigid.ros.executor import run
from hakoniwa_rigid.ros.qos import EVENTS, STATES

DEMO_DRONES = ['d0', 'd1', 'd2', 'd3', 'd4', 'd5']


class CorrectionAdapter(Node):
    """See the module docstring for topics."""

    def __init__(self) -> None:
        super().__init__('correction_adapter')
        text = 'Names of the drones whose corrections are handed to the simulator.'
        descriptor = ParameterDescriptor(description=text, read_only=True)
        drones = self.declare_parameter('drones', DEMO_DRONES, descriptor).value
        self.impulses: dict[str, tuple[int, int]] = {}   # stamp (s, ns) of the newest impulse not handed on yet
        self.simulator = {name: self.create_publisher(Odometry, f'{name}/set_state', STATES) for name in drones}
        for name in drones:
            self.create_subscription(Odometry, f'{name}/odom_corrected', partial(self._on_state, name), STATES)
        self.create_subscription(ContactEventArray, 'contact_events', self._on_events, EVENTS)

    def _on_events(self, msg: ContactEventArray) -> None:
        for event in msg.events:
            j, stamp = event.impulse, event.header.stamp
            if event.phase != ContactEvent.END and (j.x, j.y, j.z) != (0.0, 0.0, 0.0):
                for name in {event.body_a, event.body_b} & set(self.simulator):
                    self.impulses[name] = (stamp.sec, stamp.nanosec)

    def _on_state(self, name: str, msg: Odometry) -> None:
        # the first corrected state that has the impulse in it
        stamp = msg.header.stamp
        if name in self.impulses and (stamp.sec, stamp.nanosec) >= self.impulses[name]:
            del self.impulses[name]
            self.simulator[name].publish(msg)


def main(args: list[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    return run(CorrectionAdapter, args)


if __name__ == '__main__':
    sys.exit(main())
