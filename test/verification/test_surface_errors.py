# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bad starts and bad arguments: typed errors that say what is wrong and by how much, or are mended if asked."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles import floors, smooth_bodies
from oracles.rotations import from_rotvec
from oracles.smooth_bodies import Quadric, ball, touching
from scipy.optimize import brentq
from surface_motions import UPRIGHT, engine_body, engine_floor, motion

from hakoniwa_rigid.engine import (
    ConstraintVelocityError,
    CurvatureError,
    Ellipsoid,
    EngineError,
    OffSurfaceError,
    Sphere,
    Superquadric,
    TwoContactsError,
)
from hakoniwa_rigid.smooth_motion import (
    CylinderFloor,
    MovingFloor,
    ParaboloidFloor,
    PlaneFloor,
    SineFloor,
    SphereFloor,
    SurfaceMotion,
    contact_point,
)

GOOD = dict(mass=1.0, mode='roll', pos=(0, 0, 0.1), quat=UPRIGHT, linvel=(0, 0, 0), angvel=(0, 0, 0))
BALL = Sphere(0.1)


def says(error, number, rtol=2e-2):
    """The message has a number that is `number`."""
    found = [float(x) for x in re.findall(r'[-+]?\d+\.?\d*(?:e[-+]?\d+)?', str(error.value))]
    return any(np.isclose(abs(x), abs(number), rtol=rtol) for x in found)


def test_all_are_engine_errors():
    for kind in (OffSurfaceError, ConstraintVelocityError, TwoContactsError, CurvatureError):
        assert issubclass(kind, EngineError)
        assert issubclass(kind, ValueError)


@pytest.mark.parametrize('mode', ['slide', 'roll', 'coulomb'])
@pytest.mark.parametrize('gap', [0.0123, -0.0123, 1e-5])
def test_start_off_the_surface(mode, gap):
    with pytest.raises(OffSurfaceError) as error:
        SurfaceMotion(PlaneFloor(), BALL, **GOOD | dict(pos=(0, 0, 0.1 + gap), mode=mode))
    assert says(error, gap)


def test_start_off_a_curved_surface_says_the_distance():
    """Not the value of G, which in a paraboloid is the height over it."""
    floor, egg = floors.Paraboloid(0.8, 0.8), Quadric.of_axes((0.1, 0.08, 0.06))
    _, n, pos = touching(floor, egg, (0.8, 0, 0.256), UPRIGHT)
    with pytest.raises(OffSurfaceError) as error:
        SurfaceMotion(engine_floor(floor), engine_body(egg), **GOOD | dict(pos=pos + 0.0321 * n))
    assert says(error, 0.0321)


def test_start_under_the_floor_flies_nowhere():
    """In mode free a body may start anywhere but inside the floor."""
    with pytest.raises(OffSurfaceError) as error:
        SurfaceMotion(PlaneFloor(), BALL, **GOOD | dict(pos=(0, 0, 0.0877), mode='free'))
    assert says(error, 0.0123)


@pytest.mark.parametrize(('mode', 'linvel', 'angvel', 'by'), [
    ('roll', (0.321, 0, 0), (0, 0, 0), 0.321), ('roll', (0, 0, 0), (0, 3.21, 0), 0.321),
    ('roll', (0, 0, -0.0321), (0, 0, 0), 0.0321),
    ('slide', (0.5, 0, 0.0321), (0, 0, 0), 0.0321), ('slide', (0.5, 0, -0.0321), (1, 2, 3), 0.0321),
    ('coulomb', (0.5, 0, -0.0321), (0, 0, 0), 0.0321), ('roll', (0.2, 0, 0), (0, 2.0 - 1e-4, 0), 1e-5)])
def test_start_velocity_against_the_constraint(mode, linvel, angvel, by):
    with pytest.raises(ConstraintVelocityError) as error:
        SurfaceMotion(PlaneFloor(), BALL, **GOOD | dict(mode=mode, linvel=linvel, angvel=angvel))
    assert says(error, by)


