# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Stacks that stand: boxes, spheres, a drone on a table, supports with more points than equations.

Everywhere: rest penetration at most 1e-6 m a contact, and every interface carries the weight above it.
"""
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from oracles.rotations import random_quat
from scenes import DRONE_INERTIA, DRONE_MASS, G

from hakoniwa_rigid.engine import Box, Compound, ConvexHull, Cylinder, HalfSpace, Sphere, WorldBuilder

DEEPEST = 1e-6      # m, of any resting contact
CUBE = (0.4, 0.4, 0.2)
SIZES = [tuple(s) for s in np.random.default_rng(1).uniform(0.2, 0.6, (10, 3))]
RISING = np.geomspace(1e-2, 1e2, 10)


def about_z(angle):
    return np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)


def tower(mass=(1.0,) * 10, *, sides=(CUBE,) * 10, yaw=(0.0,) * 10, gap=0.0, friction=0.5, restitution=0.0, dt=1e-3):
    """Boxes on each other on the plane z = 0, body k + 1 above body k, each `gap` above what it lands on."""
    surface = {'friction': friction, 'restitution': restitution}
    b, top = WorldBuilder(gravity=(0, 0, -G), dt=dt), 0.0
    b.add_body(HalfSpace(), kind='static', **surface)
    for m, s, a in zip(mass, sides, yaw, strict=True):
        top += gap + s[2]
        b.add_body(Box(s), mass=m, pos=(0, 0, top - s[2] / 2), quat=about_z(a), **surface)
    return b.build()


def watch(world, seconds, every=20):
    """Runs on; (farthest way m from here in any direction, deepest contact m, fastest m/s in the last tenth)."""
    here, far, deep, fast = world.pos.copy(), 0.0, 0.0, 0.0
    steps = round(seconds / world.dt)
    for done in range(0, steps, every):
        world.step(every)
        far = max(far, np.abs(world.pos - here).max())
        deep = max(deep, world.contacts()['depth'].max(initial=0.0))
        if done > 0.9 * steps:
            fast = max(fast, np.abs(world.linvel).max())
    return far, deep, fast


def settle(world, seconds=1.0):
    """m, how far the top body moves while the world settles."""
    start = world.pos[-1].copy()
    world.step(round(seconds / world.dt))
    return np.abs(world.pos[-1] - start).max()


def assert_bears(world, rtol):
    """Interface k carries the weight of bodies k + 1 ... (world: body 0 below all, each on the one before it)."""
    rows = world.contacts()
    for k in range(world.n - 1):
        load = rows['impulse'][(rows['body_a'] == k) & (rows['body_b'] == k + 1)].sum(axis=0)
        weight = world.mass[k + 1:].sum() * G * world.dt
        assert_allclose(load, [0, 0, weight], rtol=0, atol=rtol * weight, err_msg=f'interface {k}')


def assert_stands(world, seconds, *, settles=1e-3, drift=1e-5, rtol=1e-6):
    assert settle(world) <= settles
    far, deep, fast = watch(world, seconds)
    assert far < drift
    assert deep <= DEEPEST
    assert fast < 1e-6
    assert_bears(world, rtol)


@pytest.mark.slow
def test_ten_boxes_stand_for_a_minute():
    assert_stands(tower(), 59.0)


@pytest.mark.parametrize('case', [
    {'restitution': 0.3}, {'dt': 1 / 240}, {'friction': 0.0}, {'sides': SIZES}, {'yaw': 0.3 * np.arange(10)},
    {'yaw': np.random.default_rng(3).uniform(-np.pi, np.pi, 10), 'restitution': 0.3},
    {'mass': RISING[::-1]}, {'mass': np.random.default_rng(4).permutation(RISING[:6].repeat(2)[:10])},
], ids=lambda c: '+'.join(c))
def test_ten_boxes_started_in_contact(case):
    """Nothing has to settle: the start is the solution, so they keep it to the micrometre."""
    assert_stands(tower(**case), 2.0, settles=1e-5)


@pytest.mark.parametrize('yaw', [0.0, 0.4])
def test_corners_carry_alike_and_do_not_push_each_other(yaw):
    """Four corners carry a box in infinitely many ways; what is found is the even one: m g / 4 each, none sideways."""
    w = tower((1.0,) * 3, sides=(CUBE,) * 3, yaw=(yaw, 0.0, 0.0), friction=0.8)
    for _ in range(20):
        w.step(1)
        rows = w.contacts()
        rows = rows[rows['body_a'] == 0]
        assert_allclose(rows['impulse'], np.tile([0, 0, 3 * G * w.dt / 4], (4, 1)), rtol=0, atol=1e-9 * G * w.dt)


@pytest.mark.parametrize('shape', [Sphere(0.1), Box((0.3, 0.2, 0.1))], ids=['ball', 'box'])
@pytest.mark.parametrize('dt', [1e-3, 5e-3, 1e-2])
def test_what_bounces_comes_to_rest(shape, dt):
    """e = 0.5 from 0.2 m: after 2 s it lies there, at 0 m/s, and nothing hits any more, however long the step."""
    b = WorldBuilder(gravity=(0, 0, -G), dt=dt)
    b.add_body(HalfSpace(), kind='static')
    i = b.add_body(shape, mass=0.7, pos=(0, 0, 0.3), quat=about_z(0.3), restitution=0.5)
    w = b.build()
    w.step(round(2.0 / dt))
    hits, rest = w.stats().impacts, w.pos[i].copy()
    w.step(100)
    assert w.stats().impacts == hits
    assert np.abs(w.linvel[i]).max() < 1e-9
    assert_allclose(w.pos[i], rest, atol=1e-9)
    assert_allclose(w.nearest([i], 1.0)[0], 0.0, atol=DEEPEST)


@pytest.mark.parametrize('restitution', [0.0, 0.3])
def test_ten_boxes_dropped_on_each_other(restitution):
    """0.1 mm under each: the top comes down by the 1 mm of the gaps (and 1e-6 m a contact), then stands."""
    assert_stands(tower(gap=1e-4, restitution=restitution), 3.0, settles=1e-3 + 1e-5)


@pytest.mark.parametrize('mass', [(1.0, 1e4), RISING, (1.0,) * 9 + (1e4,), (1.0, 1e4) * 3, (1.0, 1e4) * 5], ids=[
    'two', 'each 2.8 times the one below', 'one on nine', 'six alternating', 'ten alternating'])
def test_heavy_on_light(mass):
    """1 : 1e4 with the heavy body above: the light ones below carry it."""
    assert_stands(tower(mass, sides=(CUBE,) * len(mass), yaw=(0.0,) * len(mass)), 2.0, settles=1e-5)


def pile(xy, quats=None, *, radius=0.05, gap=0.0, tube=None, friction=0.3):
    """Spheres one above the other (touching, in three dimensions) on z = 0; `tube`: half width of a square tube."""
    b = WorldBuilder(gravity=(0, 0, -G))
    b.add_body(HalfSpace(), kind='static', friction=friction)
    z, before = radius, None
    for k, at in enumerate(xy):
        if before is not None:
            z += np.sqrt(4 * radius**2 - np.sum(np.subtract(at, before)**2)) + gap
        b.add_body(Sphere(radius), mass=1.0, pos=(*at, z), friction=friction, torsional_friction=1e-3 if tube else 0.0,
                   quat=(1, 0, 0, 0) if quats is None else quats[k])
        before = at
    for axis in range(2) if tube else ():
        for sign in (-1, 1):
            normal = np.zeros(3)
            normal[axis] = -sign
            b.add_body(HalfSpace(tuple(normal), -tube), kind='static', friction=friction)
    return b.build()


def test_ten_spheres_that_agree_to_the_bit_stand_for_a_minute():
    """An unstable equilibrium: nothing in the engine may disturb a symmetry that the input has."""
    x, y = 0.1, -1 / 3
    w = pile([(x, y)] * 10)
    assert settle(w) < 1e-5
    _, deep, fast = watch(w, 59.0)
    assert_array_equal(w.pos[1:, :2], np.broadcast_to([x, y], (10, 2)))
    assert deep <= DEEPEST and fast < 1e-6
    assert_allclose(w.pos[1:, 2], 0.05 + 0.1 * np.arange(10), atol=1e-5)
    assert_bears(w, 1e-6)


def zigzag(rng, reach):
    """Ten horizontal places, alternately on either side of the axis, a few mm off."""
    return [tuple((-1)**k * rng.uniform(0.3, 1.0, 2) * reach) for k in range(10)]


@pytest.mark.parametrize(('count', 'reach', 'gap', 'friction'), [
    (10, 0.0, 0.0, 0.3), (10, 0.003, 0.0, 0.0), (6, 0.003, 0.0, 0.3), (6, 0.003, 1e-4, 0.3), (6, 0.008, 0.0, 0.6)])
def test_spheres_in_a_tube(count, reach, gap, friction):
    """Turned at random and off the axis, tube 17 mm wider than the balls: they lean, come to rest and never sink.

    Torsional friction, because nothing else stops a ball that spins about the line through its two contacts.
    """
    rng = np.random.default_rng(7)
    places = zigzag(rng, reach)[:count]
    w = pile(places, [random_quat(rng) for _ in places], gap=gap, tube=0.0583, friction=friction)
    w.step(3000)
    height = w.pos[1:count + 1, 2].copy()
    far, deep, fast = watch(w, 2.0)
    assert (np.abs(w.pos[1:count + 1, :2]) <= 0.0083 + DEEPEST).all()
    assert (w.pos[1:count + 1, 2] >= height - DEEPEST).all()
    assert deep <= DEEPEST and fast < 1e-6 and far < 1e-5
    rows = w.contacts()
    on_floor = rows['impulse'][rows['body_a'] == 0].sum(axis=0)
    walls = rows['impulse'][rows['body_b'] > count].sum(axis=0)
    assert_allclose(on_floor - walls, [0, 0, count * G * w.dt], rtol=0, atol=1e-6 * count * G * w.dt)


DRONES = {
    'box': Box((0.5, 0.5, 0.15)),
    'compound': Compound([
        (Box((0.12, 0.12, 0.11)), (0, 0, 0.02)), (Box((0.5, 0.03, 0.03)), (0, 0, 0)),
        (Box((0.03, 0.5, 0.03)), (0, 0, 0)),
        *((Cylinder(0.02, 0.15), (x, y, 0)) for x, y in ((0.24, 0), (-0.24, 0), (0, 0.24), (0, -0.24)))]),
    'skids': Compound([(Box((0.3, 0.3, 0.05)), (0, 0, 0.025)), (Box((0.4, 0.02, 0.02)), (0, 0.1, -0.065)),
                       (Box((0.4, 0.02, 0.02)), (0, -0.1, -0.065))]),
}


@pytest.mark.parametrize('name', DRONES)
def test_drone_rests_on_a_table(name):
    """Thrust off, 10 s: not a micrometre in any direction."""
    b = WorldBuilder(gravity=(0, 0, -G))
    b.add_body(HalfSpace(), kind='static')
    b.add_body(Box((1.2, 0.8, 0.04)), kind='static', pos=(0, 0, 0.72))
    i = b.add_body(DRONES[name], mass=DRONE_MASS, inertia=DRONE_INERTIA, com=(0, 0, 0), pos=(0.1, 0.05, 0.74 + 0.075),
                   quat=about_z(0.4))
    w = b.build()
    start = w.quat[i].copy()
    far, deep, fast = watch(w, 10.0)
    assert far < 1e-6 and deep <= DEEPEST and fast < 1e-9
    assert_allclose(w.quat[i], start, atol=1e-6)
    rows = w.contacts()
    assert set(rows['body_a']) == {1}
    assert_allclose(rows['impulse'].sum(axis=0), [0, 0, DRONE_MASS * G * w.dt], atol=1e-9)


def grid(count, spread):
    line = np.linspace(-spread, spread, count)
    return [(x, y) for x in line for y in line]


@pytest.mark.parametrize('kind', ['static', 'dynamic'])
def test_plate_on_many_balls(kind):
    """25 balls under one plate: 25 points for 6 equations.  Force and moment balance, whoever carries how much."""
    b = WorldBuilder(gravity=(0, 0, -G))
    b.add_body(HalfSpace(), kind='static')
    for x, y in grid(5, 0.4):
        b.add_body(Sphere(0.05), kind=kind, pos=(x, y, 0.05), **({'mass': 0.2} if kind == 'dynamic' else {}))
    i = b.add_body(Box((1.0, 1.0, 0.1)), mass=7.0, pos=(0.03, -0.02, 0.15))
    w = b.build()
    assert settle(w) < 1e-6
    far, deep, fast = watch(w, 3.0)
    assert far < 1e-6 and deep <= DEEPEST and fast < 1e-8
    rows = w.contacts()
    rows = rows[rows['body_b'] == i]
    assert len(rows) == 25
    assert_allclose(rows['impulse'].sum(axis=0), [0, 0, 7.0 * G * w.dt], atol=1e-8)
    assert_allclose(np.cross(rows['position'] - w.pos[i], rows['impulse']).sum(axis=0), 0.0, atol=1e-8)


@pytest.mark.parametrize('sides', [5, 12, 24])
@pytest.mark.parametrize('on', ['plane', 'box'])
def test_hull_with_many_coplanar_corners(sides, on):
    """A prism of 24 sides on its end: all its corners are in the plane, three would carry it."""
    angle = 2 * np.pi * np.arange(sides) / sides
    rim = 0.2 * np.column_stack([np.cos(angle), np.sin(angle)])
    prism = ConvexHull(np.vstack([np.column_stack([rim, np.full(sides, z)]) for z in (-0.1, 0.1)]))
    b = WorldBuilder(gravity=(0, 0, -G))
    if on == 'plane':
        b.add_body(HalfSpace(), kind='static')
    else:
        b.add_body(Box((2, 2, 1)), kind='static', pos=(0, 0, -0.5))
    for k in range(3):
        b.add_body(prism, mass=1.0 + k, pos=(0.01 * k, 0, 0.1 + 0.2 * k), quat=about_z(0.1 * k))
    assert_stands(b.build(), 2.0, settles=1e-6, drift=1e-6)
