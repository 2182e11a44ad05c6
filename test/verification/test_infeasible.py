# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A body between a wall and a hand that comes nearer than there is room: no solution, so it has to stay
sane and cheap."""
import numpy as np
import pytest

from hakoniwa_rigid.engine import Box, Compound, Cylinder, HalfSpace, Sphere, WorldBuilder

SHAPES = {
    'cube': Box((0.2, 0.2, 0.2)),
    'ball': Sphere(0.1),
    'drone': Compound([(Box((0.2, 0.1, 0.1)), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)),
                       (Cylinder(0.06, 0.02), (0.0, 0.1, 0.05), (1.0, 0.0, 0.0, 0.0)),
                       (Cylinder(0.06, 0.02), (0.0, -0.1, 0.05), (1.0, 0.0, 0.0, 0.0))]),
}


def pressed(shape, speed, restitution=0.5, friction=0.5):
    """A hand (sphere of 0.05 m) at `speed`, m/s, from the left; a wall 0.1 m to the right of the body's surface."""
    b = WorldBuilder(gravity=(0.0, 0.0, 0.0))
    how = {'restitution': restitution, 'friction': friction}
    b.add_body(HalfSpace((-1.0, 0.0, 0.0), -0.2), kind='static', **how)
    body = b.add_body(shape, mass=0.5, **how)
    hand = b.add_body(Sphere(0.05), kind='kinematic', pos=(-0.2, 0.01, 0.004), linvel=(speed, 0.0, 0.0), **how)
    return b.build(), body, hand


@pytest.mark.parametrize('speed', [0.2, 1.0, 2.2])
@pytest.mark.parametrize('shape', SHAPES)
def test_a_squeezed_body_takes_few_events_a_step_and_no_wild_speed(shape, speed):
    w, body, hand = pressed(SHAPES[shape], speed)
    events, last = [], w.stats()
    for _ in range(round(0.45 / speed / 1e-3)):
        w.step(1)
        now = w.stats()
        if now.unsolved > last.unsolved:
            events.append(now.impact_events - last.impact_events)
        last = now
        assert np.isfinite(w.pos).all()
        assert np.linalg.norm(w.linvel[body]) < 5.0 * speed
    assert len(events) > 5
    # the first is a body that goes to and fro faster and faster, up to the cap; then it is stuck
    assert np.mean(events[1:]) < 2.0
    assert np.linalg.norm(w.angvel[body]) < 100.0


@pytest.mark.parametrize('shape', SHAPES)
def test_it_comes_free_when_the_hand_goes_back(shape):
    speed = 0.5
    w, body, hand = pressed(SHAPES[shape], speed)
    w.step(round(0.32 / speed / 1e-3))
    w.set_state(hand, linvel=(-speed, 0.0, 0.0))
    w.step(1500)
    # outside the wall, at a speed that the hand could have given it
    assert w.pos[body][0] < 0.2 - 0.03
    assert np.linalg.norm(w.linvel[body]) < 3.0 * speed
    near = w.contacts()
    assert not len(near) or near['depth'].max() < 1e-6


def test_a_pushed_body_between_walls_that_give_room_is_not_squeezed():
    """A hand that pushes a ball along a wall, and one that carries a box: driven, but solvable to the last digit."""
    b = WorldBuilder(gravity=(0.0, 0.0, -9.81))
    b.add_body(HalfSpace(), kind='static', restitution=0.0, friction=0.0)
    box = b.add_body(Box((0.2, 0.2, 0.2)), mass=0.5, pos=(0.0, 0.0, 0.1), restitution=0.0, friction=0.0)
    b.add_body(Box((0.1, 0.2, 0.1)), kind='kinematic', pos=(-0.2, 0.0, 0.1), linvel=(0.5, 0.0, 0.0), restitution=0.0)
    w = b.build()
    w.step(1000)
    assert w.stats().unsolved == 0
    assert abs(w.pos[box][0] - 0.45) < 1e-9
    assert abs(w.linvel[box][0] - 0.5) < 1e-9
