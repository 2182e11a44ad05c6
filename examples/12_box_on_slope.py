# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A box on a slope holds as long as tan(slope) <= friction, and slides with a = g (sin - mu cos) beyond.

The slope is a level floor under gravity that leans. The box starts in contact, at rest or with a push uphill or along.
"""
import argparse

import numpy as np

from hakoniwa_rigid.engine import Box, HalfSpace, WorldBuilder

G, MU, MASS, SIZE = 9.80665, 0.3, 1.0, (0.4, 0.4, 0.2)      # m/s^2, 1, kg, m
LIMIT = np.degrees(np.arctan(MU))
SLOPES = (0.0, 10.0, 16.6, 16.8, 25.0)                      # degrees
PUSHED, V = (0.0, 5.0, 10.0), 1.5                           # slopes down which a box with this speed (m/s) stops


def slide(slope, speed, seconds):
    """Times (T,) s, way down the slope (T,) m and speed (T,) m/s; the largest angle turned through, degrees."""
    lean = np.radians(slope)
    builder = WorldBuilder(gravity=(G * np.sin(lean), 0, -G * np.cos(lean)), dt=1e-3)
    builder.add_body(HalfSpace(), kind='static', friction=MU)
    box = builder.add_body(Box(SIZE), mass=MASS, pos=(0, 0, SIZE[2] / 2), linvel=(speed, 0, 0), friction=MU)
    w, states = builder.build(), []
    for _ in range(round(seconds / w.dt) + 1):
        states.append((w.time_steps * w.dt, w.pos[box, 0], w.linvel[box, 0], abs(w.quat[box, 0])))
        w.step()
    time, way, speed, upright = map(np.array, zip(*states, strict=True))
    return time, way, speed, np.degrees(2 * np.arccos(min(1.0, upright.min())))


def pull(slope):
    """m/s^2 along the slope of a box that slides down."""
    return G * (np.sin(np.radians(slope)) - MU * np.cos(np.radians(slope)))


def draw(out, runs, pushed):
    from matplotlib.figure import Figure
    figure = Figure(figsize=(11, 5), layout='constrained')
    left, right = figure.subplots(1, 2)
    for slope, (time, way, *_) in runs.items():
        (line,) = left.plot(time, way, label=f'{slope:g} degrees')
        left.plot(time[::150], 0.5 * max(0.0, pull(slope)) * time[::150]**2, '.', color=line.get_color())
    for slope, (time, way, *_) in pushed.items():
        (line,) = right.plot(time, way, label=f'{slope:g} degrees')
        right.axhline(V**2 / (-2 * pull(slope)), ls='--', lw=0.8, color=line.get_color())
    left.set(xlabel='time, s', ylabel='way down the slope, m', ylim=(-0.05, 1.5),
             title=f'from rest, friction {MU}: holds up to {LIMIT:.3f} degrees (dots: a t$^2$/2)')
    right.set(xlabel='time, s', ylabel='way down the slope, m', title=f'pushed with {V} m/s (dashes: v$^2$ / 2a)')
    left.legend()
    right.legend()
    figure.savefig(out, dpi=120)
    print(f'picture: {out}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--out', help='write a picture to this file')
    parser.add_argument('--seconds', type=float, default=10.0, help='how long the boxes from rest are watched')
    options = parser.parse_args()
    print(f'friction {MU}: holds up to {LIMIT:.4f} degrees\nslope  way, m         a, m/s^2    closed form  turned, deg')
    runs = {slope: slide(slope, 0.0, options.seconds) for slope in SLOPES}
    for slope, (time, way, speed, turned) in runs.items():
        a = speed[-1] / time[-1]
        print(f'{slope:5.1f}  {way[-1]:13.6e}  {a:10.7f}  {max(0, pull(slope)):10.7f}   {turned:.0e}')
    print(f'pushed downhill with {V} m/s\nslope  stops after, m   v^2 / 2a')
    pushed = {slope: slide(slope, V, 3.0) for slope in PUSHED}
    for slope, (_, way, *_) in pushed.items():
        print(f'{slope:5.1f}  {way[-1]:12.9f}   {V**2 / (-2 * pull(slope)):12.9f}')
    if options.out:
        draw(options.out, runs, pushed)


if __name__ == '__main__':
    main()
