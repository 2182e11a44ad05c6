# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Floors that move: turntables, tables that travel, sway and tilt, rotating pipes, travelling waves."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles import floors
from oracles.rolling import BallOnFloor, pendulum, solved
from oracles.rotations import angle_between, from_rotvec, multiply
from oracles.smooth_bodies import Quadric, ball
from surface_motions import UPRIGHT, G, motion

SHARES = {'solid': 2 / 5, 'shell': 2 / 3}
EGG = Quadric.of_axes((0.3, 0.25, 0.2))


@pytest.mark.parametrize('table', [2.0, -5.0])
@pytest.mark.parametrize('share', SHARES.values(), ids=SHARES)
def test_circles_on_a_turntable(share, table):
    """A ball goes round with I/(I + m r²) of the table's rate, to 1e-8: 2/7 if solid, 2/5 if a shell."""
    r, m, kappa = 0.2, 1.4, share / (1 + share)
    floor = floors.Moved(floors.Plane(), rate=table)
    run = motion(floor, ball(r), (0.5, 0.1, 0), mass=m, inertia=(share * m * r * r,) * 3, angvel=(1.0, 2.0, 1.5))
    v, x = complex(*run.linvel[:2]), complex(*run.pos[:2])
    path = run.trace(8000, every=20)
    turned = np.exp(1j * kappa * table * path['time'])
    velocity = path['linvel'][:, 0] + 1j * path['linvel'][:, 1]
    assert_allclose(velocity, v * turned, atol=1e-9)
    rate = np.unwrap(np.angle(velocity / v))[-1] / path['time'][-1]
    assert_allclose(rate / table, kappa, rtol=1e-8)
    centre = x - v / (1j * kappa * table)
    assert_allclose(np.abs(path['pos'][:, 0] + 1j * path['pos'][:, 1] - centre), abs(v / (kappa * table)), rtol=1e-8)
    assert_allclose(path['angvel'][:, 2], 1.5, atol=1e-11)
    assert_allclose(path['pos'][:, 2], r, atol=1e-12)


def test_drift_on_a_tilted_turntable():
    """v' = κ Ω n × v + (1 - κ) g_t: circles that drift across the slope at (1 - κ) n × g_t/(κ Ω), not down it."""
    n = np.array([np.sin(0.1), 0, np.cos(0.1)])
    table, kappa, r = 4.0, 2 / 7, 0.1
    run = motion(floors.Moved(floors.Plane(n), axis=tuple(n), rate=table), ball(r), (0.3, 0, 0), angvel=(0.5, 0, 0.7))
    pull = np.array([0, 0, -G]) + G * n[2] * n
    drift = (1 - kappa) / (kappa * table) * np.cross(n, pull)
    start, begun = run.pos, run.linvel - drift
    path = run.trace(6000, every=60)
    angle = kappa * table * path['time'][:, None]
    side = np.cross(n, begun)
    assert_allclose(path['linvel'], drift + np.cos(angle) * begun + np.sin(angle) * side, atol=1e-9)
    rate = kappa * table
    where = start + drift * path['time'][:, None] + (np.sin(angle) * begun + (1 - np.cos(angle)) * side) / rate
    assert_allclose(path['pos'], where, atol=1e-9)


@pytest.mark.parametrize('mode', ['slide', 'roll'])
@pytest.mark.parametrize('base', [floors.Plane((0.1, 0, 1)), floors.Round(1.5, (0, 0, 1.5), inside=True),
                                  floors.Sine(0.05, (3, 1), 0.2)])
def test_galilei(base, mode):
    """On a table that travels all goes as on one at rest: egg, any floor, both modes."""
    boost = np.array([0.7, -0.4, 0.3])
    options = dict(mode=mode, angvel=(1, 0.5, 2), slip=(0.3, 0.1, 0), quat=tuple(from_rotvec([0.2, 0.1, 0.4])),
                   unilateral=False)
    still = motion(base, EGG, (0.3, 0.1, 0.1), **options).trace(1500, every=100)
    moved = motion(floors.Moved(base, velocity=tuple(boost)), EGG, (0.3, 0.1, 0.1), **options).trace(1500, every=100)
    shift = boost * still['time'][:, None]
    assert_allclose(moved['pos'] - shift, still['pos'], atol=1e-10)
    assert_allclose(moved['contact_point'] - shift, still['contact_point'], atol=1e-10)
    assert_allclose(moved['linvel'] - boost, still['linvel'], atol=1e-10)
    assert_allclose(moved['angvel'], still['angvel'], atol=1e-9)
    assert_allclose(moved['contact_force'], still['contact_force'], atol=1e-8)
    assert max(map(angle_between, moved['quat'], still['quat'])) < 1e-10


