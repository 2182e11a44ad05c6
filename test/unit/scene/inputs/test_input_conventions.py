# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Poses and velocities as simulators mean them, by the parameters of a drone, against rotation matrices."""
from __future__ import annotations

import math

import numpy as np
import pytest
from adapters import make_adapter, make_settings
from cdr_messages import REPRESENTATIONS, sample
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

NS = 1_000_000_000
PLAIN = REPRESENTATIONS[0]
# columns: the axes of the world and of the body in those of ROS
AXES = {'ros': (np.eye(3), np.eye(3)),
        'ned': (np.array([(0, 1, 0), (1, 0, 0), (0, 0, -1.0)]), np.diag((1, -1, -1.0))),
        'rfu': (np.eye(3), np.array([(0, 1, 0), (-1, 0, 0), (0, 0, 1.0)]))}
NUMBERS = st.lists(st.floats(-50, 50), min_size=12, max_size=12)
ZEROS = [0.0] * 36


class Rig:
    """An adapter of one drone d."""

    def __init__(self, node=None, **drone):
        self.adapter = make_adapter(make_settings('d', drone={'d': drone}, node=node))
        self.topics = {t.name: t for t in self.adapter.topics}

    def give(self, topic, kind, stamp, texts, values):
        data = sample(kind, PLAIN, divmod(stamp, NS), texts, list(map(float, values)))
        self.adapter.deliver(self.topics[topic], data, stamp)
        self.adapter.flush()

    @property
    def row(self):
        return self.adapter.scene._fleet.s.sample[0]


def state(numbers, axes):
    """Position, orientation x, y, z, w, and as matrices what takes world and body of `axes` to ROS; velocities."""
    world, body = AXES[axes]
    turn = Rotation.from_rotvec(0.05 * np.array(numbers[:3]))
    return np.array(numbers[3:6]), turn, world, body, np.array(numbers[6:9]), np.array(numbers[9:])


def check(row, position, attitude, linear, angular):
    assert_allclose(row[:3], position, atol=1e-12)
    assert_allclose(Rotation.from_quat((*row[4:7], row[3])).as_matrix(), attitude, atol=1e-12)
    assert_allclose(row[7:10], linear, atol=1e-11)
    assert_allclose(row[10:], angular, atol=1e-11)


@pytest.mark.parametrize('axes', AXES)
@pytest.mark.parametrize('reported', ['', 'body', 'world'])
@pytest.mark.parametrize('child', ['d/base_link', 'world'])
@settings(max_examples=10, deadline=None)
@given(numbers=NUMBERS)
def test_odometry(axes, reported, child, numbers):
    p, turn, world, body, v, w = state(numbers, axes)
    rig = Rig(axes=axes, linear_velocity=reported, accepted_frames=['vehicle'])
    rig.give('d/odom', 'Odometry', NS, ('vehicle', child), [*p, *turn.as_quat(), *ZEROS, *v, *w, *ZEROS])
    attitude = world @ turn.as_matrix() @ body.T
    in_world = child == 'world' and not reported
    check(rig.row, world @ p, attitude,
          world @ v if in_world or reported == 'world' else attitude @ body @ v,
          world @ w if in_world else attitude @ body @ w)


@pytest.mark.parametrize('axes', AXES)
@pytest.mark.parametrize(('frame', 'reported'), [('d_base', ''), ('map', ''), ('base_link', 'world'), ('map', 'body')])
@settings(max_examples=10, deadline=None)
@given(numbers=NUMBERS)
def test_poses_with_twists(axes, frame, reported, numbers):
    """ArduPilot's frame_id is base_link for both, and its linear velocity in the world."""
    p, turn, world, body, v, w = state(numbers, axes)
    rig = Rig(source='pose', axes=axes, linear_velocity=reported, accepted_frames=['base_link'], body_frames=['d_base'])
    rig.give('d/twist', 'TwistStamped', NS, (frame, ''), [*v, *w])
    rig.give('d/pose', 'PoseStamped', NS, ('base_link', ''), [*p, *turn.as_quat()])
    attitude = world @ turn.as_matrix() @ body.T
    in_world = frame == 'map' and not reported
    check(rig.row, world @ p, attitude,
          world @ v if in_world or reported == 'world' else attitude @ body @ v,
          world @ w if in_world else attitude @ body @ w)
    assert not rig.adapter.ledger.counters


