# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Edges, parts and cavities of triangle meshes."""
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from oracles import meshes

from hakoniwa_rigid.engine import (
    EngineError,
    InertiaError,
    InvertedMeshError,
    OpenMeshError,
    TriangleMesh,
    VolumeError,
    WindingError,
    mass_properties,
)
from hakoniwa_rigid.engine.mass import mesh_topology, polyhedron
from hakoniwa_rigid.engine.shapes import edges

CUBE = meshes.box()
TURN = (0.5, 0.1, -0.7, 0.5)


def volume(mesh):
    return mass_properties(TriangleMesh(*mesh), density=1.0).mass


def scaled(factor, mesh, pos=(0.0, 0.0, 0.0)):
    return factor * np.asarray(mesh[0]) + np.asarray(pos), mesh[1]


def inside_out(mesh):
    return mesh[0], np.asarray(mesh[1])[:, ::-1]


def test_an_edge_in_one_number():
    """smaller vertex, larger vertex, direction; up to 2^31 vertices."""
    most = 2**31 - 1
    keys = edges.sorted_edges(np.array([(0, 1, most), (1, 0, most - 1)]))
    smaller, larger = edges.ends(keys)
    assert (np.diff(keys) > 0).all()
    assert_array_equal(np.column_stack([smaller, larger, keys & 1]), [
        (0, 1, 0), (0, 1, 1), (0, most - 1, 0), (0, most, 1), (1, most - 1, 1), (1, most, 0)])


@pytest.mark.parametrize('mesh', [CUBE, meshes.torus(), meshes.star(), meshes.cavity(CUBE, scaled(0.5, CUBE))])
def test_closed(mesh):
    faces = np.asarray(mesh[1])
    assert edges.is_closed(edges.sorted_edges(faces))
    assert not edges.is_closed(edges.sorted_edges(faces[1:]))
    assert not edges.is_closed(edges.sorted_edges(np.vstack([faces, faces[:1]])))
    assert not edges.is_closed(edges.sorted_edges(np.vstack([faces[:1, ::-1], faces[1:]])))


@pytest.mark.parametrize(('change', 'kind', 'edge', 'words'), [
    (lambda f: f[1:], OpenMeshError, None, r'only faces\[\d+\].*3 edges have not.*close the hole'),
    (lambda f: np.vstack([f, f[4:5]]), OpenMeshError, None, r'faces \[\d+, \d+, 12\].*repeated faces'),
    (lambda f: np.vstack([f[:4], f[4:5, ::-1], f[5:]]), WindingError, None, r'faces\[4\].*same way.*3 such'),
])
def test_edge_and_faces_are_named(change, kind, edge, words):
    faces = change(np.asarray(CUBE[1]))
    with pytest.raises(kind, match=words) as caught:
        volume((CUBE[0], faces))
    i, j = caught.value.edge
    assert type(i) is int and i < j
    runs = [(a, b) for f in faces.tolist() for a, b in ((f[0], f[1]), (f[1], f[2]), (f[2], f[0])) if {a, b} == {i, j}]
    assert sorted(runs) != [(i, j), (j, i)]
    assert f'({i}, {j})' in str(caught.value)


def test_cubes_that_share_an_edge_need_their_own_vertices():
    vertices = np.vstack([CUBE[0], CUBE[0] + (1, 1, 0)])
    joined = np.unique(vertices, axis=0, return_inverse=True)[1].ravel()
    faces = joined[np.vstack([CUBE[1], CUBE[1] + 8])]
    with pytest.raises(OpenMeshError, match='their own vertices'):
        volume((np.unique(vertices, axis=0), faces))
    assert volume((vertices, np.vstack([CUBE[1], CUBE[1] + 8]))) == pytest.approx(2.0, rel=1e-14)


@pytest.mark.parametrize('seed', range(5))
def test_labels_of_parts(seed):
    """Against a search vertex by vertex."""
    rng = np.random.default_rng(seed)
    count = 60
    a, b = rng.integers(0, count, (2, 50))
    a, b = np.sort([a[a != b], b[a != b]], axis=0)
    a, b = a[np.argsort(a)], b[np.argsort(a)]
    expected = np.arange(count)
    for _ in range(count):
        for i, j in zip(a, b, strict=True):
            expected[[i, j]] = min(expected[i], expected[j])
    got = mesh_topology.part_labels(count, a, b)
    assert_array_equal(got, expected)


