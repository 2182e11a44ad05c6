# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Any body on any floor, sliding and rolling: Newton's and Euler's laws, contact and friction along the way, by the
oracles' geometry alone; then the order in the step, and equal bits.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from oracles import floors
from oracles.rolling import EllipsoidOnPlane
from oracles.rotations import angle_between, from_rotvec
from oracles.smooth_bodies import Quadric, Superquadric, ball
from oracles.surface_laws import laws, slopes
from surface_motions import motion

EGG = Quadric.of_axes((0.3, 0.25, 0.2))
# of the fourth degree, so smooth; its flat spots are far from where it touches here
PILLOW = Superquadric((0.3, 0.28, 0.2), (0.5, 0.5))
MOVES = dict(velocity=(0.3, 0.1, -0.2), sway=(0.1, 0, 0.05), sway_rate=3.0, axis=(0.3, 1, 0.2), centre=(0.2, -0.1, 0.3),
             angle=0.2, rate=0.4, tilt=0.3, tilt_rate=2.0)
BOWL = floors.Round(1.5, (0, 0, 1.5), inside=True)
FLOORS = {
    'plane': floors.Plane((0.1, -0.2, 1), 0.3),
    'globe': floors.Round(2.0, (0, 0, -2)),
    'bowl': BOWL,
    'log': floors.Round(2.0, (0, 0, -2), axis=(1, 2, 0)),
    'pipe': floors.Round(1.5, (0, 0, 1.5), inside=True, axis=(1, 0, 0.2)),
    'paraboloid': floors.Paraboloid(0.4, 0.7),
    'saddle': floors.Paraboloid(-0.3, 0.5),
    'sine': floors.Sine(0.1, (2.0, 1.0), 0.4),
    'travelling wave': floors.Sine(0.08, (2.0, 1.0), 0.4, 1.5),
    'moved plane': floors.Moved(floors.Plane(), **MOVES),
    'moved bowl': floors.Moved(BOWL, **MOVES),
    'moved globe': floors.Moved(floors.Round(2.0, (0, 0, -2)), **MOVES),
    'moved pipe': floors.Moved(floors.Round(1.5, (0, 0, 1.5), inside=True, axis=(1, 0, 0.2)), **MOVES),
    'moved paraboloid': floors.Moved(floors.Paraboloid(0.4, 0.7), **MOVES),
    'moved sine': floors.Moved(floors.Sine(0.1, (2.0, 1.0), 0.4), **MOVES),
    'moved travelling wave': floors.Moved(floors.Sine(0.08, (2.0, 1.0), 0.4, 1.5), **MOVES),
}
LEANING = tuple(from_rotvec([0.5, 0.3, 0.4]))
CORNER = tuple(from_rotvec([0.8, -0.6, 0.2]))
TENSOR = np.array([[0.05, 0.004, -0.003], [0.004, 0.06, 0.002], [-0.003, 0.002, 0.07]])


@pytest.mark.parametrize('mode', ['slide', 'roll'])
@pytest.mark.parametrize('body', [EGG, PILLOW], ids=['egg', 'pillow'])
@pytest.mark.parametrize('name', FLOORS)
def test_laws_of_motion(name, body, mode):
    """0.3 s, or 0.1 s of a pillow that falls onto its side: any inertia, centre of mass, start in time, force."""
    floor, com, gravity = FLOORS[name], (0.02, -0.01, -0.03), np.array([0.5, 0.3, -9.0])
    force = np.array([0.4, -0.3, 0.2])
    m = motion(floor, body, (0.2, 0.1, 0.2), mode=mode, quat=CORNER, angvel=(0.5, -0.5, 1.0),
               slip=(0.5, -0.3, 0.2), com=com, mass=1.4, inertia=TENSOR, gravity=tuple(gravity), force=tuple(force),
               time=0.3, unilateral=False)
    steps = 300 if body is EGG else 100
    run = m.trace(steps)
    assert_allclose(run['time'], 0.3 + 1e-3 * np.arange(1, steps + 1), atol=1e-12)
    found = laws(run, floor, body, mass=1.4, inertia=TENSOR, com=com, gravity=gravity + force / 1.4, mode=mode)
    limits = {'contact on the floor': 1e-11, 'contact on the body': 1e-10, 'normal slip': 1e-11, 'slip': 1e-11,
              'friction': 1e-9}
    for law, worst in found.items():
        assert worst < limits.get(law, 1e-7), f'{law}: {worst}'
    # the contact point's own speed, of which the equation makes its next place
    assert_allclose(m.contact_velocity, slopes(run['time'], run['contact_point'])[-1], atol=1e-4)


@pytest.mark.parametrize('mode', ['slide', 'roll'])
@pytest.mark.parametrize('name', ['plane', 'bowl', 'saddle', 'travelling wave', 'moved pipe', 'moved sine'])
def test_speed_of_the_contact_point(name, mode):
    """Seed (15) against differences of the 8th order of where the contact point is."""
    m = motion(FLOORS[name], EGG, (0.2, 0.1, 0.2), mode=mode, quat=LEANING,
               angvel=(1.0, -0.5, 2.0), slip=(0.5, -0.3, 0.2), time=0.3, unilateral=False)
    points, speed = [m.contact_point], None
    for k in range(8):
        m.step()
        points.append(m.contact_point)
        if k == 3:
            speed = m.contact_velocity
    weights = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
    assert_allclose(speed, weights @ points / 1e-3, atol=1e-8)


