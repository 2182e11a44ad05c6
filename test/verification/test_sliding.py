# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Sliding and rolling against closed forms: slopes in every direction, near the friction angle, curved paths.

Coulomb's law is isotropic and opposed to the slip; positions follow the mean of old and new velocity, and a slide that
ends inside a step ends at its time, so most errors here are rounding.
"""
import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles.rotations import from_rotvec, multiply
from scenes import G
from scipy.integrate import solve_ivp

from hakoniwa_rigid.engine import Box, HalfSpace, HollowSphere, Sphere, TriangleMesh, WorldBuilder

MU = 0.3
PLATE = (0.5, 0.5, 0.15)
ALONG = {'x': (1, 0, 0), 'y': (0, 1, 0), '-x': (-1, 0, 0), 'diagonal': (np.sqrt(0.5), np.sqrt(0.5), 0)}


def frame(degrees, along):
    """Attitude of a slope that falls towards the horizontal direction `along`; (quat, normal, downhill)."""
    a, along = np.radians(degrees), np.asarray(along, float)
    up = np.array([0.0, 0.0, 1.0])
    quat = from_rotvec(a * np.cross(up, along))
    return quat, np.cos(a) * up + np.sin(a) * along, np.cos(a) * along - np.sin(a) * up


def slope(degrees, *, along=(1, 0, 0), made_of='plane', yaw=0.0, dt=1e-3, body=None, rest=0.075, mu=(MU, MU), **state):
    """A body that touches a slope at the origin.  Returns world, index, normal, downhill."""
    quat, normal, downhill = frame(degrees, along)
    b = WorldBuilder(gravity=(0, 0, -G), dt=dt)
    if made_of == 'plane':
        b.add_body(HalfSpace(tuple(normal)), kind='static', friction=mu[0])
    elif made_of == 'box':
        b.add_body(Box((40, 40, 1)), kind='static', pos=-0.5 * normal, quat=quat, friction=mu[0])
    else:
        corners = [(-20, -20, 0), (20, -20, 0), (20, 20, 0), (-20, 20, 0)]
        b.add_body(TriangleMesh(corners, [(0, 1, 2), (0, 2, 3)]), kind='static', quat=quat, friction=mu[0])
    turned = multiply(quat, from_rotvec([0, 0, yaw]))
    body = {'shape': Box(PLATE), 'mass': 0.7} if body is None else body
    i = b.add_body(**body, pos=rest * normal, quat=turned, friction=mu[1], **state)
    return b.build(), i, normal, downhill


def coulomb(degrees, mu=MU):
    a = np.radians(degrees)
    return G * (np.sin(a) - mu * np.cos(a))


SLOPES = [*({'along': a} for a in ALONG.values()), {'yaw': 0.7}, {'made_of': 'box', 'yaw': 0.3},
          {'made_of': 'box', 'along': ALONG['diagonal']}, {'made_of': 'mesh'}, {'made_of': 'mesh', 'along': ALONG['y']},
          {'dt': 2.5e-4}, {'dt': 4e-3}, {'mu': (0.1, 0.9)}, {'mu': (1.8, 0.05), 'yaw': 1.0}]
NAMES = ['+'.join(f'{k}={np.round(v, 2)}' if not isinstance(v, str) else v for k, v in s.items()) for s in SLOPES]


@pytest.mark.parametrize('how', SLOPES, ids=NAMES)
def test_holds_below_the_friction_angle(how):
    """tan 16.6° = 0.298 < 0.3: creeps < 1e-6 m in 10 s, so < 1e-7 m in 1 s (10 s: test_resting)."""
    w, i, _, _ = slope(16.6, **how)
    start = w.pos[i].copy()
    w.step(round(1.0 / w.dt))
    assert np.linalg.norm(w.pos[i] - start) < 1e-7


@pytest.mark.parametrize('how', SLOPES, ids=NAMES)
def test_slides_above_the_friction_angle(how):
    """a = g (sin - mu cos) = 0.0180 m/s² at 16.8° within 1 %, straight down, without turning."""
    w, i, normal, downhill = slope(16.8, **how)
    assert_allclose(coulomb(16.8), 0.0180, atol=5e-5)
    start = w.pos[i].copy()
    w.step(round(2.0 / w.dt))
    assert_allclose(w.linvel[i], 2.0 * coulomb(16.8) * downhill, rtol=0, atol=0.01 * 2.0 * coulomb(16.8))
    assert_allclose(w.pos[i] - start, 2.0 * coulomb(16.8) * downhill, rtol=0, atol=0.01 * 2.0 * coulomb(16.8))
    assert_allclose(w.angvel[i], 0.0, atol=1e-8)
    assert abs((w.pos[i] - start) @ normal) < 1e-6


@pytest.mark.parametrize('made_of', ['plane', 'box', 'mesh'])
@pytest.mark.parametrize('off', [0.02, 0.05])
def test_close_to_the_friction_angle(off, made_of):
    """0.02° on either side, 0.0034 m/s²: below it holds, above it slides by the closed form, to 1e-4 of g."""
    cone = np.degrees(np.arctan(MU))
    w, i, _, _ = slope(cone - off, made_of=made_of, yaw=0.2)
    start = w.pos[i].copy()
    w.step(5000)
    assert np.linalg.norm(w.pos[i] - start) < 1e-6
    w, i, _, downhill = slope(cone + off, made_of=made_of, yaw=0.2)
    w.step(2000)
    assert_allclose(w.linvel[i], 2.0 * coulomb(cone + off) * downhill, rtol=0, atol=0.01 * 2.0 * coulomb(cone + off))


def path(degrees, v0, seconds, mu=MU):
    """Point on a slope, friction opposed to its velocity: (down, across) positions and velocities at the end."""
    a = np.radians(degrees)

    def rate(_, y):
        v = y[2:]
        drag = mu * G * np.cos(a) * v / np.linalg.norm(v)
        return [*v, G * np.sin(a) - drag[0], -drag[1]]
    return solve_ivp(rate, (0, seconds), [0, 0, *v0], rtol=1e-11, atol=1e-12, method='DOP853').y[:, -1]


@pytest.mark.parametrize('degrees', [10.0, 25.0])
@pytest.mark.parametrize('heading', [30.0, 90.0, 150.0])
@pytest.mark.parametrize('dt', [2.5e-4, 1e-3])
def test_curved_path_across_a_slope(degrees, heading, dt):
    """Thrown across the slope, friction turns with the slip: the plane curve of the point mass.

    Friction opposes the slip at the end of a step, so that the direction lags by one: first order in dt.
    """
    quat, normal, downhill = frame(degrees, (1, 0, 0))
    across = np.cross(normal, downhill)
    v0 = 1.5 * np.array([np.cos(np.radians(heading)), np.sin(np.radians(heading))])
    body = {'shape': Box((0.5, 0.5, 1e-3)), 'mass': 0.7}    # flat: friction has no arm
    w, i, *_ = slope(degrees, body=body, rest=5e-4, dt=dt, linvel=v0[0] * downhill + v0[1] * across)
    start = w.pos[i].copy()
    w.step(round(0.3 / dt))
    moved = w.pos[i] - start
    ends = np.array([moved @ downhill, moved @ across, w.linvel[i] @ downhill, w.linvel[i] @ across])
    assert_allclose(ends, path(degrees, v0, 0.3), rtol=0, atol=2.0 * dt)
    assert_allclose(w.angvel[i], 0.0, atol=1e-8)


@pytest.mark.parametrize('made_of', ['plane', 'box', 'mesh'])
def test_sliding_is_the_same_in_all_directions(made_of):
    """v²/(2 mu g) to 1e-5 in twelve directions, no lateral drift, no spin: the cone is round."""
    for heading in np.arange(12) * np.pi / 6 + 0.1:
        way = np.array([np.cos(heading), np.sin(heading), 0.0])
        w, i, *_ = slope(0.0, made_of=made_of, linvel=way)
        start, spin = w.pos[i].copy(), 0.0
        for _ in range(5):
            w.step(100)
            spin = max(spin, np.abs(w.angvel[i]).max())
        moved = w.pos[i] - start
        assert_allclose(moved @ way, 1.0 / (2 * MU * G), rtol=1e-5)
        assert abs(np.cross(way, moved)[2]) < 1e-9
        assert spin < 1e-9
        assert_allclose(w.linvel[i], 0.0, atol=1e-12)


@pytest.mark.parametrize('dt', [2.5e-4, 1e-3, 4e-3])
@pytest.mark.parametrize('speed', [0.05, 0.5, 3.0])
def test_sliding_distance_at_any_step(dt, speed):
    w, i, *_ = slope(0.0, dt=dt, linvel=(speed, 0, 0))
    w.step(round((speed / (MU * G) + 0.1) / dt))
    assert_allclose(w.pos[i, 0], speed**2 / (2 * MU * G), rtol=1e-5)


def ball(kind, radius, mass=0.7):
    """Shape, mass and inertia factor k (I = k m r²) of a sphere, solid or hollow."""
    if kind == 'shell':
        return {'shape': HollowSphere(radius), 'mass': mass}, 2 / 3
    k = {'solid': 2 / 5, 'hollow inertia': 2 / 3, 'heavy rim': 0.9}[kind]
    return {'shape': Sphere(radius), 'mass': mass, 'inertia': (k * mass * radius**2,) * 3}, k


KINDS = ['solid', 'shell', 'hollow inertia', 'heavy rim']


@pytest.mark.parametrize('dt', [2.5e-4, 1e-3, 4e-3])
@pytest.mark.parametrize(('mu', 'radius'), [(0.1, 0.1), (0.5, 0.03), (1.0, 0.4)])
@pytest.mark.parametrize('spin', [0.0, -8.0, 20.0])
def test_sliding_ball_ends_rolling(dt, mu, radius, spin):
    """Solid ball thrown at 2 m/s with spin w0 about y: v = (5 v0 + 2 r w0)/7 to 1e-6, spin v/r."""
    body, _ = ball('solid', radius)
    w, i, *_ = slope(0.0, body=body, rest=radius, dt=dt, mu=(mu, mu), linvel=(2, 0, 0), angvel=(0, spin, 0))
    w.step(round((2 / 7 * (2.0 + radius * abs(spin)) / (mu * G) + 0.05) / dt))
    end = (5 * 2.0 + 2 * radius * spin) / 7
    assert_allclose(w.linvel[i], [end, 0, 0], atol=1e-6)
    assert_allclose(w.angvel[i], [0, end / radius, 0], atol=1e-6 / radius)


@pytest.mark.parametrize('kind', KINDS)
def test_sliding_ball_by_its_inertia(kind):
    """v = (v0 + k r w0)/(1 + k): 5/7 v0 solid, 3/5 v0 hollow; thrown along (3, 4), so the path is straight."""
    body, k = ball(kind, 0.1)
    way = np.array([0.6, 0.8, 0.0])
    w, i, *_ = slope(0.0, body=body, rest=0.1, linvel=2.0 * way)
    w.step(1500)
    assert_allclose(w.linvel[i], 2.0 / (1 + k) * way, atol=1e-6)
    assert_allclose(w.angvel[i], 20.0 / (1 + k) * np.cross([0, 0, 1], way), atol=1e-5)


def test_back_spin_brings_a_ball_back():
    """r w0 = -5/2 v0 stops it, more brings it back; slip and spin are square to each other here: a parabola."""
    body, _ = ball('solid', 0.1)
    w, i, *_ = slope(0.0, body=body, rest=0.1, linvel=(1, 0, 0), angvel=(0, -25.0, 0))
    w.step(2000)
    assert_allclose(w.linvel[i], 0.0, atol=1e-6)
    w, i, *_ = slope(0.0, body=body, rest=0.1, linvel=(1, 0, 0), angvel=(30.0, 0, 0))
    slip = np.array([1.0, 3.0])     # v + w x (-r z), of constant direction
    end = np.array([1.0, 0.0]) - 2 / 7 * slip
    w.step(100)
    drag = MU * G * slip / np.linalg.norm(slip)
    assert_allclose(w.linvel[i, :2], [1, 0] - 0.1 * drag, atol=1e-9)
    w.step(1900)
    assert_allclose(w.linvel[i, :2], end, atol=1e-6)


@pytest.mark.parametrize('made_of', ['plane', 'box', 'mesh'])
@pytest.mark.parametrize('kind', ['solid', 'shell'])
@pytest.mark.parametrize('degrees', [2.0, 20.0])
def test_rolls_down_a_slope(made_of, kind, degrees):
    """Without slip g sin/(1 + k) (5/7 solid), w = v/r, to 1e-6 relative; tan 20° < (1 + 1/k) mu."""
    body, k = ball(kind, 0.1)
    w, i, normal, downhill = slope(degrees, body=body, rest=0.1, made_of=made_of, along=ALONG['diagonal'])
    w.step(1000)
    a = G * np.sin(np.radians(degrees)) / (1 + k)
    assert_allclose(w.linvel[i], a * downhill, rtol=0, atol=1e-6 * a)
    assert_allclose(w.pos[i], 0.1 * normal + 0.5 * a * downhill, rtol=0, atol=1e-6 * a)
    assert_allclose(w.angvel[i], a / 0.1 * np.cross(normal, downhill), rtol=0, atol=1e-6 * a / 0.1)


def test_ball_too_steep_to_roll_slips():
    """tan 60° > 7/2 mu = 1.05: g (sin - mu cos) down, spin 5/2 mu g cos t / r."""
    body, _ = ball('solid', 0.1)
    w, i, normal, downhill = slope(60.0, body=body, rest=0.1)
    w.step(500)
    assert_allclose(w.linvel[i], 0.5 * coulomb(60.0) * downhill, atol=1e-8)
    assert_allclose(w.angvel[i], 0.5 * 2.5 * MU * G * 0.5 / 0.1 * np.cross(normal, downhill), atol=1e-7)
