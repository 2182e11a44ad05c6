"""Messages read from and written as bytes, against rclpy and against a CDR encoder written out here."""

from __future__ import annotations

import struct
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped, TwistStamped, WrenchStamped
from hakoniwa_rigid.msg import FleetState, FleetWrench
from hypothesis import given, settings
from hypothesis import strategies as st
from nav_msgs.msg import Odometry
from numpy.testing import assert_array_equal
from rclpy.serialization import deserialize_message, serialize_message

from hakoniwa_rigid.ros import cdr, convert
from hakoniwa_rigid.ros.cdr import MOST_LISTS, CdrError, FleetReader, SampleReader
from hakoniwa_rigid.ros.cdr_writers import FIELDS, FleetStateWriter, OdometryWriter
from hakoniwa_rigid.ros.inlets import MessageReader

REPRESENTATIONS = [('<', 8, b'\0\1'), ('>', 8, b'\0\0'), ('<', 4, b'\0\7'), ('>', 4, b'\0\6')]
LAYOUTS = {
    Odometry: (cdr.ODOMETRY, (7, 36, 6, 36)),
    PoseStamped: (cdr.POSE, (7,)),
    TwistStamped: (cdr.TWIST, (6,)),
    WrenchStamped: (cdr.WRENCH, (6,)),
}
TEXT = st.text(st.characters(exclude_characters='\0', codec='utf-8'), max_size=20)
NUMBER = st.floats(width=64)
STAMP = st.tuples(st.integers(-(2**31), 2**31 - 1), st.integers(0, 2**32 - 1))


class Encoder:
    """CDR as the standard says: everything is aligned to its own size, doubles at most to `alignment`."""

    def __init__(self, order: str, alignment: int, mark: bytes, fill: bytes = b'\0') -> None:
        self.order, self.alignment, self.data, self.mark, self.fill = order, alignment, b'', mark, fill

    def put(self, code: str, *values) -> Encoder:
        size = min(struct.calcsize(code), self.alignment)
        for value in values:
            self.data += self.fill * (-len(self.data) % size) + struct.pack(self.order + code, value)
        return self

    def text(self, value: str) -> Encoder:
        raw = value.encode() + b'\0'
        self.put('I', len(raw)).data += raw
        return self

    def sequence(self, code: str, values) -> Encoder:
        return self.put('I', len(values)).put(code, *values)

    def message(self) -> bytes:
        return self.mark + b'\0\0' + self.data


def sample(kind: type, form, stamp, texts, numbers) -> bytes:
    encoder = Encoder(*form).put('i', stamp[0]).put('I', stamp[1])
    for text in texts[: LAYOUTS[kind][0][0]]:
        encoder.text(text)
    return encoder.put('d', *numbers).message()


def fleet(form, stamp, frame_id: str, names, arrays) -> bytes:
    encoder = Encoder(*form).put('i', stamp[0]).put('I', stamp[1]).text(frame_id).put('I', len(names))
    for name in names:
        encoder.text(name)
    for array in arrays:
        encoder.sequence('d', array)
    return encoder.message()


def assert_same(raw: bytes, theirs: bytes, form_to_bytes) -> None:
    """Equal but for the padding, which rclpy leaves as it finds it: bytes that differ between two fills."""
    zeros, ones = (form_to_bytes((*REPRESENTATIONS[0], fill)) for fill in (b'\0', b'\xff'))
    assert len(raw) == len(theirs)
    for ours, its, a, b in zip(raw, theirs, zeros, ones, strict=False):
        assert ours == its or a != b


def bits(values) -> bytes:
    """NaN is not equal to itself; its bits are."""
    return np.array(values, dtype=np.float64).tobytes()


def wanted(kind: type, numbers: list[float]) -> list[float]:
    """The numbers without the covariances."""
    blocks = np.split(np.array(numbers), np.cumsum(LAYOUTS[kind][1])[:-1])
    return [x for block in blocks if len(block) < 36 for x in block.tolist()]


