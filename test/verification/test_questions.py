# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Distance, overlap, nearest and ray queries of a World against trimesh, sampling and trying every pair."""
import numpy as np
import pytest
import trimesh
from numpy.testing import assert_allclose
from oracles.rotations import matrix, random_quat

from hakoniwa_rigid.engine import (
    Box,
    Capsule,
    Compound,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    EngineError,
    Frustum,
    HalfSpace,
    HeightField,
    Sphere,
    TriangleMesh,
    WorldBuilder,
)

CUBE = trimesh.creation.box((1.0, 2.0, 3.0))
DRONE = Compound([(Box((0.3, 0.3, 0.1)),)] + [(Cylinder(0.1, 0.02), (0.25 * x, 0.25 * y, 0.05))
                                              for x in (-1, 1) for y in (-1, 1)])
SHAPES = [Sphere(0.3), Box((0.3, 0.5, 0.4)), Capsule(0.1, 0.4), Cylinder(0.2, 0.5), Cone(0.2, 0.5),
          Frustum(0.2, 0.3, 0.5), Ellipsoid((0.2, 0.3, 0.4)),
          ConvexHull(np.random.default_rng(0).normal(size=(20, 3)) * 0.2), DRONE]
NAMES = [type(s).__name__ for s in SHAPES]


def world_of(*bodies):
    """World of (shape, pos, quat) or (shape, pos, quat, kind)."""
    b = WorldBuilder(gravity=(0, 0, 0))
    for shape, pos, quat, *kind in bodies:
        still = kind == ['static']
        b.add_body(shape, mass=None if still else 1.0, pos=pos, quat=quat, com=(0, 0, 0),
                   inertia=None if still else (1, 1, 1), kind='static' if still else 'dynamic')
    return b.build()


def surface_points(shape, count=4000):
    """Points of the surface, shape's frame, for shapes whose surface can be written down."""
    rng = np.random.default_rng(5)
    u = rng.normal(size=(count, 3))
    u /= np.linalg.norm(u, axis=1)[:, None]
    if isinstance(shape, Sphere):
        return shape.radius * u
    return u * shape.semi_axes


@pytest.mark.parametrize('shape', SHAPES, ids=NAMES)
def test_distance_to_a_wall_is_that_to_its_half_space_box_and_mesh(shape):
    """One plane drawn in four ways; the points lie as far apart as the distance says."""
    rng = np.random.default_rng(1)
    for _ in range(5):
        pos, quat = (*rng.uniform(-1, 1, 2), rng.uniform(0.7, 3.0)), random_quat(rng)
        found = []
        for floor in (HalfSpace(), Box((20.0, 20.0, 2.0)), HeightField(np.zeros((9, 9)), (2.0, 2.0)),
                      TriangleMesh([[-9, -9, 0], [9, -9, 0], [0, 18, 0]], [[0, 1, 2]])):
            where = (0, 0, -1.0) if isinstance(floor, Box) else (0, 0, 0)
            w = world_of((floor, where, (1, 0, 0, 0), 'static'), (shape, pos, quat))
            d = w.distance(0, 1)
            assert_allclose(d.point_b - d.point_a, d.distance * d.normal, atol=1e-12)
            assert_allclose(d.normal, (0, 0, 1), atol=1e-9)
            assert d.point_a[2] == pytest.approx(0.0, abs=1e-9)
            back = w.distance(1, 0)
            assert back.distance == d.distance
            assert_allclose(back.normal, -d.normal)
            found.append(d.distance)
        assert_allclose(found, found[0], atol=1e-9)


