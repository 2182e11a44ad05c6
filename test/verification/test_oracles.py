# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The oracles against each other and against numbers worked by hand, before they judge the engine."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles import free_motion, geometry, impact
from oracles.geometry import SHAPES, touching_pose
from oracles.rotations import angle_between, from_rotvec, matrix, multiply, random_quat, random_tensor

DRONE = 0.71, np.diag([0.0061, 0.00653, 0.0116])


def drone_and_wall(r, v):
    drone = impact.Body(*DRONE, np.zeros(3), [1, 0, 0, 0], v, np.zeros(3))
    wall = impact.Body(np.inf, np.eye(3), [1, 0, 0], [1, 0, 0, 0], np.zeros(3), np.zeros(3))
    return drone, wall, np.array(r), np.array([1.0, 0.0, 0.0])


def test_rotations_compose():
    rng = np.random.default_rng(1)
    p, q = random_quat(rng), random_quat(rng)
    assert_allclose(matrix(multiply(p, q)), matrix(p) @ matrix(q), atol=1e-15)
    assert_allclose(angle_between(p, multiply(p, from_rotvec([1e-9, 0, 0]))), 1e-9, rtol=1e-6)


def test_reference_numbers():
    """docs/impacts.md: r = (0.2, 0, 0) and r = (0.2, 0.1, 0), e = 0.5."""
    result, v, w, _, _ = impact.collide(*drone_and_wall((0.2, 0, 0), [3, 0, 0]), 0.5, 0.0)
    assert_allclose(np.linalg.norm(result.impulse), 3.195, rtol=1e-14)
    assert_allclose(v, [-1.5, 0, 0], atol=1e-14)
    assert_allclose(w, 0.0, atol=1e-14)
    result, v, w, _, _ = impact.collide(*drone_and_wall((0.2, 0.1, 0), [3, 0, 0]), 0.5, 0.0)
    assert_allclose(np.linalg.norm(result.impulse), 4.5 / (1 / 0.71 + 0.01 / 0.0116), rtol=1e-14)
    assert_allclose(v[0], 0.2085561498, atol=1e-10)
    assert_allclose(w[2], 17.0855615, atol=1e-7)


def test_kane_paradox_lowers_e():
    """Newton's e = 1 with stick would make +10 % energy; e' brings the change to zero."""
    drone, wall, p, n = drone_and_wall((0.2, 0.1, 0), [3, -3, 0])
    before = drone.kinetic_energy()
    K = impact.effective_mass_inverse(drone, p)
    newton = np.linalg.solve(K, -(-drone.linvel + 1.0 * (-drone.linvel @ n) * n))
    assert_allclose(impact.energy_change(newton, -drone.linvel, K) / before, 0.10, atol=0.005)
    result, v, w, _, _ = impact.collide(drone, wall, p, n, 1.0, 10.0)
    drone.linvel, drone.angvel = v, w
    assert 0.0 < result.restitution < 1.0
    assert_allclose(drone.kinetic_energy(), before, rtol=1e-13)


@pytest.mark.parametrize('seed', range(20))
def test_brute_force_equals_sphere_closed_form(seed):
    rng = np.random.default_rng(seed)
    mass, radius, e, mu = rng.uniform(0.1, 5), rng.uniform(0.01, 1), rng.uniform(), rng.uniform(0, 1)
    n = rng.normal(size=3)
    n /= np.linalg.norm(n)
    ball = impact.Body(
        mass,
        np.full(3, 0.4 * mass * radius**2),
        radius * n,
        random_quat(rng),
        rng.normal(size=3) - 2 * n,
        rng.normal(size=3) / radius,
    )
    ball.linvel -= (1.0 + ball.linvel @ n) * n
    ground = impact.Body(np.inf, np.eye(3), np.zeros(3), [1, 0, 0, 0], np.zeros(3), np.zeros(3))
    result, *_ = impact.collide(ground, ball, np.zeros(3), n, e, mu)
    expected = impact.sphere_impact(mass, radius, ball.velocity_at(np.zeros(3)), n, e, mu)
    assert_allclose(result.impulse, expected, rtol=0, atol=1e-12 * np.linalg.norm(expected))


