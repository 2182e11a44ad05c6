# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Pendulums against the elliptic integral and DOP853: period, order in dt, energy without drift, tension."""
import numpy as np
import pytest
from constraint_scenes import RELEASE, G, extension, pendulum, physical_pendulum
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.special import ellipk

from hakoniwa_rigid.engine import Sphere, WorldBuilder

KINDS = 'distance', 'cable', 'ball'


def exact_period(length):
    """s, from 60°: 4 sqrt(l / g) K(sin(30°)); ellipk takes the square of the modulus."""
    return 4.0 * np.sqrt(length / G) * ellipk(np.sin(0.5 * RELEASE)**2)


def period(w, angle):
    """s between two crossings of the bottom in one direction; there the angular acceleration is 0, so that the crossing
    is interpolated linearly to third order."""
    crossings, before = [], angle(w)
    while len(crossings) < 2:
        w.step()
        now = angle(w)
        if before < 0.0 <= now:
            crossings.append((w.time_steps - now / (now - before)) * w.dt)
        before = now
    return crossings[1] - crossings[0]


def bob_angle(bob):
    return lambda w: np.arctan2(w.pos[bob, 0], -w.pos[bob, 2])


@pytest.mark.parametrize('kind', KINDS)
def test_period(kind):
    """1e-5 at 1 ms, second order in dt: four times the error at twice the step."""
    errors = []
    for dt in (1e-3, 1.5e-3, 3e-3):
        w, bob = pendulum(kind, dt=dt)
        length = np.linalg.norm(w.pos[bob])
        if kind == 'ball':      # it turns with the rod: I about the hook
            length += 0.4 * 0.05**2 / length
        errors.append(period(w, bob_angle(bob)) / exact_period(length) - 1.0)
    assert abs(errors[0]) < 1e-5
    assert 3.6 < errors[2] / errors[1] < 4.4


def test_period_of_a_physical_pendulum():
    """A hinge off the centre of mass, about an axis that is no principal one: l = (I + m d²) / (m d)."""
    errors = []
    for dt in (1e-3, 4e-3, 8e-3):
        w, i, length = physical_pendulum(dt=dt)
        errors.append(period(w, bob_angle(i)) / exact_period(length) - 1.0)
    assert abs(errors[0]) < 1e-5
    assert 3.6 < errors[2] / errors[1] < 4.4


@pytest.mark.parametrize('kind', [*KINDS, 'hinge'])
def test_energy_of_a_hundred_periods(kind):
    """Within 1e-4 of what falls, m g l (1 - cos 60°), and no drift: the last ten periods are as the first ten."""
    if kind == 'hinge':
        w, i, length = physical_pendulum()
        size = 0.8 * G * 0.35 * 0.5
    else:
        w, i = pendulum(kind)
        length, size = 1.0, 1.3 * G * 0.5
    steps = int(exact_period(length) / w.dt)
    start, means, worst = w.energy(), [], 0.0
    for k in range(100):
        energies = []
        for _ in range(50):
            w.step(max(1, steps // 50))
            energies.append((w.energy() - start) / size)
        worst = max(worst, np.abs(energies).max())
        if k < 10 or k >= 90:
            means.append(np.mean(energies))
    assert worst < 1e-4
    assert abs(np.mean(means[10:]) - np.mean(means[:10])) < 1e-7
    # where the rod is and how fast along it: rounding, after 2e5 steps
    assert w.stats().unsolved == 0


@pytest.mark.parametrize('kind', ('distance', 'cable'))
def test_length_and_tension(kind):
    """The length stays, and the tension is m g (3 cos a - 2 cos 60°), the mean over a step at its middle."""
    w, bob = pendulum(kind)
    length = extension(w)
    for _ in range(1500):
        before = w.pos[bob]
        w.step()
        assert abs(extension(w) - length) < 1e-14
        middle = 0.5 * (before + w.pos[bob])
        wanted = -1.3 * G * (3.0 * -middle[2] - 2.0 * np.cos(RELEASE)) * middle
        assert_allclose(w.constraint(0).force, wanted, atol=2e-5 * 1.3 * G)
    assert_allclose(np.dot(w.pos[bob], w.linvel[bob]), 0.0, atol=1e-14)


def double_pendulum(kind, dt):
    b = WorldBuilder(dt=dt)
    hook = b.add_body(Sphere(0.01), kind='static')
    arm = np.array([np.sin(RELEASE), 0.0, -np.cos(RELEASE)])
    one = b.add_body(Sphere(0.01), mass=1.0, pos=arm)
    two = b.add_body(Sphere(0.01), mass=1.0, pos=2 * arm)
    b.attach(kind, hook, one)
    b.attach(kind, one, two)
    return b.build()


def double_pendulum_exactly(t):
    """(2, 3) m, of two point masses on rods of 1 m, both from 60° at rest, by DOP853 in the angles."""
    def slope(_, y):
        a, b, u, v = y
        d = a - b
        matrix = np.array([[2.0, np.cos(d)], [np.cos(d), 1.0]])
        right = [-np.sin(d) * v * v - 2.0 * G * np.sin(a), np.sin(d) * u * u - G * np.sin(b)]
        return [u, v, *np.linalg.solve(matrix, right)]
    a, b, *_ = solve_ivp(slope, (0, t), [RELEASE, RELEASE, 0, 0], method='DOP853', rtol=1e-13, atol=1e-13).y[:, -1]
    one = np.array([np.sin(a), 0.0, -np.cos(a)])
    return np.array([one, one + [np.sin(b), 0.0, -np.cos(b)]])


def test_double_pendulum():
    """1e-4 of 1 m after 2 s at 1 ms, second order."""
    exact, errors = double_pendulum_exactly(2.0), []
    for dt in (1e-3, 2e-3, 4e-3):
        w = double_pendulum('distance', dt)
        w.step(round(2.0 / dt))
        errors.append(np.abs(w.pos[1:] - exact).max())
    assert errors[0] < 1e-4
    assert 3.5 < errors[1] / errors[0] < 4.5
    assert 3.5 < errors[2] / errors[1] < 4.5
