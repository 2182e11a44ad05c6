# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A `correct` drone on 1.5 m of line whose plan flies 2 m out and comes back: it waits at the end of its line, and is
on its plan again afterwards; an elastic line (restitution 0.5) beside it.  With --out PNG it draws plan and drone."""
import argparse

import numpy as np

from hakoniwa_rigid.engine import Sphere
from hakoniwa_rigid.paths import config_file
from hakoniwa_rigid.scene import CollisionScene, WorldConfig
from hakoniwa_rigid.scene.world_files.world_file import load_drone_model
from hakoniwa_rigid.scene.world_files.world_types import ConstraintConfig, DroneConfig, Pose, WallConfig

TICK_NS, END = 5_000_000, 9.0       # 200 Hz; s
LENGTH = 1.503                      # m
TIMES, PLACES = (0.0, 1.0, 2.6, 4.6, 6.2), (0.4, 0.4, 2.0, 2.0, 0.4)    # s, m: the plan


def fly(restitution):
    """Rows of time (s), places (m) of plan and drone along the line, force on the drone (N)."""
    model = load_drone_model(config_file('drones', 'hummingbird.yaml'))
    line = ConstraintConfig('line', 'cable', 'post', 'd0', length=LENGTH, restitution=restitution)
    scene = CollisionScene(WorldConfig(walls=(WallConfig('post', Sphere(0.02), Pose((0.0, 0.0, 1.0))),),
                                       drones=(DroneConfig('d0', model, Pose((0.4, 0.0, 1.0))),), constraints=(line,)))
    scene.advance(0)
    rows = []
    for stamp in range(TICK_NS, round(END * 1e9), TICK_NS):
        before = 1e-9 * (stamp - TICK_NS)
        x = np.interp(before, TIMES, PLACES)
        speed = (np.interp(before + 1e-3, TIMES, PLACES) - x) / 1e-3
        scene.feed_drone('d0', stamp - TICK_NS, (x, 0.0, 1.0), (0, 0, 0, 1), (speed, 0, 0), (0, 0, 0))
        tick = scene.advance(stamp)
        for event in tick.constraint_events:
            print(f'  {1e-9 * event.stamp_ns:.3f} s {event.phase.name:8} {np.linalg.norm(event.impulse):.3f} N s')
        loads = tick.constraint_loads
        rows.append((1e-9 * stamp, np.interp(1e-9 * stamp, TIMES, PLACES), tick.states.positions[0, 0],
                     0.0 if loads is None else np.linalg.norm(loads.forces[0])))
    return np.array(rows)


def main(out=None):
    """Both lines."""
    flights = {}
    for restitution in (0.0, 0.5):
        print(f'restitution {restitution}')
        flights[restitution] = rows = fly(restitution)
        print(f'  at most {rows[:, 2].max():.6f} m out; waiting it is pulled with {rows[850, 3]:.2f} N; '
              f'{abs(rows[-1, 2] - rows[-1, 1]):.1e} m off its plan at the end')
    if not out:
        return
    import matplotlib
    matplotlib.use('Agg')
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(8, 4))
    axes.plot(flights[0.0][:, 0], flights[0.0][:, 1], '--', color='0.5', label='plan')
    for restitution, rows in flights.items():
        axes.plot(rows[:, 0], rows[:, 2], label=f'drone, restitution {restitution}')
    axes.axhline(LENGTH, color='0.7', linewidth=0.8)
    axes.set(xlabel='time [s]', ylabel='distance from the post [m]')
    axes.legend()
    figure.savefig(out, dpi=120)
    print(f'picture: {out}')


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--out', help='picture to write (PNG)')
    main(parser.parse_args().out)