def test_label_of_a_long_chain():
    order = np.random.default_rng(0).permutation(1000)
    ends = np.sort([order[:-1], order[1:]], axis=0)
    assert not mesh_topology.part_labels(1000, *ends[:, np.argsort(ends[0])]).any()


@pytest.mark.parametrize('place', ['here', 'turned', 'far'])
def test_cavities(place):
    """Hollow, a ball in the hollow, a hollow in that ball, and another body beside them."""
    shells = [scaled(factor, meshes.star(), (0, 0, 0)) for factor in (1.0, 0.6, 0.3, 0.1)]
    nested = meshes.join(shells[0], inside_out(shells[1]), shells[2], inside_out(shells[3]),
                         scaled(1.0, CUBE, (9, 0, 0)))
    if place != 'here':
        nested = meshes.moved(nested, (1e3, -2e3, 3e3) if place == 'far' else (0, 0, 0), TURN)
    expected = volume(shells[0]) * (1 - 0.6**3 + 0.3**3 - 0.1**3) + 1.0
    assert volume(nested) == pytest.approx(expected, rel=1e-9 if place == 'far' else 1e-13)


@pytest.mark.parametrize('turned', [False, True])
@pytest.mark.parametrize(('parts', 'face'), [
    ([CUBE, inside_out(scaled(0.5, CUBE, (3, 0, 0)))], 12),                                   # beside
    ([CUBE, inside_out(scaled(0.5, CUBE, (0, 0, 3)))], 12),                                   # above: on the ray
    ([inside_out(scaled(0.5, CUBE, (0, 0, -3))), CUBE], 0),                                   # below
    ([CUBE, inside_out(scaled(0.5, CUBE)), inside_out(scaled(0.2, CUBE))], 24),               # a hole in a hole
    ([meshes.torus(), inside_out(scaled(0.1, CUBE))], 576),                                   # in the middle of a ring
    ([CUBE, inside_out(scaled(1.0, CUBE, (5, 0, 0)))], 12),                                   # volumes cancel
])
def test_part_inside_out(parts, face, turned):
    mesh = meshes.join(*parts)
    if turned:
        mesh = meshes.moved(mesh, (1.0, 2.0, 3.0), TURN)
    with pytest.raises(InvertedMeshError, match=rf'part of 12 faces around faces\[{face}\] is inside out'):
        volume(mesh)


def test_cavity_that_touches_the_surface():
    """The walls of hollow and body lie in one plane: the hollow still lies inside."""
    assert volume(meshes.cavity(CUBE, scaled(0.5, CUBE, (0.25, 0.25, 0.25)))) == pytest.approx(0.875, rel=1e-14)


@pytest.mark.parametrize('seed', range(12))
def test_a_part_that_sticks_out_is_weighed_however_it_is_turned(seed):
    """A peg sunk into a plate counts with its whole volume; one that is all within the plate is refused."""
    rng = np.random.default_rng(seed)
    plate = scaled((2.0, 2.0, 0.6), CUBE)
    peg = scaled((0.1, 0.1, 0.5), CUBE, (0.2, 0.2, 0.3))
    assert volume(meshes.anywhere(rng, meshes.join(plate, peg), 3.0)) == pytest.approx(2.405, rel=1e-12)
    sunk = scaled((0.1, 0.1, 0.5), CUBE, (0.2, 0.2, 0.0))
    with pytest.raises(InvertedMeshError, match='lies inside solid'):
        volume(meshes.anywhere(rng, meshes.join(plate, sunk), 3.0))


def test_a_sheet_beside_a_body_adds_nothing():
    """A flat box encloses nothing, to rounding on either side of 0: no cavity, and no fault."""
    sheet = scaled((1.0, 2.0, 0.0), CUBE)
    for seed in range(8):
        turned = meshes.anywhere(np.random.default_rng(seed), sheet, 3.0)
        for side in (turned, inside_out(turned)):
            assert volume(meshes.join(CUBE, side)) == pytest.approx(1.0, rel=1e-14)


