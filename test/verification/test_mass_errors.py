# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What has no mass properties is a typed error that names the reason, the place and, where there is one, the remedy."""

import re

import numpy as np
import pytest
from oracles import meshes
from oracles.rotations import random_quat, random_tensor

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
    HollowSphere,
    InertiaError,
    InvertedMeshError,
    MassError,
    MeshError,
    OpenMeshError,
    Part,
    Sphere,
    TetrahedralMesh,
    Tetrahedron,
    TriangleMesh,
    VolumeError,
    WindingError,
    WorldBuilder,
    mass_properties,
)

NAN, INF = float('nan'), float('inf')
CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
CUBE = meshes.box()


def weigh(mesh):
    """Mass properties of a mesh; whether a fault is found at construction or here is the engine's choice."""
    return mass_properties(TriangleMesh(*mesh), density=1.0)


def caught(kind, mesh, *words):
    """The error that weighing raises: of class `kind` or below, its message holds all the words."""
    with pytest.raises(kind) as info:
        weigh(mesh)
    for word in words:
        assert re.search(rf'(?<![\d.]){re.escape(str(word))}(?![\d])', str(info.value)), (word, str(info.value))
    return info.value


def edges(face):
    return [{int(face[k]), int(face[(k + 1) % 3])} for k in range(3)]


def without(mesh, *rows):
    return mesh[0], np.delete(mesh[1], rows, axis=0)


def flipped(mesh, *rows):
    faces = mesh[1].copy()
    faces[list(rows)] = faces[list(rows), ::-1]
    return mesh[0], faces


def inside_out(mesh):
    return mesh[0], mesh[1][:, ::-1]


def shifted(mesh, x):
    return mesh[0] + (x, 0, 0), mesh[1]


def test_family():
    """All are EngineErrors, so ValueErrors; the mesh's are MeshErrors."""
    for kind in (MassError, MeshError, VolumeError, InertiaError):
        assert issubclass(kind, EngineError)
        assert issubclass(kind, ValueError)
    for kind in (OpenMeshError, WindingError, InvertedMeshError):
        assert issubclass(kind, MeshError)
    assert not issubclass(OpenMeshError, WindingError)
    assert not issubclass(WindingError, OpenMeshError)


@pytest.mark.parametrize('row', range(12))
def test_missing_face(row):
    """The edge named is one of the hole's three, and the message gives its two vertices and the face along it."""
    gap = edges(CUBE[1][row])
    mesh = without(CUBE, row)
    error = caught(OpenMeshError, mesh)
    assert set(error.edge) in gap
    face = next(n for n, f in enumerate(mesh[1]) if set(error.edge) in edges(f))
    for number in (*error.edge, face):
        assert re.search(rf'\b{number}\b', str(error))


def test_sheet_is_open():
    caught(OpenMeshError, ([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)]))


def test_unmerged_vertices_are_open():
    """Triangle soup, as an stl file holds it: no face knows its neighbour."""
    soup = CUBE[0][CUBE[1]].reshape(-1, 3), np.arange(36).reshape(-1, 3)
    error = caught(OpenMeshError, soup)
    assert 'merge' in str(error).lower() or 'same place' in str(error).lower() or 'coincid' in str(error).lower()


def test_crack_of_a_different_triangulation():
    """A vertex on a neighbour's edge (T-junction) leaves an open edge."""
    vertices, faces = CUBE
    a, b, c = faces[0]
    middle = len(vertices)
    split = np.vstack([faces[1:], [(a, middle, c), (middle, b, c)]])
    error = caught(OpenMeshError, (np.vstack([vertices, (vertices[a] + vertices[b]) / 2]), split))
    assert middle in error.edge or set(error.edge) == {int(a), int(b)}


@pytest.mark.parametrize('row', range(12))
def test_one_face_the_wrong_way_round(row):
    """Two faces run along the same edge the same way: its vertices and both faces are named."""
    mesh = flipped(CUBE, row)
    error = caught(WindingError, mesh)
    assert set(error.edge) in edges(CUBE[1][row])
    beside = [n for n, f in enumerate(mesh[1]) if set(error.edge) in edges(f)]
    assert row in beside
    for number in (*error.edge, *beside):
        assert re.search(rf'\b{number}\b', str(error))


def test_half_of_the_faces_the_wrong_way_round():
    caught(WindingError, flipped(meshes.icosphere(1), *range(40)))


