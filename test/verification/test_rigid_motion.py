# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Free motion against closed forms: spin, tumbling, precession, forces and impulses at a point
(docs/free_motion.md)."""

import numpy as np
import pytest
from free_bodies import INTEGRATORS, STORAGES, TUMBLE, attitude_error, free_body, spin_momentum, state
from numpy.testing import assert_allclose, assert_array_equal
from oracles.euler_top import EulerTop, symmetric_top
from oracles.rotations import from_rotvec, matrix, multiply, random_quat, random_tensor
from scenes import DRONE_INERTIA, DRONE_MASS, G
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

from hakoniwa_rigid.engine import EngineError, HalfSpace, Sphere, WorldBuilder

EPS = np.finfo(float).eps


@pytest.mark.parametrize('storage', STORAGES)
@pytest.mark.parametrize('integrator', INTEGRATORS)
@pytest.mark.parametrize('axis', range(3))
def test_spin_about_a_principal_axis(axis, integrator, storage):
    """w stays; the angle is w t, or what the scheme's own closed form makes of it.

    Euler on q and the Cayley map turn by 2 atan(w dt/2) a step, rk4 by w dt - (w dt)⁵/1920 (the phase of
    1 + z + .. + z⁴/24 at z = i w dt/2).
    """
    quat, rate, steps, dt = random_quat(np.random.default_rng(axis)), 5.0, 400, 1e-2
    spin = rate * np.eye(3)[axis]
    w = free_body(dt=dt, integrator=integrator, storage=storage, quat=quat, angvel=matrix(quat) @ spin)
    w.step(steps)
    z = 0.5j * rate * dt
    step = {
        'exact': rate * dt,
        'rk4': 2 * np.angle(1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24),
        'implicit_midpoint': 2 * np.arctan(rate * dt / 2),
        'semi_implicit_euler': 2 * np.arctan(rate * dt / 2),
    }[integrator]
    expected = multiply(quat, from_rotvec(steps * step * np.eye(3)[axis]))
    assert attitude_error(w, expected) < 1e-11
    assert_allclose(w.angvel[0], matrix(quat) @ spin, atol=1e-11)
    assert_array_equal(w.pos[0], 0.0)


@pytest.mark.parametrize('storage', STORAGES)
def test_tumbling_for_ten_seconds(storage):
    """The issue's bar: I = (0.0061, 0.00653, 0.0116), 5 rad/s, 0.01 rad off the middle axis, 10 s at 1 ms.

    Energy 1e-12, |L| 1e-9 relative, attitude within 1e-3 degrees of the elliptic functions, all the way.
    """
    w = free_body(storage=storage, angvel=TUMBLE)
    top = EulerTop(DRONE_INERTIA, (1, 0, 0, 0), TUMBLE)
    energy, momentum = w.kinetic_energy(), spin_momentum(w)
    for second in range(1, 11):
        w.step(1000)
        quat, angvel = top.at(float(second))
        assert abs(w.kinetic_energy() / energy - 1) < 1e-12
        assert_allclose(spin_momentum(w), momentum, rtol=0, atol=1e-9 * np.linalg.norm(momentum))
        assert np.degrees(attitude_error(w, quat)) < 1e-3
        assert_allclose(w.angvel[0], angvel, atol=1e-4)
    assert_allclose(np.linalg.norm(w.quat[0]), 1.0, atol=1e-15)


@pytest.mark.parametrize('storage', STORAGES)
@pytest.mark.parametrize('seed', range(6))
def test_tumbling_of_any_body(seed, storage):
    """Full tensors, any attitude, both families of orbits, ~8 rad/s for 5 s at 1 ms: the default to 1e-9 rad."""
    rng = np.random.default_rng(seed)
    tensor, quat, spin = random_tensor(rng, 0.002), random_quat(rng), 4.5 * rng.normal(size=3)
    w = free_body(storage=storage, inertia=tensor, quat=quat, angvel=spin)
    energy = w.kinetic_energy()
    w.step(5000)
    expected, angvel = EulerTop(tensor, quat, spin).at(5.0)
    assert attitude_error(w, expected) < 1e-9
    assert_allclose(w.angvel[0], angvel, atol=1e-8)
    assert_allclose(w.kinetic_energy(), energy, rtol=1e-12)


@pytest.mark.parametrize('axial', [1.7, 0.3, 1.0], ids=['coin', 'rod', 'ball'])
def test_regular_precession(axial):
    """Axisymmetric body: two uniform turns, about L in the world and about its own axis."""
    rng = np.random.default_rng(8)
    quat, spin = random_quat(rng), 4 * rng.normal(size=3)
    w = free_body(inertia=(0.01, 0.01, 0.01 * axial), quat=quat, angvel=spin)
    w.step(5000)
    expected, angvel = symmetric_top(0.01, 0.01 * axial, quat, spin, 5.0)
    assert attitude_error(w, expected) < 1e-10
    assert_allclose(w.angvel[0], angvel, atol=1e-9)


@pytest.mark.parametrize('integrator', ['exact', 'rk4', 'implicit_midpoint'])
@pytest.mark.parametrize('dt', [1e-3, 1 / 240, 0.02, 0.1])
def test_parabola_while_tumbling(dt, integrator):
    """x0 + v0 t + a t²/2 to rounding at any dt, whatever the body does meanwhile; L to rounding as well, and with the
    default the attitude too.
    """
    pos, vel, force = np.array([1, -2, 300.0]), np.array([3, 0.5, 4]), np.array([0.3, -0.7, 2.0])
    w = free_body(dt=dt, gravity=(0, 0, -G), integrator=integrator, pos=pos, linvel=vel, angvel=TUMBLE)
    momentum = spin_momentum(w)
    w.force[0] = force
    steps = round(2 / dt)
    w.step(steps)
    accel, t = force / DRONE_MASS + [0, 0, -G], steps * dt
    assert_allclose(w.pos[0], pos + vel * t + accel * t * t / 2, rtol=0, atol=4 * steps * EPS * 320)
    assert_allclose(w.linvel[0], vel + accel * t, rtol=0, atol=4 * steps * EPS * 25)
    assert_allclose(spin_momentum(w), momentum, rtol=0, atol=steps * 10 * EPS * np.linalg.norm(momentum))
    if integrator == 'exact':
        assert attitude_error(w, EulerTop(DRONE_INERTIA, (1, 0, 0, 0), TUMBLE).at(t)[0]) < 1e-10


# --- forces at a point -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize('storage', STORAGES)
@pytest.mark.parametrize('integrator', INTEGRATORS)
def test_force_along_its_lever_turns_nothing(integrator, storage):
    """r parallel to F: v = F t/m and no spin, with the point anywhere on the line of action."""
    force = np.array([0.3, -0.6, 0.9])
    w = free_body(integrator=integrator, storage=storage, quat=random_quat(np.random.default_rng(1)))
    for k in range(100):
        w.apply_force_at(0, force, w.pos[0] + (k - 50) * 0.01 * force)
        w.step(1)
    assert_allclose(w.linvel[0], force * 0.1 / DRONE_MASS, rtol=1e-13)
    assert_allclose(w.angvel[0], 0.0, atol=1e-14)


@pytest.mark.parametrize('integrator', ['exact', 'rk4', 'implicit_midpoint'])
def test_force_at_a_place_of_the_world(integrator):
    """A disc pushed along x at the fixed point (0, -b, 0): r x F = (0, 0, b F) all the way, though the body runs away,
    so that angle = b F t²/2I and x = F t²/2m. rk4 and Cayley turn a little off w dt a step, at orders 4 and 2.
    """
    moment, force, lever, dt = 0.02, 0.5, 0.3, 1e-3
    w = free_body(dt=dt, integrator=integrator, inertia=(0.01, 0.01, moment), mass=2.0)
    for _ in range(1000):
        w.apply_force_at(0, (force, 0, 0), (0, -lever, 0))
        w.step(1)
    rate = lever * force / moment
    assert_allclose(w.angvel[0], [0, 0, rate], rtol=0, atol=1e-12 * rate)
    # the Cayley map lags (w dt)³/12 a step: ∫ w³ dt dt²/12 = rate³ dt²/48
    lag = rate**3 * dt**2 / 48 if integrator == 'implicit_midpoint' else 0.0
    assert_allclose(attitude_error(w, from_rotvec([0, 0, rate / 2])), lag, atol=1e-2 * lag + 1e-11)
    assert_allclose(w.pos[0], [force / 4, 0, 0], atol=1e-13)


def push_at_rim(dt, time, integrator='exact'):
    """A disc with a constant world force at a point of its rim: a pendulum. Returns the angle after `time`."""
    moment, force, lever = 0.02, 0.5, 0.3
    w = free_body(dt=dt, integrator=integrator, inertia=(0.01, 0.01, moment), mass=2.0, gravity=(0, 0, 0))
    for _ in range(round(time / dt)):
        rim = matrix(w.quat[0])[:, 0] * lever
        w.apply_force_at(0, (0, force, 0), w.pos[0] + rim)
        w.step(1)
    return 2 * np.arctan2(w.quat[0, 3], w.quat[0, 0])


def test_force_at_a_point_of_the_body():
    """I theta'' = b F cos(theta) from rest at theta = 0: a pendulum of amplitude 90 degrees, in elliptic functions.

    A force held over each step makes the whole first order in dt: the error halves with dt.
    """
    rate2, time = 0.3 * 0.5 / 0.02, 1.0
    # theta = pi/2 + phi with phi'' = -rate2 sin(phi), phi(0) = -pi/2, so k² = sin²(pi/4) = 1/2
    sn = ellipj(np.sqrt(rate2) * time + 3 * ellipk(0.5), 0.5)[0]
    exact = np.pi / 2 + 2 * np.arcsin(np.sqrt(0.5) * sn)
    errors = [abs(push_at_rim(dt, time) - exact) for dt in (8e-3, 4e-3, 2e-3)]
    assert errors[-1] < 5e-3
    assert_allclose(np.log2(np.divide(errors[:-1], errors[1:])), 1.0, atol=0.1)


def towed_by_the_ode(tensor, quat, spin, mass, force, arm, time):
    """A free body towed by a constant world force at a point fixed in it: (pos, quat, linvel, angvel) by DOP853."""
    inverse = np.linalg.inv(tensor)

    def angvel(q, momentum):
        r = matrix(q)
        return r @ inverse @ r.T @ momentum

    def rate(t, y):
        q, momentum = y[:4], y[4:]
        w = angvel(q, momentum)
        turn = 0.5 * np.concatenate(([-w @ q[1:]], w * q[0] + np.cross(w, q[1:])))
        return np.concatenate([turn, np.cross(matrix(q) @ arm, force)])

    r = matrix(quat)
    start = np.concatenate([quat, r @ tensor @ r.T @ spin])
    y = solve_ivp(rate, (0, time), start, method='DOP853', rtol=1e-12, atol=1e-14).y[:, -1]
    pos, linvel = force * time**2 / (2 * mass), force * time / mass
    return pos, y[:4] / np.linalg.norm(y[:4]), linvel, angvel(y[:4], y[4:])


def tow(dt, integrator, storage, case, time):
    """The same in the engine. Returns the world and the sum of r x F dt from the recorded states."""
    tensor, quat, spin, mass, force, arm = case
    w = free_body(
        dt=dt, integrator=integrator, storage=storage, inertia=tensor, mass=mass, quat=quat, angvel=spin
    )
    gained = np.zeros(3)
    for _ in range(round(time / dt)):
        point = w.pos[0] + matrix(w.quat[0]) @ arm
        gained += np.cross(point - w.pos[0], force) * dt
        w.apply_force_at(0, force, point)
        w.step(1)
    return w, gained


def towing_case(seed):
    rng = np.random.default_rng(seed)
    tensor, quat, spin, force = random_tensor(rng, 0.002), random_quat(rng), 2 * rng.normal(size=3), rng.normal(size=3)
    return tensor, quat, spin, 0.7, force, (0.1, -0.05, 0.2)


@pytest.mark.parametrize('storage', STORAGES)
@pytest.mark.parametrize('integrator', INTEGRATORS)
def test_towed_body_gains_what_the_force_gives(integrator, storage):
    """v = Σ F dt/m and L = L0 + Σ r x F dt to rounding, r from the recorded states, with every scheme."""
    case = towing_case(2)
    tensor, quat, spin, mass, force, _ = case
    w, gained = tow(2e-3, integrator, storage, case, 1.0)
    r = matrix(quat)
    momentum = r @ tensor @ r.T @ spin
    assert_allclose(spin_momentum(w), momentum + gained, rtol=0, atol=1e-12 * np.linalg.norm(momentum))
    assert_allclose(w.linvel[0], force * 1.0 / mass, rtol=1e-13)


@pytest.mark.parametrize('seed', range(2))
def test_towed_body_follows_the_ode(seed):
    """A force held over each step is first order: the error halves with dt."""
    case = towing_case(seed)
    pos, quat, linvel, angvel = towed_by_the_ode(*case, 0.5)
    errors = []
    for dt in (2e-3, 1e-3, 5e-4):
        w, _ = tow(dt, 'exact', 'principal', case, 0.5)
        errors.append(attitude_error(w, quat))
        assert_allclose(w.pos[0], pos, atol=1e-13)
        assert_allclose(w.linvel[0], linvel, atol=1e-13)
    assert_allclose(np.log2(np.divide(errors[:-1], errors[1:])), 1.0, atol=0.1)
    assert_allclose(w.angvel[0], angvel, atol=10 * errors[-1] * np.linalg.norm(angvel))


# --- impulses --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize('storage', STORAGES)
@pytest.mark.parametrize('seed', range(4))
def test_impulse_at_a_point(seed, storage):
    """At once v += J/m, w += I_w⁻¹ (r x J); then the body flies on as a free top about its new L."""
    rng = np.random.default_rng(seed)
    tensor, quat, mass = random_tensor(rng, 0.002), random_quat(rng), 0.7
    pos, linvel, angvel = rng.normal(size=3), rng.normal(size=3), 3 * rng.normal(size=3)
    w = free_body(
        storage=storage, inertia=tensor, mass=mass, pos=pos, quat=quat, linvel=linvel, angvel=angvel
    )
    impulse, point = 0.05 * rng.normal(size=3), pos + 0.2 * rng.normal(size=3)
    w.apply_impulse_at(0, impulse, point)
    r = matrix(quat)
    after = angvel + np.linalg.solve(r @ tensor @ r.T, np.cross(point - pos, impulse))
    assert_allclose(w.linvel[0], linvel + impulse / mass, rtol=1e-14)
    assert_allclose(w.angvel[0], after, rtol=1e-12)
    assert_array_equal(w.pos[0], pos)
    w.step(1000)
    assert attitude_error(w, EulerTop(tensor, quat, after).at(1.0)[0]) < 1e-10
    assert_allclose(w.pos[0], pos + w.linvel[0], atol=1e-13)


def test_impulse_without_a_point_turns_nothing():
    w = free_body(angvel=TUMBLE, quat=random_quat(np.random.default_rng(0)))
    w.apply_impulse(0, (0.1, 0.2, 0.3))
    assert_allclose(w.linvel[0], np.array([0.1, 0.2, 0.3]) / DRONE_MASS, rtol=1e-15)
    assert_allclose(w.angvel[0], TUMBLE, atol=1e-15)


@pytest.mark.parametrize('storage', STORAGES)
def test_angular_impulse(storage):
    """w += I_w⁻¹ H, v untouched."""
    rng = np.random.default_rng(4)
    tensor, quat, impulse = random_tensor(rng, 0.002), random_quat(rng), 0.01 * rng.normal(size=3)
    w = free_body(storage=storage, inertia=tensor, quat=quat, linvel=(1, 2, 3))
    w.apply_angular_impulse(0, impulse)
    assert_allclose(spin_momentum(w), impulse, rtol=1e-12)
    assert_array_equal(w.linvel[0], [1, 2, 3])


def fleet(count, storage='principal', integrator='exact'):
    """Dynamic bodies of different tensors, far apart, turning."""
    rng = np.random.default_rng(7)
    b = WorldBuilder(gravity=(0, 0, -G), dt=1e-3, inertia_storage=storage, integrator=integrator)
    for k in range(count):
        b.add_body(
            Sphere(0.1),
            mass=rng.uniform(0.5, 2),
            inertia=random_tensor(rng, 0.002),
            pos=(10 * k, 0, 0),
            quat=random_quat(rng),
            angvel=rng.normal(size=3),
            name=f'd{k}',
        )
    return b.build()


@pytest.mark.parametrize('storage', STORAGES)
@pytest.mark.parametrize('integrator', INTEGRATORS)
def test_many_at_once_are_their_sum(integrator, storage):
    """Forces, torques, impulses and angular impulses in any number and order act as one wrench and one impulse."""
    rng = np.random.default_rng(5)
    one, many = (fleet(3, storage, integrator) for _ in range(2))
    centre = one.pos[1].copy()
    force, torque, impulse_sum, twist = (np.zeros(3) for _ in range(4))
    for _ in range(20):
        f, p, t = rng.normal(size=3), centre + 0.3 * rng.normal(size=3), 0.1 * rng.normal(size=3)
        j, q, h = 0.01 * rng.normal(size=3), centre + 0.3 * rng.normal(size=3), 1e-3 * rng.normal(size=3)
        many.apply_force_at(1, f, p)
        many.apply_impulse_at(1, j, q)
        many.apply_torque(1, t)
        many.apply_angular_impulse(1, h)
        force, torque = force + f, torque + np.cross(p - centre, f) + t
        impulse_sum, twist = impulse_sum + j, twist + np.cross(q - centre, j) + h
    one.apply_force(1, force)
    one.apply_torque(1, torque)
    one.apply_impulse(1, impulse_sum)
    one.apply_angular_impulse(1, twist)
    for _ in range(3):
        one.step(1)
        many.step(1)
        assert_allclose(state(many), state(one), rtol=1e-12, atol=1e-13)


def test_rows_for_several_bodies():
    """Indices (K,) with (K, 3) values; a body named twice gets both."""
    rng = np.random.default_rng(6)
    rows, forces, arms = [2, 0, 2], rng.normal(size=(3, 3)), 0.2 * rng.normal(size=(3, 3))
    one, many = fleet(3), fleet(3)
    points = many.pos[rows] + arms
    many.apply_force_at(rows, forces, points)
    many.apply_torque(rows, arms)
    many.apply_impulse_at(rows, 0.1 * forces, points)
    many.apply_angular_impulse(rows, 0.01 * arms)
    for i, f, p, a in zip(rows, forces, points, arms, strict=True):
        one.apply_force_at(i, f, p)
        one.apply_torque(i, a)
        one.apply_impulse_at(i, 0.1 * f, p)
        one.apply_angular_impulse(i, 0.01 * a)
    for w in (one, many):
        w.step(1)
    assert_allclose(state(many), state(one), rtol=1e-13, atol=1e-14)
    assert_allclose(many.angvel[1], fleet(3).angvel[1], atol=1e-3)  # the one not named turns freely


def test_a_force_lasts_one_step():
    """It acts over the first of the steps asked for, then is gone; w.force goes on beside it."""
    for first, then in ((1, 9), (10, 0)):
        w = free_body(mass=2.0, inertia=(1, 1, 1))
        w.force[0] = (0, 4, 0)
        w.apply_force_at(0, (6, 0, 0), (0, 0.5, 0))
        w.apply_torque(0, (5, 0, 0))
        w.step(first)
        w.step(then)
        assert_allclose(w.linvel[0], [3e-3, 20e-3, 0], rtol=1e-13, atol=1e-16)
        assert_allclose(spin_momentum(w), [5e-3, 0, -3e-3], rtol=1e-12, atol=1e-16)
        assert_array_equal(w.force[0], [0, 4, 0])
        assert_array_equal(w.torque[0], 0)


@pytest.mark.parametrize('call', ['apply_force', 'apply_torque', 'apply_impulse', 'apply_angular_impulse'])
def test_bad_push_is_refused(call):
    """Not a number, not dynamic, not there: an error that names the body, and nothing has moved."""
    b = WorldBuilder(gravity=(0, 0, 0))
    b.add_body(Sphere(0.1), mass=1.0, name='d7')
    b.add_body(HalfSpace(), kind='static', pos=(0, 0, -9), name='floor')
    b.add_body(Sphere(0.1), kind='kinematic', pos=(5, 0, 0), name='hand')
    w = b.build()
    push = getattr(w, call)
    for value, *where in (((np.nan, 0, 0),), ((0, np.inf, 0),)):
        with pytest.raises(EngineError, match='d7'):
            push(0, value, *where)
    if call in ('apply_force', 'apply_impulse'):
        with pytest.raises(EngineError, match='d7'):
            getattr(w, call + '_at')(0, (1, 0, 0), (np.nan, 0, 0))
    for i, name in ((1, 'floor'), (2, 'hand')):
        with pytest.raises(EngineError, match=name):
            push(i, (1, 0, 0))
    for i in (3, -4, [0, 3]):
        with pytest.raises((EngineError, IndexError)):
            push(i, np.ones((2, 3)) if np.ndim(i) else (1, 0, 0))
    with pytest.raises(EngineError):
        push(0, (1, 0))
    with pytest.raises(EngineError, match='numbers'):
        push(0, ('east', 0, 0))
    with pytest.raises(EngineError):
        push([0, 1], np.ones((2, 3)))  # the first would be allowed alone
    w.step(1)
    assert_array_equal(w.linvel, 0.0)
    assert_array_equal(w.angvel, 0.0)


@pytest.mark.parametrize('call', ['apply_force', 'apply_torque', 'apply_impulse', 'apply_angular_impulse'])
def test_a_disabled_body_takes_no_push_and_says_so(call):
    b = WorldBuilder(gravity=(0, 0, 0))
    b.add_body(Sphere(0.1), mass=1.0)
    w = b.build()
    w.set_enabled(0, False)
    with pytest.raises(EngineError, match='disabled'):
        getattr(w, call)(0, (1, 0, 0))


def test_one_value_for_many_bodies():
    b = WorldBuilder(gravity=(0, 0, 0))
    for k in range(3):
        b.add_body(Sphere(0.1), mass=2.0, pos=(k, 0, 0))
    w = b.build()
    w.apply_impulse([0, 2, 2], (1.0, 0, 0))
    assert_allclose(w.linvel[:, 0], [0.5, 0, 1.0], atol=1e-15)


@pytest.mark.parametrize('load', [(1e12, 0.0, 0.0), (0.0, 0.0, 1.5e308), (0.0, np.inf, 0.0)])
@pytest.mark.parametrize('kind', ['force', 'torque'])
def test_a_load_that_no_body_survives_is_refused_and_dropped(kind, load):
    world = free_body()
    for _ in range(2):
        if np.isfinite(load).all():
            getattr(world, f'apply_{kind}')(0, load)
        else:
            getattr(world, kind)[0] = load
    before = state(world)
    with pytest.raises(EngineError, match='force, torque'):
        world.step()
    assert_array_equal(state(world), before)
    world.force[0] = world.torque[0] = 0.0
    world.step()
    assert np.isfinite(state(world)).all()


@pytest.mark.parametrize('body', ['d0', 0.7, None])
def test_bodies_are_named_by_their_number(body):
    world = free_body()
    with pytest.raises(EngineError, match='whole number'):
        world.set_state(body, pos=(0, 0, 0))


def test_many_turns_in_one_step():
    """160 revolutions: energy and momentum as ever."""
    world = free_body(angvel=(600.0, 700.0, 400.0), dt=1.0)
    energy, momentum = world.kinetic_energy(), spin_momentum(world)
    world.step()
    assert world.kinetic_energy() == pytest.approx(energy, rel=1e-10)
    assert_allclose(spin_momentum(world), momentum, rtol=1e-9)
