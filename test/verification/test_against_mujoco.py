# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Contact forces and accelerations against MuJoCo, where MuJoCo can express the scene.

Compared are total wrenches per pair of bodies about the world's origin, since forces of single points are not unique,
and only where statics determines them. MuJoCo's own softness sets the tolerances (oracles.mujoco_world: step 1e-4 s,
time constant 4e-4 s): at rest its residual motion has died out to 1e-5 of the load; a slip is regularised, creeps by
1e-9 m/s and hops on its convex cone, by 2e-3 m/s, 0.01 m/s² over the 0.2 s looked at; bodies set free under loads ring
for a few time constants, so velocities are late by a part of g·time constant, 0.004 m/s: 0.001 is seen.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles.contact_lcp import wrenches
from oracles.mujoco_world import Twin
from scenes import G, resting, slope_box
from touching_scenes import heap_world

from hakoniwa_rigid.engine import Box, Capsule, HalfSpace, Sphere, WorldBuilder

LYING = (np.cos(np.pi / 4), 0.0, np.sin(np.pi / 4), 0.0)


def forces(world):
    """{pair: (6,) N, N m} of the last step."""
    return {key: wrench / world.dt for key, wrench in wrenches(world.contacts()).items()}


def assert_same_wrenches(ours, theirs, rtol):
    """Pair by pair, relative to the largest component of any pair's wrench; pairs that carry nothing may be missing."""
    size = max(np.abs(wrench).max() for wrench in ours.values())
    for key in ours.keys() | theirs.keys():
        assert_allclose(ours.get(key, np.zeros(6)), theirs.get(key, np.zeros(6)), rtol=0, atol=rtol * size, err_msg=key)


def velocities(world):
    return np.hstack([world.linvel, world.angvel])


# --- at rest


def lying(shape, height, quat=(1, 0, 0, 0)):
    return resting(shape, height, quat=quat)[0]


def stack(shape, count, ratio):
    """Bodies on each other, masses from 1 kg at the bottom to `ratio` kg at the top, each set off from the last."""
    b = WorldBuilder(gravity=(0, 0, -G))
    b.add_body(HalfSpace(), kind='static', friction=0.5)
    for k in range(count):
        b.add_body(shape, mass=ratio ** (k / (count - 1)), pos=(0.01 * k, -0.005 * k, 0.1 + 0.2 * k), friction=0.5)
    return b.build()


def tube(count, ratio):
    """Spheres between frictionless walls, each on two of them and on the one below."""
    return heap_world('tube', np.random.default_rng(count), mu=0.0, ratio=ratio, dt=1e-3, push=0.0)


def corner():
    """A frictionless sphere in the corner of three planes, gravity askew."""
    b = WorldBuilder(gravity=(-3, -4, -9))
    for axis in np.eye(3):
        b.add_body(HalfSpace(tuple(axis)), kind='static', friction=0.0)
    b.add_body(Sphere(0.2), mass=1.5, pos=(0.2, 0.2, 0.2), friction=0.0)
    return b.build()


def table():
    """A plate on three fixed balls carries a ball off its middle."""
    b = WorldBuilder(gravity=(0, 0, -G))
    for x, y in ((-0.2, -0.2), (0.25, -0.15), (0.0, 0.2)):
        b.add_body(Sphere(0.05), kind='static', pos=(x, y, -0.05), friction=0.5)
    b.add_body(Box((0.6, 0.5, 0.1)), mass=2.0, pos=(0, 0, 0.05), friction=0.5)
    b.add_body(Sphere(0.08), mass=0.9, pos=(0.05, -0.1, 0.18), friction=0.5)
    return b.build()


AT_REST = {
    'box': (lambda: lying(Box((0.5, 0.4, 0.15)), 0.075), 0.5),
    'sphere': (lambda: lying(Sphere(0.1), 0.1), 0.5),
    'capsule': (lambda: lying(Capsule(0.08, 0.3), 0.08, LYING), 0.5),
    'boxes': (lambda: stack(Box((0.4, 0.4, 0.2)), 5, 1.0), 0.5),
    'heavy boxes on light ones': (lambda: stack(Box((0.4, 0.4, 0.2)), 3, 100.0), 0.5),
    'spheres in a tube': (lambda: tube(3, 1.0), 0.0),
    'unlike spheres in a tube': (lambda: tube(5, 100.0), 0.0),
    'corner': (corner, 0.0),
    'table': (table, 0.5),
    'held on a slope': (lambda: slope_box(16.0, 0.3)[0], 0.3),
}


@pytest.mark.parametrize('name', AT_REST)
def test_at_rest(name):
    """0.3 s from rest: the same wrench of every pair to 1e-4 of the largest, nothing moves in either."""
    make, mu = AT_REST[name]
    w = make()
    twin = Twin(w, mu)
    w.step(round(0.3 / w.dt))
    twin.run(0.3)
    assert_allclose(twin.velocities(), 0.0, atol=2e-5)
    assert_allclose(velocities(w), 0.0, atol=1e-8)
    ours, theirs = forces(w), twin.wrenches()
    if name == 'table':     # friction lets its legs push against each other: only the weight is shared in one way
        ours, theirs = ({pair: x * [0, 0, 1, 0, 0, 0] for pair, x in f.items()} for f in (ours, theirs))
    assert_same_wrenches(ours, theirs, 1e-4)


def test_pushed_but_held():
    """Side force of 0.9 mu m g: friction carries it."""
    w, i = resting(Box((0.5, 0.5, 0.05)), 0.025, friction=0.4)
    w.force[i] = (0.9 * 0.4 * 0.7 * G, 0, 0)
    twin = Twin(w, 0.4)
    w.step(300)
    twin.run(0.3)
    assert_same_wrenches(forces(w), twin.wrenches(), 1e-4)


