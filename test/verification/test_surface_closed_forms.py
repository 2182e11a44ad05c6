# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Balls and wheels on fixed floors against closed forms: slopes, bowls, pipes, paraboloids."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles import floors, rolling
from oracles.rolling import BallOnFloor
from oracles.rotations import angle_between, from_rotvec, multiply
from oracles.smooth_bodies import Quadric, ball
from surface_motions import UPRIGHT, G, down, motion

SHARES = {'solid': 2 / 5, 'shell': 2 / 3, 'heavy core': 0.1}  # I / (m r²)
TIMES = np.linspace(0, 2, 21)[1:]


@pytest.mark.parametrize('degrees', [1, 20, 60])
@pytest.mark.parametrize('share', SHARES.values(), ids=SHARES)
def test_rolling_down_a_slope(share, degrees):
    """a = g sin / (1 + I/(m r²)) to 1e-10, spin a t/r; the floor pulls back by m g sin I/(I + m r²)."""
    n, along = down(np.radians(degrees))
    r, m, sin, cos = 0.2, 1.7, np.sin(np.radians(degrees)), np.cos(np.radians(degrees))
    run = motion(floors.Plane(n), ball(r), (0, 0, 0), mass=m, inertia=(share * m * r * r,) * 3)
    start = run.pos
    a = G * sin / (1 + share)
    for _ in range(10):
        run.step(200)
        assert_allclose((run.pos - start) @ along, 0.5 * a * run.time**2, rtol=1e-10)
        assert_allclose(run.linvel, a * run.time * along, atol=1e-10 * a * run.time)
        assert_allclose(run.angvel, [0, a * run.time / r, 0], atol=1e-9 * a * run.time / r)
        back = m * G * sin * share / (1 + share)
        assert_allclose(run.contact_force, m * G * cos * n - back * along, atol=1e-9 * m * G)
        assert_allclose(run.multiplier, run.contact_force, atol=1e-12 * m * G)


@pytest.mark.parametrize('degrees', [5, 40])
def test_wheel_down_a_slope(degrees):
    """A spheroid on its equator, moment I about its axle: the same law with its own I; and an egg slides by g sin."""
    n, along = down(np.radians(degrees))
    wheel, a, m = Quadric.of_axes((0.25, 0.1, 0.25)), 0.25, 0.9
    run = motion(floors.Plane(n), wheel, (0, 0, 0), mass=m)
    start = run.pos
    run.step(1000)
    pull = G * np.sin(np.radians(degrees))
    assert_allclose((run.pos - start) @ along, 0.5 * pull / 1.4, rtol=1e-10)
    run = motion(floors.Plane(n), wheel, (0, 0, 0), mass=m, inertia=(0.03, 0.05, 0.03))
    run.step(1000)
    assert_allclose((run.pos - start) @ along, 0.5 * pull / (1 + 0.05 / (m * a * a)), rtol=1e-10)
    run = motion(floors.Plane(n), wheel, (0, 0, 0), mass=m, mode='slide')
    run.step(1000)
    assert_allclose(run.pos - start, 0.5 * pull * along, atol=1e-10)
    assert_allclose(run.contact_force, m * G * np.cos(np.radians(degrees)) * n, atol=1e-10)
    assert_allclose(run.multiplier, [m * G * np.cos(np.radians(degrees))], rtol=1e-11)


@pytest.mark.parametrize('amplitude', [1e-3, 0.5, 1.5])
@pytest.mark.parametrize('share', [0.0, 2 / 5, 2 / 3])
@pytest.mark.parametrize('kind', ['bowl', 'pipe'])
def test_swings_in_a_bowl(kind, share, amplitude):
    """A pendulum of length R - r, slower by sqrt(1 + I/(m r²)) where it rolls: sin(a/2) = k sn(K + rate t)."""
    big, r, m = 1.1, 0.1, 0.7
    axis = (0, 1, 0) if kind == 'pipe' else None
    bowl = floors.Round(big, (0, 0, big), inside=True, axis=axis)
    run = motion(bowl, ball(r), big * np.array([np.sin(amplitude), 0, 1 - np.cos(amplitude)]), mass=m,
                 mode='roll' if share else 'slide', inertia=(max(share, 0.4) * m * r * r,) * 3)
    rate = np.sqrt(G / ((big - r) * (1 + share)))
    path = run.trace(4000, every=50)
    angle = rolling.pendulum(amplitude, rate, path['time'])
    assert_allclose(path['pos'][:, 0], (big - r) * np.sin(angle), atol=1e-10 * amplitude)
    assert_allclose(path['pos'][:, 1], 0, atol=1e-13)
    assert_allclose(path['pos'][:, 2], big - (big - r) * np.cos(angle), atol=1e-10 * amplitude)


