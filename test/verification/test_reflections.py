# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Several contacts at one instant: reflections in passes (Smith et al. 2012)."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scenes import momenta

from hakoniwa_rigid.engine import Box, HalfSpace, Sphere, WorldBuilder


def row_of_balls(velocities, e, masses=None, friction=0.0, direction=(1.0, 0.0, 0.0), threshold=0.01):
    """Touching balls of radius 0.1 m in a row."""
    d = np.array(direction) / np.linalg.norm(direction)
    b = WorldBuilder(gravity=(0, 0, 0), dt=1e-3, restitution_threshold=threshold)
    for k, v in enumerate(velocities):
        b.add_body(Sphere(0.1), mass=1.0 if masses is None else masses[k], pos=0.2 * k * d, linvel=v * d, restitution=e,
                   friction=friction)  # fmt: skip
    return b.build(), d


@pytest.mark.parametrize('direction', [(1, 0, 0), (0, 0, 1), (1, 2, 3)], ids=['x', 'z', 'askew'])
@pytest.mark.parametrize('friction', [0.0, 0.5])
@pytest.mark.parametrize(('before', 'after'), [
    ([1, 0, 0, 0, 0], [0, 0, 0, 0, 1]),
    ([1, 1, 0, 0, 0], [0, 0, 0, 1, 1]),
    ([1, 1, 1, 0, 0], [0, 0, 1, 1, 1]),
    ([1, 0, 0, 0, -1], [-1, 0, 0, 0, 1]),
    ([1] + [0] * 19, [0] * 19 + [1])], ids=str)  # fmt: skip
def test_touching_cradle(before, after, friction, direction):
    """As many balls leave as came, as fast; the rest stays at rest, to 1e-9."""
    w, d = row_of_balls(before, 1.0, friction=friction, direction=direction)
    w.step(5)
    assert_allclose(w.linvel, np.outer(after, d), rtol=0, atol=1e-9)
    assert_allclose(w.angvel, 0.0, atol=1e-9)


def test_inelastic_row_goes_on_together():
    w, d = row_of_balls([1, 0, 0, 0, 0], 0.0)
    w.step(3)
    assert_allclose(w.linvel @ d, 0.2, rtol=0, atol=1e-12)


@pytest.mark.parametrize('e', [0.1, 0.5, 0.9])
def test_between_inelastic_and_reflected(e):
    """The last ball leaves with ((1 + e)/2)^4, or faster where others catch up with it in the same instant; energy lies
    between that of e = 0 and of e = 1; no bodies overlap."""
    w, d = row_of_balls([1, 0, 0, 0, 0], e)
    w.step(1)
    v = w.linvel @ d
    assert v[-1] >= (0.5 * (1 + e)) ** 4 - 1e-12
    if e >= 0.5:
        assert_allclose(v[-1], (0.5 * (1 + e)) ** 4, rtol=0, atol=1e-12)
    assert_allclose(v.sum(), 1.0, rtol=0, atol=1e-12)
    assert np.all(np.diff(v) > -1e-9)
    assert 0.1 - 1e-12 <= w.kinetic_energy() < 0.5


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(2, 8))
def test_rows_of_any_masses_keep_momentum_and_energy(seed, count):
    """e = 1, no friction, no threshold: both to 1e-12, and the balls part in their order."""
    rng = np.random.default_rng(seed)
    w, d = row_of_balls(rng.normal(size=count), 1.0, masses=rng.uniform(0.5, 2.0, size=count),
                        threshold=0.0)  # fmt: skip
    p, energy, scale = momenta(w)[0], w.kinetic_energy(), w.mass @ np.abs(w.linvel @ d)
    w.step(1)
    assert_allclose(momenta(w)[0], p, rtol=0, atol=1e-12 * scale)
    assert_allclose(w.kinetic_energy(), energy, rtol=1e-12)
    assert np.all(np.diff(w.linvel @ d) > -1e-9 * scale)


@pytest.mark.parametrize('e', [0.3, 1.0])
@pytest.mark.parametrize('friction', [0.0, 0.5])
def test_flat_landing_does_not_spin(e, friction):
    """Four corners at once: reflected straight up."""
    b = WorldBuilder(gravity=(0, 0, 0))
    b.add_body(HalfSpace(), kind='static', friction=friction)
    i = b.add_body(Box((0.3, 0.2, 0.1)), mass=0.7, pos=(0, 0, 0.0513), linvel=(0, 0, -2), restitution=e,
                   friction=friction)  # fmt: skip
    w = b.build()
    w.step(2)
    assert_allclose(w.linvel[i], [0, 0, 2 * e], rtol=0, atol=1e-9)
    assert_allclose(w.angvel[i], 0.0, atol=1e-9)


def test_ball_in_a_groove():
    """Two walls at once, e = 1: sent back the way it came."""
    b = WorldBuilder(gravity=(0, 0, 0))
    for side in (-1, 1):
        b.add_body(HalfSpace((side, 0, 1.5)), kind='static')
    i = b.add_body(Sphere(0.1), mass=1.0, pos=(0, 0, 0.1 * np.hypot(1, 1.5) / 1.5), linvel=(0, 0, -3), restitution=1.0,
                   friction=0.0)  # fmt: skip
    w = b.build()
    w.step(1)
    speed = np.linalg.norm(w.linvel[i])
    assert_allclose(speed, 3.0, rtol=1e-12)
    assert_allclose(w.linvel[i, :2], 0.0, atol=1e-9)


def test_symmetric_break_stays_symmetric():
    """The cue ball meets two touching balls in the same instant, e = 1: mirror images to 1e-9, energy kept."""
    b = WorldBuilder(gravity=(0, 0, 0))
    b.add_body(Sphere(0.1), mass=1.0, pos=(-0.2 * np.sqrt(0.75), 0, 0), linvel=(2, 0, 0), restitution=1.0, friction=0.0)
    for y in (-0.1, 0.1):
        b.add_body(Sphere(0.1), mass=1.0, pos=(0, y, 0), restitution=1.0, friction=0.0)
    w = b.build()
    w.step(1)
    cue, left, right = w.linvel
    assert_allclose(left * [1, -1, 1], right, rtol=0, atol=1e-9)
    assert_allclose(cue, [-0.4, 0, 0], rtol=0, atol=1e-9)
    assert_allclose(w.kinetic_energy(), 2.0, rtol=1e-12)


def test_a_row_of_the_log_is_the_whole_impact():
    """One row a contact: impulses add up to the change of momentum, velocities are those before and after all of it."""
    w, d = row_of_balls([1, 0, 0, 0, 0], 1.0)
    w.step(1)
    rows = w.contacts()
    rows = rows[rows['impact']]
    assert len(rows) == 4
    assert_allclose(rows['impulse'] @ d, 1.0, rtol=0, atol=1e-12)
    assert_allclose(rows['velocity_before'] @ d, [-1, 0, 0, 0], rtol=0, atol=1e-12)
    assert_allclose(rows['velocity_after'] @ d, [0, 0, 0, 1], rtol=0, atol=1e-12)
    assert_allclose(rows['restitution'], 1.0)
