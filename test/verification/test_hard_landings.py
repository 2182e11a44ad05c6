# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Landings that went wrong once: far corners beside near ones, thin walls from the front, arms that spin by."""
import numpy as np
import pytest
from oracles.rotations import random_quat

from hakoniwa_rigid.engine import (
    Box,
    Capsule,
    Compound,
    Cone,
    ConvexHull,
    Cylinder,
    HalfSpace,
    Sphere,
    Tetrahedron,
    TriangleMesh,
    WorldBuilder,
)

DRONE = Compound([(Box((0.2, 0.2, 0.06)),)] + [(Cylinder(0.1, 0.02), (0.2 * x, 0.2 * y, 0.04))
                                               for x in (-1, 1) for y in (-1, 1)])
HULL = ConvexHull(np.random.default_rng(0).normal(size=(20, 3)) * 0.2)
QUADS = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def slab(thickness):
    """Closed mesh of 12 triangles, 4 x 4 m, its top at z = 0."""
    corners = np.array([[x, y, z] for x in (-2.0, 2.0) for y in (-2.0, 2.0) for z in (-thickness, 0.0)])
    return TriangleMesh(corners, [t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))])


def lowered(world, i, gap):
    """Move body i straight down until it is `gap` (m) above body 0."""
    world.set_state(i, pos=world.pos[i] - (0, 0, world.distance(0, i).distance - gap))


@pytest.mark.parametrize('dt', [1e-3, 1e-2])
@pytest.mark.parametrize('shape', [Tetrahedron((0, 0, 0), (0.4, 0, 0), (0, 0.4, 0), (0, 0, 0.4)), DRONE, HULL],
                         ids=['tetrahedron', 'drone', 'hull'])
def test_a_corner_close_by_hides_no_other_that_comes_down(shape, dt):
    """Bodies that tumble onto a floor never get deeper than the overlap that a step may leave."""
    for seed in range(100, 105):
        b = WorldBuilder(dt=dt)
        b.add_body(HalfSpace(), kind='static')
        b.add_body(shape, density=500.0, pos=(0, 0, 0.6), quat=random_quat(np.random.default_rng(seed)), friction=0.6)
        w = b.build()
        lowered(w, 1, 1e-3)
        deepest = 0.0
        for _ in range(int(0.6 / dt)):
            w.step()
            deepest = min(deepest, w.distance(0, 1).distance)
        assert deepest > -1e-3


@pytest.mark.parametrize('shape', [Sphere(0.2), Capsule(0.1, 0.3), Cylinder(0.2, 0.3), Cone(0.2, 0.3), HULL,
                                   Box((0.3, 0.2, 0.1))], ids=lambda s: type(s).__name__)
def test_the_back_of_a_thin_wall_is_not_felt_from_the_front(shape):
    """A body on a slab thinner than itself moves as on a half-space."""
    ways = []
    for floor in (HalfSpace(), slab(0.02)):
        b = WorldBuilder()
        b.add_body(floor, kind='static')
        b.add_body(shape, mass=1.0, pos=(0.3, 0.2, 0.6))
        w = b.build()
        lowered(w, 1, 1e-4)
        w.set_state(1, linvel=(1.0, 0.0, 0.0))
        deepest = 0.0
        for _ in range(60):
            w.step()
            deepest = max(deepest, w.contacts()['depth'].max(initial=0.0))
        assert deepest < 1e-5
        ways.append(w.pos[1])
    np.testing.assert_allclose(ways[0], ways[1], atol=1e-4)


@pytest.mark.parametrize('dt', [1e-3, 1e-2])
@pytest.mark.parametrize(('shape', 'rate'), [(Box((0.03, 0.6, 0.02)), 100.0), (Cylinder(0.02, 0.6), 180.0),
                                             (Capsule(0.02, 0.6), 700.0)], ids=['box', 'cylinder', 'capsule'])
def test_an_arm_that_spins_by_gains_nothing(shape, rate, dt):
    """It turns by up to 7 rad in a step; a wall can only take from it."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        b = WorldBuilder(dt=dt, gravity=(0, 0, 0))
        b.add_body(Box((0.02, 6.0, 6.0)), kind='static')
        axis = rng.normal(size=3)
        b.add_body(shape, mass=0.3, pos=(-0.5, 0, 0), quat=random_quat(rng), linvel=(rng.uniform(1, 10), 1.0, 0.0),
                   angvel=rate * axis / np.linalg.norm(axis), restitution=0.5 * (seed % 2),
                   friction=0.5 * (seed // 2 % 2))
        w = b.build()
        energy = w.energy()
        for _ in range(int(0.3 / dt)):
            w.step()
            assert w.energy() <= energy * (1.0 + 1e-3)
            energy = w.energy()
