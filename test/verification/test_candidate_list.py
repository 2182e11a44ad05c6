# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""When the list of candidate pairs was made changes no bit of the motion: a state that is restored in the middle of a
heap, a spawn or a fast body far away all make it anew."""
import numpy as np
import pytest
from constraint_scenes import chain
from crowd_scenes import ball_of_plates, dominoes, plates
from oracles.rotations import random_quat
from scenes import brawl, mixed_room

from hakoniwa_rigid.engine import (
    Box,
    Capsule,
    Compound,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HeightField,
    Part,
    Sphere,
    WorldBuilder,
)
from hakoniwa_rigid.engine.model import layout as L


def _curved(rng):
    """One of all kinds of convex shapes, some with edges, some without, some whose middle lies outside."""
    corner = ((0, 0, 0), (0.3, 0, 0), (0, 0.3, 0), (0, 0, 0.3))
    rotor = Cylinder(0.08, 0.02)
    shapes = (Sphere(0.12), Box((0.3, 0.2, 0.1)), Capsule(0.06, 0.2), Cylinder(0.15, 0.06), Cone(0.12, 0.25),
              Ellipsoid((0.18, 0.12, 0.07)), ConvexHull(rng.uniform(-0.15, 0.15, (12, 3))), ConvexHull(corner),
              Compound([Part(Box((0.12, 0.12, 0.06))), *(Part(rotor, (x, y, 0.04)) for x in (-0.15, 0.15)
                                                         for y in (-0.15, 0.15))]))
    return shapes[rng.integers(len(shapes))]


def curved_heap(seed, *, count=12, dt=1e-3):
    """Shapes of all kinds that fall on a rough ground beside a turning paddle; one body falls far away, fast."""
    rng = np.random.default_rng(seed)
    b = WorldBuilder(gravity=(0, 0, -9.8), dt=dt)
    heights = rng.uniform(-0.05, 0.05, (9, 9))
    b.add_body(HeightField(heights, (0.4, 0.4)), kind='static', friction=0.5, restitution=0.3)
    b.add_body(Box((0.8, 0.05, 0.3)), kind='kinematic', pos=(0.9, 0.0, 0.3), angvel=(0, 0, 2.0))
    b.add_body(Sphere(0.1), mass=1.0, pos=(60.0, 0.0, 900.0), linvel=(0.0, 0.0, -40.0))
    for k in range(count):
        place = 0.45 * np.array([k % 3 - 1, k // 3 % 3 - 1, k // 9])
        b.add_body(_curved(rng), mass=rng.uniform(0.3, 2.0), pos=place + (0, 0, 0.45), quat=random_quat(rng),
                   linvel=rng.normal(size=3), angvel=3.0 * rng.normal(size=3), friction=rng.uniform(0, 0.8),
                   restitution=rng.uniform(0, 0.8))
    return b.build()


SCENES = {
    **{f'heap of all shapes {seed}': (lambda seed=seed: curved_heap(seed), 900) for seed in range(1, 7)},
    'heap at 200 Hz': (lambda: curved_heap(7, dt=5e-3), 300),
    'room': (lambda: mixed_room(3)[0], 600),
    'brawl': (lambda: brawl(4), 600),
    'plates': (lambda: plates(12, seed=3, e=0.3), 1200),
    'ball of plates': (ball_of_plates, 500),
    'dominoes': (lambda: dominoes(12), 800),
    'chain': (lambda: chain(8, load=2.0, wall=0.3, restitution=0.4), 300),
}


@pytest.mark.parametrize('scene', SCENES)
def test_the_list_changes_no_bit(scene):
    """Made as it needs to be, before every step, and now and then."""
    make, steps = SCENES[scene]
    usual, always, sometimes = make(), make(), make()
    for k in range(steps):
        always._s.count[L.N_STALE_LIST] = 1
        if k % 7 == 3:
            sometimes._s.count[L.N_STALE_LIST] = 1
        for w in (usual, always, sometimes):
            w.step()
        if k % 20 == 0 or k == steps - 1:
            assert usual.state_hash() == always.state_hash() == sometimes.state_hash(), k
    assert always.stats().list_rebuilds > 2 * usual.stats().list_rebuilds
