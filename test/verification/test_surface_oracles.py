# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The oracles of sliding and rolling against closed forms and against each other; the engine takes no part."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles import floors, rolling, smooth_bodies
from oracles.rolling import BallOnFloor, EllipsoidOnPlane
from oracles.rotations import angle_between, from_rotvec, matrix, random_quat
from oracles.surface_laws import laws, slopes

TIMES = np.linspace(0, 2, 41)
UPRIGHT = np.array([1.0, 0, 0, 0])
STILL = [floors.Plane((0.1, -0.2, 1), 0.3), floors.Round(2.0, (0, 0, -2)), floors.Round(2.0, (0, 0, 2), inside=True),
         floors.Round(2.0, (0, 0, -2), axis=(1, 2, 0)), floors.Round(1.5, (0, 0, 1.5), inside=True, axis=(1, 0, 0.2)),
         floors.Paraboloid(0.4, 0.7), floors.Paraboloid(-0.3, 0.5), floors.Sine(0.1, (2.0, 1.0), 0.4)]
MOVES = dict(velocity=(0.3, 0.1, -0.2), sway=(0.1, 0, 0.05), sway_rate=3.0, axis=(0.3, 1, 0.2), centre=(0.2, -0.1, 0.3),
             angle=0.2, rate=0.4, tilt=0.3, tilt_rate=2.0)


@pytest.mark.parametrize('floor', STILL)
def test_hessian_is_the_slope_of_the_gradient(floor):
    x, h = np.array([0.31, -0.22, 0.13]), 1e-6
    slope = [(floor.gradient(0, x + h * e) - floor.gradient(0, x - h * e)) / (2 * h) for e in np.eye(3)]
    assert_allclose(floor.hessian(x), np.transpose(slope), atol=1e-9)


@pytest.mark.parametrize('floor', STILL)
def test_moved_floor_carries_its_points(floor):
    """A material point stays on the level set that it was on; its velocity is the slope of its path."""
    moved = floors.Moved(floor, **MOVES)
    own, t, h = np.array([0.31, -0.22, 0.13]), 0.7, 1e-5

    def path(t):
        turned = floors.turn(moved.axis, moved.angle(t))
        return moved.centre + moved.shift(t) + turned @ (own - moved.centre)

    assert_allclose(moved.value(t, path(t)), floor.value(0, own), atol=1e-14)
    assert_allclose(moved.velocity(t, path(t)), (path(t + h) - path(t - h)) / (2 * h), atol=1e-9)
    g = moved.gradient(t, path(t))
    assert_allclose(g, floors.turn(moved.axis, moved.angle(t)) @ floor.gradient(0, own), atol=1e-14)


@pytest.mark.parametrize(('body', 'norm'), [
    (smooth_bodies.Quadric.of_axes((0.3, 0.2, 0.1)), lambda x: np.sqrt(np.sum((x / [0.3, 0.2, 0.1]) ** 2, axis=-1))),
    (smooth_bodies.Superquadric((0.3, 0.2, 0.1), (0.5, 0.8)), lambda x: (
        np.sum(np.abs(x[..., :2] / [0.3, 0.2]) ** 2.5, axis=-1) ** 1.6 + np.abs(x[..., 2] / 0.1) ** 4) ** 0.25),
], ids=['ellipsoid', 'superquadric'])
def test_bodies(body, norm):
    """The extreme point lies on the surface, where the surface's normal is the direction; moments by quadrature."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        d = rng.normal(size=3)
        x = body.extreme(d)
        assert_allclose(norm(x), 1, rtol=1e-12)
        g = np.array([norm(x + 1e-6 * e) - norm(x - 1e-6 * e) for e in np.eye(3)])
        assert_allclose(g / np.linalg.norm(g), d / np.linalg.norm(d), atol=1e-6)
    # second moments over rays: with N the norm whose unit ball this is, ∫ x x dV = ∫ d d / (5 N(d)^5) over directions
    nodes, weights = np.polynomial.legendre.leggauss(80)
    polar, azimuth = np.meshgrid(0.5 * (1 + nodes), 0.25 * np.pi * (1 + nodes), indexing='ij')  # polar: cosine
    across = np.sqrt(1 - polar**2)
    d = np.stack([across * np.cos(azimuth), across * np.sin(azimuth), polar], axis=-1)
    far = norm(d)
    volume = np.einsum('i,j,ij', weights, weights, far**-3) / 3
    s = np.einsum('i,j,ijk', weights, weights, d**2 / far[..., None] ** 5) / 5 / volume
    assert_allclose(np.diag(body.inertia(2.0)), 2.0 * (s.sum() - s), rtol=1e-5)


def test_touching_is_tangent():
    rng = np.random.default_rng(2)
    body = smooth_bodies.Superquadric((0.1, 0.07, 0.05), (0.8, 0.9))
    for floor in STILL:
        q = random_quat(rng)
        point, n, pos = smooth_bodies.touching(floor, body, (0.2, 0.1, 0.1), q, com=(0.01, 0, 0.02))
        assert abs(floor.value(0, point)) < 1e-14
        assert_allclose(pos + matrix(q) @ (body.extreme(-matrix(q).T @ n) - [0.01, 0, 0.02]), point, atol=1e-14)
        # every other point of the body lies out of the floor
        for _ in range(200):
            x = pos + matrix(q) @ (body.extreme(rng.normal(size=3)) - [0.01, 0, 0.02])
            assert floor.value(0, x) > -1e-12


def test_ball_on_a_slope_and_on_a_turntable():
    """a = g sin/(1 + I/mr²); circles with 2/7 of the table's rate, a shell 2/5."""
    a, r = 0.3, 0.2
    slope = floors.Plane((np.sin(a), 0, np.cos(a)))
    run = BallOnFloor(slope, r, 1.3, 0.4 * 1.3 * r * r).rolls((0, 0, 0), (0, 0, 0), UPRIGHT, TIMES)
    down = np.array([np.cos(a), 0, -np.sin(a)])
    assert_allclose((run['pos'] - run['pos'][0]) @ down, 0.5 * 9.81 * np.sin(a) / 1.4 * TIMES**2, atol=1e-11)
    assert_allclose(run['force'][3], 1.3 * 9.81 * (np.cos(a) * slope.n - np.sin(a) * 2 / 7 * down), atol=1e-11)
    table = np.array([[0, -3.0, 0], [3.0, 0, 0], [0, 0, 0]])
    for share, k in ((2 / 5, 2 / 7), (2 / 3, 2 / 5)):
        ball = BallOnFloor(floors.Plane(), r, 1.0, share * r * r, belt=lambda p: (table @ p, table))
        v = ball.rolls((0.5, 0, 0), (1, 2, 3), UPRIGHT, TIMES)['linvel']
        turned = np.exp(1j * 3 * k * TIMES) * (v[0, 0] + 1j * v[0, 1])
        assert_allclose(v[:, 0] + 1j * v[:, 1], turned, atol=1e-11)