def test_start_velocity_counts_against_the_moving_floor():
    belt = MovingFloor(PlaneFloor(), velocity=(0.321, 0, 0))
    with pytest.raises(ConstraintVelocityError) as error:
        SurfaceMotion(belt, BALL, **GOOD)
    assert says(error, 0.321)
    SurfaceMotion(belt, BALL, **GOOD | dict(linvel=(0.321, 0, 0))).step()
    SurfaceMotion(belt, BALL, **GOOD | dict(mode='slide')).step()


@pytest.mark.parametrize('mode', ['slide', 'roll'])
def test_projected_if_asked(mode):
    """project=True moves along the normal and takes the forbidden velocity away; a good start is left as it is."""
    floor, egg = floors.Paraboloid(0.4, 0.6), Quadric.of_axes((0.3, 0.25, 0.2))
    quat = tuple(from_rotvec([0.2, 0.3, 0.4]))
    _, n, pos = touching(floor, egg, (0.3, 0.2, 0), quat)
    m = SurfaceMotion(engine_floor(floor), engine_body(egg), mass=1.0, mode=mode, pos=pos + 0.01 * n, quat=quat,
                      linvel=(0.5, 0.2, 0.7), angvel=(1, 2, 3), project=True)
    assert np.abs(m.residual()).max() <= 1e-12
    assert np.linalg.norm(m.pos - pos) < 1e-3
    assert_allclose(m.quat, quat, atol=1e-12)
    m.step(100)
    assert np.abs(m.residual()).max() <= 1e-12
    good = dict(mode=mode, quat=quat, angvel=(1, 2, 3), slip=(0.3, 0.1, 0))
    plain, asked = motion(floor, egg, (0.3, 0.2, 0), **good), motion(floor, egg, (0.3, 0.2, 0), project=True, **good)
    for key in ('pos', 'quat', 'linvel', 'angvel'):
        assert_allclose(getattr(asked, key), getattr(plain, key), atol=1e-12, err_msg=key)


def test_projection_is_an_inelastic_impact():
    """The least change in kinetic energy's metric is what an impact at the contact makes: a ball keeps v + 0.4 r w ×
    n."""
    v, w, n, r = np.array([0.5, 0.2, -0.7]), np.array([1.0, 2.0, 3.0]), np.array([0, 0, 1.0]), 0.1
    m = SurfaceMotion(PlaneFloor(), BALL, **GOOD | dict(linvel=v, angvel=w, project=True))
    slip = v - r * np.cross(w, n)
    slip[2] = 0
    assert_allclose(m.linvel, [*(v - 2 / 7 * slip)[:2], 0], atol=1e-12)
    m = SurfaceMotion(PlaneFloor(), BALL, **GOOD | dict(linvel=v, angvel=w, project=True, mode='slide'))
    assert_allclose(m.linvel, [0.5, 0.2, 0], atol=1e-13)
    assert_allclose(m.angvel, w, atol=1e-13)


def trough(r):
    """Sine floor with troughs of radius 1/(A k²) = 0.253 m, and a ball that touches both flanks of one at ±x."""
    floor = floors.Sine(0.1, (2 * np.pi, 0), -np.pi / 2)
    # the ball's centre over the trough: the normal at x must point at x = 0
    def aside(x):
        n = floors.normal(floor, 0, np.array([x, 0, -0.1 * np.cos(2 * np.pi * x)]))
        return x + r * n[0]

    x = brentq(aside, 0.02, 0.25)
    return floor, np.array([x, 0, -0.1 * np.cos(2 * np.pi * x)])


def test_ball_that_touches_both_flanks():
    floor, near = trough(0.35)
    with pytest.raises(TwoContactsError):
        motion(floor, ball(0.35), near)


def test_ball_that_will_touch_the_other_flank():
    """It rolls down one flank of a trough too narrow for it: the motion ends with the error, not inside the floor."""
    floor, near = trough(0.35)
    m = motion(floor, ball(0.35), near + [0.15, 0, 0.06])
    before = m.pos
    with pytest.raises(TwoContactsError):
        m.step(3000)
    assert m.time > 0.02
    assert m.pos[0] < before[0]


