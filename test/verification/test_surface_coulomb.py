# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Coulomb friction on floors: slip that turns to rolling, slopes, landings, bounces, belts."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles import floors, impact, smooth_bodies
from oracles.rolling import EllipsoidOnPlane, solved
from oracles.rotations import angle_between, from_rotvec, matrix, multiply, random_quat
from oracles.smooth_bodies import Quadric, ball
from scipy.optimize import brentq
from surface_motions import UPRIGHT, G, down, engine_body, engine_floor, events, motion

from hakoniwa_rigid.smooth_motion import SurfaceMotion

PLANE = floors.Plane()
DT = 1e-3


@pytest.mark.parametrize('dt', [1e-3, 7e-3])
@pytest.mark.parametrize('spin', [0.0, -30.0, 80.0])
def test_bowling_ball(spin, dt):
    """Slip u0 = v0 - r w0 ends at t = 2 |u0|/(7 μ g), at v0 - 2/7 u0: 5/7 v0 without spin; found inside the step."""
    r, v0, mu = 0.1, 4.0, 0.25
    u0 = v0 - r * spin
    end, sign = 2 * abs(u0) / (7 * mu * G), np.sign(u0)
    run = motion(PLANE, ball(r), (0, 0, 0), mode='coulomb', friction=mu, angvel=(0, spin, 0), slip=(u0, 0, 0), mass=3.0,
                 dt=dt)
    assert_allclose(run.linvel, [v0, 0, 0], atol=1e-13)
    assert run.state == 'slide'
    slides = 0
    while run.time < end + 0.5:
        run.step(3)
        t = min(run.time, end)
        x = v0 * t - sign * 0.5 * mu * G * t**2 + (run.time - t) * (v0 - 2 / 7 * u0)
        assert_allclose(run.pos, [x, 0, r], atol=1e-10)
        assert_allclose(run.linvel[0], v0 - sign * mu * G * t, atol=1e-10)
        assert_allclose(run.angvel[1], spin + sign * 2.5 * mu * G / r * t, atol=1e-8)
        assert run.state == ('slide' if run.time < end else 'roll')
        slides += run.state == 'slide'
    assert slides >= 10
    assert_allclose(events(run, 'roll'), [end], atol=1e-9)
    assert_allclose(run.contact_force, [0, 0, 3.0 * G], atol=1e-9)


def test_backspin_comes_back():
    """v0 - 2/7 (v0 + r |w0|) < 0: a billiard draw shot; friction takes half of 2/7 m u0²."""
    r, v0, spin, mu = 0.03, 1.0, -150.0, 0.2
    u0 = v0 - r * spin
    run = motion(PLANE, ball(r), (0, 0, 0), mode='coulomb', friction=mu, angvel=(0, spin, 0), slip=(u0, 0, 0))
    before = run.energy()
    run.step(3000)
    final = v0 - 2 / 7 * u0
    assert final < 0
    assert_allclose(run.linvel, [final, 0, 0], atol=1e-10)
    assert_allclose(before - run.energy(), u0**2 / 7, rtol=1e-9)


def test_curved_slide():
    """A ball with side spin: its slip keeps its direction, so the centre goes along a parabola, then straight."""
    r, mu, w0, v0 = 0.1, 0.3, np.array([20.0, -5.0, 7.0]), np.array([2.0, 0.5, 0.0])
    u0 = v0 + np.cross(w0, [0, 0, -r])
    size = np.linalg.norm(u0)
    end = 2 * size / (7 * mu * G)
    run = motion(PLANE, ball(r), (0, 0, 0), mode='coulomb', friction=mu, angvel=w0, slip=u0)
    path = run.trace(1200)
    t = np.minimum(path['time'], end)[:, None]
    x = v0 * t - 0.5 * mu * G * t**2 * u0 / size + (path['time'][:, None] - t) * (v0 - 2 / 7 * u0) + [0, 0, r]
    assert_allclose(path['pos'], x, atol=1e-10)
    assert_allclose(path['angvel'][:, 2], 7.0, atol=1e-10)
    assert_allclose(events(run, 'roll'), [end], atol=1e-9)
    sliding = path['time'] < end
    force = np.array([0, 0, G]) - mu * G * u0 / size
    assert_allclose(path['contact_force'][sliding], np.tile(force, (sliding.sum(), 1)), atol=1e-8)


