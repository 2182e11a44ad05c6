# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A simulated drone latches a payload, drops it over the far side, and docks to a bar from below, where it hangs with
its motors off until the latch is opened.  With --out PNG it draws heights over time."""
import argparse

import numpy as np
from flying import G, send

from hakoniwa_rigid.engine import Box
from hakoniwa_rigid.paths import config_file
from hakoniwa_rigid.scene import CollisionScene, WorldConfig
from hakoniwa_rigid.scene.world_files.world_file import load_drone_model
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig, ObjectConfig, Pose, WallConfig

TICK_NS = 5_000_000                         # 200 Hz
MASS, NEAR = 0.15, 0.015                    # kg of the payload; m that a latch reaches
PARCEL, BAR = (0.0, 0.0, 0.05), (3.0, 0.0, 2.0)
TIMES = (0, 1, 2.5, 4.5, 6.5, 8.0, 10.0)    # s: the way of the drone, x and z (m); its motors are off after it docked
X, Z = (0, 0, 0, 0, 2, 2, 3), (1, 1, 0.15, 0.15, 1.5, 1.5, 1.9)
DROP, OFF, OPEN, END = 7.5, 12.0, 13.5, 14.0


def fly():
    """Rows of time (s), heights of drone and payload (m)."""
    model = load_drone_model(config_file('drones', 'hummingbird.yaml'))
    scene = CollisionScene(WorldConfig(
        walls=(WallConfig('floor'), WallConfig('bar', Box((0.4, 0.1, 0.1)), Pose(BAR))),
        objects=(ObjectConfig('payload', Box((0.1, 0.1, 0.1)), MASS, pose=Pose(PARCEL)),),
        drones=(DroneConfig('d0', model, Pose((0.0, 0.0, 1.0)), 'simulate'),)))
    tick, rows = scene.advance(0), []
    for stamp in range(TICK_NS, round(END * 1e9), TICK_NS):
        t, place = 1e-9 * tick.stamp_ns, tick.states.positions[0]
        held = scene.constraint_names
        if t < DROP and 'latch' not in held and np.linalg.norm(place - PARCEL - (0, 0, 0.0975)) < NEAR:
            scene.attach('fixed', 'd0', 'payload', 'latch', anchor_a=(0, 0, -0.0475), max_force=20.0)
        if t > DROP and 'latch' in held:
            scene.detach('latch')
        if DROP < t < OPEN and 'dock' not in held and np.linalg.norm(place - BAR + (0, 0, 0.0975)) < NEAR:
            scene.attach('fixed', 'bar', 'd0', 'dock', anchor_b=(0, 0, 0.0475), break_force=50.0)
        if t > OPEN and 'dock' in held:
            scene.detach('dock')
        if t < OFF:
            send(scene, tick, 'd0', (np.interp(t, TIMES, X), 0, np.interp(t, TIMES, Z)), MASS * G * ('latch' in held))
        else:
            scene.feed_wrench('d0', tick.stamp_ns, (0, 0, 0), (0, 0, 0))
        tick = scene.advance(stamp)
        for event in tick.constraint_events:
            print(f'{1e-9 * event.stamp_ns:.3f} s {event.name} {event.phase.name}, {np.linalg.norm(event.force):.3f} N')
        rows.append((1e-9 * stamp, tick.states.positions[0, 2], scene.object_pose('payload')[0][2]))
    return np.array(rows), model.mass


def main(out=None):
    """One flight."""
    rows, mass = fly()
    t, drone, _ = rows.T
    docked = (t > OFF + 0.5) & (t < OPEN)
    print(f'docked with motors off it moves {np.ptp(drone[docked]):.1e} m; its weight is {mass * G:.3f} N')
    if out:
        import matplotlib
        matplotlib.use('Agg')
        import matplotlib.pyplot as plt
        figure, axes = plt.subplots(figsize=(8, 4))
        for column, name in ((1, 'drone'), (2, 'payload')):
            axes.plot(t, rows[:, column], label=name)
        axes.set(xlabel='time [s]', ylabel='z [m]')
        axes.legend()
        figure.savefig(out, dpi=120)
        print(f'picture: {out}')


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--out', help='picture to write (PNG)')
    main(parser.parse_args().out)
