# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Standing still: no sinking, no drift, no jitter; slopes, sliding, rolling, several contacts at once."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles.rotations import from_rotvec, multiply
from scenes import DRONE_INERTIA, G, resting, slope_box

from hakoniwa_rigid.engine import Box, Capsule, HalfSpace, Sphere, WorldBuilder

LYING = (np.cos(np.pi / 4), 0.0, np.sin(np.pi / 4), 0.0)  # a capsule's axis turned from z to x
YAWED = tuple(multiply(from_rotvec([0, 0, 0.5]), np.array([1.0, 0, 0, 0])))
BODIES = {
    'sphere': (Sphere(0.1), 0.1, (1, 0, 0, 0)),
    'box': (Box((0.5, 0.4, 0.15)), 0.075, (1, 0, 0, 0)),
    'yawed box': (Box((0.5, 0.4, 0.15)), 0.075, YAWED),
    'capsule': (Capsule(0.08, 0.3), 0.08, LYING),
}


def run(world, seconds, last=1.0):
    """Steps the world; returns the fastest |v| and |w| met in the last `last` seconds and the row counts met there."""
    world.step(round((seconds - last) / world.dt))
    fastest, spin, counts = 0.0, 0.0, set()
    for _ in range(round(last / world.dt)):
        world.step(1)
        fastest = max(fastest, np.abs(world.linvel).max())
        spin = max(spin, np.abs(world.angvel).max())
        counts.add(len(world.contacts()))
    return fastest, spin, counts


@pytest.mark.parametrize('on', ['plane', 'box'])
@pytest.mark.parametrize('name', BODIES)
def test_stands_still(name, on):
    """10 s: sinks < 1e-6 m, drifts < 1e-9 m, moves < 1e-9 m/s, its contacts do not flicker and carry m g dt."""
    shape, height, quat = BODIES[name]
    w, i = resting(shape, height, on=on, quat=quat)
    start = w.pos[i].copy()
    fastest, spin, counts = run(w, 10.0)
    assert fastest < 1e-9
    assert spin < 1e-8
    assert abs(w.pos[i, 2] - start[2]) < 1e-6
    assert_allclose(w.pos[i, :2], start[:2], atol=1e-9)
    assert len(counts) == 1 and counts != {0}
    assert_allclose(w.contacts()['impulse'].sum(axis=0), [0, 0, 0.7 * G * w.dt], atol=1e-9)


@pytest.mark.parametrize('name', BODIES)
def test_settles_after_a_drop(name):
    """Dropped 1 cm, e = 0: it comes to rest at its height within a second."""
    shape, height, quat = BODIES[name]
    w, i = resting(shape, height + 0.01, quat=quat)
    fastest, _, _ = run(w, 2.0)
    assert fastest < 1e-9
    assert_allclose(w.pos[i, 2], height, atol=1e-6)


@pytest.mark.parametrize('friction', [0.3])
def test_slope_holds_below_the_cone(friction):
    """tan 16.6° = 0.298 < 0.3: creeps < 1e-6 m in 10 s."""
    w, i, _ = slope_box(16.6, friction)
    start = w.pos[i].copy()
    w.step(10_000)
    assert np.linalg.norm(w.pos[i] - start) < 1e-6


@pytest.mark.parametrize(('degrees', 'tolerance'), [(16.8, 1e-2), (30.0, 1e-4)])
def test_slope_slides_above_the_cone(degrees, tolerance):
    """a = g (sin θ - mu cos θ), 0.0180 m/s² at 16.8°; fitted to the last second of two."""
    w, i, downhill = slope_box(degrees, 0.3)
    w.step(1000)
    v = w.linvel[i] @ downhill
    w.step(1000)
    theta = np.radians(degrees)
    assert_allclose(w.linvel[i] @ downhill - v, G * (np.sin(theta) - 0.3 * np.cos(theta)), rtol=tolerance)
    assert_allclose(w.linvel[i] - (w.linvel[i] @ downhill) * downhill, 0.0, atol=1e-6)
    assert_allclose(w.angvel[i], 0.0, atol=1e-6)


@pytest.mark.parametrize('dt', [1e-3, 1 / 240])
def test_sliding_distance(dt):
    """v²/(2 mu g) to 1e-5 relative, straight, without turning."""
    w, i = resting(Box((0.5, 0.5, 0.15)), 0.075, friction=0.3, dt=dt)
    start = w.pos[i].copy()
    w.set_state(i, linvel=(1.0, 0, 0))
    w.step(round(1.0 / dt))
    assert_allclose(w.pos[i, 0] - start[0], 1.0 / (2 * 0.3 * G), rtol=1e-5)
    assert_allclose(w.pos[i, 1], start[1], atol=1e-9)
    assert_allclose(w.linvel[i], 0.0, atol=1e-9)


def test_sliding_sphere_starts_to_roll():
    """Ends at 5/7 v0 whatever mu, with w = v/r, after v0·2/(7 mu g): 1e-6."""
    w, i = resting(Sphere(0.1), 0.1, friction=0.2)
    w.set_state(i, linvel=(2.0, 0, 0))
    w.step(1000)
    assert_allclose(w.linvel[i], [10 / 7, 0, 0], atol=1e-6)
    assert_allclose(w.angvel[i], [0, 100 / 7, 0], atol=1e-5)


