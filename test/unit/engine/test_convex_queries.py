# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Distance and ray queries: points on the surfaces, rays against sphere tracing and membership."""
import numpy as np
import pytest
from convex_door import HALFSPACE, collide, cores, distance, pose_of, ray
from numpy.testing import assert_allclose
from oracles.convex import KINDS, outside, random_pose, random_shape, separations
from oracles.rotations import matrix

from hakoniwa_rigid.engine.model import layout as L

PROBE = ('sphere', (1e-9,))


@pytest.mark.parametrize('kind', KINDS)
def test_distance_and_points(kind):
    """The points lie on both shapes and are as far apart as the distance says; the normal points from a to b."""
    rng = np.random.default_rng(21)
    for _ in range(20):
        shapes = random_shape(rng, kind), random_shape(rng, KINDS[int(rng.integers(len(KINDS)))])
        g, (a, b) = cores(*shapes)
        pose_a, pose_b = random_pose(rng), random_pose(rng)
        pose_b = pose_b[0] + 4.0, pose_b[1]
        gap, p, q, n = distance(g, np.zeros((16, L.MANIFOLD)), a, *pose_of(pose_a), b, *pose_of(pose_b))
        assert_allclose(np.subtract(q, p), np.multiply(n, gap), atol=1e-12)
        assert outside(shapes[0], pose_a, np.array(p)) < 1e-9
        assert outside(shapes[1], pose_b, np.array(q)) < 1e-9
        assert_allclose(separations(shapes[0], pose_a, shapes[1], pose_b, np.array([n]))[0], gap, atol=1e-12)


def traced(g, a, probe, pose, origin, direction, longest):
    """Where the ray first comes within 1e-9 m of the shape, by steps of the distance of a tiny ball."""
    m, t = np.zeros((16, L.MANIFOLD)), 0.0
    for _ in range(3000):
        x = origin + t * direction
        collide(g, m, a, *pose_of(pose), probe, *pose_of((x, np.array([1.0, 0, 0, 0]))))
        if m[0, L.M_GAP] < 1e-10:
            return t, m[0, L.M_N:L.M_N + 3].copy()
        t += m[0, L.M_GAP]
        if t > longest:
            break
    return np.inf, np.zeros(3)


@pytest.mark.parametrize('kind', KINDS)
def test_ray_hits_where_sphere_tracing_does(kind):
    """Also the misses agree; a triangle is seen from its front only."""
    rng = np.random.default_rng(22)
    hits = 0
    for _ in range(60):
        shape = random_shape(rng, kind, 0.3)
        g, (a, probe) = cores(shape, PROBE)
        pose = random_pose(rng)
        origin = rng.normal(size=3)
        origin *= 5.0 / np.linalg.norm(origin)
        middle = np.mean(shape[1], axis=0) if kind in {'hull', 'triangle'} else np.zeros(3)
        aim = pose[0] + matrix(pose[1]) @ middle
        direction = aim + 0.3 * rng.normal(size=3) - origin
        direction /= np.linalg.norm(direction)
        if kind == 'triangle':
            u, v = (matrix(pose[1]) @ (shape[1][k] - shape[1][0]) for k in (1, 2))
            if np.cross(u, v) @ direction > 0.0:
                assert ray(g, a, *pose_of(pose), tuple(origin), tuple(direction), 20.0)[0] == np.inf
                continue
        t, n = ray(g, a, *pose_of(pose), tuple(origin), tuple(direction), 20.0)
        wanted, normal = traced(g, a, probe, pose, origin, direction, 20.0)
        if np.isfinite(t) != np.isfinite(wanted):
            # only a graze can be seen by one and not by the other
            assert abs(np.dot(n if np.isfinite(t) else normal, direction)) < 1e-3
            continue
        if np.isfinite(t):
            hits += 1
            slope = max(-np.dot(n, direction), 1e-3)
            assert_allclose(t, wanted, atol=1e-8 / slope)
            assert np.dot(n, direction) < 0.0
            assert_allclose(np.linalg.norm(n), 1.0, atol=1e-12)
    assert hits >= 5


@pytest.mark.parametrize('kind', ['sphere', 'capsule', 'box', 'cylinder', 'cone', 'frustum', 'ellipsoid', 'hull'])
def test_ray_from_inside_or_short_of_the_shape_finds_nothing(kind):
    rng = np.random.default_rng(23)
    for _ in range(20):
        shape = random_shape(rng, kind)
        g, (a, _) = cores(shape, PROBE)
        pose = random_pose(rng)
        inside = pose[0] + matrix(pose[1]) @ (np.mean(shape[1], axis=0) if kind == 'hull' else np.zeros(3))
        d = rng.normal(size=3)
        d /= np.linalg.norm(d)
        assert ray(g, a, *pose_of(pose), tuple(inside), tuple(d), 20.0)[0] == np.inf
        t = ray(g, a, *pose_of(pose), tuple(inside - 10 * d), tuple(d), 20.0)[0]
        assert 5.0 < t < 10.0
        assert ray(g, a, *pose_of(pose), tuple(inside - 10 * d), tuple(d), t - 1e-9)[0] == np.inf


def test_ray_meets_half_space():
    g, (a, _) = cores(HALFSPACE, PROBE)
    pose = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0)
    assert ray(g, a, *pose, (0.0, 0.0, 3.0), (0.0, 0.6, -0.8), 10.0) == (2.5, (0.0, 0.0, 1.0))
    assert ray(g, a, *pose, (0.0, 0.0, 3.0), (0.0, 0.6, 0.8), 10.0)[0] == np.inf
    assert ray(g, a, *pose, (0.0, 0.0, 0.5), (0.0, 0.6, -0.8), 10.0)[0] == np.inf
