# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""One wall, four simulators, three kinds of authority: what a sim sends and what the scene shows."""
import argparse

import numpy as np

from hakoniwa_rigid.engine import Box, HalfSpace
from hakoniwa_rigid.scene import CollisionScene, WorldConfig
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig, DroneModel, MaterialConfig, WallConfig

TICK, NS = 5_000_000, 1_000_000_000                    # ns
WALL, REACH, DEPTH, BACK = 0.8, 0.1, 0.3, 3.0          # m: the wall, the hull's half width, the reference behind it; s
MODEL = DroneModel('quad', 0.71, (0.0061, 0.00653, 0.0116), Box((0.2, 0.2, 0.05)),
                   material=MaterialConfig('hull', 0.5, 0.0))
CASES = {'correct, sim ignores us': 'correct', 'correct, sim applies after 0.3 s': 'correct',
         'observe, sim ignores us': 'observe', 'simulate, by wrench': 'simulate'}


def reference(t):
    """Place and speed along x (m, m/s): to DEPTH behind the touch and back in BACK s."""
    way, a = WALL - REACH + DEPTH, 2 * np.pi * min(t / BACK, 1.0)
    return 0.5 * way * (1 - np.cos(a)), way * np.pi / BACK * np.sin(a)


def run(case, seconds=5.0):
    """Times s, the sim's place and the place shown (m), and the events."""
    wall = WallConfig('wall', HalfSpace((-1.0, 0.0, 0.0), -WALL), material=MaterialConfig('concrete', 0.5, 0.0))
    scene = CollisionScene.from_config(WorldConfig(drones=(DroneConfig('d', MODEL, authority=CASES[case]),),
                                                   walls=(wall,)))
    (jump, speed), received, apply_at, rows, events = (0.0, 0.0), (), np.inf, [], []
    for now in range(TICK, round(seconds * NS), TICK):
        t = now / NS
        if t >= apply_at:
            jump, speed = jump + received[0], speed + received[1]
            apply_at = np.inf
        # the sim's controller steers back what it applied: d'' = -4 d' - 4 d
        jump, speed = jump + speed * TICK / NS, speed + (-4 * speed - 4 * jump) * TICK / NS
        x, v = np.add(reference(t), (jump, speed))
        scene.feed_drone('d', now, (x, 0, 1), (0, 0, 0, 1), (v, 0, 0), (0, 0, 0))
        push = MODEL.mass * (0.5 * (reference(t + 1e-3)[1] - reference(t - 1e-3)[1]) / 1e-3)
        scene.feed_wrench('d', now, (push, 0, MODEL.mass * 9.80665), (0, 0, 0))
        tick = scene.advance(now)
        shown, shown_v = tick.states.positions[0, 0], tick.states.linear_velocities[0, 0]
        rows.append((t, x, shown))
        events += tick.events
        if 'applies' in case and any(e.phase == 0 for e in tick.events):
            received, apply_at = (shown - x, shown_v - v), t + 0.3
    return *np.array(rows).T, events


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--out', help='write a picture to this file')
    out, results = parser.parse_args().out, {case: run(case) for case in CASES}
    print(f'{"":34}contacts  impulse, N s  shown beyond the wall, m  off the sim at the end, m')
    for case, (_, x, shown, events) in results.items():
        reported = sum(abs(e.impulse[0]) for e in events if e.phase != 2)
        print(f'{case:34}{sum(e.phase == 0 for e in events):<10}{reported:<14.3f}'
              f'{max(shown.max() - (WALL - REACH), 0.0):<26.4f}{abs(shown[-1] - x[-1]):.4f}')
    if out:
        draw(out, results)


def draw(out, results):
    from matplotlib.figure import Figure
    figure = Figure(figsize=(10, 7), layout='constrained')
    for axes, (case, (t, x, shown, _)) in zip(figure.subplots(2, 2, sharex=True, sharey=True).flat, results.items(),
                                              strict=True):
        axes.axhspan(WALL - REACH, 1.3, color='0.85', label='the wall, seen by the hull')
        axes.plot(t, x, '--', label='the sim')
        axes.plot(t, shown, label='the scene')
        axes.set(title=case, xlabel='time, s', ylabel='x, m', ylim=(-1.0, 1.3))
        axes.legend(loc='lower left')
    figure.savefig(out, dpi=120)
    print(f'picture: {out}')


if __name__ == '__main__':
    main()
