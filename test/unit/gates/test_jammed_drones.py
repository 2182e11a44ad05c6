# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Observed drones that are reported in each other: rotors and bodies hold each other from two sides.

Drones fly at most 2.4 m/s fast.  Impulses that cancel each other have no bound but that of a crowd.
"""
import numpy as np
import pytest

from benchmark.gates import drone_scenes
from benchmark.gates.drone_scenes import MASS, TICK
from hakoniwa_rigid.engine.constants import CROWD_CAP

TICKS, FASTEST = 300, 2.4


@pytest.mark.parametrize('drones', [3, 4, 6])
def test_no_hit_is_harder_than_two_drones_that_fast_may_be_told(drones):
    scene = drone_scenes.scene_of(drones, authority='observe')
    impulses = []
    for k in range(TICKS):
        drone_scenes.reported(scene, k, k * TICK)
        tick = scene.advance(k * TICK)
        impulses += [np.linalg.norm(e.impulse) for e in tick.events]
    assert len(impulses) > 100
    assert max(impulses) < CROWD_CAP * 2.0 * MASS * FASTEST
    assert 0.0 < scene.world.stats().crowd_residual < FASTEST
