# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A drone sinks onto a table, switches its rotors off and rests: forces in, contact points out. The engine alone."""
import argparse

import numpy as np

from hakoniwa_rigid.engine import Box, HalfSpace, WorldBuilder

G, MASS, DT = 9.80665, 0.71, 1e-3                 # m/s^2, kg, s
DRONE, TABLE = (0.2, 0.2, 0.05), (1.2, 0.8, 0.05)  # m, full sides
TOP = 0.745                                       # m, height of the table's upper face


def draw(out, track):
    """Height of the underside above the table, and the force that the table carries."""
    from matplotlib.figure import Figure
    figure = Figure(figsize=(8, 6), layout='constrained')
    top, bottom = figure.subplots(2, sharex=True)
    t, height, force = np.array(track).T
    top.plot(t, height * 1e3)
    top.set(ylabel='height of the middle, mm', title='a drone lands on a table, and switches its rotors off')
    bottom.plot(t, force)
    bottom.axhline(MASS * G, color='grey', ls='--', label='weight')
    bottom.set(xlabel='time, s', ylabel='force on the table, N', ylim=(0, 3 * MASS * G))
    bottom.legend()
    figure.savefig(out, dpi=120)
    print(f'picture: {out}')


def main():
    """Descend at 0.4 m/s with a slight tilt, touch, stop the rotors, rest for a second."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--out', help='write a picture to this file')
    out, track = parser.parse_args().out, []
    b = WorldBuilder(gravity=(0, 0, -G), dt=DT)
    b.add_body(HalfSpace(), kind='static', name='floor')
    b.add_body(Box(TABLE), kind='static', pos=(0, 0, TOP - TABLE[2] / 2), restitution=0.3, friction=0.5, name='table')
    tilt = np.radians(5.0)
    i = b.add_body(Box(DRONE), mass=MASS, inertia=(0.0061, 0.00653, 0.0116), pos=(0.1, 0.05, TOP + 0.2),
                   quat=(np.cos(tilt / 2), np.sin(tilt / 2), 0, 0), linvel=(0.1, 0, -0.4), friction=0.5, name='drone')
    w = b.build()

    def step():
        w.step()
        load = w.contacts()['impulse'][:, 2].sum() / DT
        track.append((w.time_steps * DT, w.pos[i, 2] - TOP - DRONE[2] / 2, load))

    w.force[i] = (0, 0, MASS * G)                 # N, world: carries the weight, so that the descent is steady
    while not len(w.contacts()):
        step()
    touch = w.contacts()[0]
    print(f'touches the {w.names[touch["body_a"]]} after {w.time_steps * DT:.3f} s at '
          f'{np.round(touch["position"], 3)} m, impulse {np.round(touch["impulse"], 4)} N s')

    w.force[i] = 0.0                              # rotors off: gravity and the table remain
    for _ in range(1000):
        step()
    rows = w.contacts()
    print(f'one second later: {len(rows)} contact points')
    for row in rows:
        force = row['impulse'] / DT               # a resting row's impulse is that of one whole step
        print(f'  at {np.round(row["position"], 4)} m: {force[2]:.4f} N upwards, depth {row["depth"]:.0e} m')
    print(f'table carries {rows["impulse"][:, 2].sum() / DT:.9f} N, weight {MASS * G:.9f} N')
    print(f'height above the table {(w.pos[i, 2] - TOP - DRONE[2] / 2) * 1e3:.6f} mm, '
          f'speed {np.linalg.norm(w.linvel[i]):.1e} m/s')
    if out:
        draw(out, track)


if __name__ == '__main__':
    main()
