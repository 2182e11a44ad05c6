# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Entities of a scene: states and accelerations against closed forms, bounds against shapes, overlaps against distances
that are known, and bodies that are put elsewhere."""
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scene_worlds import MODEL, TICK, UPRIGHT, ZERO, floor, make_config

from hakoniwa_rigid.engine import Box, Capsule, Compound, ConvexHull, Cylinder, HalfSpace, Part, Sphere, TriangleMesh
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.entities.bounds import BOX, EMPTY, HULL, SPHERE, Bounds, bounds_of
from hakoniwa_rigid.scene.entities.entities import Entities, Filter
from hakoniwa_rigid.scene.errors import EntityError, PoseError, UnknownEntityError
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig, ObjectConfig, Pose, WallConfig

G = 9.80665
YAW = (0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5))


def scene_of(**fields) -> CollisionScene:
    """A simulated and a corrected drone, a box on the floor, one far up, a post, a hand."""
    drones = (DroneConfig('free', MODEL, Pose((0.0, 0.0, 2.0)), 'simulate'),
              DroneConfig('led', MODEL, Pose((3.0, 0.0, 2.0))))
    things = (ObjectConfig('low', Box((0.2, 0.4, 0.6)), 0.5, pose=Pose((0.0, 4.0, 0.3))),
              ObjectConfig('high', Sphere(0.1), 0.2, pose=Pose((0.0, 8.0, 50.0)), com=(0.02, 0.0, 0.0),
                           inertia=(1e-3, 1e-3, 1e-3), angular_velocity=(0.0, 0.0, 5.0)))
    walls = (floor(), WallConfig('post', Box((1.0, 1.0, 2.0)), Pose((6.0, 0.0, 1.0))))
    scene = CollisionScene.from_config(make_config(*drones, objects=things, walls=walls, hands=('right',), **fields))
    scene.advance(0)
    return scene


def run(scene, ticks: int, entities: Entities | None = None, hand: bool = False):
    for _ in range(ticks):
        now = scene.now_ns + TICK
        scene.feed_wrench('free', now, (0.0, 0.0, 2.0 * MODEL.mass * G), ZERO)
        scene.feed_drone('led', now, (3.0 + now * 1e-9, 0.0, 2.0), UPRIGHT)
        if hand:
            scene.feed_hand('right', now, np.linspace((0.0, 9.0, 1.0), (0.2, 9.0, 1.0), 25))
        tick = scene.advance(now)
        if entities is not None:
            entities.look(tick)


def test_states_and_accelerations():
    """Thrust of twice the weight: a = g.  The frame of `high` goes around its centre of mass, which falls."""
    scene = scene_of()
    entities = Entities(scene)
    assert_array_equal(entities.acceleration('free'), np.zeros((2, 3)))
    run(scene, 40, entities)
    linear, angular = entities.acceleration('free')
    assert_allclose(linear, (0.0, 0.0, G), rtol=1e-9, atol=1e-9)
    assert_allclose(angular, 0.0, atol=1e-9)
    motion = entities.motion('high')
    t, angle = scene.now_ns * 1e-9, 5.0 * scene.now_ns * 1e-9
    arm = 0.02 * np.array((np.cos(angle), np.sin(angle), 0.0))
    assert_allclose(motion.position, np.array((0.02, 8.0, 50.0 - 0.5 * G * t * t)) - arm, atol=1e-9)
    assert_allclose(motion.linear_velocity, np.array((0.1 * np.sin(angle), -0.1 * np.cos(angle), -G * t)), atol=1e-9)
    # omega^2 r towards the centre, as a mean over a tick
    linear, angular = entities.acceleration('high')
    assert_allclose(linear, np.array((0.0, 0.0, -G)) + 25.0 * arm, atol=0.02)
    assert_allclose(entities.acceleration('led')[0], 0.0, atol=1e-6)
    assert_array_equal(entities.acceleration('post'), np.zeros((2, 3)))
    assert_allclose(entities.motion('led').linear_velocity, (1.0, 0.0, 0.0), atol=1e-9)
    for name, wall in (('floor', Pose()), ('post', Pose((6.0, 0.0, 1.0)))):
        assert_array_equal(entities.motion(name).position, wall.position)
    with pytest.raises(UnknownEntityError, match="no such drone, object, wall or hand, got 'cat'"):
        entities.motion('cat')


def test_accelerations_are_of_ticks_that_ran_steps():
    scene = scene_of()
    entities = Entities(scene)
    run(scene, 5, entities)
    for _ in range(3):
        entities.look(scene.hold(scene.now_ns + TICK))
    run(scene, 1, entities)
    assert_allclose(entities.acceleration('high')[0][2], -G, rtol=1e-9)
    entities.forget()
    run(scene, 1, entities)
    assert_array_equal(entities.acceleration('high'), np.zeros((2, 3)))


def test_hands_are_there_while_they_are_tracked():
    scene = scene_of()
    entities = Entities(scene)
    assert entities.names() == ('free', 'led', 'low', 'high', 'floor', 'post')
    with pytest.raises(EntityError, match='right: the hand is not in the scene'):
        entities.motion('right')
    run(scene, 60, entities, hand=True)
    assert entities.names()[-1] == 'right' and entities.info('right').category == 'human'
    motion, bounds = entities.motion('right'), entities.bounds('right', BOX)
    assert 0.0 <= motion.position[0] <= 0.2 and abs(motion.position[1] - 9.0) < 0.02
    high, low = bounds.points
    assert (high > low).all() and longest_side(bounds) < 0.4
    assert entities.bounds('right', SPHERE).points[1, 0] >= 0.5 * np.abs(high - low).max()
    assert entities.select(Filter(bounds=Bounds(SPHERE, np.array([(0.1, 9.0, 1.0), (0.01, 0.0, 0.0)])))) == ('right',)
    assert entities.select(Filter(bounds=Bounds(BOX, np.array([(1.0, 9.5, 1.5), (0.5, 8.5, 0.5)])))) == ()


def longest_side(bounds: Bounds) -> float:
    return float(np.abs(bounds.points[0] - bounds.points[1]).max())


TETRAHEDRON = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], dtype=float)


@pytest.mark.parametrize(('shape', 'high', 'low'), [
    (Sphere(0.5), (0.5, 0.5, 0.5), (-0.5, -0.5, -0.5)), (Box((1.0, 2.0, 3.0)), (0.5, 1.0, 1.5), (-0.5, -1.0, -1.5)),
    (Capsule(0.1, 1.0), (0.1, 0.1, 0.6), (-0.1, -0.1, -0.6)), (Cylinder(0.2, 1.0), (0.2, 0.2, 0.5), (-0.2, -0.2, -0.5)),
    (ConvexHull(TETRAHEDRON), (1, 1, 1), (0, 0, 0)),
    (Compound((Part(Box((1.0, 1.0, 1.0)), pos=(2.0, 0.0, 0.0)), Part(Sphere(0.25)))), (2.5, 0.5, 0.5),
     (-0.25, -0.5, -0.5)),
    (TriangleMesh(TETRAHEDRON, np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])), (1, 1, 1), (0, 0, 0)),
])
def test_bounds_hold_the_shape_and_are_no_larger(shape, high, low):
    box = bounds_of(shape, BOX)
    assert box.kind == BOX
    assert_allclose(box.points, (high, low), atol=1e-12)
    ball, hull = bounds_of(shape, SPHERE), bounds_of(shape, HULL)
    corners = hull.points
    assert ball.kind == SPHERE and hull.kind == HULL
    assert_allclose((corners.max(axis=0), corners.min(axis=0)), (high, low), atol=1e-9)
    centre, radius = ball.points[0], ball.points[1, 0]
    smallest = {Sphere: 0.5, Capsule: 0.6, Cylinder: np.sqrt(0.2 ** 2 + 0.5 ** 2), Box: np.sqrt(14.0) / 2.0}
    if type(shape) in smallest:
        assert_allclose(radius, smallest[type(shape)], rtol=1e-12)
    else:
        assert np.sqrt(((corners - centre) ** 2).sum(axis=1)).max() <= radius + 1e-9


def test_corners_are_those_of_the_shape_and_a_plane_has_none():
    assert {tuple(p) for p in bounds_of(ConvexHull(TETRAHEDRON), HULL).points} == {tuple(p) for p in TETRAHEDRON}
    for kind in (BOX, SPHERE, HULL):
        assert bounds_of(HalfSpace(), kind).kind == EMPTY


def test_what_overlaps_by_distances_that_are_known():
    """The drones are boxes of 0.2 x 0.2 x 0.05 m; the post's side is at x = 5.5."""
    scene = scene_of()
    entities = Entities(scene)

    def ball(x, y, z, radius):
        return entities.select(Filter(bounds=Bounds(SPHERE, np.array([(x, y, z), (radius, 0.0, 0.0)]))))

    for gap, expected in ((1e-6, ()), (-1e-6, ('free',))):
        assert ball(0.0, 0.0, 2.0 + 0.025 + 0.3 + gap, 0.3) == expected
    assert ball(5.0, 0.0, 1.0, 0.499) == () and ball(5.0, 0.0, 1.0, 0.501) == ('post',)
    assert ball(0.0, 20.0, 0.1, 0.2) == ('floor',) and ball(0.0, 4.0, 0.3, 0.01) == ('low',)
    box = Bounds(BOX, np.array([(3.05, 1.0, 2.5), (-0.05, -1.0, 1.5)]))
    assert entities.select(Filter(bounds=box)) == ('free', 'led')
    assert entities.select(Filter(text='^f', bounds=box)) == ('free',)
    # where they are now, not where they began
    scene.set_state('low', (0.0, 4.0, 30.0), YAW)
    assert ball(0.0, 4.0, 0.3, 0.1) == () and ball(0.19, 4.0, 30.0, 0.001) == ('low',)


