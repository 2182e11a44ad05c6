# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a hand is: its palm, the box of a head, sizes, names, missing joints, and the keys of world files."""
import math
from dataclasses import replace

import numpy as np
import pytest
from hand_worlds import FRAME, flat_hand, half_thickness, held, run
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scene_worlds import MS, TICK, UPRIGHT, ZERO, events_of
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.engine import Box, Sphere
from hakoniwa_rigid.scene import CollisionScene, Verdict, WorldFileError
from hakoniwa_rigid.scene.hands.hand_layouts import FALLBACK_RADII, layout_of
from hakoniwa_rigid.scene.hands.hands import BOX
from hakoniwa_rigid.scene.world_files.world_file import load, parse
from hakoniwa_rigid.scene.world_files.world_types import (
    DroneConfig,
    DroneModel,
    FilterConfig,
    HandConfig,
    MaterialConfig,
    Pose,
)
from hakoniwa_rigid.scene.world_files.world_writer import write
from hakoniwa_rigid.scene.world_files.yaml_node import read_yaml

HANDS = (21, 25, 26)
BALL = DroneModel('ball', 1.0, (1e-5,) * 3, Sphere(0.003), material=MaterialConfig('hull', 0.5, 0.0))


@pytest.fixture(scope='module')
def scene():
    return held(None)


def box_of(scene, joints, **hand):
    """The box of a hand that has just come to these joints, and its velocities in the engine."""
    scene.reset()
    now = (scene.now_ns or 0) + TICK
    scene.feed_hand('right', now, joints, **hand)
    return scene.advance(now + TICK).hands[0]


def in_box(box, points):
    """Points (N,3) in the axes of a box, about its centre."""
    return Rotation.from_quat(box.orientation_xyzw).inv().apply(points - box.position)


@pytest.mark.parametrize('joints', HANDS)
def test_the_palm_reaches_from_the_wrist_to_the_knuckles(scene, joints):
    """The box around the balls of wrist and knuckles, as thick as the joints in it; the hand lies in its middle."""
    flat, layout = flat_hand(joints), layout_of(joints)
    box = box_of(scene, flat).box
    assert box.part == 'palm'
    outline, radii = flat[layout.palm.outline], layout.radii[layout.palm.outline, None]
    low, high = (outline - radii).min(axis=0), (outline + radii).max(axis=0)
    local = in_box(box, outline)
    assert_allclose(np.abs(local[:, 2]), 0, atol=1e-12)
    assert_allclose(box.size[2], 2 * half_thickness(joints), rtol=1e-12)
    assert ((np.abs(local) + radii)[:, :2] <= 0.5 * box.size[:2] + 1e-9).all()
    # its axes are those of the mean knuckle, 4 degrees off the middle finger
    assert_allclose(box.size[:2], (high - low)[:2], rtol=0.1)


@settings(max_examples=30, deadline=None)
@given(st.tuples(*[st.floats(-3, 3)] * 3), st.tuples(*[st.floats(-5, 5)] * 3), st.sampled_from(HANDS))
def test_the_palm_goes_with_the_hand(scene, turn, shift, joints):
    """Turned and moved, it is the same box, turned and moved."""
    rotation = Rotation.from_rotvec(turn)
    still, moved = (box_of(scene, j).box for j in (flat_hand(joints), rotation.apply(flat_hand(joints)) + shift))
    assert_allclose(moved.size, still.size, rtol=1e-9)
    assert_allclose(moved.position, rotation.apply(still.position) + shift, atol=1e-9)
    back = (rotation * Rotation.from_quat(still.orientation_xyzw)).inv() * Rotation.from_quat(moved.orientation_xyzw)
    assert back.magnitude() < 1e-7


