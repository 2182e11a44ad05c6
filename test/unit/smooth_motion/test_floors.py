# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Floors and bodies as functions: their derivatives against differences, how moving floors carry their material."""
import numpy as np
import pytest
from kernels import from_python
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from hakoniwa_rigid import engine
from hakoniwa_rigid.engine import Ellipsoid, Superquadric, mass_properties
from hakoniwa_rigid.smooth_motion import (
    CustomFloor,
    CylinderFloor,
    MovingFloor,
    ParaboloidFloor,
    PlaneFloor,
    SineFloor,
    SmoothBody,
    SphereFloor,
)
from hakoniwa_rigid.smooth_motion.bodies import as_body
from hakoniwa_rigid.smooth_motion.body_kernels import own_body


def saddle(t, x, y, z):
    return z - x * y - 0.1 * x**3, -y - 0.3 * x * x, -x, 1.0, -0.6 * x, 0.0, 0.0, -1.0, 0.0, 0.0


REST = {
    'plane': PlaneFloor((0.2, -0.3, 2.0), 0.7), 'ball': SphereFloor(2.0, (0.1, 0.2, -1.0)),
    'bowl': SphereFloor(2.0, (0.1, 0.2, 1.0), inside=True), 'log': CylinderFloor(1.5, (1, 2, 0.3), (0.1, 0.0, 0.2)),
    'pipe': CylinderFloor(1.5, (1, 2, 0.3), (0.1, 0.0, 0.2), inside=True), 'saddle': ParaboloidFloor(0.7, -0.4),
    'waves': SineFloor(0.2, (1.5, -0.8), phase=0.3), 'sea': SineFloor(0.2, (1.5, -0.8), phase=0.3, rate=2.0),
    'custom': CustomFloor(saddle), 'belt': CustomFloor(saddle, material_velocity=(0.3, -0.2, 0.1))}
MOTION = dict(velocity=(0.3, -0.2, 0.1), sway=(0.1, 0.05, -0.2), sway_rate=1.7, axis=(0.3, -0.5, 1.0),
              centre=(0.2, 0.4, -0.1), angle=0.3, rate=0.8, tilt=0.4, tilt_rate=2.3)
FLOORS = REST | {f'moving {name}': MovingFloor(floor, **MOTION) for name, floor in REST.items()}
T, X = 0.37, np.array([0.35, -0.52, 0.61])
own = from_python(own_body)


def slope(f, x, h):
    """Derivative of f at x by central differences, exact to h^4."""
    return (8.0 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12.0 * h)


def along(f, i):
    """Derivative of f(x) along axis i, at X."""
    return slope(lambda s: f(X + s * np.eye(3)[i]), 0.0, 1e-3)


@pytest.mark.parametrize('name', FLOORS)
def test_derivatives_are_those_of_the_values(name):
    floor = FLOORS[name]
    here = floor.at(T, X)
    for i in range(3):
        assert_allclose(here['gradient'][i], along(lambda x: floor.at(T, x)['value'], i), atol=1e-9)
        assert_allclose(here['hessian'][:, i], along(lambda x: floor.at(T, x)['gradient'], i), atol=1e-9)
        assert_allclose(here['velocity_gradient'][:, i], along(lambda x: floor.at(T, x)['velocity'], i), atol=1e-9)
    for value, rate in (('value', 'rate'), ('gradient', 'gradient_rate'), ('rate', 'value_acceleration'),
                        ('velocity', 'velocity_rate')):
        assert_allclose(here[rate], slope(lambda t, key=value: floor.at(t, X)[key], T, 1e-3), atol=1e-9)


@pytest.mark.parametrize('name', [n for n in FLOORS if 'belt' not in n])
def test_material_stays_on_its_surface(name):
    """dG/dt along the material's motion is 0; a conveyor belt of an uneven floor is not held to it."""
    here = FLOORS[name].at(T, X)
    assert_allclose(here['rate'] + here['gradient'] @ here['velocity'], 0.0, atol=1e-14)


def test_a_moving_floor_carries_its_points():
    floor = MovingFloor(REST['saddle'], **MOTION)
    axis, centre = np.array(MOTION['axis']) / np.linalg.norm(MOTION['axis']), np.array(MOTION['centre'])

    def place(t, own):
        turn = Rotation.from_rotvec(axis * (0.3 + 0.8 * t + 0.4 * np.sin(2.3 * t)))
        return (centre + np.multiply(MOTION['velocity'], t) + np.multiply(MOTION['sway'], np.sin(1.7 * t))
                + turn.apply(own - centre))
    own = np.array([0.3, 0.5, 0.2])
    there = floor.at(T, place(T, own))
    assert_allclose(there['value'], REST['saddle'].at(0.0, own)['value'], atol=1e-14)
    assert_allclose(there['velocity'], slope(lambda t: place(t, own), T, 1e-3), atol=1e-10)
    total = there['velocity_rate'] + there['velocity_gradient'] @ there['velocity']
    assert_allclose(total, slope(lambda t: slope(lambda u: place(u, own), t, 1e-3), T, 1e-3), atol=1e-8)


