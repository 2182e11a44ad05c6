# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A drone is set down on an open hand, which lifts it and then tilts until it slides off; the same with a hand of 1 kg,
which gives way under its weight. The scene without ROS. With --out PNG it draws heights over time."""
import argparse

import numpy as np
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.paths import config_file
from hakoniwa_rigid.scene import CollisionScene, WorldConfig
from hakoniwa_rigid.scene.world_files.world_file import load_drone_model
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig, HandConfig, Pose
from hakoniwa_rigid.sims.hands.figure import hand_pose

TICK_NS, FRAME_NS, END = 5_000_000, 16_666_667, 4.4     # 200 Hz; a tracker of 60 Hz; s
MIDDLE = np.array((0.06, 0.0, 0.0))                     # of the palm, m from the wrist
TILT = 0.25                                             # rad/s, from 2 s on


def hand_at(t):
    """Joints (25,3) m of an open hand: still for 1 s, 0.3 m up within the next, and from 2 s on it tilts."""
    height = 1.0 + 0.15 * (1.0 - np.cos(np.pi * np.clip(t - 1.0, 0.0, 1.0)))
    turn = Rotation.from_rotvec((0.0, TILT * max(t - 2.0, 0.0), 0.0))
    return turn.apply(hand_pose()[0] - MIDDLE) + (0.0, 0.0, height)


def fly(mass):
    """Rows of time, height of drone and palm (m), slope of the palm (rad), how far the drone is along it (m)."""
    model = load_drone_model(config_file('drones', 'hummingbird.yaml'))
    start = (0.0, 0.0, 1.065)
    scene = CollisionScene(WorldConfig(drones=(DroneConfig('d0', model, Pose(start), 'simulate'),),
                                       hands=(HandConfig('right', effective_mass=mass),)))
    scene.feed_drone('d0', 0, start, (0, 0, 0, 1), (0, 0, 0), (0, 0, 0))
    rows, fed = [], 0
    for stamp in range(0, round(END * 1e9), TICK_NS):
        while fed <= stamp:
            scene.feed_hand('right', fed, hand_at(fed * 1e-9))
            fed += FRAME_NS
        tick = scene.advance(stamp)
        box, drone = tick.hands[0].box, tick.states.positions[0]
        if box is not None:
            x, _, z = Rotation.from_quat(box.orientation_xyzw).as_matrix().T
            rows.append((stamp * 1e-9, drone[2], box.position[2], np.arccos(min(abs(z[2]), 1.0)),
                         (drone - box.position) @ x))
    return np.array(rows)


def report(name, rows):
    """What became of it."""
    t, drone, palm, slope, along = rows.T
    still, up = (t > 0.8) & (t < 1.0), (t > 2.0) & (t < 2.02)
    slides = np.argmax(np.abs(along - along[t > 2.5][0]) * (t > 2.5) > 2e-4)
    print(f'hand of {name}: gives way by {1e3 * (1.0 - np.mean(palm[still])):.1f} mm, drone rests '
          f'{1e3 * np.mean((drone - palm)[still]):.2f} mm above the middle of the palm, is lifted by '
          f'{np.mean(drone[up]) - np.mean(drone[still]):.3f} m, slides at {np.degrees(slope[slides]):.1f} degrees')


def main(out=None):
    """Both hands."""
    flights = {'infinite mass': fly(np.inf), '1 kg': fly(1.0)}
    for name, rows in flights.items():
        report(name, rows)
    if not out:
        return
    import matplotlib
    matplotlib.use('Agg')
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(7, 4))
    for name, rows in flights.items():
        axes.plot(rows[:, 0], rows[:, 1], label=f'drone, {name}')
        axes.plot(rows[:, 0], rows[:, 2], '--', label=f'palm, {name}')
    axes.set(xlabel='time [s]', ylabel='z [m]')
    axes.legend()
    figure.savefig(out, dpi=120)
    print(f'picture: {out}')


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--out', help='picture to write (PNG)')
    main(parser.parse_args().out)