def test_there_are_no_gaps_between_the_metacarpals():
    """Small balls over the whole palm, 5 cm above its plane: all are as far from it as from a plate."""
    outline = flat_hand()[layout_of(25).palm.outline]
    shares = np.random.default_rng(3).dirichlet(np.ones(len(outline)), 40)
    model, places = BALL, shares @ outline + (0, 0, 0.05)
    drones = tuple(DroneConfig(f'd{k}', model, Pose(tuple(p)), 'simulate') for k, p in enumerate(places))
    scene = CollisionScene.from_config(replace(held(None).config, drones=drones, gravity=ZERO,
                                               filters=FilterConfig(off=('drone_drone',))))
    scene.advance(0)
    for drone in drones:
        scene.feed_drone(drone.name, 0, drone.pose.position, UPRIGHT, ZERO, ZERO)
    scene.feed_hand('right', 0, flat_hand())
    scene.advance(TICK)
    clearances = scene.clearances(0.1).clearances
    assert_allclose(clearances, 0.05 - 0.003 - half_thickness(), atol=1e-9)


@pytest.mark.parametrize('joints', HANDS)
def test_without_a_joint_of_its_outline_the_bones_take_its_place(scene, joints):
    flat, layout = flat_hand(joints), layout_of(joints)
    body = [scene.world.index(f'right/{k}') for k in range(len(layout.bones))]
    hand = box_of(scene, flat)
    assert hand.box is not None and hand.enabled.all()
    assert scene._hands['right'].shown[:len(body)].tolist() == (~layout.palm.inside).tolist()
    for missing in layout.palm.outline:
        broken = flat.copy()
        broken[missing] = np.nan
        hand = box_of(scene, broken)
        lost = (layout.bones == missing).any(axis=1)
        assert hand.box is None and hand.enabled.tolist() == (~lost).tolist()
        assert scene._hands['right'].shown[:len(body)].tolist() == (~lost).tolist()


@pytest.mark.parametrize('joints', [
    np.linspace((0, 0, 0), (0.2, 0, 0), 25),            # on a line
    flat_hand() * 0.1,                                  # 2 cm long
    flat_hand() + np.outer(np.arange(25) % 2, (0, 0, 0.07)),    # every other knuckle out of its plane
    flat_hand() * 11.0])                                # a palm of more than 1 m
def test_what_is_no_palm_has_none(scene, joints):
    hand = box_of(scene, joints)
    assert hand.box is None and hand.enabled.all()


@pytest.mark.parametrize('far', [1.5, 1e3, 4e5])
def test_joints_that_are_absurdly_far_apart_make_no_bones(scene, far):
    """The engine has no capsule of that length: nothing may be raised by what a tracker says."""
    joints = flat_hand()
    joints[9], joints[14] = (far, 0, 0), (-far, 0, 0)
    assert np.flatnonzero(~box_of(scene, joints).enabled).tolist() == [8, 13]
    joints[6] = (0, far, 0)
    hand = box_of(scene, joints)
    assert hand.box is None and np.flatnonzero(~hand.enabled).tolist() == [5, 6, 8, 13]


def test_a_lost_knuckle_under_a_resting_drone_is_no_kick():
    """Bones 5 mm thicker than the palm come up under the drone, and go: it is parted from them, not thrown."""
    model = DroneModel('plate', 0.7, (0.006,) * 3, Box((0.2, 0.2, 0.05)), material=MaterialConfig('hull', 0.5, 0.5))
    scene = held(DroneConfig('d0', model, authority='simulate'))
    scene.feed_drone('d0', 0, (0.06, 0, half_thickness() + 0.025), UPRIGHT, ZERO, ZERO)
    ticks = run(scene, 500 * MS, lambda t: flat_hand())
    broken = flat_hand()
    broken[layout_of(25).palm.outline[1]] = np.nan
    ticks += run(scene, 600 * MS, lambda t: broken, start_ns=500 * MS)
    ticks += run(scene, 1500 * MS, lambda t: flat_hand(), start_ns=600 * MS)
    v = np.array([np.linalg.norm(t.states.linear_velocities[0]) for t in ticks])
    assert v[20:100].max() < 1e-3
    # back down by 5 mm: no faster than a fall
    assert v[100:].max() < np.sqrt(2 * 9.81 * 0.006) + 0.02
    assert v[-40:].max() < 1e-3


