# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A racket thrown about its middle axis flips over and over: every integrator, and what each keeps.

Nothing acts on it: energy and angular momentum L stay, and Euler's equations are solved by Jacobi's functions.
"""
import argparse

import numpy as np
from scipy.spatial.transform import Rotation
from scipy.special import ellipj, ellipk

from hakoniwa_rigid.engine import Box, WorldBuilder

MOMENTS = np.array([0.0061, 0.00653, 0.0116])                         # kg m^2
SPIN = 5.0 * np.array([np.sin(0.01), np.cos(0.01), 0.0])              # rad/s
DT, SECONDS, EVERY = 1e-3, 10.0, 10


def tumble(integrator, storage='principal'):
    """Body rates (n, 3) every 10 ms, and the worst relative error of the energy and of L as a vector."""
    builder = WorldBuilder(gravity=(0, 0, 0), dt=DT, integrator=integrator, inertia_storage=storage)
    builder.add_body(Box((0.5, 0.5, 0.15)), mass=0.71, inertia=MOMENTS, angvel=SPIN)
    world = builder.build()
    rates, energies, momenta = [], [], []
    for _ in range(round(SECONDS / DT / EVERY) + 1):
        turn = Rotation.from_quat(world.quat[0][[1, 2, 3, 0]])
        rates.append(turn.inv().apply(world.angvel[0]))
        energies.append(world.kinetic_energy())
        momenta.append(turn.apply(MOMENTS * rates[-1]))
        world.step(EVERY)
    drift = np.linalg.norm(np.array(momenta) - momenta[0], axis=1).max() / np.linalg.norm(momenta[0])
    return np.array(rates), np.abs(np.array(energies) / energies[0] - 1.0).max(), drift


def euler_top(t):
    """Body rates (n, 3) at times t (s) (Landau and Lifshitz, Mechanics, section 37, with axes 1 and 3 exchanged)."""
    i3, i2, i1 = MOMENTS
    twice, square = (MOMENTS * SPIN**2).sum(), ((MOMENTS * SPIN)**2).sum()
    m = (i2 - i1) * (twice * i3 - square) / ((i3 - i2) * (square - twice * i1))
    tops = np.sqrt([(twice * i3 - square) / (i1 * (i3 - i1)), (twice * i3 - square) / (i2 * (i3 - i2)),
                    (square - twice * i1) / (i3 * (i3 - i1))])
    speed = np.sqrt((i3 - i2) * (square - twice * i1) / (i1 * i2 * i3))
    sn, cn, dn, _ = ellipj(ellipk(m) + speed * t, m)    # from the greatest rate about the middle axis
    return np.column_stack([tops[2] * dn, tops[1] * sn, tops[0] * cn])


def draw(out, t, runs, exact):
    from matplotlib.figure import Figure
    figure = Figure(figsize=(9, 6), layout='constrained')
    top, bottom = figure.subplots(2, sharex=True)
    top.plot(t, runs['exact'], label=['least axis', 'middle axis', 'greatest axis'])
    top.plot(t[::10], exact[::10], 'k.', ms=2)
    top.set(ylabel='rate in the body, rad/s', title='tumbling about the middle axis; dots: elliptic functions')
    top.legend()
    for name, rates in runs.items():
        bottom.semilogy(t, np.abs(rates - exact).max(axis=1) + 1e-16, label=name)
    bottom.set(xlabel='time, s', ylabel='error of the rate, rad/s')
    bottom.legend(loc='upper left')
    figure.savefig(out, dpi=120)
    print(f'picture: {out}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--out', help='write a picture to this file')
    out = parser.parse_args().out
    t = np.arange(0.0, SECONDS + DT, DT * EVERY)
    exact = euler_top(t)
    print(f'{"integrator":<21} {"storage":<10} {"energy":>8} {"L":>8} {"rate":>8}   worst relative errors in 10 s')
    runs = {}
    for name in ('exact', 'implicit_midpoint', 'rk4', 'semi_implicit_euler'):
        for storage in ('principal', 'tensor'):
            runs[name], energy, momentum = tumble(name, storage)
            rate = np.abs(runs[name] - exact).max() / 5.0
            print(f'{name:<21} {storage:<10} {energy:8.0e} {momentum:8.0e} {rate:8.0e}')
    if out:
        draw(out, t, runs, exact)


if __name__ == '__main__':
    main()
