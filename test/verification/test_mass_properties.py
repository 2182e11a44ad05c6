# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Mass, centre of mass and inertia of every shape against closed forms, trimesh and exact sums
(docs/mass_properties.md)."""

from time import process_time

import numpy as np
import pytest
import trimesh
from numpy.testing import assert_allclose
from oracles import mass, meshes
from oracles.mass import assert_same
from oracles.rotations import random_quat

from hakoniwa_rigid.engine import (
    Box,
    BoxShell,
    Capsule,
    Compound,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    Frustum,
    HollowSphere,
    Sphere,
    TetrahedralMesh,
    Tetrahedron,
    TriangleMesh,
    WorldBuilder,
    mass_properties,
)

CORNERS = np.array([(0.1, 0, 0), (1.2, 0.1, 0), (0, 0.9, 0.3), (0.2, 0.1, 1.1)])
SHELL = (0.5, 1.0, 2.0)
# name: shape, the same body of unit density
PRIMITIVES = {
    'box': (Box((0.3, 0.7, 1.9)), mass.box(0.3, 0.7, 1.9)),
    'flat box': (Box((100.0, 1.0, 1e-4)), mass.box(100.0, 1.0, 1e-4)),
    'sphere': (Sphere(0.37), mass.sphere(0.37)),
    'ellipsoid': (Ellipsoid((0.3, 0.7, 1.9)), mass.ellipsoid(0.3, 0.7, 1.9)),
    'round ellipsoid': (Ellipsoid((0.3, 0.3, 0.3)), mass.sphere(0.3)),
    'cylinder': (Cylinder(0.4, 1.3), mass.cylinder(0.4, 1.3)),
    'needle': (Cylinder(1e-3, 10.0), mass.cylinder(1e-3, 10.0)),
    'cone': (Cone(0.4, 1.3), mass.cone(0.4, 1.3)),
    'frustum': (Frustum(0.4, 0.15, 1.3), mass.frustum(0.4, 0.15, 1.3)),
    'flat frustum': (Frustum(0.4, 0.1, 1e-3), mass.frustum(0.4, 0.1, 1e-3)),
    'flat cone': (Cone(2.0, 0.1), mass.cone(2.0, 0.1)),
    'capsule': (Capsule(0.2, 0.9), mass.capsule(0.2, 0.9)),
    'stubby capsule': (Capsule(0.9, 0.01), mass.capsule(0.9, 0.01)),
    'tetrahedron': (Tetrahedron(*CORNERS), mass.tetrahedron(CORNERS)),
    'tetrahedron, turned inside out': (Tetrahedron(*CORNERS[[1, 0, 2, 3]]), mass.tetrahedron(CORNERS)),
    'thick hollow sphere': (HollowSphere(0.8, 0.3), mass.hollow_sphere(0.8, 0.3)),
    'hollow sphere, 1 nm': (HollowSphere(0.8, 1e-9), mass.hollow_sphere(0.8, 1e-9)),
    'spherical surface': (HollowSphere(0.8), mass.hollow_sphere(0.8, 0)),
    'thick box shell': (BoxShell(SHELL, 0.1), mass.box_shell(SHELL, 0.1)),
    'box shell, 1 nm': (BoxShell(SHELL, 1e-9), mass.box_shell(SHELL, 1e-9)),
    'box surface': (BoxShell(SHELL), mass.box_shell(SHELL, 0)),
}
MESHES = {
    'box': meshes.box((1, 2, 3)),
    'l_prism': meshes.l_prism(),
    'torus': meshes.torus(),
    'star': meshes.star(),
    'cavity': meshes.cavity(meshes.box((2, 2, 2)), meshes.moved(meshes.icosphere(1, 0.6), (0.2, 0.1, 0), (1, 0, 0, 0))),
    'two bodies': meshes.join(meshes.l_prism(), meshes.moved(meshes.star(), (5, 0, 0), (1, 0, 0, 0))),
    'island in a cavity': meshes.join(
        meshes.cavity(meshes.box((2, 2, 2)), meshes.box()), meshes.box((0.5, 0.5, 0.5))
    ),
    'hull 1': meshes.random_hull(np.random.default_rng(1), 12),
    'hull 2': meshes.random_hull(np.random.default_rng(2), 40),
    'hull 3': meshes.random_hull(np.random.default_rng(3), 200),
}


def assert_principal(p):
    """Ascending moments, right-handed orthonormal axes, the tensor back to rounding, I3 <= I1 + I2."""
    m, a = p.principal_moments, p.principal_axes
    assert (np.diff(m) >= 0).all()
    assert_allclose(a.T @ a, np.eye(3), atol=1e-14)
    assert_allclose(np.linalg.det(a), 1.0, atol=1e-14)
    assert_allclose(a @ np.diag(m) @ a.T, p.inertia, rtol=0, atol=1e-14 * np.abs(p.inertia).max())
    assert_allclose(p.inertia, p.inertia.T, rtol=0, atol=0)
    assert m[2] <= (m[0] + m[1]) * (1 + 1e-12)


@pytest.mark.parametrize('name', PRIMITIVES)
def test_closed_form_by_density(name):
    shape, unit = PRIMITIVES[name]
    p = mass_properties(shape, density=730.0)
    assert_same(p, unit.scaled(730.0), 1e-13)
    assert_principal(p)


@pytest.mark.parametrize('name', PRIMITIVES)
def test_closed_form_by_mass(name):
    shape, unit = PRIMITIVES[name]
    p = mass_properties(shape, mass=0.71)
    assert p.mass == 0.71
    assert_same(p, unit.of_mass(0.71), 1e-13)


def test_regular_tetrahedron():
    """Edge a: M a²/20 about every axis."""
    corners = 0.5 * np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)])
    p = mass_properties(Tetrahedron(*corners), mass=3.0)
    assert_allclose(p.inertia, 3.0 * 2.0 / 20 * np.eye(3), atol=1e-15)
    assert_allclose(mass_properties(Tetrahedron(*corners), density=3.0).mass, 1.0, rtol=1e-14)


def test_shape_in_the_world_has_its_mass_properties():
    """add_body takes mass and inertia from the shape, by density or by mass."""
    b = WorldBuilder(gravity=(0, 0, 0))
    shapes = [Box((0.3, 0.7, 1.9)), Sphere(0.37), Capsule(0.2, 0.9)]
    for k, shape in enumerate(shapes):
        b.add_body(shape, density=730.0, pos=(9 * k, 0, 0))
        b.add_body(shape, mass=0.71, pos=(9 * k, 9, 0))
    w = b.build()
    for k, shape in enumerate(shapes):
        for row, given in ((2 * k, {'density': 730.0}), (2 * k + 1, {'mass': 0.71})):
            p = mass_properties(shape, **given)
            assert_allclose(w.mass[row], p.mass, rtol=1e-15)
            assert_allclose(w.inertia[row], p.inertia, rtol=1e-14, atol=1e-18)


@pytest.mark.parametrize('reach', [0.0, 3.0, 1e3])
@pytest.mark.parametrize('name', MESHES)
def test_mesh_against_exact_sums(name, reach):
    """Random attitude, up to 1 km from the origin, against integer arithmetic on the very same floats."""
    mesh = meshes.anywhere(np.random.default_rng(4), MESHES[name], reach)
    p = mass_properties(TriangleMesh(*mesh), density=2.0)
    assert_same(p, mass.solid(*mesh).scaled(2.0), 1e-10)
    assert_principal(p)


@pytest.mark.parametrize('name', MESHES)
def test_mesh_against_trimesh(name):
    """trimesh sums about the origin, so that it is asked near it."""
    mesh = meshes.anywhere(np.random.default_rng(5), MESHES[name], 3.0)
    other = trimesh.Trimesh(*mesh, process=False)
    other.density = 1.7
    t = other.mass_properties
    assert_same(
        mass_properties(TriangleMesh(*mesh), density=1.7),
        mass.Inertial(t['mass'], t['center_mass'], t['inertia']),
        1e-10,
    )


def test_small_integer_mesh_by_hand():
    """L of three unit cubes: com (5/6, 5/6, 1/2), products of inertia from three squares."""
    p = mass_properties(TriangleMesh(*meshes.l_prism()), density=1.0)
    assert_allclose(p.mass, 3.0, rtol=1e-15)
    assert_allclose(p.com, [5 / 6, 5 / 6, 1 / 2], rtol=1e-15)
    side, product = 3 / 12 + 2 / 3, 1 / 3  # ∫(x-x̄)² = 3/12 + 2/3, ∫(x-x̄)(y-ȳ) = -1/3
    expected = [[side + 0.25, product, 0], [product, side + 0.25, 0], [0, 0, 2 * side]]
    assert_allclose(p.inertia, expected, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize('count', [4, 8, 30, 300])
def test_convex_hull_of_points(count):
    """The hull's own faces, the sum over it, and points inside or given twice change nothing."""
    rng = np.random.default_rng(count)
    points = rng.normal(size=(count, 3)) * (0.5, 1.0, 2.0) + (3, 2, 1)
    exact = mass.solid(*meshes.hull(points))
    shape = ConvexHull(points)
    assert_same(mass_properties(shape, density=1.0), exact, 1e-10)
    assert_same(mass.solid(shape.vertices, shape.faces), exact, 1e-10)
    inner = points.mean(axis=0) + 0.2 * (points - points.mean(axis=0))
    again = ConvexHull(np.vstack([inner, points[::-1], points[:3]]))
    assert_same(mass_properties(again, density=1.0), exact, 1e-12)


