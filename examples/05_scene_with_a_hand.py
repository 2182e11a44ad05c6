# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A hand pushes a drone that its simulator believes to be hovering. The scene without ROS: samples in, states and
events out, as the node does it. With --out PNG it draws reference and corrected path."""
import argparse
from pathlib import Path

import numpy as np

from hakoniwa_rigid.paths import config_file
from hakoniwa_rigid.scene import CollisionScene, Phase
from hakoniwa_rigid.sims.hands.motion import read_motion

TICK_NS = 5_000_000                       # 200 Hz
HOVER, LEVEL = (3.0, -2.5, 1.3), (0, 0, 0, 1)   # m, world; xyzw


def main(out=None):
    """Feed four seconds of a hovering drone and of a recorded stroke."""
    scene = CollisionScene.from_yaml(Path(__file__).with_name('05_room.yaml'))
    motion = read_motion(config_file('hands', 'strike_right.npz'))
    path = []
    for stamp in range(0, 4_000_000_000, TICK_NS):
        # stamps are ns of any one clock; every input tells whether it was taken
        scene.feed_drone('d0', stamp, HOVER, LEVEL, (0, 0, 0), (0, 0, 0))
        k = motion.index_at(stamp * 1e-9)
        captured = round(motion.times[k] * 1e9)
        if stamp - captured < TICK_NS:    # the tracker is slower than we: 60 Hz
            scene.feed_hand('right', captured, motion.positions[k], motion.orientations[k], motion.radii)
        tick = scene.advance(stamp)
        path.append((stamp * 1e-9, *tick.states.positions[0]))
        for event in tick.events:
            report(event)
    path = np.array(path)
    away = np.linalg.norm(path[:, 1:] - HOVER, axis=1)
    print(f'farthest from its reference: {away.max():.3f} m at t = {path[away.argmax(), 0]:.2f} s; '
          f'at the end {away[-1]:.4f} m')
    refused = sum(scene.counters.values())
    print(f'inputs not plainly accepted: {refused}')
    if out:
        draw(path, motion, out)


def report(event):
    """A line for the beginning and the end of a contact."""
    who = f'{event.body_a} and {event.body_b} ({event.part_b or event.part_a})'
    size = np.linalg.norm(event.impulse)
    if event.phase == Phase.BEGIN:
        print(f'{event.stamp_ns * 1e-9:6.3f} s  {who} touch, impulse {size:.4f} N s, {event.kind.name}')
    elif event.phase == Phase.END:
        print(f'{event.stamp_ns * 1e-9:6.3f} s  {who} part, {size:.4f} N s since they touched')


def draw(path, motion, out):
    """The y coordinates of reference, corrected drone and palm against time."""
    import matplotlib
    matplotlib.use('Agg')
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(7, 4))
    axes.plot(path[:, 0], path[:, 2], label='drone, corrected')
    axes.axhline(HOVER[1], color='grey', linestyle='--', label='drone, as its simulator has it')
    axes.plot(motion.times, motion.positions[:, :, 1].mean(axis=1), label='hand, mean of its joints')
    axes.set(xlabel='time [s]', ylabel='y [m]')
    axes.legend()
    figure.savefig(out, dpi=120)
    print(f'picture: {out}')


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--out', help='picture to write (PNG)')
    main(parser.parse_args().out)
