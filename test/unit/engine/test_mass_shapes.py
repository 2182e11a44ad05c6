# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Shapes as values: what they accept, how they compare, how far they reach."""
import copy
import math
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from oracles import meshes

from hakoniwa_rigid.engine import (
    Box,
    BoxShell,
    Capsule,
    Compound,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    EngineError,
    Frustum,
    HalfSpace,
    HollowSphere,
    MassError,
    MeshError,
    OpenMeshError,
    Part,
    PointMass,
    Sphere,
    TetrahedralMesh,
    Tetrahedron,
    TriangleMesh,
    VolumeError,
    WindingError,
)
from hakoniwa_rigid.engine.constants import MAX_COORDINATE
from hakoniwa_rigid.engine.shapes import edges, hull

CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
NAN = math.nan


def made():
    """One of every bounded shape, afresh."""
    return [
        Sphere(0.5), Box((1, 2, 3)), Capsule(0.5, 1.0), Cylinder(3.0, 8.0), Cone(3.0, 8.0), Ellipsoid((1, 3, 2)),
        HollowSphere(2.0, 0.1), BoxShell((2, 3, 6), 0.1), PointMass(), Tetrahedron(*CORNERS), ConvexHull(CORNERS),
        TriangleMesh(*meshes.box()), TetrahedralMesh(CORNERS, [(0, 1, 2, 3)], lumped=True),
        Compound([Part(Sphere(1.0), (3, 4, 0)), (Tetrahedron(*CORNERS), (0, 0, 1), (0, 1, 0, 0))]),
    ]


@pytest.mark.parametrize('k', range(len(made())))
def test_equal_by_value_and_hashable(k):
    one, other = made()[k], made()[k]
    assert one == other and hash(one) == hash(other)
    assert all(one != different for i, different in enumerate(made()) if i != k)
    assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == one


def test_signs_of_zero_do_not_make_a_difference():
    one, other = (Tetrahedron(*s * np.array(CORNERS)) for s in (1.0, [[1.0, 1.0, 1.0]]))
    flipped = Tetrahedron(*np.where(np.array(CORNERS) == 0, -0.0, CORNERS))
    assert one == other == flipped and hash(one) == hash(flipped)


def test_a_changed_number_makes_another_shape():
    mesh = TriangleMesh(*meshes.box())
    vertices = mesh.vertices.copy()
    vertices[3, 1] += 1e-15
    assert TriangleMesh(vertices, mesh.faces) != mesh
    assert TetrahedralMesh(CORNERS, [(0, 1, 2, 3)]) != TetrahedralMesh(CORNERS, [(0, 1, 2, 3)], lumped=True)


def test_arrays_are_read_only_copies():
    vertices, faces = meshes.box()
    mesh = TriangleMesh(vertices, faces)
    vertices[0] = 7.0
    assert not (mesh.vertices == 7.0).any()
    for a in (mesh.vertices, mesh.faces, ConvexHull(CORNERS).vertices, ConvexHull(CORNERS).faces):
        with pytest.raises(ValueError, match='read-only'):
            a[0] = 0
    with pytest.raises(AttributeError):
        mesh.vertices = vertices


def test_big_arrays_are_printed_by_their_size():
    assert repr(TriangleMesh(*meshes.box())) == 'TriangleMesh(vertices: 8x3, faces: 12x3)'
    assert 'lumped: False' in repr(TetrahedralMesh(CORNERS, [(0, 1, 2, 3)]))


@pytest.mark.parametrize(('shape', 'radius'), list(zip(made(), [
    0.5, math.sqrt(14) / 2, 1.0, 5.0, 5.0, 3.0, 2.0, 3.5, 0.0, 1.0, 1.0, math.sqrt(0.75), 1.0, 6.0], strict=True)),
    ids=lambda x: type(x).__name__)
def test_bounding_radius(shape, radius):
    assert shape.bounded
    assert shape.bounding_radius() == pytest.approx(radius, rel=1e-15)


