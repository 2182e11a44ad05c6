# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Ellipsoids on a plane: reduced equations, small rocking, steady circles, what is conserved, the rattleback."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles import floors, rolling
from oracles.rolling import EllipsoidOnPlane
from oracles.rotations import angle_between, from_rotvec, matrix
from oracles.smooth_bodies import Quadric, ball
from surface_motions import G, motion

PLANE = floors.Plane()
BODIES = {
    'egg': ((0.3, 0.25, 0.2), (0, 0, 0)),
    'pebble': ((0.3, 0.2, 0.1), (0, 0, 0)),
    'loaded': ((0.3, 0.25, 0.2), (0.02, -0.03, -0.05)),
    'lens': ((0.3, 0.3, 0.12), (0, 0, 0.02)),
}
TIMES = np.linspace(0, 2, 21)[1:]


@pytest.mark.parametrize('mode', ['slide', 'roll'])
@pytest.mark.parametrize('name', BODIES)
def test_against_the_reduced_equations(name, mode):
    """2 s of free motion with |w| about 4 rad/s: pose, velocities and contact point."""
    axes, com = BODIES[name]
    shape, m = Quadric.of_axes(axes), 1.2
    tensor = shape.inertia(m) + 1e-3 * np.array([[3, 1, -1], [1, 2, 0.5], [-1, 0.5, 4]])
    quat = tuple(from_rotvec([0.25, 0.2, 0.1]))
    run = motion(PLANE, shape, (0.1, -0.2, 0), mode=mode, quat=quat, angvel=(1.0, 2.0, 3.0), slip=(0.4, 0.1, 0),
                 com=com, mass=m, inertia=tensor, unilateral=False)
    oracle, times = EllipsoidOnPlane(axes, m, tensor, com=com), np.append(0, TIMES)
    truth = (oracle.rolls(run.pos, run.quat, run.angvel, times) if mode == 'roll'
             else oracle.slides(run.pos, run.quat, run.linvel, run.angvel, times))
    path = run.trace(2000, every=100)
    for mine, theirs in (('pos', 'pos'), ('linvel', 'linvel'), ('angvel', 'angvel'), ('contact_point', 'contact')):
        assert_allclose(path[mine], truth[theirs][1:], atol=1e-7, err_msg=mine)
    assert max(map(angle_between, path['quat'], truth['quat'][1:])) < 1e-7


@pytest.mark.parametrize('mode', ['slide', 'roll'])
def test_small_rocking(mode):
    """About the y axis: (I + m c² if it rolls) a'' = -m g (a² - c²)/c a."""
    axes, m, small = (0.3, 0.2, 0.15), 0.8, 1e-4
    shape = Quadric.of_axes(axes)
    run = motion(PLANE, shape, (0, 0, 0), mode=mode, quat=tuple(from_rotvec([0, small, 0])), mass=m)
    inertia = shape.inertia(m)[1, 1] + (m * axes[2] ** 2 if mode == 'roll' else 0.0)
    rate = np.sqrt(m * G * (axes[0] ** 2 - axes[2] ** 2) / axes[2] / inertia)
    path = run.trace(2000, every=20)
    angle = 2 * np.arctan2(path['quat'][:, 2], path['quat'][:, 0])
    assert_allclose(angle, small * np.cos(rate * path['time']), atol=1e-6 * small)


@pytest.mark.parametrize(('tilt', 'precession'), [(1.0, 2.0), (0.4, 1.0), (1.4, 3.0), (1.2, 0.5)])
def test_steady_circles_of_a_spheroid(tilt, precession):
    """At its tilt it rolls in a circle for ever, round at the precession; the spin is from one linear equation."""
    axes, m = (0.25, 0.25, 0.15), 0.8
    shape = Quadric.of_axes(axes)
    _, r, v, w = rolling.steady_spin(axes, m, np.diag(shape.inertia(m)), tilt, precession)
    run = motion(PLANE, shape, (0, 0, 0), quat=tuple(from_rotvec([0, tilt, 0])), angvel=w, mass=m, unilateral=False)
    assert_allclose(run.linvel, v, atol=1e-13)
    assert_allclose(run.contact_point - run.pos, r, atol=1e-13)
    path = run.trace(2000, every=100)
    angle = precession * path['time']
    assert_allclose([matrix(q)[2, 2] for q in path['quat']], np.cos(tilt), atol=1e-8)
    turned = (v[0] + 1j * v[1]) * np.exp(1j * angle)
    assert_allclose(path['linvel'][:, 0] + 1j * path['linvel'][:, 1], turned, atol=1e-7)


def test_sliding_keeps_what_a_smooth_plane_cannot_change():
    """Horizontal momentum; and for a spheroid both L_z and the spin about its own axis."""
    shape, m = Quadric.of_axes((0.2, 0.2, 0.3)), 1.1
    run = motion(PLANE, shape, (0, 0, 0), mode='slide', quat=tuple(from_rotvec([0.5, 0.2, 0])), angvel=(1, -0.5, 4.0),
                 slip=(0.3, -0.7, 0), mass=m, unilateral=False)
    before, tensor = run.linvel[:2], shape.inertia(m)
    path = run.trace(5000, every=50)
    rots = [matrix(q) for q in path['quat']]
    spin = [np.array([(r @ tensor @ r.T @ w)[2], w @ r[:, 2]]) for r, w in zip(rots, path['angvel'], strict=True)]
    assert_allclose(path['linvel'][:, :2], np.tile(before, (100, 1)), atol=1e-12)
    assert_allclose(spin, np.tile(spin[0], (100, 1)), atol=1e-9)


def test_rolling_ball_keeps_its_momentum():
    """Gravity and the level floor's force balance: nothing turns or slows it."""
    m, r = 1.3, 0.2
    run = motion(PLANE, ball(r), (0, 0, 0), angvel=(3, -2, 4), mass=m)
    path = run.trace(2000, every=100)
    assert_allclose(path['linvel'], np.tile([-2 * r, -3 * r, 0], (20, 1)), atol=1e-12)
    assert_allclose(path['angvel'], np.tile([3, -2, 4], (20, 1)), atol=1e-12)


# a flat stone whose principal axes are turned by 8 degrees against those of its belly
BELLY, STONE_MASS = (0.2, 0.05, 0.03), 0.5
GRAIN = floors.turn([0, 0, 1], np.radians(8))
STONE = GRAIN @ np.diag([2.5e-4, 14e-4, 15e-4]) @ GRAIN.T


@pytest.mark.parametrize(('spin', 'after'), [(-3.0, 2.99), (3.0, 3.0)])
def test_rattleback_turns_back_one_way_only(spin, after):
    """Spun against its grain it rattles and turns back, spun along it goes on, as the reduced equations say."""
    run = motion(PLANE, Quadric.of_axes(BELLY), (0, 0, 0), mass=STONE_MASS, inertia=STONE, angvel=(0.01, 0.01, spin),
                 unilateral=False)
    before = run.energy()
    oracle = EllipsoidOnPlane(BELLY, STONE_MASS, STONE)
    truth = oracle.rolls(run.pos, run.quat, run.angvel, np.linspace(0, 3, 31))
    path = run.trace(3000, every=100)
    # it rattles at 66 rad/s
    assert_allclose(path['angvel'], truth['angvel'][1:], atol=1e-5)
    assert_allclose(path['angvel'][-1, 2], after, atol=0.02)
    assert_allclose(path['energy'], before, rtol=1e-9)
