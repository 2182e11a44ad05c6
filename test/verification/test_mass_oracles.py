# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The oracles of mass and of free rotation against each other, before they judge the engine."""

import numpy as np
import pytest
import trimesh
from numpy.testing import assert_allclose
from oracles import free_motion, mass, meshes
from oracles.euler_top import EulerTop, quaternion, symmetric_top
from oracles.mass import assert_same
from oracles.rotations import angle_between, matrix, multiply, random_quat, random_tensor

R, H = 0.7, 1.9
RNG = np.random.default_rng(11)
MESHES = {
    'box': meshes.box((1, 2, 3)),
    'l_prism': meshes.l_prism(),
    'icosphere': meshes.icosphere(2),
    'star': meshes.star(),
    'torus': meshes.torus(),
    'cavity': meshes.cavity(meshes.box((2, 2, 2)), meshes.moved(meshes.box(), (0.2, 0.1, 0), random_quat(RNG))),
    'hull': meshes.random_hull(RNG),
}
SLICED = {
    'box': (mass.box(0.3, 1.2, H), lambda z: (0.36, 0.36 * 0.09 / 12, 0.36 * 1.44 / 12), H),
    'ellipsoid': (
        mass.ellipsoid(0.5, 1.1, H / 2),
        lambda z: mass.ellipse(*(np.array([0.5, 1.1]) * np.sqrt(1 - (2 * z / H) ** 2))),
        H,
    ),
    'sphere': (mass.sphere(R), lambda z: mass.ellipse(*2 * (np.sqrt(R * R - z * z),)), 2 * R),
    'cylinder': (mass.cylinder(R, H), lambda z: mass.ellipse(R, R), H),
    'cone': (mass.cone(R, H), lambda z: mass.ellipse(*2 * (R * (0.5 - z / H),)), H),
    'frustum': (mass.frustum(R, 0.4 * R, H), lambda z: mass.ellipse(*2 * (R * (0.7 - 0.6 * z / H),)), H),
    'capsule': (
        mass.capsule(R, H),
        lambda z: mass.ellipse(*2 * (np.sqrt(R * R - max(0.0, abs(z) - H / 2) ** 2),)),
        H + 2 * R,
    ),
}


@pytest.mark.parametrize('name', SLICED)
def test_closed_forms_agree_with_quadrature(name):
    form, section, height = SLICED[name]
    assert_same(mass.slices(section, -height / 2, height / 2), form, 1e-9)


@pytest.mark.parametrize('name', ['hollow_sphere', 'box_shell'])
def test_thin_shells_are_limits_of_thick_ones(name):
    """Mass over thickness at 1e-13 m, from rational arithmetic, is the thin form's to that order."""
    make, size = {'hollow_sphere': (mass.hollow_sphere, 0.8), 'box_shell': (mass.box_shell, (0.5, 1.0, 2.0))}[name]
    assert_same(make(size, 1e-13).scaled(1e13), make(size, 0), 1e-12)


def test_hollow_bodies_are_differences():
    assert_same(mass.hollow_sphere(0.8, 0.3), mass.combine([mass.sphere(0.8), mass.sphere(0.5).scaled(-1)]), 1e-13)
    inner = mass.box(0.3, 0.8, 1.8).scaled(-1)
    assert_same(mass.box_shell((0.5, 1.0, 2.0), 0.1), mass.combine([mass.box(0.5, 1.0, 2.0), inner]), 1e-13)


@pytest.mark.parametrize('name', MESHES)
def test_surface_integrals_agree_with_trimesh(name):
    other = trimesh.Trimesh(*MESHES[name], process=False)
    assert other.is_volume
    p = other.mass_properties
    assert_same(mass.solid(*MESHES[name]), mass.Inertial(p['volume'], p['center_mass'], p['inertia']), 1e-13)


@pytest.mark.parametrize('name', MESHES)
def test_exact_solid_is_one_body_anywhere(name):
    """1 km away the vertices are rounded to 1e-13 m, and that is all that changes."""
    rng = np.random.default_rng(3)
    pos, quat = 1e3 * np.array([0.6, -0.48, 0.64]), random_quat(rng)
    there = mass.solid(*meshes.moved(MESHES[name], pos, quat))
    assert_same(there, mass.solid(*MESHES[name]).moved(pos, quat), 1e-11)


def test_box_mesh_is_the_box():
    assert_same(mass.solid(*meshes.box((1, 2, 3))), mass.box(1, 2, 3), 1e-15)


def test_tetrahedra_agree_with_surfaces():
    """Bricks in six, Delaunay cells of a random cloud, and both cut in eight again."""
    rng = np.random.default_rng(5)
    vertices, cells = meshes.grid_cells((1, 2, 3), (2, 1, 3))
    assert_same(mass.tetrahedra(vertices, cells), mass.box(1, 2, 3).moved((0.5, 1, 1.5)), 1e-14)
    points, cells = meshes.hull_cells(rng)
    hull = mass.solid(*meshes.hull(points))
    assert_same(mass.tetrahedra(points, cells), hull, 1e-13)
    assert_same(mass.tetrahedra(*meshes.halve_cells(points, cells)), hull, 1e-13)