@pytest.mark.parametrize('mesh', [CUBE, meshes.torus(), meshes.star(), meshes.l_prism()])
def test_inside_out(mesh):
    """The remedy stands in the message."""
    caught(InvertedMeshError, inside_out(mesh), 'faces[:, ::-1]')
    weigh(mesh)


def test_one_of_two_bodies_inside_out():
    """The sum of the volumes is positive or nought, and still wrong."""
    small = shifted(meshes.box((0.5, 0.5, 0.5)), 5)
    for mesh in (
        meshes.join(CUBE, inside_out(small)),
        meshes.join(inside_out(small), CUBE),
        meshes.join(CUBE, inside_out(shifted(CUBE, 5))),
    ):
        caught((InvertedMeshError, WindingError), mesh)


def test_cavity_that_is_solid_or_outside():
    """A cavity must lie in its body; the shell of a proper one is no fault."""
    hole = meshes.box((0.5, 0.5, 0.5))
    weigh(meshes.cavity(CUBE, hole))
    caught((InvertedMeshError, WindingError), meshes.cavity(CUBE, shifted(hole, 3)))
    caught((InvertedMeshError, WindingError), inside_out(meshes.cavity(CUBE, hole)))
    ring, bead = meshes.torus(), meshes.box((0.1, 0.1, 0.1))
    weigh(meshes.cavity(ring, shifted(bead, 1.0)))
    caught((InvertedMeshError, WindingError), meshes.cavity(ring, bead))  # in the ring's eye


def test_cavity_within_a_cavity():
    """Nothing is left there to cut out; an island is."""
    outer = meshes.cavity(meshes.box((2, 2, 2)), CUBE)
    small = meshes.box((0.5, 0.5, 0.5))
    assert weigh(meshes.join(outer, small)).mass == pytest.approx(7.125, rel=1e-14)
    caught((InvertedMeshError, WindingError), meshes.cavity(outer, small))


def test_three_faces_on_an_edge():
    """A fin on a cube: no closed surface."""
    vertices, faces = CUBE
    fin = np.vstack([vertices, (3, 3, 3)]), np.vstack([faces, [(faces[0][0], faces[0][1], 8)]])
    error = caught(MeshError, fin)
    assert len(error.edge) == 2


def test_same_face_twice():
    caught(MeshError, (CUBE[0], np.vstack([CUBE[1], CUBE[1][:1]])))


def test_two_cubes_that_share_an_edge():
    """Four faces on one edge: not a surface (docs/mass_properties.md asks for exactly two). Sharing a vertex is
    allowed."""
    corner = meshes.prism([(0, 0), (1, 0), (1, 1), (0, 1)], [(0, 1, 2), (0, 2, 3)], 1.0)
    for offset, allowed in (((1, 1, 0), False), ((1, 1, 1), True)):
        vertices, faces = meshes.join(corner, (corner[0] + offset, corner[1]))
        places, number = np.unique(vertices, axis=0, return_inverse=True)
        mesh = places, number.reshape(-1)[faces]
        if allowed:
            assert weigh(mesh).mass == pytest.approx(2.0, rel=1e-14)
        else:
            caught(MeshError, mesh)


@pytest.mark.parametrize('value', [NAN, INF, -INF])
@pytest.mark.parametrize('vertex', [0, 5])
def test_vertex_that_is_no_number(value, vertex):
    vertices = CUBE[0].copy()
    vertices[vertex, 1] = value
    caught(EngineError, (vertices, CUBE[1]), vertex, 'nan' if np.isnan(value) else 'inf')


@pytest.mark.parametrize('index', [8, 99, -1])
@pytest.mark.parametrize('row', [0, 11])
def test_index_out_of_range(index, row):
    """The face and the index are named; -1 does not mean the last vertex."""
    faces = CUBE[1].copy()
    faces[row, 2] = index
    caught(MeshError, (CUBE[0], faces), row, index)


def test_vertex_twice_in_a_face():
    faces = CUBE[1].copy()
    faces[7, 1] = faces[7, 0]
    caught(MeshError, (CUBE[0], faces), 7, faces[7, 0])


