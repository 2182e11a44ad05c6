# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Worlds and closed forms shared by the tests of materials and of contacts that take time."""

import numpy as np
from scenes import impacts
from scipy.integrate import quad

from hakoniwa_rigid.engine import HalfSpace, Sphere, WorldBuilder

PROFILES = ('rectangle', 'half_sine', 'hertz')
SHAPES = {
    'rectangle': lambda s: 1.0,
    'half_sine': lambda s: np.sin(np.pi * s),
    'hertz': lambda s: np.sin(np.pi * s) ** 1.5,
}
SPHERE = 0.4  # I = 0.4 m r² of a solid ball


def area(profile, s):
    """∫ of the unscaled shape over [0, s], s in [0, 1]; with t = (1 - cos a)/2 its ends are smooth to integrate."""
    end = np.arccos(1 - 2 * s)
    shape = SHAPES[profile]
    return quad(lambda a: shape((1 - np.cos(a)) / 2) * np.sin(a) / 2, 0, end, epsabs=1e-14, epsrel=1e-13)[0]


def delivered(profile, s):
    """Share of the impulse that has been given at s = t/T."""
    return area(profile, np.clip(s, 0.0, 1.0)) / area(profile, 1.0)


def peak(profile, impulse, duration):
    """Largest force of a profile: shape 1 at its top."""
    return impulse / (area(profile, 1.0) * duration)


def solid(mass, radius):
    """Moments of a solid ball."""
    return (SPHERE * mass * radius**2,) * 3


def builder(*, dt=1e-3, gravity=0.0, **options):
    """Threshold 0 unless given, gravity along -z."""
    return WorldBuilder(gravity=(0, 0, -gravity), dt=dt, **{'restitution_threshold': 0.0, **options})


def head_on(*, e=0.6, mass=(0.7, 1.9), speed=4.0, radius=(0.1, 0.2), toi=2.37e-3, friction=0.0, spin=0.0, drift=0.0,
            **options):
    """World of two balls that meet along x at x = 0 after `toi` s (default: in the middle of the third ms)."""
    b = builder(**options)
    start = (-radius[0] - speed * toi, 0, 0), (radius[1], 0, 0)
    for k, x in enumerate(start):
        b.add_body(Sphere(radius[k]), mass=mass[k], pos=np.array(x) - [0, k * drift * toi, 0], name='ab'[k],
                   linvel=(speed * (k == 0), k * drift, 0), angvel=(0, spin, spin * (1 - 2 * k)), restitution=e,
                   friction=friction)  # fmt: skip
    return b.build()


def ball_on_plane(*, mass=1.3, radius=0.1, normal=(0, 0, 1), linvel=(0, 0, 0), angvel=(0, 0, 0), gravity=9.80665,
                  dt=1e-3, ground=None, options=None, gap=0.0, **material):  # fmt: skip
    """A solid ball on a static plane through 0, both of one material. Returns world, index of the ball."""
    b = builder(dt=dt, gravity=gravity, **(options or {}))
    b.add_body(HalfSpace(tuple(normal)), kind='static', name='ground', **(material if ground is None else ground))
    i = b.add_body(Sphere(radius), mass=mass, inertia=solid(mass, radius), pos=(radius + gap) * np.asarray(normal),
                   linvel=linvel, angvel=angvel, name='ball', **material)  # fmt: skip
    return b.build(), i


def momentum(world):
    """Σ m v of the dynamic bodies (3,)."""
    moving = np.isfinite(world.mass) & (world.mass > 0)
    return world.mass[moving] @ world.linvel[moving]


def walk(world, steps):
    """Steps one by one: velocities (steps + 1, N, 3) and all impact rows with the number of their step."""
    velocities, rows = [world.linvel.copy()], []
    for k in range(steps):
        world.step(1)
        velocities.append(world.linvel.copy())
        rows += [(k, row) for row in impacts(world)]
    return np.array(velocities), rows
