# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The scene of S. Yoshimoto's slides "Rigid Body Simulation" (2017), from files: a mesh body
is thrown into a mesh container, with friction.

14_container.yaml names the meshes. The skittle touches by the hull of its mesh and weighs as the mesh itself. Several
solvers are drawn side by side; penalty contacts are springs, in which the body sinks in by m g / k.
"""
import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from hakoniwa_rigid.engine import mass_properties
from hakoniwa_rigid.scene.offline import simulation, simulation_picture
from hakoniwa_rigid.scene.world_files import world_file

WORLD = Path(__file__).resolve().parent / '14_container.yaml'


def say_mass(body):
    """The mesh weighed as a polyhedron, and its hull."""
    hull = mass_properties(body.shape, mass=body.mass)
    for name, com, inertia in (('mesh', body.com, body.inertia), ('hull', hull.com, hull.inertia)):
        moments = ' '.join(f'{x:.6f}' for x in np.diagonal(inertia))
        print(f'{name}: {body.mass} kg, centre of mass {1e3 * com[2]:.3f} mm up, inertia {moments} kg m^2')


def say_flight(run):
    """The throw, up to the first contact, against the parabola."""
    flight = run.kinetic > 0.99 * (run.energy[0] - run.potential)
    last = max(2, int(np.argmin(flight)) - 1)
    t, gravity = run.times[:last, None], np.array(run.config.gravity)
    parabola = run.com[0, 0] + run.linvel[0, 0] * t + 0.5 * gravity * t**2
    print(f'flies {t[-1, 0]:.2f} s, off its parabola by {np.abs(run.com[:last, 0] - parabola).max():.0e} m; '
          f'energy kept to {np.abs(run.energy[:last] / run.energy[0] - 1).max():.0e}')


def say_end(run):
    """Where it lies, what carries it, what became of the energy."""
    body = run.config.objects[0]
    print(f'after {run.times[-1]:g} s its centre of mass is at {np.round(run.com[-1, 0], 4).tolist()} m, '
          + ('at rest' if run.at_rest[0] else 'not at rest'))
    print(f'largest depth {max(p.depth for p in run.pairs.values()):.1e} m; '
          f'{run.stats.impacts} impacts, {run.stats.sweeps} sweeps, unsolved {run.stats.unsolved}')
    # of each pair the impulses on its second body are logged
    given = sum(p.given if pair[1] == body.name else -p.given for pair, p in run.pairs.items())
    expected = body.mass * (run.linvel[-1, 0] - run.linvel[0, 0] - np.array(run.config.gravity) * run.times[-1])
    print(f'impulses of all contacts {np.round(given, 4).tolist()} N s; off m (v - v0 - g t) by '
          f'{np.abs(given - expected).max():.0e} N s')
    print(f'energy {run.energy[0]:.4f} J before, {run.energy[-1]:.4f} J after; '
          f'largest rise between two frames {np.diff(run.energy).max():.0e} J')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--out', help='write a picture to this file')
    parser.add_argument('--seconds', type=float, default=3.0)
    parser.add_argument('--solver', nargs='+', default=['sequential', 'penalty'], help='default: sequential penalty')
    options, world = parser.parse_args(), world_file.load(WORLD)
    say_mass(world.objects[0])
    runs = []
    for solver in options.solver:
        print(f'{solver}:')
        runs.append(simulation.run(replace(world, solver=solver), options.seconds))
        say_flight(runs[-1])
        say_end(runs[-1])
    if options.out:
        simulation_picture.draw(runs, options.out, 'a skittle thrown into a bowl')
        print(f'picture: {options.out}')


if __name__ == '__main__':
    main()
