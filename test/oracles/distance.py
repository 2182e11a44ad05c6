# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Distance of convex shapes by the shortest vector between them, in numpy, written apart from the engine.

A set of support points of b - a grows by the one farthest against the shortest vector of their hull, which is found
anew by non-negative least squares (Frank and Wolfe's method, fully corrective).  The set of support planes and the set
of points bracket the distance; both bounds are returned.  Shapes and poses as in `oracles.convex`.
"""
import numpy as np
from scipy.optimize import nnls
from scipy.spatial import ConvexHull

from oracles.convex import POLYTOPES, corners, deepest, separations
from oracles.rotations import matrix

ROUNDS = 80


def farthest(shape, n):
    """A point of the shape farthest along n (3,), in its own frame."""
    kind, data = shape
    if kind in POLYTOPES:
        points = corners(shape)
        return points[(points @ n).argmax()]
    if kind == 'sphere':
        return data[0] * (n / np.linalg.norm(n))
    up = np.array([0.0, 0.0, 1.0 if n[2] >= 0.0 else -1.0])
    if kind == 'capsule':
        return data[0] * (n / np.linalg.norm(n)) + data[1] * up
    across = np.append(n[:2], 0.0) / max(np.hypot(n[0], n[1]), 1e-300)
    if kind == 'cylinder':
        return data[0] * across + data[1] * up
    if kind == 'cone':
        rim, apex = data[0] * across - [0, 0, data[1]], np.array([0, 0, data[1]])
        return rim if n @ rim >= n @ apex else apex
    if kind == 'frustum':
        low, high = data[0] * across - [0, 0, data[1]], data[2] * across + [0, 0, data[1]]
        return low if n @ low >= n @ high else high
    scaled = np.asarray(data) * n   # ellipsoid
    return np.asarray(data) * scaled / np.linalg.norm(scaled)


def apart(shape_a, pose_a, shape_b, pose_b):
    """(lower bound, upper bound, normal a -> b) of the distance; 0 where they overlap."""
    ra, rb = matrix(pose_a[1]), matrix(pose_b[1])
    offset = pose_b[0] - pose_a[0]

    def support(n):
        return offset + rb @ farthest(shape_b, -n @ rb) - ra @ farthest(shape_a, n @ ra)

    normal = np.append(offset[:2], offset[2] or 1.0)
    v = support(normal)
    points, best, upper = [v], 0.0, np.linalg.norm(v)
    for _ in range(ROUNDS):
        n = v / np.linalg.norm(v)
        w = support(n)
        if n @ w > best:
            best, normal = n @ w, n
        if upper - best <= 5e-15 * upper:
            break
        points.append(w)
        scale = max(np.linalg.norm(p) for p in points)
        system = np.vstack([np.array(points).T / scale, np.ones(len(points))])
        share = nnls(system, np.array([0.0, 0.0, 0.0, 1.0]))[0]
        share /= share.sum()
        v = share @ np.array(points)
        upper = np.linalg.norm(v)
        points = [p for p, s in zip(points, share, strict=True) if s > 0.0]
        if upper < 1e-13:
            return 0.0, 0.0, normal
    return best, upper, normal


def difference_depth(shape_a, pose_a, shape_b, pose_b):
    """(depth < 0, normal, lead over the next different normal) of overlapping polytopes, from the hull of b - a."""
    a, b = (pose[0] + corners(shape) @ matrix(pose[1]).T for shape, pose in ((shape_a, pose_a), (shape_b, pose_b)))
    planes = ConvexHull((b[:, None] - a).reshape(-1, 3)).equations
    k = planes[:, 3].argmax()
    others = planes[planes[:, :3] @ planes[k, :3] < 1.0 - 1e-9, 3]
    return planes[k, 3], -planes[k, :3], planes[k, 3] - others.max()


def signed_distance(shape_a, pose_a, shape_b, pose_b, rng, hint):
    """(signed distance, normal or None where no unique one is known); hint: a direction to try where they overlap."""
    low, high, normal = apart(shape_a, pose_a, shape_b, pose_b)
    if low > 0.0:
        return 0.5 * (low + high), normal if high - low < 1e-13 * high else None
    if {shape_a[0], shape_b[0]} <= POLYTOPES:
        depth, normal, lead = difference_depth(shape_a, pose_a, shape_b, pose_b)
        return depth, normal if lead > 1e-6 else None
    found = deepest(shape_a, pose_a, shape_b, pose_b, rng, directions=600, starts=4, rounds=40)
    return max(found, separations(shape_a, pose_a, shape_b, pose_b, hint[None])[0]), None
