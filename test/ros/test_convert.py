# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Messages against the records they come from, and the numbers that are read out of them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from geometry_msgs.msg import Pose
from hakoniwa_rigid.msg import ContactEvent, HandJoints
from nav_msgs.msg import Odometry
from numpy.testing import assert_array_equal
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.codec import message_fields as numbers
from hakoniwa_rigid.ros import convert
from hakoniwa_rigid.scene import ContactEventRecord, Kind, Phase

ROTATIONS = Rotation.random(20, random_state=np.random.default_rng(7))
VECTORS = np.random.default_rng(8).normal(size=(20, 3))


@pytest.mark.parametrize('ns', [0, 1, 999_999_999, 1_000_000_000, 1_795_000_000_123_456_789])
def test_stamps_are_exact(ns):
    msg = Odometry()
    convert.set_stamp(msg.header.stamp, ns)
    assert numbers.stamp_ns(msg.header.stamp) == ns


def test_hands_become_arrays_and_empty_ones_none():
    poses = []
    for q, p in zip(ROTATIONS, VECTORS, strict=True):
        pose = Pose()
        pose.position.x, pose.position.y, pose.position.z = p.tolist()
        o = pose.orientation
        o.x, o.y, o.z, o.w = q.as_quat().tolist()
        poses.append(pose)
    positions, orientations, radii, is_valid = numbers.hand_arrays(HandJoints(poses=poses))
    assert_array_equal(positions, VECTORS)
    assert_array_equal(orientations, ROTATIONS.as_quat())
    assert radii is None
    assert is_valid is None
    _, _, radii, is_valid = numbers.hand_arrays(HandJoints(poses=poses[:2], radii=[0.5, 0.25], is_valid=[True, False]))
    assert_array_equal(radii, [0.5, 0.25])
    assert is_valid.tolist() == [True, False]
    assert numbers.hand_arrays(HandJoints())[0].shape == (0, 3)


def test_every_field_of_an_event_record_reaches_the_message():
    count = iter(range(1, 100))
    values = {}
    for field in dataclasses.fields(ContactEventRecord):
        kind = str(field.type)
        if kind == 'Vec':
            values[field.name] = tuple(float(next(count)) for _ in range(3))
        elif kind == 'str':
            values[field.name] = f'text {next(count)}'
        else:
            values[field.name] = float(next(count)) if kind == 'float' else next(count)
    values.update(phase=Phase.END, kind=Kind.OBJECT_HAND)
    msg = convert.contact_event(ContactEventRecord(**values), 'map')
    assert msg.header.frame_id == 'map'
    assert numbers.stamp_ns(msg.header.stamp) == values.pop('stamp_ns')
    for name, value in values.items():
        sent = getattr(msg, name)
        assert (numbers.xyz(sent) if isinstance(value, tuple) else sent) == value, name
    # and every field of the message comes from the record
    assert set(ContactEvent.get_fields_and_field_types()) == {'header', *values}


def test_names_of_phases_and_kinds_have_the_numbers_of_the_message():
    for member in (*Phase, *Kind):
        assert getattr(ContactEvent, member.name) == member