@pytest.mark.parametrize('share', [2 / 5, 2 / 3])
@pytest.mark.parametrize('factor', [0.98, 1.02, 0.3, 3.0])
def test_slope_rolls_or_slides(factor, share):
    """From rest it rolls with μ above κ tan, κ = I/(I + m r²) (2/7 if solid); below it slides with g (sin - μ cos)."""
    a, r, m, kappa = 0.5, 0.2, 1.5, share / (1 + share)
    n, along = down(a)
    mu = factor * kappa * np.tan(a)
    run = motion(floors.Plane(n), ball(r), (0, 0, 0), mode='coulomb', friction=mu, mass=m,
                 inertia=(share * m * r * r,) * 3)
    start = run.pos
    run.step(1000)
    if factor > 1:
        pace, spin, friction = G * np.sin(a) * (1 - kappa), G * np.sin(a) * (1 - kappa) / r, m * G * np.sin(a) * kappa
    else:
        pace, spin = G * (np.sin(a) - mu * np.cos(a)), mu * G * np.cos(a) / (share * r)
        friction = mu * m * G * np.cos(a)
    assert run.state == ('roll' if factor > 1 else 'slide')
    assert_allclose((run.pos - start) @ along, 0.5 * pace, rtol=1e-9)
    assert_allclose(run.angvel, [0, spin, 0], rtol=1e-9, atol=1e-12)
    assert_allclose(run.contact_force, m * G * np.cos(a) * n - friction * along, atol=1e-8)


@pytest.mark.parametrize(('friction', 'mode'), [(50.0, 'roll'), (0.0, 'slide')])
def test_ends_of_friction(friction, mode):
    """An egg with endless friction rolls, with none slides, as the reduced equations say."""
    axes, m = (0.3, 0.25, 0.2), 1.1
    shape, quat = Quadric.of_axes(axes), tuple(from_rotvec([0.25, 0.2, 0.1]))
    run = motion(PLANE, shape, (0, 0, 0), mode='coulomb', friction=friction, quat=quat, angvel=(1.0, 0.5, 1.5),
                 slip=(0, 0, 0) if mode == 'roll' else (0.4, 0.1, 0), mass=m)
    oracle, times = EllipsoidOnPlane(axes, m, shape.inertia(m)), np.linspace(0, 1, 11)
    truth = (oracle.rolls(run.pos, run.quat, run.angvel, times) if mode == 'roll'
             else oracle.slides(run.pos, run.quat, run.linvel, run.angvel, times))
    path = run.trace(1000, every=100)
    assert run.state == mode
    assert_allclose(path['pos'], truth['pos'][1:], atol=1e-8)
    assert max(map(angle_between, path['quat'], truth['quat'][1:])) < 1e-8


@pytest.mark.parametrize('floor', [PLANE, floors.Round(1.5, (0, 0, 1.5), inside=True), floors.Paraboloid(-0.2, 0.4),
                                   floors.Moved(floors.Plane((0.2, 0, 1)), rate=2.0, sway=(0.1, 0, 0), sway_rate=4.0)])
def test_coulombs_law_along_the_way(floor):
    """Where an egg slides, friction is μ of the normal force against the slip; where it rolls, within that."""
    shape, mu = Quadric.of_axes((0.3, 0.25, 0.2)), 0.2
    run = motion(floor, shape, (0.2, 0.3, 0.1), mode='coulomb', friction=mu, quat=tuple(from_rotvec([0.2, 0.1, 0.3])),
                 angvel=(2, 3, 1), slip=(1.0, -0.5, 0.2))
    seen = set()
    for _ in range(300):
        run.step(4)
        n = floors.normal(floor, run.time, run.contact_point)
        v = run.linvel + np.cross(run.angvel, run.contact_point - run.pos) - floor.velocity(run.time, run.contact_point)
        f, size = run.contact_force, run.contact_force @ n
        seen.add(run.state)
        if run.state == 'free':
            continue
        assert size > 0
        if run.state == 'roll':
            assert np.linalg.norm(v) < 1e-11
            assert np.linalg.norm(f - size * n) <= mu * size * (1 + 1e-9)
        else:
            assert abs(v @ n) < 1e-11
            # slower the slip may turn within a step
            fast = np.linalg.norm(v) > 0.25
            assert f @ v < 0
            assert_allclose(np.linalg.norm(f - size * n), mu * size, rtol=1e-9 if fast else 1e-4)
            if fast:
                assert_allclose(f - size * n, -mu * size * v / np.linalg.norm(v), atol=1e-9 * size)
    assert seen >= {'slide', 'roll'}