def placed_by(joints):
    """Centre (m) and axes (columns x, y, z) of the palm of 25 joints, in numpy."""
    outline, radii = joints[layout_of(25).palm.outline], FALLBACK_RADII[layout_of(25).palm.outline, None]
    arms = outline[1:] - outline[0]
    z = np.cross(arms[:-1], arms[1:]).sum(axis=0)
    z /= np.linalg.norm(z)
    x = arms.mean(axis=0) - arms.mean(axis=0) @ z * z
    axes = np.column_stack([x / np.linalg.norm(x), np.cross(z, x / np.linalg.norm(x)), z])
    local, radii = outline @ axes, radii * (1, 1, 0)
    return axes @ (0.5 * ((local - radii).min(axis=0) + (local + radii).max(axis=0))), axes


def test_a_moving_palm_moves_as_its_joints_do(scene):
    """Turning at 3 rad/s and moving: velocity of its centre, angular velocity; and at the end of every tick it is where
    the joints are, so that the next one begins without a jump."""
    scene.reset()
    body = scene.world.index(f'right/{BOX}')
    rate, v = np.array([0.5, -1.0, 2.8]), np.array([0.4, 0.2, -0.1])
    begin = scene.now_ns

    def joints_at(t):
        return Rotation.from_rotvec(rate * t).apply(flat_hand()) + v * t

    fed = begin
    for now in range(begin, begin + 500 * MS, TICK):
        while fed <= now:
            scene.feed_hand('right', fed, joints_at((fed - begin) * 1e-9))
            fed += FRAME
        box = scene.advance(now + TICK).hands[0].box
        if now > begin:
            centre, axes = placed_by(scene._hands['right'].tracking.joints)
            assert_allclose(box.position, centre, atol=1e-12)
            assert (Rotation.from_quat(box.orientation_xyzw).inv() * Rotation.from_matrix(axes)).magnitude() < 1e-7
    arm = box.position - v * (now + TICK - begin) * 1e-9
    # as with the bones, the smoothed velocity trails the turning by about a frame
    assert_allclose(np.linalg.norm(scene.world.angvel[body]), np.linalg.norm(rate), rtol=0.05)
    assert_allclose(scene.world.linvel[body], v + np.cross(rate, arm), atol=0.03)


def test_radii_make_the_palm_thicker(scene):
    radii = FALLBACK_RADII * 1.5
    assert_allclose(box_of(scene, flat_hand(), radii=radii).box.size[2], 3 * half_thickness(), rtol=1e-12)
    radii[::2] = np.nan, *[0.0] * 12
    assert box_of(scene, flat_hand(), radii=radii).box.size[2] > 2 * half_thickness()


# heads

HEAD = HandConfig('right', shape=Box((0.3, 0.2, 0.1)))


def test_a_head_with_a_box_has_the_pose_it_is_given():
    scene = held(None, HEAD)
    q = Rotation.from_rotvec((0.3, -0.5, 2.0))
    box = box_of(scene, [[1, 2, 3]], orientations=[q.as_quat()]).box
    assert box.part == 'box'
    assert_allclose(box.size, HEAD.shape.size)
    assert_allclose(box.position, (1, 2, 3), atol=1e-12)
    assert (Rotation.from_quat(box.orientation_xyzw) * q.inv()).magnitude() < 1e-9
    box = box_of(scene, [[1, 2, 3]]).box    # without an orientation it is upright
    assert_allclose(np.abs(box.orientation_xyzw), UPRIGHT, atol=1e-12)


@pytest.mark.parametrize(('orientation', 'verdict'), [
    ((0, 0, 0, 2.0), Verdict.NON_UNIT_QUATERNION), ((0, 0, 0, 0.0), Verdict.NON_UNIT_QUATERNION),
    ((0, np.nan, 0, 1.0), Verdict.NOT_FINITE), ((0, 0, 1.0), Verdict.WRONG_SIZE)])
def test_a_head_with_a_box_needs_an_orientation_that_is_one(orientation, verdict):
    scene = held(None, HEAD)
    assert scene.feed_hand('right', 0, [[0, 0, 1]], orientations=[orientation]) is verdict
    assert scene.counters == {(str(verdict), 'right'): 1}
    assert scene.advance(TICK).hands[0].box is None


