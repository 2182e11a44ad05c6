# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A billiard ball hits another of its kind at an angle: they part at 90 degrees if e = 1 and nothing rubs.

With the line of centres at angle a: J_n = (1 + e) m v cos(a) / 2, friction J_t = min(mu J_n, m v sin(a) / 7).
"""
import argparse

import numpy as np

from hakoniwa_rigid.engine import Sphere, WorldBuilder

R, MASS, V, AWAY = 0.028575, 0.17, 2.0, 0.1         # m, kg, m/s, m between the centres along x at the start
CASES = [(1.0, 0.0), (0.95, 0.0), (1.0, 0.06), (0.95, 0.06)]        # (e, mu)
ANGLES, SHOWN = np.arange(5.0, 86.0, 5.0), 8        # degrees from the path to the line of centres; drawn: 45


def play(e, mu, angle):
    """As closed_form, from the engine; then the changes of `kept`, and positions (101, 2, 3) m during 0.1 s."""
    builder = WorldBuilder(gravity=(0, 0, 0), dt=1e-3)
    for x, y, v in ((-AWAY, -2 * R * np.sin(np.radians(angle)), V), (0, 0, 0)):
        builder.add_body(Sphere(R), mass=MASS, pos=(x, y, 0), linvel=(v, 0, 0), restitution=e, friction=mu)
    w = builder.build()
    before, path = kept(w), [w.pos]
    for _ in range(100):
        w.step()
        path.append(w.pos)
    cue, ball = np.angle(w.linvel @ [1, 1j, 0], deg=True)
    change = np.subtract(kept(w), before)
    return (ball - cue, ball, change[3]), change[:3], np.array(path)


def kept(w):
    """Momentum x, y (N s), angular momentum about the origin (N m s), kinetic energy (J)."""
    spin = (np.cross(w.pos, w.linvel) + 0.4 * R**2 * w.angvel)[:, 2]
    return *(MASS * w.linvel.sum(axis=0)[:2]), MASS * spin.sum(), w.kinetic_energy()


def closed_form(e, mu, angle):
    """Angle between the balls afterwards, direction of the second (degrees), change of energy (J)."""
    n = np.exp(1j * np.radians(angle))              # directions as complex numbers, x + iy
    j = 0.5 * (1 + e) * MASS * V * n.real
    t = min(mu * j, MASS * V * n.imag / 7)          # t changes the slip by 2 (1 + 5/2) t / m
    v = (j - 1j * t) * n / MASS
    cue, ball = np.angle([V - v, v], deg=True)
    return ball - cue, ball, -0.25 * (1 - e**2) * MASS * (V * n.real)**2 - t * (V * n.imag - 3.5 * t / MASS)


def draw(out, shots):
    from matplotlib import figure, patches
    picture = figure.Figure(figsize=(11, 5.5), layout='constrained')
    left, right = picture.subplots(1, 2)
    for color, (case, played) in zip('bcrm', shots.items(), strict=True):
        path = 1e3 * played[SHOWN][2][:, :, :2]
        left.plot(*path.transpose(2, 0, 1), color, lw=1)
        for place in path[-1]:
            left.add_patch(patches.Circle(place, 1e3 * R, fill=False, color=color))
        right.plot(ANGLES, [closed_form(*case, angle)[0] for angle in ANGLES], color)
        right.plot(ANGLES, [got[0] for got, *_ in played], color + 'o', ms=4, label='e = {}, friction {}'.format(*case))
    left.set(xlabel='x, mm', ylabel='y, mm', aspect='equal', title=f'paths, hit at {ANGLES[SHOWN]:.0f} degrees')
    right.set(xlabel='hit at, degrees', ylabel='apart, degrees', title='angle between the balls (dots: engine)')
    right.legend()
    picture.savefig(out, dpi=120)
    print(f'picture: {out}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--out', help='write a picture to this file')
    out, shots = parser.parse_args().out, {case: [play(*case, angle) for angle in ANGLES] for case in CASES}
    print('hit    apart, degrees          second ball, degrees    energy change, J   (after each its closed form)')
    for case, played in shots.items():
        x, y, spin = np.abs([change for _, change, _ in played]).max(axis=0)
        print('e = {}, friction {}:'.format(*case), f'momentum changed by {max(x, y):.0e} N s, {spin:.0e} N m s')
        for k in (2, 8, 14):
            print(f'{ANGLES[k]:3.0f}', *map('{:11.6f} {:11.6f}'.format, played[k][0], closed_form(*case, ANGLES[k])))
    if out:
        draw(out, shots)


if __name__ == '__main__':
    main()
