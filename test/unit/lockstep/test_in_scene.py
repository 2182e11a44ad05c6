# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A simulator and a scene in one process: the same call, and what it gives is what feeding and advancing give."""
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hakoniwa_rigid.lockstep import LockstepError, SceneLockstep
from hakoniwa_rigid.lockstep.states import IN_CONTACT
from hakoniwa_rigid.scene import CollisionScene

P = 5_000_000
WORLD = """
name: two
gravity: [0, 0, 0]
materials: {plain: {restitution: 0.5, friction: 0.0}}
models:
  ball: {mass: 1.0, inertia: [0.016, 0.016, 0.016], shape: {type: sphere, radius: 0.2}, material: plain}
drones:
  - {name: a, model: ball}
  - {name: b, model: ball, position: [1, 0, 0]}
"""
TURN = np.array([[0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)], [0.0, 0.0, 0.0, 1.0]])


@pytest.fixture
def scene(tmp_path):
    (tmp_path / 'two.yaml').write_text(WORLD)
    return CollisionScene.from_yaml(tmp_path / 'two.yaml')


def meeting(k):
    """a flies into b at 1 m/s; it is turned a quarter about z, and rolls 1 rad/s about its own x."""
    x = 0.005 * k
    return ([[x, 0, 0], [1, 0, 0]], TURN, [[1, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0]])


def test_two_balls_meet(scene):
    lockstep = SceneLockstep(scene, ['b', 'a'], P)
    found = []
    for k in range(1, 140):
        p, q, v, w = (np.array(a)[::-1] for a in meeting(k))
        found.append(lockstep.step(k * P, p, q, v, w))
    hit = next(s for s in found if (s.flags & IN_CONTACT).any())
    # each of two equal masses leaves with (1 +- e) / 2
    assert_allclose(hit.linear_velocities[:, 0], [0.75, 0.25], atol=0.02)
    assert (hit.flags & IN_CONTACT).all()
    assert_array_equal([s.stamp_ns for s in found], P * np.arange(1, 140))


def test_angular_velocities_are_of_the_body_both_ways(scene):
    lockstep = SceneLockstep(scene, ['a', 'b'], P)
    p, q, v, _ = meeting(0)
    for k in (1, 2, 3):
        found = lockstep.step(k * P, p, q, np.zeros((2, 3)), [[1.0, 0, 0], [0, 0, 2.0]])
    assert_allclose(found.angular_velocities, [[1.0, 0, 0], [0, 0, 2.0]], atol=1e-12)


def test_the_ticks_of_a_long_step_and_none_in_a_short_one(scene):
    lockstep = SceneLockstep(scene, ['a', 'b'], P)
    lockstep.step(10 * P, *meeting(10))
    assert lockstep.step(13 * P + 1, *meeting(13)).stamp_ns == 13 * P
    assert [t.stamp_ns for t in lockstep.ticks] == [11 * P, 12 * P, 13 * P] and lockstep.tick is lockstep.ticks[-1]
    assert lockstep.step(14 * P - 1, *meeting(14)).stamp_ns == 13 * P and lockstep.ticks == ()


@pytest.mark.parametrize('stamp', [P, 2 * P, 2 * P + 1_000_000_001])
def test_stamps_rise_and_not_by_more_than_a_second(scene, stamp):
    lockstep = SceneLockstep(scene, ['a', 'b'], P)
    lockstep.step(2 * P, *meeting(2))
    with pytest.raises(LockstepError, match='stamp_ns: must rise, by 1 s at most'):
        lockstep.step(stamp, *meeting(1))


def test_a_new_beginning(scene):
    lockstep = SceneLockstep(scene, ['a', 'b'], P)
    first = [lockstep.step(k * P, *meeting(k)) for k in range(1, 160)]
    lockstep.restart()
    again = [lockstep.step((1000 + k) * P, *meeting(k)) for k in range(1, 160)]
    for one, other in zip(first[1:], again[1:], strict=True):
        assert_allclose(np.array(one.positions), np.array(other.positions), atol=1e-9)


@pytest.mark.parametrize(('names', 'period', 'text'), [
    (['a', 'z'], P, 'the scene has no drone z: it has a, b'), ([], P, 'names'),
    (['a'], P + 1, 'period_ns: must be whole engine steps of 1000000 ns'), (['a'], 0, 'period_ns')])
def test_arguments_that_cannot_be(scene, names, period, text):
    with pytest.raises(LockstepError, match=text):
        SceneLockstep(scene, names, period)
