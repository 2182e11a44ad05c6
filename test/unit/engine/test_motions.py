# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Motions of many bodies in one call: to the bit what pos, quat, linvel and angvel tell, and what set_states does."""

import numpy as np
import pytest
from contact_scenes import head_on
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.engine import Box, HalfSpace, Sphere, WorldBuilder
from hakoniwa_rigid.engine.constants import MAX_COORDINATE, MAX_SPEED, UNIT_TOLERANCE
from hakoniwa_rigid.engine.errors import EngineError

NAN, INF = float('nan'), float('inf')
BODIES = 11  # the blocks of the engine hold several; the last is not full
STATIC, KINEMATIC = 4, 7
MOVING = np.array([i for i in range(BODIES) if i != STATIC])


def world_of(turned=True):
    """Bodies apart; with inertia tensors whose axes are not the bodies' own, a static and a kinematic one."""
    rng = np.random.default_rng(3)
    b = WorldBuilder(gravity=(0, 0, -9.8))
    for i in range(BODIES):
        place = dict(pos=(3.0 * i, 0.5, -1.0), quat=np.roll(Rotation.random(random_state=rng).as_quat(), 1))
        if i == STATIC:
            b.add_body(HalfSpace((0, 0, 1), -50.0), kind='static')
            continue
        axes = Rotation.random(random_state=rng).as_matrix() if turned else np.eye(3)
        tensor = axes @ np.diag((0.02, 0.03, 0.04)) @ axes.T
        b.add_body(Box((0.3, 0.2, 0.1)), mass=1.0 + i, inertia=0.5 * (tensor + tensor.T), com=(0.01 * i, 0, 0.02),
                   kind='kinematic' if i == KINEMATIC else 'dynamic', linvel=rng.normal(size=3),
                   angvel=rng.normal(size=3), **place)
    return b.build()


def columns(w, bodies):
    """What motions must give."""
    return np.hstack([w.pos[bodies], w.quat[bodies], w.linvel[bodies], w.angvel[bodies]])


def sane(rng, k):
    """K motions; half of the attitudes are off unit length by rounding or a little more."""
    q = Rotation.random(k, random_state=rng).as_quat()
    q[::2] *= 1.0 + rng.uniform(-0.9, 0.9, (len(q[::2]), 1)) * UNIT_TOLERANCE
    return np.hstack([rng.uniform(-50, 50, (k, 3)), q, rng.normal(size=(k, 6))])


def split(m):
    return dict(pos=m[:, :3], quat=m[:, 3:7], linvel=m[:, 7:10], angvel=m[:, 10:])


@pytest.mark.parametrize('turned', [True, False])
def test_motions_are_the_columns_side_by_side(turned):
    w = world_of(turned)
    assert w._turned == turned
    for bodies in (np.arange(BODIES), np.array([9, 0, 9, STATIC]), np.array([10]), np.zeros(0, dtype=np.int64)):
        assert_array_equal(w.motions(bodies), columns(w, bodies))
    w.step(7)
    assert_array_equal(w.motions(MOVING), columns(w, MOVING))
    w.motions(MOVING)[:] = NAN  # a copy
    assert np.isfinite(w.motions(MOVING)).all()


@pytest.mark.parametrize('turned', [True, False])
@settings(max_examples=25)
@given(bodies=st.lists(st.sampled_from(MOVING.tolist()), max_size=8, unique=True), seed=st.integers(0, 2**32 - 1))
def test_setting_motions_is_setting_states_to_the_bit(turned, bodies, seed):
    by_motions, by_states = world_of(turned), world_of(turned)
    index, given_motions = np.array(bodies, dtype=np.int64), sane(np.random.default_rng(seed), len(bodies))
    before = given_motions.copy()
    by_motions.set_motions(index, given_motions)
    by_states.set_states(index, **split(given_motions))
    assert by_motions.state_hash() == by_states.state_hash()
    assert_array_equal(given_motions, before)
    assert_array_equal(by_motions.motions(index), columns(by_states, index))
    for w in (by_motions, by_states):
        w.step(3)
    assert by_motions.state_hash() == by_states.state_hash()


def test_attitudes_of_length_one_come_back_as_they_were():
    w, motions = world_of(False), sane(np.random.default_rng(1), 2)
    motions[:, 3:7] = (0.5, 0.5, -0.5, 0.5), (0.6, 0.0, 0.8, 0.0)
    w.set_motions(np.array([2, 5]), motions)
    assert_array_equal(w.motions(np.array([2, 5])), motions)
    # and with turned axes to rounding
    w = world_of(True)
    w.set_motions(np.array([2, 5]), motions)
    np.testing.assert_allclose(w.motions(np.array([2, 5])), motions, rtol=0, atol=1e-15)


def test_the_last_of_equal_indices_wins_as_in_set_states():
    by_motions, by_states = world_of(), world_of()
    index, motions = np.array([3, 1, 3]), sane(np.random.default_rng(2), 3)
    by_motions.set_motions(index, motions)
    by_states.set_states(index, **split(motions))
    assert by_motions.state_hash() == by_states.state_hash()


BAD = [
    (0, NAN), (1, INF), (2, 2 * MAX_COORDINATE), (2, -2 * MAX_COORDINATE), (3, NAN), (4, 3.0), (5, INF), (7, NAN),
    (8, -INF), (9, 2 * MAX_SPEED), (10, NAN), (12, -2 * MAX_SPEED),
]


