"""Tables of static meshes: patches, what edges allow, and the tree against trying every triangle."""
import numpy as np
import pytest
from kernels import from_python

from hakoniwa_rigid.engine import TriangleMesh, WorldBuilder
from hakoniwa_rigid.engine.detect import mesh_query
from hakoniwa_rigid.engine.model import layout as at
from hakoniwa_rigid.engine.model.mesh_tree import edges_of, mesh_tables
from hakoniwa_rigid.engine.shapes import HeightField

next_leaf, after, triangles_of = (from_python(f) for f in (mesh_query.next_leaf, mesh_query.after,
                                                           mesh_query.triangles_of))
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
        corners = mesh.rows[at.LEAF * leaf:at.LEAF * (leaf + 1), :3].reshape(-1, 3)
        box = mesh.box[mesh.leaves - 1 + leaf]
        if len(corners):
            np.testing.assert_array_equal(box, [*corners.min(axis=0), *corners.max(axis=0)])
    for k in range(mesh.leaves - 1):
        children = mesh.box[2 * k + 1:2 * k + 3]
        np.testing.assert_array_equal(mesh.box[k], [*children[:, :3].min(axis=0), *children[:, 3:].max(axis=0)])


@pytest.mark.parametrize('seed', range(3))
def test_the_walk_misses_no_triangle(seed):
    field, rng = bumps(seed, 33), np.random.default_rng(seed)
    b = WorldBuilder()
    b.add_body(field, kind='static')
    s = b.build()._s
    first, count, root, leaves = s.geom_i[0, at.GI_FIRST:at.GI_LEAVES + 1]
    rows = s.convex.vertex[first:first + at.TRIANGLE_ROWS * count].reshape(count, at.TRIANGLE_ROWS, 3)[:, :3]
    low, high = rows.min(axis=1), rows.max(axis=1)
    for _ in range(50):
        c, r = rng.uniform(low.min(axis=0) - 0.5, high.max(axis=0) + 0.5), rng.uniform(0.01, 1.0)
        found, leaf = [], next_leaf(s.convex.vertex, root, leaves, 0, tuple(c), r)
        while leaf >= 0:
            found += range(*triangles_of(leaves, count, leaf))
            leaf = next_leaf(s.convex.vertex, root, leaves, after(leaf), tuple(c), r)
        out = np.maximum(np.maximum(low - c, c - high), 0.0)
        near = np.flatnonzero((out ** 2).sum(axis=1) <= r * r)
        assert found == sorted(set(found))
        assert set(near) <= set(found)
        assert len(found) <= at.LEAF * max(len(near), 1) * 4


def test_a_mesh_of_one_triangle():
    b = WorldBuilder()
    b.add_body(TriangleMesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]), kind='static')
    s = b.build()._s
    tree = s.convex.vertex, s.geom_i[0, at.GI_ROOT], s.geom_i[0, at.GI_LEAVES]
    assert next_leaf(*tree, 0, (0.0, 0.0, 1.0), 1.1) == 0
    assert after(0) == -1
    assert next_leaf(*tree, 0, (0.0, 0.0, 1.0), 0.1) == -1
