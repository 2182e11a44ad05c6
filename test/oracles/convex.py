# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Convex shapes in numpy, written apart from the engine: support functions, membership, brute-force depth.

A shape is (kind, data), kind one of KINDS: sphere r | capsule (r, half length) | box half sides | cylinder, cone
(r, half height) | frustum (r, half height, r of the upper end) | ellipsoid semi-axes | hull points (n, 3) | triangle
points (3, 3); a pose is (position, quaternion).
"""

import numpy as np
import pytest
from scipy.optimize import nnls

from oracles.rotations import matrix, random_quat

coal = pytest.importorskip('coal', reason='coal is not installed: no rosdep key has it, pip does')

KINDS = ['sphere', 'capsule', 'box', 'cylinder', 'cone', 'ellipsoid', 'hull', 'triangle', 'frustum']
POLYTOPES = {'box', 'hull', 'triangle'}
SIGNS = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T   # of the corners of a box


def corners(shape):
    """Corners (n, 3) of a polytope."""
    kind, data = shape
    if kind == 'box':
        return SIGNS * np.asarray(data)
    return np.asarray(data)


def heights(shape, n):
    """Support function of a shape in its own frame for directions n (k, 3)."""
    kind, data = shape
    across = np.hypot(n[:, 0], n[:, 1])
    if kind == 'sphere':
        return data[0] * np.linalg.norm(n, axis=1)
    if kind == 'capsule':
        return data[0] * np.linalg.norm(n, axis=1) + data[1] * np.abs(n[:, 2])
    if kind == 'cylinder':
        return data[0] * across + data[1] * np.abs(n[:, 2])
    if kind == 'cone':
        return np.maximum(data[0] * across - data[1] * n[:, 2], data[1] * n[:, 2])
    if kind == 'frustum':
        return np.maximum(data[0] * across - data[1] * n[:, 2], data[2] * across + data[1] * n[:, 2])
    if kind == 'ellipsoid':
        return np.linalg.norm(n * np.asarray(data), axis=1)
    return (n @ corners(shape).T).max(axis=1)


def separations(shape_a, pose_a, shape_b, pose_b, n):
    """Gap of the two support planes across each n (k, 3), a -> b, world."""
    ra, rb = matrix(pose_a[1]), matrix(pose_b[1])
    return n @ (pose_b[0] - pose_a[0]) - heights(shape_a, n @ ra) - heights(shape_b, -n @ rb)


def outside(shape, pose, point):
    """Distance of a point to the shape, up to a factor: 0 or less inside, > 0 outside."""
    kind, data = shape
    p = matrix(pose[1]).T @ (point - pose[0])
    rho = np.hypot(p[0], p[1])
    if kind == 'sphere':
        return np.linalg.norm(p) - data[0]
    if kind == 'capsule':
        return np.hypot(rho, max(abs(p[2]) - data[1], 0.0)) - data[0]
    if kind == 'box':
        return (np.abs(p) - data).max()
    if kind == 'cylinder':
        return max(rho - data[0], abs(p[2]) - data[1])
    if kind == 'cone':
        slope = np.hypot(data[0], 2.0 * data[1])
        return max(-data[1] - p[2], (rho * 2.0 * data[1] + (p[2] - data[1]) * data[0]) / slope)
    if kind == 'frustum':
        r, h, top = data
        side = (rho - 0.5 * (r + top)) * 2.0 * h + p[2] * (r - top)
        return max(abs(p[2]) - h, side / np.hypot(r - top, 2.0 * h))
    if kind == 'ellipsoid':
        # first-order distance, exact on the surface
        u = p / np.asarray(data)
        return (u @ u - 1.0) * 0.5 / max(np.linalg.norm(u / np.asarray(data)), 1e-300) if u @ u > 1.0 else 0.0
    size = np.abs(corners(shape)).max()
    system = np.vstack([corners(shape).T / size, np.ones(len(corners(shape)))])
    return nnls(system, np.append(p / size, 1.0))[1] * size


def deepest(shape_a, pose_a, shape_b, pose_b, rng, *, directions=2000, starts=6, rounds=60):
    """Largest separation over all directions by search: a lower bound of the signed distance."""
    n = rng.normal(size=(directions, 3))
    ra, rb = matrix(pose_a[1]), matrix(pose_b[1])
    n = np.vstack([n, ra.T, -ra.T, rb.T, -rb.T])
    n /= np.linalg.norm(n, axis=1)[:, None]
    s = separations(shape_a, pose_a, shape_b, pose_b, n)
    best = n[np.argsort(-s)[:starts]]
    value, step = np.sort(s)[::-1][:starts], np.full(starts, 0.1)
    for _ in range(rounds):
        trial = best[:, None] + step[:, None, None] * rng.normal(size=(starts, 24, 3))
        trial /= np.linalg.norm(trial, axis=2)[:, :, None]
        found = separations(shape_a, pose_a, shape_b, pose_b, trial.reshape(-1, 3)).reshape(starts, 24)
        k = found.argmax(axis=1)
        better = found[np.arange(starts), k] > value
        best[better] = trial[np.arange(starts), k][better]
        value[better] = found[np.arange(starts), k][better]
        step[~better] *= 0.6
    return value.max()


def coal_geometry(shape):
    """The same shape for coal; None for what it has not, and for triangles, which it knows against little else."""
    kind, data = shape
    if kind in {'capsule', 'cylinder', 'cone'}:
        return {'capsule': coal.Capsule, 'cylinder': coal.Cylinder, 'cone': coal.Cone}[kind](data[0], 2.0 * data[1])
    if kind == 'sphere':
        return coal.Sphere(data[0])
    if kind == 'box':
        return coal.Box(*(2.0 * np.asarray(data)))
    if kind == 'ellipsoid':
        return coal.Ellipsoid(*data)
    if kind in {'triangle', 'frustum'}:
        return None
    points = coal.StdVec_Vec3s()
    for p in data:
        points.append(p)
    return coal.Convex.convexHull(points, True, '')


def coal_distance(geometry_a, pose_a, geometry_b, pose_b):
    """Signed distance by coal with tight tolerances; it does not always converge and then says anything up to 1e308."""
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance = True
    request.gjk_tolerance = request.epa_tolerance = 1e-12
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    placed = [coal.Transform3s(matrix(q), np.asarray(x)) for x, q in (pose_a, pose_b)]
    return coal.distance(geometry_a, placed[0], geometry_b, placed[1], request, result)


def random_shape(rng, kind, low=0.1, high=1.0):
    """A shape with sizes between low and high (m), log-uniform."""
    if kind == 'triangle':
        return kind, rng.normal(size=(3, 3)) * np.exp(rng.uniform(np.log(low), np.log(high), 3))
    if kind == 'hull':
        points = rng.normal(size=(int(rng.integers(4, 40)), 3))
        if rng.random() < 0.5:
            points /= np.linalg.norm(points, axis=1)[:, None]
        return kind, points * np.exp(rng.uniform(np.log(low), np.log(high), 3))
    count = {'sphere': 1, 'capsule': 2, 'cylinder': 2, 'cone': 2, 'box': 3, 'ellipsoid': 3, 'frustum': 3}[kind]
    return kind, tuple(float(x) for x in np.exp(rng.uniform(np.log(low), np.log(high), count)))


def random_pose(rng, spread=1.0):
    """Position within `spread` (m) of the origin and a random attitude."""
    d = rng.normal(size=3)
    return d / np.linalg.norm(d) * spread * rng.random(), random_quat(rng)
