# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Cost of weighing a mesh of a million triangles, checks of its arrays, edges, winding and parts included."""
import time

import numpy as np
import pytest
import trimesh

from hakoniwa_rigid.engine import TriangleMesh, mass_properties

OURS = 'hakoniwa_rigid'

# time of this process: other work on the machine does not count
pytestmark = pytest.mark.benchmark(timer=time.process_time)

MAJOR, MINOR = 2.0, 0.5     # m


def torus(sections=1000, corners=500, minor=MINOR):
    """Ring of 2 x sections x corners triangles, in the order in which they were made."""
    u, v = np.meshgrid(2 * np.pi * np.arange(sections) / sections, 2 * np.pi * np.arange(corners) / corners,
                       indexing='ij')
    ring = MAJOR + minor * np.cos(v)
    vertices = np.stack([ring * np.cos(u), ring * np.sin(u), minor * np.sin(v)], axis=-1).reshape(-1, 3)
    i, j = np.divmod(np.arange(sections * corners), corners)
    a, b, c, d = (((i + di) % sections) * corners + (j + dj) % corners for di, dj in ((0, 0), (1, 0), (1, 1), (0, 1)))
    return vertices, np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])


def shuffled():
    """The same with vertices and triangles in random order: the worst case for the processor's cache."""
    vertices, faces = torus()
    rng = np.random.default_rng(0)
    order = rng.permutation(len(vertices))
    return vertices[order], np.argsort(order)[faces][rng.permutation(len(faces))]


def hollow():
    """A ring in a ring: the parts, their signs and the place of the cavity have to be looked at."""
    (vertices, faces), (walls, inward) = torus(500), torus(500, minor=0.5 * MINOR)
    return np.concatenate([vertices, walls]), np.concatenate([faces, inward[:, ::-1] + len(vertices)])


def subdivided():
    """A sphere subdivided eight times, more than a million triangles: neighbours lie far apart in the arrays."""
    sphere = trimesh.creation.icosphere(subdivisions=8)
    return np.array(sphere.vertices), np.array(sphere.faces)


@pytest.mark.parametrize('mesh', [torus, shuffled, hollow, subdivided], ids=lambda f: f.__name__)
def test_a_million_triangles(measure, mesh):
    """One step is one body, from plain arrays to principal axes."""
    vertices, faces = mesh()
    assert len(faces) >= 1_000_000
    p = measure(f'mass of 1e6 triangles, {mesh.__name__}', OURS,
                lambda: mass_properties(TriangleMesh(vertices, faces), density=1.0), 1, None)
    volume = 4.0 / 3.0 * np.pi if mesh is subdivided else (
        2.0 * np.pi**2 * MAJOR * MINOR**2 * (0.75 if mesh is hollow else 1.0))
    assert p.mass == pytest.approx(volume, rel=1e-4)
