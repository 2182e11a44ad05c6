# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Messages read from and written as bytes, against rclpy (and against an encoder in test/unit/scene)."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

import geometry_msgs.msg
import nav_msgs.msg
import numpy as np
import pytest
from cdr_messages import LAYOUTS, NUMBER, REPRESENTATIONS, STAMP, TEXT, bits, fleet, sample, streams, wanted
from hakoniwa_rigid.msg import FleetState, FleetWrench
from hypothesis import given, settings
from hypothesis import strategies as st
from nav_msgs.msg import Odometry
from numpy.testing import assert_allclose, assert_array_equal
from rclpy.serialization import deserialize_message, serialize_message
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.codec.cdr import CdrError, FleetReader, SampleReader
from hakoniwa_rigid.codec.cdr_writers import FIELDS, FleetStateWriter, OdometryWriter
from hakoniwa_rigid.codec.message_fields import stamp_ns, xyz, xyzw
from hakoniwa_rigid.ros import convert
from hakoniwa_rigid.ros.collision.polled_subscriptions import MessageReader

NS = st.integers(0, 2**31 * 10**9 - 1)
SEED = st.integers(0, 2**32 - 1)


def assert_same(raw: bytes, theirs: bytes, form_to_bytes) -> None:
    """Equal but for the padding, which rclpy leaves as it finds it: bytes that differ between two fills."""
    zeros, ones = (form_to_bytes((*REPRESENTATIONS[0], fill)) for fill in (b'\0', b'\xff'))
    assert len(raw) == len(theirs) == len(zeros)
    for ours, its, a, b in zip(raw, theirs, zeros, ones, strict=True):
        assert ours == its or a != b


def numbers_of(msg) -> list[float]:
    """The doubles of a message that a SampleReader reads, as rclpy gives them."""
    if hasattr(msg, 'wrench'):
        return [*xyz(msg.wrench.force), *xyz(msg.wrench.torque)]
    pose, twist = getattr(msg, 'pose', None), getattr(msg, 'twist', None)
    pose, twist = getattr(pose, 'pose', pose), getattr(twist, 'twist', twist)
    moving = [] if twist is None else [*xyz(twist.linear), *xyz(twist.angular)]
    return ([] if pose is None else [*xyz(pose.position), *xyzw(pose.orientation)]) + moving


@pytest.mark.parametrize('kind', LAYOUTS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_samples_are_read_as_rclpy_reads_them(kind, data):
    ros = nav_msgs.msg.Odometry if kind == 'Odometry' else getattr(geometry_msgs.msg, kind)
    reader = SampleReader(LAYOUTS[kind][0])
    for form, stamp, texts, numbers in data.draw(streams(kind)):
        if form[1] != 8:  # rclpy reads XCDR1 only
            continue
        raw = sample(kind, form, stamp, texts, numbers)
        read, msg = reader.read(raw), deserialize_message(raw, ros)
        assert tuple(read.header.stamp) == (msg.header.stamp.sec, msg.header.stamp.nanosec) == stamp
        assert read.header.frame_id == msg.header.frame_id
        assert read.child_frame_id == getattr(msg, 'child_frame_id', '')
        assert bits(read.values) == bits(numbers_of(msg)) == bits(wanted(kind, numbers))
        assert stamp_ns(read.header.stamp) == stamp_ns(msg.header.stamp)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_fleets_are_read_as_rclpy_reads_them(data):
    form, stamp, frame_id = data.draw(st.sampled_from(REPRESENTATIONS[:2])), data.draw(STAMP), data.draw(TEXT)
    names = data.draw(st.lists(TEXT, max_size=4))
    forces, torques = (data.draw(st.lists(NUMBER, max_size=5)) for _ in range(2))
    raw = fleet(form, stamp, frame_id, names, (forces, torques))
    read, msg = FleetReader(('forces', 'torques')).read(raw), deserialize_message(raw, FleetWrench)
    assert tuple(read.header.stamp) == (msg.header.stamp.sec, msg.header.stamp.nanosec)
    assert (read.header.frame_id, list(read.names)) == (msg.header.frame_id, msg.names)
    assert [bits(a) for a in read.arrays] == [bits(msg.forces), bits(msg.torques)]


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=200), st.sampled_from(REPRESENTATIONS))
def test_any_bytes_give_a_whole_message_or_a_cause(tail, form):
    for raw in (tail, form[2] + b'\0\0' + tail):
        try:
            MessageReader(FleetWrench).read(raw)
        except CdrError as error:
            assert 'FleetWrench' in str(error)