def test_sphere_in_a_corner_of_three_planes():
    """Gravity (-3, -4, -9): each frictionless plane carries its own component."""
    b = WorldBuilder(gravity=(-3, -4, -9), dt=1e-3)
    for axis in np.eye(3):
        b.add_body(HalfSpace(tuple(axis)), kind='static', friction=0.0)
    i = b.add_body(Sphere(0.2), mass=1.5, pos=(0.2, 0.2, 0.2), friction=0.0)
    w = b.build()
    fastest, _, _ = run(w, 3.0)
    assert fastest < 1e-9
    assert_allclose(w.pos[i], 0.2, atol=1e-6)
    rows = w.contacts()
    assert_allclose(rows['impulse'][np.argsort(rows['body_a'])], 1.5e-3 * np.diag([3, 4, 9]), atol=1e-9)


def test_stack_of_three_boxes():
    """10 s: heights kept to 1e-6 m per contact below, and each interface carries the weight above it."""
    b = WorldBuilder(gravity=(0, 0, -G), dt=1e-3)
    b.add_body(HalfSpace(), kind='static')
    for k in range(3):
        b.add_body(Box((0.4, 0.4, 0.2)), mass=1.0 + k, pos=(0.01 * k, 0, 0.1 + 0.2 * k))
    w = b.build()
    start = w.pos.copy()
    fastest, spin, _ = run(w, 10.0)
    assert fastest < 1e-8
    assert spin < 1e-7
    assert_allclose(w.pos[1:, 2], start[1:, 2], atol=3e-6)
    assert_allclose(w.pos[1:, :2], start[1:, :2], atol=1e-7)
    rows = w.contacts()
    for k, weight in enumerate((6.0, 5.0, 3.0)):
        load = rows['impulse'][(rows['body_a'] == k) & (rows['body_b'] == k + 1)].sum(axis=0)
        assert_allclose(load, [0, 0, weight * G * w.dt], atol=1e-7)


def test_drone_on_four_spheres():
    """The drone box on four static balls: force and moment balance, no motion."""
    b = WorldBuilder(gravity=(0, 0, -G), dt=1e-3)
    for x in (-0.2, 0.15):
        for y in (-0.2, 0.2):
            b.add_body(Sphere(0.05), kind='static', pos=(x, y, -0.05))
    i = b.add_body(Box((0.5, 0.5, 0.15)), mass=0.71, inertia=DRONE_INERTIA, pos=(0, 0, 0.075))
    w = b.build()
    fastest, spin, _ = run(w, 5.0)
    assert fastest < 1e-8
    assert spin < 1e-7
    assert_allclose(w.pos[i], [0, 0, 0.075], atol=1e-6)
    rows = w.contacts()
    assert_allclose(rows['impulse'].sum(axis=0), [0, 0, 0.71 * G * w.dt], atol=1e-8)
    moment = np.cross(rows['position'] - w.pos[i], rows['impulse']).sum(axis=0)
    assert_allclose(moment, 0.0, atol=1e-8)


def test_box_landing_flat_does_not_spin():
    """Four corners at once, e = 0.5: v' = -e v and no spin."""
    w, i = resting(Box((0.5, 0.4, 0.15)), 0.075 + 0.2, friction=0.0)
    w.set_material(i, restitution=0.5)
    w.step(round(np.sqrt(0.4 / G) / w.dt) + 5)
    assert w.linvel[i, 2] > 0.5
    assert_allclose(w.pos[i, 2] - 0.075 + w.linvel[i, 2] ** 2 / (2 * G), 0.25 * 0.2, rtol=1e-6)
    assert_allclose(w.angvel[i], 0.0, atol=1e-9)


def test_push_is_carried_by_friction():
    """A side force below mu m g does not move a resting box; above it a = F/m - mu g."""
    w, i = resting(Box((0.5, 0.5, 0.05)), 0.025, friction=0.4)
    start = w.pos[i].copy()
    w.force[i] = (0.9 * 0.4 * 0.7 * G, 0, 0)
    w.step(2000)
    assert_allclose(w.pos[i], start, atol=1e-6)
    w.force[i] = (1.5 * 0.4 * 0.7 * G, 0, 0)
    v = w.linvel[i, 0]
    w.step(500)
    assert_allclose(w.linvel[i, 0] - v, 0.5 * (1.5 - 1) * 0.4 * G, rtol=1e-4)


def test_falling_asleep_is_not_allowed_to_hide_motion():
    """A box that has stood for two seconds falls at g once its support goes."""
    w, i = resting(Box((0.5, 0.4, 0.15)), 0.075, on='box')
    w.step(2000)
    w.set_enabled(w.index('ground'), False)
    v = w.linvel[i, 2]
    w.step(100)
    assert_allclose(w.linvel[i, 2] - v, -G * 0.1, atol=1e-9)