def test_a_turning_head_strikes_with_the_speed_of_its_corner():
    """A bar turns about its middle at 4 rad/s and meets a light ball, r m off: omega r is the speed of the impact."""
    rate, reach = 4.0, 0.4
    hand = HandConfig('right', shape=Box((1.0, 0.04, 0.04)), effective_mass=math.inf)
    model = DroneModel('ball', 0.5, (0.01,) * 3, Sphere(0.05), material=MaterialConfig('hull', 0.0, 0.0))
    scene = held(DroneConfig('d0', model, authority='simulate'), hand, friction=0.0, gravity=ZERO)
    scene.feed_drone('d0', 0, (reach, 0, 0), UPRIGHT, ZERO, ZERO)
    ticks, fed = [], 0
    for now in range(0, 600 * MS, TICK):
        while fed <= now:
            angle = rate * fed * 1e-9 - 1.5
            q = Rotation.from_rotvec((0, 0, angle)).as_quat()
            scene.feed_hand('right', fed, [[0, 0, 0]], orientations=[q])
            fed += FRAME
        ticks.append(scene.advance(now + TICK))
        body = scene.world.index(f'right/{BOX}')
        if now == 200 * MS:
            assert_allclose(scene.world.angvel[body], (0, 0, rate), rtol=0.05, atol=1e-6)
    begin = events_of(ticks)[0]
    assert begin.part_b == 'box'
    assert_allclose(np.linalg.norm(begin.delta_v_a), rate * np.hypot(*begin.position[:2]), rtol=0.05)


def test_the_sphere_of_a_head_has_the_radius_of_its_shape():
    scene = held(None, HandConfig('right', shape=Sphere(0.12)))
    assert box_of(scene, [[0, 0, 1]]).radii.tolist() == [0.12]
    assert box_of(scene, [[0, 0, 1]], radii=[0.2]).radii.tolist() == [0.2]
    hand = box_of(scene, flat_hand())       # of a single pose only
    assert hand.box.part == 'palm' and hand.radii.max() < 0.03


def test_a_hand_that_changes_what_it_is(scene):
    """A hand, a controller, a hand again: each is there alone."""
    for joints in (25, 1, 21, 1, 26):
        hand = box_of(scene, flat_hand(joints))
        assert len(hand.parts) == len(layout_of(joints).bones)
        assert (hand.box is None) == (joints == 1)


# world files

def config(text, tmp_path):
    path = tmp_path / 'world.yaml'
    path.write_text(f'hands:\n  - {{name: right, {text}}}\n')
    return parse(read_yaml(path))


@pytest.mark.parametrize('text', [
    'shape: {type: sphere, radius: 0.15}', 'shape: {type: box, size: [0.3, 0.3, 0.3]}', 'effective_mass: 1.5',
    'effective_mass: .inf', 'effective_mass: 0.4, shape: {type: box, size: [0.1, 0.2, 0.3]}, radius_scale: 1.2'])
def test_keys_are_read_and_written(text, tmp_path):
    world = config(text, tmp_path)
    again = tmp_path / 'again.yaml'
    again.write_text(write(world))
    assert load(again).hands == world.hands
    assert world.hands[0] != HandConfig('right')


@pytest.mark.parametrize(('text', 'message'), [
    ('effective_mass: 0', r'hands\[0\].effective_mass: must be > 0, got 0'),
    ('effective_mass: heavy', r'hands\[0\].effective_mass: must be a number'),
    ('effective_mass: -.inf', r'hands\[0\].effective_mass: must be finite'),
    ('effective_mass: .nan', r'hands\[0\].effective_mass: must be finite'),
    ('shape: {type: cone, radius: 0.1, height: 0.1}', r'hands\[0\].shape.type: a tracked pose is a sphere or a box'),
    ('shape: {type: box, size: [0.1, 0, 0.1]}', r'hands\[0\].shape.size'),
    ('shape: {type: sphere, radius: 0.1, size: 3}', r'hands\[0\].shape.size: unknown key'),
    ('mass: 3', r'hands\[0\].mass: unknown key')])
def test_wrong_keys_are_named(text, message, tmp_path):
    with pytest.raises(WorldFileError, match=message):
        config(text, tmp_path)