@pytest.mark.parametrize('seed', range(20))
def test_brute_force_keeps_the_law(seed):
    """Final slip opposes J_t, the cone holds, momentum and energy behave, n and -n agree."""
    rng = np.random.default_rng(100 + seed)
    a, b = (
        impact.Body(
            rng.uniform(0.1, 3),
            random_tensor(rng, 0.02),
            rng.normal(size=3) * 0.3,
            random_quat(rng),
            rng.normal(size=3),
            3 * rng.normal(size=3),
        )
        for _ in range(2)
    )
    n = b.pos - a.pos
    n /= np.linalg.norm(n)
    point = 0.5 * (a.pos + b.pos) + 0.1 * rng.normal(size=3)
    b.linvel -= (1.0 + (b.velocity_at(point) - a.velocity_at(point)) @ n) * n
    mu = rng.uniform(0, 0.8)
    result, va, wa, vb, wb = impact.collide(a, b, point, n, rng.uniform(), mu)
    J, jn = result.impulse, result.impulse @ n
    slip = result.u_after - (result.u_after @ n) * n
    assert_allclose(result.u_after @ n, result.restitution, atol=1e-12)
    if result.sticks:
        assert_allclose(slip, 0.0, atol=1e-12)
    else:
        assert_allclose(J - jn * n, -mu * jn * slip / np.linalg.norm(slip), atol=1e-11 * jn)
    mirrored = impact.collide(b, a, point, -n, result.restitution, mu)[0]
    assert_allclose(mirrored.impulse, -J, atol=1e-10 * jn)
    before = a.kinetic_energy() + b.kinetic_energy()
    a.linvel, a.angvel, b.linvel, b.angvel = va, wa, vb, wb
    assert a.kinetic_energy() + b.kinetic_energy() <= before * (1 + 1e-13)


def test_ode_equals_elliptic_functions():
    moments, spin = np.array([0.0061, 0.00653, 0.0116]), np.array([3.0, 0.0, 4.0])
    q, w = free_motion.rotate(moments, [1, 0, 0, 0], spin, 3.0)
    assert_allclose(matrix(q).T @ w, free_motion.euler_top(moments, spin, 3.0), atol=1e-10)


def test_ode_about_a_fixed_axis():
    """One axis, constant torque: angle = w0 t + torque t² / 2 I."""
    q, w = free_motion.rotate([1.0, 2.0, 2.5], [1, 0, 0, 0], [0, 0, 0.3], 2.0, torque=[0, 0, 0.5])
    assert_allclose(w, [0, 0, 0.3 + 0.5 * 2.0 / 2.5], atol=1e-13)
    assert_allclose(angle_between(q, from_rotvec([0, 0, 0.6 + 0.5 * 0.5 * 4.0 / 2.5])), 0.0, atol=1e-12)


def test_bouncing_height_is_continuous():
    e, g, h = 0.8, 9.8, 1.0
    fall = np.sqrt(2 * h / g)
    assert_allclose(free_motion.bouncing_height(h, g, e, 0.0), (h, 0.0), atol=1e-14)
    assert_allclose(free_motion.bouncing_height(h, g, e, fall + 1e-12)[1], e * np.sqrt(2 * g * h), rtol=1e-9)
    apex = fall + e * np.sqrt(2 * g * h) / g
    assert_allclose(free_motion.bouncing_height(h, g, e, apex), (e * e * h, 0.0), atol=1e-13)


@pytest.mark.parametrize('kind_a', SHAPES)
@pytest.mark.parametrize('kind_b', SHAPES)
def test_distance_agrees_with_mujoco(kind_a, kind_b):
    rng = np.random.default_rng(5)
    for _ in range(5):
        pose_a, pose_b = touching_pose(rng, SHAPES[kind_a], SHAPES[kind_b], 1e-3)
        distance, normal = geometry.signed_distance(SHAPES[kind_a], pose_a, SHAPES[kind_b], pose_b)
        other, other_normal = geometry.mujoco_distance(SHAPES[kind_a], pose_a, SHAPES[kind_b], pose_b)
        assert_allclose(distance, other, atol=1e-6)
        assert_allclose(normal, other_normal, atol=2e-3)
