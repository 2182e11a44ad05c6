"""Conversions against scipy, and messages against the records they come from."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from geometry_msgs.msg import Pose
from hakoniwa_rigid.msg import ContactEvent, FleetState, HandJoints
from harness import odometry
from nav_msgs.msg import Odometry
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.ros import convert
from hakoniwa_rigid.scene import ContactEventRecord, Kind, Phase

ROTATIONS = Rotation.random(20, random_state=np.random.default_rng(7))
VECTORS = np.random.default_rng(8).normal(size=(20, 3))
EPS = 4e-15  # a few roundings of numbers near 3


def test_quaternions_are_xyzw_and_turn_body_into_world():
    # scipy's quaternions are scalar-last, as in geometry_msgs
    q, expected = ROTATIONS.as_quat(), ROTATIONS.apply(VECTORS)
    assert_allclose(convert.rotate_many(q, VECTORS), expected, atol=EPS)
    assert_allclose([convert.rotate(tuple(a), tuple(v)) for a, v in zip(q, VECTORS, strict=True)], expected, atol=EPS)
    assert_allclose(convert.rotate_back_many(q, VECTORS), ROTATIONS.inv().apply(VECTORS), atol=EPS)


def test_odometry_twist_comes_from_the_child_frame():
    for q, v, w in zip(ROTATIONS, VECTORS, VECTORS[::-1], strict=True):
        msg = odometry(0, (1, 2, 3), q.as_quat(), v, w)
        position, orientation, linear, angular = convert.odometry_state(msg)
        assert position == (1.0, 2.0, 3.0)
        assert_array_equal(orientation, q.as_quat())
        assert_allclose(linear, q.apply(v), atol=EPS)
        assert_allclose(angular, q.apply(w), atol=EPS)


def test_odometry_out_and_in_again_is_the_same_state():
    for q, v, w in zip(ROTATIONS, VECTORS, VECTORS[::-1], strict=True):
        msg, quaternion = Odometry(), q.as_quat()
        body = q.inv()
        convert.fill_odometry(msg, 1_500_000_007, (4.0, 5.0, 6.0), quaternion.tolist(), body.apply(v), body.apply(w))
        assert convert.stamp_ns(msg.header.stamp) == 1_500_000_007
        position, orientation, linear, angular = convert.odometry_state(msg)
        assert position == (4.0, 5.0, 6.0)
        assert_array_equal(orientation, quaternion)
        assert_allclose(linear, v, atol=EPS)
        assert_allclose(angular, w, atol=EPS)


@pytest.mark.parametrize('ns', [0, 1, 999_999_999, 1_000_000_000, 1_795_000_000_123_456_789])
def test_stamps_are_exact(ns):
    msg = Odometry()
    convert.set_stamp(msg.header.stamp, ns)
    assert convert.stamp_ns(msg.header.stamp) == ns


def test_flat_arrays_keep_every_bit():
    values = np.array([[np.pi, -0.0, 1e-320], [np.inf, 1.0, -1.0]])
    flat = convert.doubles_of(values[:, ::-1])  # not contiguous
    msg = FleetState()
    msg.positions = flat
    assert np.frombuffer(msg.positions).tobytes() == np.ascontiguousarray(values[:, ::-1]).tobytes()
    assert list(convert.bytes_of(np.array([1, 255], dtype=np.uint8))) == [1, 255]


def test_hands_become_arrays_and_empty_ones_none():
    poses = []
    for q, p in zip(ROTATIONS, VECTORS, strict=True):
        pose = Pose()
        pose.position.x, pose.position.y, pose.position.z = p.tolist()
        o = pose.orientation
        o.x, o.y, o.z, o.w = q.as_quat().tolist()
        poses.append(pose)
    positions, orientations, radii, is_valid = convert.hand_arrays(HandJoints(poses=poses))
    assert_array_equal(positions, VECTORS)
    assert_array_equal(orientations, ROTATIONS.as_quat())
    assert radii is None
    assert is_valid is None
    _, _, radii, is_valid = convert.hand_arrays(HandJoints(poses=poses[:2], radii=[0.5, 0.25], is_valid=[True, False]))
    assert_array_equal(radii, [0.5, 0.25])
    assert is_valid.tolist() == [True, False]
    assert convert.hand_arrays(HandJoints())[0].shape == (0, 3)


def test_every_field_of_an_event_record_reaches_the_message():
    numbers = iter(range(1, 100))
    values = {}
    for field in dataclasses.fields(ContactEventRecord):
        kind = str(field.type)
        if kind == 'Vec':
            values[field.name] = tuple(float(next(numbers)) for _ in range(3))
        elif kind == 'str':
            values[field.name] = f'text {next(numbers)}'
        else:
            values[field.name] = float(next(numbers)) if kind == 'float' else next(numbers)
    values.update(phase=Phase.END, kind=Kind.OBJECT_HAND)
    msg = convert.contact_event(ContactEventRecord(**values), 'map')
    assert msg.header.frame_id == 'map'
    assert convert.stamp_ns(msg.header.stamp) == values.pop('stamp_ns')
    for name, value in values.items():
        sent = getattr(msg, name)
        assert (convert.xyz(sent) if isinstance(value, tuple) else sent) == value, name
    # and every field of the message comes from the record
    assert set(ContactEvent.get_fields_and_field_types()) == {'header', *values}


def test_names_of_phases_and_kinds_have_the_numbers_of_the_message():
    for member in (*Phase, *Kind):
        assert getattr(ContactEvent, member.name) == member
