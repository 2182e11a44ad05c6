# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Random single impacts: the friction law and the conservation laws for every shape pair, mass ratio, e, mu and dt."""

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from oracles import impact
from oracles.geometry import SHAPES, box_box, signed_distance, touching_pose
from oracles.rotations import random_quat, random_tensor
from scenes import impacts, momenta, pair_world, touching_pair

from hakoniwa_rigid.engine import Box, Capsule, Sphere, WorldBuilder

MAKE = {'sphere': lambda s: Sphere(s[1]), 'box': lambda s: Box(s[1]), 'capsule': lambda s: Capsule(s[1], s[2])}
COMMON = settings(deadline=None, derandomize=True, max_examples=80, suppress_health_check=[HealthCheck.filter_too_much])
seeds = st.integers(0, 2**32 - 1)
kinds = st.sampled_from(sorted(SHAPES))


@COMMON
@given(
    seed=seeds,
    ratio=st.sampled_from([1.0, 10.0, 1e2, 1e4]),
    e=st.floats(0.05, 1.0),
    mu=st.floats(0.0, 2.0),
    wall=st.sampled_from([None, 'ball', 'box']),
)
def test_single_contact_law(seed, ratio, e, mu, wall):
    """Impulse equals the brute-force law wherever that has one solution; energy never grows without a moving wall."""
    pair = touching_pair(np.random.default_rng(seed), ratio=ratio, restitution=e, friction=mu, wall=wall)
    a, b = pair['box'], pair['ball']
    K = impact.effective_mass_inverse(a, pair['point']) + impact.effective_mass_inverse(b, pair['point'])
    u = b.velocity_at(pair['point']) - a.velocity_at(pair['point'])
    try:
        law = impact.impact(K, pair['normal'], u, e, mu)
    except AssertionError:
        assume(False)
    w, i, j = pair_world(pair)
    energy = w.kinetic_energy()
    w.step(1)
    row = impacts(w)[0]
    lowered = law.restitution < e
    tol = 1e-8 if lowered else 1e-10
    assert_allclose(row['impulse'], law.impulse, rtol=0, atol=tol * np.linalg.norm(law.impulse))
    if not wall:
        assert w.kinetic_energy() <= energy * (1 + 1e-12)


def random_collision(seed, kind_a, kind_b, speed, spin):
    """Two random bodies 1 cm apart that fly at each other, as a builder call: returns a factory of worlds by dt."""
    rng = np.random.default_rng(seed)
    pose_a, pose_b = touching_pose(rng, SHAPES[kind_a], SHAPES[kind_b], 1e-4)
    if (kind_a, kind_b) == ('box', 'box'):
        assume(box_box(SHAPES[kind_a][1], pose_a, SHAPES[kind_b][1], pose_b)[2] > 2e-3)
    _, n = signed_distance(SHAPES[kind_a], pose_a, SHAPES[kind_b], pose_b)
    bodies = []
    for kind, pose, sign in (
        (kind_a, (pose_a[0] - 0.005 * n, pose_a[1]), 1),
        (kind_b, (pose_b[0] + 0.005 * n, pose_b[1]), -1),
    ):
        mass = np.exp(rng.uniform(-3, 3))
        bodies.append(
            (
                MAKE[kind](SHAPES[kind]),
                {
                    'mass': mass,
                    'inertia': random_tensor(rng, 0.005 * mass),
                    'pos': pose[0],
                    'quat': pose[1],
                    'linvel': speed * (sign * n + 0.5 * rng.normal(size=3)),
                    'angvel': spin * rng.normal(size=3),
                    'restitution': rng.uniform(),
                    'friction': rng.uniform(),
                },
            )
        )

    def make(dt):
        b = WorldBuilder(gravity=(0, 0, 0), dt=dt)
        for shape, body in bodies:
            b.add_body(shape, **body)
        return b.build()

    return make


