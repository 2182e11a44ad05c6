# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""World.set_box and set_capsule: the new size counts in contacts at once, mass and inertia stay."""
import numpy as np
import pytest
from numpy.testing import assert_allclose

from hakoniwa_rigid.engine import Box, Capsule, EngineError, Sphere, WorldBuilder


def two_bodies(shape, **first):
    """A body at the origin and a ball of radius 0.1 m at x = 1, no gravity."""
    b = WorldBuilder(gravity=(0.0, 0.0, 0.0))
    b.add_body(shape, name='first', **first)
    b.add_body(Sphere(0.1), mass=1.0, pos=(1.0, 0.0, 0.0), restitution=1.0, friction=0.0, name='ball')
    return b.build()


@pytest.mark.parametrize('sides', [(0.2, 0.4, 0.6), (1.0, 0.1, 0.1)])
def test_a_box_is_as_large_as_it_was_last_set(sides):
    w = two_bodies(Box((0.1, 0.1, 0.1)), kind='kinematic')
    w.set_box(0, sides)
    assert w.shapes[0] == Box(sides)
    assert_allclose(w.distance(0, 1).distance, 1.0 - 0.1 - 0.5 * sides[0], atol=1e-12)


def test_a_box_that_has_grown_is_found_by_what_flies_at_it():
    """The candidates of the first step were made for a small box: the ball turns round at the face of the large one."""
    w = two_bodies(Box((0.01, 0.01, 0.01)), kind='kinematic')
    w.set_state(1, linvel=(-2.0, 0.0, 0.0))
    w.step(10)
    w.set_box(0, (1.0, 0.2, 0.2))
    # 0.4 m at 2 m/s, then as long again
    w.step(390)
    assert_allclose(w.linvel[1], (2.0, 0.0, 0.0), atol=1e-12)
    assert_allclose(w.pos[1, 0], 1.0, atol=1e-9)


def test_mass_and_inertia_stay():
    w = two_bodies(Capsule(0.1, 0.2), mass=2.0, inertia=(3.0, 3.0, 3.0))
    w.set_capsule(0, 0.2, 0.5)
    assert w.shapes[0] == Capsule(0.2, 0.5) and w.mass[0] == 2.0
    w.apply_angular_impulse(0, (0.0, 0.3, 0.0))
    assert_allclose(w.angvel[0], (0.0, 0.1, 0.0), atol=1e-15)


def test_a_saved_world_has_its_sizes_back():
    w = two_bodies(Box((0.1, 0.1, 0.1)), kind='kinematic')
    saved, before = w.save(), w.distance(0, 1).distance
    w.set_box(0, (0.5, 0.5, 0.5))
    w.restore(saved)
    assert w.shapes[0] == Box((0.1, 0.1, 0.1)) and w.distance(0, 1).distance == before


def test_wrong_bodies_and_sizes_are_named():
    w = two_bodies(Box((0.1, 0.1, 0.1)), kind='kinematic')
    with pytest.raises(EngineError, match='ball: set_box: must be a Box, is a Sphere'):
        w.set_box(1, (1.0, 1.0, 1.0))
    with pytest.raises(EngineError, match='first: set_capsule: must be a Capsule, is a Box'):
        w.set_capsule(0, 0.1, 0.1)
    with pytest.raises(EngineError, match='Box.size'):
        w.set_box(0, (1.0, np.nan, 1.0))
    with pytest.raises(EngineError, match='no body 7'):
        w.set_box(7, (1.0, 1.0, 1.0))


def test_a_tile_that_grows():
    """A static box that is made larger lies beside the next one from then on."""
    b = WorldBuilder(gravity=(0, 0, 0))
    first = b.add_body(Box((0.1, 0.6, 0.1)), kind='static', pos=(-0.1, 0.0, -0.05))
    b.add_body(Box((0.2, 0.6, 0.1)), kind='static', pos=(0.1, 0.0, -0.05))
    w = b.build()
    assert len(w._s.beside) == 0
    w.set_box(first, (0.2, 0.6, 0.1))
    assert len(w._s.beside) == 2
    w.set_box(first, (0.1, 0.6, 0.1))
    assert len(w._s.beside) == 0