@pytest.mark.parametrize('kind', LAYOUTS, ids=lambda k: k.__name__)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_samples_are_read_as_rclpy_reads_them(kind, data):
    total = sum(LAYOUTS[kind][1])
    reader = SampleReader(LAYOUTS[kind][0])  # one for all: what it remembers of the last message may not matter
    texts = data.draw(st.lists(st.tuples(TEXT, TEXT), min_size=2, max_size=2))
    for k in data.draw(st.lists(st.integers(0, 1), min_size=1, max_size=4)):
        form, stamp = data.draw(st.sampled_from(REPRESENTATIONS)), data.draw(STAMP)
        numbers = data.draw(st.lists(NUMBER, min_size=4, max_size=4)) * (total // 4 + 1)
        raw = sample(kind, form, stamp, texts[k], numbers[:total])
        read = reader.read(raw)
        assert tuple(read.header.stamp) == stamp
        assert (read.header.frame_id, read.child_frame_id) == (texts[k][0], texts[k][1] if kind is Odometry else '')
        assert bits(read.values) == bits(wanted(kind, numbers[:total]))
        if form[1] == 8:
            msg = deserialize_message(raw, kind)
            assert (msg.header.stamp.sec, msg.header.stamp.nanosec, msg.header.frame_id) == (*stamp, texts[k][0])


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_fleets_are_read_as_rclpy_reads_them(data):
    form, stamp, frame_id = data.draw(st.sampled_from(REPRESENTATIONS)), data.draw(STAMP), data.draw(TEXT)
    names = data.draw(st.lists(TEXT, max_size=4))
    forces, torques = (data.draw(st.lists(NUMBER, max_size=5)) for _ in range(2))
    raw = fleet(form, stamp, frame_id, names, (forces, torques))
    reader = FleetReader(('forces', 'torques'))
    read, again = reader.read(raw), reader.read(raw)
    assert (tuple(read.header.stamp), read.header.frame_id, read.names) == (stamp, frame_id, tuple(names))
    assert [bits(a) for a in read.arrays] == [bits(forces), bits(torques)]
    assert again.names is read.names
    assert again.key == read.key
    if form[1] == 8:
        msg = deserialize_message(raw, FleetWrench)
        assert (msg.names, bits(msg.forces), bits(msg.torques)) == (names, bits(forces), bits(torques))


@pytest.mark.parametrize('form', REPRESENTATIONS, ids=lambda f: f[2].hex())
def test_every_truncation_is_refused_with_its_cause(form):
    raw = sample(Odometry, form, (1, 2), ('world', 'd0/base_link'), range(85))
    for size in range(len(raw)):
        with pytest.raises(CdrError, match='bytes|cut off|announced'):
            SampleReader(cdr.ODOMETRY).read(raw[:size])
    reader = SampleReader(cdr.ODOMETRY)
    reader.read(raw)
    for size in range(len(raw)):  # with the strings known
        with pytest.raises(CdrError):
            reader.read(raw[:size])
    assert reader.read(raw).values[:3] == (0.0, 1.0, 2.0)
    raw = fleet(form, (1, 2), 'world', ['a', 'bc'], (range(6), range(8)))
    known = FleetReader(('positions', 'orientations'))
    known.read(raw)
    for size in range(len(raw)):
        for reader in (FleetReader(('positions', 'orientations')), known):
            with pytest.raises(CdrError):
                reader.read(raw[:size])


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=200), st.sampled_from(REPRESENTATIONS))
def test_any_bytes_give_a_message_or_a_cause(tail, form):
    for reader in (SampleReader(cdr.POSE), FleetReader(('forces', 'torques')), MessageReader(FleetWrench)):
        for raw in (tail, form[2] + b'\0\0' + tail):
            try:
                reader.read(raw)
            except CdrError as error:
                assert str(error)


@pytest.mark.parametrize(
    ('raw', 'cause'),
    [
        (b'\0\3\0\0' + bytes(60), 'representation 0x0003'),
        (b'\0\1\0\0' + bytes(8) + b'\xff\xff\xff\xff' + bytes(60), 'frame_id: 4294967295 items announced'),
        (b'\0\1\0\0' + bytes(8) + b'\2\0\0\0\xff\0' + bytes(60), 'frame_id: .*decode'),
        (b'\0\1\0\0' + bytes(8) + b'\2\0\0\0ab' + bytes(60), 'frame_id: no zero at its end'),
    ],
)
def test_hostile_bytes_are_named(raw, cause):
    for reader in (SampleReader(cdr.POSE), FleetReader(('forces',))):
        with pytest.raises(CdrError, match=cause):
            reader.read(raw)


