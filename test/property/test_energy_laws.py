# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Random scenes: total energy grows by no more than what the engine reports of its errors.

With the exact integrator flight is exact to rounding: 1e-12 of the energy a step, and torque-free rotation as much.  An
impact is found to 1e-12 s; what a contact moves apart is recovery, which the engine reports in J.  So the tolerance of
a run of N steps is N · 1e-12 of the largest energy in it (kinetic, plus potential measured from the lowest point), plus
`recovery_work` and `contact_work`: what contacts gave in steps in which they gave more than they took (friction that
has helped a slip that turns round within a step; torque and gyroscopic term of a spinning body in turns; a body with
too many impacts in a step waits for the next).  In 150 steps of 10 ms that is 1 % of the energy at most.
"""
import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracles.rotations import random_quat
from scenes import G

from hakoniwa_rigid.engine import (
    Box,
    Capsule,
    Compound,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    Sphere,
    WorldBuilder,
)

ROUNDING = 1e-12    # of the energy, a step
STEPS = 150


def compound(rng, s):
    return Compound([(Box(tuple(2 * s)), (0, 0, 0)), (Sphere(s[0]), (3 * s[0], 0, 0)),
                     (Capsule(s[1], s[2]), (0, 0, 2 * s[2]))])


SHAPES = {
    'sphere': lambda rng, s: Sphere(s[0]), 'box': lambda rng, s: Box(tuple(2 * s)),
    'capsule': lambda rng, s: Capsule(s[0], 2 * s[1]), 'cylinder': lambda rng, s: Cylinder(s[0], 2 * s[1]),
    'hull': lambda rng, s: ConvexHull(rng.normal(size=(14, 3)) * s), 'ellipsoid': lambda rng, s: Ellipsoid(tuple(s)),
    'compound': compound}


def scene(seed, kinds, dt, gravity, place, e, mu):
    """Bodies one above the other, thrown together, over a plane, in a square tube or in free space."""
    rng = np.random.default_rng(seed)
    b = WorldBuilder(gravity=(0, 0, -gravity), dt=dt)
    walls = {'free': [], 'plane': [((0, 0, 1), 0)],
             'tube': [((0, 0, 1), 0), *(((x, y, 0), -0.5) for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)))]}[place]
    for normal, offset in walls:
        b.add_body(HalfSpace(normal, offset), kind='static', restitution=e * rng.uniform(), friction=mu * rng.uniform())
    for k, kind in enumerate(kinds):
        b.add_body(SHAPES[kind](rng, rng.uniform(0.03, 0.1, 3)), mass=10 ** rng.uniform(-2, 2), quat=random_quat(rng),
                   pos=(*rng.uniform(-0.05, 0.05, 2), 0.45 + 0.8 * k), angvel=2 * rng.normal(size=3),
                   linvel=(*rng.normal(size=2) * 0.3, 2.0 - 1.5 * k), restitution=e * rng.uniform(),
                   friction=mu * rng.uniform())
    return b.build()


def heights(world, gravity):
    """J of potential energy above the lowest body, the scale of rounding."""
    moving = np.isfinite(world.mass)
    z = world.pos[moving, 2]
    return gravity * (world.mass[moving] * (z - z.min())).sum()


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32 - 1), kinds=st.lists(st.sampled_from(sorted(SHAPES)), min_size=3, max_size=8),
       dt=st.sampled_from([1e-4, 5e-4, 1e-3, 1 / 240, 1e-2]), gravity=st.sampled_from([0.0, G]),
       place=st.sampled_from(['free', 'plane', 'tube']), e=st.floats(0, 1), mu=st.floats(0, 1.5))
def test_energy_never_grows(seed, kinds, dt, gravity, place, e, mu):
    w = scene(seed, kinds, dt, gravity, place, e, mu)
    lowest, scale = w.energy(), w.kinetic_energy() + heights(w, gravity)
    for _ in range(STEPS):
        w.step(1)
        scale = max(scale, w.kinetic_energy() + heights(w, gravity))
        stats = w.stats()
        now = w.energy() - stats.recovery_work - stats.contact_work
        assert now <= lowest + STEPS * ROUNDING * scale, f'step {w.time_steps}: {now - lowest} J'
        lowest = min(lowest, now)
    assert w.stats().contact_work <= 1e-2 * scale
    assert np.isfinite(w.pos).all() and np.isfinite(w.quat).all()
