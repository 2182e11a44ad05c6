# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A closed brawl of fifty bodies over 1e5 steps: no body comes in or leaves, so momentum has nowhere to go.

Two ways to keep them meeting without gravity: all fly at one place, each to arrive at its own time, where those with
little restitution stay; or a fifty-first body, a free box shell, is around them.
"""
import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles.rotations import random_quat
from scenes import momenta, walls_around

from hakoniwa_rigid.engine import Box, Capsule, Compound, Cylinder, Ellipsoid, Sphere, WorldBuilder

STEPS = 100_000


def shell(half, wall=0.2):
    """Six walls around the cube [-half, half]³."""
    return Compound(list(walls_around(half, wall)))


def shape(rng, kind):
    s = rng.uniform(0.04, 0.1, 3)   # m
    return {'sphere': lambda: Sphere(s[0]), 'box': lambda: Box(tuple(2 * s)),
            'capsule': lambda: Capsule(s[0], 2 * s[1]), 'cylinder': lambda: Cylinder(s[0], 2 * s[1]),
            'ellipsoid': lambda: Ellipsoid(tuple(s))}[kind]()


def brawl(seed, *, count=50, kinds=('sphere',), half=1.2, speed=1.0, spin=3.0, dt=1e-3, e=(0.3, 1.0), mu=(0.0, 0.8)):
    """`count` bodies on a grid inside a free shell of 20 kg; e and mu of each drawn from their ranges."""
    rng = np.random.default_rng(seed)
    b = WorldBuilder(gravity=(0, 0, 0), dt=dt)
    b.add_body(shell(half), mass=20.0, inertia=(20.0, 21.0, 22.0), restitution=e[0], friction=mu[0])
    side = int(np.ceil(count ** (1 / 3)))
    for k in range(count):
        cell = np.array([k % side, k // side % side, k // side**2])
        mass = np.exp(rng.uniform(-2.3, 2.3))
        b.add_body(shape(rng, kinds[k % len(kinds)]), mass=mass, quat=random_quat(rng),
                   pos=(cell - (side - 1) / 2) * 2 * half / (side + 0.2), linvel=speed * rng.normal(size=3),
                   angvel=spin * rng.normal(size=3), restitution=rng.uniform(*e), friction=rng.uniform(*mu))
    return b.build()


def funnel(seed, *, seconds=100.0, speed=0.2, count=50):
    """Fifty bodies of all shapes that reach the origin (0.15 m beside it at most) one after the other."""
    rng, kinds = np.random.default_rng(seed), ('sphere', 'box', 'capsule', 'cylinder', 'ellipsoid')
    b = WorldBuilder(gravity=(0, 0, 0))
    for k in range(count):
        way = rng.normal(size=3)
        way /= np.linalg.norm(way)
        arrives = 2.0 + seconds * (k // 2) / (count // 2)
        b.add_body(shape(rng, kinds[k % 5]), mass=np.exp(rng.uniform(-0.7, 0.7)), quat=random_quat(rng),
                   pos=-arrives * speed * way + rng.uniform(-0.08, 0.08, 3), linvel=speed * way,
                   angvel=rng.normal(size=3), restitution=rng.uniform(0, 0.3), friction=rng.uniform(0, 0.8))
    return b.build()


def assert_kept(world, steps, every, rtol_p=1e-12, rtol_l=1e-12):
    """p to 1e-12 of Σm|v| at the start; L to 1e-12 of its terms but for what overlap recovery reports.

    Returns how many impacts there were.
    """
    inertia, before = world.inertia.copy(), world.stats()
    p0, l0, p_scale, l_scale = momenta(world, inertia)
    # positions are rounded each step, by a share of |x|: far from the origin that counts, also where x is along v
    l_scale += (world.mass * np.linalg.norm(world.pos, axis=1) * np.linalg.norm(world.linvel, axis=1)).sum()
    for _ in range(steps // every):
        world.step(every)
        p, ell, p_now, l_now = momenta(world, inertia)
        p_scale, l_scale = max(p_scale, p_now), max(l_scale, l_now)
        given = np.subtract(world.stats().recovery_angular_momentum, before.recovery_angular_momentum)
        assert np.linalg.norm(p - p0) <= rtol_p * p_scale, f'step {world.time_steps}'
        assert np.linalg.norm(ell - l0 - given) <= rtol_l * l_scale, f'step {world.time_steps}, recovered {given}'
    return world.stats().impacts - before.impacts


@pytest.mark.slow
def test_momentum_over_a_hundred_thousand_steps():
    w = funnel(1)
    hits = assert_kept(w, STEPS, 500)
    assert hits > 100
    assert np.isfinite(w.pos).all()


@pytest.mark.parametrize('dt', [2.5e-4, 1e-3, 1e-2])
def test_momentum_of_fifty_mixed_shapes(dt):
    w = brawl(2, kinds=('sphere', 'box', 'capsule', 'cylinder', 'ellipsoid'), dt=dt)
    assert assert_kept(w, round(0.25 / dt), 5) > 5


@pytest.mark.parametrize('dt', [1e-3, 1e-2])
@pytest.mark.parametrize(('e', 'mu'), [((0, 0), (0, 0)), ((1, 1), (0, 0)), ((1, 1), (0, 1)), ((0, 1), (0, 2))])
def test_no_step_makes_energy(e, mu, dt):
    """Without gravity and without recovery kinetic energy after a step <= before (1 + 1e-12), mixed e and mu."""
    w = brawl(3, kinds=('sphere', 'box', 'capsule'), half=0.9, speed=2.0, dt=dt, e=e, mu=mu)
    energy, recovered, checked = w.kinetic_energy(), 0.0, 0
    for _ in range(round(0.5 / dt)):
        w.step(1)
        now, stats = w.kinetic_energy(), w.stats()
        if stats.recovered == recovered:
            checked += 1
            assert now <= energy * (1 + 1e-12), f'step {w.time_steps}'
        energy, recovered = now, stats.recovered
    assert checked >= 5     # with e = 0 and mu = 0 nearly every step recovers something
    assert w.stats().impacts > 20
    if e == (1, 1) and mu == (0, 0):
        assert_allclose(now, brawl(3, kinds=('sphere', 'box', 'capsule'), half=0.9, speed=2.0, e=e, mu=mu)
                        .kinetic_energy(), rtol=1e-9)
