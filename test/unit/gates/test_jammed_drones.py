# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Observed drones that are reported in each other: rotors and bodies hold each other from two sides.

What drones fly against each other is at most 1.6 m/s fast, and a wall 2.4; the impulses of a crowd that cancel each
other have a bound that goes by that.
"""
import numpy as np
import pytest

from benchmark.gates import drone_scenes
from benchmark.gates.drone_scenes import MASS, TICK
from hakoniwa_rigid.engine.constants import CROWD_CAP

TICKS, CLOSING, FASTEST = 300, 1.6, 2.4


@pytest.mark.parametrize('drones', [3, 4, 6])
def test_no_hit_is_harder_than_drones_that_fast_can_hit(drones):
    scene = drone_scenes.scene_of(drones, authority='observe')
    impulses, speeds = [], []
    for k in range(TICKS):
        drone_scenes.reported(scene, k, k * TICK)
        tick = scene.advance(k * TICK)
        impulses += [np.linalg.norm(e.impulse) for e in tick.events]
        speeds.append(np.linalg.norm(tick.states.linear_velocities, axis=1).max())
    assert len(impulses) > 100
    assert max(impulses) < CROWD_CAP * 2.0 * MASS * CLOSING
    assert max(speeds) < 5.0 * FASTEST
    assert 0.0 < scene.world.stats().crowd_residual < FASTEST
