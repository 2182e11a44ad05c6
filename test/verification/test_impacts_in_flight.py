# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Impacts of bodies that fly in: time, place and velocity, bounce heights, and nothing that passes through."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles import free_motion, impact
from oracles.rotations import from_rotvec, matrix, multiply
from scenes import G, bouncing_ball, impact_times, impacts
from scipy.optimize import brentq

from hakoniwa_rigid.engine import Box, Capsule, HalfSpace, Sphere, WorldBuilder


def builder(dt=1e-3, gravity=0.0):
    return WorldBuilder(gravity=(0, 0, -gravity), dt=dt, restitution_threshold=0.0)


@pytest.mark.parametrize('dt', [1e-3, 1 / 240, 1e-2])
def test_five_bounces(dt):
    """Every step of five bounces at e = 0.8 against the piecewise parabola; apex from z + v²/2g: 1e-9."""
    w, i = bouncing_ball(1.0, restitution=0.8, dt=dt)
    falls = np.sqrt(2.0 / G) * np.array([1, *(2 * 0.8 ** np.arange(1, 6))])
    steps = int(falls.sum() / dt)
    got = np.full((steps, 2), np.nan)
    for k in range(steps):
        w.step(1)
        got[k] = w.pos[i, 2] - 0.1, w.linvel[i, 2]
    want = np.array([free_motion.bouncing_height(1.0, G, 0.8, (k + 1) * dt) for k in range(steps)])
    apex = got[:, 0] + got[:, 1] ** 2 / (2 * G)
    assert_allclose(apex, want[:, 0] + want[:, 1] ** 2 / (2 * G), rtol=1e-9)
    assert_allclose(got, want, rtol=0, atol=1e-8)
    assert_allclose(w.pos[i, :2], [0.2, -0.1], atol=1e-14)
    assert_allclose(w.angvel[i], 0.0, atol=1e-14)


def test_bounce_times_in_the_log():
    """One call over three bounces: the log tells each at step·dt + time = sqrt(2h/g) (1 + 2e + ...)."""
    w, i = bouncing_ball(1.0, restitution=0.8)
    w.step(1900)
    rows = impacts(w)
    fall = np.sqrt(2.0 / G)
    assert_allclose(impact_times(w, rows), fall * np.array([1, 2.6, 3.88]), atol=1e-9)
    assert_allclose(rows['impulse'][:, 2], 1.3 * 1.8 * np.sqrt(2 * G) * np.array([1, 0.8, 0.64]), rtol=1e-9)
    assert_allclose(rows['position'], [[0.2, -0.1, 0.0]] * 3, atol=1e-9)
    assert_allclose(rows['normal'], [[0, 0, 1.0]] * 3, atol=1e-12)  # floor is body 0


@pytest.mark.parametrize('seed', range(20))
def test_two_spheres_meet(seed):
    """Frictionless spheres, no forces: |Δx + Δv t| = R1 + R2 gives the time; post velocities 1e-10 relative."""
    rng = np.random.default_rng(seed)
    radius, mass, e = rng.uniform(0.05, 0.3, size=2), rng.uniform(0.1, 5, size=2), rng.uniform()
    v = rng.normal(size=(2, 3)) * rng.choice([1.0, 10.0, 100.0])
    closing = v[1] - v[0]
    normal = rng.normal(size=3)
    normal -= max(0, normal @ closing) * 2 / (closing @ closing) * closing
    normal /= np.linalg.norm(normal)
    toi = rng.uniform(0.5, 9.5) * 1e-3
    x = np.array([np.zeros(3), normal * radius.sum()]) - v * toi
    b = builder(dt=1e-3)
    for k in range(2):
        b.add_body(Sphere(radius[k]), mass=mass[k], pos=x[k], linvel=v[k], restitution=e, friction=0.0)
    w = b.build()
    w.step(10)
    (row,) = impacts(w)
    jn = -(1 + e) * (closing @ normal) / (1 / mass).sum()
    after = v + np.array([-1 / mass[0], 1 / mass[1]])[:, None] * jn * normal
    speed = np.linalg.norm(v)
    sharp = abs(closing @ normal) / np.linalg.norm(closing)  # a grazing hit magnifies the rounding of x by 1/sharp
    assert_allclose(impact_times(w, np.array([row])), toi, atol=1e-12 / sharp)
    assert_allclose(w.linvel, after, rtol=0, atol=1e-10 * speed)
    assert_allclose(row['position'], v[0] * toi + x[0] + radius[0] * normal, atol=1e-9)
    assert_allclose(w.pos, x + v * toi + after * (0.01 - toi), rtol=0, atol=1e-10 * max(1, speed))


