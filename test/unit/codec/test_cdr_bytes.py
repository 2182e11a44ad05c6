# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Messages read as bytes, against a CDR encoder: every form, every truncation, any bytes at all."""

from __future__ import annotations

import pytest
from cdr_messages import LAYOUTS, NUMBER, REPRESENTATIONS, STAMP, TEXT, bits, fleet, sample, streams, wanted
from hypothesis import given, settings
from hypothesis import strategies as st

from hakoniwa_rigid.codec import cdr
from hakoniwa_rigid.codec.cdr import MOST_LISTS, CdrError, FleetReader, SampleReader
from hakoniwa_rigid.codec.cdr_writers import OdometryWriter


@pytest.mark.parametrize('kind', LAYOUTS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_samples_are_read_whatever_came_before(kind, data):
    reader = SampleReader(LAYOUTS[kind][0])  # one for all: what it remembers of the last message may not matter
    for form, stamp, texts, numbers in data.draw(streams(kind)):
        raw = sample(kind, form, stamp, texts, numbers)
        read = reader.read(raw)
        assert tuple(read.header.stamp) == stamp
        assert (read.header.frame_id, read.child_frame_id) == (texts[0], texts[1] if kind == 'Odometry' else '')
        assert bits(read.values) == bits(wanted(kind, numbers))
        # where texts end and doubles begin: the compiled reading relies on it
        count = sum(LAYOUTS[kind][1])
        assert reader.first_double == len(raw) - 8 * count
        assert raw[reader.end_of_texts - 1] == 0
        assert 0 <= reader.first_double - reader.end_of_texts < form[1]
        assert reader.size == len(raw)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_fleets_are_read_and_their_names_decoded_once(data):
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


@pytest.mark.parametrize('form', REPRESENTATIONS, ids=lambda f: f[2].hex())
def test_every_truncation_is_refused_with_its_cause(form):
    raw = sample('Odometry', form, (1, 2), ('world', 'd0/base_link'), range(85))
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
    for reader in (SampleReader(cdr.POSE), SampleReader(cdr.ODOMETRY), FleetReader(('forces', 'torques'))):
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


def test_odometry_of_unequal_lengths_is_refused():
    with pytest.raises(ValueError, match='equally long'):
        OdometryWriter('world', ['d1', 'd1/base_link'])
