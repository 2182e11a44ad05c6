# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A hand in JSON: what is taken, as numbers, and what is refused, by cause."""
import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hakoniwa_rigid.web.errors import RefusedError
from hakoniwa_rigid.web.hand_sample import read_hand

NOW = 1_700_000_000_000_000_000
HAND = {'stamp_ns': str(NOW), 'frame_id': 'world', 'names': ['wrist', 'tip'], 'positions': [[0, 1, 2], [3, 4, 5]],
        'orientations_xyzw': [[0, 0, 0, 2], [0.6, 0, 0, 0.8]], 'radii': [0.02, 0.01], 'is_valid': [True, False]}


def read(**changes):
    content = {**HAND, **changes}
    return read_hand(json.dumps({k: v for k, v in content.items() if v is not ...}).encode(), NOW)


def test_everything_given():
    hand = read()
    assert (hand.stamp_ns, hand.frame, hand.names) == (NOW, 'world', ('wrist', 'tip'))
    assert_array_equal(hand.positions, [[0, 1, 2], [3, 4, 5]])
    assert_allclose(hand.orientations, [[0, 0, 0, 1], [0.6, 0, 0, 0.8]])
    assert_array_equal(hand.radii, [0.02, 0.01])
    assert_array_equal(hand.is_valid, [True, False])


def test_what_may_be_left_out():
    hand = read(names=..., orientations_xyzw=[], radii=..., is_valid=..., frame_id=...)
    assert hand.names == ()
    assert_array_equal(hand.orientations, [[0, 0, 0, 1]] * 2)
    assert len(hand.radii) == 0
    assert hand.is_valid.all()


def test_a_missing_joint_needs_no_numbers():
    hand = read(positions=[[0, 1, 2], [None] * 3], orientations_xyzw=[[0, 0, 0, 1], [None] * 4], radii=[0.01, None])
    assert np.isfinite(hand.positions).all()
    assert_array_equal(hand.orientations[1], [0, 0, 0, 1])


@pytest.mark.parametrize(('change', 'cause', 'said'), [
    ({'stamp_ns': NOW}, 'malformed_hand', 'stamp_ns: must be a string'),
    ({'stamp_ns': '12e9'}, 'malformed_hand', 'stamp_ns'),
    ({'stamp_ns': '-5'}, 'malformed_hand', 'stamp_ns'),
    ({'stamp_ns': '9' * 30}, 'malformed_hand', 'stamp_ns'),
    ({'stamp_ns': str(NOW + 300_000_000)}, 'hand_from_future', '0.300 s ahead'),
    ({'stamp_ns': str(NOW - 1_500_000_000)}, 'hand_too_old', '1.500 s behind'),
    ({'positions': ...}, 'malformed_hand', '1 to 64 joints, got 0'),
    ({'positions': [[0, 0, 0]] * 65}, 'malformed_hand', 'got 65'),
    ({'positions': [[0, 0]]}, 'malformed_hand', 'positions: must be rows of 3'),
    ({'positions': [[0, 0, 0], [0, 0]]}, 'malformed_hand', 'positions'),
    ({'positions': {'x': 1}}, 'malformed_hand', 'positions'),
    ({'positions': [[0, 0, 'x'], [0, 0, 0]]}, 'malformed_hand', 'positions'),
    ({'positions': [[0, 0, float('nan')], [0, 0, 0]]}, 'malformed_hand', 'finite'),
    ({'positions': [[0, 0, 1e5], [0, 0, 0]]}, 'malformed_hand', 'within 10000 m'),
    ({'orientations_xyzw': [[0, 0, 0, 0], [0, 0, 0, 1]]}, 'malformed_hand', 'not zero'),
    ({'orientations_xyzw': [[0, 0, 0, 1]]}, 'malformed_hand', 'must be 2, as many as positions, got 1'),
    ({'radii': [0.1]}, 'malformed_hand', 'radii: must be 2'),
    ({'radii': [[0.1, 0.1]]}, 'malformed_hand', 'radii'),
    ({'is_valid': [1, 0]}, 'malformed_hand', 'is_valid'),
    ({'names': ['a']}, 'malformed_hand', 'names: must be 2'),
    ({'names': ['a', 'b' * 99]}, 'malformed_hand', 'names'),
    ({'frame_id': 3}, 'malformed_hand', 'frame_id'),
])
def test_refused(change, cause, said):
    with pytest.raises(RefusedError, match=said) as refused:
        read(**change)
    assert refused.value.cause == cause


@pytest.mark.parametrize('data', [b'', b'[]', b'\xff', b'3', b'[' * 50000])
def test_no_object(data):
    with pytest.raises(RefusedError) as refused:
        read_hand(data, NOW)
    assert refused.value.cause == 'malformed_hand'