def test_small_period_of_the_bowl():
    """T = 2 pi sqrt(7 (R - r)/(5 g)) from zero crossings, to the amplitude squared."""
    bowl = floors.Round(1.1, (0, 0, 1.1), inside=True)
    amplitude = 1e-4
    run = motion(bowl, ball(0.1), (1.1 * np.sin(amplitude), 0, 1.1 * (1 - np.cos(amplitude))))
    path = run.trace(6000)
    x, v, t = path['pos'][:, 0], path['linvel'][:, 0], path['time']
    k = np.flatnonzero(x[:-1] * x[1:] < 0)
    crossings = t[k] - x[k] / v[k]  # next to a zero the path is straight to third order
    assert_allclose(np.diff(crossings), np.pi * np.sqrt(1.4 / G), rtol=1e-8)


@pytest.mark.parametrize('share', [2 / 5, 2 / 3])
def test_up_and_down_in_an_upright_pipe(share):
    """A ball rolling round the wall goes up and down at sqrt(I/(I + m r²)) of its rate, it does not sink."""
    big, r, m, kappa = 0.6, 0.1, 1.2, share / (1 + share)
    pipe = floors.Round(big, inside=True, axis=(0, 0, 1))
    run = motion(pipe, ball(r), (big, 0, 0), mass=m, angvel=(3.0, 1.0, 20.0), inertia=(share * m * r * r,) * 3)
    about, up = run.linvel[1] / (big - r), run.linvel[2]
    p = about * np.sqrt(kappa)
    path = run.trace(4000, every=40)
    t = path['time']
    pull = -(1 - kappa) * G - kappa * r * about * 3.0
    assert_allclose(path['pos'][:, 2], up / p * np.sin(p * t) + pull / p**2 * (1 - np.cos(p * t)), atol=1e-10)
    turned = (big - r) * np.exp(1j * about * t)
    assert_allclose(path['pos'][:, 0] + 1j * path['pos'][:, 1], turned, atol=1e-10)


def test_circles_in_a_paraboloid():
    """A ball that slides round at height: rate² = g tan/(distance of its centre), and it stays there."""
    k, r, at = 0.8, 0.05, 0.5
    bowl, tan = floors.Paraboloid(k, k), k * at
    radius = at - r * tan / np.sqrt(1 + tan**2)
    rate = np.sqrt(G * tan / radius)
    run = motion(bowl, ball(r), (at, 0, 0.5 * k * at**2), mode='slide', slip=(0, rate * radius, 0), mass=2.0)
    height = run.pos[2]
    path = run.trace(5000, every=100)
    turned = radius * np.exp(1j * rate * path['time'])
    assert_allclose(path['pos'][:, 0] + 1j * path['pos'][:, 1], turned, atol=1e-9)
    assert_allclose(path['pos'][:, 2], height, atol=1e-10)


CURVED = {
    'paraboloid': (floors.Paraboloid(0.6, 0.6), (0.5, 0.1, 0.1)),
    'elliptic paraboloid': (floors.Paraboloid(0.4, 0.9), (0.5, 0.1, 0.1)),
    'saddle': (floors.Paraboloid(-0.3, 0.9), (0.1, 0.4, 0)),
    'globe': (floors.Round(2.0, (0, 0, -2)), (0.2, 0.1, 0)),
    'bowl': (floors.Round(1.5, (0, 0, 1.5), inside=True), (0.9, 0.1, 0.4)),
    'pipe': (floors.Round(1.2, (0, 0, 1.2), inside=True, axis=(1, 0.2, 0.1)), (0.1, 0.7, 0.2)),
    'log': (floors.Round(1.2, (0, 0, -1.2), axis=(1, 0.2, 0.1)), (0.1, 0.2, 0)),
    'sine': (floors.Sine(0.05, (4.0, 2.0), 0.3), (0.1, 0.2, 0)),
}