@pytest.mark.parametrize('integrator', ['rk4', 'implicit_midpoint', 'semi_implicit_euler'])
@pytest.mark.parametrize(('turn', 'angvel', 'slip'), [
    ((0.5, 0.3, 0.4), (2, 3, 1), (1, -0.5, 0)), ((0.2, 0.1, 0.3), (2, 3, 1), (1, -0.5, 0)),
    ((0.2, 0.1, 0.3), (1, 0, 1), (0.5, 0.5, 0))])
def test_skid_that_turns_ends_in_time(turn, angvel, slip, integrator):
    """An egg's slip turns as it dies; it rolls from the time at which the oracle's slip is none."""
    axes, mu = (0.3, 0.25, 0.2), 0.2
    shape = Quadric.of_axes(axes)
    run = motion(PLANE, shape, (0.2, 0.3, 0), mode='coulomb', friction=mu, quat=tuple(from_rotvec(turn)), angvel=angvel,
                 slip=slip, integrator=integrator)
    oracle = EllipsoidOnPlane(axes, 1.0, shape.inertia(1.0))
    when, then = oracle.skids(run.pos, run.quat, run.linvel, run.angvel, mu, 2.0)
    while run.time < when + 2 * DT:
        run.step()
    assert run.state == 'roll'
    # the oracle stops at 1e-6 m/s; the other integrators' own errors of the path come on top
    assert_allclose(events(run, 'roll'), [when], atol=1e-6 if integrator == 'rk4' else DT)
    late = run.time - when
    assert_allclose(run.pos, then['pos'] + late * then['linvel'], atol=1e-5 if integrator == 'rk4' else 2e-3)


@pytest.mark.parametrize('integrator', ['rk4', 'implicit_midpoint', 'semi_implicit_euler'])
def test_skid_on_a_moved_floor_ends(integrator):
    """All integrators stick, at the same time but for their errors, and stay so."""
    bowl = floors.Round(1.5, (0, 0, 1.5), inside=True)
    floor = floors.Moved(bowl, velocity=(0.3, 0.1, -0.2), axis=(0.3, 1, 0.2), centre=(0.2, -0.1, 0.3), angle=0.2,
                         rate=0.4, sway=(0.1, 0, 0.05), sway_rate=3.0, tilt=0.3, tilt_rate=2.0)
    start = dict(mode='coulomb', friction=0.3, quat=tuple(from_rotvec([0.5, 0.3, 0.4])), angvel=(1, -0.5, 2),
                 slip=(0.5, -0.3, 0.2))
    egg = Quadric.of_axes((0.3, 0.25, 0.2))
    run = motion(floor, egg, (0.2, 0.1, 0.2), integrator=integrator, **start)
    run.step(300)
    fine = motion(floor, egg, (0.2, 0.1, 0.2), dt=1e-4, **start)
    fine.step(3000)
    assert run.state == fine.state == 'roll'
    assert_allclose(events(run, 'roll'), events(fine, 'roll'), atol=1e-8 if integrator == 'rk4' else 2e-3)


def test_swaying_table_slips_and_sticks():
    """Rolling on a table takes 2/7 of its push; beyond μ g it slips, and rolls again where the slip is used up."""
    r, mu, size, rate = 0.1, 0.15, 0.2, 6.0  # 2/7 of 7.2 m/s² against 1.47
    floor = floors.Moved(PLANE, sway=(size, 0, 0), sway_rate=rate)
    run = motion(floor, ball(r), (0, 0, 0), mode='coulomb', friction=mu)
    off = np.arcsin(3.5 * mu * G / (size * rate**2)) / rate
    run.step(600)
    assert_allclose(events(run, 'slide')[0], off, atol=1.01 * DT)
    # table and contact point of the ball, which changes by 7/2 μ g
    first = events(run, 'slide')[0]

    def slip(t):
        return size * rate * (np.cos(rate * first) - np.cos(rate * t)) - 3.5 * mu * G * (t - first)

    again = brentq(slip, 2 * np.pi / 3 / rate, 1.5 * np.pi / rate, xtol=1e-14)
    assert_allclose(events(run, 'roll')[0], again, atol=1e-9)


