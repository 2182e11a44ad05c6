# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The hand-over to and from the general engine, bodies set down, floors and bodies given as functions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles import floors
from oracles.rotations import from_rotvec, matrix
from oracles.smooth_bodies import Quadric, Superquadric, ball, start, touching
from oracles.surface_laws import laws
from surface_motions import UPRIGHT, G, engine_body, engine_floor, motion

from hakoniwa_rigid.engine import Box, Ellipsoid, EngineError, HalfSpace, Sphere, WorldBuilder, mass_properties
from hakoniwa_rigid.smooth_motion import (
    CustomFloor,
    MovingFloor,
    ParaboloidFloor,
    PlaneFloor,
    SmoothBody,
    SurfaceMotion,
)

MOMENTS = (0.011, 0.012, 0.013)


def world(shape, *, gap=0.0, **body):
    b = WorldBuilder(gravity=(0, 0, -G), dt=1e-3)
    b.add_body(HalfSpace((0, 0, 1), -5.0), kind='static')
    i = b.add_body(shape, **({'mass': 0.8, 'inertia': MOMENTS, 'pos': (0.1, 0.2, 0.1 + gap)} | body))
    return b.build(), i


def test_from_world_and_back():
    """Mass, inertia, shape and state come from the world; after some rolling they go back and the world flies on."""
    w, i = world(Sphere(0.1), linvel=(0.2, 0, 0), angvel=(0, 2.0, 1.0))
    m = SurfaceMotion.from_world(w, i, PlaneFloor(), mode='roll')
    assert_allclose(m.pos, w.pos[i], atol=1e-15)
    assert_allclose(m.energy(), w.kinetic_energy() + 0.8 * G * 0.1, rtol=1e-13)
    m.force[:] = [0.5, 0, 0]
    m.step(500)
    assert_allclose(m.pos[2], 0.1, atol=1e-13)
    m.write(w, i)
    for key in ('pos', 'quat', 'linvel', 'angvel'):
        assert_allclose(getattr(w, key)[i], getattr(m, key), atol=1e-13, err_msg=key)
    before = w.pos[i].copy(), w.linvel[i].copy()
    w.step(100)
    t = 0.1
    assert_allclose(w.pos[i], before[0] + before[1] * t - [0, 0, 0.5 * G * t**2], atol=1e-11)


def test_round_trip_loses_nothing():
    """write then from_world, in the middle of a ride: the same motion as without."""
    options = dict(mode='roll', unilateral=False)
    bowl = MovingFloor(ParaboloidFloor(0.5, 0.7), sway=(0.05, 0, 0), sway_rate=3.0)
    egg = Quadric.of_axes((0.2, 0.15, 0.12))
    oracle = floors.Moved(floors.Paraboloid(0.5, 0.7), sway=(0.05, 0, 0), sway_rate=3.0)
    whole = motion(oracle, egg, (0.2, 0.1, 0.1), angvel=(1, 2, 3), mass=0.8, inertia=MOMENTS, unilateral=False)
    half = motion(oracle, egg, (0.2, 0.1, 0.1), angvel=(1, 2, 3), mass=0.8, inertia=MOMENTS, unilateral=False)
    half.step(400)
    w, i = world(Ellipsoid((0.2, 0.15, 0.12)), pos=(0, 0, 3))
    half.write(w, i)
    rest = SurfaceMotion.from_world(w, i, bowl, time=half.time, **options)
    rest.step(600)
    whole.step(1000)
    for key in ('pos', 'quat', 'linvel', 'angvel'):
        assert_allclose(getattr(rest, key), getattr(whole, key), atol=1e-10, err_msg=key)


def test_from_world_with_another_shape_to_roll_on():
    """A box cannot roll, its skids may: the body given takes the box's place, mass and moments stay."""
    w, i = world(Box((0.2, 0.2, 0.1)))
    with pytest.raises(EngineError, match='body'):
        SurfaceMotion.from_world(w, i, PlaneFloor(), mode='roll')
    m = SurfaceMotion.from_world(w, i, PlaneFloor(), body=Sphere(0.1), mode='roll')
    m.torque[:] = [0, 0.01, 0]
    m.step(10)
    assert_allclose(m.angvel[1], 0.01 * 0.01 / (MOMENTS[1] + 0.8 * 0.01), rtol=1e-6)