@pytest.mark.parametrize('name', CURVED)
def test_ball_against_the_reduced_equations(name):
    """Path, attitude and contact force of rolling and sliding balls; what slides keeps its spin."""
    floor, near = CURVED[name]
    r, m, angvel = 0.15, 0.8, np.array([1.5, -2.0, 4.0])
    oracle = BallOnFloor(floor, r, m, 0.4 * m * r * r)
    run = motion(floor, ball(r), near, mass=m, angvel=angvel, unilateral=False)
    truth = oracle.rolls(run.contact_point, angvel, UPRIGHT, np.append(0, TIMES))
    path = run.trace(2000, every=100)
    for mine, theirs in (('pos', 'pos'), ('linvel', 'linvel'), ('angvel', 'angvel'), ('contact_point', 'contact')):
        assert_allclose(path[mine], truth[theirs][1:], atol=2e-8, err_msg=mine)
    assert_allclose(path['contact_force'], truth['force'][1:], atol=1e-6 * m * G)
    assert max(map(angle_between, path['quat'], truth['quat'][1:])) < 4e-8  # it spins with up to 45 rad/s
    run = motion(floor, ball(r), near, mass=m, angvel=angvel, slip=(0.4, -0.3, 0.2), mode='slide', unilateral=False)
    truth = oracle.slides(run.contact_point, run.linvel, np.append(0, TIMES))
    path = run.trace(2000, every=100)
    for mine, theirs in (('pos', 'pos'), ('linvel', 'linvel'), ('contact_point', 'contact')):
        assert_allclose(path[mine], truth[theirs][1:], atol=2e-8, err_msg=mine)
    assert_allclose(path['contact_force'], truth['force'][1:], atol=1e-6 * m * G)
    assert_allclose(path['angvel'], np.tile(angvel, (20, 1)), atol=1e-11)
    assert max(angle_between(q, from_rotvec(angvel * t)) for q, t in zip(path['quat'], TIMES, strict=True)) < 1e-9


def test_no_torque_about_the_axis_of_a_bowl():
    """Round z: a sliding ball keeps x × m v about z, and its spin."""
    run = motion(floors.Paraboloid(0.6, 0.6), ball(0.1), (0.5, 0, 0), mode='slide', slip=(0.3, 0.8, 0), mass=1.4)
    path = run.trace(5000, every=50)
    moment = np.cross(path['pos'], path['linvel'])[:, 2]
    assert_allclose(moment, moment[0], rtol=1e-10)


def test_inertia_as_a_tensor_and_turned():
    """(3,) and (3, 3) are the same body, and so is one whose axes are turned against its attitude."""
    moments = np.array([0.02, 0.03, 0.04])
    floor, turn = floors.Round(1.5, (0, 0, 1.5), inside=True), from_rotvec([0.4, -1.0, 0.7])
    rot = floors.turn([0.4, -1.0, 0.7], np.linalg.norm([0.4, -1.0, 0.7]))
    runs = []
    for tensor, quat in ((moments, UPRIGHT), (np.diag(moments), UPRIGHT), (rot.T @ np.diag(moments) @ rot, turn)):
        runs.append(motion(floor, ball(0.2), (0.5, 0.2, 0.1), angvel=(1, 2, 3), inertia=tensor, quat=tuple(turn)
                           if quat is turn else quat))
        runs[-1].step(1500)
    for other in runs[1:]:
        assert_allclose(other.pos, runs[0].pos, atol=1e-10)
        assert_allclose(other.angvel, runs[0].angvel, atol=1e-9)
    assert angle_between(runs[2].quat, multiply(runs[0].quat, turn)) < 1e-9
