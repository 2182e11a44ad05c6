# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Tables of static meshes: patches, what edges allow, and the tree against trying every triangle."""
import numpy as np
import pytest
from kernels import from_python
from oracles.rotations import matrix, random_quat

from hakoniwa_rigid.engine import TriangleMesh, WorldBuilder
from hakoniwa_rigid.engine.detect import mesh_query
from hakoniwa_rigid.engine.model import layout as L
from hakoniwa_rigid.engine.model.mesh_tree import by_first, edges_of, mesh_tables
from hakoniwa_rigid.engine.shapes import HeightField

next_near, after, probe_of = (from_python(f) for f in (mesh_query.next_near, mesh_query.after, mesh_query.probe_of))
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
FACES = np.array([t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))])


def edge_angles(vertices, faces):
    """{undirected edge: limit} of both its triangles, which must agree."""
    limits, _ = edges_of(vertices, faces)
    found = {}
    for face, row in zip(faces.tolist(), limits.tolist(), strict=True):
        for i in range(3):
            found.setdefault(frozenset((face[i], face[(i + 1) % 3])), set()).add(row[i])
    return {k: v.pop() for k, v in found.items() if len(v) == 1}


def test_a_cube_has_six_patches_and_right_angles():
    limits, patch = edges_of(CUBE, FACES)
    assert len(set(patch)) == 6 and (np.bincount(patch) == 2).all()
    angles = edge_angles(CUBE, FACES)
    assert len(angles) == 18
    assert sorted(angles.values()) == pytest.approx([0.0] * 6 + [np.pi / 2] * 12)
    assert limits.shape == (12, 3)


def test_a_room_has_no_free_edges_inside():
    """The cube seen from within: every edge is concave."""
    limits, _ = edges_of(CUBE, FACES[:, ::-1])
    assert (limits == 0.0).all()


def test_a_rim_is_free_by_a_right_angle():
    limits, patch = edges_of(CUBE, FACES[:2])
    assert len(set(patch)) == 1
    assert sorted(limits.ravel()) == pytest.approx([0.0] * 2 + [np.pi / 2] * 4)


def bumps(seed, n=20):
    return HeightField(np.random.default_rng(seed).uniform(0, 0.5, (n, n)), (0.3, 0.2))


@pytest.mark.parametrize('seed', range(3))
def test_boxes_hold_their_triangles_and_children(seed):
    field = bumps(seed)
    mesh = mesh_tables(field.vertices, field.faces)
    np.testing.assert_array_equal(mesh.rows[:, :3], field.vertices[field.faces[mesh.order]])
    assert mesh.leaves & (mesh.leaves - 1) == 0
    for leaf in range(mesh.leaves):
        corners = mesh.rows[L.LEAF * leaf:L.LEAF * (leaf + 1), :3].reshape(-1, 3)
        box = mesh.box[mesh.leaves - 1 + leaf]
        if len(corners):
            np.testing.assert_array_equal(box, [*corners.min(axis=0), *corners.max(axis=0)])
    for k in range(mesh.leaves - 1):
        children = mesh.box[2 * k + 1:2 * k + 3]
        np.testing.assert_array_equal(mesh.box[k], [*children[:, :3].min(axis=0), *children[:, 3:].max(axis=0)])


def near_box(corners, c, axes, half):
    """(T,) m, distance from a box to (T, 3, 3) triangles: the least over a grid of points on them, so rather more."""
    u, v = (x.ravel() for x in np.meshgrid(*2 * [np.linspace(0.0, 1.0, 13)]))
    weight = np.stack([1.0 - u - v, u, v])[:, u + v <= 1.0]
    points = np.einsum('tkx,kp->tpx', corners - c, weight) @ axes
    return np.linalg.norm(np.maximum(np.abs(points) - half, 0.0), axis=2).min(axis=1)


@pytest.mark.parametrize('turned', [False, True])
@pytest.mark.parametrize('seed', range(3))
def test_the_walk_misses_no_triangle(seed, turned):
    """Against all triangles tried one by one: every one within reach is found, except from behind, and few others."""
    field, rng = bumps(seed, 17), np.random.default_rng(seed)
    b = WorldBuilder()
    b.add_body(field, kind='static')
    s = b.build()._s
    first, count = s.geom_i[0, L.GI_FIRST], s.geom_i[0, L.GI_COUNT]
    rows = s.convex.vertex[first:first + L.TRIANGLE_ROWS * count].reshape(count, L.TRIANGLE_ROWS, 3)
    corners, normal = rows[:, :3], rows[:, L.TRI_NORMAL]
    low, high = corners.min(axis=1), corners.max(axis=1)
    tried = wanted = 0
    for _ in range(50):
        c, half = rng.uniform(low.min(axis=0) - 0.5, high.max(axis=0) + 0.5), rng.uniform(0.01, 1.0, 3)
        reach, q = rng.uniform(0.0, 0.3), random_quat(rng) if turned else np.array(UPRIGHT)
        probe = probe_of((0.0, 0.0, 0.0), UPRIGHT, tuple(c), tuple(q), tuple(half), reach)
        found, k = np.zeros(count, bool), next_near(s.convex.vertex, s.geom_i[0], probe, 0)
        while k >= 0:
            found[k] = True
            k = next_near(s.convex.vertex, s.geom_i[0], probe, k + 1)
        axes = matrix(q)
        behind = ((c - corners[:, 0]) * normal).sum(axis=1) < -np.abs(normal @ axes) @ half
        near = near_box(corners, c, axes, half)
        assert found[(near <= reach) & ~behind].all()
        assert not found[behind].any()
        assert not found[near > 1.8 * reach + 0.1].any()
        tried, wanted = tried + found.sum(), wanted + ((near <= reach) & ~behind).sum()
    assert 200 < wanted <= tried < 1.3 * wanted


def test_a_mesh_of_one_triangle():
    b = WorldBuilder()
    b.add_body(TriangleMesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]), kind='static')
    s = b.build()._s
    for half, expected in ((1.1, 0), (0.1, -1)):
        probe = probe_of((0.0, 0.0, 0.0), UPRIGHT, (0.0, 0.0, 1.0), UPRIGHT, (half,) * 3, 0.0)
        assert next_near(s.convex.vertex, s.geom_i[0], probe, 0) == expected
    assert after(0) == -1


def test_a_sheet_that_bends_by_next_to_nothing_is_no_patch():
    """Each strip turns by less than what counts as flat, all of them by much more."""
    n = 4000
    x = np.linspace(0.0, 1.0, n)
    sheet = HeightField(np.stack([1e-4 * x * x] * 2, axis=1), (1.0 / (n - 1), 1.0))
    rows = mesh_tables(sheet.vertices, sheet.faces).rows
    height = np.einsum('tij,tj->ti', rows[:, :3] - rows[:, :1], rows[:, L.TRI_NORMAL])
    assert np.abs(height).max() < 1e-15
    for first, end, plane in rows[:, L.TRI_PATCH].astype(int)[::97]:
        off = (rows[first:end, :3] - rows[plane, 0]) @ rows[plane, L.TRI_NORMAL]
        assert np.abs(off).max() <= 1e-9


def test_labels_are_numbered_by_where_they_come_first():
    assert by_first(np.array([7, 2, 2, 9, 7, 0])).tolist() == [0, 1, 1, 2, 0, 3]