def test_start_with_another_point_inside():
    """Placed tangent to one flank, deep in the other: the error names the gap there."""
    floor, near = trough(0.35)
    with pytest.raises((TwoContactsError, CurvatureError)):
        motion(floor, ball(0.35), near - [0.5 * near[0], 0, 0.5 * (near[2] + 0.1)])


MISFITS = {
    'ball in a bowl of its size': (floors.Round(0.2, (0, 0, 0.2), inside=True), ball(0.2), 5.0, 5.0),
    'ball in a pipe of its size': (floors.Round(0.2, (0, 0, 0.2), inside=True, axis=(1, 0, 0)), ball(0.2), 5.0, 5.0),
    'egg in a bowl': (floors.Round(0.5, (0, 0, 0.5), inside=True), Quadric.of_axes((0.3, 0.1, 0.1)), 2.0, 0.1 / 0.09),
    'ball in a paraboloid': (floors.Paraboloid(6.0, 1.0), ball(0.2), 6.0, 5.0),
    'ball in a trough': (floors.Sine(0.1, (2 * np.pi, 0), -np.pi / 2), ball(0.3), 0.1 * (2 * np.pi) ** 2, 1 / 0.3),
}


@pytest.mark.parametrize('name', MISFITS)
def test_curvatures_that_do_not_fit(name):
    """The floor bends no less than the body, so they touch in no single point; the error names both curvatures."""
    floor, body, of_floor, of_body = MISFITS[name]
    low = (0, 0, -0.1) if 'trough' in name else (0, 0, 0)
    with pytest.raises(CurvatureError) as error:
        motion(floor, body, low)
    assert says(error, of_floor)
    assert says(error, of_body)


def test_ball_larger_than_its_bowl():
    """It has no place in it."""
    with pytest.raises((CurvatureError, OffSurfaceError, TwoContactsError)):
        motion(floors.Round(0.2, (0, 0, 0.2), inside=True), ball(0.25), (0, 0, 0))


def test_just_fits():
    """A ball 1 % smaller than the bowl rolls."""
    m = motion(floors.Round(0.2, (0, 0, 0.2), inside=True), ball(0.198), (0.02, 0, 0.001))
    m.step(100)
    assert np.abs(m.residual()).max() <= 1e-12


@pytest.mark.parametrize('quat', [UPRIGHT, tuple(from_rotvec([np.pi / 2, 0, 0]))])
def test_flat_spot_of_a_superquadric(quat):
    """On a plane a body with exponents < 1 cannot stand on the flat middle of its faces; on a globe it can."""
    body = smooth_bodies.Superquadric((0.3, 0.3, 0.3), (0.5, 0.5))
    with pytest.raises(CurvatureError):
        motion(floors.Plane(), body, (0, 0, 0), quat=quat)
    m = motion(floors.Round(1.0, (0, 0, -1)), body, (0, 0, 0), quat=quat)
    m.step(10)
    assert np.abs(m.residual()).max() <= 1e-12


def test_rolls_onto_its_flat_spot():
    """It comes to the flat spot while it rolls: an error, not a jump.

    Tilted about y only it would lie on the flat line y = 0 of its face, where it has no curvature across.
    """
    body = smooth_bodies.Superquadric((0.3, 0.3, 0.3), (0.5, 0.5))
    m = motion(floors.Plane(), body, (0, 0, 0), quat=tuple(from_rotvec([0.3, 0.35, 0])), angvel=(0, -1.0, 0),
               unilateral=False)
    try:
        m.step(2000)
    except CurvatureError:
        return
    assert np.abs(m.residual()).max() <= 1e-12  # or it was carried over it exactly


