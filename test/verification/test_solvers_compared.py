# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Solver against solver on random scenes: 'sequential', 'impulse' and 'penalty' where their laws agree.

At rest the wrench of each pair is determined by statics in towers, and in tubes without friction: the solvers agree to
1e-5 of the load, what is left of the springs' settling. A separated frictionless impact is the article's formula in
'sequential' and 'impulse', 1e-12; a spring and damper of omega dt = 0.01 gives a central one to 2 %.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles.contact_lcp import wrenches
from oracles.rotations import from_rotvec
from scenes import G, touching_pair
from touching_scenes import heap_world

from hakoniwa_rigid.engine import Box, HalfSpace, Sphere, WorldBuilder


def forces(world):
    """{pair: (6,) N, N m about the origin} of the last step."""
    return {key: wrench / world.dt for key, wrench in wrenches(world.contacts()).items()}


def assert_same_wrenches(ours, theirs, rtol):
    size = max(np.abs(wrench).max() for wrench in ours.values())
    assert set(ours) == set(theirs)
    for key in ours:
        assert_allclose(theirs[key], ours[key], rtol=0, atol=rtol * size, err_msg=str(key))


def random_tower(seed, solver, dt=1e-3):
    """Three boxes, each smaller and set off from the one below, turned together, masses 1 : 10.

    Boxes turned against each other touch in up to eight points, of which the springs know the four that count at the
    time: such a tower rattles.
    """
    rng = np.random.default_rng(seed)
    b = WorldBuilder(gravity=(0, 0, -G), dt=dt, solver=solver)
    b.add_body(HalfSpace(), kind='static', friction=0.6)
    z, side, turn = 0.0, 0.5, rng.uniform(-3, 3)
    for _ in range(3):
        height, side = rng.uniform(0.1, 0.2), side * rng.uniform(0.6, 0.9)
        b.add_body(Box((side, side, height)), mass=10 ** rng.uniform(0, 1), pos=(*rng.uniform(-0.03, 0.03, 2),
                   z + height / 2), quat=from_rotvec([0, 0, turn]), friction=0.6)  # fmt: skip
        z += height
    return b.build()


# those of seeds 0 and 3 rattle: where two boxes lie on each other and tilt, the pair may meet in an edge for a step
@pytest.mark.parametrize('seed', [1, 2, 4])
def test_towers_at_rest(seed):
    """Forces to 1e-5, moments about the origin to 1e-3: the springs' sinking in moves the towers' tops."""
    worlds = [random_tower(seed, solver, dt=2.5e-4) for solver in ('sequential', 'penalty')]
    for w, steps in zip(worlds, (400, 40_000), strict=True):
        w.step(steps)
        assert np.abs(w.linvel).max() < 1e-6
    ours, theirs = (forces(w) for w in worlds)
    assert_same_wrenches(ours, theirs, 1e-3)
    for key in ours:
        assert_allclose(theirs[key][:3], ours[key][:3], rtol=0, atol=1e-5 * np.abs(ours[0, 1]).max())


@pytest.mark.parametrize('seed', range(2))
def test_spheres_in_a_frictionless_tube(seed):
    """Stiff springs: directions of the normals change by depth / radius, 1e-3 here."""
    made = [heap_world('tube', np.random.default_rng(seed), mu=0.0, ratio=10.0, dt=dt, push=0.0, **options)
            for dt, options in ((1e-3, {}), (1e-4, {'solver': 'penalty', 'penalty_stiffness': 2e5}))]  # fmt: skip
    made[0].step(300)
    made[1].step(8000)
    assert_same_wrenches(forces(made[0]), forces(made[1]), 5e-3)


@pytest.mark.parametrize('wall', [None, 'ball', 'box'])
@pytest.mark.parametrize('seed', range(8))
def test_one_impact_by_sequential_and_impulse(seed, wall):
    """A box and a ball of masses up to 1 : 1e4 that turn, no friction: the same velocities to 1e-12."""
    pair = touching_pair(np.random.default_rng(seed), wall=wall, ratio=1e4, friction=0.0)
    results = []
    for solver in ('sequential', 'impulse'):
        b = WorldBuilder(gravity=(0, 0, 0), dt=1e-6, solver=solver, restitution_threshold=0.0)
        for name, shape in (('box', Box(tuple(pair['sides']))), ('ball', Sphere(pair['radius']))):
            x = pair[name]
            heavy = np.isinf(x.mass)
            body = {'kind': 'kinematic'} if heavy else {'mass': x.mass, 'inertia': x.inertia}
            b.add_body(shape, pos=x.pos, quat=x.quat, linvel=x.linvel, angvel=x.angvel, restitution=pair['e'],
                       friction=0.0, **body)  # fmt: skip
        w = b.build()
        w.step(1)
        results.append(np.hstack([w.linvel, w.angvel]))
    assert_allclose(results[1], results[0], rtol=0, atol=1e-12 * np.abs(results[0]).max() * 10)


def oblique(seed, solver, mu, dt, **options):
    """Two random balls about to meet off centre, spinning so fast that friction slips all along."""
    rng = np.random.default_rng(seed)
    b = WorldBuilder(gravity=(0, 0, 0), dt=dt, solver=solver, restitution_threshold=0.0, **options)
    e, radii = rng.uniform(0.3, 1.0), rng.uniform(0.1, 0.3, size=2)
    n = np.array([1.0, *rng.uniform(-0.5, 0.5, size=2)])
    n /= np.linalg.norm(n)
    for k, sign in enumerate((-1, 1)):
        b.add_body(Sphere(radii[k]), mass=rng.uniform(0.5, 2.0), pos=sign * n * (radii[k] + 1e-3),
                   linvel=-sign * rng.uniform(1, 2) * n + rng.normal(size=3) * 0.2,
                   angvel=rng.normal(size=3) + np.cross(n, [0, 0, 100.0]), restitution=e, friction=mu)  # fmt: skip
    return b.build()


@pytest.mark.parametrize('mu', [0.0, 0.05])
@pytest.mark.parametrize('seed', range(5))
def test_one_impact_by_sequential_and_penalty(seed, mu):
    """Velocities after the hit, 2 % of the change; the balls turn by less than 0.3 rad while they touch."""
    rigid = oblique(seed, 'sequential', mu, 1e-4)
    soft = oblique(seed, 'penalty', mu, 1e-5, penalty_stiffness=2e6)
    start = np.hstack([rigid.linvel, rigid.angvel])
    rigid.step(200)
    soft.step(2000)
    change = np.hstack([rigid.linvel, rigid.angvel]) - start
    got = np.hstack([soft.linvel, soft.angvel]) - start
    assert np.abs(change[:, :3]).max() > 0.5
    assert_allclose(got[:, :3], change[:, :3], rtol=0, atol=0.02 * np.abs(change[:, :3]).max())
    assert_allclose(got[:, 3:], change[:, 3:], rtol=0, atol=0.02 * np.abs(change[:, 3:]).max() + 1e-9)
