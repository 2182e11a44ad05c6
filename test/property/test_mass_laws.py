# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Laws that mass, centre of mass and inertia keep for any body: shifting, turning, scaling, adding, mirroring."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from oracles import mass, meshes
from oracles.mass import Inertial, assert_same
from oracles.rotations import cross_matrix, matrix, random_quat

from hakoniwa_rigid.engine import (
    Box,
    BoxShell,
    Capsule,
    Compound,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HollowSphere,
    Part,
    Sphere,
    TetrahedralMesh,
    Tetrahedron,
    TriangleMesh,
    mass_properties,
)

COMMON = settings(deadline=None, derandomize=True, max_examples=60)
seeds = st.integers(0, 2**32 - 1)
lengths = st.floats(0.01, 10.0)
densities = st.floats(1e-3, 1e5)


def star(rng):
    """A star turned and bent out of true, so that no symmetry is left."""
    vertices, faces = meshes.anywhere(rng, meshes.star(rng.uniform(1, 3), rng.uniform(0.2, 0.6)), 1.0)
    return vertices * rng.uniform(0.3, 2, size=3), faces


# each makes a shape from three lengths and a random number generator
MAKERS = {
    'box': lambda s, rng: Box(tuple(s)),
    'sphere': lambda s, rng: Sphere(s[0]),
    'ellipsoid': lambda s, rng: Ellipsoid(tuple(s)),
    'cylinder': lambda s, rng: Cylinder(s[0], s[1]),
    'cone': lambda s, rng: Cone(s[0], s[1]),
    'capsule': lambda s, rng: Capsule(s[0], s[1]),
    'tetrahedron': lambda s, rng: Tetrahedron(*rng.normal(size=(4, 3)) * s),
    'hollow sphere': lambda s, rng: HollowSphere(s[0], s[0] * rng.uniform(0.05, 0.9)),
    'box shell': lambda s, rng: BoxShell(tuple(s), min(s) * rng.uniform(0.05, 0.45)),
    'hull': lambda s, rng: ConvexHull(rng.normal(size=(15, 3)) * s),
    'mesh': lambda s, rng: TriangleMesh(*_scaled(star(rng), s)),
    'volume mesh': lambda s, rng: TetrahedralMesh(*_scaled(meshes.hull_cells(rng, 8), s)),
    'compound': lambda s, rng: Compound(
        [
            Part(Box(tuple(s)), 0.3 * rng.normal(size=3) * s, random_quat(rng)),
            Part(Cone(s[0], s[1]), 0.3 * rng.normal(size=3) * s, random_quat(rng)),
        ]
    ),
}
kinds = st.sampled_from(sorted(MAKERS))
sizes = st.tuples(lengths, lengths, lengths)


def _scaled(mesh, sides):
    return mesh[0] * np.asarray(sides), mesh[1]


def make(kind, size, seed, factor=1.0):
    """The same random shape for the same seed, `factor` times as large."""
    return MAKERS[kind](np.array(size) * factor, np.random.default_rng(seed))


def oracle_of(p):
    return Inertial(p.mass, p.com, p.inertia)


@COMMON
@given(kind=kinds, size=sizes, seed=seeds, density=densities)
def test_any_body_is_physical(kind, size, seed, density):
    """Mass positive, moments sorted, positive and within the triangle inequality, axes right-handed."""
    p = mass_properties(make(kind, size, seed), density=density)
    m, a = p.principal_moments, p.principal_axes
    assert p.mass > 0
    assert 0 < m[0] <= m[1] <= m[2] <= (m[0] + m[1]) * (1 + 1e-12)
    assert_allclose(np.linalg.det(a), 1.0, atol=1e-13)
    assert_allclose(a @ np.diag(m) @ a.T, p.inertia, rtol=0, atol=1e-14 * m[2])


