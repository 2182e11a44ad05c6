# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What keeps a candidate pair from being looked at never changes a bit.

A list that is built anew in every step has no skin used up, no pair asleep for long and no direction remembered: its
run is the reference.
"""
import numpy as np
import pytest
from oracles.rotations import random_quat
from scenes import mixed_room

from hakoniwa_rigid.engine import Box, Capsule, Compound, Cylinder, HalfSpace, Sphere, WorldBuilder
from hakoniwa_rigid.engine.model import layout as L

DRONE = Compound([(Box((0.14, 0.14, 0.03)), (0, 0, 0), (1, 0, 0, 0)),
                  *((Cylinder(0.076, 0.03), (x, y, 0), (1, 0, 0, 0)) for x in (-0.18, 0.18) for y in (-0.18, 0.18))])
SHAPES = {'sphere': Sphere(0.25), 'box': Box((0.5, 0.5, 0.15)), 'compound': DRONE, 'capsule': Capsule(0.1, 0.4)}


def crowd(shape, spin, seed=0):
    """24 bodies, some of them fast, in a closed room; a bat that is swung among them."""
    rng, b, half = np.random.default_rng(seed), WorldBuilder(gravity=(0, 0, -3.0)), 1.5
    for e in np.eye(3):
        for side in (1.0, -1.0):
            b.add_body(HalfSpace(tuple(side * e), -half), kind='static', restitution=0.7, friction=0.3)
    b.add_body(Box((0.1, 0.1, 1.0)), kind='kinematic', linvel=(1.0, 0, 0), angvel=(0, 9.0, 0), restitution=0.5)
    for k in range(24):
        place = np.array([k % 3 - 1, k // 3 % 3 - 1, k // 9 - 1]) * 0.9
        v = rng.normal(size=3) * (9.0 if k % 6 == 0 else 1.5)
        b.add_body(shape, mass=0.71, pos=place, quat=random_quat(rng), linvel=v,
                   angvel=rng.normal(size=3) * spin, restitution=0.7, friction=0.3)
    return b.build()


def hashes(world, steps, anew, teleport=()):
    found = []
    for k in range(steps):
        if k in teleport:
            world.set_state(8, pos=world.pos[8] * 0.5, linvel=(0.0, 3.0, 0.0))
            world.force[9] = (20.0, 0.0, 0.0)
        if anew:
            world._s.count[L.N_STALE_LIST] = 1
        world.step(1)
        if k % 10 == 9:
            found.append(world.state_hash())
    return found


@pytest.mark.parametrize('spin', [1.0, 30.0])
@pytest.mark.parametrize('shape', SHAPES)
def test_list_built_in_every_step(shape, spin):
    rare, often = crowd(SHAPES[shape], spin), crowd(SHAPES[shape], spin)
    assert hashes(rare, 240, False, (30, 155)) == hashes(often, 240, True, (30, 155))
    assert rare.stats().impacts > 10
    assert rare.stats().list_rebuilds < 120 < 240 <= often.stats().list_rebuilds


def test_heap_of_everything():
    (rare, _), (often, _) = mixed_room(), mixed_room()
    assert hashes(rare, 300, False) == hashes(often, 300, True)
    assert rare.stats().list_rebuilds < 150
