# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Two drones meet head-on, 12 cm off centre. The engine alone: no files, no ROS."""
import argparse

import numpy as np
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.engine import Box, WorldBuilder

MASS, INERTIA = 0.71, (0.0061, 0.00653, 0.0116)   # kg, kg m^2 about x, y, z of the body
G = 9.80665                                       # m/s^2


def main(out=None):
    b = WorldBuilder(gravity=(0, 0, -G), dt=1e-3)
    for name, x, y, speed in (('west', -1.0, 0.06, 1.5), ('east', 1.0, -0.06, -1.5)):
        b.add_body(Box((0.5, 0.5, 0.15)), mass=MASS, inertia=INERTIA, pos=(x, y, 1.5), linvel=(speed, 0, 0),
                   restitution=0.5, friction=0.3, name=name)
    w = b.build()
    w.force[:, 2] = MASS * G                      # hovering thrust; it acts until another one is written
    start, before, energy = w.save(), momentum(w), w.kinetic_energy()
    while not len(w.contacts()):                  # rows of the last step; none until they touch
        w.step()
    rows = w.contacts()
    first, second = w.names[rows[0]['body_a']], w.names[rows[0]['body_b']]
    print(f'{first} and {second} touch at t = {w.time_steps * w.dt:.3f} s in {len(rows)} points:')
    for row in rows:
        closing, opening = -row['velocity_before'] @ row['normal'], row['velocity_after'] @ row['normal']
        print(f'  at {np.round(row["position"], 3)} m: impulse on {second} {np.round(row["impulse"], 4)} N s, '
              f'closing at {closing:.3f} m/s, then opening at {opening:.3f} m/s')
    print(f'impulse on {second} in all: {np.round(rows["impulse"].sum(axis=0), 4)} N s')
    after = momentum(w)
    for name, v, spin in zip(w.names, w.linvel, w.angvel, strict=True):
        print(f'{name} now flies at {np.round(v, 3)} m/s and turns at {np.round(spin, 3)} rad/s')
    print(f'linear momentum changed by {np.abs(after[0] - before[0]).max():.1e} N s')
    print(f'angular momentum changed by {np.abs(after[1] - before[1]).max():.1e} N m s')
    print(f'kinetic energy: {energy:.3f} J before, {w.kinetic_energy():.3f} J after')
    if out:
        w.restore(start)
        draw(out, w, rows)


def momentum(w):
    """Linear momentum (3,) N s and angular momentum (3,) N m s about the world's origin."""
    p = w.mass[:, None] * w.linvel
    turn = Rotation.from_quat(w.quat[:, [1, 2, 3, 0]]).as_matrix()         # body axes -> world axes
    spin = np.einsum('nij,njk,nlk,nl->ni', turn, w.inertia, turn, w.angvel)
    return p.sum(axis=0), (np.cross(w.pos, p) + spin).sum(axis=0)


def draw(out, w, rows):
    from matplotlib.figure import Figure
    figure, track = Figure(figsize=(11, 5), layout='constrained'), []
    above, speed, rate = figure.subplot_mosaic([['above', 'v'], ['above', 'w']], width_ratios=(3, 2)).values()
    square = 0.25 * np.array([[-1, 1, 1, -1, -1], [-1, -1, 1, 1, -1], [0] * 5])
    while w.time_steps <= 1000:
        turn = Rotation.from_quat(w.quat[:, [1, 2, 3, 0]]).as_matrix()
        track.append((w.time_steps * w.dt, w.pos, w.linvel, w.angvel, w.pos[:, :, None] + turn @ square))
        w.step()
    t, pos, linvel, angvel, edges = (np.array(x) for x in zip(*track, strict=True))
    above.set_prop_cycle(color=['tab:blue', 'tab:orange'])
    above.plot(pos[:, :, 0], pos[:, :, 1], label=[f'{name}, path of its centre' for name in w.names])
    for k, style in ((0, ':'), (500, '-'), (1000, '--')):
        above.plot(*edges[k, :, :2].transpose(1, 2, 0), ls=style)
    above.plot(*rows['position'].T[:2], 'ko', ms=4, label='contact points')
    above.quiver(*rows['position'].mean(axis=0)[:2], *rows['impulse'].sum(axis=0)[:2], angles='xy', scale_units='xy',
                 scale=4, zorder=3, label=f'impulse on {w.names[1]}, 0.25 m per N s')
    speed.plot(t, linvel[:, :, 0])
    rate.plot(t, angvel[:, :, 2])
    above.set(xlabel='x, m', ylabel='y, m', aspect='equal', title='from above, at 0 s (dotted), 0.5 s and 1 s (dashed)')
    above.legend(loc='lower left')
    speed.set(ylabel='velocity along x, m/s')
    rate.set(xlabel='time, s', ylabel='rate about z (both), rad/s')
    figure.savefig(out, dpi=120)
    print(f'picture: {out}')


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--out', help='write a picture to this file')
    main(parser.parse_args().out)
