# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Lockstep over ROS: a simulator in Python joins a collision node that runs with `pace: lockstep`.

    lockstep = join(node, ['d0', 'd1'])
    states = lockstep.step(stamp_ns, positions, orientations, linear_velocities, angular_velocities)

States go out on `fleet/states` and come back on `fleet/states_corrected`, through a node of its own that no executor
serves: nothing else takes its messages.
"""
from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import rclpy
from rcl_interfaces.srv import GetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rosgraph_msgs.msg import Clock

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.lockstep import Lockstep, LockstepError
from hakoniwa_rigid.msg import FleetState

from .convert import set_stamp
from .punctual import be_punctual
from .qos import STATES, never_called

__all__ = ['RosLink', 'join']

# s; between two looks for a message: a tick takes ten times as long
POLL = 3e-5
# s; between two looks for the node while it starts, and between two questions to it
LOOK, ASK = 0.02, 1.0
PARAMETERS = ('pace', 'rate')


class RosLink:
    """The topics.  `clock`: publish /clock, too, the stamp of every step before its states."""

    def __init__(self, node: Node, clock: bool = False) -> None:
        self._thread = 0    # whose sleeps end on time
        self._node = rclpy.create_node(f'{node.get_name()}_lockstep', context=node.context,
                                       namespace=node.get_namespace(), start_parameter_services=False)
        self._publisher = self._node.create_publisher(FleetState, 'fleet/states', STATES)
        self._subscription = self._node.create_subscription(FleetState, 'fleet/states_corrected', never_called, STATES,
                                                            raw=True)
        self._clock = self._node.create_publisher(Clock, '/clock', STATES) if clock else None

    def close(self) -> None:
        """Leave the topics."""
        self._node.destroy_node()

    def meet(self, timeout: float) -> int:
        """Wait until the node knows both topics; returns its period, ns.  LockstepError names what is missing.

        Nodes hear of endpoints in the order in which they were made: one that answers a client made after the topics
        knows them.
        """
        end = time.monotonic() + timeout
        while not (name := self._name()):
            if time.monotonic() > end or not self._node.context.ok():
                raise LockstepError(f'within {timeout:g} s: {self.fault()}')
            time.sleep(LOOK)
        pace, rate = self._ask(name, end)
        if pace != 'lockstep':
            raise LockstepError(f'parameter pace of {name}: must be lockstep, got {pace or "none"}')
        return round(NANOSECONDS / rate)

    def _name(self) -> str:
        """The full name of the node that publishes the corrected states; '' where it is not known yet."""
        ends = self._node.get_publishers_info_by_topic(self._subscription.topic_name)
        names = [f'{e.node_namespace.rstrip("/")}/{e.node_name}' for e in ends if 'UNKNOWN' not in e.node_name]
        return names[0] if names and self._publisher.get_subscription_count() else ''

    def _ask(self, name: str, end: float) -> tuple[str, float]:
        helper = rclpy.create_node(f'{self._node.get_name()}_start', context=self._node.context,
                                   start_parameter_services=False)
        executor = SingleThreadedExecutor(context=self._node.context)
        executor.add_node(helper)
        try:
            client = helper.create_client(GetParameters, f'{name}/get_parameters')
            answer, asked = None, 0.0
            while answer is None or not answer.done():
                now = time.monotonic()
                if now > end or not self._node.context.ok():
                    raise LockstepError(f'{name} does not answer what its parameters {", ".join(PARAMETERS)} are')
                if client.service_is_ready() and now > asked + ASK:
                    answer, asked = client.call_async(GetParameters.Request(names=PARAMETERS)), now
                executor.spin_once(timeout_sec=LOOK)
            values = answer.result().values
        finally:
            executor.shutdown()
            helper.destroy_node()
        if len(values) != len(PARAMETERS):
            raise LockstepError(f'{name} has no parameters {", ".join(PARAMETERS)}: is it another node?')
        return values[0].string_value, values[1].double_value or 1.0

    def send(self, stamp_ns: int, data: bytes) -> None:
        """See Link."""
        if self._clock is not None:
            msg = Clock()
            set_stamp(msg.clock, stamp_ns)
            self._clock.publish(msg)
        self._publisher.publish(data)

    def receive(self) -> bytes | None:
        """See Link."""
        taken = self._subscription.handle.take_message(FleetState, True)
        return None if taken is None else taken[0]

    def rest(self) -> None:
        """See Link."""
        if not self._node.context.ok():
            raise LockstepError('ROS was shut down')
        if self._thread != (thread := threading.get_ident()):
            self._thread = thread
            be_punctual()
        time.sleep(POLL)

    def fault(self) -> str:
        """See Link."""
        if not self._publisher.get_subscription_count():
            return f'no node reads {self._publisher.topic_name}'
        if not self._subscription.get_publisher_count():
            return f'no node publishes {self._subscription.topic_name}'
        return ''


def join(node: Node, names: Sequence[str], *, timeout: float = 10.0, start_timeout: float = 120.0,
         clock: bool = False) -> Lockstep:
    """The drones `names` of the simulator of `node` in lockstep with the collision node in its namespace.

    timeout: s that an answer may take; start_timeout: s that the node may take to appear, which may have to compile.
    clock: publish /clock.  LockstepError names what is missing.
    """
    link = RosLink(node, clock)
    try:
        return Lockstep(link, names, link.meet(start_timeout), timeout)
    except LockstepError:
        link.close()
        raise