@pytest.mark.parametrize(('kind', 'points', 'says'), [
    (SPHERE, [(0, 0, 0)], 'must have two points'), (SPHERE, [(0, 0, 0), (-1, 0, 0)], 'must have a volume'),
    (BOX, [(0, 0, 0), (1, 1, 0)], 'must have a volume'), (SPHERE, [(0, np.inf, 0), (1, 0, 0)], 'finite'),
    (BOX, np.zeros((3, 3)), 'must have two points'), (BOX, np.zeros((0, 3)), 'must have two points'),
    (SPHERE, [(0, 0, 0), (1e6, 0, 0)], 'within 500000 m'),
])
def test_bounds_that_are_none(kind, points, says):
    with pytest.raises(EntityError, match=f'^bounds: {says}|^bounds: .*{says}'):
        Entities(scene_of()).select(Filter(bounds=Bounds(kind, np.array(points, dtype=float))))


def test_tags_and_categories():
    entities = Entities(scene_of())
    assert entities.info('free').tags == ('drone', 'test', 'simulate')
    assert entities.select(Filter(categories=('static_object',))) == ('floor', 'post')
    assert entities.select(Filter(categories=('',))) == ()
    assert entities.select(Filter(tags=('box', 'plane'))) == ('low', 'floor', 'post')
    assert entities.select(Filter(tags=('box', 'wall'), has_all_tags=True)) == ('post',)
    with pytest.raises(EntityError, match='^tags: must be at most 64'):
        entities.select(Filter(tags=('x',) * 65))
    with pytest.raises(EntityError, match='letters'):
        entities.select(Filter(tags=('x' * 256,)))


