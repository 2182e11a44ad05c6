# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A simulated drone with a load on a cable flies 2 m to the side and stops: the load swings on.  With --out PNG it
draws both paths and the force in the cable."""
import argparse
from pathlib import Path

import numpy as np
from flying import G, send

from hakoniwa_rigid.scene import CollisionScene

WORLD = Path(__file__).with_name('22_slung_load.yaml')
TICK_NS, END = 5_000_000, 12.0      # 200 Hz; s
LOAD = 0.2                          # kg


def fly():
    """Rows of time (s), places of drone and load (3,) m each, force in the cable (N)."""
    scene = CollisionScene.from_yaml(WORLD)
    tick, rows = scene.advance(0), []
    for stamp in range(TICK_NS, round(END * 1e9), TICK_NS):
        for event in tick.constraint_events:
            if event.name == 'sling':
                print(f'{1e-9 * event.stamp_ns:.3f} s: {event.name} {event.phase.name}')
        send(scene, tick, 'carrier', (2.0 if tick.stamp_ns > 1e9 else 0.0, 0.0, 2.0), LOAD * G)
        tick = scene.advance(stamp)
        rows.append((1e-9 * stamp, *tick.states.positions[0], *scene.object_pose('load')[0],
                     np.linalg.norm(scene.constraint('sling').force)))
    return np.array(rows)


def main(out=None):
    """One flight."""
    rows = fly()
    t, drone, load, force = rows[:, 0], rows[:, 1:4], rows[:, 4:7], rows[:, 7]
    still = (t > 0.5) & (t < 1.0)
    print(f'force in the cable at rest: {force[still].mean():.6f} N, weight of the load: {LOAD * G:.6f} N')
    length = np.linalg.norm(drone - load, axis=1)
    angle = np.degrees(np.arcsin(np.clip((load - drone)[:, 0], -1.0, 1.0)))
    print(f'cable: {length.max() - 1.0:.1e} m longer than 1 m at most, up to {np.abs(angle).max():.1f} degrees')
    print(f'drone and load at the end: {drone[-1, 0]:.2f} m and {load[-1, 0]:.2f} m')
    if not out:
        return
    import matplotlib
    matplotlib.use('Agg')
    import matplotlib.pyplot as plt
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), width_ratios=(3, 2))
    for k in range(0, len(t), 40):
        left.plot(*zip(drone[k, ::2], load[k, ::2], strict=True), color='0.7', linewidth=0.6)
    left.plot(drone[:, 0], drone[:, 2], label='drone')
    left.plot(load[:, 0], load[:, 2], label='load')
    left.set(xlabel='x [m]', ylabel='z [m]', aspect='equal')
    left.legend()
    right.plot(t, force)
    right.axhline(LOAD * G, color='0.5', linewidth=0.8)
    right.set(xlabel='time [s]', ylabel='force in the cable [N]')
    figure.tight_layout()
    figure.savefig(out, dpi=120)
    print(f'picture: {out}')


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--out', help='picture to write (PNG)')
    main(parser.parse_args().out)
