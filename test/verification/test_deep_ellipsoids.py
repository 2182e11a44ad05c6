# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A small shape deep in a large one that is nearly round: many ways out of nearly one length; the depth is the least.

The depth is the largest separation of all directions.  That of the reported normal has to be what is reported, and no
direction of a search may beat it: both bounds hold whatever the search finds.
"""
import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles import convex
from oracles.rotations import random_quat

from hakoniwa_rigid.engine import Box, Capsule, Cone, ConvexHull, Cylinder, Ellipsoid, Sphere, WorldBuilder

PAIRS = 60
PRECISE = 1e-6      # of the depth, m and relative to the size of the larger shape
MAKE = {'sphere': lambda s: Sphere(s[0]), 'capsule': lambda s: Capsule(s[0], 2 * s[1]),
        'box': lambda s: Box(tuple(2 * x for x in s)), 'cylinder': lambda s: Cylinder(s[0], 2 * s[1]),
        'cone': lambda s: Cone(s[0], 2 * s[1]), 'ellipsoid': Ellipsoid, 'hull': ConvexHull}
CASES = [*(('ellipsoid', k) for k in MAKE), ('cylinder', 'box'), ('cylinder', 'hull'), ('cone', 'hull'),
         ('hull', 'ellipsoid')]


def large(rng, kind):
    """A shape of about 1 m, as long as wide to 1e-4 .. 0.2, every fourth one with an aspect up to 1:1000."""
    aspect = 1.0 + 10.0 ** rng.uniform(-4, -0.7) * rng.uniform(-1, 1, 3)
    if rng.random() < 0.25:
        aspect = 10.0 ** rng.uniform(-3, 0, 3)
    if kind == 'hull':
        points = rng.normal(size=(40, 3))
        return kind, points / np.linalg.norm(points, axis=1)[:, None] * aspect
    return kind, tuple(float(x) for x in aspect)


def pairs(rng, kind_a, kind_b):
    """PAIRS of (shape, pose, shape, pose): b small and near the middle of a."""
    found = []
    for k in range(PAIRS):
        a, high = large(rng, kind_a), 10.0 ** rng.uniform(-3, -0.5)
        least = np.min(np.abs(a[1]).max(axis=0)) if kind_a == 'hull' else min(a[1])
        b = convex.random_shape(rng, kind_b, 0.3 * high, high)
        way = rng.normal(size=3)
        way *= least * 10.0 ** rng.uniform(-4, -0.5) / np.linalg.norm(way)
        at = np.array([10.0 * k, 0.0, 0.0])
        found.append((a, (at, random_quat(rng)), b, (at + way, random_quat(rng))))
    return found


@pytest.mark.parametrize(('kind_a', 'kind_b'), CASES, ids=['-'.join(c) for c in CASES])
def test_no_way_out_is_shorter(kind_a, kind_b):
    rng = np.random.default_rng([list(MAKE).index(k) for k in (kind_a, kind_b)])
    cases = pairs(rng, kind_a, kind_b)
    b = WorldBuilder(gravity=(0, 0, 0))
    for shape_a, pose_a, shape_b, pose_b in cases:
        for (kind, size), (x, q) in ((shape_a, pose_a), (shape_b, pose_b)):
            b.add_body(MAKE[kind](size), pos=x, quat=q, mass=1.0, inertia=(1.0, 1.0, 1.0), com=(0.0, 0.0, 0.0))
    w, done = b.build(), 0
    for k, case in enumerate(cases):
        got = w.distance(2 * k, 2 * k + 1)
        if got.distance >= 0.0:
            continue    # a corner of a hull may be far from its origin
        done += 1
        assert_allclose(np.linalg.norm(got.normal), 1.0, atol=1e-12)
        assert_allclose(got.distance, convex.separations(*case, got.normal[None])[0], atol=1e-12)
        best = convex.deepest(*case, rng, directions=1500, starts=8, rounds=40)
        assert best < got.distance + PRECISE, f'pair {k}: {case}'
    assert done > 0.8 * PAIRS
