# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""States that a user sets between steps, and input that the builder and the world refuse."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from hakoniwa_rigid.engine import Box, Capsule, EngineError, HalfSpace, Sphere, WorldBuilder

SIDEWAYS = (0.5 ** 0.5, 0.5 ** 0.5, 0.0, 0.0)


def test_static_body_moved_into_the_way_stops_a_ball():
    """A wall 100 m away is set under a ball that comes down slowly: the ball stops on it, 0.15 m above its centre."""
    b = WorldBuilder(gravity=(0.0, 0.0, 0.0))
    wall = b.add_body(Box((1.0, 1.0, 0.1)), kind='static', pos=(100.0, 0.0, 0.0))
    ball = b.add_body(Sphere(0.1), mass=1.0, pos=(0.0, 0.0, 0.16), linvel=(0.0, 0.0, -0.3))
    w = b.build()
    w.step(1)
    w.set_state(wall, pos=(0.0, 0.0, 0.0))
    w.step(60)
    assert_allclose(w.pos[ball], (0.0, 0.0, 0.15), atol=1e-9)


@pytest.mark.parametrize('key', ['linvel', 'angvel'])
def test_velocity_of_a_static_body_is_refused(key):
    b = WorldBuilder()
    b.add_body(HalfSpace(), kind='static', name='floor')
    w = b.build()
    w.set_state(0, **{key: (0.0, 0.0, 0.0)})
    with pytest.raises(EngineError, match='floor: .*static'):
        w.set_state(0, **{key: (1.0, 0.0, 0.0)})


@pytest.mark.parametrize('shape', [Sphere(0.1), Capsule(0.1, 0.3)])
def test_ball_set_from_above_to_below_falls(shape):
    """The contact force of the last step would hold it up: z = -0.2 - g t^2 / 2 after t = 20 ms."""
    b = WorldBuilder()
    b.add_body(shape, kind='static', quat=SIDEWAYS)
    ball = b.add_body(Sphere(0.1), mass=1.0, pos=(0.0, 0.0, 0.2))
    w = b.build()
    w.step(5)
    w.set_state(ball, pos=(0.0, 0.0, -0.2), quat=(1.0, 0.0, 0.0, 0.0), linvel=(0.0, 0.0, 0.0), angvel=(0.0, 0.0, 0.0))
    w.step(20)
    assert_allclose(w.pos[ball, 2], -0.2 - 0.5 * 9.80665 * 0.02 ** 2, atol=1e-12)


def test_disabled_fast_spinner_keeps_its_state():
    """It shares a block with a free body; the vector pass over the block must not spoil it."""
    b = WorldBuilder()
    b.add_body(Box((0.1, 0.2, 0.3)), mass=1.0, angvel=(9e4, 8e4, 7e4), enabled=False)
    b.add_body(Sphere(0.1), mass=1.0, pos=(5.0, 0.0, 0.0))
    w = b.build()
    w.step(2)
    assert_allclose(w.angvel[0], (9e4, 8e4, 7e4), rtol=0)
    assert_allclose(w.quat[0], (1.0, 0.0, 0.0, 0.0), rtol=0)


def test_slide_that_stops_in_an_island_with_an_open_pair():
    """A light ball leaves a wall and pushes a box, which slides and stops within the same step: it must not slide back.

    The ball's contact with the wall, the first pair of the island, is open by then.
    """
    b = WorldBuilder()
    b.add_body(Sphere(0.01), mass=1e-3, pos=(-0.1101, 0.0, 0.05), linvel=(1.0, 0.0, 0.0), friction=0.0)
    b.add_body(Box((0.02, 1.0, 1.0)), kind='static', pos=(-0.1301, 0.0, 0.5), friction=0.0)
    b.add_body(HalfSpace(), kind='static', friction=0.5)
    box = b.add_body(Box((0.2, 0.2, 0.1)), mass=1.0, pos=(0.0, 0.0, 0.05), friction=0.5)
    w = b.build()
    w.step(1)
    hits = w.contact_log()
    assert ((hits['body_a'] == 0) & (hits['body_b'] == box) & hits['impact']).any()
    assert w.linvel[box, 0] > -1e-6


@pytest.mark.parametrize('n', [1.5, np.float64(1.0), '1', None])
def test_steps_are_whole_numbers(n):
    b = WorldBuilder()
    b.add_body(Sphere(0.1), mass=1.0)
    with pytest.raises(EngineError, match='whole number'):
        b.build().step(n)


@pytest.mark.parametrize(('key', 'value'), [('group', 'a'), ('mask', None), ('mask', 0xFFFFFFFFFFFFFFFF)])
def test_groups_and_masks_fit_into_64_bits(key, value):
    with pytest.raises(EngineError, match=f'drone: {key}: '):
        WorldBuilder().add_body(Sphere(0.1), mass=1.0, name='drone', **{key: value})


def test_ball_at_rest_that_is_hit_does_not_fly_through_a_wall():
    """The hit ball leaves far faster than its own speed allowed for: 100 m/s towards a 1 mm wall 4 cm away."""
    b = WorldBuilder(gravity=(0.0, 0.0, 0.0))
    b.add_body(Sphere(0.01), mass=1.0, pos=(-0.06, 0.0, 0.0), linvel=(100.0, 0.0, 0.0), restitution=0.5, friction=0.0)
    i = b.add_body(Sphere(0.01), mass=0.1, pos=(0.0, 0.0, 0.0), restitution=0.5, friction=0.0)
    b.add_body(Box((0.001, 2.0, 2.0)), kind='static', pos=(0.04, 0.0, 0.0))
    w = b.build()
    for _ in range(3):
        w.step(1)
        assert w.pos[i, 0] <= 0.04 - 0.0005 - 0.01 + 1e-9


def test_restore_refuses_a_world_with_another_time_step():
    def world(dt):
        b = WorldBuilder(dt=dt)
        b.add_body(Sphere(0.1), mass=1.0)
        return b.build()
    with pytest.raises(EngineError, match='time step'):
        world(1e-3).restore(world(2e-3).save())


def test_off_centre_mass_needs_its_inertia():
    with pytest.raises(EngineError, match='inertia: must be given'):
        WorldBuilder().add_body(Sphere(0.1), mass=1.0, com=(0.05, 0.0, 0.0))