def test_gradients_point_out_of_the_solid():
    for name, inside in (('ball', (0.1, 0.2, -1.5)), ('bowl', (0.1, 0.2, 3.5)), ('pipe', (2.0, -2.0, 0.0))):
        here = FLOORS[name].at(0.0, inside)
        assert here['value'] < 0.0
        assert FLOORS[name].at(0.0, np.add(inside, 0.1 * here['gradient']))['value'] > here['value']


def quartic(x, y, z):
    """Superquadric of exponents 1/2: (x/a)^4 + (y/b)^4 + (z/c)^4 = 1."""
    a, b, c = 0.3, 0.2, 0.1
    return ((x / a)**4 + (y / b)**4 + (z / c)**4 - 1.0, 4 * x**3 / a**4, 4 * y**3 / b**4, 4 * z**3 / c**4,
            12 * x * x / a**4, 12 * y * y / b**4, 12 * z * z / c**4, 0.0, 0.0, 0.0)


def shifted_ball(x, y, z):
    """A ball of radius 0.2 m about (0.05, 0, 0)."""
    u = x - 0.05
    return u * u + y * y + z * z - 0.04, 2 * u, 2 * y, 2 * z, 2.0, 2.0, 2.0, 0.0, 0.0, 0.0


@pytest.mark.parametrize('exponents', [(1.0, 1.0), (0.5, 0.5), (0.7, 0.9), (0.4, 0.8), (0.9, 0.3)])
def test_superquadric_derivatives(exponents):
    """H itself, then by differences."""
    body = as_body('body', Superquadric((0.3, 0.2, 0.25), exponents))

    def at(x):
        return own(body.row(), body.code(), tuple(x.tolist()))
    x = np.array([0.11, -0.07, 0.13])
    value, gradient, (xx, xy, xz, yy, yz, zz) = at(x)
    e1, e2 = exponents
    u, v, w = np.abs(x) / (0.3, 0.2, 0.25)
    assert value == pytest.approx((u**(2 / e2) + v**(2 / e2))**(e2 / e1) + w**(2 / e1) - 1.0, abs=1e-14)
    for i, column in enumerate(([xx, xy, xz], [xy, yy, yz], [xz, yz, zz])):
        move = np.eye(3)[i]
        assert_allclose(gradient[i], slope(lambda s, m=move: at(x + s * m)[0], 0.0, 1e-4), rtol=1e-7, atol=1e-9)
        assert_allclose(column, slope(lambda s, m=move: np.array(at(x + s * m)[1]), 0.0, 1e-4), rtol=1e-6, atol=1e-7)


def test_uniform_bodies_weigh_what_they_should():
    axes = (0.3, 0.2, 0.1)
    ellipsoid, same = (mass_properties(shape, density=2.0) for shape in (Ellipsoid(axes), Superquadric(axes)))
    assert_allclose(same.mass, ellipsoid.mass, rtol=1e-13)
    assert_allclose(same.inertia, ellipsoid.inertia, rtol=1e-13)
    by_beta, by_sum = mass_properties(Superquadric(axes, (0.5, 0.5)), mass=1.0), SmoothBody(quartic).uniform()
    assert_allclose(by_sum.com, 0.0, atol=1e-14)
    assert_allclose(by_sum.inertia, by_beta.inertia, atol=1e-6 * by_beta.inertia.max())
    ball = SmoothBody(shifted_ball).uniform()
    assert_allclose(ball.com, [0.05, 0.0, 0.0], atol=1e-13)
    assert_allclose(ball.inertia, 0.4 * 0.04 * np.eye(3), atol=1e-14)


@pytest.mark.parametrize(('make', 'word'), [
    (lambda: PlaneFloor((0, 0, 0)), 'normal'), (lambda: PlaneFloor((0, 0, np.nan)), 'normal'),
    (lambda: SphereFloor(-1.0), 'radius'), (lambda: CylinderFloor(1.0, axis=(0, 0, 0)), 'axis'),
    (lambda: SineFloor(0.1, (1.0, 2.0, 3.0)), 'wave_vector'), (lambda: ParaboloidFloor('a', 1.0), 'kx'),
    (lambda: MovingFloor(MovingFloor(PlaneFloor())), 'at rest'), (lambda: CustomFloor(3.0), 'function'),
    (lambda: CustomFloor(lambda t, x, y, z: (0.0, 1.0)), 'shape'),
    (lambda: CustomFloor(lambda x, y, z: (0.0,) * 10), 'of 3 numbers'),
    (lambda: SmoothBody(lambda x, y, z: (1.0,) * 10), 'origin'),
    (lambda: Superquadric((0.1, 0.1, 0.1), (1.5, 1.0)), 'exponents'),
    (lambda: PlaneFloor().at(np.inf, (0, 0, 0)), 't:')])
def test_mistakes_are_named(make, word):
    with pytest.raises(engine.EngineError, match=word):
        make()
