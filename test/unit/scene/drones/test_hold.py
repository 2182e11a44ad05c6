# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""CollisionScene.hold: time goes on, nothing moves."""
from dataclasses import replace

from numpy.testing import assert_array_equal
from scene_worlds import MODEL, MS, TICK, UPRIGHT, ZERO, floor, make_scene

from hakoniwa_rigid.engine import Box, Sphere
from hakoniwa_rigid.scene.world_files.world_types import MaterialConfig, ObjectConfig, Pose

BALL = ObjectConfig('ball', Sphere(0.1), 0.5, pose=Pose((0.0, 0.0, 0.3)), material=MaterialConfig('ball', 0.7, 0.0))
SMALL = replace(MODEL, shape=Box((0.1, 0.1, 0.05)))
SECOND = 1000 * MS


def bouncing():
    return make_scene(walls=[floor()], objects=[BALL], gravity=(0.0, 0.0, -9.80665))


def test_a_hold_changes_nothing_but_stamps():
    """The ball bounces on as if there had been none: the same bits, later by the hold."""
    held, free = bouncing(), bouncing()
    for k in range(1, 60):
        tick, same = held.advance(k * TICK), free.advance(k * TICK)
    assert_array_equal(held.object_pose('ball')[0], free.object_pose('ball')[0])
    for k in range(1, 201):
        now = 59 * TICK + k * TICK
        tick = held.hold(now)
        assert (tick.stamp_ns, tick.steps, tick.overrun_steps, tick.events) == (now, 0, 0, ())
    for k in range(60, 200):
        tick, same = held.advance(k * TICK + SECOND), free.advance(k * TICK)
        assert tick.overrun_steps == 0
        assert tick.stamp_ns == same.stamp_ns + SECOND
        assert [(e.phase, e.impulse) for e in tick.events] == [(e.phase, e.impulse) for e in same.events]
        for a, b in zip(held.object_pose('ball'), free.object_pose('ball'), strict=True):
            assert_array_equal(a, b)


def test_the_first_stamp_may_be_that_of_a_hold():
    scene = make_scene('d0')
    scene = type(scene).from_config(scene.config)
    assert scene.hold(7 * TICK).stamp_ns == 7 * TICK
    assert scene.advance(8 * TICK).steps == 5


def moved_in_a_hold(release):
    """A fist goes 0.3 m from one side of a drone to the other while time stands still; the events after that.  What is
    not released has to catch up, slowly, through the drone."""
    scene, events = make_scene('d0', hands=['right'], model=SMALL), []
    for k in range(1, 240):
        now, y = k * TICK, -0.15 if k < 40 else 0.15 if k >= 100 else -0.15 + 0.3 * (k - 40) / 60
        scene.feed_drone('d0', now, (0.0, 0.0, 1.0), UPRIGHT, ZERO, ZERO)
        scene.feed_hand('right', now, [(0.0, y, 1.0)], radii=[0.03])
        if k == 110 and release:
            scene.release_hands()
        tick = scene.hold(now) if 40 <= k < 110 else scene.advance(now)
        events += tick.events
    return events, tick


def test_a_hand_that_moved_in_a_hold_strikes_nothing():
    events, tick = moved_in_a_hold(release=True)
    assert not events
    assert tick.hands[0].enabled[0]
    assert moved_in_a_hold(release=False)[0]
