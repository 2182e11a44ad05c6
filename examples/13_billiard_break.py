# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A billiard break: a cue ball slides into fifteen touching balls, v^2 = v0^2 - 2 mu g s, on cloth between cushions."""
import argparse

import numpy as np

from hakoniwa_rigid.engine import Box, HalfSpace, Sphere, WorldBuilder

G, R, MASS, V, AWAY = 9.80665, 0.028575, 0.17, 6.0, 0.5     # m/s^2, m, kg, m/s, m from the cue ball's front to the rack
BALLS, CLOTH, CUSHION = (0.95, 0.06), (0.0, 0.2), (0.8, 0.15)       # (e, mu)
TABLE, MIDDLE = (2.54, 1.27), -2.54 / 4                     # m, inside the cushions; the rack's tip is the origin
ROWS = [(row, k) for row in range(5) for k in range(row + 1)]
MIRROR = [ROWS.index((row, row - k)) for row, k in ROWS]


def table():
    """The world; bodies 0 cloth, 1 to 4 cushions, 5 cue ball, 6 to 20 the rack."""
    builder = WorldBuilder(gravity=(0, 0, -G), dt=1e-3)
    builder.add_body(HalfSpace(), kind='static')
    for x, y in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        place = (MIDDLE + x * (TABLE[0] / 2 + 0.05), y * (TABLE[1] / 2 + 0.05), 0)
        builder.add_body(Box((0.1, 1.5, 4 * R) if x else (2.7, 0.1, 4 * R)), kind='static', pos=place)
    balls = [builder.add_body(Sphere(R), mass=MASS, pos=(-AWAY - 2 * R, 0, R), linvel=(V, 0, 0))]
    for row, k in ROWS:
        balls.append(builder.add_body(Sphere(R), mass=MASS, pos=(row * np.sqrt(3) * R, (2 * k - row) * R, R)))
    builder.set_pair_material(0, balls, *CLOTH, rolling_friction=0.01 * R)
    builder.set_pair_material(range(1, 5), balls, *CUSHION)
    builder.set_pair_material(balls, balls, *BALLS)
    return builder.build()


def play(seconds):
    """Per step: places (T, 16, 2) m, energy (T,) J; of the break: step, closing speed, momentum lost, asymmetry."""
    w, hit, places, energy = table(), None, [], []
    while len(places) <= round(seconds / w.dt):
        places.append(w.pos[5:, :2])
        energy.append(w.energy())
        momentum = MASS * w.linvel[5:].sum(axis=0)
        w.step()
        rows = w.contacts()
        if hit is None and ((rows['body_a'] == 5) & rows['impact']).any():
            given = rows[rows['body_a'] < 5]['impulse'].sum(axis=0) - (0, 0, 16 * MASS * G * w.dt)
            lost = np.abs(momentum + given - MASS * w.linvel[5:].sum(axis=0)).max()
            uneven = np.abs(w.linvel[6:] - w.linvel[6:][MIRROR] * (1, -1, 1)).max()
            hit = len(places), -rows[rows['body_a'] == 5]['velocity_before'][0, 0], lost, uneven
    return np.array(places), np.array(energy) - 16 * MASS * G * R, hit


def draw(out, places, energy):
    from matplotlib import figure, patches
    picture = figure.Figure(figsize=(11, 8), layout='constrained')
    top, bottom = picture.subplots(2, height_ratios=(3, 1))
    for k, path in enumerate(places.transpose(1, 2, 0)):
        (line,) = top.plot(*path, color=None if k else 'black', lw=0.8)
        top.add_patch(patches.Circle(path[:, 0], R, color='grey', fill=False, lw=0.5))
        top.add_patch(patches.Circle(path[:, -1], R, color=line.get_color()))
    top.add_patch(patches.Rectangle((MIDDLE - TABLE[0] / 2, -TABLE[1] / 2), *TABLE, fill=False))
    top.set(aspect='equal', xlabel='x, m', ylabel='y, m', title=f'break at {V} m/s; black: the cue ball')
    bottom.plot(energy)
    bottom.set(xlabel='time, ms', ylabel='energy, J')
    picture.savefig(out, dpi=120)
    print(f'picture: {out}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--out', help='write a picture to this file')
    parser.add_argument('--seconds', type=float, default=4.0)
    options = parser.parse_args()
    places, energy, (step, closing, lost, uneven) = play(options.seconds)
    print(f'cue ball arrives at {closing:.9f} m/s, closed form {np.sqrt(V**2 - 2 * CLOTH[1] * G * AWAY):.9f}')
    print(f'break, step {step}: momentum lost {lost:.0e} N s, mirror images differ by {uneven:.0e} m/s')
    print(f'energy {energy[step - 1]:.6f} J before, {energy[step]:.6f} J after, {energy[-1]:.6f} J at the end; '
          f'most in one step {np.diff(energy).max():+.0e} J')
    if options.out:
        draw(options.out, places, energy)


if __name__ == '__main__':
    main()