@pytest.mark.parametrize('friction', [0.05, 0.3, 1.0])
@pytest.mark.parametrize('seed', range(5))
def test_spinning_ball_on_plane(seed, friction):
    """Sliding Δv_t = mu (1+e) |v_n|; stick iff |u_t| <= 3.5 mu (1+e) |v_n|, then v_t' = v_t - (2/7) u_t: 1e-9."""
    rng = np.random.default_rng(seed)
    radius, mass, e = 0.11, 0.43, rng.uniform(0.1, 1)
    v, spin = np.append(rng.normal(size=2) * 2, -rng.uniform(1, 5)), rng.normal(size=3) * 20
    b = builder(dt=1e-3)
    b.add_body(HalfSpace(), kind='static', friction=friction)
    i = b.add_body(
        Sphere(radius),
        mass=mass,
        pos=np.array([0, 0, radius]) - v * 0.0043,
        linvel=v,
        angvel=spin,
        restitution=e,
        friction=friction,
    )
    w = b.build()
    w.step(10)
    n, r = np.array([0, 0, 1.0]), np.array([0, 0, -radius])
    J = impact.sphere_impact(mass, radius, v + np.cross(spin, r), n, e, friction)
    assert_allclose(w.linvel[i], v + J / mass, rtol=0, atol=1e-9)
    assert_allclose(w.angvel[i], spin + np.cross(r, J) / (0.4 * mass * radius**2), rtol=0, atol=1e-8)


@pytest.mark.parametrize('seed', range(8))
def test_spinning_cube_hits_with_a_corner(seed):
    """A cube (isotropic, so w is constant) flies corner first into a plane: time of impact and velocities to 1e-6."""
    rng = np.random.default_rng(seed)
    side, mass, e, mu = 0.3, 0.8, 0.6, 0.2
    moment = mass * side**2 / 6
    quat = multiply(
        from_rotvec(rng.normal(size=3) * 0.15), from_rotvec(np.arctan(np.sqrt(2)) * np.array([1, -1, 0]) / np.sqrt(2))
    )
    spin, v = rng.normal(size=3) * 4, np.append(rng.normal(size=2), -3.0)
    corners = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T * side / 2

    def place(t):
        return np.array([0, 0, 0.32]) + v * t, multiply(from_rotvec(spin * t), quat)

    def lowest(t):
        pos, q = place(t)
        return (pos + corners @ matrix(q).T)[:, 2].min()

    toi = brentq(lowest, 0.0, 0.1, xtol=1e-15)
    pos, q = place(toi)
    points = pos + corners @ matrix(q).T
    point = points[points[:, 2].argmin()]
    cube = impact.Body(mass, moment * np.eye(3), pos, q, v, spin)
    ground = impact.Body(np.inf, np.eye(3), np.zeros(3), [1, 0, 0, 0], np.zeros(3), np.zeros(3))
    result, _, _, after, spin_after = impact.collide(ground, cube, point, np.array([0, 0, 1.0]), e, mu)
    b = builder(dt=1e-3)
    b.add_body(HalfSpace(), kind='static', friction=mu)
    i = b.add_body(
        Box((side,) * 3), mass=mass, pos=place(0)[0], quat=quat, linvel=v, angvel=spin, restitution=e, friction=mu
    )
    w = b.build()
    w.step(int(toi / 1e-3) + 1)
    row = impacts(w)[0]
    assert_allclose(impact_times(w, impacts(w)[:1]), toi, atol=1e-6)
    assert_allclose(row['position'], point, atol=1e-6)
    assert_allclose(row['impulse'], result.impulse, rtol=0, atol=1e-6 * np.linalg.norm(result.impulse) * 10)
    assert_allclose(w.linvel[i], after, rtol=0, atol=1e-5)
    assert_allclose(w.angvel[i], spin_after, rtol=0, atol=1e-4)


