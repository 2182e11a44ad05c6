# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A ball swings in a round bowl, once sliding and once rolling: the period against the pendulum's elliptic integral.

Its centre is a pendulum of length L = R - r; rolling, the spin adds inertia, and the period grows by sqrt(7/5).
"""
import argparse

import numpy as np
from scipy.special import ellipk

from hakoniwa_rigid.engine import Sphere
from hakoniwa_rigid.smooth_motion import SphereFloor, SurfaceMotion

G, R, r, MASS = 9.81, 1.0, 0.1, 0.5                 # m/s^2, m, m, kg
AMPLITUDES = 1.0, 10.0, 45.0, 80.0                  # degrees
SHARE = {'slide': 1.0, 'roll': 1.4}                 # 1 + I / m r^2 of what turns with the path


def swing(mode, amplitude, seconds=8.0, dt=1e-3):
    """Time (s) and angle (rad) of a ball let go at an angle from the bottom."""
    x = (R - r) * np.sin(amplitude), 0.0, -(R - r) * np.cos(amplitude)
    ball = SurfaceMotion(SphereFloor(R, inside=True), Sphere(r), mass=MASS, mode=mode, pos=x, gravity=(0, 0, -G), dt=dt,
                         project=True)
    trace = ball.trace(round(seconds / dt))
    return trace['time'], np.arctan2(trace['pos'][:, 0], -trace['pos'][:, 2])


def period(t, angle):
    """Twice the mean time between two passages of the bottom; cubic between the samples."""
    k = np.flatnonzero(angle[1:-2] * angle[2:-1] < 0.0) + 1
    passages = []
    for i in k:
        roots = np.roots(np.polyfit(np.arange(-1, 3), angle[i - 1:i + 3] / abs(angle[i - 1]), 3))
        real = roots[np.abs(roots.imag) < 1e-9].real
        passages.append(t[i] + (t[1] - t[0]) * real[(real >= 0.0) & (real <= 1.0)][0])
    return 2.0 * (passages[-1] - passages[0]) / (len(passages) - 1)


def closed_form(mode, amplitude):
    """4 sqrt(L (1 + I/m r^2) / g) K(sin^2(amplitude / 2))"""
    return 4.0 * np.sqrt((R - r) * SHARE[mode] / G) * ellipk(np.sin(0.5 * amplitude)**2)


def draw(out, runs):
    from matplotlib.figure import Figure
    figure = Figure(figsize=(9, 6), layout='constrained')
    for axes, mode in zip(figure.subplots(2, sharex=True), SHARE, strict=True):
        for degrees in AMPLITUDES:
            t, angle = runs[mode, degrees]
            axes.plot(t, angle / np.radians(degrees), label=f'{degrees:g} degrees')
        axes.set(ylabel='angle / amplitude', title=mode)
    axes.set(xlabel='time, s')
    axes.legend(loc='lower left')
    figure.savefig(out, dpi=120)
    print(f'picture: {out}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--out', help='write a picture to this file')
    out, runs = parser.parse_args().out, {}
    print('mode   amplitude, degrees   period, s      closed form, s')
    for mode in SHARE:
        for degrees in AMPLITUDES:
            runs[mode, degrees] = swing(mode, np.radians(degrees))
            print(f'{mode:<6} {degrees:18.1f}   {period(*runs[mode, degrees]):.9f}    '
                  f'{closed_form(mode, np.radians(degrees)):.9f}')
    if out:
        draw(out, runs)


if __name__ == '__main__':
    main()