@pytest.mark.parametrize('k', [k for k, s in enumerate(SHAPES) if isinstance(s, (Sphere, Ellipsoid))])
def test_distance_to_a_mesh_from_outside(k):
    """Against the nearest of many points of the shape by trimesh."""
    rng, shape = np.random.default_rng(2), SHAPES[k]
    mesh = TriangleMesh(CUBE.vertices, CUBE.faces)
    for _ in range(4):
        pos, quat = rng.normal(size=3), random_quat(rng)
        pos *= 4.0 / np.linalg.norm(pos)
        w = world_of((mesh, (0, 0, 0), (1, 0, 0, 0), 'static'), (shape, pos, quat))
        points = np.repeat(surface_points(shape) @ matrix(quat).T + pos, len(CUBE.faces), axis=0)
        walls = np.tile(CUBE.triangles, (len(points) // len(CUBE.faces), 1, 1))
        nearest = trimesh.triangles.closest_point(walls, points)
        sampled = np.linalg.norm(points - nearest, axis=1).min()
        assert -1e-3 < w.distance(0, 1).distance - sampled <= 1e-9
        assert w.distance(0, 1, 0.5).distance == np.inf


def test_corner_to_corner():
    """Two cubes whose nearest features are corners: the separating axes of their faces and edges would say less."""
    w = world_of((Box((1, 1, 1)), (0, 0, 0), (1, 0, 0, 0)), (Box((1, 1, 1)), (2, 2, 2), (1, 0, 0, 0)))
    d = w.distance(0, 1)
    assert d.distance == pytest.approx(np.sqrt(3.0), rel=1e-12)
    assert_allclose([d.point_a, d.point_b], [[0.5] * 3, [1.5] * 3], atol=1e-9)
    assert not w.overlap(0, 1)
    w.set_state(1, pos=(0.9, 0, 0))
    assert w.distance(0, 1).distance == pytest.approx(-0.1, abs=1e-12)
    assert w.overlap(0, 1)


def test_nearest_is_what_trying_every_pair_finds():
    rng = np.random.default_rng(3)
    bodies = [(SHAPES[int(rng.integers(len(SHAPES)))], rng.uniform(-3, 3, 3), random_quat(rng)) for _ in range(30)]
    bodies += [(HalfSpace(), (0, 0, -3.5), (1, 0, 0, 0), 'static'),
               (TriangleMesh(CUBE.vertices, CUBE.faces), (3.0, 0, 0), (1, 0, 0, 0), 'static')]
    w = world_of(*bodies)
    limit = 0.8
    gap, other = w.nearest(np.arange(30), limit)
    for i in range(30):
        all_gaps = np.array([w.distance(i, j).distance if j != i else np.inf for j in range(w.n)])
        j = int(np.argmin(all_gaps))
        if all_gaps[j] > limit:
            assert (gap[i], other[i]) == (np.inf, -1)
        else:
            assert gap[i] == pytest.approx(all_gaps[j], abs=1e-9)
            assert all_gaps[other[i]] == pytest.approx(all_gaps[j], abs=1e-9)


def test_nearest_leaves_out_what_may_not_collide():
    b = WorldBuilder()
    for x in (0.0, 1.0, 2.5):
        b.add_body(Sphere(0.25), mass=1.0, pos=(x, 0, 0))
    b.exclude(0, 1)
    w = b.build()
    gap, other = w.nearest([0, 2], 10.0)
    assert_allclose(gap, [2.0, 1.0])
    assert other.tolist() == [2, 1]
    state = w.state_hash()
    assert w.nearest([1], 0.5)[1].tolist() == [-1]
    assert w.state_hash() == state


@pytest.mark.parametrize('shape', SHAPES, ids=NAMES)
def test_ray_meets_the_surface(shape):
    """Where the ray says that it enters, a tiny ball touches the body; before, it does not."""
    rng = np.random.default_rng(4)
    hits = 0
    for _ in range(25):
        pos, quat = rng.normal(size=3), random_quat(rng)
        origin = pos + 4.0 * matrix(random_quat(rng))[0]
        direction = pos + 0.2 * rng.normal(size=3) - origin
        w = world_of((shape, pos, quat), (Sphere(1e-6), origin, (1, 0, 0, 0)))
        w.set_state(1, pos=origin - direction)
        hit = w.ray_cast(origin, direction)
        if hit is None:
            continue
        hits += 1
        assert hit.body == 0
        assert_allclose(hit.point, origin + hit.distance * direction / np.linalg.norm(direction), atol=1e-12)
        w.set_state(1, pos=hit.point)
        d = w.distance(0, 1)
        assert d.distance == pytest.approx(-1e-6, abs=1e-8)
        assert hit.normal @ direction < 0.0
    assert hits > 3


def test_ray_takes_the_first_of_many():
    w = world_of(*[(Sphere(0.5), (3.0 * k, 0, 0), (1, 0, 0, 0)) for k in range(1, 5)],
                 (TriangleMesh(CUBE.vertices, CUBE.faces), (20.0, 0, 0), (1, 0, 0, 0), 'static'),
                 (DRONE, (0, 5.0, 0), (1, 0, 0, 0)))
    hit = w.ray_cast((0, 0, 0), (2, 0, 0))
    assert (hit.body, hit.distance) == (0, pytest.approx(2.5))
    assert_allclose(hit.normal, (-1, 0, 0))
    assert w.ray_cast((30, 0, 0), (-1, 0, 0)).body == 4
    assert w.ray_cast((30, 0, 0), (-1, 0, 0)).distance == pytest.approx(9.5)
    assert w.ray_cast((0, 0, 0), (2, 0, 0), longest=2.0) is None
    assert w.ray_cast((0, 0, 0), (0, 0, 1)) is None
    assert w.ray_cast((0, 0, 0), (1, 0, 0), mask=2) is None
    assert w.ray_cast((0.25, 5.25, 5.0), (0, 0, -1)).part == 4


def test_bad_questions():
    w = world_of((HalfSpace(), (0, 0, 0), (1, 0, 0, 0), 'static'),
                 (TriangleMesh(CUBE.vertices, CUBE.faces), (0, 0, 5), (1, 0, 0, 0), 'static'),
                 (Sphere(1.0), (0, 0, 9), (1, 0, 0, 0)))
    for ask, words in ((lambda: w.distance(0, 1), 'half-spaces or meshes'), (lambda: w.distance(2, 2), 'twice'),
                       (lambda: w.distance(0, 7), 'no body'), (lambda: w.ray_cast((0, 0, 0), (0, 0, 0)), 'zero'),
                       (lambda: w.ray_cast((np.nan, 0, 0), (0, 0, 1)), 'origin'),
                       (lambda: w.nearest([2], -1.0), 'limit'), (lambda: w.nearest([9], 1.0), 'no body')):
        with pytest.raises(EngineError, match=words):
            ask()