@COMMON
@given(
    seed=seeds,
    kind_a=kinds,
    kind_b=kinds,
    speed=st.floats(0.1, 30),
    spin=st.floats(0, 10),
    dt=st.sampled_from([1e-4, 1e-3, 1 / 240, 1e-2]),
)
def test_flown_in_pairs_conserve(seed, kind_a, kind_b, speed, spin, dt):
    """Linear 1e-12 of Σm|v|, angular 1e-10 of its scale, kinetic energy never up, through twenty steps of any dt."""
    w = random_collision(seed, kind_a, kind_b, speed, spin)(dt)
    p0, l0, p_scale, l_scale = momenta(w)
    energy = w.kinetic_energy()
    for _ in range(20):
        w.step(1)
        now = w.kinetic_energy()
        assert now <= energy * (1 + 1e-12)
        energy = now
    p, ell, _, _ = momenta(w)
    assert_allclose(p, p0, rtol=0, atol=1e-12 * p_scale)
    assert_allclose(ell, l0, rtol=0, atol=1e-10 * l_scale)


@COMMON
@given(seed=seeds, kind_a=kinds, kind_b=kinds, speed=st.floats(0.1, 30))
def test_restore_replays_the_bits(seed, kind_a, kind_b, speed):
    w = random_collision(seed, kind_a, kind_b, speed, 3.0)(1e-3)
    w.step(5)
    saved = w.save()
    w.step(20)
    there = w.state_hash()
    w.restore(saved)
    w.step(20)
    assert w.state_hash() == there


@COMMON
@given(
    seed=seeds,
    kind=st.sampled_from(['sphere', 'box', 'capsule']),
    speed=st.floats(1, 100),
    dt=st.sampled_from([1e-3, 1e-2]),
)
def test_nothing_passes_a_wall(seed, kind, speed, dt):
    """A body thrown at a 2 cm wall stays on its side, whatever its spin: its centre never crosses the face."""
    rng = np.random.default_rng(seed)
    b = WorldBuilder(gravity=(0, 0, 0), dt=dt)
    b.add_body(Box((0.02, 30, 30)), kind='static')
    shape = {'sphere': Sphere(0.005), 'box': Box((0.05, 0.02, 0.03)), 'capsule': Capsule(0.008, 0.05)}[kind]
    i = b.add_body(
        shape,
        mass=0.1,
        pos=(-0.5, 0, 0),
        quat=random_quat(rng),
        linvel=speed * np.array([1, *rng.uniform(-1, 1, size=2)]),
        angvel=rng.normal(size=3) * 10,
        restitution=rng.uniform(),
        friction=rng.uniform(),
    )
    w = b.build()
    for _ in range(int(1.0 / (speed * dt)) + 5):
        w.step(1)
        assert w.pos[i, 0] < -0.01
    assert np.isfinite(w.angvel[i]).all()


@COMMON
@given(seed=seeds, dt=st.sampled_from([1e-4, 1e-3, 1e-2]), spin=st.floats(0.1, 20))
def test_free_tumbling_keeps_energy_and_momentum(seed, dt, spin):
    """Any tensor, any spin: kinetic energy 1e-12, L 1e-10 over 100 steps (1e-12 a step: the attitude is iterated)."""
    rng = np.random.default_rng(seed)
    b = WorldBuilder(gravity=(0, 0, 0), dt=dt)
    b.add_body(
        Sphere(0.1),
        mass=1.0,
        inertia=random_tensor(rng, 0.01, 20.0),
        quat=random_quat(rng),
        angvel=spin * rng.normal(size=3),
    )
    w = b.build()
    _, l0, _, l_scale = momenta(w)
    energy = w.kinetic_energy()
    w.step(100)
    assert_allclose(w.kinetic_energy(), energy, rtol=1e-12)
    assert_allclose(momenta(w)[1], l0, rtol=0, atol=1e-10 * l_scale)
