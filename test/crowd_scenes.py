# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Heaps, rows and swarms in which much happens at once."""
import numpy as np

from hakoniwa_rigid.engine import Box, HalfSpace, WorldBuilder
from hakoniwa_rigid.engine.model import layout as L

G = 9.80665
FOR_EVER = 1 << 40   # steps
PLATE, MASS, INERTIA = Box((0.5, 0.5, 0.15)), 0.71, (0.0061, 0.00653, 0.0116)


def as_crowd(world):
    """Everything that moves is a crowd from now on."""
    world._s.body[:, L.B_CROWD] = FOR_EVER
    world._s.count[L.N_CROWDED] = FOR_EVER
    return world


def pen(side, *, e=0.5, mu=0.3, dt=1e-3, gravity=G):
    """A builder with a floor and four walls, `side` m apart."""
    b = WorldBuilder(gravity=(0, 0, -gravity), dt=dt)
    b.add_body(HalfSpace(), kind='static', restitution=e, friction=mu)
    for axis in range(2):
        for sign in (1.0, -1.0):
            b.add_body(HalfSpace(tuple(sign * np.eye(3)[axis]), -side / 2), kind='static', restitution=e, friction=mu)
    return b


def plates(n, *, seed=1, e=0.5, mu=0.3, side=3.0, dt=1e-3, mass=lambda k: MASS):
    """n drones' plates dropped at random attitudes into a pen; bodies 5 to n + 4.  mass (kg) of plate k."""
    rng, b, pitch = np.random.default_rng(seed), pen(side, e=e, mu=mu, dt=dt), 0.74
    for k in range(n):
        q = rng.normal(size=4)
        b.add_body(PLATE, mass=mass(k), inertia=np.multiply(INERTIA, mass(k) / MASS), quat=q / np.linalg.norm(q),
                   pos=(pitch * (k % 4 - 1.5), pitch * (k // 4 % 4 - 1.5), 0.5 + pitch * (k // 16)), restitution=e,
                   friction=mu)
    return b.build()


def dominoes(n=20, *, e=0.5, mu=0.3):
    """A row on the floor of which the first is pushed; bodies 1 to n."""
    b = WorldBuilder(gravity=(0, 0, -G), dt=1e-3)
    b.add_body(HalfSpace(), kind='static', restitution=e, friction=mu)
    for k in range(n):
        spin = 3.0 if k == 0 else 0.0
        b.add_body(Box((0.02, 0.1, 0.2)), mass=0.2, pos=(0.08 * k, 0.0, 0.1), linvel=(0.1 * spin, 0.0, 0.0),
                   angvel=(0.0, spin, 0.0), restitution=e, friction=mu)
    return b.build()


def ball_of_plates(n=12, *, e=0.5, mu=0.3, seed=2, speed=3.0):
    """Plates in free space that fly at each other: nothing static, no gravity."""
    rng, b = np.random.default_rng(seed), WorldBuilder(gravity=(0, 0, 0), dt=1e-3)
    for k in range(n):
        q = rng.normal(size=4)
        place = 0.75 * np.array([k % 3 - 1, k // 3 % 2 - 0.5, k // 6 - 0.5])
        b.add_body(PLATE, mass=MASS * rng.uniform(0.5, 2.0), inertia=INERTIA, quat=q / np.linalg.norm(q), pos=place,
                   linvel=-speed * place + rng.normal(size=3), angvel=3.0 * rng.normal(size=3), restitution=e,
                   friction=mu)
    return b.build()
