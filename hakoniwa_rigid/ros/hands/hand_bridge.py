# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A hand for the collision node, whoever it comes from: ``hands/<name>`` (HandJoints), best effort, stamped with the
time of capture.

Sources (parameter ``source``): ``recording`` (.npz or a bag), ``mediapipe_file`` (landmarks .jsonl, .csv), ``camera``
(MediaPipe live), ``keyboard`` and ``mouse`` (of a terminal). Recorded motion starts when the node starts, or with
``wait_for_start`` at the stamp that the latched topic ``start`` names, and begins again every ``period`` seconds. Where
a source sees no hand nothing is published, and it is said once. Formats and cameras: docs/hand_sources.md.
"""
from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from builtin_interfaces.msg import Time
from rclpy.node import Node

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.msg import HandJoints
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.ros.confined import check_confined
from hakoniwa_rigid.ros.convert import fill_hand
from hakoniwa_rigid.ros.errors import StartError
from hakoniwa_rigid.ros.executor import run
from hakoniwa_rigid.ros.hands import hand_files
from hakoniwa_rigid.ros.hands.hand_params import HAND_BRIDGE
from hakoniwa_rigid.ros.params import Parameters
from hakoniwa_rigid.ros.qos import INPUT, LATCHED
from hakoniwa_rigid.sims.hands.camera import camera
from hakoniwa_rigid.sims.hands.landmark_tracker import LandmarkTracker
from hakoniwa_rigid.sims.hands.motion import HandFileError
from hakoniwa_rigid.sims.hands.player import Player
from hakoniwa_rigid.sims.hands.sample import HandSample, Source, SourceEnded
from hakoniwa_rigid.sims.hands.terminal import open_terminal
from hakoniwa_rigid.sims.hands.webcam import CameraError, Detector, Webcam, open_capture

if TYPE_CHECKING:
    from hakoniwa_rigid.sims.hands.steering import Steering

SILENCE = NANOSECONDS // 2    # ns without a sample after which a hand is said to be gone
TOKEN = re.compile('[A-Za-z_][A-Za-z0-9_]*')
SIDES = ('left', 'right')     # what a camera calls hands


class HandBridge(Node):
    """See the module docstring for topics."""

    def __init__(self) -> None:
        super().__init__('hand_bridge')
        parameters = Parameters(self)
        self.values = parameters.declare(HAND_BRIDGE)
        for name in parameters.unknown():
            self.get_logger().warning(f'parameter {name} is unknown and has no effect')
        self.outlets: dict[str, tuple] = {}          # publisher and message of every hand
        self.last: dict[str, int] = {}               # time of the newest sample of the hands that are there
        self.source: Source | None = None            # as long as there is none there is nothing to close
        self.source = self._source()
        self.start_subscription = self.create_subscription(Time, 'start', self._on_start, LATCHED)

    def _source(self) -> Source:
        """The source that the parameters ask for; StartError names the parameter that does not fit."""
        v, kind = self.values, self.values['source']
        check_confined(v, 'file', 'model', *(() if v['camera'].isdecimal() else ('camera',)))
        try:
            if kind in ('keyboard', 'mouse'):
                return self._steered(kind == 'mouse')
            view = camera(v['width'], v['height'], v['fov'], fx=v['fx'], fy=v['fy'], cx=v['cx'], cy=v['cy'],
                          pose=v['camera_pose'], mirrored=v['mirrored'])
            tracker = LandmarkTracker(view, v['frame_id'], v['palm_length'], v['min_score'], v['swap_labels'])
            return self._webcam(tracker) if kind == 'camera' else self._player(tracker)
        except CameraError as error:
            raise StartError(f'source camera: {error}') from error
        except ValueError as error:
            raise StartError(f'parameter {error}') from error

    def _player(self, tracker: LandmarkTracker) -> Player:
        v = self.values
        standard = 'push_right.jsonl.gz' if v['source'] == 'mediapipe_file' else ''
        try:
            motions = hand_files.read(hand_files.hand_file(v['file'] or standard), tracker)
        except (HandFileError, BagError, OSError) as error:
            raise StartError(f'parameter file: {error}') from error
        player = Player(motions, v['period'], v['wait_for_start'], v['hand'], v['latency'])
        for track in player.tracks:
            self._open(track.name)
        return player

    def _webcam(self, tracker: LandmarkTracker) -> Webcam:
        v = self.values
        if v['hand'] not in ('', *SIDES):
            raise StartError(f"parameter hand: must be 'left', 'right' or '' with a camera, got {v['hand']!r}")
        detector = Detector(v['model'])
        capture = open_capture(v['camera'], v['width'], v['height'])
        for name in [v['hand']] if v['hand'] else SIDES:
            self._open(name)
        return Webcam(capture, detector, tracker, lambda: self.get_clock().now().nanoseconds, v['latency'], v['hand'])

    def _steered(self, mouse: bool) -> Steering:
        from hakoniwa_rigid.sims.hands import steering  # late: scipy's rotations
        v = self.values
        name = v['hand'] or 'right'
        hand = steering.SteeredHand(v['position'], v['yaw'], v['speed'], v['strike_speed'],
                                    'left' if 'left' in name else 'right')
        self._open(name)
        try:
            terminal = open_terminal(mouse)
        except OSError as error:
            raise StartError(f'source {v["source"]}: there is no terminal ({error}); start the node in one with '
                             '`ros2 run hakoniwa_rigid hand_bridge`') from error
        self.get_logger().info(steering.MOUSE_HELP if mouse else steering.HELP)
        return steering.Steering(terminal, hand, name, v['frame_id'], v['rate'])

    def _open(self, hand: str) -> None:
        """The outlet of a hand, before its first sample: readers find it early."""
        if not TOKEN.fullmatch(hand):
            raise StartError(f'parameter hand: {hand!r} cannot be part of a topic: letters, digits and _, no digit '
                             'first')
        self.outlets[hand] = self.create_publisher(HandJoints, f'hands/{hand}', INPUT), HandJoints(hand=hand)

    def rest(self) -> float | None:
        """s until the source has work."""
        now, simulated = self._now(), self.get_clock().ros_time_is_active
        if simulated and not now:
            return None    # no /clock has come yet
        due = min([self.source.due(now), *(stamp + SILENCE for stamp in self.last.values())])
        if due <= now:
            return 0.0
        return None if simulated else (due - now) / NANOSECONDS

    def _now(self) -> int:
        return self.get_clock().now().nanoseconds

    def tick(self) -> None:
        """Publish what the source has."""
        try:
            for sample in self.source.samples(self._now()):
                self._publish(sample)
        except SourceEnded as end:
            self.get_logger().info(f'the end: {end}')
            self.context.try_shutdown()
            return
        except CameraError as error:
            self.get_logger().error(str(error), throttle_duration_sec=1.0)
        self._report()

    def _publish(self, sample: HandSample) -> None:
        publisher, msg = self.outlets[sample.hand]
        if sample.hand not in self.last:
            self.get_logger().info(f'{sample.hand}: {len(sample.positions)} joints in frame {sample.frame!r}')
        self.last[sample.hand] = sample.stamp_ns
        fill_hand(msg, sample)
        publisher.publish(msg)

    def _report(self) -> None:
        """Say once that a hand went away."""
        now = self._now()
        for hand in [hand for hand, stamp in self.last.items() if now - stamp >= SILENCE]:
            del self.last[hand]
            why = '; '.join(reason for reason in self.source.refused if reason.startswith(hand))
            self.get_logger().warning(f'{hand}: not seen for {SILENCE / NANOSECONDS:g} s{f" ({why})" if why else ""}')

    def _on_start(self, msg: Time) -> None:
        self.source.start(msg.sec * NANOSECONDS + msg.nanosec)

    def destroy_node(self) -> None:
        """Leave the terminal or the camera as they were."""
        if self.source is not None:
            self.source.close()
        super().destroy_node()


def main(args: list[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    return run(HandBridge, args)


if __name__ == '__main__':
    sys.exit(main())
