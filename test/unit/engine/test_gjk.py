# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Hull tables, and GJK, EPA and the signed distance of polytopes against separating axes written in numpy."""
import numpy as np
import pytest
from convex_door import cores, rows_between
from numpy.testing import assert_allclose
from oracles.convex import corners, random_pose, random_shape
from oracles.rotations import matrix

from hakoniwa_rigid.engine.errors import EngineError
from hakoniwa_rigid.engine.shapes.hull_tables import hull_tables

CUBE = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T.astype(float)


def faces_of(h):
    return [h.face_vertex[i:j] for i, j in zip(h.face_start[:-1], h.face_start[1:], strict=True)]


def edges_of(h):
    return {(i, int(k)) for i in range(len(h.vertex)) for k in h.link[h.link_start[i]:h.link_start[i + 1]]}


@pytest.mark.parametrize(('points', 'faces'), [
    (CUBE, 6),
    (np.vstack([CUBE, np.zeros((1, 3)), [[1.0, 0.5, 0.5]]]), 6),
    (np.c_[np.tile(np.c_[np.cos(np.arange(48) * np.pi / 24), np.sin(np.arange(48) * np.pi / 24)], (2, 1)),
           np.repeat([0.0, 1.0], 48)], 50),
    (np.random.default_rng(1).normal(size=(60, 3)), None),
    (np.vstack([np.random.default_rng(2).uniform(-1.0, 1.0, (300, 3)) * [1.0, 1.0, 1e-9], CUBE[:4]]), None),
], ids=['cube', 'cube with spare points', 'prism', 'random', 'flat'])
def test_hull_tables(points, faces):
    """Merged faces; Euler's formula; corners counter-clockwise on the plane, all points behind; edges both ways."""
    h = hull_tables(points)
    polygons, edges = faces_of(h), edges_of(h)
    assert faces is None or len(polygons) == faces
    assert len(h.vertex) - len(edges) // 2 + len(polygons) == 2
    assert edges == {(j, i) for i, j in edges}
    assert edges == {(int(a), int(b)) for f in polygons for x, y in zip(f, np.roll(f, -1), strict=True)
                     for a, b in ((x, y), (y, x))}
    for f, n in zip(polygons, h.face_normal, strict=True):
        offset = n @ h.vertex[f[0]]
        assert_allclose(h.vertex[f] @ n, offset, atol=1e-12)
        assert (points @ n).max() <= offset + 1e-9
        assert n @ np.cross(h.vertex[f[1]] - h.vertex[f[0]], h.vertex[f[2]] - h.vertex[f[1]]) > 0.0
    for v in range(len(h.vertex)):
        around = h.corner[h.corner_start[v]:h.corner_start[v + 1]]
        assert sorted(around) == [k for k, f in enumerate(polygons) if v in f]


@pytest.mark.parametrize('points', [np.zeros((5, 3)), CUBE[:4] * [1, 1, 0], CUBE[:3]], ids=['point', 'plane', 'three'])
def test_flat_hulls_are_refused(points):
    with pytest.raises(EngineError, match=r'ConvexHull\.points: must be at least four points'):
        hull_tables(points)


def axes_of(shape, pose):
    """Face normals and edge directions of a polytope, world."""
    if shape[0] == 'box':
        return matrix(pose[1]).T, matrix(pose[1]).T
    h = hull_tables(shape[1])
    d = np.array([h.vertex[j] - h.vertex[i] for i, j in edges_of(h) if i < j])
    return h.face_normal @ matrix(pose[1]).T, d @ matrix(pose[1]).T


def separation(shapes, poses):
    """Largest separation over all face normals and products of edges: exact where the polytopes overlap."""
    points = [p[0] + corners(s) @ matrix(p[1]).T for s, p in zip(shapes, poses, strict=True)]
    (na, ea), (nb, eb) = (axes_of(s, p) for s, p in zip(shapes, poses, strict=True))
    n = np.vstack([na, nb, np.cross(ea[:, None], eb[None]).reshape(-1, 3)])
    n = n[np.linalg.norm(n, axis=1) > 1e-9]
    n = np.vstack([n, -n]) / np.linalg.norm(np.vstack([n, n]), axis=1)[:, None]
    return ((points[1] @ n.T).min(axis=0) - (points[0] @ n.T).max(axis=0)).max()


@pytest.mark.parametrize('low', [0.1, 1e-3], ids=['compact', 'thin'])
@pytest.mark.parametrize('kinds', [('box', 'box'), ('box', 'hull'), ('hull', 'hull')])
def test_depth_of_polytopes_is_exact(kinds, low):
    """To 1e-13 m, however thin."""
    rng = np.random.default_rng(31)
    overlapping = 0
    while overlapping < 40:
        shapes = [random_shape(rng, k, low) for k in kinds]
        poses = random_pose(rng, 0.3), random_pose(rng, 0.3)
        g, (a, b) = cores(*shapes)
        gap = rows_between(g, a, poses[0], b, poses[1])['gap'].min()
        wanted = separation(shapes, poses)
        assert (gap > 0.0) == (wanted > 0.0)
        if wanted <= 0.0:
            overlapping += 1
            assert_allclose(gap, wanted, atol=1e-13)


def test_large_hulls_are_climbed():
    """400 points: the support by climbing equals the support of all points, so the gap over a plane is exact."""
    rng = np.random.default_rng(32)
    points = rng.normal(size=(400, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    g, (hull, ball) = cores(('hull', points), ('sphere', (0.5,)))
    for _ in range(50):
        pose, where = random_pose(rng), rng.normal(size=3) * 4.0
        rows = rows_between(g, hull, pose, ball, (where, np.array([1.0, 0, 0, 0])))
        n = rows['normal'][0]
        wanted = where @ n - ((pose[0] + points @ matrix(pose[1]).T) @ n).max() - 0.5
        assert_allclose(rows['gap'].min(), wanted, atol=1e-13)
