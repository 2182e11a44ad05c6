# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Motion without contact: parabolas, tumbling, constant torque, mass properties the engine works out itself."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from oracles import free_motion
from oracles.rotations import angle_between, matrix, random_quat, random_tensor
from scenes import DRONE_INERTIA, DRONE_MASS, G, tumbling_top

from hakoniwa_rigid.engine import Box, Capsule, Sphere, WorldBuilder


def one_body(*, dt=1e-3, gravity=(0, 0, 0), integrator='exact', **body):
    b = WorldBuilder(gravity=gravity, dt=dt, integrator=integrator)
    body = {'mass': DRONE_MASS, 'inertia': DRONE_INERTIA} | body
    b.add_body(Box((0.5, 0.5, 0.15)), **body)
    return b.build()


def angular_momentum(w):
    r = matrix(w.quat[0])
    return r @ w.inertia[0] @ r.T @ w.angvel[0]


@pytest.mark.parametrize('dt', [1e-4, 1e-3, 1 / 240, 1e-2, 0.1])
def test_parabola_to_rounding(dt):
    """x = x0 + v0 t + a t²/2 whatever dt: one step adds at most a few ulp of the largest number met."""
    pos, vel, force = (1, -2, 300), (3, 0.5, 4), np.array([0.3, -0.7, 2.0])
    w = one_body(dt=dt, gravity=(0, 0, -G), pos=pos, linvel=vel)
    w.force[0] = force
    steps = 100
    w.step(steps)
    x, v = free_motion.parabola(pos, vel, force / DRONE_MASS + [0, 0, -G], steps * dt)
    assert_allclose(w.pos[0], x, rtol=0, atol=4 * steps * np.finfo(float).eps * 300)
    assert_allclose(w.linvel[0], v, rtol=0, atol=4 * steps * np.finfo(float).eps * max(1, np.abs(v).max()))


def test_semi_implicit_euler_is_selectable():
    """semi_implicit_euler: x advances with the new v, so x_n = v0 t + a t (t + dt) / 2."""
    w = one_body(dt=1e-2, gravity=(0, 0, -G), integrator='semi_implicit_euler')
    w.step(100)
    assert_allclose(w.pos[0], [0, 0, -G * 1.0 * 1.01 / 2], atol=1e-12)


def test_force_and_torque_stay_until_changed():
    w = one_body(inertia=(1, 1, 1), mass=2.0)
    w.force[0], w.torque[0] = (2, 0, 0), (0, 0, 3)
    w.step(500)
    w.step(500)
    assert_allclose(w.linvel[0], [1, 0, 0], atol=1e-12)
    assert_allclose(w.angvel[0], [0, 0, 3], atol=1e-12)
    w.force[:] = 0.0
    w.torque[:] = 0.0
    w.step(10)
    assert_allclose(w.linvel[0], [1, 0, 0], atol=1e-12)
    assert_allclose(w.angvel[0], [0, 0, 3], atol=1e-12)


def test_tumbling_about_the_middle_axis():
    """Ten seconds of Dzhanibekov flips: energy 1e-12, |L| 1e-9, attitude within 1e-3 degrees of the ODE."""
    w = tumbling_top()
    energy, momentum = w.kinetic_energy(), angular_momentum(w)
    start = w.quat[0].copy(), w.angvel[0].copy()
    worst = 0.0
    flips = 0
    for _ in range(100):
        w.step(100)
        worst = max(worst, abs(w.kinetic_energy() / energy - 1))
        flips += (matrix(w.quat[0]).T @ w.angvel[0])[1] < 0
    assert 10 < flips < 90
    assert worst < 1e-12
    assert_allclose(angular_momentum(w), momentum, rtol=0, atol=1e-9 * np.linalg.norm(momentum))
    quat, angvel = free_motion.rotate(DRONE_INERTIA, *start, 10.0)
    assert np.degrees(angle_between(w.quat[0], quat)) < 1e-3
    assert_allclose(w.angvel[0], angvel, atol=1e-4)
    assert_allclose(np.linalg.norm(w.quat[0]), 1.0, atol=1e-14)


@pytest.mark.parametrize('axis', range(3))
def test_principal_axes_hold(axis):
    """A spin exactly on a principal axis stays there, and turns by w t; the unstable middle one too for a while."""
    spin = np.zeros(3)
    spin[axis] = 5.0
    w = one_body(angvel=spin)
    w.step(1000)
    assert_allclose(w.angvel[0], spin, atol=1e-12)
    half = np.zeros(4)
    half[0], half[1 + axis] = np.cos(2.5), np.sin(2.5)
    assert angle_between(w.quat[0], half) < 1e-11


@pytest.mark.parametrize('seed', range(5))
def test_full_tensor_tumbles_like_its_principal_form(seed):
    """The same body given as a full tensor: energy and L as before, attitude against the ODE.

    Fast spin, 10 rad/s for 2 s at 1 ms: a scheme of order 2 errs by ~ t w³ dt² / 12 = 1.7e-4 rad.
    """
    rng = np.random.default_rng(seed)
    tensor, quat = random_tensor(rng, 0.002), random_quat(rng)
    spin = rng.normal(size=3)
    spin *= 10 / np.linalg.norm(spin)
    w = one_body(inertia=tensor, quat=quat, angvel=spin)
    assert_allclose(w.inertia[0], tensor, rtol=1e-13, atol=1e-18)
    energy, momentum = w.kinetic_energy(), angular_momentum(w)
    w.step(2000)
    assert_allclose(w.kinetic_energy(), energy, rtol=1e-12)
    assert_allclose(angular_momentum(w), momentum, rtol=0, atol=1e-9 * np.linalg.norm(momentum))
    assert angle_between(w.quat[0], free_motion.rotate(tensor, quat, spin, 2.0)[0]) < 1.7e-4