@COMMON
@given(kind=kinds, size=sizes, seed=seeds, density=densities, factor=st.floats(1e-3, 1e3))
def test_mass_is_linear(kind, size, seed, density, factor):
    """Density and mass scale mass and inertia and move nothing; density= and mass= say the same."""
    shape = make(kind, size, seed)
    p = mass_properties(shape, density=density)
    assert_same(mass_properties(shape, density=factor * density), oracle_of(p).scaled(factor), 1e-13)
    assert_same(mass_properties(shape, mass=p.mass), p, 1e-13)
    assert_same(mass_properties(shape, mass=factor), oracle_of(p).of_mass(factor), 1e-13)


@COMMON
@given(kind=kinds, size=sizes, seed=seeds, factor=st.floats(1e-3, 1e3))
def test_size_counts_to_the_fifth_power(kind, size, seed, factor):
    """Mass ~ s³, com ~ s, inertia ~ s⁵ at one density."""
    p = mass_properties(make(kind, size, seed), density=2.0)
    large = mass_properties(make(kind, size, seed, factor), density=2.0)
    assert_same(large, Inertial(p.mass * factor**3, p.com * factor, p.inertia * factor**5), 1e-11)


@COMMON
@given(size=sizes, seed=seeds, factor=st.floats(1e-3, 1e3))
def test_thin_shells_scale_as_surfaces(size, seed, factor):
    """Mass ~ s² and inertia ~ s⁴ for a density in kg/m²."""
    for kind in (lambda s: HollowSphere(s[0]), lambda s: BoxShell(tuple(s))):
        p = mass_properties(kind(np.array(size)), density=2.0)
        large = mass_properties(kind(np.array(size) * factor), density=2.0)
        assert_same(large, Inertial(p.mass * factor**2, p.com, p.inertia * factor**4), 1e-13)


@COMMON
@given(kind=kinds, size=sizes, seed=seeds)
def test_turned_and_shifted(kind, size, seed):
    """As a part with a pose: c -> R c + p and I -> R I Rᵀ; the moments stay."""
    rng = np.random.default_rng(seed + 1)
    shape, pos, quat = make(kind, size, seed), rng.normal(size=3) * max(size), random_quat(rng)
    p = mass_properties(shape, density=3.0)
    turned = mass_properties(Compound([(shape, pos, quat)]), density=3.0)
    assert_same(turned, oracle_of(p).moved(pos, quat), 1e-11)
    assert_allclose(turned.principal_moments, p.principal_moments, rtol=0, atol=1e-11 * p.principal_moments[2])


@COMMON
@given(kind=kinds, other=kinds, size=sizes, seed=seeds)
def test_parallel_axes(kind, other, size, seed):
    """Two bodies as one: I = Σ I_i + m_a m_b / (m_a + m_b) (d² 1 - d dᵀ), d from centroid to centroid."""
    rng = np.random.default_rng(seed + 2)
    a, b = make(kind, size, seed), make(other, size[::-1], seed + 1)
    pos = rng.normal(size=3) * 3 * max(size)
    pa, pb = mass_properties(a, density=2.0), mass_properties(b, density=7.0)
    p = mass_properties(Compound([Part(a, density=2.0), Part(b, pos, density=7.0)]))
    d = pb.com + pos - pa.com
    reduced = pa.mass * pb.mass / (pa.mass + pb.mass)
    together = pa.inertia + pb.inertia - reduced * cross_matrix(d) @ cross_matrix(d)
    com = (pa.mass * pa.com + pb.mass * (pb.com + pos)) / (pa.mass + pb.mass)
    assert_same(p, Inertial(pa.mass + pb.mass, com, together), 1e-11)


