"""Plays a recorded hand motion as a tracker would send it: ``hands/<name>`` (HandJoints), best effort, at the
recording's rate.

Each sample carries its capture time. The motion starts when the node starts, or with ``wait_for_start`` at the stamp
that the latched topic ``start`` names, and begins again every ``period`` seconds; before and between strokes the
first or last pose is sent. The file format is described in hakoniwa_rigid/sims/hand_motion.py.
"""
from __future__ import annotations

import sys
from array import array

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Pose, Quaternion
from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor
from rclpy.node import Node

from hakoniwa_rigid.msg import HandJoints
from hakoniwa_rigid.paths import config_file
from hakoniwa_rigid.ros.errors import StartError
from hakoniwa_rigid.ros.executor import run
from hakoniwa_rigid.ros.qos import INPUT, LATCHED
from hakoniwa_rigid.sims.hand_motion import HandMotion, read_motion

NANOSECONDS = 1_000_000_000


def messages(motion: HandMotion, hand: str) -> list[HandJoints]:
    """One message per sample, complete but for the stamp."""
    result = []
    for k in range(len(motion.times)):
        msg = HandJoints(hand=hand, names=list(motion.names), radii=array('f', motion.radii.tolist()),
                         is_valid=motion.is_valid[k].tolist())
        msg.header.frame_id = motion.frame
        for (x, y, z), (a, b, c, w) in zip(motion.positions[k].tolist(), motion.orientations[k].tolist(), strict=True):
            msg.poses.append(Pose(position=Point(x=x, y=y, z=z), orientation=Quaternion(x=a, y=b, z=c, w=w)))
        result.append(msg)
    return result


class HandPlayer(Node):
    """See the module docstring for topics."""

    def __init__(self) -> None:
        super().__init__('hand_player')
        file = self._declare('motion', '', 'Recording (.npz); empty: config/hands/strike_right.npz of this package.')
        hand = self._declare('hand', '', 'Name of the hand; empty: the name in the recording.')
        self.period = self._declare('period', 10.0, 'Time from one stroke to the next, s; 0 plays once.', (0.0, 3600.0))
        self.waiting = self._declare('wait_for_start', False, 'Wait for a stamp on the topic start.')
        try:
            self.motion = read_motion(file or config_file('hands', 'strike_right.npz'))
        except (ValueError, FileNotFoundError) as error:
            raise StartError(f'parameter motion: {error}') from error
        if 0.0 < self.period < self.motion.duration:
            raise StartError(f'parameter period: must be 0 or at least the {self.motion.duration:g} s of the motion, '
                             f'got {self.period:g}')
        self.messages = messages(self.motion, hand or self.motion.hand)
        self.sample_ns = round(self.motion.duration / (len(self.messages) - 1) * NANOSECONDS)
        self.start_ns = self.origin = self.last = None
        self.publisher = self.create_publisher(HandJoints, f'hands/{hand or self.motion.hand}', INPUT)
        self.start_subscription = self.create_subscription(Time, 'start', self._on_start, LATCHED)
        self.timer = self.create_timer(self.sample_ns / NANOSECONDS, self._on_timer)

    def _declare(self, name: str, default, text: str, limits: tuple[float, float] | None = None):
        descriptor = ParameterDescriptor(description=text, read_only=True)
        if limits:
            descriptor.floating_point_range = [FloatingPointRange(from_value=limits[0], to_value=limits[1])]
        return self.declare_parameter(name, default, descriptor).value

    def _on_start(self, msg: Time) -> None:
        self.start_ns = msg.sec * NANOSECONDS + msg.nanosec

    def _on_timer(self) -> None:
        now = self.get_clock().now().nanoseconds
        if self.origin is None or now < self.last - NANOSECONDS:
            # the first call, or a simulated clock that was set back
            self.origin, self.last = now, now - self.sample_ns
            if not self.waiting and self.start_ns is None:
                self.start_ns = now
        # the capture time is the newest grid point; a late timer leaves samples out, as trackers do
        stamp = self.origin + (now - self.origin + self.sample_ns // 4) // self.sample_ns * self.sample_ns
        if stamp <= self.last:
            return
        self.last = stamp
        msg = self.messages[self.motion.index_at(self._motion_time(stamp))]
        msg.header.stamp.sec, msg.header.stamp.nanosec = divmod(stamp, NANOSECONDS)
        self.publisher.publish(msg)

    def _motion_time(self, stamp: int) -> float:
        """Where in the recording the hand is at ``stamp``, s."""
        if self.start_ns is None or stamp < self.start_ns:
            return 0.0
        t = (stamp - self.start_ns) / NANOSECONDS
        return t % self.period if self.period > 0.0 else t


def main(args: list[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    return run(HandPlayer, args)


if __name__ == '__main__':
    sys.exit(main())
