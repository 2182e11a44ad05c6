# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Which triangles a hull has, and in which order, is the same with every build of Qhull that was tried.

Masses and numbers of faces follow the triangles.  Where points lie in one plane, rounding inside Qhull chooses them: a
build that contracts products and sums, as compilers for ARM may, would choose others, and is found here.
docs/determinism.md says which builds were tried.
"""
import hashlib

import numpy as np

from hakoniwa_rigid.engine import ConvexHull
from hakoniwa_rigid.engine.shapes.hull_tables import hull_tables

EXPECTED = 'ea3f4a155e804801bbbd2913372d34c7'


def rotation(q):
    """Matrix of a quaternion of any length, by + - * / alone."""
    w, x, y, z = q
    n = w * w + x * x + y * y + z * z
    return np.array([[n - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), n - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), n - 2 * (x * x + y * y)]]) / n


def turned(points, q):
    """Points (n, 3) in another attitude; a matrix product would leave the order of its sums open."""
    x, y, z = points.T
    return np.stack([a * x + b * y + c * z for a, b, c in rotation(q)], axis=1)


def prism(sides):
    """Two polygons of points on circles, one over the other."""
    t = np.linspace(-1.0, 1.0, sides)
    half = np.stack([(1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)], axis=1)
    circle = np.concatenate([half, -half])
    return np.concatenate([np.insert(circle, 2, z, axis=1) for z in (-1.0, 1.0)])


def clouds():
    """Points in space, and many in common planes: grids and prisms, as they are, stretched and turned."""
    rng = np.random.default_rng(1)
    grid = np.array([(x, y, z) for x in range(4) for y in range(3) for z in range(3)], dtype=np.float64)
    for k in range(40):
        yield rng.random((5 + k, 3)) - 0.5
        q = 2.0 * rng.random(4) - 1.0
        for points in (grid, prism(3 + k % 20)):
            yield points * (0.1 + rng.random(3))
            yield turned(points, q)


def digest():
    """Of the triangles of all hulls, and of the faces that the contacts see."""
    sha = hashlib.sha256()
    for points in clouds():
        hull, tables = ConvexHull(points), hull_tables(points)
        for whole in (hull.faces, tables.face_start, tables.face_vertex, tables.link, tables.corner):
            sha.update(np.ascontiguousarray(whole, np.int64).tobytes())
        sha.update(hull.vertices.tobytes() + tables.face_normal.tobytes())
    return sha.hexdigest()[:32]


def test_triangles_of_hulls_are_those_of_every_build():
    assert digest() == EXPECTED