@pytest.mark.parametrize('dt', [1e-3, 1e-2])
@pytest.mark.parametrize('angle', [0.0, 0.7])
def test_small_ball_does_not_pass_a_thin_wall(dt, angle):
    """1 cm ball at 100 m/s, 2 cm wall: ten wall thicknesses a step, and it still reflects at the face."""
    b = builder(dt=dt)
    b.add_body(Box((0.02, 40, 40)), kind='static', friction=0.0)
    v = 100 * np.array([np.cos(angle), np.sin(angle), 0])
    i = b.add_body(Sphere(0.005), mass=0.01, pos=(-1.0, 0, 0), linvel=v, restitution=0.5, friction=0.0)
    w = b.build()
    w.step(round(0.02 / dt))
    assert_allclose(w.linvel[i], v * [-0.5, 1, 1], atol=1e-9)
    hit = (1.0 - 0.015) / v[0]
    assert_allclose(w.pos[i], [-0.015 - 0.5 * v[0] * (0.02 - hit), v[1] * 0.02, 0], atol=1e-9)


@pytest.mark.parametrize('spin', [0.0, 3.0])
def test_drone_does_not_pass_a_thin_wall(spin):
    """Drone box at 30 m/s, 30 cm a step, into a 2 cm wall at dt = 10 ms."""
    b = builder(dt=1e-2)
    b.add_body(Box((0.02, 8, 8)), kind='static', friction=0.3)
    i = b.add_body(
        Box((0.5, 0.5, 0.15)),
        mass=0.71,
        pos=(-1.0, 0, 0),
        linvel=(30, 0, 0),
        angvel=(0.3 * spin, 0.1 * spin, spin),
        restitution=0.4,
        friction=0.3,
    )
    w = b.build()
    for _ in range(30):
        w.step(1)
        nearest = (
            w.pos[i]
            + (np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T * [0.25, 0.25, 0.075])
            @ matrix(w.quat[i]).T
        )[:, 0].max()
        assert nearest < -0.01 + 1e-3
    assert w.linvel[i, 0] < 0


def test_small_spheres_head_on():
    """Two 1 cm balls at ±100 m/s, e = 1, equal masses: they swap velocities."""
    b = builder(dt=1e-2)
    b.add_body(Sphere(0.005), mass=0.01, pos=(-0.9, 0, 0), linvel=(100, 0, 0), restitution=1.0)
    b.add_body(Sphere(0.005), mass=0.01, pos=(0.9, 0, 0), linvel=(-100, 0, 0), restitution=1.0)
    w = b.build()
    w.step(2)
    assert_allclose(w.linvel, [[-100, 0, 0], [100, 0, 0]], atol=1e-9)
    gap = 0.9 - 0.005  # each flies this far, then back for the rest of 20 ms
    assert_allclose(w.pos[:, 0], [-0.005 - (2.0 - gap), 0.005 + 2.0 - gap], atol=1e-9)