@pytest.mark.parametrize('share', [0.0, 2 / 5, 2 / 3])
def test_ball_in_a_bowl_is_a_pendulum(share):
    """Length R - r, slower by sqrt(1 + I/mr²) where it rolls; share 0 slides."""
    r, big, amplitude = 0.1, 1.1, 1.2
    bowl = floors.Round(big, (0, 0, big), inside=True)
    ball = BallOnFloor(bowl, r, 0.7, share * 0.7 * r * r)
    contact = big * np.array([np.sin(amplitude), 0, 1 - np.cos(amplitude)])
    run = ball.rolls(contact, (0, 0, 0), UPRIGHT, TIMES) if share else ball.slides(contact, (0, 0, 0), TIMES)
    rate = np.sqrt(9.81 / ((big - r) * (1 + share)))
    angle = rolling.pendulum(amplitude, rate, TIMES)
    assert_allclose(run['pos'][:, 0], (big - r) * np.sin(angle), atol=1e-10)
    assert_allclose(rolling.pendulum(amplitude, rate, [rolling.pendulum_period(amplitude, rate)]), amplitude, atol=1e-7)


def test_ball_in_an_upright_cylinder_goes_up_and_down():
    """At sqrt(2/7) of its rate about the axis: golfer's dilemma."""
    r, big = 0.1, 0.6
    ball = BallOnFloor(floors.Round(big, inside=True, axis=(0, 0, 1)), r, 1.0, 0.4 * r * r)
    run = ball.rolls((big, 0, 0), (3.0, 1.0, 8.0), UPRIGHT, TIMES)
    about = run['linvel'][0, 1] / (big - r)
    z, v = run['pos'][:, 2], run['linvel'][0, 2]
    p = about * np.sqrt(2 / 7)
    pull = -5 / 7 * 9.81 + 2 / 7 * r * about * -3.0  # w_n = -w_x there
    assert_allclose(z, v / p * np.sin(p * TIMES) + pull / p**2 * (1 - np.cos(p * TIMES)), atol=1e-10)


def test_ellipsoid_that_is_a_ball():
    """Both families agree where they meet, and off-centre mass keeps the energy."""
    r, m = 0.2, 1.5
    angvel = np.array([1.0, -2.0, 3.0])
    body = EllipsoidOnPlane((r, r, r), m, 0.4 * m * r * r * np.eye(3))
    one = body.rolls(np.array([0, 0, r]), UPRIGHT, angvel, TIMES)
    two = BallOnFloor(floors.Plane(), r, m, 0.4 * m * r * r).rolls((0, 0, 0), angvel, UPRIGHT, TIMES)
    for key in ('pos', 'linvel', 'angvel', 'contact'):
        assert_allclose(one[key], two[key], atol=1e-11, err_msg=key)
    assert max(map(angle_between, one['quat'], two['quat'])) < 1e-10


