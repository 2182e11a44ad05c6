# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Stacks that should stand: ten boxes, a column of ten spheres, and a pyramid of four spheres on friction alone.

The boxes are set down askew, 0.05 mm above each other, and bounce (e = 0.3) until they lie. The top sphere of the
pyramid pushes the others apart; they stay where friction is at least tan(17.63 degrees) = 0.318, half the angle between
the upright and the line of centres.
"""
import argparse

import numpy as np

from hakoniwa_rigid.engine import Box, HalfSpace, Sphere, WorldBuilder

G, SIDE, R, MASS, MU = 9.80665, 0.2, 0.1, 1.0, 0.5      # m/s^2, m, m, kg
NEEDED = np.tan(0.5 * np.arcsin(1 / np.sqrt(3)))
PYRAMID = np.array([(1, 0, 0), (-0.5, np.sqrt(0.75), 0), (-0.5, -np.sqrt(0.75), 0), (0, 0, np.sqrt(2))])
ASKEW = 5e-3 * np.array([(np.cos(2.4 * k), np.sin(2.4 * k)) for k in range(10)])    # m
PLACES = {
    'ten boxes': (Box((SIDE,) * 3), [(*ASKEW[k], (k + 0.5) * SIDE + (k + 1) * 5e-5) for k in range(10)]),
    'ten spheres': (Sphere(R), [(0, 0, (2 * k + 1) * R) for k in range(10)]),
    'four spheres': (Sphere(R), PYRAMID * 2 * R / np.sqrt(3) + (0, 0, R)),
}


def stand(shape, places, friction, seconds, every=0.01):
    """Times (T,) s and displacements (T, N, 3) m of the bodies; force on the floor, N; depth (m) of the last step."""
    builder = WorldBuilder(gravity=(0, 0, -G), dt=1e-3)
    builder.add_body(HalfSpace(), kind='static', friction=friction)
    for k, pos in enumerate(places):
        # turned about the vertical by up to 8 degrees
        quat = (np.cos(0.035 * (k % 3)), 0, 0, np.sin(0.035 * (k % 3)))
        builder.add_body(shape, mass=MASS, pos=pos, quat=quat, friction=friction, restitution=0.3)
    w = builder.build()
    first, moved = w.pos[1:], []
    for _ in range(round(seconds / every)):
        w.step(round(every / w.dt))
        moved.append(w.pos[1:] - first)
    rows = w.contacts()
    floor = rows[rows['body_a'] == 0]['impulse'][:, 2].sum() / w.dt if len(rows) else 0.0
    return every * np.arange(1, len(moved) + 1), np.array(moved), floor, rows['depth'].max(initial=0.0)


def draw(out, runs):
    from matplotlib.figure import Figure
    figure = Figure(figsize=(8, 5), layout='constrained')
    axes = figure.subplots()
    for name, (times, moved, *_) in runs.items():
        away = 1e3 * np.abs(moved[:, -1] - moved[min(99, len(moved) - 1), -1]).max(axis=1)
        axes.semilogy(times, np.maximum(1e-13, away), label=name)
    axes.set(xlabel='time, s', ylabel='top body away from its place after 1 s, mm', title='stacks, steps of 1 ms')
    axes.axhline(0.01, color='grey', ls='--', lw=0.8, label='0.01 mm')
    axes.legend()
    figure.savefig(out, dpi=120)
    print(f'picture: {out}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--out', help='write a picture to this file')
    parser.add_argument('--seconds', type=float, default=60.0, help='how long they stand')
    options, runs = parser.parse_args(), {}
    print(f'{options.seconds:4g} s           settled by, mm   then drifts, mm   on floor, N    weight, N      depth, m')
    for name, (shape, places) in PLACES.items():
        times, moved, floor, depth = runs[name] = stand(shape, places, MU, options.seconds)
        settled = moved[min(99, len(moved) - 1), -1]    # of the top body, after 1 s
        drift = np.abs(moved[:, -1] - settled)[100:].max(initial=0.0)
        print(f'{name:12}   {1e3 * np.abs(settled).max():16.3e}  {1e3 * drift:16.3e}  {floor:16.6f} '
              f'{len(places) * MASS * G:14.6f}   {depth:.1e}')
    print(f'the pyramid needs friction {NEEDED:.4f}; after one second its top has sunk by')
    for friction in (round(NEEDED - 0.005, 3), round(NEEDED + 0.005, 3)):
        _, moved, *_ = stand(*PLACES['four spheres'], friction, 1.0)
        print(f'friction {friction:.3f}   {-1e3 * moved[-1, -1, 2]:.3e} mm')
    if options.out:
        draw(options.out, runs)


if __name__ == '__main__':
    main()