@pytest.mark.parametrize(('column', 'value'), BAD)
@pytest.mark.parametrize('row', [0, 2])
def test_bad_numbers_raise_as_in_set_states_and_set_nothing(column, value, row):
    w, index, motions = world_of(), np.array([0, KINEMATIC, 10]), sane(np.random.default_rng(4), 3)
    motions[row, column] = value
    before = w.state_hash()
    with pytest.raises(EngineError) as by_motions:
        w.set_motions(index, motions)
    assert w.state_hash() == before
    with pytest.raises(EngineError) as by_states:
        w.set_states(index, **split(motions))
    assert str(by_motions.value) == str(by_states.value)
    assert w.names[index[row]] in str(by_motions.value)


@pytest.mark.parametrize('length', [0.0, 1.0 - 1.01 * UNIT_TOLERANCE, 1.0 + 1.01 * UNIT_TOLERANCE, 1.0 + UNIT_TOLERANCE,
                                    1.0 - UNIT_TOLERANCE, 1.0 + 0.99 * UNIT_TOLERANCE])
def test_attitudes_at_the_edge_are_judged_as_in_set_states(length):
    worlds, motions = (world_of(), world_of()), sane(np.random.default_rng(5), 2)
    motions[1, 3:7] = 0.0, 0.6 * length, 0.0, 0.8 * length
    said = []
    for w, call in zip(worlds, (lambda w: w.set_motions(np.array([1, 2]), motions),
                                lambda w: w.set_states(np.array([1, 2]), **split(motions))), strict=True):
        try:
            call(w)
            said.append('')
        except EngineError as error:
            said.append(str(error))
    assert said[0] == said[1]
    assert worlds[0].state_hash() == worlds[1].state_hash()


@pytest.mark.parametrize('bad', [-1, BODIES, BODIES + 1, 99])
def test_a_body_that_is_none_is_refused(bad):
    w, motions = world_of(), sane(np.random.default_rng(6), 2)
    before = w.state_hash()
    with pytest.raises(EngineError, match=f'no body {bad}'):
        w.set_motions(np.array([0, bad]), motions)
    assert w.state_hash() == before


def test_a_static_body_may_be_moved_but_not_be_given_a_speed():
    by_motions, by_states = world_of(), world_of()
    index, motions = np.array([1, STATIC]), sane(np.random.default_rng(7), 2)
    before = by_motions.state_hash()
    with pytest.raises(EngineError, match='a static body does not move'):
        by_motions.set_motions(index, motions)
    assert by_motions.state_hash() == before
    motions[1, 7:] = 0.0
    by_motions.set_motions(index, motions)
    by_states.set_states(index, **split(motions))
    assert by_motions.state_hash() == by_states.state_hash()


def in_the_middle():
    """Two balls that meet, in the middle of an impact over 20 ms."""
    w = head_on(contact_profile='half_sine', contact_time=0.02)
    w.step(12)
    assert w.stats().profiles == 1
    return w


@pytest.mark.parametrize('keep', [False, True, np.array([True, False]), np.array([False, True])], ids=str)
def test_what_an_impact_still_owes_is_dropped_or_kept_as_in_set_states(keep):
    by_motions, by_states, alone = (in_the_middle() for _ in range(3))
    index = np.array([0, 1])
    motions = by_motions.motions(index)
    motions[:, 8] += 0.25
    motions[0, 1] += 5.0  # where they do not meet again
    by_motions.set_motions(index, motions, keep)
    by_states.set_states(index, **split(motions), keep_impacts=keep)
    assert by_motions.state_hash() == by_states.state_hash()
    for w in (by_motions, by_states, alone):
        w.step(60)
    assert by_motions.state_hash() == by_states.state_hash()
    # whoever keeps it gets what is missing, whoever does not goes on as it was set
    for k, kept in enumerate(np.broadcast_to(keep, 2)):
        expected = alone.linvel[k, 0] if kept else motions[k, 7]
        np.testing.assert_allclose(by_motions.linvel[k], (expected, motions[k, 8], 0.0), rtol=0, atol=1e-10)


def test_one_ball_and_nothing_else():
    b = WorldBuilder()
    b.add_body(Sphere(0.1), mass=1.0)
    w = b.build()
    w.set_motions(np.array([0]), np.array([[1.0, 2, 3, 1, 0, 0, 0, 4, 5, 6, 7, 8, 9]]))
    assert w.motions(np.array([0])).tolist() == [[1, 2, 3, 1, 0, 0, 0, 4, 5, 6, 7, 8, 9]]


@pytest.mark.parametrize(('bodies', 'motions', 'text'), [
    ([0, 1], np.zeros((2, 12)), r'shape \(2, 13\), got \(2, 12\)'),
    ([0, 1], np.zeros((4, 13)), r'shape \(2, 13\), got \(4, 13\)'),
    ([0], [['x'] * 13], 'must be numbers'),
])
def test_arrays_of_another_shape_are_refused(bodies, motions, text):
    w = world_of()
    with pytest.raises(EngineError, match=text):
        w.set_motions(np.array(bodies), motions)


@pytest.mark.parametrize('bad', [-1, 99])
def test_motions_of_no_body_are_refused(bad):
    with pytest.raises(EngineError, match=f'no body {bad}'):
        world_of().motions(np.array([bad]))