@pytest.mark.parametrize(
    ('vertices', 'faces'),
    [
        (np.zeros((0, 3)), np.zeros((0, 3), dtype=int)),
        (CUBE[0], np.zeros((0, 3), dtype=int)),
        (CUBE[0][:, :2], CUBE[1]),
        (CUBE[0], np.zeros((2, 4), dtype=int)),
        (CUBE[0], CUBE[1] + 0.5),
        (CUBE[0], CUBE[1].ravel()),
        ('vertices', 'faces'),
        (None, CUBE[1]),
    ],
    ids=['nothing', 'no faces', 'two coordinates', 'quads', 'halves', 'flat list', 'text', 'None'],
)
def test_array_of_the_wrong_kind(vertices, faces):
    with pytest.raises(EngineError):
        weigh((vertices, faces))


def test_closed_mesh_without_volume():
    """A triangle and its back; a cube pressed flat."""
    caught(VolumeError, ([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2), (0, 2, 1)]))
    caught(VolumeError, (CUBE[0] * (1, 1, 0), CUBE[1]))


@pytest.mark.parametrize(
    ('vertices', 'cells', 'shown'),
    [
        (CORNERS, [(0, 1, 2, 4)], '4'),
        (CORNERS, [(0, 1, 2, -1)], '-1'),
        (CORNERS, [(0, 1, 2, 2)], '2'),
        (CORNERS, [(0, 1, 2)], '3'),
        (CORNERS, np.zeros((0, 4), dtype=int), ''),
        ([(0, 0, NAN), *CORNERS[1:]], [(0, 1, 2, 3)], 'nan'),
    ],
)
def test_bad_volume_mesh(vertices, cells, shown):
    with pytest.raises(EngineError, match=f'(?s).*{re.escape(shown)}'):
        mass_properties(TetrahedralMesh(vertices, cells), density=1.0)


@pytest.mark.parametrize('given', [{}, {'density': 1.0, 'mass': 1.0}])
@pytest.mark.parametrize('shape', [Box((1, 1, 1)), Compound([(Sphere(1.0), (0, 0, 0))]), TriangleMesh(*CUBE)])
def test_density_or_mass_and_not_both(shape, given):
    with pytest.raises(MassError, match='(?s)(?=.*density)(?=.*mass)'):
        mass_properties(shape, **given)


@pytest.mark.parametrize('value', [0.0, -1.5, NAN, INF, -INF, 'heavy', None])
@pytest.mark.parametrize('key', ['density', 'mass'])
def test_mass_must_be_positive(key, value):
    with pytest.raises(MassError, match=key if value is None else f'(?s)(?=.*{key})(?=.*{re.escape(str(value))})'):
        mass_properties(Sphere(1.0), **{key: value})


@pytest.mark.parametrize(
    ('make', 'key', 'shown'),
    [
        (lambda: Cylinder(0.0, 1.0), 'radius', '0'),
        (lambda: Cylinder(1.0, -1.0), 'height', '-1'),
        (lambda: Cone(NAN, 1.0), 'radius', 'nan'),
        (lambda: Cone(1.0, 0.0), 'height', '0'),
        (lambda: Ellipsoid((1.0, 2.0)), '', '2'),
        (lambda: Ellipsoid((1.0, -2.0, 1.0)), '', '-2'),
        (lambda: HollowSphere(-1.0), 'radius', '-1'),
        (lambda: HollowSphere(1.0, -0.1), 'thickness', '-0.1'),
        (lambda: HollowSphere(1.0, 1.5), 'thickness', '1.5'),
        (lambda: HollowSphere(1.0, NAN), 'thickness', 'nan'),
        (lambda: BoxShell((1.0, 1.0, 0.0)), '', '0'),
        (lambda: BoxShell((1.0, 1.0, 0.5), 0.3), 'thickness', '0.3'),
        (lambda: BoxShell((1.0, 1.0, 1.0), INF), 'thickness', 'inf'),
        (lambda: Tetrahedron((0, 0, 0), (1, 0, 0), (0, 1), (0, 0, 1)), 'Tetrahedron', 'c'),
        (lambda: Tetrahedron(*CORNERS[:3], (0, 0, NAN)), 'd', 'nan'),
        (lambda: ConvexHull([[0, 0], [1, 0], [0, 1]]), 'points', '2'),
        (lambda: ConvexHull([*CORNERS, (0, INF, 0)]), 'points', 'inf'),
        (lambda: Compound([]), 'parts', ''),
        (lambda: Compound([('ball', (0, 0, 0))]), 'parts', 'ball'),
        (lambda: Compound([Part(Sphere(1.0), (0, 0, NAN))]), 'pos', 'nan'),
        (lambda: Compound([Part(Sphere(1.0), quat=(2, 0, 0, 0))]), 'quat', '2'),
        (lambda: Compound([Part(Sphere(1.0), density=1.0, mass=1.0)]), 'density', ''),
        (lambda: Compound([Part(Sphere(1.0), density=NAN)]), 'density', 'nan'),
        (lambda: Compound([Part(Sphere(1.0), mass=0.0)]), 'mass', '0'),
    ],
)
def test_bad_shape(make, key, shown):
    """Refused where it is made: the key and the value stand in the message."""
    with pytest.raises(EngineError, match=f'(?s)(?=.*{key})(?=.*{re.escape(shown)})'):
        make()


