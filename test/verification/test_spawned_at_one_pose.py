# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bodies that are spawned at one pose part: at a bounded speed, without a velocity, in the air and on the ground."""
import numpy as np
import pytest

from hakoniwa_rigid.engine import Box, Capsule, Compound, Cylinder, HalfSpace, Part, Sphere, WorldBuilder

ROTORS = [Part(Cylinder(0.12, 0.02), pos=(0.2 * x, 0.2 * y, 0.03)) for x in (-1, 1) for y in (-1, 1)]
SHAPES = {'plate': Box((0.5, 0.5, 0.15)), 'ball': Sphere(0.2), 'disc': Cylinder(0.2, 0.1), 'capsule': Capsule(0.1, 0.3),
          'drone': Compound([Part(Box((0.3, 0.3, 0.1))), *ROTORS])}


def spawn(shape, n, gravity):
    b = WorldBuilder(gravity=(0.0, 0.0, -gravity))
    if gravity:
        b.add_body(HalfSpace(), kind='static')
    for _ in range(n):
        b.add_body(SHAPES[shape], mass=1.0, inertia=(0.01, 0.012, 0.015), com=(0.0, 0.0, 0.0), pos=(0.0, 0.0, 0.3))
    return b.build()


def deepest(world):
    return world.contacts()['depth'].max(initial=0.0)


@pytest.mark.parametrize('shape', SHAPES)
@pytest.mark.parametrize(('n', 'seconds'), [(2, 1.0), (5, 1.0), (20, 3.0)])
def test_in_the_air(shape, n, seconds):
    w = spawn(shape, n, 0.0)
    before = w.pos.copy()
    for _ in range(round(seconds / w.dt)):
        w.step()
        assert np.linalg.norm(w.pos - before, axis=1).max() <= 1.0 * w.dt * (1 + 1e-9)
        before = w.pos.copy()
    assert deepest(w) < 1e-3
    assert not w.linvel.any() and not w.angvel.any()


@pytest.mark.parametrize('shape', ['plate', 'ball', 'drone'])
def test_on_the_ground(shape):
    w = spawn(shape, 20, 9.80665)
    w.step(5000)
    assert deepest(w) < 1e-3
    assert w.pos[1:, 2].min() > 0.04 and np.abs(w.pos).max() < 10.0
    assert np.abs(w.linvel).max() < 4.0     # m/s: what falls off the top of the heap, and rolls on


def test_the_same_bits_again():
    """The same bits every time."""
    first, again = spawn('ball', 5, 0.0), spawn('ball', 5, 0.0)
    first.step(500)
    again.step(500)
    assert first.state_hash() == again.state_hash()


def test_others_are_left_alone():
    """A body that merely lies beside the place is not pushed."""
    b = WorldBuilder(gravity=(0.0, 0.0, 0.0))
    for _ in range(3):
        b.add_body(Sphere(0.1), mass=1.0)
    apart = b.add_body(Sphere(0.1), mass=1.0, pos=(1.0, 0.0, 0.0))
    w = b.build()
    w.step(1000)
    np.testing.assert_array_equal(w.pos[apart], (1.0, 0.0, 0.0))