def test_convex_hull_with_coplanar_points():
    """A cube from its corners, edge middles and face centres on a 3 x 3 x 3 grid: every face is full of ties."""
    grid = np.stack(np.meshgrid(*3 * [[-0.5, 0, 0.5]]), axis=-1).reshape(-1, 3)
    assert_same(mass_properties(ConvexHull(grid), density=1.0), mass.box(1, 1, 1), 1e-13)


@pytest.mark.parametrize('name', MESHES)
def test_triangulation_and_numbering_do_not_matter(name):
    rng = np.random.default_rng(6)
    mesh = meshes.anywhere(rng, MESHES[name], 3.0)
    p = mass_properties(TriangleMesh(*mesh), density=1.3)
    for other in (
        meshes.halve_faces(*mesh),
        meshes.raise_faces(*mesh),
        meshes.raise_faces(*meshes.halve_faces(*mesh)),
        meshes.renumbered(rng, mesh),
    ):
        assert_same(mass_properties(TriangleMesh(*other), density=1.3), p, 1e-12)


@pytest.mark.parametrize('seed', range(4))
def test_hull_in_pieces(seed):
    """Delaunay cells of a cloud: as a volume mesh, cut in eight, as a compound, with cells numbered either way."""
    rng = np.random.default_rng(seed)
    points, cells = meshes.hull_cells(rng)
    points = points + (4, -3, 2)
    whole = mass_properties(ConvexHull(points), density=1.0)
    assert_same(mass_properties(TetrahedralMesh(points, cells), density=1.0), whole, 1e-12)
    assert_same(mass_properties(TetrahedralMesh(*meshes.halve_cells(points, cells)), density=1.0), whole, 1e-12)
    pieces = Compound([(Tetrahedron(*points[c]), (0, 0, 0)) for c in cells])
    assert_same(mass_properties(pieces, density=1.0), whole, 1e-12)