def test_part_is_named():
    """By its place in the list: a bad pose of a part given as a tuple, and a part without a density."""
    with pytest.raises(EngineError, match=r'parts\[1\](?s:.*)inf'):
        Compound([(Sphere(1.0), (0, 0, 0)), (Sphere(1.0), (0, INF, 0))])
    with pytest.raises(MassError, match=r'parts\[1\]'):
        mass_properties(Compound([Part(Sphere(1.0), density=2.0), Part(Box((1, 1, 1)))]))


def test_unknown_shape():
    with pytest.raises(EngineError, match='shape'):
        mass_properties('ball', mass=1.0)


def test_hole_that_takes_more_than_there_is():
    """A hole beside the body: the mass is positive, but no mass distribution has that inertia."""
    with pytest.raises(InertiaError):
        mass_properties(Compound([Part(Sphere(1.0)), Part(Sphere(0.5), (6, 0, 0), hole=True)]), density=1.0)


@pytest.mark.parametrize(
    'inertia',
    [
        (1.0, 1.0, 2.1),
        (2.1, 1.0, 1.0),
        (1.0, 0.0, 1.0),
        (-1.0, 1.0, 1.0),
        [[1.0, 0.2, 0], [0.1, 1.0, 0], [0, 0, 1.0]],
        [[1.0, 1.5, 0], [1.5, 1.0, 0], [0, 0, 1.0]],
    ],
    ids=['I3 > I1 + I2', 'I1 > I2 + I3', 'zero', 'negative', 'not symmetric', 'indefinite'],
)
def test_inertia_no_body_has(inertia):
    b = WorldBuilder()
    with pytest.raises(InertiaError, match='d7'):
        b.add_body(Capsule(0.1, 0.2), mass=1.0, inertia=inertia, name='d7')
    b.add_body(Capsule(0.1, 0.2), mass=1.0, inertia=(1.0, 1.0, 2.0), name='d7')


@pytest.mark.parametrize('seed', range(5))
def test_turned_inertia_no_body_has(seed):
    """Moments (1, 1, 2.01) behind products of inertia; the same with (1, 1, 1.99) is a body."""
    rng = np.random.default_rng(seed)
    r = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    b = WorldBuilder()
    for top, allowed in ((1.99, True), (2.01, False)):
        tensor = r @ np.diag([1.0, 1.0, top]) @ r.T
        tensor = 0.5 * (tensor + tensor.T)
        if allowed:
            b.add_body(Sphere(0.1), mass=1.0, inertia=tensor, quat=random_quat(rng))
        else:
            with pytest.raises(InertiaError):
                b.add_body(Sphere(0.1), mass=1.0, inertia=tensor)
    b.add_body(Sphere(0.1), mass=1.0, inertia=random_tensor(rng))


def test_body_in_the_world_needs_a_mass():
    for given in ({}, {'mass': 1.0, 'density': 1.0}, {'density': -1.0}, {'mass': 0.0}, {'density': NAN}):
        with pytest.raises(MassError, match='d7'):
            WorldBuilder().add_body(Sphere(0.1), name='d7', **given)


def test_solid_within_a_solid():
    """A cavity whose faces look outward would count twice."""
    for outer in (CUBE, meshes.cavity(meshes.box((2, 2, 2)), CUBE)):
        inner = shifted(meshes.box((0.2, 0.2, 0.2)), 0.75 if len(outer[0]) > 8 else 0)
        caught((InvertedMeshError, WindingError), meshes.join(outer, inner))
