# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""hand_bridge and hover as processes: recordings, landmarks and a terminal become HandJoints; mistakes are named."""

from __future__ import annotations

import os
import pty
import signal
import termios

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from geometry_msgs.msg import WrenchStamped
from hakoniwa_rigid.msg import HandJoints
from harness import LATCHED, NS, interrupt, stamp_of
from nav_msgs.msg import Odometry
from numpy.testing import assert_allclose
from rclpy.qos import QoSProfile, ReliabilityPolicy

pytestmark = pytest.mark.ros
BEST_EFFORT = QoSProfile(depth=1000, reliability=ReliabilityPolicy.BEST_EFFORT)
BRIDGE, HOVER = 'hakoniwa_rigid.ros.hands.hand_bridge', 'hakoniwa_rigid.ros.simulators.hover'


def wrist(msg):
    p = msg.poses[0].position
    return np.array([p.x, p.y, p.z])


def test_a_recording_waits_and_is_played_at_60_hz(bench):
    hand = bench.start(BRIDGE, 'wait_for_start:=true')
    samples = bench.inbox(HandJoints, 'hands/right', BEST_EFFORT)
    bench.until(lambda: len(samples) > 30, 'samples')
    steps = np.diff([stamp_of(msg) for msg in samples])
    assert (steps > 0).all()
    # stamps lie on the grid of the recording, also where a sample was left out
    assert_allclose(steps / (NS / 60), np.round(steps / (NS / 60)), atol=1e-6)
    first = samples[0]
    assert (first.hand, len(first.poses), len(first.radii), len(first.is_valid)) == ('right', 25, 25, 25)
    assert (first.names[0], first.header.frame_id) == ('wrist', 'world')
    assert min(first.radii) > 0.005
    y = [wrist(msg)[1] for msg in samples]
    assert max(y) == min(y)
    now = samples[-1].header.stamp
    publisher = bench.node.create_publisher(Time, 'start', LATCHED)
    bench.until(publisher.get_subscription_count, 'a reader of start')
    publisher.publish(Time(sec=now.sec, nanosec=now.nanosec))
    bench.until(lambda: wrist(samples[-1])[1] > y[0] + 0.5, 'the stroke')
    assert interrupt(hand, signal.SIGTERM) == 0, hand.output


def test_a_gap_is_silence_and_is_said_once(bench):
    """The shipped wave: gone from 2.4 to 3.2 s, with fingers missing."""
    hand = bench.start(BRIDGE, 'file:=wave_right.npz', 'period:=4.0')
    samples = bench.inbox(HandJoints, 'hands/right', BEST_EFFORT)
    bench.until(lambda: hand.output.count('25 joints in frame') > 1, 'the return')
    # it comes and goes by turns
    said = [line.split('right: ')[1][:8] for line in hand.lines if 'right: ' in line]
    assert said == (['25 joint', 'not seen'] * len(said))[:len(said)]
    bench.until(lambda: np.diff([stamp_of(msg) for msg in samples]).max(initial=0) > 0.7 * NS, 'samples around a gap')
    bench.until(lambda: not all(all(msg.is_valid) for msg in samples), 'a sample with missing joints')


def test_landmarks_of_a_file_become_a_hand_of_21_joints(bench):
    bench.start(BRIDGE, 'source:=mediapipe_file', 'period:=3', 'frame_id:=room')
    samples = bench.inbox(HandJoints, 'hands/right', BEST_EFFORT)
    bench.until(lambda: samples and wrist(samples[-1])[0] > 0.7, 'the push')
    msg = samples[-1]
    assert (len(msg.poses), len(msg.names), len(msg.radii), msg.header.frame_id) == (21, 21, 0, 'room')
    assert all(msg.is_valid)


def test_keys_move_a_hand_and_q_ends_it(bench):
    """A terminal of the test's own; two steps ahead are 6 cm, up one is 3 cm."""
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    hand = bench.start(BRIDGE, 'source:=keyboard', 'hand:=left', 'frame_id:=room', 'position:=[1, 0, 1]', stdin=theirs)
    samples = bench.inbox(HandJoints, 'hands/left', BEST_EFFORT)
    bench.until(lambda: samples, 'samples')
    home = wrist(samples[0])
    assert samples[0].header.frame_id == 'room'
    os.write(ours, b'w\x1b[Ar')
    bench.until(lambda: wrist(samples[-1])[0] > home[0] + 0.0599, 'the steps')
    assert_allclose(wrist(samples[-1]) - home, [0.06, 0.0, 0.03], atol=1e-3)
    moved = np.array([wrist(msg) for msg in samples])
    times = np.array([stamp_of(msg) for msg in samples]) / NS
    speed = np.linalg.norm(np.diff(moved, axis=0), axis=1) / np.diff(times)
    assert speed.max() <= 0.6 * 1.001
    os.write(ours, b'q')
    assert hand.wait() == 0, hand.output
    assert 'q was pressed' in hand.output
    assert termios.tcgetattr(theirs) == before
    os.close(ours)
    os.close(theirs)


@pytest.mark.parametrize(('parameter', 'words'), [
    ('file:=/nowhere.npz', ('parameter file', '/nowhere.npz')),
    ('period:=1.0', ('parameter period', '4 s', 'got 1')),
    ('source:=keyboard', ('source keyboard', 'no terminal', 'ros2 run')),
])
def test_what_is_wrong_is_named(bench, parameter, words):
    process = bench.start(BRIDGE, parameter, stdin=-3)    # subprocess.DEVNULL
    assert process.wait() == 1
    for word in ('error', *words):
        assert word in process.output
    assert 'Traceback' not in process.output


def test_every_drone_of_a_world_hovers(bench, tmp_path):
    world = tmp_path / 'world.yaml'
    world.write_text('drones:\n  - {name: solo, model: api-1, position: [1, 2, 3], rpy: [0, 0, 1.5707963267948966], '
                     'origin: {position: [1, 0, 0], rpy: [0, 0, 1.5707963267948966]}}\n')
    hover = bench.start(HOVER, f'world:={world}', 'rate:=100')
    odometries = bench.inbox(Odometry, 'solo/odom', BEST_EFFORT)
    bench.until(lambda: len(odometries) > 3, 'odometry')
    msg = odometries[0]
    p, q = msg.pose.pose.position, msg.pose.pose.orientation
    # in the frame of its origin: two metres ahead of it, three up, not turned
    assert_allclose([p.x, p.y, p.z, q.x, q.y, q.z, q.w], [2.0, 0.0, 3.0, 0.0, 0.0, 0.0, 1.0], atol=1e-12)
    assert (msg.header.frame_id, msg.child_frame_id) == ('world', 'solo/base_link')
    assert interrupt(hover) == 0, hover.output


def test_a_drone_of_simulate_has_its_motors_off(bench):
    """No force and no torque, in the body; the other drones of a world get none at all."""
    hover = bench.start(HOVER, 'world:=drone_billiards')
    wrenches = bench.inbox(WrenchStamped, 'd6/wrench', BEST_EFFORT)
    bench.until(lambda: len(wrenches) > 1, 'wrenches')
    force, torque = wrenches[0].wrench.force, wrenches[0].wrench.torque
    assert [force.x, force.y, force.z, torque.x, torque.y, torque.z] == [0.0] * 6
    assert wrenches[0].header.frame_id == 'd6/base_link'
    assert interrupt(hover) == 0, hover.output