def test_the_whole_inside_out_says_reverse_everything():
    with pytest.raises(InvertedMeshError, match=r'reverse each face: faces\[:, ::-1\]'):
        volume(inside_out(meshes.cavity(CUBE, scaled(0.5, CUBE))))


def test_nothing_inside():
    flat = scaled((1.0, 1.0, 0.0), CUBE)
    for mesh in (flat, meshes.moved(flat, (30.0, 10.0, -20.0), TURN)):
        with pytest.raises(VolumeError, match='TriangleMesh: encloses no volume'):
            volume(mesh)


def test_thin_plates_have_a_volume():
    plate = scaled((1.0, 1.0, 1e-9), CUBE)
    assert volume(plate) == pytest.approx(1e-9, rel=1e-14)
    assert volume(meshes.moved(plate, (0.0, 0.0, 0.0), TURN)) == pytest.approx(1e-9, rel=1e-6)


@pytest.mark.parametrize('distance', [0.0, 10.0, 1000.0])
@pytest.mark.parametrize('thickness', [1e-6, 1e-9, 1e-12])
def test_thin_plates_of_many_faces_have_an_inertia(thickness, distance):
    """Rounding of the sums must not break I1 + I2 >= I3, which of a plate is an equality."""
    vertices, faces = meshes.halve_faces(*meshes.halve_faces(*meshes.l_prism()))
    for seed in range(8):
        mesh = meshes.anywhere(np.random.default_rng(seed), (vertices * (1.0, 1.0, thickness), faces), distance)
        try:
            p = mass_properties(TriangleMesh(*mesh), density=1.0)
        except VolumeError:
            assert thickness < 1e-10 and distance > 100.0
            continue
        # polar moment of three unit squares about their centroid: 3 x 1/6 + 2/9 + 2 x 5/9 = 11/6
        assert p.principal_moments[2] == pytest.approx(11.0 / 6.0 * thickness, rel=1e-14 * (1.0 + distance) / thickness)


def test_a_surface_that_cuts_itself():
    """A block with a twisted handle that counts as negative: closed, positive volume, and yet no body."""
    outline = [(0, -1), (1, -1), (1, 1), (0, 1), (-0.1, -0.02), (-10, -0.02), (-10, 0.02), (-0.1, 0.02)]
    fan = [(0, i, i + 1) for i in range(1, 7)]
    with pytest.raises(InertiaError, match='TriangleMesh: inertia: .*does its surface cut itself?'):
        volume(meshes.prism(outline, fan, 1.0))


def test_far_away_vertices_that_no_face_uses_cost_no_digits():
    vertices, faces = meshes.star()
    lonely = TriangleMesh(np.vstack([vertices, np.full((1, 3), 1e6)]), faces)
    near = mass_properties(TriangleMesh(vertices, faces), density=1.0)
    p = mass_properties(lonely, density=1.0)
    assert_allclose([p.mass, *p.com, *p.inertia.ravel()], [near.mass, *near.com, *near.inertia.ravel()], rtol=1e-14,
                    atol=1e-15)


def test_passes_add_up(monkeypatch):
    """However many faces are taken at a time."""
    mesh = TriangleMesh(*meshes.star())
    whole = mass_properties(mesh, density=1.0)
    for size in (1, 7, 60, 61):
        for module in (polyhedron, edges):
            monkeypatch.setattr(module, 'FACES_PER_PASS', size)
        p = mass_properties(mesh, density=1.0)
        assert_allclose(p.inertia, whole.inertia, rtol=0, atol=1e-14)
        assert p.mass == pytest.approx(whole.mass, rel=1e-14)


def test_errors_do_not_depend_on_where_the_mesh_is():
    for k in range(4):
        mesh = meshes.anywhere(np.random.default_rng(k), meshes.torus(), 10.0**k)
        volume(mesh)
        with pytest.raises(EngineError):
            volume((mesh[0], mesh[1][:-1]))
