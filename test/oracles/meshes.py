# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Closed triangle meshes and tetrahedral meshes to weigh: (vertices (n, 3) m, faces or cells ints), outward faces."""

from itertools import permutations

import numpy as np
from scipy.spatial import ConvexHull, Delaunay

from oracles.rotations import matrix, random_quat


def prism(outline, triangles, height):
    """Flat outline (n, 2), counter-clockwise, with its triangulation, drawn up from z = 0 to z = height."""
    n = len(outline)
    flat = np.asarray(outline, dtype=float)
    vertices = np.vstack([np.column_stack([flat, np.full(n, z)]) for z in (0.0, height)])
    triangles = np.asarray(triangles)
    k = np.arange(n)
    after = (k + 1) % n
    sides = np.vstack([np.column_stack([k, after, after + n]), np.column_stack([k, after + n, k + n])])
    return vertices, np.vstack([triangles[:, ::-1], triangles + n, sides])


def box(sides=(1.0, 1.0, 1.0)):
    """Centred box with full sides, 12 triangles."""
    x, y, z = sides
    vertices, faces = prism([(0, 0), (x, 0), (x, y), (0, y)], [(0, 1, 2), (0, 2, 3)], z)
    return vertices - np.array(sides) / 2, faces


def l_prism():
    """An L of three unit squares, 1 m high; not convex."""
    outline = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
    return prism(outline, [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)], 1.0)


def icosahedron():
    """Twelve unit vertices."""
    g = (1 + np.sqrt(5)) / 2
    corners = [np.roll([0, s, t * g], k) for k in range(3) for s in (-1, 1) for t in (-1, 1)]
    return hull(np.array(corners) / np.sqrt(1 + g * g))


def icosphere(level, radius=1.0):
    """Icosahedron split `level` times, vertices on the sphere: 20·4^level faces."""
    vertices, faces = icosahedron()
    for _ in range(level):
        vertices, faces = halve_faces(vertices, faces)
        vertices /= np.linalg.norm(vertices, axis=1)[:, None]
    return radius * vertices, faces


def star(spike=2.0, dent=0.4):
    """A spike over each face of an icosahedron whose own vertices are drawn in: not convex."""
    vertices, faces = icosahedron()
    return raise_faces(dent * vertices, faces, lambda centre: spike * centre / np.linalg.norm(centre))