def dropped(body, height, **options):
    """A body at rest (unless said otherwise) at `height` of its lowest point over z = 0."""
    quat = options.pop('quat', UPRIGHT)
    _, _, pos = smooth_bodies.touching(PLANE, body, (0, 0, 0), quat)
    state = dict(linvel=(0, 0, 0), angvel=(0, 0, 0)) | options
    return SurfaceMotion(engine_floor(PLANE), engine_body(body), mass=1.0, mode='free', pos=pos + [0, 0, height],
                         quat=quat, **state)


@pytest.mark.parametrize('dt', [1e-3, 2e-2])
@pytest.mark.parametrize('e', [0.9, 0.6])
def test_bounces(e, dt):
    """Impacts at t1 (1 + 2e + 2e² + ...), heights e^2k h: no error of the time step."""
    h, r = 0.5, 0.1
    run = dropped(ball(r), h, restitution=e, dt=dt)
    first = np.sqrt(2 * h / G)
    hits = [first]
    for k in range(1, 5):
        hits.append(hits[-1] + 2 * first * e**k)
    hits = np.array(hits)
    while run.time < hits[4] + 0.2 * first * e**5:
        run.step(1 if dt > 1e-3 else 7)
        k = np.sum(run.time > hits)
        assert_allclose(run.energy(), G * (r + e ** (2 * k) * h), rtol=1e-10)
    assert_allclose(events(run, 'land'), hits, atol=1e-9)
    late, v = run.time - hits[4], e**5 * G * first
    assert_allclose(run.pos, [0, 0, r + v * late - 0.5 * G * late**2], atol=1e-9)


def test_bounces_come_to_rest():
    """Below the rest threshold the ball is in contact; it lies at z = r, held by m g."""
    run = dropped(ball(0.1), 0.2, restitution=0.5, friction=0.3)
    run.step(2000)
    assert run.state in ('slide', 'roll')
    assert_allclose(run.pos, [0, 0, 0.1], atol=1e-12)
    assert_allclose(run.linvel, 0, atol=1e-12)
    assert_allclose(run.contact_force, [0, 0, G], atol=1e-9)
    total = np.sqrt(0.4 / G) * 3  # sum of all bounces at e = 1/2, less what the threshold cuts off
    assert_allclose(events(run, 'land')[-1], total, atol=0.02)


@pytest.mark.parametrize('spin', [5.0, 60.0])
@pytest.mark.parametrize('belt', [0.0, 1.5])
def test_spinning_ball_lands_on_a_belt(belt, spin):
    """A drop with e and μ, closed form for spheres, against the belt's material; then the slip runs out on it."""
    h, r, e, mu = 0.3, 0.1, 0.5, 0.2
    floor = floors.Moved(PLANE, velocity=(belt, 0, 0))
    run = SurfaceMotion(engine_floor(floor), engine_body(ball(r)), mass=2.0, mode='free', pos=(0, 0, r + h),
                        quat=UPRIGHT, linvel=(0.3, 0.2, 0), angvel=(0, spin, 4.0), friction=mu, restitution=e)
    hit = np.sqrt(2 * h / G)
    v, w = np.array([0.3, 0.2, -G * hit]), np.array([0, spin, 4.0])
    u = v + np.cross(w, [0, 0, -r]) - [belt, 0, 0]
    j = impact.sphere_impact(2.0, r, u, np.array([0, 0, 1.0]), e, mu)
    v, w = v + j / 2.0, w + np.cross([0, 0, -r], j) / (0.4 * 2.0 * r * r)
    run.step(350)
    late = run.time - hit
    assert_allclose(events(run, 'land'), [hit], atol=1e-10)
    assert_allclose(run.linvel, v - [0, 0, G * late], atol=1e-9)
    assert_allclose(run.angvel, w, atol=1e-8)
    # in the end it rolls on the belt, and v - 2/5 r w × z, which friction cannot change, is what it was
    run.step(4650)
    assert run.state == 'roll'
    kept = run.linvel + 0.4 * r * np.cross(run.angvel, [0, 0, 1])
    begun = np.array([0.3, 0.2, 0]) + 0.4 * r * np.cross([0, spin, 4.0], [0, 0, 1])
    assert_allclose(kept[:2], begun[:2], atol=1e-9)
    assert_allclose(run.angvel[2], 4.0, atol=1e-9)