def test_settled_pile():
    """Six spheres dropped into a narrow frictionless well settle in three seconds; MuJoCo, started from there, keeps
    them there and carries them by the same forces.
    """
    rng = np.random.default_rng(1)
    b = WorldBuilder(gravity=(0.3, 0.2, -G))
    for axis, offset in ((np.eye(3)[2], 0.0), *((s * a, -0.2) for a in np.eye(3)[:2] for s in (1, -1))):
        b.add_body(HalfSpace(tuple(axis), offset), kind='static', friction=0.0)
    for k in range(6):
        b.add_body(Sphere(rng.uniform(0.11, 0.16)), mass=rng.uniform(0.5, 2), pos=(*rng.uniform(-0.03, 0.03, 2),
                   0.2 + 0.35 * k), friction=0.0)  # fmt: skip
    w = b.build()
    w.step(3000)
    assert np.abs(w.linvel).max() < 1e-6
    twin = Twin(w, 0.0)
    twin.run(0.3)
    w.step(1)
    assert_allclose(twin.data.xpos[1:], w.pos, atol=1e-5)
    assert_same_wrenches(forces(w), twin.wrenches(), 1e-3)


# --- steady sliding and rolling


def speeds(world, twin, i, seconds):
    """Mean acceleration (6,) of body i over `seconds` after 0.1 s, here and in MuJoCo; MuJoCo's mean wrenches."""
    world.step(round(0.1 / world.dt))
    twin.run(0.1)
    ours, theirs = velocities(world)[i], twin.velocities()[i]
    world.step(round(seconds / world.dt))
    loads = twin.mean_wrenches(seconds)
    return (velocities(world)[i] - ours) / seconds, (twin.velocities()[i] - theirs) / seconds, loads


@pytest.mark.parametrize(('degrees', 'mu'), [(30.0, 0.3), (20.0, 0.2)])
def test_box_slides_down_a_slope(degrees, mu):
    """Acceleration to 0.01 m/s², mean force of the slope to 3e-3 of the weight; its moment is about a moving point."""
    w, i, _ = slope_box(degrees, mu)
    ours, theirs, loads = speeds(w, Twin(w, mu), i, 0.2)
    assert_allclose(ours[:3], theirs[:3], atol=0.01)
    assert_allclose(ours[3:], theirs[3:], atol=0.05)
    assert_allclose(forces(w)[0, 1][:3], loads[0, 1][:3], rtol=0, atol=3e-3 * 0.7 * G)


def test_box_is_pushed_along():
    """1.5 mu m g: half of mu g is left."""
    w, i = resting(Box((0.5, 0.5, 0.05)), 0.025, friction=0.4)
    w.force[i] = (1.5 * 0.4 * 0.7 * G, 0, 0)
    ours, theirs, loads = speeds(w, Twin(w, 0.4), i, 0.2)
    assert_allclose(ours[:3], theirs[:3], atol=0.01)
    assert_allclose(forces(w)[0, 1][:3], loads[0, 1][:3], rtol=0, atol=3e-3 * 0.7 * G)


@pytest.mark.parametrize(('degrees', 'mu'), [(20.0, 0.5), (50.0, 0.1)])
def test_ball_on_a_slope(degrees, mu):
    """Rolls where tan θ <= 3.5 mu, slips beyond: acceleration and spin to 3e-3."""
    theta = np.radians(degrees)
    n = np.array([np.sin(theta), 0, np.cos(theta)])
    b = WorldBuilder(gravity=(0, 0, -G))
    b.add_body(HalfSpace(tuple(n)), kind='static', friction=mu)
    i = b.add_body(Sphere(0.1), mass=2.0, pos=0.1 * n, friction=mu)
    w = b.build()
    ours, theirs, _ = speeds(w, Twin(w, mu), i, 0.2)
    assert_allclose(ours[:3], theirs[:3], rtol=0, atol=3e-3 * np.linalg.norm(ours[:3]))
    assert_allclose(ours[3:], theirs[3:], rtol=0, atol=3e-3 * np.linalg.norm(ours[3:]))


def test_box_pulled_from_under_a_box():
    """The lower one accelerates faster than friction can take the upper one along."""
    b = WorldBuilder(gravity=(0, 0, -G))
    b.add_body(HalfSpace(), kind='static', friction=0.2)
    low = b.add_body(Box((0.8, 0.4, 0.1)), mass=2.0, pos=(0, 0, 0.05), friction=0.2)
    top = b.add_body(Box((0.2, 0.2, 0.1)), mass=1.0, pos=(0, 0, 0.15), friction=0.2)
    w = b.build()
    w.force[low] = (20.0, 0, 0)
    twin = Twin(w, 0.2)
    w.step(200)
    twin.run(0.2)
    assert_allclose(velocities(w)[[low, top]], twin.velocities()[[low, top]], rtol=0, atol=5e-3)
    assert w.linvel[top, 0] < 0.5 * w.linvel[low, 0]


# --- random scenes from rest


@pytest.mark.parametrize('seed', range(4))
@pytest.mark.parametrize('family', ['plane', 'tube', 'pyramid'])
def test_random_frictionless_heaps(family, seed):
    """Masses 1 : 10 under random forces for 20 ms (0.2 m/s of g t): velocities of all bodies to 2e-3 m/s."""
    w = heap_world(family, np.random.default_rng(seed), mu=0.0, ratio=10.0, dt=1e-3)
    twin = Twin(w, 0.0)
    w.step(20)
    twin.run(0.02)
    assert_allclose(w.linvel, twin.velocities()[:, :3], rtol=0, atol=2e-3)
