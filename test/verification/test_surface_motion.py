# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The constraint's rows and multipliers against a direct solve, the schemes' orders, friction that turns, errors."""
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.engine import Ellipsoid, EngineError, Sphere, Superquadric, TwoContactsError
from hakoniwa_rigid.smooth_motion import (
    CustomFloor,
    MovingFloor,
    ParaboloidFloor,
    PlaneFloor,
    SphereFloor,
    SurfaceMotion,
    multiplier,
)

EGG = Ellipsoid((0.3, 0.2, 0.15))
ORDER = {'rk4': 4, 'implicit_midpoint': 2, 'semi_implicit_euler': 1}


def cross(a):
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


@pytest.mark.parametrize('k', [1, 2, 3])
def test_multiplier_against_the_whole_system(k):
    """[mu -B^T; B 0] (Omega', lambda) = (Phi - mu' Omega, -B' Omega - b'), solved at once."""
    rng = np.random.default_rng(k)
    half, w, v = rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=3)
    mass, inertia = 1.7, half @ half.T + np.eye(3)
    B, B_dot, b_dot, force, torque = (rng.normal(size=s) for s in ((k, 6), (k, 6), k, 3, 3))
    mu, mu_dot = np.eye(6) * mass, np.zeros((6, 6))
    mu[3:, 3:], mu_dot[3:, 3:] = inertia, cross(w) @ inertia - inertia @ cross(w)
    speed = np.concatenate([v, w])
    whole = np.block([[mu, -B.T], [B, np.zeros((k, k))]])
    right = np.concatenate([np.concatenate([force, torque]) - mu_dot @ speed, -B_dot @ speed - b_dot])
    found = multiplier(mass, inertia, w, B, B_dot, b_dot, force, torque, linvel=v)
    assert_allclose(found, np.linalg.solve(whole, right)[6:], rtol=1e-11)


def rows(m, mode):
    """B (k, 6), b (k,) of a motion, from where it touches."""
    here = m.floor.at(m.time, m.contact_point)
    arm = np.hstack([np.eye(3), -cross(m.contact_point - m.pos)])
    return (arm, -here['velocity']) if mode == 'roll' else (here['gradient'][None] @ arm, np.array([here['rate']]))


@pytest.mark.parametrize('mode', ['slide', 'roll'])
@pytest.mark.parametrize('floor', [PlaneFloor(), ParaboloidFloor(0.5, -0.3), MovingFloor(
    ParaboloidFloor(0.5, -0.3), velocity=(0.2, 0, 0.1), axis=(0.3, 0.2, 1.0), rate=0.7, tilt=0.2, tilt_rate=3.0)])
def test_the_motions_multiplier(floor, mode):
    """The same system with B' and b' by differences along a path of steps of 0.1 ms."""
    m = SurfaceMotion.resting(floor, EGG, mass=1.3, mode=mode, at=(0.1, 0.2, 0.3), linvel=(0.5, 0.1, 0.0), dt=1e-4,
                              angvel=(1.0, 2.0, 1.0), unilateral=False, force=(0.3, 0.1, -0.2))
    m.torque[:] = 0.02, -0.03, 0.01
    found = []
    for k in range(5):
        found.append(rows(m, mode))
        if k == 2:
            turn = Rotation.from_quat(m.quat[[1, 2, 3, 0]]).as_matrix()
            w, v, here, force = m.angvel, m.linvel, m.multiplier, m.force + [0, 0, -9.81 * 1.3]
        m.step(10)
    (B0, b0), (B1, b1), (B, _), (B3, b3), (B4, b4) = found
    B_dot, b_dot = ((8 * (x - y) - (z - u)) / 12e-3 for x, y, z, u in ((B3, B1, B4, B0), (b3, b1, b4, b0)))
    inertia = turn @ np.diag(1.3 / 5 * np.array([0.2**2 + 0.15**2, 0.3**2 + 0.15**2, 0.3**2 + 0.2**2])) @ turn.T
    assert_allclose(here, multiplier(1.3, inertia, w, B, B_dot, b_dot, force, m.torque, linvel=v), atol=2e-7)
    assert max(m.residual()) <= 1e-12


def end(floor, integrator, dt, seconds, **options):
    m = SurfaceMotion.resting(floor, EGG, mass=1.0, at=(0.3, 0.3, 0.3), angvel=(2.0, 1.0, 2.0), linvel=(1.0, 0.2, 0.0),
                              dt=dt, integrator=integrator, **options)
    m.step(round(seconds / dt))
    return np.concatenate([m.pos, m.quat, m.linvel, m.angvel])


@pytest.mark.parametrize('mode', ['slide', 'roll'])
@pytest.mark.parametrize('integrator', ORDER)
def test_orders(integrator, mode):
    """Against steps of 0.25 ms of the best scheme."""
    floor = MovingFloor(ParaboloidFloor(0.5, 1.0), sway=(0.1, 0.0, 0.0), sway_rate=3.0)
    truth = end(floor, 'rk4', 2.5e-4, 0.32, mode=mode)
    errors = [np.abs(end(floor, integrator, dt, 0.32, mode=mode) - truth).max() for dt in (8e-3, 4e-3, 2e-3)]
    assert np.log2(errors[1] / errors[2]) == pytest.approx(ORDER[integrator], abs=0.4)


