# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Rolling and torsional friction: what they take from a ball that rolls, rests, spins or falls, and that they only
take.
"""

import numpy as np
import pytest
from contact_scenes import ball_on_plane, builder, solid
from numpy.testing import assert_allclose
from scenes import G, impacts

from hakoniwa_rigid.engine import Box, Capsule, Cylinder, HalfSpace, Sphere

R, M = 0.1, 1.3  # m, kg
I = 0.4 * M * R**2
ROLLING = 0.002  # m: (5/7) c_r g / r = 0.14 m/s²
TORSION = 0.001  # m: c_t m g / I = 2.45 rad/s²
UP = np.array([0.0, 0.0, 1.0])


def rolling_ball(v, *, normal=UP, **material):
    """A ball that rolls without slip on a plane through 0: world, index."""
    v = np.asarray(v, dtype=float)
    return ball_on_plane(gravity=G, normal=normal, linvel=v, angvel=np.cross(normal, v) / R, friction=0.8, **material)


# --- rolling


@pytest.mark.parametrize('heading', [0.0, 0.7, 2.0])
def test_rolling_ball_slows(heading):
    """a = (5/7) c_r g / r against the motion, still without slip."""
    v = np.array([np.cos(heading), np.sin(heading), 0])
    w, i = rolling_ball(v, rolling_friction=ROLLING)
    w.step(300)
    assert_allclose(w.linvel[i], v * (1 - 5 / 7 * ROLLING * G / R * 0.3), rtol=0, atol=1e-9)
    assert_allclose(w.angvel[i], np.cross(UP, w.linvel[i]) / R, rtol=0, atol=1e-8)


def test_rolling_ball_stops_dead():
    """After v²/(2a); it neither creeps nor turns back."""
    w, i = rolling_ball((0.05, 0, 0), rolling_friction=ROLLING)
    a = 5 / 7 * ROLLING * G / R
    start = w.pos[i, 0]
    for _ in range(500):
        w.step(1)
        assert w.linvel[i, 0] > -1e-12
    assert_allclose(w.linvel[i], 0.0, atol=1e-9)
    assert_allclose(w.angvel[i], 0.0, atol=1e-8)
    assert_allclose(w.pos[i, 0] - start, 0.05**2 / (2 * a), rtol=1e-3)


@pytest.mark.parametrize(('mine', 'ground'), [(ROLLING, 0.0005), (0.0, ROLLING)])
def test_the_larger_of_two_counts(mine, ground):
    w, i = rolling_ball((1, 0, 0), rolling_friction=mine, ground=dict(rolling_friction=ground, friction=0.8))
    w.step(100)
    assert_allclose(w.linvel[i, 0], 1 - 5 / 7 * ROLLING * G / R * 0.1, rtol=0, atol=1e-9)


def slope(tangent):
    """Unit normal and unit downhill vector of a plane of that slope."""
    a = np.arctan(tangent)
    return np.array([np.sin(a), 0, np.cos(a)]), np.array([np.cos(a), 0, -np.sin(a)])


@pytest.mark.parametrize('share', [0.0, 0.5, 0.98])
def test_ball_held_on_a_slope(share):
    """At rest iff tan(slope) <= c_r / r: nothing moves."""
    normal, _ = slope(share * 0.01 / R)
    w, i = rolling_ball((0, 0, 0), normal=normal, rolling_friction=0.01)
    start = w.pos[i].copy()
    w.step(500)
    assert_allclose(w.linvel[i], 0.0, atol=1e-9)
    assert_allclose(w.angvel[i], 0.0, atol=1e-8)
    assert_allclose(w.pos[i], start, atol=1e-7)


@pytest.mark.parametrize('share', [1.02, 2.0, 5.0])
def test_ball_let_go_by_a_slope(share):
    """a = (5/7) (g sin - c_r g cos / r) beyond it."""
    normal, downhill = slope(share * 0.01 / R)
    w, i = rolling_ball((0, 0, 0), normal=normal, rolling_friction=0.01)
    w.step(300)
    a = 5 / 7 * G * (-downhill[2] - 0.01 / R * normal[2])
    assert_allclose(w.linvel[i], 0.3 * a * downhill, rtol=0, atol=1e-7)


def test_slope_takes_speed_off_a_ball_that_rolls_up():
    """Rolling up, both pull back: a = (5/7) (g sin + c_r g cos / r); where it stops, it is held."""
    normal, downhill = slope(0.9 * 0.01 / R)
    w, i = rolling_ball(-0.2 * downhill, normal=normal, rolling_friction=0.01)
    w.step(100)
    a = 5 / 7 * G * (-downhill[2] + 0.01 / R * normal[2])
    assert_allclose(w.linvel[i], (-0.2 + 0.1 * a) * downhill, rtol=0, atol=1e-7)
    w.step(200)
    assert_allclose(w.linvel[i], 0.0, atol=1e-9)


@pytest.mark.parametrize('shape', [Capsule(R, 0.4), Cylinder(R, 0.4)], ids=['capsule', 'cylinder'])
def test_lying_roller_slows(shape):
    """Its contacts share the weight, so their moments add up to c_r m g: a = c_r g / (r (1 + I / m r²))."""
    b = builder(gravity=G)
    b.add_body(HalfSpace(), kind='static', friction=0.8)
    i = b.add_body(shape, mass=M, pos=(0, 0, R), quat=(np.sqrt(0.5), np.sqrt(0.5), 0, 0), linvel=(1, 0, 0),
                   angvel=(0, 1 / R, 0), friction=0.8, rolling_friction=ROLLING)  # fmt: skip
    w = b.build()
    w.step(200)
    a = ROLLING * G / (R * (1 + w.inertia[i][2, 2] / (M * R**2)))
    assert_allclose(w.linvel[i], [1 - 0.2 * a, 0, 0], rtol=0, atol=1e-5)


def test_resting_row_tells_the_moment():
    """On the ball, against its turning: -c_r m g dt about y while it rolls along x."""
    w, i = rolling_ball((1, 0, 0), rolling_friction=ROLLING)
    w.step(50)
    (row,) = w.contacts()
    assert row['body_b'] == i
    assert_allclose(row['moment'], [0, -ROLLING * M * G * w.dt, 0], rtol=0, atol=1e-9)


# --- torsion


def spinning_ball(spin, *, friction=0.5, **material):
    return ball_on_plane(gravity=G, angvel=spin, friction=friction, **material)


@pytest.mark.parametrize('friction', [0.0, 0.5])
@pytest.mark.parametrize('spin', [20.0, -20.0])
def test_spinning_ball_slows(spin, friction):
    """dw/dt = -c_t m g / I about the normal, with or without Coulomb friction."""
    w, i = spinning_ball((0, 0, spin), friction=friction, torsional_friction=TORSION)
    w.step(200)
    assert_allclose(w.angvel[i], [0, 0, spin - np.sign(spin) * TORSION * M * G / I * 0.2], rtol=0, atol=1e-8)
    assert_allclose(w.linvel[i], 0.0, atol=1e-9)
    assert_allclose(w.contacts()[0]['moment'], [0, 0, -np.sign(spin) * TORSION * M * G * w.dt], rtol=0, atol=1e-9)


def test_spinning_ball_stops_dead():
    w, i = spinning_ball((0, 0, 0.5), torsional_friction=TORSION)
    for _ in range(300):
        w.step(1)
        assert w.angvel[i, 2] > -1e-12
    assert_allclose(w.angvel[i], 0.0, atol=1e-9)


def test_without_torsional_friction_it_spins_on():
    w, i = spinning_ball((0, 0, 20.0), rolling_friction=ROLLING)
    w.step(200)
    assert_allclose(w.angvel[i], [0, 0, 20], rtol=0, atol=1e-9)


def test_rolling_and_torsion_each_take_their_own():
    """On ice: the spin across the normal loses c_r m g / I and keeps its direction, that about it c_t m g / I."""
    w, i = spinning_ball((3, 4, 12), friction=0.0, rolling_friction=ROLLING, torsional_friction=TORSION)
    w.step(200)
    across = 1 - ROLLING * M * G / I * 0.2 / 5
    assert_allclose(w.angvel[i], [3 * across, 4 * across, 12 - TORSION * M * G / I * 0.2], rtol=0, atol=1e-8)


def test_turntable_takes_a_ball_along():
    """The spin relative to the ground counts: a ball at the hub gains c_t m g / I until it turns with the plate."""
    b = builder(gravity=G)
    b.add_body(Box((2, 2, 0.2)), kind='kinematic', pos=(0, 0, -0.1), angvel=(0, 0, 1.0), torsional_friction=TORSION)
    i = b.add_body(Sphere(R), mass=M, inertia=solid(M, R), pos=(0, 0, R), friction=0.5)
    w = b.build()
    w.step(200)
    assert_allclose(w.angvel[i], [0, 0, TORSION * M * G / I * 0.2], rtol=0, atol=1e-6)
    w.step(400)
    assert_allclose(w.angvel[i], [0, 0, 1.0], rtol=0, atol=1e-6)


# --- impacts


@pytest.mark.parametrize('spin', [0.3, 200.0, -200.0])
def test_falling_ball_loses_spin_about_the_normal(spin):
    """Angular impulse min(c_t J_n, I |w|), J_n = (1 + e) m v; v' = e v as ever."""
    w, i = ball_on_plane(gravity=0.0, linvel=(0, 0, -3), angvel=(0, 0, spin), restitution=0.5, friction=0.6,
                         torsional_friction=0.003)  # fmt: skip
    w.step(1)
    taken = np.sign(spin) * min(0.003 * 1.5 * M * 3, I * abs(spin))
    assert_allclose(w.angvel[i], [0, 0, spin - taken / I], rtol=0, atol=1e-12 * abs(spin) + 1e-12)
    assert_allclose(w.linvel[i], [0, 0, 1.5], rtol=0, atol=1e-12)
    assert_allclose(impacts(w)[0]['moment'], [0, 0, -taken], rtol=0, atol=1e-13)