@pytest.mark.parametrize('share', SHARES.values(), ids=SHARES)
def test_swaying_table(share):
    """A rolling ball gets I/(I + m r²) of the table's acceleration along it (2/7), a sliding one none."""
    r, m, sway, rate, kappa = 0.15, 0.9, np.array([0.2, -0.1, 0.02]), 4.0, share / (1 + share)
    floor = floors.Moved(floors.Plane(), sway=tuple(sway), sway_rate=rate)
    for mode, part in (('roll', kappa), ('slide', 0.0)):
        run = motion(floor, ball(r), (0, 0, 0), mode=mode, mass=m, inertia=(share * m * r * r,) * 3, angvel=(1, 2, 3))
        start, begun = run.pos, run.linvel
        path = run.trace(3000, every=50)
        t = path['time'][:, None]
        gain = np.array([part, part, 1.0]) * sway
        # the table starts at its full speed sway_rate · sway
        moved = start + (begun - gain * rate) * t + gain * np.sin(rate * t)
        assert_allclose(path['pos'], moved, atol=1e-10, err_msg=mode)
        pushed = m * (-gain * rate**2 * np.sin(rate * t) + [0, 0, G])
        assert_allclose(path['contact_force'], pushed, atol=1e-8, err_msg=mode)


def test_velocity_steps_of_a_table():
    """A table that jerks to a new speed is hit along itself: after each hand-over the ball keeps 2/7 of the step."""
    r, v, w = 0.1, np.array([0.0, 0.0, 0.0]), np.array([0.0, 0.0, 0.0])
    x = np.array([0.0, 0.0, r])
    for speed in (1.0, -0.5, 0.25):
        # sticking impulse along the table on a ball: J = 2/7 m slip
        slip = np.array([speed, 0, 0]) - v - np.cross(w, [0, 0, -r])
        v, w = v + 2 / 7 * slip, w + np.cross([0, 0, -r], 2 / 7 * slip) / (0.4 * r * r)
        m = motion(floors.Moved(floors.Plane(), velocity=(speed, 0, 0)), ball(r), (x[0], 0, 0), angvel=w)
        assert_allclose(m.linvel, v, atol=1e-13)
        m.step(500)
        x = x + 0.5 * v
        assert_allclose(m.pos, x, atol=1e-12)
    assert_allclose(v[0], 2 / 7 * 0.25, atol=1e-13)


@pytest.mark.parametrize('mode', ['slide', 'roll'])
def test_tilting_table(mode):
    """Lagrange: (m + I/r²) s'' = -(m r + I/r) φ'' + m s φ'² + m g sin φ; sliding, the same with I = 0."""
    r, m, tilt, rate = 0.15, 1.1, 0.2, 3.0
    inertia = 0.4 * m * r * r
    floor = floors.Moved(floors.Plane(), axis=(0, 1, 0), tilt=tilt, tilt_rate=rate)
    run = motion(floor, ball(r), (0.2, 0, 0), mode=mode, mass=m, angvel=(0, 1.0, 0), slip=(0.15, 0, 0))
    turning = inertia if mode == 'roll' else 0.0

    def rhs(t, y):
        phi, first, second = tilt * np.sin(rate * t), tilt * rate * np.cos(rate * t), -tilt * rate**2 * np.sin(rate * t)
        pull = -(m * r + turning / r) * second + m * y[0] * first**2 + m * G * np.sin(phi)
        return np.array([y[1], pull / (m + turning / r**2)])

    # centre s e_s + r e_n, so v_x = s' + r φ' at φ = 0; rolling spin is φ' + s'/r
    begun = run.linvel[0] - r * tilt * rate
    if mode == 'roll':
        assert_allclose(begun, r * (1.0 - tilt * rate), atol=1e-13)
    path = run.trace(2000, every=50)
    s, speed = solved(rhs, np.array([0.2, begun]), np.append(0, path['time'])).T[:, 1:]
    phi = tilt * np.sin(rate * path['time'])
    assert_allclose(path['pos'][:, 0], s * np.cos(phi) + r * np.sin(phi), atol=1e-9)
    assert_allclose(path['pos'][:, 2], r * np.cos(phi) - s * np.sin(phi), atol=1e-9)
    spin = tilt * rate * np.cos(rate * path['time']) + speed / r if mode == 'roll' else 1.0
    assert_allclose(path['angvel'][:, 1], spin, atol=1e-8)