def test_a_fleet_in_parts_is_decoded_once_a_part():
    reader = FleetReader(('forces',))
    parts = [fleet(REPRESENTATIONS[0], (1, 0), '', [f'd{k}', 'x'], ([],)) for k in range(MOST_LISTS)]
    keys = [reader.read(raw).key for raw in parts]
    assert len(set(keys)) == MOST_LISTS
    assert [reader.read(raw).key for raw in parts] == keys
    # one list too many: all are learnt anew, under new keys
    assert reader.read(fleet(REPRESENTATIONS[0], (1, 0), '', ['new'], ([],))).key not in keys
    assert reader.read(parts[0]).key not in keys
    # a list that only begins like a known one is another
    assert reader.read(fleet(REPRESENTATIONS[0], (1, 0), '', ['d0', 'x', 'y'], ([],))).names == ('d0', 'x', 'y')


@settings(max_examples=40, deadline=None)
@given(TEXT, st.lists(TEXT, min_size=1, max_size=3), st.integers(0, 2**31 * 10**9 - 1), st.integers(0, 2**32 - 1))
def test_odometry_is_written_as_rclpy_writes_it(frame_id, children, ns, seed):
    children = [child for child in children if len(child.encode()) == len(children[0].encode())]
    rng = np.random.default_rng(seed)
    arrays = [rng.normal(size=(len(children), width)) for width in (3, 4, 3, 3)]
    writer = OdometryWriter(frame_id, children)
    writer.write(1, *(a + 1.0 for a in arrays))
    for k, raw in enumerate(writer.write(ns, *arrays)):
        msg = Odometry(child_frame_id=children[k])
        msg.header.frame_id = frame_id
        position, orientation, linear, angular = (a[k].tolist() for a in arrays)
        convert.fill_odometry(msg, ns, position, orientation, linear, angular)
        numbers = [*position, *orientation, *[0.0] * 36, *linear, *angular, *[0.0] * 36]
        stamp, texts = divmod(ns, 10**9), (frame_id, children[k])
        expected = partial(sample, Odometry, stamp=stamp, texts=texts, numbers=numbers)
        assert_same(raw, serialize_message(msg), expected)


def test_odometry_of_unequal_lengths_is_refused():
    with pytest.raises(ValueError, match='equally long'):
        OdometryWriter('world', ['d1', 'd1/base_link'])


@settings(max_examples=40, deadline=None)
@given(TEXT, st.lists(TEXT, max_size=4), st.integers(0, 2**31 * 10**9 - 1), st.integers(0, 2**32 - 1))
def test_fleets_are_written_as_rclpy_writes_them(frame_id, names, ns, seed):
    rng, n = np.random.default_rng(seed), len(names)
    positions, orientations, linear, angular = (rng.normal(size=(n, width)) for _, width in FIELDS)
    flags = rng.integers(0, 256, n).astype(np.uint8)
    states = SimpleNamespace(
        positions=positions,
        orientations_xyzw=orientations,
        linear_velocities=linear,
        angular_velocities=angular,
        flags=flags,
    )
    msg = FleetState(names=names, flags=convert.bytes_of(flags))
    msg.header.frame_id = frame_id
    convert.set_stamp(msg.header.stamp, ns)
    for (field, _), array in zip(FIELDS, (positions, orientations, linear, angular), strict=True):
        setattr(msg, field, convert.doubles_of(array))
    raw = FleetStateWriter(frame_id, tuple(names)).write(ns, states)
    arrays = [a.ravel() for a in (positions, orientations, linear, angular)]
    expected = partial(fleet, stamp=divmod(ns, 10**9), frame_id=frame_id, names=names, arrays=arrays)
    assert_same(raw, serialize_message(msg), expected)
    read = FleetReader(tuple(field for field, _ in FIELDS)).read(raw)
    assert_array_equal(read.arrays[1].reshape(-1, 4), orientations)