@pytest.mark.parametrize(('make', 'words'), [
    (lambda: Cylinder(0.0, 1.0), 'Cylinder.radius'),
    (lambda: Cylinder(1.0, -1.0), 'Cylinder.height'),
    (lambda: Cone(1.0, NAN), 'Cone.height'),
    (lambda: Frustum(1.0, 0.0, 2.0), 'Frustum.top_radius: must be > 0, got 0.0; that would be a Cone'),
    (lambda: Frustum(0, 0.5, 2.0), 'Frustum.radius: must be > 0, got 0; that would be a Cone upside down'),
    (lambda: Frustum(1.0, -0.5, 2.0), 'Frustum.top_radius'),
    (lambda: Ellipsoid((1.0, 0.0, 1.0)), r'Ellipsoid.semi_axes\[1\]'),
    (lambda: HollowSphere(1.0, -0.1), 'HollowSphere.thickness'),
    (lambda: HollowSphere(1.0, 1.1), 'at most 1 m'),
    (lambda: BoxShell((1, 2, 3), 0.6), 'at most 0.5 m'),
    (lambda: BoxShell((1, 2, 1e9)), r'BoxShell.size\[2\]'),
    (lambda: Tetrahedron(*CORNERS[:3], (0, 1)), r'Tetrahedron.d: must .*shape \(1, 3\)'),
    (lambda: Compound([]), 'empty'),
    (lambda: Compound(Sphere(1.0)), 'sequence'),
    (lambda: Compound(3), 'sequence'),
    (lambda: Compound([Sphere(1.0), 'ball']), r"parts\[1\].*'ball'"),
    (lambda: Compound([(Sphere(1.0), (0, 0, 0), (1, 0, 0, 0), 3)]), r'parts\[0\]'),
    (lambda: Compound([(Sphere(1.0), (0, 0))]), r'parts\[0\]: Part.pos'),
    (lambda: Compound([(Sphere(1.0), (0, 0, 0), (1, 1, 0, 0))]), r'parts\[0\]: Part.quat'),
    (lambda: Part('ball'), 'Part.shape'),
    (lambda: Part(HalfSpace()), 'bounded'),
])
def test_what_is_refused(make, words):
    with pytest.raises(EngineError, match=words):
        make()


@pytest.mark.parametrize(('given', 'words'), [
    ({'density': 1.0, 'mass': 1.0}, 'not both'),
    ({'density': 0.0}, 'density: must not be 0'),
    ({'mass': NAN}, 'mass: must be finite'),
    ({'mass': 'much'}, 'mass: must be a number'),
    ({'mass': -1.0, 'hole': True}, 'mass: must be > 0 where hole=True'),
])
def test_part_with_a_wrong_amount(given, words):
    with pytest.raises(MassError, match=words):
        Part(Sphere(1.0), **given)


def test_parts_in_every_notation():
    plain = Part(Sphere(1.0))
    ball = Sphere(1.0)
    compound = Compound([plain, ball, (ball,), (ball, (0, 0, 0)), [ball, (0, 0, 0), (1, 0, 0, 0)]])
    assert compound.parts == (plain,) * 5
    assert Compound(iter([plain])).parts == (plain,)


@pytest.mark.parametrize(('vertices', 'faces', 'words'), [
    ([(0, 0, 0), (1, NAN, 0), (0, 1, 0)], [(0, 1, 2)], r'vertices\[1\]: must be finite, got \[1.0, nan, 0.0\]'),
    ([(0, 0, 0), (1, 0, 0), (0, 2 * MAX_COORDINATE, 0)], [(0, 1, 2)], r'vertices\[2\]: must be within'),
    ([(0, 0, 0), (1, 0, 0), (0, 10**400, 0)], [(0, 1, 2)], 'vertices: must be numbers'),
    ('mesh', [(0, 1, 2)], 'vertices: must be numbers'),
    ([(0, 0), (1, 0), (0, 1)], [(0, 1, 2)], r'vertices: .*got shape \(3, 2\)'),
    (CORNERS, [(0, 1, 2), (0, 1, 4)], r'faces\[1\]: must name vertices 0..3, got \[0, 1, 4\]'),
    (CORNERS, [(0, 1, -1)], r'faces\[0\]'),
    (CORNERS, np.array([(0, 1, 2**64 - 1)], np.uint64), r'faces\[0\]: must name vertices 0..3'),
    (CORNERS, [(0, 1, 2), (1, 2, 1)], r'faces\[1\]: names vertex 1 twice'),
    (CORNERS, [(0, 1, 2, 3)], 'cut polygons into triangles'),
    (CORNERS, [(0, 1, 2), (0, 1)], 'faces: must be whole numbers'),
    (CORNERS, [(0.0, 1.0, 2.0)], 'whole numbers, got float64'),
    (CORNERS, np.empty((0, 3), int), 'faces: must not be empty'),
    (CORNERS, [], r'got shape \(0,\)'),
])
def test_mesh_arrays_that_are_refused(vertices, faces, words):
    with pytest.raises(MeshError, match=f'TriangleMesh.*{words}'):
        TriangleMesh(vertices, faces)