def fly(state, tensor, gravity, time):
    """Free flight by integration, backwards too: pos, quat, linvel, angvel after `time`."""
    pos, quat, linvel, angvel = state

    def rhs(t, y):
        r = matrix(y[:4])
        w = r @ np.linalg.solve(tensor, r.T @ spin)
        return np.sign(time) * 0.5 * multiply(np.append(0.0, w), y[:4])

    r = matrix(quat)
    spin = r @ tensor @ r.T @ angvel
    q = solved(rhs, np.asarray(quat, dtype=float), np.array([0.0, abs(time)]))[-1]
    q, r = q / np.linalg.norm(q), matrix(q)
    g = np.asarray(gravity)
    return pos + linvel * time + 0.5 * g * time**2, q, linvel + g * time, r @ np.linalg.solve(tensor, r.T @ spin)


@pytest.mark.parametrize(('e', 'mu'), [(0.5, 0.3), (0.0, 0.1), (0.8, 0.0), (0.3, 5.0)])
@pytest.mark.parametrize('seed', range(3))
def test_egg_lands_on_a_moving_slope(seed, e, mu):
    """Off-centre impact by the two-body law with the floor's material point, at its time; then flight or contact."""
    rng = np.random.default_rng(seed)
    shape, m, hit, g = Quadric.of_axes((0.3, 0.25, 0.15)), 1.3, 0.0505, np.array([0, 0, -G])
    floor = floors.Moved(floors.Plane((0.2, -0.1, 1)), velocity=(0.4, 0.2, 0.3), axis=(0.2, -0.1, 1), rate=1.5)
    tensor, quat = shape.inertia(m), random_quat(rng)
    point, n, pos = smooth_bodies.touching(floor, shape, (0.1, 0.2, 0), quat, t=hit)
    angvel = rng.normal(size=3)
    linvel = floor.velocity(hit, point) - 1.5 * n + 0.7 * rng.normal(size=3) - np.cross(angvel, point - pos)
    begun = fly((pos, quat, linvel, angvel), tensor, g, -hit)
    run = SurfaceMotion(engine_floor(floor), engine_body(shape), mass=m, mode='free', friction=mu, restitution=e,
                        **dict(zip(('pos', 'quat', 'linvel', 'angvel'), begun, strict=True)))
    ground = impact.Body(np.inf, np.eye(3), point, UPRIGHT, floor.velocity(hit, point), np.zeros(3))
    body = impact.Body(m, tensor, pos, quat, linvel, angvel)
    law, v, w, _, _ = impact.collide(body, ground, point, -n, e, mu)
    run.step(51)
    assert_allclose(events(run, 'land'), [hit], atol=1e-9)
    if law.restitution < e:
        return  # the root of e' has half the digits; its law has tests of its own
    if e > 0:
        assert run.state == 'free'
        after = fly((pos, quat, v, w), tensor, g, run.time - hit)
        assert_allclose(run.pos, after[0], atol=1e-9)
        assert_allclose(run.linvel, after[2], atol=1e-8)
        assert_allclose(run.angvel, after[3], atol=1e-7)
        assert angle_between(run.quat, after[1]) < 1e-8
    else:
        # half a millisecond of contact after it
        assert run.state in ('slide', 'roll')
        assert np.abs(run.residual()).max() <= 1e-12
        assert_allclose(run.linvel, v, atol=0.02)
        assert_allclose(run.angvel, w, atol=0.2)


def test_landing_restitution_threshold():
    """A fall of 1 mm/s does not bounce."""
    run = dropped(ball(0.1), 1e-6, restitution=0.9, linvel=(0, 0, -1e-3))
    run.step(50)
    assert run.state in ('slide', 'roll')
    assert_allclose(run.pos[2], 0.1, atol=1e-12)


def test_free_body_that_never_lands():
    """Over a hill it passes by: exact flight, no events."""
    run = SurfaceMotion(engine_floor(floors.Round(1.0, (0, 0, -1.0))), engine_body(ball(0.1)), mass=1.0, mode='free',
                        pos=(1.3, 0, 0.5), quat=UPRIGHT, linvel=(1, 0, 0), angvel=(1, 2, 3), restitution=0.5)
    run.step(1000)
    assert run.state == 'free'
    assert len(run.events) == 0
    assert_allclose(run.pos, [2.3, 0, 0.5 - 0.5 * G], atol=1e-11)
    assert angle_between(run.quat, from_rotvec([1, 2, 3])) < 1e-10