def torus(major=1.0, minor=0.3, n=24, m=12):
    """Ring of n sections with m corners each, about z: genus 1."""
    u, v = np.meshgrid(2 * np.pi * np.arange(n) / n, 2 * np.pi * np.arange(m) / m, indexing='ij')
    ring = major + minor * np.cos(v)
    vertices = np.stack([ring * np.cos(u), ring * np.sin(u), minor * np.sin(v)], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(n), np.arange(m), indexing='ij')
    corner = [((i + a) % n * m + (j + b) % m).ravel() for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
    return vertices, np.vstack([np.column_stack([corner[k] for k in t]) for t in ((0, 1, 2), (0, 2, 3))])


def cavity(outer, inner):
    """The first mesh with the second cut out of it: its faces turn round."""
    return join(outer, (inner[0], inner[1][:, ::-1]))


def join(*parts):
    """Several meshes in one list; no vertex is shared."""
    start = np.cumsum([0] + [len(v) for v, _ in parts])
    faces = [f + s for (_, f), s in zip(parts, start, strict=False)]
    return np.vstack([v for v, _ in parts]), np.vstack(faces)


def hull(points):
    """Outward triangles of the convex hull of points, its vertices renumbered without gaps."""
    points = np.asarray(points, dtype=float)
    found = ConvexHull(points)
    outward = []
    for simplex, plane in zip(found.simplices, found.equations, strict=True):
        a, b, c = points[simplex]
        outward.append(simplex if np.cross(b - a, c - a) @ plane[:3] > 0 else simplex[::-1])
    used, faces = np.unique(outward, return_inverse=True)
    return points[used], faces.reshape(-1, 3)


def random_hull(rng, count=20):
    """Hull of random points, stretched differently along each axis."""
    return hull(rng.normal(size=(count, 3)) * rng.uniform(0.2, 2.0, size=3))


def moved(mesh, pos, quat):
    """Turned about the origin, then shifted."""
    return mesh[0] @ matrix(quat).T + np.asarray(pos), mesh[1]


def anywhere(rng, mesh, reach):
    """The mesh at a random attitude, `reach` m away in a random direction."""
    direction = rng.normal(size=3)
    return moved(mesh, reach * direction / np.linalg.norm(direction), random_quat(rng))


def renumbered(rng, mesh):
    """The same surface: vertices permuted, faces permuted, each face begun at another corner."""
    vertices, faces = mesh
    order = rng.permutation(len(vertices))
    place = np.argsort(order)
    turned = np.array([np.roll(f, rng.integers(3)) for f in place[faces]])
    return vertices[order], turned[rng.permutation(len(faces))]


def _middles(vertices):
    """A list of vertices that grows, and a call that returns the index of the midpoint of two, made once per pair."""
    vertices, known = list(np.asarray(vertices, dtype=float)), {}

    def between(i, j):
        key = min(i, j), max(i, j)
        if key not in known:
            known[key] = len(vertices)
            vertices.append((vertices[i] + vertices[j]) / 2)
        return known[key]

    return vertices, between


def halve_faces(vertices, faces):
    """Each face in four by the midpoints of its edges, neighbours sharing them."""
    vertices, between = _middles(vertices)
    fine = []
    for a, b, c in np.asarray(faces):
        ab, bc, ca = between(a, b), between(b, c), between(c, a)
        fine += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
    return np.array(vertices), np.array(fine)


def raise_faces(vertices, faces, top=lambda centre: centre):
    """Each face in three about the point top(its centroid)."""
    vertices = np.asarray(vertices)
    tops = np.array([top(vertices[f].mean(axis=0)) for f in faces])
    fine = [(f[k], f[(k + 1) % 3], len(vertices) + n) for n, f in enumerate(faces) for k in range(3)]
    return np.vstack([vertices, tops]), np.array(fine)


def grid_cells(sides, counts):
    """Box with a corner at 0, cut in counts = (i, j, k) bricks, each in six tetrahedra around its diagonal (Kuhn)."""
    counts = np.array(counts)
    index = np.stack(np.meshgrid(*[np.arange(c + 1) for c in counts], indexing='ij'), axis=-1).reshape(-1, 3)
    stride = np.array([(counts[1] + 1) * (counts[2] + 1), counts[2] + 1, 1])
    bricks = index[(index < counts).all(axis=1)] @ stride
    cells = []
    for first, second, _ in permutations(range(3)):
        path = np.cumsum([0, stride[first], stride[second], stride.sum() - stride[first] - stride[second]])
        cells.append(bricks[:, None] + path)
    return index * (np.array(sides) / counts), np.vstack(cells)


def hull_cells(rng, count=20):
    """Delaunay tetrahedra of random points: they fill the hull of the points. Returns points, cells."""
    points = rng.normal(size=(count, 3))
    return points, Delaunay(points).simplices


def halve_cells(vertices, cells):
    """Each tetrahedron in eight by the midpoints of its edges, in the order of Bey (1995), which keeps shapes few."""
    vertices, between = _middles(vertices)
    fine = []
    for a, b, c, d in np.asarray(cells):
        ab, ac, ad, bc, bd, cd = (between(*p) for p in ((a, b), (a, c), (a, d), (b, c), (b, d), (c, d)))
        fine += [(a, ab, ac, ad), (ab, b, bc, bd), (ac, bc, c, cd), (ad, bd, cd, d)]
        fine += [(ab, ac, ad, bd), (ab, ac, bc, bd), (ac, ad, bd, cd), (ac, bc, bd, cd)]
    return np.array(vertices), np.array(fine)