def test_volume_mesh_equals_its_surface():
    """An L of three unit cubes in 18 tetrahedra, 1 km away too."""
    rng = np.random.default_rng(9)
    corner, cells = meshes.grid_cells((1, 1, 1), (1, 1, 1))
    blocks = meshes.join(*[(corner + offset, cells) for offset in ((0, 0, 0), (1, 0, 0), (0, 1, 0))])
    for reach in (0.0, 1e3):
        direction, quat = rng.normal(size=3), random_quat(rng)
        pose = reach * direction / np.linalg.norm(direction), quat
        p = mass_properties(TetrahedralMesh(*meshes.moved(blocks, *pose)), mass=2.0)
        assert_same(p, mass.solid(*meshes.moved(meshes.l_prism(), *pose)).of_mass(2.0), 1e-10)


def lumped(mesh):
    return mass_properties(TetrahedralMesh(*mesh, lumped=True), density=1.0)


def test_lumped_form_lacks_the_cells_own_inertia():
    """By the parallel-axis law exact - lumped = the sum of each cell's inertia about its own centroid, to rounding."""
    points, cells = meshes.hull_cells(np.random.default_rng(3))
    p, exact = lumped((points, cells)), mass.tetrahedra(points, cells)
    own = sum(mass.tetrahedron(points[c]).inertia for c in cells)
    assert_same(p, mass.Inertial(exact.mass, exact.com, exact.inertia - own), 1e-13)


