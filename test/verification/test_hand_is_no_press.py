# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A moving body of infinite mass presses bodies against something static: static wins."""
import numpy as np
import pytest
from crowd_scenes import plates

from hakoniwa_rigid.engine import Box, Cylinder, HalfSpace, Sphere, TriangleMesh, WorldBuilder

BODIES = {'box': Box((0.2, 0.2, 0.1)), 'ball': Sphere(0.1), 'disc': Cylinder(0.1, 0.05)}
HANDS = {'ball': Sphere(0.05), 'box': Box((0.1, 0.1, 0.1))}
CORNERS = [(x, y, z) for x in (0.0, 0.1) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]
FACES = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4),
         (1, 5, 7), (1, 7, 3)]
# walls that begin at x = 0
WALLS = {'box': (Box((0.1, 2.0, 2.0)), (0.05, 0.0, 0.0)), 'plane': (HalfSpace((-1.0, 0.0, 0.0), 0.0), (0.0, 0.0, 0.0)),
         'mesh': (TriangleMesh(CORNERS, FACES), (0.0, 0.0, 0.0))}


def pressed(wall, bodies, hand, speed, *, g=0.0, e=0.0, offset=0.0):
    """World in which a hand comes along x with some bodies in a row between it and a wall; their indices."""
    b = WorldBuilder(gravity=(0.0, 0.0, -g))
    shape, place = WALLS[wall]
    b.add_body(shape, kind='static', pos=place, friction=0.3, restitution=e)
    row = [b.add_body(BODIES[name], mass=0.7, pos=(-0.25 - 0.25 * k, 0.0, 0.1), friction=0.3, restitution=e)
           for k, name in enumerate(bodies)]
    b.add_body(HANDS[hand], kind='kinematic', pos=(-0.3 - 0.25 * len(bodies), offset, 0.1), linvel=(speed, 0.0, 0.0),
               friction=0.3, restitution=e)
    if g:
        b.add_body(HalfSpace(), kind='static', friction=0.3)
    return b.build(), row


def depth_in(world, fixed):
    rows = world.contacts()
    return rows['depth'][(rows['body_a'] == fixed) | (rows['body_b'] == fixed)].max(initial=0.0)


@pytest.mark.parametrize('speed', [0.3, 1.0, 5.0])
@pytest.mark.parametrize('hand', HANDS)
@pytest.mark.parametrize('bodies', [('box',), ('ball',), ('disc',), ('box', 'ball')], ids='-'.join)
@pytest.mark.parametrize('wall', WALLS)
def test_nothing_goes_through_the_wall(wall, bodies, hand, speed):
    """Until the hand is through: not in the wall by more than 5 mm, no faster than four times the hand."""
    w, row = pressed(wall, bodies, hand, speed)
    for _ in range(int(1e3 * (1.0 / speed + 0.2))):
        w.step()
        assert depth_in(w, 0) < 5e-3
        assert np.abs(w.linvel[row]).max() < 4.5 * speed
    assert w.pos[row, 0].max() < -0.02


def test_a_bouncing_box_is_squeezed_out():
    w, row = pressed('box', ('box',), 'ball', 3.0, e=0.5, offset=0.03)
    for _ in range(600):
        w.step()
        assert depth_in(w, 0) < 5e-3
    assert np.abs(w.linvel[row]).max() < 6.0


def test_pressed_onto_the_floor():
    """A palm goes down through a drone into the floor: the drone stays on it."""
    b = WorldBuilder(gravity=(0.0, 0.0, -9.80665))
    b.add_body(HalfSpace(), kind='static', friction=0.5)
    drone = b.add_body(BODIES['box'], mass=0.7, pos=(0.0, 0.0, 0.05), friction=0.5)
    b.add_body(Box((0.3, 0.3, 0.02)), kind='kinematic', pos=(0.02, 0.01, 0.3), linvel=(0.0, 0.0, -1.0))
    w = b.build()
    for _ in range(290):
        w.step()
        assert depth_in(w, 0) < 1e-3
        assert np.abs(w.linvel[drone]).max() < 2.0
    assert w.pos[drone, 2] == pytest.approx(0.05, abs=0.06)


def test_a_heap_is_pressed():
    """What time stepping solves obeys the same: a lid comes down on ten plates in a pen."""
    w = plates(10, side=1.2, e=0.0)
    w.step(1500)
    b = WorldBuilder(gravity=(0.0, 0.0, -9.80665))
    b.add_body(HalfSpace(), kind='static')
    for k in range(5, 15):
        b.add_body(Box((0.5, 0.5, 0.15)), mass=0.71, pos=w.pos[k], quat=w.quat[k], inertia=(0.0061, 0.00653, 0.0116))
    top = w.pos[5:, 2].max() + 0.5
    b.add_body(Box((3.0, 3.0, 0.2)), kind='kinematic', pos=(0.0, 0.0, top), linvel=(0.0, 0.0, -0.5))
    lidded = b.build()
    for _ in range(int(1e3 * (top - 0.3) / 0.5)):
        lidded.step()
        assert depth_in(lidded, 0) < 5e-3
        assert np.abs(lidded.linvel).max() < 10.0