@pytest.mark.parametrize('mode', ['slide', 'roll'])
def test_resting(mode):
    """Set down on the floor near a guess, with a velocity that the floor allows; a velocity that it allows is kept."""
    floor, egg = floors.Paraboloid(0.4, 0.6), Quadric.of_axes((0.3, 0.25, 0.2))
    quat = tuple(from_rotvec([0.2, 0.3, 0.4]))
    for lift in (0.0, 0.05, -0.05):
        point, n, pos = touching(floor, egg, (0.3, 0.2, 0), quat)
        m = SurfaceMotion.resting(engine_floor(floor), engine_body(egg), at=tuple(pos + lift * n), quat=quat,
                                  linvel=(0.3, 0.1, 0.2), angvel=(1, 2, 3), mode=mode, mass=1.2)
        assert np.abs(m.residual()).max() <= 1e-12
        assert_allclose(m.quat, quat, atol=1e-12)
        # near where it was asked for, and truly touching
        found = floors.normal(floor, 0, m.contact_point)
        rot = matrix(quat)
        assert_allclose(m.pos + rot @ egg.extreme(-rot.T @ found), m.contact_point, atol=1e-11)
        assert abs(floor.value(0, m.contact_point)) < 1e-12
        assert np.linalg.norm(m.pos - pos) < 0.2
        m.step(100)
        assert np.abs(m.residual()).max() <= 1e-12
    kept = motion(floor, egg, (0.3, 0.2, 0), mode=mode, quat=quat, angvel=(1, 2, 3), slip=(0.2, 0, 0), mass=1.2)
    m = SurfaceMotion.resting(engine_floor(floor), engine_body(egg), at=tuple(kept.pos), quat=quat, linvel=kept.linvel,
                              angvel=(1, 2, 3), mode=mode, mass=1.2)
    assert_allclose(m.pos, kept.pos, atol=1e-11)
    assert_allclose(m.linvel, kept.linvel, atol=1e-11)


def test_uniform_inertia():
    """Without inertia a body is uniform: kinetic energy of pure spin, also about a centre of mass off the shape's."""
    for shape in (ball(0.3), Quadric.of_axes((0.3, 0.25, 0.2)), Superquadric((0.3, 0.25, 0.2), (0.8, 0.6))):
        m = SurfaceMotion(PlaneFloor(), engine_body(shape), mass=1.7, mode='free', pos=(0, 0, 1), quat=UPRIGHT,
                          linvel=(0, 0, 0), angvel=(1, 2, 3), gravity=(0, 0, 0))
        assert_allclose(m.energy(), 0.5 * np.array([1, 2, 3]) @ shape.inertia(1.7) @ [1, 2, 3], rtol=1e-9)


def test_superquadric_has_mass_properties():
    body = Superquadric((0.3, 0.25, 0.2), (0.8, 0.6))
    found = mass_properties(engine_body(body), mass=1.7)
    assert_allclose(found.inertia, body.inertia(1.7), rtol=1e-9, atol=1e-12)


def bumpy(t, x, y, z):
    """G of z = 0.2 x² + 0.1 x y + 0.15 y² + 0.05 x³ and its derivatives, as CustomFloor takes them."""
    g = z - (0.2 * x * x + 0.1 * x * y + 0.15 * y * y + 0.05 * x * x * x)
    gx, gy = -(0.4 * x + 0.1 * y + 0.15 * x * x), -(0.1 * x + 0.3 * y)
    return g, gx, gy, 1.0, -(0.4 + 0.3 * x), -0.3, 0.0, -0.1, 0.0, 0.0


class Bumpy(floors.Still):
    def value(self, t, x):
        return bumpy(t, *x)[0]


Q = matrix(from_rotvec([0.3, 0.5, 0.2])) @ np.diag([11.0, 16.0, 25.0]) @ matrix(from_rotvec([0.3, 0.5, 0.2])).T
QXX, QYY, QZZ, QXY, QXZ, QYZ = (float(Q[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))


def oblique(x, y, z):
    """H = xᵀ Q x - 1, an ellipsoid whose axes are turned in its own frame."""
    hx, hy, hz = 2 * (QXX * x + QXY * y + QXZ * z), 2 * (QXY * x + QYY * y + QYZ * z), 2 * (QXZ * x + QYZ * y + QZZ * z)
    return (0.5 * (hx * x + hy * y + hz * z) - 1.0, hx, hy, hz, 2 * QXX, 2 * QYY, 2 * QZZ, 2 * QXY, 2 * QXZ, 2 * QYZ)


@pytest.mark.parametrize('moving', [False, True])
def test_floor_and_body_as_functions(moving):
    """A cubic floor, also moved, under an oblique ellipsoid: the laws hold, rolling and sliding."""
    body, tensor = Quadric(Q), Quadric(Q).inertia(1.4)
    moves = dict(velocity=(0.2, 0, 0.1), axis=(0, 1, 0.3), tilt=0.2, tilt_rate=2.0)
    oracle = floors.Moved(Bumpy(), **moves) if moving else Bumpy()
    custom = MovingFloor(CustomFloor(bumpy), **moves) if moving else CustomFloor(bumpy)
    for mode in ('roll', 'slide'):
        state = start(oracle, body, (0.2, 0.1, 0), from_rotvec([0.1, 0.2, 0.3]), mode=mode, angvel=(1, 2, 0.5),
                      slip=(0.3, 0.2, 0))
        m = SurfaceMotion(custom, SmoothBody(oblique), mass=1.4, inertia=tensor, mode=mode, unilateral=False, **state)
        run = m.trace(300)
        for law, worst in laws(run, oracle, body, mass=1.4, inertia=tensor, mode=mode).items():
            assert worst < (1e-10 if law in ('normal slip', 'slip', 'contact on the floor') else 1e-7), law