@pytest.mark.parametrize('seed', range(3))
def test_constant_torque(seed):
    """L = L0 + torque t to rounding; the attitude converges at order two or better: error <= t w³ dt² / 12 and
    shrinks 4x.
    """
    rng = np.random.default_rng(20 + seed)
    tensor, quat, spin = random_tensor(rng, 0.002), random_quat(rng), rng.normal(size=3) * 3
    torque = rng.normal(size=3) * 0.02
    expected, _ = free_motion.rotate(tensor, quat, spin, 1.0, torque)
    errors = []
    for dt in (2e-3, 1e-3):
        w = one_body(dt=dt, inertia=tensor, quat=quat, angvel=spin)
        momentum = angular_momentum(w)
        w.torque[0] = torque
        w.step(round(1.0 / dt))
        assert_allclose(angular_momentum(w), momentum + torque, rtol=0, atol=1e-11 * np.linalg.norm(momentum))
        errors.append(angle_between(w.quat[0], expected))
    top = max(np.linalg.norm(spin), np.linalg.norm(w.angvel[0]))
    assert errors[1] < top**3 * 1e-6 / 12 + 1e-9
    assert errors[1] < errors[0] / 3.5 + 1e-9


def test_constant_torque_about_a_principal_axis():
    """Angle = torque t²/2I exactly: the mean spin over a step turns the body right."""
    w = one_body(inertia=(1, 2, 2.5), mass=1.0)
    w.torque[0] = (0, 0, 0.5)
    w.step(1000)
    angle = 0.5 * 0.5 / 2.5
    assert_allclose(w.angvel[0], [0, 0, 0.2], atol=1e-13)
    assert_allclose(w.quat[0], [np.cos(angle / 2), 0, 0, np.sin(angle / 2)], atol=1e-12)


@pytest.mark.parametrize('integrator', ['exact', 'semi_implicit_euler'])
def test_every_integrator_carries_angular_momentum(integrator):
    """Torque-free motion keeps L, not w (docs/free_motion.md: the gyroscopic term)."""
    w = tumbling_top(integrator=integrator)
    momentum = angular_momentum(w)
    w.step(5000)
    assert_allclose(angular_momentum(w), momentum, rtol=0, atol=1e-9 * np.linalg.norm(momentum))


def test_time_of_flight_is_counted_in_steps():
    w = one_body(dt=1 / 240, linvel=(1, 0, 0))
    w.step(240)
    assert w.time_steps == 240
    assert_allclose(w.pos[0, 0], 1.0, atol=1e-13)


def test_energy_is_kinetic_plus_potential():
    w = one_body(gravity=(0, 0, -G), pos=(0, 0, 5), linvel=(1, 2, 3), angvel=(1, 1, 1))
    kinetic = 0.5 * DRONE_MASS * 14 + 0.5 * sum(DRONE_INERTIA)
    assert_allclose(w.kinetic_energy(), kinetic, rtol=1e-14)
    assert_allclose(w.energy(), w.kinetic_energy() + w.potential_energy(), rtol=1e-14)
    energy = w.energy()
    w.step(1000)
    assert_allclose(w.energy(), energy, rtol=1e-12)


def capsule_inertia(m, r, h):
    """Solid capsule along z about its centre: cylinder h plus two half balls set off by h/2 + 3r/8."""
    cylinder = m * h / (h + 4 * r / 3)
    balls = m - cylinder
    side = cylinder * (3 * r * r + h * h) / 12 + balls * (0.4 * r * r + h * h / 4 + 3 * h * r / 8)
    return np.diag([side, side, cylinder * r * r / 2 + 0.4 * balls * r * r])


@pytest.mark.parametrize(
    ('shape', 'tensor'),
    [
        (Sphere(0.3), 0.4 * 2.0 * 0.09 * np.eye(3)),
        (Box((0.1, 0.2, 0.3)), 2.0 / 12 * np.diag([0.04 + 0.09, 0.09 + 0.01, 0.01 + 0.04])),
        (Capsule(0.1, 0.4), capsule_inertia(2.0, 0.1, 0.4)),
    ],
)
def test_default_inertia(shape, tensor):
    """docs/mass_properties.md, closed forms about the centre of mass."""
    b = WorldBuilder()
    b.add_body(shape, mass=2.0)
    assert_allclose(b.build().inertia[0], tensor, rtol=1e-13, atol=1e-17)


def test_static_kinematic_and_disabled():
    """Static never moves, kinematic moves with its velocity and feels nothing, disabled is frozen."""
    b = WorldBuilder(gravity=(0, 0, -G), dt=1e-2)
    b.add_body(Sphere(0.1), kind='static', pos=(5, 0, 0))
    b.add_body(Sphere(0.1), kind='kinematic', linvel=(0, 1, 0), angvel=(0, 0, 2))
    b.add_body(Sphere(0.1), mass=1.0, pos=(9, 0, 0), enabled=False, linvel=(1, 1, 1))
    w = b.build()
    w.force[:] = 1.0
    w.torque[:] = 1.0
    w.step(100)
    assert_array_equal(w.pos[0], [5, 0, 0])
    assert_allclose(w.pos[1], [0, 1, 0], atol=1e-13)
    assert_array_equal(w.linvel[1], [0, 1, 0])
    assert_allclose(w.quat[1], [np.cos(1), 0, 0, np.sin(1)], atol=1e-13)
    assert_array_equal(w.pos[2], [9, 0, 0])
    w.set_enabled(2, True)
    w.step(1)
    assert w.pos[2, 0] > 9
