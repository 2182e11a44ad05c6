# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A rattleback spun the wrong way begins to rattle, stops, and turns back; spun the other way it goes on turning.

An ellipsoid that rolls; its axes of inertia are turned a little against those of its shape. Data of T. R. Kane and
D. A. Levinson, Realistic mathematical modeling of the rattleback (Int. J. Non-Linear Mechanics 17, 1982). No friction
of any kind takes energy here: in time the other way of rocking would slow its spin, too.
"""
import argparse

import numpy as np

from hakoniwa_rigid.engine import Ellipsoid
from hakoniwa_rigid.smooth_motion import PlaneFloor, SurfaceMotion

SEMI_AXES, MASS, G = (0.2, 0.03, 0.02), 1.0, 9.81   # m, kg, m/s^2
COM = (0.0, 0.0, -0.01)                             # m, below the middle of the ellipsoid
INERTIA = np.array([[2.0e-4, -2.0e-5, 0.0], [-2.0e-5, 1.6e-3, 0.0], [0.0, 0.0, 1.7e-3]])    # kg m^2, about it
WOBBLE = np.radians(0.5)
SPINS, DT, SECONDS = (-5.0, 5.0), 1e-3, 12.0        # rad/s, s


def spin(rate, inertia=INERTIA):
    """The rattleback's path, its spin about the vertical (rad/s), and by how much energy (relative) was off."""
    stone = SurfaceMotion.resting(
        PlaneFloor(), Ellipsoid(SEMI_AXES), mass=MASS, inertia=inertia, com=COM, mode='roll', at=(0, 0, 0.01),
        quat=(np.cos(0.5 * WOBBLE), np.sin(0.5 * WOBBLE), 0, 0), angvel=(0, 0, rate), gravity=(0, 0, -G), dt=DT)
    energy = stone.energy()
    trace = stone.trace(round(SECONDS / DT), every=5)
    w, x, y, z = trace['quat'].T
    lean = np.degrees(np.arcsin(np.clip(2.0 * (x * z - w * y), -1.0, 1.0)))     # of the long axis
    return trace, lean, np.abs(trace['energy'] / energy - 1.0).max()


def draw(out, runs):
    from matplotlib.figure import Figure
    figure = Figure(figsize=(9, 6), layout='constrained')
    top, bottom = figure.subplots(2, sharex=True)
    for rate, (trace, lean, _) in runs.items():
        top.plot(trace['time'], trace['angvel'][:, 2], label=f'started at {rate:+g} rad/s')
        bottom.plot(trace['time'], lean, lw=0.7)
    top.axhline(0.0, color='k', lw=0.5)
    top.set(ylabel='spin, rad/s', title='a rattleback')
    top.legend()
    bottom.set(xlabel='time, s', ylabel='lean of the long axis, degrees')
    figure.savefig(out, dpi=120)
    print(f'picture: {out}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--out', help='write a picture to this file')
    out, runs = parser.parse_args().out, {rate: spin(rate) for rate in SPINS}
    for rate, (trace, lean, energy) in runs.items():
        turned = trace['angvel'][:, 2] * rate < -0.1 * rate * rate      # against its start, by a tenth of it
        word = f'turns back after {trace["time"][np.argmax(turned)]:.3f} s' if turned.any() else 'does not turn back'
        back = -(trace['angvel'][:, 2] / rate).min()
        print(f'spun at {rate:+.1f} rad/s: {word}, back up to {max(back, 0.0):.3f} of its spin, long axis leaning by '
              f'{np.abs(lean).max():.2f} degrees; energy kept to {energy:.0e}')
    _, _, energy = still = spin(SPINS[0], np.diag(np.diag(INERTIA)))
    slowest = (still[0]['angvel'][:, 2] / SPINS[0]).min()
    print(f'with the axes of inertia along those of the shape: spin at least {slowest:.3f} of its start')
    if out:
        draw(out, runs)


if __name__ == '__main__':
    main()