@settings(max_examples=60, deadline=None)
@given(TEXT, st.lists(TEXT, min_size=1, max_size=3), NS, SEED)
def test_odometry_is_written_as_rclpy_writes_it(frame_id, children, ns, seed):
    children = [child for child in children if len(child.encode()) == len(children[0].encode())]
    rng = np.random.default_rng(seed)
    flight = states_of(rng, len(children) + 2)
    turns = Rotation.random(len(children) + 2, random_state=rng)
    flight.orientations_xyzw = turns.as_quat()
    rows = rng.permutation(len(children) + 2)[: len(children)]
    writer = OdometryWriter(frame_id, children)
    at = writer.table.ctypes.data
    writer.fill(1, states_of(rng, len(children) + 2), rows)
    writer.fill(ns, flight, rows)
    messages = writer.messages()
    # the twist is in the body; its last bits depend on the order of the sums
    in_body = turns.inv().apply(flight.linear_velocities)[rows]
    written = np.array([numbers_of(deserialize_message(raw, Odometry))[7:10] for raw in messages])
    assert_allclose(written, in_body, rtol=0.0, atol=4e-15)
    arrays = flight.positions[rows], flight.orientations_xyzw[rows], written, flight.angular_velocities[rows]
    assert [row.tobytes() for row in writer.table] == messages
    assert writer.table.ctypes.data == at
    for child, raw, *rows in zip(children, messages, *arrays, strict=True):
        position, orientation, linear, angular = (row.tolist() for row in rows)
        msg = Odometry(child_frame_id=child)
        msg.header.frame_id = frame_id
        convert.set_stamp(msg.header.stamp, ns)
        pose, twist = msg.pose.pose, msg.twist.twist
        p, q, v, w = pose.position, pose.orientation, twist.linear, twist.angular
        p.x, p.y, p.z = position
        q.x, q.y, q.z, q.w = orientation
        v.x, v.y, v.z = linear
        w.x, w.y, w.z = angular
        numbers = [*position, *orientation, *[0.0] * 36, *linear, *angular, *[0.0] * 36]
        stamp, texts = divmod(ns, 10**9), (frame_id, child)
        expected = partial(sample, 'Odometry', stamp=stamp, texts=texts, numbers=numbers)
        assert_same(raw, serialize_message(msg), expected)
        assert bits(numbers_of(deserialize_message(raw, Odometry))) == bits(wanted('Odometry', numbers))


def states_of(rng, n: int) -> SimpleNamespace:
    positions, orientations, linear, angular = (rng.normal(size=(n, width)) for _, width in FIELDS)
    return SimpleNamespace(positions=positions, orientations_xyzw=orientations, linear_velocities=linear,
                           angular_velocities=angular, flags=rng.integers(0, 256, n).astype(np.uint8))


@settings(max_examples=60, deadline=None)
@given(TEXT, st.lists(TEXT, max_size=4), NS, SEED)
def test_fleets_are_written_as_rclpy_writes_them(frame_id, names, ns, seed):
    rng, n = np.random.default_rng(seed), len(names)
    writer = FleetStateWriter(frame_id, tuple(names))
    writer.write(1, states_of(rng, n))
    states = states_of(rng, n)
    numbers = (states.positions, states.orientations_xyzw, states.linear_velocities, states.angular_velocities)
    msg = FleetState(names=names, flags=states.flags.tolist())
    msg.header.frame_id = frame_id
    convert.set_stamp(msg.header.stamp, ns)
    for (field, _), array in zip(FIELDS, numbers, strict=True):
        setattr(msg, field, array.ravel().tolist())
    filled, arrays = writer.write(ns, states), [a.ravel() for a in numbers]

    def expected(form) -> bytes:
        """The arrays, then the flags, which fleet() leaves out."""
        whole, fill = fleet(form, divmod(ns, 10**9), frame_id, names, arrays), form[3]
        whole += fill * (-len(whole) % 4)
        return whole + n.to_bytes(4, 'little') + states.flags.tobytes()

    raw = filled[:len(expected((*REPRESENTATIONS[0], b'\0')))]
    assert filled == raw + bytes(-len(raw) % 4)
    # of an empty sequence of doubles rclpy reckons with padding that it does not write: its bytes end in what lay there
    assert_same(raw, serialize_message(msg)[: len(raw) if not n else None], expected)
    read = FleetReader(tuple(field for field, _ in FIELDS)).read(filled)
    assert_array_equal(read.arrays[1].reshape(-1, 4), states.orientations_xyzw)
    assert deserialize_message(filled, FleetState) == msg
