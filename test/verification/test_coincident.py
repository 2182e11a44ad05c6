# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bodies at the same point in the same pose: finite, the same every time, and no explosion."""
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from oracles.rotations import random_quat
from scenes import DRONE_BOX, DRONE_INERTIA, DRONE_MASS

from hakoniwa_rigid.engine import (
    Box,
    Capsule,
    Compound,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    Frustum,
    Sphere,
    WorldBuilder,
)

ROTORS = [(Cylinder(0.12, 0.02), (x, y, 0.05)) for x in (-0.18, 0.18) for y in (-0.18, 0.18)]
SHAPES = {'sphere': Sphere(0.2), 'box': Box((0.4, 0.3, 0.2)), 'capsule': Capsule(0.1, 0.3),
          'cylinder': Cylinder(0.2, 0.3), 'cone': Cone(0.2, 0.3), 'frustum': Frustum(0.2, 0.1, 0.3),
          'ellipsoid': Ellipsoid((0.3, 0.2, 0.1)),
          'hull': ConvexHull(np.random.default_rng(1).normal(size=(20, 3)) * 0.2),
          'compound': Compound([(Box((0.3, 0.3, 0.1)), (0, 0, 0)), *ROTORS])}
PAIRS = [(a, b) for i, a in enumerate(SHAPES) for b in list(SHAPES)[i:]]
RECOVERY = 2.0      # m/s, twice constants.RECOVERY_SPEED: several contact points across each other push at once


def two(kind_a, kind_b, dt=1e-3):
    b = WorldBuilder(gravity=(0, 0, 0), dt=dt)
    pose = {'pos': (1.1, -0.2, 0.3), 'quat': random_quat(np.random.default_rng(2))}
    for kind in (kind_a, kind_b):
        b.add_body(SHAPES[kind], mass=1.0, inertia=(0.01, 0.01, 0.01), com=(0, 0, 0), **pose)
    return b.build()


@pytest.mark.parametrize(('kind_a', 'kind_b'), PAIRS, ids=['-'.join(p) for p in PAIRS])
def test_same_pose_has_a_normal(kind_a, kind_b):
    """Unit to 1e-12, depth > 0, the same to the bit in a second world; 20 steps later no speed."""
    w, again = two(kind_a, kind_b), two(kind_a, kind_b)
    one, other = w.distance(0, 1), again.distance(0, 1)
    assert one.distance < 0.0
    assert_allclose(np.linalg.norm(one.normal), 1.0, atol=1e-12)
    for x, y in zip(one, other, strict=True):
        assert np.isfinite(x).all()
        assert_array_equal(x, y)
    for world in (w, again):
        world.step(20)
    rows = w.contact_log()
    for key in ('depth', 'position', 'normal', 'impulse'):
        assert np.isfinite(rows[key]).all(), key
    assert_allclose(np.linalg.norm(rows['normal'], axis=1), 1.0, atol=1e-12)
    assert w.state_hash() == again.state_hash()
    assert np.isfinite(w.pos).all() and np.isfinite(w.quat).all()
    assert_allclose(w.linvel, 0.0, atol=1e-6)
    assert_allclose(w.angvel, 0.0, atol=1e-6)
    assert np.linalg.norm(w.pos - [1.1, -0.2, 0.3], axis=1).max() <= 20 * w.dt * RECOVERY


def fleet(shape, **mass):
    """512 drones on a 16 x 16 formation, two at every point."""
    b = WorldBuilder(gravity=(0, 0, 0), dt=2e-2)
    grid = np.stack(np.meshgrid(np.arange(16), np.arange(16), [1.0], indexing='ij'), axis=-1).reshape(-1, 3)
    for pos in np.vstack([grid, grid]) * [1.2, 1.2, 1.0]:
        b.add_body(shape, pos=pos, **mass)
    return b.build()


@pytest.mark.parametrize('kind', ['sphere', 'box', 'compound'])
def test_fleet_starts_without_an_explosion(kind):
    """1 s without gravity: overlap recovery moves places only, so speeds stay at 0 and no body leaves its place by more
    than what it takes to be apart; the same bits twice.  Compounds may stay hooked into each other.
    """
    shape = Box(DRONE_BOX) if kind == 'box' else SHAPES[kind]
    drone = {'mass': DRONE_MASS, 'inertia': DRONE_INERTIA, 'com': (0, 0, 0)}
    w, again = fleet(shape, **drone), fleet(shape, **drone)
    start = w.pos.copy()
    # a few steps at a time: the log of all would be long
    for _ in range(5):
        w.step(2)
        again.step(2)
    assert w.state_hash() == again.state_hash()
    for _ in range(20):
        w.step(2)
    assert np.isfinite(w.pos).all() and np.isfinite(w.quat).all()
    assert_allclose(w.linvel, 0.0, atol=1e-6)
    assert_allclose(w.angvel, 0.0, atol=1e-6)
    assert np.linalg.norm(w.pos - start, axis=1).max() < 0.6
    if kind != 'compound':
        assert all(w.distance(i, i + 256).distance > -1e-4 for i in range(256))
