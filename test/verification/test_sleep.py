# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Sleep: what rests stands still and costs nothing, says so, and wakes for each reason there is."""
import numpy as np
import pytest
from crowd_scenes import plates

from hakoniwa_rigid.engine import Box, EngineError, HalfSpace, Sphere, WorldBuilder

G, CONTACT, LOAD, STATE, PARAMETER = 9.80665, 0, 1, 2, 3


def towers(n=2, *, sleep=True, more=()):
    """Body 0: the floor; then n towers of three cubes of 0.2 m, 5 m apart."""
    b = WorldBuilder(gravity=(0, 0, -G), dt=1e-3, sleep=sleep)
    b.add_body(HalfSpace(), kind='static')
    for k in range(3 * n):
        b.add_body(Box((0.2,) * 3), mass=1.0, pos=(5.0 * (k // 3), 0.0, 0.1 + 0.2 * (k % 3)), restitution=0.3)
    for given in more:
        b.add_body(**given)
    return b.build()


def sleeping(**how):
    w = towers(**how)
    w.step(300)
    assert w.asleep.tolist() == [False] + [True] * 6 + [False] * (w.n - 7)
    return w


def test_they_fall_asleep_after_a_quarter_of_a_second_and_cost_nothing():
    w = towers()
    w.step(240)
    assert not w.asleep.any()
    w.step(60)
    assert w.asleep[1:].all() and w.stats().asleep == 6
    before, work, hashed = w.pose, w.stats().work, w.pos.tobytes()
    w.step(1000)
    assert w.pose.tobytes() == before.tobytes() and w.pos.tobytes() == hashed
    assert w.stats().work == work and w.stats().contact_pairs == 0
    assert not w.linvel.any() and not w.angvel.any()


def test_their_contacts_persist_with_the_weights_that_they_carry():
    w = sleeping()
    for _ in range(3):
        w.step()
        rows = w.contacts()
        assert len(rows) == 24 and not rows['impact'].any()
        for first in (1, 4):
            for k in range(3):
                pair = (rows['body_a'] == (first + k - 1 if k else 0)) & (rows['body_b'] == first + k)
                assert rows['impulse'][pair].sum(axis=0) == pytest.approx([0, 0, (3 - k) * G * 1e-3], abs=1e-8)


def test_a_ball_wakes_the_tower_that_it_strikes_and_no_other():
    w = sleeping(more=[{'shape': Sphere(0.1), 'mass': 0.5, 'pos': (-0.6, 0.0, 0.5), 'linvel': (1.0, 0.0, 2.0)}])
    while not w.contacts()['impact'].any():
        w.step()
    assert w.stats().woken == (1, 0, 0, 0)
    assert not w.asleep[1:4].any() and w.asleep[4:7].all()
    assert w.linvel[3][0] > 0.1


def test_a_hand_wakes_before_it_touches():
    w = sleeping(more=[{'shape': Sphere(0.05), 'kind': 'kinematic', 'pos': (-0.3, 0.0, 0.5)}])
    w.step(100)
    assert w.stats().asleep == 6        # it stands still beside
    w.set_state(7, linvel=(0.5, 0.0, 0.0))
    w.step(400)
    assert w.stats().woken[CONTACT] == 1 and w.pos[3][0] > 0.02 and w.contacts()['depth'].max(initial=0.0) < 1e-5


@pytest.mark.parametrize('reason, change', [
    (LOAD, lambda w: w.force.__setitem__(3, (1.0, 0.0, 0.0))),
    (LOAD, lambda w: w.apply_force(3, (1.0, 0.0, 0.0))),
    (LOAD, lambda w: w.apply_torque(3, (0.1, 0.0, 0.0))),
    (STATE, lambda w: w.apply_impulse(3, (0.1, 0.0, 0.0))),
    (STATE, lambda w: w.set_state(3, pos=w.pos[3] + (0.0, 0.0, 1e-9))),
    (STATE, lambda w: w.set_state(3, linvel=(0.0, 0.0, 1e-9))),
    (STATE, lambda w: w.set_enabled(1, False)),
], ids=['force', 'push', 'torque', 'impulse', 'place', 'velocity', 'one of them taken away'])
def test_what_is_done_to_one_wakes_its_island(reason, change):
    w = sleeping()
    change(w)
    w.step()
    assert not w.asleep[1:4].any() and w.asleep[4:7].all()
    assert [k for k in range(4) if w.stats().woken[k]] == [reason]


@pytest.mark.parametrize('change', [
    lambda w: w.set_material(3, friction=0.1),
    lambda w: w.set_state(0, pos=(0.0, 0.0, -1.0))], ids=['material', 'floor moved'])
def test_a_parameter_wakes_all(change):
    w = sleeping()
    change(w)
    w.step()
    assert not w.asleep.any() and w.stats().woken == (0, 0, 0, 2)
    w.step(50)


def test_the_floor_taken_away_wakes_what_lies_on_it():
    """Both islands, as bodies that were set elsewhere."""
    w = sleeping()
    w.set_enabled(0, False)
    w.step()
    assert not w.asleep.any() and w.stats().woken == (0, 0, 2, 0)


def test_the_body_below_taken_away_they_fall():
    w = sleeping()
    w.set_enabled(1, False)
    w.step(100)
    assert w.pos[2][2] == pytest.approx(0.3 - 0.5 * G * 0.1**2, abs=1e-3)


def test_what_wakes_goes_on_as_if_it_had_not_slept():
    """Pushed after a second: as in a world where nothing sleeps, to the overlap (m) that would have gone meanwhile."""
    worlds = [towers(sleep=sleep) for sleep in (True, False)]
    for w in worlds:
        w.step(1000)
        w.apply_impulse(3, (0.8, 0.0, 0.0))
        w.step(300)
    assert not worlds[1].asleep.any()
    assert np.abs(worlds[0].pose - worlds[1].pose).max() < 1e-5
    assert np.abs(worlds[0].linvel - worlds[1].linvel).max() < 1e-4


def test_on_what_could_be_moved_nothing_sleeps():
    b = WorldBuilder(gravity=(0, 0, -G))
    b.add_body(Box((1.0, 1.0, 0.1)), kind='kinematic')
    b.add_body(Box((0.2,) * 3), mass=1.0, pos=(0, 0, 0.15))
    w = b.build()
    w.step(1000)
    assert not w.asleep.any()


def test_saved_asleep_restored_awake_and_the_other_way_round():
    w = towers()
    w.step(100)
    early = w.save()
    w.step(500)
    late, here = w.save(), w.state_hash()
    w.apply_impulse(2, (0.5, 0.1, 0.0))
    w.step(200)
    there = w.state_hash()
    for other in (w, towers()):
        other.restore(late)
        assert other.asleep[1:].all() and other.state_hash() == here
        other.apply_impulse(2, (0.5, 0.1, 0.0))
        other.step(200)
        assert other.state_hash() == there
        other.restore(early)
        assert not other.asleep.any()
        other.step(500)
        assert other.state_hash() == here


def test_what_goes_on_far_away_does_not_change_when_others_sleep():
    def bits(n):
        w = towers(1, more=[{'shape': Box((0.2,) * 3), 'mass': 1.0, 'pos': (100.0 * k + 20.0, 0, 1.0 + k)}
                            for k in range(n)])
        out = []
        for _ in range(60):
            w.step(20)
            rows = w.contacts()
            out.append((w.pose[:4].tobytes(), w.asleep[:4].tolist(), rows[rows['body_b'] < 4]['impulse'].tobytes()))
        return out
    assert bits(0) == bits(1) == bits(5)


def test_a_heap_sleeps_and_wakes():
    w = plates(20)
    w.step(6000)
    assert w.stats().asleep == 20
    rows = w.contacts()
    lifted = np.where(rows['body_a'] < 5, rows['impulse'][:, 2], 0.0)[rows['body_b'] >= 5].sum()
    assert lifted == pytest.approx(20 * 0.71 * G * 1e-3, rel=0.02)
    w.set_state(24, linvel=(0, 0, 3.0))
    w.step(2)
    assert not w.asleep[24]
    w.step(4000)
    assert w.stats().asleep == 20 and np.abs(w.linvel).max() == 0.0


@pytest.mark.parametrize('value', [1, 'yes', None])
def test_sleep_is_a_switch(value):
    with pytest.raises(EngineError, match='sleep: must be True or False'):
        WorldBuilder(sleep=value)
