# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Newton's cradle: five equal balls in a row, some of them flying in, hit through the ones that touch.

The engine has no strings: the balls float without gravity, which is the cradle at the instant of the impact. Touching,
e = 1: as many go out as came in (the chosen law of docs/impacts.md). With gaps, one in: every hit is a pair of its own,
and the last ball leaves with ((1 + e) / 2)^4 v.
"""
import argparse

import numpy as np

from hakoniwa_rigid.engine import Sphere, WorldBuilder

N, R, MASS, V, SECONDS = 5, 0.05, 0.3, 1.0, 0.25     # balls, m, kg, m/s, s
GAP, AWAY = 1e-3, 0.05                               # m between the balls where they do not touch; before the impact


def swing(moving, e, gap):
    """Times (T,) s, places (T, N) m and speeds (T, N) m/s along the row."""
    builder = WorldBuilder(gravity=(0, 0, 0), dt=1e-3)
    for k in range(N):
        x = k * (2 * R + gap) - (AWAY if k < moving else 0.0)
        builder.add_body(Sphere(R), mass=MASS, pos=(x, 0, 0), linvel=(V if k < moving else 0, 0, 0), restitution=e,
                         friction=0.0)
    w, states = builder.build(), []
    for _ in range(round(SECONDS / w.dt)):
        states.append((w.time_steps * w.dt, w.pos[:, 0], w.linvel[:, 0]))
        w.step()
    return tuple(map(np.array, zip(*states, strict=True)))


def expected(moving, e, gap):
    """Speeds that are known: all of them for e = 1, the last ball's for one ball and gaps, else none (nan)."""
    if e == 1.0:
        return np.where(np.arange(N) >= N - moving, V, 0.0)
    last = ((1 + e) / 2)**(N - 1) * V if gap and moving == 1 else np.nan
    return np.append(np.full(N - 1, np.nan), last)


def draw(out, runs):
    from matplotlib.figure import Figure
    figure = Figure(figsize=(12, 6), layout='constrained')
    for axes, ((moving, e, gap), (times, places, _)) in zip(figure.subplots(2, 4).flat, runs.items(), strict=True):
        axes.plot(times, 1e3 * places)
        how = f'gaps of {1e3 * gap:g} mm' if gap else 'touching'
        axes.set(title=f'{moving} in, e = {e:g}, {how}', xlabel='time, s', ylabel='place along the row, mm')
    figure.savefig(out, dpi=120)
    print(f'picture: {out}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--out', help='write a picture to this file')
    out, runs = parser.parse_args().out, {}
    print(f'in  e    gap, mm   {f"speeds of the {N} balls afterwards, m/s":60} off closed form  momentum   energy')
    for e in (1.0, 0.9):
        for moving, gap in ((1, 0.0), (2, 0.0), (3, 0.0), (1, GAP)):
            times, places, speeds = runs[moving, e, gap] = swing(moving, e, gap)
            wrong = np.abs(speeds[-1] - expected(moving, e, gap))
            off = '' if np.isnan(wrong).all() else f'{np.nanmax(wrong):.0e}'
            print(f'{moving}   {e:.1f}  {1e3 * gap:4.0f}    ', *(f'{v:11.8f}' for v in speeds[-1] + 0.0),
                  f'{off:>8}  {(speeds[-1].sum() / (moving * V) - 1):9.0e}  {(speeds[-1]**2).sum() / moving:8.6f}')
    print('off closed form: m/s (e = 0.9: the last ball with gaps); momentum: relative change; energy: part kept')
    if out:
        draw(out, runs)


if __name__ == '__main__':
    main()