def test_crossed_capsules_head_on():
    """Crossed capsules meet at their middles at t = (gap - 2r)/v; equal masses, e = 1: they swap velocities."""
    b = builder(dt=1e-2)
    turn = [np.cos(np.pi / 4), np.sin(np.pi / 4), 0, 0]
    b.add_body(Capsule(0.01, 0.4), mass=0.1, pos=(-0.5, 0, 0), linvel=(40, 0, 0), restitution=1.0)
    b.add_body(Capsule(0.01, 0.4), mass=0.1, pos=(0.5, 0, 0), quat=turn, linvel=(-40, 0, 0), restitution=1.0)
    w = b.build()
    w.step(2)
    assert_allclose(w.linvel, [[-40, 0, 0], [40, 0, 0]], atol=1e-8)
    assert_allclose(w.angvel, 0.0, atol=1e-6)
    (row,) = impacts(w)
    assert_allclose(impact_times(w, np.array([row])), 0.98 / 80, atol=1e-9)


@pytest.mark.parametrize('dt', [1e-3, 1e-2])
def test_hand_bone_strikes_a_drone(dt):
    """A kinematic capsule at 10 m/s across a 5 cm drone box, 10 cm a step: it cannot pass, v' = (1 + e) 10 m/s."""
    b = builder(dt=dt)
    i = b.add_body(Box((0.3, 0.3, 0.05)), mass=0.71, restitution=0.2, friction=0.5)
    b.add_body(
        Capsule(0.008, 0.06),
        kind='kinematic',
        pos=(0, 0, -0.35),
        quat=[np.cos(np.pi / 4), 0, np.sin(np.pi / 4), 0],
        linvel=(0, 0, 10),
    )
    w = b.build()
    w.step(round(0.1 / dt))
    assert_allclose(w.linvel[i], [0, 0, 12], atol=1e-6)
    hit = (0.35 - 0.025 - 0.008) / 10
    assert_allclose(w.pos[i], [0, 0, 12 * (0.1 - hit)], atol=1e-6)
    assert_allclose(w.linvel[1], [0, 0, 10])


def test_several_impacts_inside_one_step():
    """A ball between two walls 4 cm apart at 10 m/s bounces three times in a 10 ms step, e = 1: place from
    unfolding.
    """
    b = builder(dt=1e-2)
    b.add_body(HalfSpace((1, 0, 0), -0.02), kind='static')
    b.add_body(HalfSpace((-1, 0, 0), -0.02), kind='static')
    i = b.add_body(Sphere(0.005), mass=0.01, linvel=(10, 0, 0), restitution=1.0, friction=0.0)
    w = b.build()
    w.step(1)
    travelled, half = 0.1, 0.015
    folded = (travelled + half) % (4 * half)
    place = folded - half if folded < 2 * half else 3 * half - folded
    assert_allclose(w.pos[i, 0], place, atol=1e-12)
    assert_allclose(abs(w.linvel[i, 0]), 10.0, atol=1e-12)
    assert len(impacts(w)) == 3


@pytest.mark.parametrize('speed', [0.5, 1.0, 2.9, 3.0, 4.0, 10.0])
@pytest.mark.parametrize('ulps', range(-3, 4))
def test_a_touch_at_the_very_end_of_a_step_is_an_impact(speed, ulps):
    """A ball comes down so that it touches when a step ends, give or take roundings: there was no end to the search."""
    h, steps = 1e-3, 5
    height = 0.1 + speed * steps * h
    for _ in range(abs(ulps)):
        height = np.nextafter(height, np.inf if ulps > 0 else 0.0)
    b = WorldBuilder(gravity=(0, 0, 0), dt=h)
    i = b.add_body(Sphere(0.1), mass=0.8, pos=(0, 0, height), linvel=(0, 0, -speed), restitution=0.5)
    b.add_body(HalfSpace(), kind='static', restitution=0.0)
    w = b.build()
    for _ in range(4 * steps):
        w.step(1)
    assert_allclose(w.linvel[i], (0, 0, 0.5 * speed), atol=1e-12)
    assert_allclose(w.pos[i, 2], 0.1 + 0.5 * speed * 3 * steps * h, atol=1e-12)
