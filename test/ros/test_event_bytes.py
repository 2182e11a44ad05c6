# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""ContactEventArray written as bytes, against what rclpy makes of the same records."""
import numpy as np
import pytest
from hakoniwa_rigid.msg import ContactEventArray
from hypothesis import given, settings
from hypothesis import strategies as st
from rclpy.serialization import deserialize_message, serialize_message

from hakoniwa_rigid.codec.cdr_writers import ContactEventsWriter
from hakoniwa_rigid.ros import convert
from hakoniwa_rigid.scene.records import ContactEventRecord, Kind, Phase

TEXT = st.text(st.characters(exclude_characters='\0', codec='utf-8'), max_size=20)
NS = st.integers(0, 2**31 * 10**9 - 1)


@st.composite
def records(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))

    def vec():
        return tuple(rng.normal(size=3).tolist())

    a, b, c, d, e, f, g, h, i = (vec() for _ in range(9))
    x = rng.normal(size=6).tolist()
    names = [draw(TEXT) for _ in range(4)]
    return ContactEventRecord(draw(NS), draw(st.integers(0, 2**64 - 1)), draw(st.sampled_from(Phase)),
                              draw(st.sampled_from(Kind)), *names, a, b, x[0], c, x[1], x[2], d, e, x[3], x[4],
                              f, g, h, i, x[5])


@pytest.mark.ros
@settings(max_examples=30, deadline=None)
@given(TEXT, NS, st.lists(records(), min_size=1, max_size=4))
def test_events_are_written_as_rclpy_writes_them(frame_id, ns, events):
    msg = ContactEventArray(events=[convert.contact_event(record, frame_id) for record in events])
    msg.header.frame_id = frame_id
    convert.set_stamp(msg.header.stamp, ns)
    raw = ContactEventsWriter(frame_id).write(ns, events)
    theirs = serialize_message(msg)
    assert len(raw) == len(theirs)
    # rclpy leaves in the gaps between fields what was in memory; whatever is there, the message is the same
    changed = bytes(a if a == b else a ^ 0xFF for a, b in zip(raw, theirs, strict=True))
    assert deserialize_message(raw, ContactEventArray) == deserialize_message(changed, ContactEventArray) == msg
