# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Two simulated drones carry a beam on two cables: up, 3 m along, and down again; then one line is let go.
With --out PNG it draws the beam on its way."""
import argparse
from pathlib import Path

import numpy as np
from flying import G, send
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.scene import CollisionScene

WORLD = Path(__file__).with_name('22_slung_load.yaml')
TICK_NS, CUT, END = 5_000_000, 9.0, 9.6     # 200 Hz; s
BEAM = 0.4                                  # kg


def route(t):
    """Where the middle of both drones is at t: (x, z) m."""
    return np.interp(t, (0, 1, 3, 6, 8), (0, 0, 0, 3, 3)), np.interp(t, (0, 1, 3, 6, 8), (2, 2, 3, 3, 2.2))


def fly():
    """Rows of time (s), places of both drones and of the ends of the beam (3,) m each, forces in the lines (N)."""
    scene = CollisionScene.from_yaml(WORLD)
    tick, rows = scene.advance(0), []
    for stamp in range(TICK_NS, round(END * 1e9), TICK_NS):
        x, z = route(1e-9 * tick.stamp_ns)
        for name, side in (('left', -0.6), ('right', 0.6)):
            send(scene, tick, name, (x + side, 4.0, z), 0.5 * BEAM * G)
        if tick.stamp_ns == round(CUT * 1e9):
            scene.detach('right line')
        tick = scene.advance(stamp)
        place, quat = scene.object_pose('beam')
        half = Rotation.from_quat(quat[[1, 2, 3, 0]]).apply((0.6, 0.0, 0.0))
        held = [np.linalg.norm(scene.constraint(name).force) if name in scene.constraint_names else 0.0
                for name in ('left line', 'right line')]
        rows.append((1e-9 * stamp, *tick.states.positions[1], *tick.states.positions[2], *(place - half),
                     *(place + half), *held))
    return np.array(rows)


def main(out=None):
    """One flight."""
    rows = fly()
    t, ends, forces = rows[:, 0], rows[:, 1:13].reshape(-1, 4, 3), rows[:, 13:]
    still, way = (t > 0.5) & (t < 1.0), (t > 3.0) & (t < 6.0)
    print(f'forces in the lines at rest: {forces[still].mean(axis=0).round(4)} N, half the weight of the beam: '
          f'{0.5 * BEAM * G:.4f} N')
    tilt = np.degrees(np.arcsin((ends[:, 3] - ends[:, 2])[:, 2] / 1.2))
    print(f'the beam tilts by {np.abs(tilt[way]).max():.2f} degrees on its way, '
          f'by {np.abs(tilt[-1]):.0f} with one line')
    print(f'force in the left line after the cut: {forces[-1, 0]:.2f} N')
    if not out:
        return
    import matplotlib
    matplotlib.use('Agg')
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(9, 4))
    for k in (*range(0, len(t), 100), *range(1800, len(t), 20)):
        left, right, one, two = ends[k][:, ::2]
        axes.plot(*zip(left, one, strict=True), color='0.7', linewidth=0.6)
        if t[k] < CUT:
            axes.plot(*zip(two, right, strict=True), color='0.7', linewidth=0.6)
        axes.plot(*zip(one, two, strict=True), color='tab:orange')
        axes.plot(*zip(left, right, strict=True), 's', color='tab:blue', markersize=4)
    axes.set(xlabel='x [m]', ylabel='z [m]', aspect='equal')
    figure.savefig(out, dpi=120)
    print(f'picture: {out}')


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--out', help='picture to write (PNG)')
    main(parser.parse_args().out)
