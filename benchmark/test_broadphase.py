# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Cost per body of building the list of candidate pairs: 10 to 100,000 bodies, spread, clustered, of mixed sizes.

One step of the table is one body: figures that stay level from row to row are linear in the number of bodies.  Every
timed step is forced to build the list anew; a running world does so only when a body has used up its skin.
"""
import time

import numpy as np
import pytest

from hakoniwa_rigid.engine import Box, Sphere, WorldBuilder
from hakoniwa_rigid.engine.model import layout as L

OURS = 'hakoniwa_rigid'

pytestmark = pytest.mark.benchmark(timer=time.process_time)

DRONE, STADIUM = 0.25, (200.0, 150.0, 1.0)
NUMBERS = (10, 100, 1000, 10_000, 100_000)


def spread(n, rng):
    """Places (n, 3) m with 2 m a body, radii (n,) m."""
    side = int(np.ceil(n ** (1 / 3)))
    grid = np.stack(np.meshgrid(*[np.arange(side)] * 3), axis=-1).reshape(-1, 3)[:n]
    return 2.0 * grid + rng.uniform(-0.4, 0.4, (n, 3)), np.full(n, DRONE)


def clusters(n, rng):
    """Swarms of 20 in balls of 3 m, kilometres apart."""
    centres = rng.uniform(-5e4, 5e4, (n // 20 + 1, 3))
    return np.repeat(centres, 20, axis=0)[:n] + rng.uniform(-1.5, 1.5, (n, 3)), np.full(n, 0.1)


def mixed(n, rng):
    """From a coin to a house, as many of each size, over a stadium."""
    places, _ = spread(n, rng)
    return 8.0 * places, 10.0 ** rng.uniform(-2, 0.5, n)


def world(n, scene):
    """World of n balls without gravity or speed, and for `mixed` a static floor beneath."""
    places, radii = scene(n, np.random.default_rng(0))
    b = WorldBuilder(gravity=(0, 0, 0))
    for k in range(n):
        b.add_body(Sphere(radii[k]), mass=1.0, inertia=(1.0, 1.0, 1.0), com=(0, 0, 0), pos=places[k])
    if scene is mixed:
        b.add_body(Box(STADIUM), kind='static', pos=(0, 0, -5.0))
    w = b.build()
    for i in range(n):      # overlapping balls would make contacts, which are another benchmark
        w._s.body[i, L.B_MASK] = 0
    w.step(1)
    return w


def rebuild(w, times):
    for _ in range(times):
        w._s.count[L.N_STALE_LIST] = 1
        w.step(1)


@pytest.mark.parametrize('scene', [spread, clusters, mixed], ids=lambda f: f.__name__)
@pytest.mark.parametrize('n', NUMBERS)
def test_candidates(measure, n, scene):
    w, times = world(n, scene), max(1, 1000 // n)
    rebuilds = w.stats().list_rebuilds
    measure(f'candidates, {scene.__name__}, {n}', OURS, lambda: rebuild(w, times), times * n, None)
    assert w.stats().list_rebuilds > rebuilds