@COMMON
@given(kind=kinds, other=kinds, size=sizes, seed=seeds)
def test_what_is_added_can_be_taken_away(kind, other, size, seed):
    """A body with a part added and the same part cut out again is the body."""
    a, b = make(kind, size, seed), make(other, size, seed + 1)
    pos, quat = np.array(size) / 3, random_quat(np.random.default_rng(seed))
    p = mass_properties(Compound([Part(a), Part(b, pos, quat), Part(b, pos, quat, hole=True)]), density=2.0)
    expected, extra = mass_properties(a, density=2.0), mass_properties(b, density=2.0)
    # rounding is that of the largest thing summed
    larger = 1 + extra.mass / expected.mass
    spread = np.trace(extra.inertia) + extra.mass * np.sum((pos + extra.com - expected.com) ** 2)
    larger += spread / np.trace(expected.inertia)
    assert_same(p, expected, 1e-13 * larger * (1 + np.sqrt(larger)))


@COMMON
@given(size=sizes, seed=seeds)
def test_mesh_turned_shifted_and_mirrored(size, seed):
    """The vertices themselves moved; a mirror image turns its faces round and reflects the tensor."""
    rng = np.random.default_rng(seed)
    vertices, faces = _scaled(star(rng), size)
    pos, quat, mirror = rng.normal(size=3) * max(size), random_quat(rng), np.diag([1.0, -1.0, 1.0])
    p = mass_properties(TriangleMesh(vertices, faces), density=3.0)
    moved = mass_properties(TriangleMesh(*meshes.moved((vertices, faces), pos, quat)), density=3.0)
    assert_same(moved, oracle_of(p).moved(pos, quat), 1e-10)
    image = mass_properties(TriangleMesh(vertices @ mirror, faces[:, ::-1]), density=3.0)
    assert_same(image, Inertial(p.mass, mirror @ p.com, mirror @ p.inertia @ mirror), 1e-12)


@COMMON
@given(seed=seeds, stretch=st.tuples(lengths, lengths, lengths))
def test_affine_maps(seed, stretch):
    """Second moments C = tr(I)/2 1 - I about the com go to A C Aᵀ det A under x -> A x, whatever the body."""
    rng = np.random.default_rng(seed)
    vertices, faces = star(rng)
    a = matrix(random_quat(rng)) @ np.diag(stretch) @ matrix(random_quat(rng))
    p = mass_properties(TriangleMesh(vertices, faces), density=1.0)
    image = mass_properties(TriangleMesh(vertices @ a.T, faces), density=1.0)
    moments = 0.5 * np.trace(p.inertia) * np.eye(3) - p.inertia
    after = np.linalg.det(a) * a @ moments @ a.T
    tensor = np.trace(after) * np.eye(3) - after
    assert_same(image, Inertial(np.linalg.det(a) * p.mass, a @ p.com, tensor), 1e-10)


@COMMON
@given(seed=seeds, count=st.integers(4, 40), reach=st.sampled_from([0.0, 1.0, 1e3]))
def test_hulls_against_exact_sums(seed, count, reach):
    """ConvexHull, its faces as a TriangleMesh and integer arithmetic agree, 1 km from the origin too."""
    rng = np.random.default_rng(seed)
    mesh = meshes.anywhere(rng, meshes.random_hull(rng, count), reach)
    exact = mass.solid(*mesh)
    flatness = np.linalg.eigvalsh(exact.inertia)[2] / exact.mass ** (5 / 3)  # slivers lose digits as volume does
    tol = 1e-10 * max(1.0, flatness / 10)
    assert_same(mass_properties(TriangleMesh(*mesh), density=1.0), exact, tol)
    assert_same(mass_properties(ConvexHull(mesh[0]), density=1.0), exact, tol)


@COMMON
@given(sides=sizes, cut=st.floats(0.01, 0.99), axis=st.integers(0, 2), density=densities)
def test_a_cut_box_is_the_box(sides, cut, axis, density):
    """Cut anywhere across any axis and put together again."""
    parts = []
    for low, high in ((0.0, cut), (cut, 1.0)):
        piece, pos = np.array(sides), np.zeros(3)
        piece[axis] *= high - low
        pos[axis] = sides[axis] * ((low + high) / 2 - 0.5)
        parts.append((Box(tuple(piece)), pos))
    assert_same(mass_properties(Compound(parts), density=density), mass.box(*sides).scaled(density), 1e-13)
