# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Drones of the unity model over a floor, fed at 100 Hz and advanced at 200 Hz: what the node does between its
messages."""
import tempfile
from pathlib import Path

import numpy as np

from hakoniwa_rigid.scene import CollisionScene

TICK_NS = 5_000_000


def build(n):
    """A floor and n drones, 1 m apart, corrected."""
    rows = '\n'.join(f'  - {{name: d{i}, model: unity, position: [{i % 10}, {i // 10}, 1.0]}}' for i in range(n))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, 'floor.yaml')
        file.write_text(f'walls:\n  - {{name: floor, type: plane}}\ndrones:\n{rows}\n')
        return CollisionScene.from_yaml(file)


def fly(scene, first, count, resting):
    """Ticks; every other one brings a sample of each drone (100 Hz): it circles, or its plan pushes it into the floor.
    Returns the number of contact points of the last step."""
    index = np.arange(len(scene.drone_names))
    grid = np.column_stack([index % 10, index // 10, np.zeros(len(index))]).astype(float)
    level, still = np.tile((0.0, 0.0, 0.0, 1.0), (len(index), 1)), np.zeros((len(index), 3))
    for k in range(first, first + count):
        stamp = k * TICK_NS
        if k % 2 == 0:
            phase = 2.0 * stamp * 1e-9
            offset = (0.0, 0.0, 0.024) if resting else (0.2 * np.cos(phase), 0.2 * np.sin(phase), 1.0)
            speed = (0.0, 0.0, 0.0) if resting else (-0.4 * np.sin(phase), 0.4 * np.cos(phase), 0.0)
            scene.feed_drones(index, stamp, grid + offset, level, still + speed, still)
        scene.advance(stamp)
    return len(scene.world.contacts())
