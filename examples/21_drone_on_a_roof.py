# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A drone comes down unpowered on a tilted roof, slides, rolls off its edge and falls to the ground.

World resolves the landing and the fall; on the roof the drone is lent to a SurfaceMotion, given back at the edge."""
import argparse

import numpy as np

from hakoniwa_rigid.engine import Box, Ellipsoid, HalfSpace, WorldBuilder
from hakoniwa_rigid.smooth_motion import PlaneFloor, SurfaceMotion

G, DT = 9.81, 1e-3                                  # m/s^2, s
MASS, INERTIA = 0.68240503, (0.01169962, 0.01184215, 0.02104691)    # kg, kg m^2: config/drones/api-1.yaml
HULL = Ellipsoid((0.36, 0.36, 0.09))                # m, round the drone's box of 0.5 x 0.5 x 0.1 m
ROOF, TILT, HEIGHT, MU = (4.0, 3.0, 0.2), np.radians(20.0), 3.0, 0.5
NORMAL, DOWNHILL = np.array([np.sin(TILT), 0, np.cos(TILT)]), np.array([np.cos(TILT), 0, -np.sin(TILT)])
MIDDLE = np.array([0.0, 0.0, HEIGHT])               # m, of the roof's upper face


def scene():
    b = WorldBuilder(gravity=(0, 0, -G), dt=DT)
    b.add_body(HalfSpace(), kind='static', name='ground')
    b.add_body(Box(ROOF), kind='static', pos=MIDDLE - 0.5 * ROOF[2] * NORMAL, friction=MU, name='roof',
               quat=(np.cos(TILT / 2), 0, np.sin(TILT / 2), 0))
    b.add_body(HULL, mass=MASS, inertia=INERTIA, pos=(-1.2, 0.0, 4.2), quat=(np.cos(0.15), 0, np.sin(0.15), 0),
               angvel=(0.0, 0.0, 0.5), friction=MU, name='drone')
    return b.build()


def fly(w, i, path, other):
    """World's steps until the drone has hit the other body; the impulse (N s)."""
    hits = []
    while not hits:
        w.step()
        path.append(w.pos[i])
        hits = [row['impulse'] for row in w.contacts() if w.index(other) in (row['body_a'], row['body_b'])]
    return np.linalg.norm(np.sum(hits, axis=0))


def ride(w, i, path):
    """The drone on the roof, until what touches is beyond the lower edge; returns the motion."""
    drone = SurfaceMotion.from_world(w, i, PlaneFloor(NORMAL, NORMAL @ MIDDLE), mode='coulomb', friction=MU,
                                     time=w.time_steps * DT, project=True)
    while (drone.contact_point - MIDDLE) @ DOWNHILL < 0.5 * ROOF[0]:
        drone.step()
        path.append(drone.pos)
    drone.write(w, i)
    return drone


def draw(out, paths):
    from matplotlib.figure import Figure
    axes, end = Figure(figsize=(8, 6), layout='constrained').subplots(), 0.5 * ROOF[0] * DOWNHILL
    axes.plot(*np.array([MIDDLE - end, MIDDLE + end])[:, [0, 2]].T, 'k', label='roof')
    for name, path in paths.items():
        axes.plot(*np.array(path)[:, [0, 2]].T, label=name)
    axes.set(xlabel='x, m', ylabel='z, m', aspect='equal', title='centre of mass')
    axes.legend()
    axes.figure.savefig(out, dpi=120)
    print(f'picture: {out}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--out', help='write a picture to this file')
    out, w, paths = parser.parse_args().out, scene(), {'falls': [], 'on the roof': [], 'falls again': []}
    i = w.index('drone')
    impulse, start = fly(w, i, paths['falls'], 'roof'), w.time_steps * DT
    print(f'hits the roof after {start:.3f} s with {impulse:.3f} N s, {w.energy():.6f} J are left')
    drone = ride(w, i, paths['on the roof'])
    print(*(f'  {time:.6f} s {kind}' for time, kind, _ in drone.events), sep='\n')
    print(f'leaves the edge after {drone.time - start:.3f} s at {np.linalg.norm(drone.linvel):.3f} m/s, '
          f'{drone.energy():.6f} J; given back with {w.energy():.6f} J')
    impulse = fly(w, i, paths['falls again'], 'ground')
    print(f'hits the ground {len(paths["falls again"]) * DT:.3f} s later with {impulse:.3f} N s')
    if out:
        draw(out, paths)


if __name__ == '__main__':
    main()