def test_lumped_form_converges():
    """Lumped tetrahedra (Yoshimoto 2017): the error follows the cells' own inertia, ~ V h², so halving h (eight times
    the cells) divides it by 4: order 2 in h, where the source promises order 1."""
    exact, errors = mass.box(1, 2, 3), []
    for n in (1, 2, 4, 8):
        p = lumped(meshes.grid_cells((1, 2, 3), (n, n, n)))
        assert_allclose(p.mass, 6.0, rtol=1e-13)
        assert_allclose(p.com, [0.5, 1, 1.5], rtol=1e-13)
        errors.append(np.linalg.norm(p.inertia - exact.inertia))
    assert_allclose(np.log2(np.divide(errors[:-1], errors[1:])), 2.0, atol=1e-9)


def test_lumped_form_converges_on_any_mesh():
    """Irregular cells cut in eight: the observed order in h is 1.85 and more at once, and nears 2."""
    mesh = meshes.hull_cells(np.random.default_rng(7), 10)
    exact, errors = mass.tetrahedra(*mesh), []
    for _ in range(4):
        errors.append(np.linalg.norm(lumped(mesh).inertia - exact.inertia))
        mesh = meshes.halve_cells(*mesh)
    order = np.log2(np.divide(errors[:-1], errors[1:]))
    assert (order > 1.8).all()
    assert_allclose(order[-1], 2.0, atol=0.02)


def test_polyhedra_approach_the_smooth_body():
    """Inscribed icospheres: mass and inertia of the ball at order 2 in the edge length."""
    ball = mass.sphere(1.0)
    errors = [
        1 - mass_properties(TriangleMesh(*meshes.icosphere(k)), density=1.0).inertia[0, 0] / ball.inertia[0, 0]
        for k in (2, 3, 4)
    ]
    assert_allclose(np.divide(errors[:-1], errors[1:]), 4.0, rtol=0.05)


def test_principal_axes_of_a_tilted_box():
    """A mesh of a turned box: the axes are its edges, longest edge first."""
    quat = random_quat(np.random.default_rng(12))
    mesh = meshes.moved(meshes.box((3, 2, 1)), (1, 2, 3), quat)
    p = mass_properties(TriangleMesh(*mesh), density=1.0)
    assert_allclose(p.principal_moments, np.diag(mass.box(3, 2, 1).inertia), rtol=1e-13)
    turned = mesh[0][[1, 3, 4]] - mesh[0][0]
    assert_allclose(np.abs(p.principal_axes.T @ turned.T), np.diag([3, 2, 1]), atol=1e-12)


def test_equal_moments_still_make_a_frame():
    """Cube, ball and rod: any axes do, but they must be a right-handed frame."""
    for shape in (Box((1, 1, 1)), Sphere(1.0), Cylinder(0.1, 5.0), TriangleMesh(*meshes.icosphere(1))):
        assert_principal(mass_properties(shape, mass=1.0))


def test_a_million_triangles_take_half_a_second():
    """Signed tetrahedra, vectorised; processor time, best of three, mesh already checked."""
    ring = TriangleMesh(*meshes.torus(1.0, 0.3, 1000, 500))
    times = []
    for _ in range(3):
        start = process_time()
        p = mass_properties(ring, density=1.0)
        times.append(process_time() - start)
    assert_allclose(p.mass, 2 * np.pi**2 * 0.09, rtol=1e-4)
    assert_allclose(p.inertia[2, 2] / p.mass, 1 + 0.75 * 0.09, rtol=1e-4)
    assert min(times) < 0.5
