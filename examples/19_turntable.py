# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Balls on a turntable roll in circles, wherever they start and however fast, at 2/7 of the table's rate.

A shell does so at 2/5. Tilt the table and the ball does not roll down: it drifts across the slope, steadily.
"""
import argparse

import numpy as np

from hakoniwa_rigid.engine import Sphere
from hakoniwa_rigid.smooth_motion import MovingFloor, PlaneFloor, SurfaceMotion

G, r, MASS, RATE = 9.81, 0.05, 0.2, 3.0             # m/s^2, m, kg, rad/s
TILT = np.radians(1.0)
SHARES = {'solid ball': 2.0 / 5.0, 'shell': 2.0 / 3.0}      # I / m r^2


def roll(share, tilt=0.0, seconds=15.0):
    """Time (s), and the centre's place (m) and speed (m/s) along the table as complex numbers."""
    n, along = (np.sin(tilt), 0.0, np.cos(tilt)), np.array([np.cos(tilt), 0.0, -np.sin(tilt)])
    table = MovingFloor(PlaneFloor(n), axis=n, rate=RATE)
    ball = SurfaceMotion(table, Sphere(r), mass=MASS, inertia=(share * MASS * r * r,) * 3, mode='roll', project=True,
                         pos=0.3 * along + r * np.array(n), linvel=(0.0, 0.2, 0.0), gravity=(0, 0, -G))
    trace = ball.trace(round(seconds / ball.dt))
    plane = np.array([along, [0.0, 1.0, 0.0]]).T
    return trace['time'], *(trace[key] @ plane @ np.array([1.0, 1.0j]) for key in ('pos', 'linvel'))


def rate_of(t, v):
    """Mean rate (rad/s) at which a velocity turns."""
    return np.polyfit(t, np.unwrap(np.angle(v)), 1)[0]


def draw(out, flat, tilted):
    from matplotlib.figure import Figure
    figure = Figure(figsize=(10, 5), layout='constrained')
    for axes, (title, runs) in zip(figure.subplots(1, 2), (('level', flat), ('tilted by 1 degree, downhill is right',
                                                                              tilted)), strict=True):
        for name, (_, x, _) in runs.items():
            axes.plot(x.real, x.imag, label=name)
        axes.set(xlabel='x, m', ylabel='y, m', title=title, aspect='equal', adjustable='datalim')
        axes.legend()
    figure.savefig(out, dpi=120)
    print(f'picture: {out}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--out', help='write a picture to this file')
    out = parser.parse_args().out
    flat = {name: roll(share) for name, share in SHARES.items()}
    tilted = {name: roll(share, TILT) for name, share in SHARES.items()}
    for name, share in SHARES.items():
        t, _, v = flat[name]
        want = share / (1.0 + share) * RATE
        whole = v[0] * np.exp(1j * want * (t - t[0]))
        print(f'{name}: turns at {rate_of(t, v):.9f} rad/s, {share / (1.0 + share):.6f} of the table; '
              f'velocity off that circle by {np.abs(v - whole).max():.0e} m/s')
        t, x, _ = tilted[name]
        circle = np.column_stack([np.ones_like(t), t, np.exp(1j * want * t)])
        drift = np.linalg.lstsq(circle, x, rcond=None)[0][1]
        print(f'  tilted: drifts by {abs(drift.real):.6f} m/s downhill and {drift.imag:.6f} m/s across, '
              f'{G * np.sin(TILT) / (share * RATE):.6f} by the closed form')
    if out:
        draw(out, flat, tilted)


if __name__ == '__main__':
    main()
