# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The compiled readers never read behind a message, whatever is cut off it and whatever it says of itself: every one
ends where a page ends that is followed by one that may not be touched."""
from __future__ import annotations

import struct

import numpy as np
import pytest
from adapters import make_adapter, make_settings
from cdr_messages import REPRESENTATIONS, fleet, sample
from guard_page import PAGE, at_page_end
from numpy.testing import assert_array_equal
from scene_worlds import UPRIGHT
from test_fixed_layouts import odometry, twist

from hakoniwa_rigid.codec.message_batch import MessageBatch
from hakoniwa_rigid.scene.inputs.fixed_layouts import VEHICLE

NS = 1_000_000_000
PLAIN = REPRESENTATIONS[0]
# drones with one kind of source each; hands with one kind of message each
DRONES = {'a': {}, 'p': {'source': 'pose'}, 'x': {'source': 'px4'}, 't': {'source': 'twist_pose'}}
NUMBERS = (1.0, 2.0, 3.0, *UPRIGHT)


class NoReader:
    def read(self, data):
        raise ValueError('not of interest here')


def make():
    readers = {kind: NoReader() for kind in (VEHICLE, 'geometry_msgs/msg/Twist', 'hakoniwa_rigid/msg/HandJoints')}
    return make_adapter(make_settings(*DRONES, drone=DRONES, hands=('left',), authority='simulate'), readers=readers)


def messages(stamp: int) -> dict[str, bytes]:
    """One of every topic that a compiled loop may read, by the topic's name."""
    when = divmod(stamp, NS)
    odom = [*NUMBERS, *[0.0] * 36, *[0.1] * 6, *[0.0] * 36]
    arrays = [[1.0, 2.0, 3.0] * 2, [0.0, 0.0, 0.0, 1.0] * 2, [0.0] * 6, [0.0] * 6]
    return {
        'a/odom': sample('Odometry', PLAIN, when, ('world', 'a/base_link'), odom),
        'p/pose': sample('PoseStamped', PLAIN, when, ('world', ''), NUMBERS),
        'p/twist': sample('TwistStamped', PLAIN, when, ('p/base_link', ''), [0.1] * 6),
        'a/wrench': sample('WrenchStamped', PLAIN, when, ('', ''), [0.1] * 6),
        'x/fmu/out/vehicle_odometry': odometry((1, 2, 3), at=stamp),
        't/velocity': twist((1, 2, 3), (0, 0, 0)),
        't/pos': twist((1, 2, 3), (0, 0, 0)),
        'fleet/states': fleet(PLAIN, when, 'world', ['a', 'p'], arrays),
        'hands/left': b'\0\1\0\0',
    }


def mutated(data: bytes, rng: np.random.Generator) -> bytes:
    """Cut off anywhere, or with other bytes, above all lengths and counts; or both."""
    raw = bytearray(data)
    for _ in range(rng.integers(0, 4)):
        if raw:
            at = int(rng.integers(0, min(len(raw), 96) if rng.random() < 0.8 else len(raw)))
            if rng.random() < 0.5 and at + 4 <= len(raw):
                number = rng.choice([0, 1, 2, 0x7FFFFFFF, 0xFFFFFFFF, 0x10000000, len(raw), len(raw) + 1])
                raw[at:at + 4] = struct.pack('<I', int(number))
            else:
                raw[at] = int(rng.integers(0, 256))
    if rng.random() < 0.7:
        del raw[int(rng.integers(0, len(raw) + 1)):]
    return bytes(raw)


def test_a_page_may_be_used_to_its_end():
    data = bytes(range(256)) * 20
    piece = at_page_end(data)
    assert (piece.ctypes.data + len(piece)) % PAGE == 0
    assert piece.tobytes() == data
    piece[-1] = 7
    assert len(at_page_end(b'')) == 0


@pytest.mark.parametrize('seed', range(4))
def test_no_reader_reads_behind_a_message(seed):
    rng = np.random.default_rng(seed)
    adapter, stamp = make(), NS
    numbers = {t.name: t.number for t in adapter.topics}
    for k in range(900):
        stamp += 1_000_000
        good = messages(stamp)
        name = str(rng.choice(list(good)))
        # now and then a good one, so that there is something learnt to be compared with
        data = good[name] if k % 3 == 0 else mutated(good[name], rng)
        piece, columns = at_page_end(data), np.array([[0], [len(data)], [numbers[name]], [stamp]])
        adapter.take(piece, *columns)
        adapter.flush()
    assert adapter.received == 900
    assert not [key for key in adapter.ledger.counters if key[0] == 'failed']


def test_a_mail_that_lies_about_where_its_messages_are_is_not_believed():
    """As a damaged bag may: offsets and lengths beyond the bytes there are."""
    adapter = make()
    numbers = {t.name: t.number for t in adapter.topics}
    for name, data in messages(NS).items():
        adapter.take(np.frombuffer(data, np.uint8), *np.array([[0], [len(data)], [numbers[name]], [NS]]))
    adapter.flush()
    before = adapter.scene._fleet.s.sample.copy()
    for name, data in messages(2 * NS).items():
        for offset, length in ((8, len(data)), (0, len(data) + 5000), (-16, len(data)), (len(data), len(data)),
                               (2**62, len(data)), (0, 2**62)):
            batch = MessageBatch(at_page_end(data), *np.array([[offset], [length], [numbers[name]], [NS]]))
            adapter.read(batch, 0, 1)
            adapter.flush()
    assert_array_equal(adapter.scene._fleet.s.sample, before)
    causes = {cause for cause, _ in adapter.ledger.counters}
    assert causes <= {'malformed', 'too_large'}, adapter.ledger.last
