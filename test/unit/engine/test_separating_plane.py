# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A plane that is said to keep two shapes apart does so, and where they stay well apart it is mostly found.

The oracle: the same bodies flown in steps of a sixteenth, and their distances.
"""
import numpy as np
import pytest
from kernels import compiled, from_python
from numba import config
from oracles.rotations import random_quat

from hakoniwa_rigid.engine import Box, Capsule, Cone, ConvexHull, Cylinder, Ellipsoid, Sphere, WorldBuilder
from hakoniwa_rigid.engine.detect.separating_plane import keeps_apart, widest_gap
from hakoniwa_rigid.engine.model import layout as L
from hakoniwa_rigid.engine.model.handle import arrays_at, table_of
from hakoniwa_rigid.engine.motion.bodies import gather

H, PAIRS, PARTS = 2e-3, 48 if config.DISABLE_JIT else 240, 16
SHAPES = (Sphere(0.2), Box((0.5, 0.4, 0.1)), Capsule(0.1, 0.3), Cylinder(0.2, 0.05), Cone(0.2, 0.4),
          Ellipsoid((0.3, 0.2, 0.1)), ConvexHull(np.random.default_rng(5).uniform(-0.25, 0.25, (12, 3))))


def _seen(table, first, n, u, end):
    """Whether the plane n, u parts bodies `first` and the next until `end`; their gap as widest_gap sees it."""
    s = arrays_at(table)
    p = s.pair_i[0]
    for side in range(2):
        p[L.P_GA + side] = p[L.P_A + side] = first + side
        gather(s, first + side)
    return keeps_apart(s, 0, n, u, 0.0, end), widest_gap(s, 0, 1.0)[:2]


seen = from_python(compiled(_seen))


def crowd(seed, dt, loads):
    """PAIRS pairs of bodies up to 0.2 mm apart that approach or part, all so closely that accelerations matter; none
    collides."""
    rng = np.random.default_rng(seed)
    b = WorldBuilder(gravity=(0.0, 0.0, -9.8), dt=dt)
    for k in range(2 * PAIRS):
        b.add_body(SHAPES[rng.integers(len(SHAPES))], mass=0.7, inertia=(0.006, 0.009, 0.014), mask=0,
                   pos=(k // 2 * 2.0, 0.0, 0.8 * (k % 2)), quat=random_quat(rng), linvel=rng.normal(size=3) * 0.5,
                   angvel=rng.normal(size=3) * 5.0)
    w = b.build()
    for k in range(0, 2 * PAIRS, 2):
        d = w.distance(k, k + 1)
        speed = rng.normal() * 0.15 - d.normal @ (w.linvel[k + 1] - w.linvel[k])
        w.set_state(k + 1, pos=w.pos[k + 1] + (rng.uniform(0.0, 2e-4) - d.distance) * d.normal,
                    linvel=w.linvel[k + 1] + speed * d.normal)
    if loads:
        w.force[:], w.torque[:] = rng.normal(size=(2, 2 * PAIRS, 3)) * [[[40.0]], [[0.5]]]
    return w


def turns(w, k, rng):
    """Rates at which a plane between bodies k and k + 1 may turn."""
    return np.zeros(3), w.angvel[k], w.angvel[k + 1], w.angvel[k:k + 2].mean(axis=0), rng.normal(size=3) * 5.0


@pytest.mark.parametrize('loads', [False, True])
def test_parted_shapes_stay_apart(loads):
    w, fine, rng = crowd(1, H, loads), crowd(1, H / PARTS, loads), np.random.default_rng(2)
    table, said = table_of(w._s), np.zeros((PAIRS, 5), bool)
    for i in range(PAIRS):
        d = w.distance(2 * i, 2 * i + 1)
        for j, u in enumerate(turns(w, 2 * i, rng)):
            said[i, j], (gap, n) = seen(table, 2 * i, tuple(d.normal), tuple(u), H)
        assert gap <= d.distance + 1e-12
        assert abs(np.linalg.norm(n) - 1.0) < 1e-12 or gap == -np.inf
    least = np.full(PAIRS, np.inf)
    for _ in range(PARTS):
        fine.step()
        least = np.minimum(least, [fine.distance(2 * i, 2 * i + 1).distance for i in range(PAIRS)])
    assert (least[said.any(axis=1)] > 0.0).all()
    assert said.any(axis=0).all() and not said.any(axis=1).all()
    assert said.any(axis=1)[least > 0.0].mean() > (0.2 if loads else 0.7)