BAD = {
    'mass': [0.0, -1.0, np.nan, np.inf, 'heavy', None],
    'inertia': [(1, 1), (0, 1, 1), (1, 1, 3), (np.nan, 1, 1), -np.eye(3), np.ones((3, 2)),
                [[1, 2, 0], [0, 1, 0], [0, 0, 1]]],
    'com': [(0, 0), (np.nan, 0, 0), 1.0],
    'mode': ['fly', '', None, 3],
    'pos': [(0, 0), (0, np.nan, 0.1), (0, 0, np.inf), 'here'],
    'quat': [(1, 0, 0), (0, 0, 0, 0), (np.nan, 0, 0, 1), (2, 0, 0, 0)],
    'linvel': [(0, 0), (np.nan, 0, 0)],
    'angvel': [(0, 0, 0, 0), (0, np.inf, 0)],
    'gravity': [(0, 0), (0, 0, np.nan), 9.81],
    'friction': [-0.1, np.nan, 'rough'],
    'restitution': [-0.1, 1.1, np.nan],
    'integrator': ['rk5', None],
    'dt': [0.0, -1e-3, np.nan, np.inf],
    'force': [(1, 2), (np.nan, 0, 0)],
    'time': [np.nan, np.inf],
}


@pytest.mark.parametrize(('name', 'value'), [(name, value) for name, values in BAD.items() for value in values])
def test_bad_argument_is_named(name, value):
    with pytest.raises(EngineError, match=name):
        SurfaceMotion(PlaneFloor(), BALL, **GOOD | {name: value})


@pytest.mark.parametrize('wrong', [None, 3, 'plane', BALL])
def test_bad_floor(wrong):
    with pytest.raises(EngineError, match='floor'):
        SurfaceMotion(wrong, BALL, **GOOD)


@pytest.mark.parametrize('wrong', [None, 3, 'ball', PlaneFloor()])
def test_bad_body(wrong):
    with pytest.raises(EngineError, match='body'):
        SurfaceMotion(PlaneFloor(), wrong, **GOOD)


@pytest.mark.parametrize(('kind', 'values', 'options'), [
    (PlaneFloor, (), {'normal': (0, 0, 0)}), (PlaneFloor, (), {'normal': (0, 1)}),
    (PlaneFloor, (), {'offset': np.nan}),
    (SphereFloor, (0.0,), {}), (SphereFloor, (-1.0,), {}), (SphereFloor, (np.nan,), {}),
    (SphereFloor, (1.0,), {'centre': (0, 0)}), (CylinderFloor, (1.0,), {'axis': (0, 0, 0)}),
    (CylinderFloor, (0.0,), {}),
    (CylinderFloor, (1.0,), {'point': (np.nan, 0, 0)}), (ParaboloidFloor, (np.nan, 1.0), {}),
    (ParaboloidFloor, ('steep', 1.0), {}), (SineFloor, (np.nan, (1, 0)), {}), (SineFloor, (0.1, (1, 0, 0)), {}),
    (SineFloor, (0.1, (1, 0)), {'rate': np.inf}), (MovingFloor, (None,), {}),
    (MovingFloor, (PlaneFloor(),), {'velocity': (1, 2)}), (MovingFloor, (PlaneFloor(),), {'axis': (0, 0, 0)}),
    (MovingFloor, (PlaneFloor(),), {'rate': np.nan}), (Superquadric, ((1, 1),), {'exponents': (1, 1)}),
    (Superquadric, ((1, 1, 0),), {'exponents': (1, 1)}), (Superquadric, ((1, 1, 1),), {'exponents': (1.5, 1)}),
    (Superquadric, ((1, 1, 1),), {'exponents': (0, 1)}), (Superquadric, ((1, 1, 1),), {'exponents': (np.nan, 1)}),
])
def test_bad_floors_and_bodies(kind, values, options):
    with pytest.raises(EngineError):
        kind(*values, **options)


def test_bad_calls():
    m = SurfaceMotion(PlaneFloor(), BALL, **GOOD)
    for steps in (-1, 1.5, 'two'):
        with pytest.raises((EngineError, TypeError)):
            m.step(steps)
    m.force[:] = np.nan
    with pytest.raises(EngineError, match='force'):
        m.step()
    with pytest.raises(EngineError):
        contact_point(PlaneFloor(), BALL, (0, 0, np.nan), UPRIGHT)
    with pytest.raises(EngineError):
        contact_point(PlaneFloor(), Ellipsoid((0.3, 0.2, 0.1)), (0, 0, 1), (0, 0, 0, 0))