@pytest.mark.parametrize('spin', [0.3, 200.0])
def test_falling_ball_loses_spin_across_the_normal(spin):
    """On ice: min(c_r J_n, I |w|), along the spin."""
    turn = np.array([0.6, 0.8, 0]) * spin
    w, i = ball_on_plane(gravity=0.0, linvel=(0.5, 0, -3), angvel=turn, restitution=0.5, friction=0.0,
                         rolling_friction=0.003)  # fmt: skip
    w.step(1)
    taken = min(0.003 * 1.5 * M * 3, I * spin)
    assert_allclose(w.angvel[i], turn * (1 - taken / I / spin), rtol=0, atol=1e-12 * spin + 1e-12)
    assert_allclose(w.linvel[i], [0.5, 0, 1.5], rtol=0, atol=1e-12)


@pytest.mark.parametrize('spin', [0.3, 200.0])
def test_two_free_balls_share_it(spin):
    """Head on, spinning about the line of centres: min(c_t J_n, what stops the relative spin) on both."""
    b = builder()
    for x, v, turn, m in ((-R, 2.0, spin, 0.5), (R, -1.0, -spin / 4, M)):
        b.add_body(Sphere(R), mass=m, inertia=solid(m, R), pos=(x, 0, 0), linvel=(v, 0, 0), angvel=(turn, 0, 0),
                   restitution=0.4, torsional_friction=0.002)  # fmt: skip
    w = b.build()
    w.step(1)
    m_n, i_n = 0.5 * M / (0.5 + M), 0.4 * R**2 * 0.5 * M / (0.5 + M)
    taken = min(0.002 * 1.4 * m_n * 3, i_n * 1.25 * spin)
    want = spin - taken / (0.4 * 0.5 * R**2), -spin / 4 + taken / I
    assert_allclose(w.angvel, [[want[0], 0, 0], [want[1], 0, 0]], rtol=0, atol=1e-12 * spin + 1e-12)
    assert_allclose(impacts(w)[0]['moment'], [taken, 0, 0], rtol=0, atol=1e-13)


@pytest.mark.parametrize('key', ['rolling_friction', 'torsional_friction'])
def test_friction_set_to_nothing_stops_acting(key):
    """From then on the ball goes on as it is: nothing of the last step's moments is left."""
    w, i = rolling_ball((1, 0, 0), rolling_friction=ROLLING, torsional_friction=TORSION)
    w.step(10)
    for body in range(w.n):
        w.set_material(body, **{key: 0.0})
    w.step(1)
    before, energy = w.angvel[i].copy(), w.energy()
    w.step(100)
    assert w.energy() <= energy * (1 + 1e-12)
    if key == 'rolling_friction':
        assert_allclose(w.angvel[i], before, rtol=0, atol=1e-9)
