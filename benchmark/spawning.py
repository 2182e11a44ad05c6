# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a drone that comes to a running scene costs, and one that leaves: `python -m benchmark.spawning`.

Processor time of single calls among many drones of three parts each, which fly; rows for docs/fleets_that_change.md."""
import argparse
import time

import numpy as np
from tqdm import tqdm

from hakoniwa_rigid.engine import Box, Compound, Cylinder
from hakoniwa_rigid.scene import CollisionScene, WorldConfig
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig, DroneModel, Pose, SpareConfig

UPRIGHT, TICK = (1.0, 0.0, 0.0, 0.0), 5_000_000
FRAME = Compound([(Box((0.2, 0.2, 0.1)), (0, 0, 0), UPRIGHT), (Cylinder(0.1, 0.02), (0.15, 0.15, 0.03), UPRIGHT),
                  (Cylinder(0.1, 0.02), (-0.15, -0.15, 0.03), UPRIGHT)])
MODEL = DroneModel('frame', 0.7, (0.006, 0.006, 0.011), FRAME)


def measure(drones, calls):
    """Seconds of every call: {'add_drone': (calls,), 'remove': (calls,)}."""
    places = [(2.0 * (k % 25), 2.0 * (k // 25), 1.0) for k in range(drones)]
    scene = CollisionScene(WorldConfig(spare=SpareConfig(drones=8), drones=tuple(
        DroneConfig(f'd{k}', MODEL, Pose(place)) for k, place in enumerate(places))))
    rows, upright = np.arange(drones), np.tile([0.0, 0, 0, 1], (drones, 1))
    times = {'add_drone': [], 'remove': []}
    for k in tqdm(range(calls)):
        scene.feed_drones(rows, k * TICK, np.array(places), upright)
        scene.advance(k * TICK)
        for what, call in (('add_drone', lambda name: scene.add_drone(name, 'frame', position=[-5, 0, 1])),
                           ('remove', scene.remove)):
            begun = time.process_time()
            call(f'guest{k}')
            times[what].append(time.process_time() - begun)
    return {what: np.array(spent) for what, spent in times.items()}


def main():
    """Print rows of the table."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument('--drones', type=int, default=500)
    asked.add_argument('--calls', type=int, default=1000)
    options = asked.parse_args()
    for what, spent in measure(options.drones, options.calls).items():
        spent = np.sort(spent[10:]) * 1e3
        print(f'| `{what}` | {np.median(spent):.2f} ms | {spent[int(0.99 * len(spent))]:.2f} ms | {spent[-1]:.2f} ms |')


if __name__ == '__main__':
    main()