def test_small_unsigned_indices_do_not_overflow():
    vertices, faces = meshes.torus(n=40, m=10)
    assert_array_equal(TriangleMesh(vertices, faces.astype(np.uint16)).faces, faces)


@pytest.mark.parametrize(('points', 'words'), [
    (CORNERS[:3], '4 or more'),
    (np.ones((6, 3)), 'all 6 lie at one point'),
    (np.outer(np.arange(9.0), (1, 2, 3)), 'all 9 lie on a line'),
    (np.random.default_rng(1).normal(size=(9, 3)) * (1, 1, 0) + (0, 0, 5), 'all 9 lie in a plane'),
])
def test_hull_without_volume(points, words):
    with pytest.raises(VolumeError, match=words):
        ConvexHull(points)


@pytest.mark.parametrize('thickness', [0.0, 1e-13, 1e-12])
def test_hull_that_is_thinner_than_its_rounding(thickness):
    """A square a long way off, out of its plane by no more than the last digits of its coordinates."""
    square = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0.3, 0.6, thickness)])
    turned = meshes.moved((square, None), (300.0, 200.0, 100.0), (0.8, 0.2, 0.4, 0.4))[0]
    with pytest.raises(VolumeError, match='in a plane'):
        ConvexHull(turned)


def test_hull_drops_inner_and_repeated_points_and_faces_outward():
    points = np.vstack([CORNERS, CORNERS, [(0.1, 0.1, 0.1)]])
    h = ConvexHull(points)
    assert sorted(map(tuple, h.vertices)) == sorted(map(tuple, np.array(CORNERS, dtype=float)))
    a, b, c = np.moveaxis(h.vertices[h.faces], 1, 0)
    outward = np.einsum('fi,fi->f', np.cross(b - a, c - a), a - h.vertices.mean(axis=0))
    assert len(h.faces) == 4 and (outward > 0).all()


def test_hull_of_points_on_edges_stays_one_surface():
    """Rounding makes corners of points along straight lines; the slivers between them must not break the winding."""
    turn = 2 * np.pi * np.arange(50) / 50
    ring = np.column_stack([np.cos(turn), np.sin(turn)])
    points = np.vstack([np.column_stack([ring, np.full(50, z)]) for z in (0.0, 0.25, 0.5, 1.0)])
    for seed in range(20):
        rng = np.random.default_rng(seed)
        h = ConvexHull(meshes.anywhere(rng, (points, None), 1000.0)[0])
        assert edges.is_closed(edges.sorted_edges(h.faces))


def test_faces_follow_their_neighbours():
    vertices, faces = meshes.icosahedron()
    neighbours = np.array([[next(k for k, other in enumerate(faces) if k != i and {a, b} <= set(other))
                            for a, b in ((f[1], f[2]), (f[2], f[0]), (f[0], f[1]))]
                           for i, f in enumerate(faces.tolist())])
    mixed = faces.copy()
    mixed[[1, 4, 5, 11]] = mixed[[1, 4, 5, 11], ::-1]
    hull._follow(mixed, neighbours, 0)
    assert edges.is_closed(edges.sorted_edges(mixed))
    assert_array_equal(mixed[[0, 1, 4]], faces[[0, 1, 4]])


@pytest.mark.parametrize(('pos', 'quat'), [((0, 0, 0), (1, 0, 0, 0)), ((90, -40, 7), (0.1, 0.7, 0.5, 0.5))])
def test_flat_tetrahedra_are_named(pos, quat):
    flat = meshes.moved((np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], dtype=float), None), pos, quat)[0]
    with pytest.raises(VolumeError, match='plane'):
        Tetrahedron(*flat)
    solid = np.vstack([flat, np.asarray(pos) + np.ones(3)])
    with pytest.raises(VolumeError, match=r'tetrahedra\[1\]: has no volume.*\(1 such'):
        TetrahedralMesh(solid, [(0, 1, 2, 4), (3, 2, 1, 0), (1, 2, 3, 4)])


def test_thin_but_solid_tetrahedron():
    thin = np.array(CORNERS) * (1.0, 1.0, 1e-9)
    assert_allclose(Tetrahedron(*thin).vertices, thin)


@pytest.mark.parametrize('kind', [OpenMeshError, WindingError])
def test_errors_survive_pickling(kind):
    error = pickle.loads(pickle.dumps(kind('TriangleMesh: ...', (3, 7))))
    assert (str(error), error.edge) == ('TriangleMesh: ...', (3, 7))
    assert kind('words').edge is None