def test_icosphere_and_torus_approach_the_smooth_bodies():
    """Volume error of inscribed facets falls fourfold when they are halved."""
    errors = [1 - mass.solid(*meshes.icosphere(k)).mass / mass.sphere(1).mass for k in (1, 2, 3)]
    assert_allclose(errors[0] / errors[1], 4, rtol=0.1)
    assert_allclose(errors[1] / errors[2], 4, rtol=0.05)
    ring = mass.solid(*meshes.torus(1.0, 0.3, 80, 40))
    assert_allclose(ring.mass, 2 * np.pi**2 * 0.09, rtol=6e-3)
    assert_allclose(ring.inertia[2, 2] / ring.mass, 1 + 0.75 * 0.09, rtol=3e-3)


@pytest.mark.parametrize('seed', range(12))
def test_euler_top_agrees_with_the_ode(seed):
    """Any phase, both families of orbits, full tensors: attitude and spin after 5 s to 1e-11."""
    rng = np.random.default_rng(seed)
    tensor, quat, spin = random_tensor(rng, 0.002), random_quat(rng), 4 * rng.normal(size=3)
    top = EulerTop(tensor, quat, spin)
    for time in (0.0, -1.0, 5.0):
        q, w = top.at(time)
        expected_q, expected_w = free_motion.rotate(tensor, quat, spin, time)
        assert angle_between(q, expected_q) < 1e-11
        assert_allclose(w, expected_w, atol=1e-11)


def test_both_families_are_met():
    """L goes round the largest axis (momentum² > 2 T I2) and round the smallest."""
    moments = np.array([0.0061, 0.00653, 0.0116])
    for spin in ((1, 0.1, 3.0), (-1, 0.1, -3.0), (3.0, 0.1, 0.2), (-3.0, 0.1, -0.2)):
        top = EulerTop(moments, (1, 0, 0, 0), spin)
        assert top.moments[2] == (moments[2] if abs(spin[2]) > abs(spin[0]) else moments[0])
        assert_allclose(top.at(1.0)[1], free_motion.rotate(moments, (1, 0, 0, 0), spin, 1.0)[1], atol=1e-12)


@pytest.mark.parametrize('offset', [(0.01, 0), (0, 0.01)])
def test_euler_top_near_the_separatrix(offset):
    """The issue's start: 5 rad/s, 0.01 rad off the middle axis, for 10 s."""
    moments = (0.0061, 0.00653, 0.0116)
    spin = 5 * np.array([np.sin(offset[0]), np.cos(0.01), np.sin(offset[1])])
    top = EulerTop(moments, (1, 0, 0, 0), spin)
    assert 0.99 < top.m < 1
    q, w = top.at(10.0)
    expected_q, expected_w = free_motion.rotate(moments, (1, 0, 0, 0), spin, 10.0)
    assert angle_between(q, expected_q) < 1e-11
    assert_allclose(w, expected_w, atol=1e-11)


@pytest.mark.parametrize('seed', range(6))
def test_phase_agrees_with_the_third_elliptic_integral(seed):
    rng = np.random.default_rng(seed)
    top = EulerTop(random_tensor(rng), random_quat(rng), rng.normal(size=3))
    assert_allclose(top.alpha(top.period), top.turn_per_period(), rtol=1e-13)
    assert_allclose(top.spin(top.period), top.spin(0.0), atol=1e-13)


def test_separatrix_is_refused():
    """Spin where |L|² = 2 T I2 has no period."""
    with pytest.raises(ValueError, match='separatrix'):
        EulerTop((1, 2, 3), (1, 0, 0, 0), (0, 1, 0))


@pytest.mark.parametrize('moments', [(1.0, 1.0, 1.7), (1.0, 1.0, 0.3), (1.0, 1.0, 1.0)])
def test_symmetric_top_agrees(moments):
    """Flat, long and round: regular precession, by the elliptic solution where it has one, and by the ODE."""
    rng = np.random.default_rng(8)
    quat, spin = random_quat(rng), rng.normal(size=3)
    q, w = symmetric_top(moments[0], moments[2], quat, spin, 7.0)
    answers = [(free_motion.rotate(moments, quat, spin, 7.0), 1e-11)]
    if moments[2] != 1:
        answers.append((EulerTop(moments, quat, spin).at(7.0), 1e-13))
    for (expected_q, expected_w), tol in answers:
        assert angle_between(q, expected_q) < tol
        assert_allclose(w, expected_w, atol=tol)


def test_quaternion_of_a_matrix():
    rng = np.random.default_rng(2)
    for q in [*np.eye(4), *(random_quat(rng) for _ in range(20))]:
        assert_allclose(matrix(quaternion(matrix(q))), matrix(q), atol=1e-14)
        assert angle_between(multiply(q, (1, 0, 0, 0)), quaternion(matrix(q))) < 1e-14
