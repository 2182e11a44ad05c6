# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Cost of a step on ground whose triangles all lie in different planes: every one near a body is a pair of its own."""
import time

import numpy as np
import pytest

from hakoniwa_rigid.engine import Box, Capsule, ConvexHull, Cylinder, HeightField, WorldBuilder

pytestmark = pytest.mark.benchmark(timer=time.process_time)

CELL, BUMP, PITCH = 0.1, 0.03, 0.85                 # m: grid, greatest height, room for a body
STEPS = {1: 1200, 10: 400, 100: 200}                # steps in a round, by number of bodies
SHAPES = {'boxes': Box((0.3, 0.3, 0.3)), 'plates': Box((0.3, 0.4, 0.1)), 'cylinders': Cylinder(0.15, 0.2),
          'capsules': Capsule(0.1, 0.3),
          'hulls': ConvexHull(np.random.default_rng(1).uniform(-0.2, 0.2, (20, 3)))}
LANDED = 300                                        # steps after which all bodies have come down


def ground(cells, seed=0):
    heights = np.random.default_rng(seed).uniform(-BUMP, BUMP, (cells + 1, cells + 1))
    return HeightField(heights, (CELL, CELL))


def tumbling(n, shape, seed=3):
    """n spinning bodies over rough ground, half a metre up; the ground is body 0."""
    rng, side = np.random.default_rng(seed), int(np.ceil(np.sqrt(n)))
    b = WorldBuilder()
    b.add_body(ground(max(40, int(side * PITCH / CELL) + 20)), kind='static', friction=0.5, restitution=0.3)
    for k in range(n):
        pos = PITCH * (k % side - 0.5 * (side - 1)), PITCH * (k // side - 0.5 * (side - 1)), 0.5
        quat = rng.normal(size=4)
        b.add_body(shape, density=200.0, pos=pos, quat=quat / np.linalg.norm(quat), linvel=rng.normal(size=3),
                   angvel=rng.normal(size=3) * 3.0, friction=0.5, restitution=0.3)
    return b.build()


@pytest.mark.parametrize('n', STEPS)
@pytest.mark.parametrize('shape', SHAPES)
def test_tumbling(measure, shape, n):
    """From the landing on: impacts, rocking, sliding, rest."""
    world = tumbling(n, SHAPES[shape])
    world.step(LANDED)
    saved = world.save()
    case, steps = f'{n} {shape} on rough ground', STEPS[n]
    measure(case, 'ours', lambda: world.step(steps), steps, lambda: world.restore(saved))
    assert np.isfinite(world.pos).all()
    assert world.pos[1:, 2].min() > -BUMP
