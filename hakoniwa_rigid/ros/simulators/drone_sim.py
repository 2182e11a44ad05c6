# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The RotorPy swarm as a node: a third-party drone simulator that knows nothing of this project.

Publishes ``<drone>/odom`` (nav_msgs/Odometry, world ENU, twist in child FLU) and ``<drone>/wrench``
(geometry_msgs/WrenchStamped, rotor thrust and torque about the centre of mass, body FLU), both best effort, in fixed
steps locked to ROS time. Takes ``<drone>/set_state`` (nav_msgs/Odometry), which overwrites the state of one vehicle
as simulators commonly allow.

With ``lockstep`` it goes on step by step with a collision node whose ``pace`` is lockstep, as fast as both can: states
go out on ``fleet/states``, and what has touched something takes over its state of ``fleet/states_corrected``.

The courses begin when the node starts, or with ``wait_for_start`` at the stamp that the latched topic ``start``
names; until then the vehicles hover at their first waypoint.
"""
from __future__ import annotations

import sys

from builtin_interfaces.msg import Time
from geometry_msgs.msg import WrenchStamped
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor
from rclpy.node import Node

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.lockstep.errors import LockstepError
from hakoniwa_rigid.lockstep.states import IN_CONTACT, States
from hakoniwa_rigid.paths import config_file
from hakoniwa_rigid.ros.errors import StartError
from hakoniwa_rigid.ros.executor import run
from hakoniwa_rigid.ros.qos import INPUT, LATCHED, STATES
from hakoniwa_rigid.sims.courses import CourseError, read_courses
from hakoniwa_rigid.sims.rotorpy_swarm import Swarm, VehicleState

# steps made up for in one callback after a pause of the process; what lies further back is skipped and counted
CATCH_UP_STEPS = 10
# lockstep: the first stamp, ns (0 would mean none), and steps between two looks at services and signals
FIRST_STAMP, STEPS_AT_ONCE = NANOSECONDS, 10


def turned(q, v) -> tuple[float, float, float]:
    """R(q) v for a unit quaternion xyzw and a vector: body to world."""
    x, y, z, w = q
    a, b, c = v
    tx, ty, tz = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz, c + w * tz + x * ty - y * tx


def turned_back(q, v) -> tuple[float, float, float]:
    """R(q)^T v: world to body."""
    x, y, z, w = q
    return turned((-x, -y, -z, w), v)


def fields(vector) -> tuple[float, ...]:
    """A Point, Vector3 or Quaternion as a tuple in the order x, y, z(, w)."""
    return tuple(getattr(vector, name) for name in 'xyzw' if hasattr(vector, name))


class DroneSim(Node):
    """See the module docstring for topics."""

    def __init__(self) -> None:
        super().__init__('drone_sim')
        rates = ParameterDescriptor(description='Step and output rate, Hz.', read_only=True,
                                    floating_point_range=[FloatingPointRange(from_value=10.0, to_value=1000.0)])
        self.rate = self.declare_parameter('rate', 100.0, rates).value
        file = self._string('courses', '', 'Course file (YAML); empty: config/demo_courses.yaml of this package.')
        self.frame = self._string('frame_id', 'world', 'Frame of the published odometry.')
        wait = self.declare_parameter('wait_for_start', False, ParameterDescriptor(
            description='Hover until the topic start names the stamp of the beginning.', read_only=True)).value
        self.in_lockstep = self._flag('lockstep', 'Step together with a collision node whose pace is lockstep.')
        self._has_clock = self._flag('publish_clock', 'Publish /clock, in lockstep.')
        try:
            self.swarm = Swarm(read_courses(file or config_file('demo_courses.yaml')), dt=1.0 / self.rate)
        except (CourseError, FileNotFoundError) as error:
            raise StartError(f'parameter courses: {error}') from error

        self.waiting, self.start_ns = wait, None
        self.epoch, self.steps, self.skipped = None, 0, 0
        self.outputs = {name: self._endpoints(name) for name in self.swarm.names}
        self.start_subscription = self.create_subscription(Time, 'start', self._on_start, LATCHED)
        self.lockstep = None    # the client, from the first step together on
        if self.in_lockstep:
            self.epoch = FIRST_STAMP
        else:
            self.timer = self.create_timer(1.0 / self.rate, self._on_timer)
        self.get_logger().info(f'{len(self.swarm.names)} drones at {self.rate:g} Hz: {", ".join(self.swarm.names)}')

    def _string(self, name: str, default: str, text: str) -> str:
        return self.declare_parameter(name, default, ParameterDescriptor(description=text, read_only=True)).value

    def _flag(self, name: str, text: str) -> bool:
        return self.declare_parameter(name, False, ParameterDescriptor(description=text, read_only=True)).value

    def rest(self) -> float | None:
        """s until the next steps in lockstep; None where the timer steps."""
        return 0.0 if self.in_lockstep else None

    def tick(self) -> None:
        """Some steps in lockstep.  StartError where the node does not go on with it."""
        try:
            if self.lockstep is None:
                from hakoniwa_rigid.ros.lockstep import join  # late: it serialises with compiled code
                self.lockstep = join(self, self.swarm.names, clock=self._has_clock)
            for _ in range(STEPS_AT_ONCE):
                self._step_together()
        except LockstepError as error:
            if self.context.ok():
                raise StartError(f'lockstep: {error}') from error

    def _step_together(self) -> None:
        begun = self._stamp(self.steps)
        if not self.waiting and self.start_ns is None:
            self.start_ns = begun
        self.swarm.step(-1.0 if self.start_ns is None else (begun - self.start_ns) / NANOSECONDS)
        self.steps += 1
        states = [self.swarm.state(name) for name in self.swarm.names]
        self._take_over(self.lockstep.step(
            self._stamp(self.steps), [s.position for s in states], [s.orientation for s in states],
            [s.velocity for s in states], [s.body_rates for s in states]))

    def _take_over(self, corrected: States) -> None:
        """The simulator goes on from the corrected state of what touches something."""
        for k in (corrected.flags & IN_CONTACT).nonzero()[0].tolist():
            self.swarm.set_state(self.swarm.names[k], corrected.positions[k], corrected.orientations_xyzw[k],
                                 corrected.linear_velocities[k], corrected.angular_velocities[k])

    def _endpoints(self, name: str) -> tuple:
        """Publishers and reusable messages of one drone; its set_state subscription lives as long as the node."""
        odometry, wrench = Odometry(), WrenchStamped()
        odometry.header.frame_id = self.frame
        odometry.child_frame_id = wrench.header.frame_id = f'{name}/base_link'
        self.create_subscription(Odometry, f'{name}/set_state', lambda msg: self._on_set_state(name, msg), STATES)
        return (self.create_publisher(Odometry, f'{name}/odom', INPUT), odometry,
                self.create_publisher(WrenchStamped, f'{name}/wrench', INPUT), wrench)

    def _on_start(self, msg: Time) -> None:
        self.start_ns = msg.sec * NANOSECONDS + msg.nanosec

    def _on_set_state(self, name: str, msg: Odometry) -> None:
        pose, twist = msg.pose.pose, msg.twist.twist
        q = fields(pose.orientation)
        try:
            self.swarm.set_state(name, fields(pose.position), q, turned(q, fields(twist.linear)), fields(twist.angular))
        except ValueError as error:
            self.get_logger().warning(f'{name}/set_state ignored: {error}', throttle_duration_sec=1.0)

    def _stamp(self, step: int) -> int:
        return self.epoch + step * NANOSECONDS // round(self.rate)

    def _on_timer(self) -> None:
        now = self.get_clock().now().nanoseconds
        if self.epoch is None or now < self._stamp(self.steps) - NANOSECONDS:
            # the first call, or a simulated clock that was set back
            self.epoch, self.steps = now, 0
            if not self.waiting and self.start_ns is None:
                self.start_ns = now
        due = (now - self.epoch) * round(self.rate) // NANOSECONDS - self.steps
        if due > CATCH_UP_STEPS:
            behind = due - CATCH_UP_STEPS
            self.epoch += behind * NANOSECONDS // round(self.rate)
            self.skipped += behind
            text = f'behind ROS time: {self.skipped} steps skipped so far'
            self.get_logger().warning(text, throttle_duration_sec=1.0)
            due = CATCH_UP_STEPS
        for _ in range(due):
            self._step()

    def _step(self) -> None:
        begun = self._stamp(self.steps)
        self.swarm.step(-1.0 if self.start_ns is None else (begun - self.start_ns) / NANOSECONDS)
        self.steps += 1
        for name in self.swarm.names:
            self._publish(name, self._stamp(self.steps), self.swarm.state(name))

    def _publish(self, name: str, stamp: int, state: VehicleState) -> None:
        odom_publisher, odometry, wrench_publisher, wrench = self.outputs[name]
        for header in (odometry.header, wrench.header):
            header.stamp.sec, header.stamp.nanosec = divmod(stamp, NANOSECONDS)
        pose, twist = odometry.pose.pose, odometry.twist.twist
        p, q, v, w = pose.position, pose.orientation, twist.linear, twist.angular
        p.x, p.y, p.z = state.position.tolist()
        q.x, q.y, q.z, q.w = orientation = state.orientation.tolist()
        v.x, v.y, v.z = turned_back(orientation, state.velocity.tolist())
        w.x, w.y, w.z = state.body_rates.tolist()
        odom_publisher.publish(odometry)
        force, torque = self.swarm.wrench(name)
        f, t = wrench.wrench.force, wrench.wrench.torque
        f.x, f.y, f.z = force.tolist()
        t.x, t.y, t.z = torque.tolist()
        wrench_publisher.publish(wrench)


def main(args: list[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    return run(DroneSim, args)


if __name__ == '__main__':
    sys.exit(main())