@pytest.mark.parametrize('drum', [0.0, 3.0])
def test_ball_in_a_rotating_pipe(drum):
    """Turning the upright pipe about itself changes nothing of the ups and downs."""
    big, r = 0.6, 0.1
    floor = floors.Moved(floors.Round(big, inside=True, axis=(0, 0, 1)), rate=drum)
    # the same path of the centre: the spin about z makes up for the wall's speed; upwards with w_y r
    run = motion(floor, ball(r), (big, 0, 0), angvel=(3.0, 1.0, 20.0 + drum * big / r))
    about, up = run.linvel[1] / (big - r), 0.1
    assert_allclose(run.linvel, [0, -2.0, up], atol=1e-13)
    p = about * np.sqrt(2 / 7)
    path = run.trace(2000, every=40)
    pull, t = -5 / 7 * G - 2 / 7 * r * about * 3.0, path['time']
    assert_allclose(path['pos'][:, 2], up / p * np.sin(p * t) + pull / p**2 * (1 - np.cos(p * t)), atol=1e-10)


def test_ball_at_the_bottom_of_a_turning_drum():
    """A lying pipe that turns: the ball stays at the bottom and spins; let go aside it swings all the same."""
    big, r, aside, drum = 0.8, 0.1, 0.3, 2.0
    pipe = floors.Moved(floors.Round(big, (0, 0, big), inside=True, axis=(0, 1, 0)), axis=(0, 1, 0), centre=(0, 0, big),
                        rate=drum)
    run = motion(pipe, ball(r), (0, 0, 0), angvel=(0, drum * big / r, 0))
    run.step(1000)
    assert_allclose(run.pos, [0, 0, r], atol=1e-11)
    assert_allclose(run.angvel, [0, drum * big / r, 0], atol=1e-10)
    near = big * np.array([np.sin(aside), 0, 1 - np.cos(aside)])
    run = motion(pipe, ball(r), near, angvel=(0, drum * big / r, 0))
    path = run.trace(2000, every=100)
    angle = pendulum(aside, np.sqrt(G / (1.4 * (big - r))), path['time'])
    assert_allclose(path['pos'][:, 0], (big - r) * np.sin(angle), atol=1e-9)


WAVE = dict(amplitude=0.05, wave_vector=(3.0, 0.0), phase=0.3)


@pytest.mark.parametrize('mode', ['slide', 'roll'])
def test_travelling_wave(mode):
    """Seen from a frame that goes with it the wave stands still, its material a belt along it with -c (1, 0, z')."""
    r, m, rate = 0.2, 1.3, 2.0
    c, k = rate / 3.0, np.array([3.0, 0, 0])
    wave, still = floors.Sine(**WAVE, rate=rate), floors.Sine(**WAVE)

    def belt(p):
        phase = k @ p + WAVE['phase']
        u = -c * np.array([1, 0, 3.0 * WAVE['amplitude'] * np.cos(phase)])
        return u, np.outer([0, 0, c * 3.0 * WAVE['amplitude'] * np.sin(phase)], k)

    run = motion(wave, ball(r), (0.2, 0.1, 0), mode=mode, angvel=(0.5, 1.0, 2.0), slip=(0.2, 0.3, 0), mass=m)
    frame = np.array([c, 0, 0])
    times = np.linspace(0, 2, 21)
    oracle = BallOnFloor(still, r, m, 0.4 * m * r * r, belt=belt)
    truth = (oracle.rolls(run.contact_point, run.angvel, UPRIGHT, times) if mode == 'roll'
             else oracle.slides(run.contact_point, run.linvel - frame, times))
    path = run.trace(2000, every=100)
    shift = frame * path['time'][:, None]
    assert_allclose(path['pos'] - shift, truth['pos'][1:], atol=1e-9)
    assert_allclose(path['linvel'] - frame, truth['linvel'][1:], atol=1e-8)
    assert_allclose(path['contact_force'], truth['force'][1:], atol=1e-7 * m * G)
    assert run.state == mode


def test_turned_floor_is_the_turned_motion():
    """MovingFloor with a fixed angle: everything turned with it, gravity too."""
    axis, angle = np.array([0.3, 1.0, 0.2]), 0.7
    rot, q = floors.turn(axis, angle), from_rotvec(angle * axis / np.linalg.norm(axis))
    base = floors.Paraboloid(0.4, 0.8)
    options = dict(angvel=(1, 0.5, 2), quat=tuple(from_rotvec([0.2, 0.1, 0.4])))
    still = motion(base, EGG, (0.3, 0.1, 0.1), **options)
    moved = motion(floors.Moved(base, axis=tuple(axis), angle=angle), EGG, rot @ [0.3, 0.1, 0.1],
                   angvel=rot @ [1, 0.5, 2], quat=tuple(multiply(q, options['quat'])), gravity=rot @ [0, 0, -G])
    still, moved = still.trace(1000, every=100), moved.trace(1000, every=100)
    for key in ('pos', 'linvel', 'angvel', 'contact_point'):
        assert_allclose(moved[key], still[key] @ rot.T, atol=1e-9, err_msg=key)