def test_contact_force_of_a_slide_is_its_multiplier_on_the_gradient():
    for name in ('bowl', 'moved sine'):
        m = motion(FLOORS[name], EGG, (0.2, 0.1, 0.2), mode='slide', slip=(0.5, 0, 0), time=0.3)
        m.step(10)
        g = m_gradient(FLOORS[name], m)
        assert m.multiplier.shape == (1,)
        direction = g / np.linalg.norm(g)
        assert_allclose(np.cross(m.contact_force, direction), 0, atol=1e-9)
        assert m.multiplier[0] > 0
        assert m.contact_force @ g > 0


def m_gradient(floor, m):
    return floor.gradient(m.time, m.contact_point)


def test_force_and_torque_act_until_changed():
    """`.force` on a ball that rolls on a plane: 5/7 F/m; a torque about y: r τ/(I + m r²)."""
    m = motion(floors.Plane(), ball(0.2), (0, 0, 0), mass=2.0)
    m.force[:] = [0, 3.0, 0]
    m.torque[:] = [0, 0.5, 0]
    m.step(1000)
    push = 0.2 * 0.5 / (1.4 * 2.0 * 0.04)
    assert_allclose(m.linvel, [push, 5 / 7 * 1.5, 0], rtol=1e-11, atol=1e-12)
    m.force[:] = m.torque[:] = 0.0
    m.step(1000)
    assert_allclose(m.linvel, [push, 5 / 7 * 1.5, 0], rtol=1e-11, atol=1e-12)
    assert_allclose(m.pos[:2], 1.5 * np.array([push, 5 / 7 * 1.5]), rtol=1e-11)


def tumbling(integrator, dt, mode):
    return motion(floors.Plane(), EGG, (0, 0, 0), mode=mode, quat=tuple(from_rotvec([0.3, 0.2, 0.1])),
                  angvel=(2.0, 3.0, 4.0), slip=(0.3, 0.2, 0), mass=1.2, integrator=integrator, dt=dt, unilateral=False)


@pytest.mark.parametrize('mode', ['slide', 'roll'])
@pytest.mark.parametrize(('integrator', 'order', 'dt'), [
    ('rk4', 4, 0.02), ('implicit_midpoint', 2, 0.002), ('semi_implicit_euler', 1, 0.0005)])
def test_order(integrator, order, dt, mode):
    """Halving the step divides the error against the reduced equations by 2^order; the constraints hold at any step."""
    oracle, times = EllipsoidOnPlane((0.3, 0.25, 0.2), 1.2, EGG.inertia(1.2)), np.linspace(0, 0.64, 9)
    m = tumbling(integrator, dt, mode)
    truth = (oracle.rolls(m.pos, m.quat, m.angvel, times) if mode == 'roll'
             else oracle.slides(m.pos, m.quat, m.linvel, m.angvel, times))
    errors = []
    for h in (dt, dt / 2, dt / 4):
        m = tumbling(integrator, h, mode)
        path = m.trace(round(0.64 / h), every=round(0.08 / h))
        errors.append([np.abs(path['pos'] - truth['pos'][1:]).max(), np.abs(path['angvel'] - truth['angvel'][1:]).max(),
                       max(map(angle_between, path['quat'], truth['quat'][1:]))])
        assert np.abs(m.residual()).max() <= 1e-12
    assert_allclose(np.log2(np.array(errors[:-1]) / errors[1:]), order, atol=0.2)


@pytest.mark.parametrize('integrator', ['rk4', 'implicit_midpoint', 'semi_implicit_euler'])
@pytest.mark.parametrize('mode', ['slide', 'roll', 'coulomb'])
def test_equal_bits(mode, integrator):
    """Twice the same, in one go, step by step or as a trace."""
    def made():
        return motion(FLOORS['moved bowl'], EGG, (0.2, 0.1, 0.2), mode=mode, quat=LEANING,
                      angvel=(1.0, -0.5, 2.0), slip=(0.5, -0.3, 0.2), friction=0.3, integrator=integrator)

    one, two, three = made(), made(), made()
    one.step(120)
    for _ in range(120):
        two.step()
    path = three.trace(120, every=10)
    for other in (two, three):
        for key in ('pos', 'quat', 'linvel', 'angvel', 'contact_point', 'contact_force', 'multiplier'):
            assert_array_equal(getattr(one, key), getattr(other, key), err_msg=key)
        assert (one.time, one.state) == (other.time, other.state)
        assert [e[:2] for e in one.events] == [e[:2] for e in other.events]
    assert_array_equal(path['pos'][-1], one.pos)
    assert len(path['time']) == 12


def test_what_is_read_is_a_copy():
    m = motion(floors.Plane(), ball(0.2), (0, 0, 0), angvel=(1, 2, 3))
    for key in ('pos', 'quat', 'linvel', 'angvel', 'contact_point'):
        getattr(m, key)[:] = np.nan
    m.step(10)
    assert np.all(np.isfinite(m.pos))
    assert_allclose(np.linalg.norm(m.quat), 1, atol=1e-15)
