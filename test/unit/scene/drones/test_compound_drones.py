# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Drones and walls in parts: which part touched, with what impulse; and how near drones come to what they miss."""
import math

import pytest
from numpy.testing import assert_allclose
from scene_worlds import MODEL, TICK, UPRIGHT, ZERO, events_of, fly, make_scene, wall_x

from hakoniwa_rigid.engine import Box, Compound, Cylinder, Part, Sphere
from hakoniwa_rigid.scene import Kind, Phase
from hakoniwa_rigid.scene.world_files.world_types import DroneModel, MaterialConfig, ObjectConfig, Pose, WallConfig

ARM, RADIUS = 0.18, 0.076
SIDES = {'front_left': (1, 1), 'front_right': (1, -1), 'rear_right': (-1, -1), 'rear_left': (-1, 1)}
SHAPE = Compound((Part(Box((0.14, 0.14, 0.03)), name='base'),
                  *(Part(Cylinder(RADIUS, 0.03), (ARM * x, ARM * y, 0.0), name=name)
                    for name, (x, y) in SIDES.items())))
QUAD = DroneModel('quad', MODEL.mass, MODEL.inertia, SHAPE, material=MODEL.material)
FREE = {'gravity': (0.0, 0.0, 0.0), 'model': QUAD}


def test_the_rotor_that_touches_is_named_and_turns_the_drone():
    """The left rotor alone meets a box, y = 0.18 m off the centre: j = (1 + e) v / (1/m + y^2 / I_zz), e = 0.5."""
    block = WallConfig('block', Box((0.2, 0.4, 4.0)), Pose((0.6, 0.25, 0.0)), MaterialConfig('hard', 0.0, 0.0))
    scene = make_scene('d0', walls=[block], **FREE)
    plan = fly(scene, 'd0', lambda t: ((2.0 * t, 0, 0), (2.0, 0, 0)), 0, 26 * TICK)
    begin = events_of(plan)[0]
    assert (begin.phase, begin.body_a, begin.part_a, begin.body_b, begin.part_b) == (
        Phase.BEGIN, 'block', '', 'd0', 'front_left')
    assert begin.stamp_ns == round((0.5 - ARM - RADIUS) / 2.0 * 1e9)
    j = 1.5 * 2.0 / (1.0 / QUAD.mass + ARM ** 2 / QUAD.inertia[2])
    assert_allclose(begin.impulse, (-j, 0, 0), atol=1e-9)
    assert_allclose(begin.delta_omega_b, (0, 0, ARM * j / QUAD.inertia[2]), atol=1e-6)
    assert_allclose(begin.position, (0.5, ARM, 0.0), atol=1e-6)


def test_what_passes_between_two_rotors_touches_nothing():
    """A thin pole between the front rotors, clear of the base, is inside the box around the drone and is not hit."""
    pole = WallConfig('pole', Cylinder(0.01, 4.0), Pose((0.16, 0.0, 0.0)))
    scene = make_scene('d0', walls=[pole], **FREE)
    ticks = fly(scene, 'd0', lambda t: ((0, 0, t - 0.5), (0, 0, 1.0)), 0, 200 * TICK)
    assert not events_of(ticks)


def test_parts_of_walls_and_objects_are_named():
    gate = Compound((Part(Box((0.1, 0.1, 2.0)), (0.0, 1.0, 0.0), name='left'),
                     Part(Compound((Box((0.1, 0.1, 2.0)),)), (0.0, -1.0, 0.0), name='right')))
    scene = make_scene(walls=[WallConfig('gate', gate, Pose((1.0, 0.0, 0.0)))], **FREE, objects=[
        ObjectConfig('ball', Sphere(0.1), 1.0, None, Pose((0.0, y, 0.0)), (5.0, 0.0, 0.0)) for y in (-1.0,)])
    events = events_of([scene.advance(k * TICK) for k in range(1, 60)])
    assert (events[0].kind, events[0].part_a, events[0].body_b, events[0].part_b) == (
        Kind.OBJECT_WALL, '', 'gate', 'right/part0')


def test_a_drone_in_one_piece_is_called_body():
    scene = make_scene('d0', walls=[wall_x(0.5)], gravity=ZERO)
    events = events_of(fly(scene, 'd0', lambda t: ((2.0 * t, 0, 0), (2.0, 0, 0)), 0, 60 * TICK))
    assert {(e.part_a, e.part_b) for e in events} == {('body', '')}


def test_clearances_of_every_tick():
    """A fly-by of a pole: the clearance is the distance of two circles in the plane, until it is beyond the limit."""
    pole = WallConfig('pole', Cylinder(0.1, 4.0), Pose((0.0, 0.7, 0.0)))
    scene = make_scene('d0', 'd1', 'd2', walls=[pole], scene={'proximity': 0.5}, **FREE)
    nearest = math.inf
    for now in range(0, 100 * TICK, TICK):
        x = -0.5 + 2.0 * now * 1e-9
        scene.feed_drone('d0', now, (x, 0, 0), UPRIGHT, (2.0, 0, 0), ZERO)
        scene.feed_drone('d1', now, (9.0, 0, 0), UPRIGHT, ZERO, ZERO)
        tick = scene.advance(now + TICK)
        x += 2.0 * TICK * 1e-9
        gap = min(math.hypot(0.7 - ARM, abs(s * ARM - -x)) for s in (-1, 1)) - RADIUS - 0.1
        near = tick.proximity
        assert near.others == ('pole' if gap <= 0.5 else '', '', '')
        assert_allclose(near.clearances, (gap if gap <= 0.5 else math.inf, math.inf, math.inf), atol=1e-9)
        nearest = min(nearest, gap)
    assert nearest == pytest.approx(0.7 - ARM - RADIUS - 0.1, abs=1e-12)


def test_no_clearances_unless_asked_for():
    assert make_scene('d0', **FREE).advance(TICK).proximity is None
