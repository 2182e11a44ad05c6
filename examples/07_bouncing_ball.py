# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A ball bounces: its heights against e^(2k) h, in steps of 1 and 10 ms; e by speed; a contact that takes time."""
import argparse

import numpy as np

from hakoniwa_rigid.engine import HalfSpace, Sphere, WorldBuilder, contact_force

G, H, R, MASS, E = 9.80665, 1.0, 0.1, 0.5, 0.8      # m/s^2, m, m, kg, 1
TABLE = [(0.5, 0.4), (2.0, 0.7), (5.0, 0.9)]        # (approach speed m/s, e), linear in between
LASTS = 0.02                                        # s, the contact that takes time
DROP = np.sqrt(2 * G * H)                           # m/s, at the first impact


def fly(restitution, dt, seconds=3.0, **contact):
    """(time s, height of the underside m, speed upwards m/s, impacts so far) of every step; impacts: times, rows."""
    builder = WorldBuilder(gravity=(0, 0, -G), dt=dt, **contact)
    builder.add_body(HalfSpace(), kind='static')
    ball = builder.add_body(Sphere(R), mass=MASS, pos=(0, 0, H + R), restitution=restitution)
    w, track, hits = builder.build(), [(0.0, H, 0.0, 0)], []
    for k in range(round(seconds / dt)):
        w.step()
        # a row has its time within the step
        hits += [(k * dt + row['time'], row) for row in w.contacts() if row['impact']]
        track.append(((k + 1) * dt, w.pos[ball, 2] - R, w.linvel[ball, 2], len(hits)))
    return np.array(track), np.array([t for t, _ in hits]), [row for _, row in hits]


def apexes(track):
    """Heights (m) of the five flights, z + v^2 / 2g right after each impact."""
    first = np.searchsorted(track[:, 3], np.arange(1, 6))
    return track[first, 1] + track[first, 2]**2 / (2 * G)


def draw(out, curves, soft, force, start, row):
    from matplotlib.figure import Figure
    figure = Figure(figsize=(9, 7), layout='constrained')
    top, bottom = figure.subplots(2)
    for style, (name, track) in zip(('-', 'k.', '-'), curves.items(), strict=True):
        top.plot(track[:, 0], track[:, 1], style, ms=4, markevery=3, label=name)
    top.set(xlabel='time, s', ylabel='height of the underside, m', title=f'a ball dropped from {H} m')
    top.legend()
    t = np.linspace(-0.2, 1.2, 400) * LASTS
    bottom.stairs(force, (soft[:, 0] - start) * 1e3, label='engine, mean over each step of 1 ms')
    bottom.plot(t * 1e3, contact_force('half_sine', row['impulse'][2], LASTS, t), label='half-sine')
    bottom.axhline(row['peak_force'], color='grey', ls='--', label=f'peak_force of the row, {row["peak_force"]:.1f} N')
    bottom.set(xlabel='time after the impact, ms', ylabel='force of the floor, N', xlim=t[[0, -1]] * 1e3,
               title=f'the first contact, over {LASTS * 1e3:.0f} ms: area {row["impulse"][2]:.4f} N s')
    bottom.legend()
    figure.savefig(out, dpi=120)
    print(f'picture: {out}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--out', help='write a picture to this file')
    out, k, curves = parser.parse_args().out, np.arange(5), {}
    for dt in (1e-3, 1e-2):
        track, times, _ = fly(E, dt)
        curves[f'e = {E}, steps of {dt * 1e3:.0f} ms'] = track
        exact = DROP / G * (1 + 2 * (E - E**(k + 1)) / (1 - E))
        print(f'e = {E}, steps of {dt * 1e3:.0f} ms\nimpact, s    closed form  apex, m      e^(2k) h     rel. error')
        for row in zip(times, exact, apexes(track), E**(2 * k + 2) * H, strict=False):
            print(('{:<12.9f} ' * 4).format(*row) + f'{abs(row[2] / row[3] - 1):.0e}')
    track, _, rows = fly(TABLE, 1e-3)
    curves['e by speed, steps of 1 ms'] = track
    print('e by speed\nclosing, m/s e            of the table apex, m      (e v)^2 / 2g')
    for row, apex in zip(rows, apexes(track), strict=False):
        v = -row['velocity_before'][2]
        e = np.interp(v, *np.transpose(TABLE))
        print(('{:<12.9f} ' * 5).format(v, row['restitution'], e, apex, (e * v)**2 / (2 * G)).rstrip())
    soft, (start,), (row,) = fly(E, 1e-3, 1.0, contact_profile='half_sine', contact_time=LASTS)
    force, j = MASS * (np.diff(soft[:, 2]) / 1e-3 + G), (1 + E) * MASS * DROP
    print(f'contact over {row["duration"]} s: sum of force dt {force.sum() * 1e-3:.9f} N s, (1 + e) m v {j:.9f}')
    print(f'peak force {row["peak_force"]:.6f} N, pi J / 2T {np.pi * j / (2 * LASTS):.6f}')
    if out:
        draw(out, curves, soft, force, start, row)


if __name__ == '__main__':
    main()