def test_a_yaw_of_the_world_turns_velocities_reported_in_it_and_not_those_in_the_body():
    rig = Rig(linear_velocity='world', node={'frame_yaw': 0.5 * math.pi})
    rig.give('d/odom', 'Odometry', NS, ('map', ''), [1, 2, 3, 0, 0, 0, 1, *ZEROS, 1, 0, 0, 1, 0, 0, *ZEROS])
    check(rig.row, (-2, 1, 3), Rotation.from_euler('z', 90, degrees=True).as_matrix(), (0, 1, 0), (0, 1, 0))


def test_airsim_in_both_its_worlds_by_their_topics():
    """Level, nose to the east, climbing: what a NED attitude is, and what its exchange of x and y makes of it."""
    half = math.sqrt(0.5)
    drone = {'axes': 'ned', 'linear_velocity': 'world', 'accepted_frames': ['d'], 'topic_odom_rfu': 'enu'}
    for topic, numbers in (('d/odom', [1, 2, -3, 0, 0, half, half, *ZEROS, 4, 5, -6, 0.1, 0.2, 0.3, *ZEROS]),
                           ('enu', [2, 1, 3, 0, 0, -half, half, *ZEROS, 5, 4, 6, 0.2, 0.1, -0.3, *ZEROS])):
        rig = Rig(**drone)
        rig.give(topic, 'Odometry', NS, ('d', 'd/odom_local'), numbers)
        check(rig.row, (2, 1, 3), np.eye(3), (5, 4, 6), (0.1, -0.2, -0.3))


def test_a_frame_that_is_not_listed_is_still_refused():
    rig = Rig(accepted_frames=['vehicle'])
    rig.give('d/odom', 'Odometry', NS, ('vehicles', ''), [1, 2, 3, 0, 0, 0, 1, *ZEROS, *[0] * 6, *ZEROS])
    assert rig.adapter.ledger.counters == {('wrong_frame', 'd'): 1}


def test_a_topic_may_have_several_names():
    rig = Rig(source='pose', topic_pose='ap/pose,ap/v1/pose,ap/pose', topic_twist='ap/twist,ap/v1/twist')
    received = [name for name in rig.topics if name.startswith('ap')]
    assert received == ['ap/pose', 'ap/v1/pose', 'ap/twist', 'ap/v1/twist']
    for k in range(6):  # both are plain after a while, and the newest twist is used by either
        v = '' if k % 2 else 'v1/'
        if k > 2:
            rig.give(f'ap/{v}twist', 'TwistStamped', NS + k, ('', ''), [k, 0, 0, 0, 0, 0])
        rig.give(f'ap/{v}pose', 'PoseStamped', NS + k, ('', ''), [0, 0, 1, 0, 0, 0, 1])
        assert rig.row[7] == (k if k > 2 else 0)


def test_what_tf_tells_counts_until_a_pose_comes():
    rig = Rig(source='pose_or_tf', tf_frame='d', topic_twist='')
    tree, source = rig.adapter.frames, rig.adapter.drones['d']
    rig.adapter.ask_tf(NS)
    assert source.trouble
    assert rig.adapter.lost_on_tf().keys() == {'d'}
    tree.put('world', 'd', NS, (1, 2, 3), (0, 0, 0, 1))
    rig.adapter.ask_tf(NS)
    rig.adapter.flush()
    assert rig.row[:3].tolist() == [1, 2, 3]
    rig.give('d/pose', 'PoseStamped', NS + 1, ('world', ''), [4, 5, 6, 0, 0, 0, 1])
    tree.put('world', 'd', NS + 2, (7, 8, 9), (0, 0, 0, 1))
    rig.adapter.ask_tf(NS + 2)
    rig.adapter.flush()
    assert rig.row[:3].tolist() == [4, 5, 6]
    assert not rig.adapter.lost_on_tf()