def test_ball_that_skids():
    """It rolls after 2 |u0|/(7 mu g), at v0 - 2/7 u0; and without friction a skid is a slide."""
    r, m, mu, angvel, linvel = 0.2, 1.5, 0.3, np.array([1.0, -2.0, 3.0]), np.array([2.0, 0.5, 0.0])
    body = EllipsoidOnPlane((r, r, r), m, 0.4 * m * r * r * np.eye(3))
    slip = linvel - r * np.cross(angvel, [0, 0, 1])
    when, then = body.skids(np.array([0, 0, r]), UPRIGHT, linvel, angvel, mu, 2.0)
    assert_allclose(when, 2 * np.linalg.norm(slip) / (7 * mu * 9.81), atol=1e-6)
    assert_allclose(then['linvel'], linvel - 2 / 7 * slip, atol=1e-6)
    shape = smooth_bodies.Quadric.of_axes((0.3, 0.25, 0.2))
    egg = EllipsoidOnPlane((0.3, 0.25, 0.2), m, shape.inertia(m))
    begin = smooth_bodies.start(floors.Plane(), shape, (0, 0, 0), from_rotvec([0.3, 0.2, 0.1]), mode='slide',
                                angvel=(1, 2, 3), slip=(0.3, 0.1, 0))
    spin = matrix(begin['quat']).T @ begin['angvel']
    y = np.concatenate([spin, begin['quat'], begin['pos'][:2], begin['linvel'][:2]])
    skid = rolling.solved(lambda t, y: egg.skidding(t, y, 0.0), y, TIMES)
    slide = egg.slides(begin['pos'], begin['quat'], begin['linvel'], begin['angvel'], TIMES)
    world = [matrix(row[3:7] / np.linalg.norm(row[3:7])) @ row[:3] for row in skid]
    assert_allclose(world, slide['angvel'], atol=1e-9)


@pytest.mark.parametrize('mode', ['roll', 'slide'])
def test_ellipsoid_obeys_newton_and_euler(mode):
    """The reduced equations give a motion that obeys the laws with a contact force, and keeps its energy."""
    axes, m, com = (0.3, 0.25, 0.2), 1.2, (0.02, -0.01, -0.03)
    shape = smooth_bodies.Quadric.of_axes(axes)
    tensor = shape.inertia(m) + 1e-3 * np.array([[3, 1, -1], [1, 2, 0.5], [-1, 0.5, 4]])
    q = from_rotvec([0.3, 0.2, 0.1])
    begin = smooth_bodies.start(floors.Plane(), shape, (0, 0, 0), q, mode=mode, angvel=(1, 2, 3), slip=(0.3, 0.1, 0),
                                com=com)
    times = 1e-3 * np.arange(401)
    body = EllipsoidOnPlane(axes, m, tensor, com=com)
    if mode == 'roll':
        run = body.rolls(begin['pos'], q, begin['angvel'], times)
    else:
        run = body.slides(begin['pos'], q, begin['linvel'], begin['angvel'], times)
    run = run | {'time': times, 'contact_point': run['contact']}
    for key in ('linvel', 'angvel'):
        assert_allclose(run[key][0], begin[key], atol=1e-13)
    # the contact force that Newton's law asks for
    weight = np.array([0, 0, -9.81])
    run['contact_force'] = m * (slopes(times, run['linvel']) - weight)
    energy = [0.5 * m * v @ v + 0.5 * (matrix(q).T @ w) @ tensor @ (matrix(q).T @ w) - m * weight @ x
              for x, q, v, w in zip(*(run[k] for k in ('pos', 'quat', 'linvel', 'angvel')), strict=True)]
    assert_allclose(energy, energy[0], rtol=1e-11)
    for name, worst in laws(run, floors.Plane(), shape, mass=m, inertia=tensor, com=com, mode=mode).items():
        assert worst < 1e-8, name


def test_steady_precession_is_steady():
    """Thin disc's closed form, and the spheroid stays at its tilt in the full equations."""
    m, axes = 0.8, (0.25, 0.25, 0.1)
    tensor = smooth_bodies.Quadric.of_axes(axes).inertia(m)
    s, r, _, w = rolling.steady_spin(axes, m, np.diag(tensor), 1.0, 2.0)
    run = EllipsoidOnPlane(axes, m, tensor).rolls(-r, from_rotvec([0, 1.0, 0]), w, TIMES)
    tilts = [np.arccos(matrix(q)[2, 2]) for q in run['quat']]
    assert_allclose(tilts, 1.0, atol=1e-9)
    # disc of radius a, moments A, A, C: with e·z = cos, W = precession, (Goldstein ch. 5) spin total about e
    a, moments, tilt, rate = 0.25, np.array([0.0125, 0.0125, 0.025]), 0.9, 3.0
    s, _, _, _ = rolling.steady_spin((a, a, 1e-9), 0.8, moments, tilt, rate)
    total = s + rate * np.cos(tilt)
    left = (moments[2] + 0.8 * a * a) * total * rate * np.sin(tilt) - moments[0] * rate**2 * np.sin(tilt) * np.cos(tilt)
    assert_allclose(left, -0.8 * 9.81 * a * np.cos(tilt), rtol=1e-6)
