# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A node around a simulator in Python (`sims.simulator`): it flies the drones d0, d1, ... in real time and does what
the collision node asks for, by authority.

    fly('pyflyt', PyFlyt)       # python pyflyt_node.py observe 0,0,1:1.2,0,1

`observe`: sends ``<drone>/odom`` and applies the impulses of ``contact_events``.  `correct`: sends ``<drone>/odom`` and
takes ``<drone>/set_state``, which the correction_adapter sends.  `simulate`: sends ``<drone>/wrench`` and takes
``<drone>/odom_corrected``.
"""
from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import rclpy
from geometry_msgs.msg import WrenchStamped
from nav_msgs.msg import Odometry
from rclpy.node import Node
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.msg import ContactEvent, ContactEventArray
from hakoniwa_rigid.ros.convert import set_stamp
from hakoniwa_rigid.ros.errors import StartError
from hakoniwa_rigid.ros.executor import run
from hakoniwa_rigid.ros.qos import EVENTS, INPUT, STATES
from hakoniwa_rigid.sims.simulator import Reckoning, Simulator, State, kick, wrench

__all__ = ['SimulatorNode', 'fly']

AUTHORITIES = 'observe', 'correct', 'simulate'
# steps made up for in one call after a pause of the process; what lies further back is skipped
CATCH_UP = 10
USAGE = 'observe|correct|simulate X,Y,Z:X,Y,Z [start:goal of the next drone ...]'


def fly(name: str, make: Callable[[np.ndarray, np.ndarray], Simulator]) -> None:
    """Run a simulator `make`(starts (N,3), goals (N,3)), m in the world, as the command line says; ends the process."""
    def node() -> SimulatorNode:
        authority, starts, goals = read(rclpy.utilities.remove_ros_args(sys.argv)[1:])
        return SimulatorNode(name, make(starts, goals), len(starts), authority)
    sys.exit(run(node))


def read(words: Sequence[str]) -> tuple[str, np.ndarray, np.ndarray]:
    """Authority, starts (N,3) and goals (N,3) of a command line; StartError where it is none."""
    authority, *courses = words or ('',)
    if authority not in AUTHORITIES or not courses:
        raise StartError(f'the arguments must be {USAGE}, got {" ".join(words) or "none"}')
    try:
        places = np.array([[[float(c) for c in place.split(',')] for place in course.split(':')] for course in courses])
    except ValueError:
        places = np.zeros(0)
    if places.shape != (len(courses), 2, 3) or not np.isfinite(places).all():
        raise StartError(f'each drone needs X,Y,Z:X,Y,Z, its start and its goal in metres, got {" ".join(courses)}')
    return authority, places[:, 0], places[:, 1]


class SimulatorNode(Node):
    """See the module; a simulator of `count` drones."""

    def __init__(self, name: str, sim: Simulator, count: int, authority: str) -> None:
        super().__init__(name)
        self.sim, self.names, self._led = sim, [f'd{k}' for k in range(count)], authority != 'simulate'
        kind, topic = (Odometry, 'odom') if self._led else (WrenchStamped, 'wrench')
        self._outputs = [(self.create_publisher(kind, f'{name}/{topic}', INPUT), kind()) for name in self.names]
        # the scene has the force of a step when the step is over
        self._reckoning = [Reckoning(sim.dt) for _ in self.names]
        if authority == 'observe':
            self.create_subscription(ContactEventArray, 'contact_events', self._on_events, EVENTS)
        topic, listen = ('set_state', self._on_state) if self._led else ('odom_corrected', self._on_shown)
        for k, drone in enumerate(self.names if authority != 'observe' else ()):
            self.create_subscription(Odometry, f'{drone}/{topic}', partial(listen, k), STATES)
        # the newest that came since the last step, by drone
        self._shown: dict[int, Odometry] = {}
        self._compile()
        self._epoch, self._steps = self.get_clock().now().nanoseconds, 0

    def _compile(self) -> None:
        """A step that is taken back: simulators compile in their first one, and the clock does not run yet."""
        states = [self.sim.state(k) for k in range(len(self.names))]
        self.sim.step()
        for k, state in enumerate(states):
            self.sim.put(k, *state)

    def rest(self) -> float:
        """s until the next step is due."""
        due = self._stamp(self._steps + 1) - self.get_clock().now().nanoseconds
        if not -CATCH_UP * self.sim.dt * NANOSECONDS <= due <= 2.0 * self.sim.dt * NANOSECONDS:
            # a pause, or a clock that was set
            self._epoch -= due
            due = 0
        return max(0.0, due / NANOSECONDS)

    def tick(self) -> None:
        """A step, and what it came to."""
        for k, msg in self._shown.items():
            stamp = msg.header.stamp.sec + msg.header.stamp.nanosec / NANOSECONDS
            self.sim.put(k, *self._reckoning[k].correct(stamp, _state(msg), self.sim.state(k)))
        self._shown.clear()
        before = [self.sim.state(k) for k in range(len(self.names))]
        self.sim.step()
        self._steps += 1
        for k, (publisher, msg) in enumerate(self._outputs):
            after = self.sim.state(k)
            set_stamp(msg.header.stamp, self._stamp(self._steps))
            if self._led:
                self._fill_odometry(msg, k, after)
            else:
                self._reckoning[k].note(self._stamp(self._steps) / NANOSECONDS, after)
                msg.header.frame_id = f'{self.names[k]}/base_link'
                force, torque = wrench(self.sim, before[k], after)
                _fill(msg.wrench.force, force), _fill(msg.wrench.torque, torque)
            publisher.publish(msg)

    def _stamp(self, steps: int) -> int:
        return self._epoch + round(steps * self.sim.dt * NANOSECONDS)

    def _fill_odometry(self, msg: Odometry, k: int, state: State) -> None:
        msg.header.frame_id, msg.child_frame_id = 'world', f'{self.names[k]}/base_link'
        pose, twist, turn = msg.pose.pose, msg.twist.twist, Rotation.from_quat(state[1]).inv()
        _fill(pose.position, state[0]), _fill(pose.orientation, state[1])
        _fill(twist.linear, turn.apply(state[2])), _fill(twist.angular, turn.apply(state[3]))

    def _on_events(self, msg: ContactEventArray) -> None:
        """Apply every impulse once; END repeats them."""
        for e in msg.events:
            for name, *change in ((e.body_a, e.delta_v_a, e.delta_omega_a), (e.body_b, e.delta_v_b, e.delta_omega_b)):
                if name in self.names and e.phase != ContactEvent.END:
                    kick(self.sim, self.names.index(name), *map(_three, change))

    def _on_state(self, k: int, msg: Odometry) -> None:
        self.sim.put(k, *_state(msg))

    def _on_shown(self, k: int, msg: Odometry) -> None:
        self._shown[k] = msg


def _three(v) -> np.ndarray:
    """(3,) of a message."""
    return np.array((v.x, v.y, v.z))


def _fill(target, values: np.ndarray) -> None:
    """Numbers into x, y, z (and w) of a message."""
    for axis, value in zip('xyzw', values.tolist(), strict=False):
        setattr(target, axis, value)


def _state(msg: Odometry) -> State:
    """The state in the world of an odometry, whose twist is in the body."""
    q, twist = msg.pose.pose.orientation, msg.twist.twist
    turn = Rotation.from_quat((q.x, q.y, q.z, q.w))
    velocities = [turn.apply(_three(v)) for v in (twist.linear, twist.angular)]
    return _three(msg.pose.pose.position), turn.as_quat(), *velocities
