# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bodies beyond a world's limits of speed or at its border are held there, counted, and cost the others nothing."""
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hakoniwa_rigid.engine import Box, EngineError, HalfSpace, Sphere, WorldBuilder
from hakoniwa_rigid.engine.constants import BORDER, MAX_SPEED


def world_of(gravity=(0.0, 0.0, 0.0), **settings):
    """A box and a ball in free space."""
    b = WorldBuilder(gravity=gravity, **settings)
    b.add_body(Box((0.1, 0.2, 0.3)), mass=1.0, pos=(0.0, 0.0, 0.0), name='box')
    b.add_body(Sphere(0.1), mass=1.0, pos=(5.0, 0.0, 0.0), linvel=(1.0, 2.0, 3.0), name='ball')
    return b.build()


def test_velocities_keep_their_direction():
    w = world_of(max_linear_velocity=10.0, max_angular_velocity=20.0)
    w.set_state(0, linvel=(30.0, 40.0, 0.0), angvel=(0.0, 300.0, 0.0))
    w.step()
    assert_allclose(w.linvel[0], (6.0, 8.0, 0.0), rtol=1e-15)
    assert_allclose(np.linalg.norm(w.angvel[0]), 20.0, rtol=1e-12)
    bodies, values = w.limited()
    assert_array_equal(bodies, [0])
    assert_array_equal(values, [[50.0, 300.0, 0.0]])
    assert w.stats().limited == w.cuts == 2
    assert_array_equal(w.limited()[0], [])


def test_what_is_within_keeps_its_bits():
    """A body near its limits, and all others, are as in a world without them."""
    ones, others = world_of(), world_of(max_linear_velocity=50.0, max_angular_velocity=1000.0)
    for w in (ones, others):
        w.set_state(0, linvel=(30.0, 39.999, 0.0), angvel=(100.0, 300.0, -200.0))
        w.step(200)
    assert ones.state_hash() == others.state_hash()
    assert others.stats().limited == 0


@pytest.mark.parametrize('solver', ['sequential', 'impulse', 'penalty'])
def test_a_hit_leaves_nobody_beyond(solver):
    """A ton at 900 m/s meets a light rod off its middle."""
    b = WorldBuilder(gravity=(0.0, 0.0, 0.0), solver=solver, max_linear_velocity=1000.0, max_angular_velocity=2000.0)
    b.add_body(Sphere(0.5), mass=1000.0, pos=(-1.0, 0.3, 0.0), linvel=(900.0, 0.0, 0.0), restitution=1.0)
    i = b.add_body(Box((0.02, 1.0, 0.02)), mass=0.01, restitution=1.0)
    w = b.build()
    w.step(20)
    assert w.stats().limited > 0 or solver == 'penalty'     # its springs are soft
    assert np.linalg.norm(w.angvel[i]) <= 2000.0 * (1.0 + 1e-12)
    assert np.linalg.norm(w.linvel, axis=1).max() <= 1000.0 * (1.0 + 1e-12)


@pytest.mark.parametrize('profile', ['rectangle', 'half_sine', 'hertz'])
def test_an_impact_over_time_never_stops_the_step(profile):
    b = WorldBuilder(gravity=(0.0, 0.0, 0.0), contact_profile=profile, contact_time=2e-3)
    b.add_body(Sphere(0.5), mass=1e6, pos=(-1.0, 0.3, 0.0), linvel=(5e4, 0.0, 0.0), restitution=1.0)
    b.add_body(Box((0.02, 1.0, 0.02)), mass=1e-4, restitution=1.0)
    w = b.build()
    for _ in range(20):
        w.step()
    assert np.isfinite(w.pose).all()


def test_a_body_that_leaves_stops_at_the_border():
    w = world_of()
    w.set_state(1, pos=(0.0, 0.0, 9.98e5), linvel=(3.0, 0.0, 9e4))
    w.step(1000)
    assert w.pos[1, 2] == BORDER
    assert_array_equal(w.linvel[1], (3.0, 0.0, 0.0))
    w.set_state(1, pos=w.pos[1], linvel=w.linvel[1])    # it can be set where it is


def test_disabled_and_kinematic_bodies_are_left_alone():
    b = WorldBuilder(max_linear_velocity=10.0)
    b.add_body(HalfSpace(), kind='static')
    k = b.add_body(Sphere(0.1), kind='kinematic', pos=(0.0, 0.0, 5.0), linvel=(50.0, 0.0, 0.0))
    w = b.build()
    w.step(10)
    assert_array_equal(w.linvel[k], (50.0, 0.0, 0.0))
    assert w.stats().limited == 0


@pytest.mark.parametrize('column', [0, 3, 5])
def test_a_pose_that_is_not_finite_is_named(column):
    w = world_of()
    w.step(3)
    # no call gets it there: a fault of the engine would
    w._s.block[0, column * 8 + 1] = np.nan
    w.set_state(0, linvel=(1.0, 0.0, 0.0))
    with pytest.raises(EngineError, match='ball: pose: must be finite') as caught:
        w.step(200)
    assert caught.value.body == 1


def test_a_load_that_is_too_large_names_its_body():
    w = world_of()
    w.force[1] = (0.0, 1e12, 0.0)
    with pytest.raises(EngineError, match='ball: force') as caught:
        w.step()
    assert caught.value.body == 1


@pytest.mark.parametrize('key', ['max_linear_velocity', 'max_angular_velocity'])
@pytest.mark.parametrize('value', [0.5, np.nan, 10 * MAX_SPEED, 'fast'])
def test_bad_limits(key, value):
    with pytest.raises(EngineError, match=key):
        WorldBuilder(**{key: value})
