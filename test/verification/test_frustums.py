# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Frustums: the cylinder and the cone as limits, a fine hull beside them, at rest, rolling about the apex."""
import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles.rotations import matrix, random_quat

from hakoniwa_rigid.engine import Box, Cone, ConvexHull, Cylinder, Frustum, HalfSpace, WorldBuilder, mass_properties

TALL, FUNNEL = Frustum(0.3, 0.1, 0.5), Frustum(0.1, 0.3, 0.5)
G = 9.81


def turn(axis, angle):
    q = np.zeros(4)
    q[0], q[1 + axis] = np.cos(0.5 * angle), np.sin(0.5 * angle)
    return q


def lean(shape):
    """rad between the axis and the side."""
    return np.arctan2(shape.radius - shape.top_radius, shape.height)


def on_its_side(shape):
    """Height (m) of the origin and attitude of a frustum that lies on a line of its side, along x."""
    return 0.5 * (shape.radius + shape.top_radius) * np.cos(lean(shape)), turn(1, 0.5 * np.pi + lean(shape))


def distance(shape, other, pose, other_pose):
    b = WorldBuilder(gravity=(0, 0, 0))
    for s, (x, q) in ((shape, pose), (other, other_pose)):
        b.add_body(s, mass=1.0, inertia=(1.0, 1.0, 1.0), com=(0.0, 0.0, 0.0), pos=x, quat=q)
    return b.build().distance(0, 1)


def poses(seed, reach):
    rng = np.random.default_rng(seed)
    way = rng.normal(size=3)
    return (reach * way / np.linalg.norm(way), random_quat(rng)), (np.zeros(3), random_quat(rng))


@pytest.mark.parametrize('reach', [0.2, 1.0])
@pytest.mark.parametrize('seed', range(20))
def test_equal_radii_are_a_cylinder(seed, reach):
    """Distance or depth, normal and points, from boxes that are apart or deep in it."""
    a, b = poses(seed, reach)
    box = Box((0.2, 0.3, 0.4))
    got, want = distance(Frustum(0.2, 0.2, 0.5), box, a, b), distance(Cylinder(0.2, 0.5), box, a, b)
    for x, y in zip(got, want, strict=True):
        assert_allclose(x, y, atol=1e-12)


def test_mass_of_equal_radii_is_that_of_a_cylinder():
    got, want = mass_properties(Frustum(0.2, 0.2, 0.5), density=3.0), mass_properties(Cylinder(0.2, 0.5), density=3.0)
    assert_allclose(got.mass, want.mass, rtol=1e-14)
    assert_allclose(got.com, want.com, atol=1e-16)
    assert_allclose(got.inertia, want.inertia, rtol=1e-14)


@pytest.mark.parametrize('seed', range(20))
def test_a_tiny_upper_end_is_a_cone(seed):
    """No farther than that end is wide."""
    a, b = poses(seed, 1.0)
    box, end = Box((0.2, 0.3, 0.4)), 1e-6
    got, want = distance(Frustum(0.2, end, 0.5), box, a, b), distance(Cone(0.2, 0.5), box, a, b)
    assert abs(got.distance - want.distance) <= end


@pytest.mark.parametrize('shape', [TALL, FUNNEL], ids=['tall', 'funnel'])
@pytest.mark.parametrize('seed', range(10))
def test_beside_a_fine_hull(seed, shape):
    """400 lines of the side: the hull lies within r (1 - cos(pi / 400)) of it."""
    angle = 2.0 * np.pi * np.arange(400) / 400
    circle = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(400)])
    half = np.array([0.0, 0.0, 0.5 * shape.height])
    hull = ConvexHull(np.vstack([shape.radius * circle - half, shape.top_radius * circle + half]))
    a, b = poses(seed, 1.0)
    box = Box((0.2, 0.3, 0.4))
    finer, coarser = distance(shape, box, a, b).distance, distance(hull, box, a, b).distance
    assert -1e-12 <= coarser - finer <= 0.3 * (1.0 - np.cos(np.pi / 400)) + 1e-12


def world(shape, height, quat, friction=0.8):
    """A floor, and on it a frustum with its origin at a height (m)."""
    b = WorldBuilder(gravity=(0, 0, -G), dt=1e-3)
    b.add_body(HalfSpace(), kind='static', friction=friction)
    b.add_body(shape, density=500.0, pos=np.array([0.0, 0.0, height]) + matrix(quat) @ shape.centroid(), quat=quat,
               friction=friction, restitution=0.0)
    return b.build()


@pytest.mark.parametrize('shape', [TALL, FUNNEL], ids=['tall', 'funnel'])
@pytest.mark.parametrize('side', ['base', 'upper end', 'side'])
def test_stays_where_it_lies(shape, side):
    """1 s on the base, on the upper end, and on a line of the side."""
    height, quat = {'base': (0.25, turn(0, 0.0)), 'upper end': (0.25, turn(0, np.pi)),
                    'side': on_its_side(shape)}[side]
    w = world(shape, height, quat)
    start, held = w.pos[1].copy(), w.quat[1].copy()
    w.step(1000)
    assert_allclose(w.pos[1], start, atol=1e-6)
    assert_allclose(np.abs(held @ w.quat[1]), 1.0, atol=1e-10)
    assert_allclose(w.linvel[1], 0.0, atol=1e-9)
    assert_allclose(w.angvel[1], 0.0, atol=1e-9)


@pytest.mark.parametrize('shape', [TALL, FUNNEL], ids=['tall', 'funnel'])
def test_rolls_about_its_apex(shape):
    """Without slip all points of the line on the floor are at rest: it turns about that line, and the line turns about
    the apex, where its side would meet its axis, at spin * tan(lean)."""
    height, quat = on_its_side(shape)
    spin, alpha = 1.0, lean(shape)
    w = world(shape, height, quat, friction=1.0)
    # from the centre of mass to the apex along the axis
    top = 0.5 * shape.height * (shape.radius + shape.top_radius) / (shape.radius - shape.top_radius)
    com = mass_properties(shape, density=1.0).com[2]
    axis = matrix(quat) @ [0.0, 0.0, 1.0]
    apex = w.pos[1] + (top - com) * axis
    assert_allclose(apex[2], 0.0, atol=1e-12)
    omega = spin * np.array([1.0, 0.0, 0.0])
    w.set_state(1, linvel=np.cross(omega, w.pos[1] - apex), angvel=omega)
    w.step(1000)
    off = w.pos[1] - apex
    started = (com - top) * axis
    turned = np.arctan2(started[0] * off[1] - started[1] * off[0], started[:2] @ off[:2])
    assert_allclose(np.linalg.norm(off[:2]), np.linalg.norm(started[:2]), rtol=1e-3)
    assert_allclose(off[2], started[2], atol=1e-5)
    assert_allclose(abs(turned), spin * abs(np.tan(alpha)), rtol=1e-3)
    assert_allclose(np.linalg.norm(w.angvel[1]), spin, rtol=1e-3)