def test_friction_that_turns_the_slip_keeps_its_order():
    """An egg slides in a bowl until it rolls; steps are cut where the slip ends, so the end is exact to some 1e-6."""
    options = dict(mode='coulomb', friction=0.15, unilateral=False)
    ends = [end(SphereFloor(2.0, (0, 0, 2.0), inside=True), 'rk4', dt, 0.8, **options) for dt in (4e-3, 1e-3, 2.5e-4)]
    assert np.abs(ends[0] - ends[2]).max() < 2e-5
    assert np.abs(ends[1] - ends[2]).max() < 2e-6


def test_a_ball_that_rolls_begins_to_slide_where_the_table_has_tilted_enough():
    """tan(tilt) = 7/2 mu; from then on it gains on rolling, with the friction that is left."""
    mu = 0.1
    table = MovingFloor(PlaneFloor(), axis=(0, 1, 0), rate=0.5)
    m = SurfaceMotion(table, Sphere(0.1), mass=1.0, mode='coulomb', friction=mu, pos=(0, 0, 0.1), gravity=(0, 0, -9.81),
                      project=True)
    m.step(1000)
    (time, kind, data), = m.events
    assert kind == 'slide' and m.state == 'slide'
    n = np.array(data['normal'])
    # the table turns under it: the floor pushes with the ball's centripetal share less; 1 % of the angle
    assert np.arctan2(n[0], n[2]) == pytest.approx(np.arctan(3.5 * mu), rel=0.2)
    force = m.contact_force
    assert np.linalg.norm(force - m.normal * (m.normal @ force)) == pytest.approx(mu * (m.normal @ force), rel=1e-12)
    assert m.slip @ force < 0.0


def test_energy_where_the_curvature_is_not_smooth():
    """A superquadric races over its flat lines; gravity's work is known, and so the speed."""
    m = SurfaceMotion.resting(PlaneFloor(), Superquadric((0.3, 0.25, 0.2), (0.9, 0.95)), mass=1.0, at=(0, 0, 0.3),
                              quat=(0.8, 0.4, 0.4, 0.2), angvel=(0.4, 0.2, 1.0), mode='roll')
    energy = m.trace(4000)['energy']
    assert_allclose(energy, energy[0], rtol=1e-10)


def test_a_ball_too_large_for_a_trough_touches_it_twice():
    """z = x^2 under a ball of radius 1 on its flank: the other flank is where it touches, too."""
    trough, at = ParaboloidFloor(2.0, 0.0), np.sqrt(0.75)
    with pytest.raises(TwoContactsError) as error:
        SurfaceMotion(trough, Sphere(1.0), mass=1.0, pos=(0, 0, at**2 + 0.5))
    assert abs(error.value.point[0]) == pytest.approx(at, abs=1e-6)


def test_a_ball_rolls_into_its_second_contact():
    """In a trough with a sharp bottom, x^4: it rolls down one flank until it meets the other."""
    def trough(t, x, y, z):
        return z - 8.0 * x**4, -32.0 * x**3, 0.0, 1.0, -96.0 * x * x, 0.0, 0.0, 0.0, 0.0, 0.0
    m = SurfaceMotion.resting(CustomFloor(trough), Sphere(0.5), mass=1.0, at=(0.4, 0.0, 1.2), mode='roll')
    with pytest.raises(TwoContactsError, match='at 0') as error:
        m.step(2000)
    assert -2e-3 < error.value.gap < 1e-9       # it moves at 1.6 m/s, and is seen after a step of 1 ms
    assert max(m.residual()) <= 1e-12       # where it was before that step


def test_what_a_world_lends_comes_back():
    from hakoniwa_rigid.engine import WorldBuilder
    b = WorldBuilder(gravity=(0, 0, -9.81))
    i = b.add_body(Sphere(0.1), mass=2.0, pos=(0, 0, 1.1), linvel=(0.3, 0, 0))
    w = b.build()
    m = SurfaceMotion.from_world(w, i, PlaneFloor(), mode='free', restitution=0.5)
    w.step(300)
    m.step(300)
    assert_allclose(m.pos, w.pos[i], atol=1e-12)
    m.step(500)
    m.write(w, i)
    for key in ('pos', 'quat', 'linvel', 'angvel'):
        assert_allclose(getattr(w, key)[i], getattr(m, key), atol=1e-15)


@pytest.mark.parametrize(('change', 'word'), [
    ({'mass': 0.0}, 'mass'), ({'dt': 0.0}, 'dt'), ({'mode': 'glide'}, 'mode'), ({'integrator': 'exact'}, 'integrator'),
    ({'pos': (0, 0)}, 'pos'), ({'quat': (1, 1, 0, 0)}, 'quat'), ({'friction': -0.1}, 'friction'),
    ({'restitution': 1.5}, 'restitution'), ({'gravity': np.nan}, 'gravity'), ({'force': (0, np.inf, 0)}, 'force'),
    ({'com': (0.01, 0, 0)}, 'centre of mass'), ({'body': 'ball'}, 'body'), ({'floor': None}, 'floor')])
def test_arguments_are_named(change, word):
    given = dict(floor=PlaneFloor(), body=Sphere(0.1), mass=1.0, pos=(0, 0, 0.1)) | change
    with pytest.raises(EngineError, match=word):
        SurfaceMotion(given.pop('floor'), given.pop('body'), **given)


def test_forces_that_are_no_numbers_stop_nothing_but_the_call():
    m = SurfaceMotion(PlaneFloor(), Sphere(0.1), mass=1.0, pos=(0, 0, 0.1))
    m.force[1] = np.nan
    with pytest.raises(EngineError, match='force'):
        m.step()
    m.force[1] = 0.0
    m.step()
    assert m.time == 1e-3
