# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Fields of messages to numbers, against scipy; samples gathered in rounds; names of a fleet; topics from names."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.codec import message_fields as numbers
from hakoniwa_rigid.codec.cdr import MOST_LISTS, Fleet, Header, Stamp
from hakoniwa_rigid.rotations import rotate_rows_xyzw
from hakoniwa_rigid.scene.inputs.batches import Batches
from hakoniwa_rigid.scene.inputs.fleets import WRENCH_FIELDS, NameMap, read_fleet
from hakoniwa_rigid.scene.parameters.settings import topic_token
from hakoniwa_rigid.scene.records import Ledger

ROTATIONS = Rotation.random(20, random_state=np.random.default_rng(7))
VECTORS = np.random.default_rng(8).normal(size=(20, 3))
EPS = 4e-15  # a few roundings of numbers near 3


def test_quaternions_are_xyzw_and_turn_body_into_world():
    # scipy's quaternions are scalar-last, as in geometry_msgs
    q, expected = ROTATIONS.as_quat(), ROTATIONS.apply(VECTORS)
    assert_allclose(rotate_rows_xyzw(q, VECTORS), expected, atol=EPS)
    assert rotate_rows_xyzw(np.zeros((0, 4)), np.zeros((0, 3))).shape == (0, 3)


def test_numbers_are_taken_from_whatever_has_the_fields():
    stamp = SimpleNamespace(sec=-3, nanosec=999_999_999)
    assert numbers.stamp_ns(stamp) == -2_000_000_001
    assert numbers.stamp_ns(Stamp(1_795_000_000, 123_456_789)) == 1_795_000_000_123_456_789
    v = SimpleNamespace(x=1.0, y=2.0, z=3.0, w=4.0)
    assert (numbers.xyz(v), numbers.xyzw(v)) == ((1.0, 2.0, 3.0), (1.0, 2.0, 3.0, 4.0))
    positions, orientations = numbers.pose_arrays([SimpleNamespace(position=v, orientation=v)] * 2)
    assert_array_equal(positions, [[1, 2, 3]] * 2)
    assert_array_equal(orientations, [[1, 2, 3, 4]] * 2)
    assert [a.shape for a in numbers.pose_arrays([])] == [(0, 3), (0, 4)]


@pytest.mark.parametrize(('name', 'token'), [('d0', 'd0'), ('Drone-1', 'Drone_1'), ('7', '_7'), ('lab/d0', 'lab/d0')])
def test_names_become_legal_topics(name, token):
    assert topic_token(name) == token


def test_samples_go_to_the_scene_in_rounds_and_in_order():
    batches = Batches()
    for index, stamp, kind in ((0, 1, 1), (1, 2, 2), (0, 3, 1), (1, 4, 1), (2, 5, 1)):
        batches.add(kind, index, stamp, (float(stamp), 0.5))
    # drone 1 first came without velocities: its later sample may not overtake that one
    got = [(b.kind, b.index.tolist(), b.stamps.tolist(), b.table[:, 0].tolist()) for b in batches.drain()]
    assert got == [(1, [0, 2], [1, 5], [1.0, 5.0]), (2, [1], [2], [2.0]), (1, [0, 1], [3, 4], [3.0, 4.0])]
    assert not list(batches.drain())


def test_names_of_a_fleet_are_worked_out_once():
    names = NameMap({'a': 0, 'b': 1, 'c': 2})
    first = names.read(('c', 'a'), 1)
    assert first.indices.tolist() == [2, 0]
    assert first.rows == slice(None)
    second = names.read(('x', 'b', 'b', 'a'), 2)
    assert second.indices.tolist() == [1, 0]
    assert second.rows.tolist() == [1, 3]
    assert second.refused == (('unknown_name', 'x'), ('duplicate_name', 'b'))
    assert names.read(('c', 'a'), 1) is first


def test_lists_of_names_are_not_kept_for_ever():
    names = NameMap({'a': 0})
    first = names.read(('a',), 0)
    for key in range(1, MOST_LISTS + 1):
        assert names.read(('a',), key).indices.tolist() == [0]
    assert names.read(('a',), 0) is not first


def fleet(names, forces, torques) -> Fleet:
    arrays = tuple(np.array(a, dtype=float) for a in (forces, torques))
    return Fleet(Header(Stamp(1, 0), ''), tuple(names), 1, arrays)


def test_a_fleet_is_read_by_name_and_what_is_wrong_with_it_counted():
    ledger, names = Ledger(), NameMap({'a': 0, 'b': 1})
    found = read_fleet(names, fleet('bxa', range(9), range(9, 18)), 'here', WRENCH_FIELDS, ledger)
    assert found[0].tolist() == [1, 0]
    assert_array_equal(found[1][0], [[0, 1, 2], [6, 7, 8]])
    assert_array_equal(found[1][1], [[9, 10, 11], [15, 16, 17]])
    assert ledger.counters == {('unknown_name', 'x'): 1}
    assert read_fleet(names, fleet('bxa', range(9), range(8)), 'here', WRENCH_FIELDS, ledger) is None
    assert ledger.counters['wrong_size', 'here'] == 1
    assert ledger.last['wrong_size', 'here'] == 'torques: 3 x 3 numbers expected, got 8'
    assert read_fleet(NameMap({}), fleet('b', range(3), range(3)), 'here', WRENCH_FIELDS, ledger) is None
