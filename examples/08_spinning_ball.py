# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A solid ball with back spin falls on a floor: it slides or it grips, and with enough spin it jumps back.

The point that touches slides at u = v - r w. Up to |u| = 3.5 mu (1 + e) |v_n| it grips, and the ball leaves rolling at
(5 v + 2 r w) / 7; beyond, friction changes v by mu (1 + e) |v_n|.
"""
import argparse

import numpy as np

from hakoniwa_rigid.engine import HalfSpace, Sphere, WorldBuilder

G, R, MASS, E, FALL, V = 9.80665, 0.05, 0.4, 0.7, 0.3, 1.0         # m/s^2, m, kg, 1, m, m/s forwards
DOWN = np.sqrt(2 * G * FALL)                        # m/s, at the impact
FRICTIONS = (0.1, 0.3, 0.5)
SPINS = np.linspace(60.0, -140.0, 41)               # rad/s; 20 rolls, below 0 is back spin


def bounce(mu):
    """A row of balls, one for each spin: speed forwards m/s, spin rad/s and energy lost J, e of the impact."""
    builder = WorldBuilder(gravity=(0, 0, -G), dt=1e-3)
    builder.add_body(HalfSpace(), kind='static', friction=mu)
    for k, spin in enumerate(SPINS):
        builder.add_body(Sphere(R), mass=MASS, pos=(0, 3 * R * k, FALL + R), linvel=(V, 0, 0), angvel=(0, spin, 0),
                         restitution=E, friction=mu)
    w = builder.build()
    before = energy(w)
    while not len(w.contacts()):        # they all land at the same time
        w.step()
    return w.linvel[1:, 0], w.angvel[1:, 1], before - energy(w), w.contacts()['restitution']


def energy(w):
    """J, of every ball."""
    return MASS * (0.5 * w.linvel**2 + 0.2 * R**2 * w.angvel**2).sum(axis=1)[1:] + MASS * G * w.pos[1:, 2]


def closed_form(mu, spins=SPINS):
    """What `bounce` measures, and where the ball grips."""
    u, most = V - R * spins, mu * (1 + E) * DOWN
    grips = np.abs(u) <= 3.5 * most
    given = -np.sign(u) * np.where(grips, np.abs(u) / 3.5, most)     # m/s: 2/7 u stops the point
    lost = 0.5 * MASS * (1 - E**2) * DOWN**2 - MASS * given * (u + 1.75 * given)
    return V + given, spins - 2.5 * given / R, lost, grips


def draw(out, runs):
    from matplotlib.figure import Figure
    figure = Figure(figsize=(9, 7), layout='constrained')
    top, bottom = figure.subplots(2)
    fine = np.linspace(SPINS[0], SPINS[-1], 1001)
    for color, (mu, (speed, _, lost, _), (*_, grips)) in zip('bgr', runs, strict=True):
        v, _, loss, _ = closed_form(mu, fine)
        top.plot(fine, v, color, label=f'friction {mu}')
        top.plot(SPINS[grips], speed[grips], color + 'o', SPINS[~grips], speed[~grips], color + 'x', ms=5)
        bottom.plot(fine, loss, color, SPINS, lost, color + '.')
    top.set(ylabel='speed forwards after the bounce, m/s', title='closed forms (lines) and engine: o grips, x slides')
    top.legend()
    bottom.set(xlabel='spin before, rad/s (20: rolls; below 0: back spin)', ylabel='energy lost, J')
    figure.savefig(out, dpi=120)
    print(f'picture: {out}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--out', help='write a picture to this file')
    out, runs = parser.parse_args().out, [(mu, bounce(mu), closed_form(mu)) for mu in FRICTIONS]
    print(f'{V} m/s forwards, {DOWN:.4f} m/s down; after each value of the engine its closed form\n'
          '  spin    |u|          forwards, m/s           spin after, rad/s       energy lost, J          e')
    for mu, got, (*want, grips) in runs:
        print(f'friction {mu}: grips up to |u| = {3.5 * mu * (1 + E) * DOWN:.4f} m/s; '
              f'speeds of {len(SPINS)} balls within {max(abs(got[0] - want[0])):.0e} m/s')
        for k in (0, 12, 20, 30, 40):
            print(f'{SPINS[k]:6.0f} {abs(V - R * SPINS[k]):6.3f}', 'grips ' if grips[k] else 'slides',
                  *(f'{x[k]:11.6f} {y[k]:11.6f}' for x, y in zip(got, want, strict=False)), got[3][k])
    if out:
        draw(out, runs)


if __name__ == '__main__':
    main()
