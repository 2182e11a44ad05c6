# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Sliding and rolling on a smooth floor, the two runs of the source of docs/smooth_floor.md.

An ellipsoid with a longest semi-axis of 0.3 m slides on a floor without friction, and rolls.

Lagrange's multipliers hold it on the floor. Nothing takes energy; without friction nothing pushes it sideways either.
"""
import argparse

import numpy as np

from hakoniwa_rigid.engine import Ellipsoid
from hakoniwa_rigid.smooth_motion import PlaneFloor, SurfaceMotion

SEMI_AXES, MASS, G = (0.3, 0.2, 0.15), 1.0, 9.81    # m, kg, m/s^2
START = dict(quat=(np.cos(0.3), np.sin(0.3), 0.0, 0.0), angvel=(1.0, 2.0, 2.0))
DT, SECONDS = 1e-3, 10.0


def run(mode):
    """The motion, its energy (J) at the start and its path."""
    body = SurfaceMotion.resting(PlaneFloor(), Ellipsoid(SEMI_AXES), mass=MASS, mode=mode, at=(0, 0, 0.2), dt=DT,
                                 gravity=(0, 0, -G), linvel=(0.2, 0.1, 0.0), **START)
    energy = body.energy()
    return body, energy, body.trace(round(SECONDS / DT), every=10)


def draw(out, runs):
    from matplotlib.figure import Figure
    figure = Figure(figsize=(10, 7), layout='constrained')
    for (path, height), (mode, (_, energy, trace)) in zip(figure.subplots(2, 2), runs.items(), strict=True):
        path.plot(*trace['contact_point'][:, :2].T, label='contact point')
        path.plot(*trace['pos'][:, :2].T, label='centre of mass')
        path.set(xlabel='x, m', ylabel='y, m', title=f'{mode}, from above', aspect='equal', adjustable='datalim')
        path.legend()
        height.plot(trace['time'], trace['contact_force'][:, 2] / (MASS * G), label='force of the floor / weight')
        height.plot(trace['time'], trace['pos'][:, 2] / max(SEMI_AXES), label='height / 0.3 m')
        height.set(xlabel='time, s', title=f'energy within {np.abs(trace["energy"] / energy - 1).max():.0e}')
        height.legend(loc='upper right')
    figure.savefig(out, dpi=120)
    print(f'picture: {out}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--out', help='write a picture to this file')
    out, runs = parser.parse_args().out, {mode: run(mode) for mode in ('slide', 'roll')}
    for mode, (body, energy, trace) in runs.items():
        gap, speed = body.residual()
        force = trace['contact_force']
        print(f'{mode}: energy {energy:.9f} J, kept to {np.abs(trace["energy"] / energy - 1).max():.0e}; at the end '
              f'gap {gap:.0e} m, constraint {speed:.0e} m/s')
        print(f'  force of the floor {force[:, 2].min():.3f} to {force[:, 2].max():.3f} N up, weight {MASS * G} N; '
              f'sideways up to {np.hypot(*force[:, :2].T).max():.3f} N')
        print(f'  fastest spin {np.linalg.norm(trace["angvel"], axis=1).max():.3f} rad/s; centre of mass went '
              f'{np.linalg.norm(trace["pos"][-1, :2] - trace["pos"][0, :2]):.6f} m')
    if out:
        draw(out, runs)


if __name__ == '__main__':
    main()