def test_a_body_that_sleeps_is_put_elsewhere_and_falls():
    scene = scene_of()
    run(scene, 300)
    body = scene.world.index('low')
    assert scene.world.asleep[body]
    scene.set_state('low', (0.0, 4.0, 5.0), YAW, (0.0, 0.0, 1.0), (0.0, 0.0, 2.0))
    begin = scene.now_ns
    run(scene, 20)
    t = (scene.now_ns - begin) * 1e-9
    motion = scene.motion_of('low')
    assert_allclose(motion.position, (0.0, 4.0, 5.0 + t - 0.5 * G * t * t), atol=1e-9)
    assert_allclose(motion.angular_velocity, (0.0, 0.0, 2.0), atol=1e-9)


def test_a_part_of_a_state_leaves_the_rest():
    scene = scene_of()
    run(scene, 20)
    before = scene.motion_of('high')
    scene.set_state('high', linear_velocity=(1.0, 2.0, 3.0))
    after = scene.motion_of('high')
    assert_allclose(np.concatenate(after), np.concatenate([*before[:2], (1.0, 2.0, 3.0), before[3]]), atol=1e-12)
    run(scene, 1)
    scene.set_state('free', (1.0, 1.0, 1.0))
    shown = scene.motion_of('free')
    assert_array_equal(shown.position, (1.0, 1.0, 1.0))
    assert_allclose(shown.linear_velocity[2], G * 0.1 + G * TICK * 1e-9, rtol=0.1)
    # it is shown where it is, while the scene stands still, too
    tick = scene.hold(scene.now_ns + TICK)
    assert_array_equal(tick.states.positions[0], (1.0, 1.0, 1.0))


@pytest.mark.parametrize(('arguments', 'kind', 'says'), [
    (('led', ZERO), EntityError, "led: its motion is its simulator's"), (('post', ZERO), EntityError, 'a wall never'),
    (('right', ZERO), EntityError, 'right: a hand is where its tracker'), (('cat', ZERO), UnknownEntityError, "'cat'"),
    (('low', (np.nan, 0.0, 0.0)), PoseError, 'position: must be finite'), (('low', (0.0, 0.0)), PoseError, 'three'),
    (('low', ZERO, (0.0, 0.0, 0.0, 2.0)), PoseError, 'of length 1'), (('low', 'up'), PoseError, 'must be three'),
    (('low', None, (0.0,)), PoseError, 'orientation: must be four'),
    (('low', ZERO, None, (2e3, 0.0, 0.0)), EntityError, 'linear velocity: must be finite and at most 1000 m/s'),
    (('low', None, None, None, (0.0, 0.0, 1e9)), EntityError, 'angular velocity: must be finite and at most 2000'),
])
def test_what_cannot_be_put_elsewhere_stays(arguments, kind, says):
    scene = scene_of()
    run(scene, 2)
    before = scene.state_hash()
    with pytest.raises(kind, match=says):
        scene.set_state(*arguments)
    assert scene.state_hash() == before


def test_a_drone_that_takes_no_part_yet():
    with pytest.raises(EntityError, match='free: it takes no part at present'):
        scene_of().set_state('free', ZERO)


def test_equal_calls_give_equal_bits():
    hashes = []
    for _ in range(2):
        scene = scene_of()
        run(scene, 5)
        scene.set_state('low', (0.1, 4.0, 0.29), YAW, (1.0, 0.0, -1.0), (0.1, 0.2, 0.3))     # into the floor
        scene.set_state('free', (0.0, 0.0, 1.0), YAW)
        run(scene, 60)
        hashes.append(scene.state_hash())
    assert hashes[0] == hashes[1]
