# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Every tracker's messages through an adapter to the scene: joints by order and by name, axes, single poses, Twists."""
from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from adapters import make_adapter, make_settings
from hand_worlds import flat_hand
from numpy.testing import assert_allclose
from scene_worlds import MS, TICK
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.engine import Box
from hakoniwa_rigid.scene.hands.hand_layouts import LAYOUTS, layout_of
from hakoniwa_rigid.scene.inputs.hand_samples import HandSample, JointsError, in_order
from hakoniwa_rigid.scene.world_files.world_types import HandConfig

FINGERS = ('thumb', 'index', 'middle', 'ring', 'pinky')
XR_PARTS = ('metacarpal', 'proximal', 'intermediate', 'distal', 'tip')


def _xr(form, little='pinky'):
    return [form(finger if finger != 'pinky' else little, part) for finger in FINGERS for part in XR_PARTS
            if (finger, part) != ('thumb', 'intermediate')]


def _webxr(finger, part):
    owner = finger if finger == 'thumb' else f'{finger}-finger'
    return f'{owner}-{part}' if part in ('metacarpal', 'tip') else f'{owner}-phalanx-{part}'


# names as the standards have them: WebXR Hand Input, XrHandJointEXT, Unity's XRHandJointID, MediaPipe's HandLandmark
NAMES = {
    'webxr': ['wrist', *_xr(_webxr)],
    'openxr': [f'XR_HAND_JOINT_{n}_EXT' for n in ('PALM', 'WRIST', *_xr(lambda f, p: f'{f}_{p}'.upper(), 'little'))],
    'unity': ['Palm', 'Wrist', *_xr(lambda f, p: f.title() + p.title(), 'little')],
    'mediapipe': ['WRIST', 'THUMB_CMC', 'THUMB_MCP', 'THUMB_IP', 'THUMB_TIP',
                  *(f'{f}_{p}' for f in ('INDEX_FINGER', 'MIDDLE_FINGER', 'RING_FINGER', 'PINKY')
                    for p in ('MCP', 'PIP', 'DIP', 'TIP'))]}
# a point of ROS's x forward, y left, z up in each tracker's axes
SEEN = {'ros': lambda x, y, z: (x, y, z), 'webxr': lambda x, y, z: (-y, z, -x), 'unity': lambda x, y, z: (-y, z, x)}
TURN = Rotation.from_rotvec((0.4, -0.7, 1.9))
PLACE = np.array((0.5, -1.5, 1.2))


def seen(axes, points):
    """Points (N,3) in a tracker's axes."""
    return np.array([SEEN[axes](*p) for p in points])


def seen_turn(axes, turn):
    """A rotation in a tracker's axes, mirrored ones too."""
    change = seen(axes, np.eye(3)).T
    return Rotation.from_matrix(change @ turn.as_matrix() @ change.T).as_quat()


def xyz(v):
    return SimpleNamespace(x=float(v[0]), y=float(v[1]), z=float(v[2]))


def pose(p, q=(0.0, 0.0, 0.0, 1.0)):
    orientation = SimpleNamespace(x=float(q[0]), y=float(q[1]), z=float(q[2]), w=float(q[3]))
    return SimpleNamespace(position=xyz(p), orientation=orientation)


class Trackers:
    """An adapter with one hand, which is given messages as objects."""

    def __init__(self, kind='hand_joints', hand=None, node=None, **values):
        self.reported, settings = [], make_settings(hands=['right'], node=node)
        world = replace(settings.world, hands=(hand or HandConfig('right'),))
        hands = {'right': {**settings.hands['right'], 'type': kind, **values}}
        reader = SimpleNamespace(read=lambda data: self.reported[-1])
        types = ('hakoniwa_rigid/msg/HandJoints', 'geometry_msgs/msg/PoseArray', 'geometry_msgs/msg/PoseStamped',
                 'geometry_msgs/msg/Twist')
        self.adapter = make_adapter(replace(settings, world=world, hands=hands), readers=dict.fromkeys(types, reader))
        self.scene, self.now = self.adapter.scene, 0

    def say(self, frame='', stamp=None, **fields):
        """A message now, and the hand after the next tick."""
        self.now += 4 * TICK
        stamp = self.now if stamp is None else stamp
        header = SimpleNamespace(stamp=SimpleNamespace(sec=0, nanosec=stamp), frame_id=frame)
        self.reported.append(SimpleNamespace(header=header, **fields))
        topic = next(t for t in self.adapter.topics if t.source.key == 'right')
        self.adapter.deliver(topic, bytes(16), self.now)
        self.adapter.flush()
        self.scene.advance(self.now)
        return self.scene.advance(self.now + MS).hands[0]

    def joints(self, positions, names=(), radii=(), is_valid=(), **more):
        return self.say(hand='', names=list(names), poses=[pose(p) for p in positions], radii=list(radii),
                        is_valid=list(is_valid), **more)


def bones_of(joints):
    layout = layout_of(len(joints))
    return joints[layout.bones].mean(axis=1)


def hand_at(joints):
    return TURN.apply(flat_hand(joints)) + PLACE


SIZES = {'webxr': 25, 'openxr': 26, 'unity': 26, 'mediapipe': 21}


@pytest.mark.parametrize('axes', SEEN)
@pytest.mark.parametrize('joints', [21, 25, 26])
def test_poses_in_order_and_in_any_axes(joints, axes):
    """Also a left-handed frame: a right hand stays one."""
    there, trackers = hand_at(joints), Trackers('pose_array', axes=axes)
    hand = trackers.say(poses=[pose(p) for p in seen(axes, there)])
    assert_allclose(hand.positions, bones_of(there), atol=1e-12)
    assert hand.enabled.all() and hand.box.part == 'palm' and not trackers.scene.counters


def test_joints_without_names_are_of_the_layout_that_the_hand_is_told(monkeypatch):
    """Two trackers with 21 joints: MediaPipe, and gloves that count the fingers from the little one."""
    known = LAYOUTS['mediapipe']
    order = np.array([0, *range(17, 21), *range(13, 17), *range(9, 13), *range(5, 9), *range(1, 5)])
    to = np.argsort(order)
    gloves = replace(known, name='gloves', names=tuple(known.names[k] for k in order), bones=to[known.bones],
                     radii=known.radii[order], bends=to[known.bends], palm=replace(
                         known.palm, outline=to[known.palm.outline], spanned=np.sort(to[known.palm.spanned])))
    monkeypatch.setitem(LAYOUTS, 'gloves', gloves)
    there = hand_at(21)
    for values, poses in (({}, there), ({'layout': 'mediapipe'}, there), ({'layout': 'gloves'}, there[order])):
        hand = Trackers('pose_array', **values).say(poses=[pose(p) for p in poses])
        assert_allclose(hand.positions, bones_of(there), atol=1e-12)
        assert hand.enabled.all() and hand.parts == known.parts
    wrong = Trackers('pose_array', layout='webxr')
    assert not wrong.say(poses=[pose(p) for p in there]).enabled.any()
    assert wrong.scene.counters == {('wrong_size', 'right'): 1}


@pytest.mark.parametrize('tracker', NAMES)
def test_named_joints_in_any_order(tracker):
    names, there = NAMES[tracker], hand_at(SIZES[tracker])
    assert len(names) == len(there)
    radii = 0.01 + 0.0001 * np.arange(len(there))
    order = np.random.default_rng(1).permutation(len(there))
    trackers = Trackers()
    hand = trackers.joints(there[order], [names[k] for k in order], radii[order])
    assert_allclose(hand.positions, bones_of(there), atol=1e-12)
    assert_allclose(hand.radii, radii[layout_of(len(there)).bones].mean(axis=1), rtol=1e-6)
    assert not trackers.scene.counters and not trackers.adapter.ledger.counters


@pytest.mark.parametrize('tracker', NAMES)
def test_joints_that_a_tracker_leaves_out_are_missing_and_nothing_shifts(tracker):
    names, there = NAMES[tracker], hand_at(SIZES[tracker])
    bones, lost = layout_of(len(there)).bones, [5, 12, len(names) - 1]
    kept = [k for k in range(len(names)) if k not in lost]
    trackers = Trackers()
    hand = trackers.joints(there[kept], [names[k] for k in kept])
    want = ~np.isin(bones, lost).any(axis=1)
    assert hand.enabled.tolist() == want.tolist()
    assert_allclose(hand.positions[want], bones_of(there)[want], atol=1e-12)
    assert trackers.scene.counters == {('missing_joints', 'right'): 1}
    # flags of the joints that are there count, too
    flags = [k != 7 for k in kept]
    hand = trackers.joints(there[kept], [names[k] for k in kept], is_valid=flags)
    assert hand.enabled.tolist() == (want & ~(bones == 7).any(axis=1)).tolist()


def test_a_hand_in_pieces_keeps_its_layout():
    """OpenXR without its palm joint is no WebXR hand that begins anew."""
    there, names, trackers = hand_at(26), NAMES['openxr'], Trackers()
    for lost in (None, 0, None):
        kept = [k for k in range(26) if k != lost]
        assert len(trackers.joints(there[kept], [names[k] for k in kept]).parts) == 25


@pytest.mark.parametrize(('names', 'poses', 'cause', 'words'), [
    (['wrist', 'elbow'], 2, 'unknown_name', "'elbow'"),
    (['wrist', 'Wrist'], 2, 'unknown_name', "'wrist' is there twice"),
    (['THUMB_CMC', 'index-finger-metacarpal'], 2, 'unknown_name', 'no tracker has all of these joints'),
    (['wrist'], 2, 'wrong_size', '1 names, 2 poses'), (['wrist', 'thumb-tip'], 1, 'wrong_size', '2 names, 1 poses')])
def test_joints_that_nobody_knows_are_refused_and_named(names, poses, cause, words):
    trackers = Trackers()
    assert not trackers.joints(np.zeros((poses, 3)), names).enabled.any()
    assert trackers.adapter.ledger.counters == {(cause, 'right'): 1}
    assert words in trackers.adapter.ledger.last[cause, 'right']


def test_lists_of_other_lengths_are_refused():
    names = tuple(NAMES['webxr'])
    sample = HandSample(np.zeros((25, 3)), np.zeros((25, 4)), np.ones(24), None)
    with pytest.raises(JointsError, match='25 names, 24 radii'):
        in_order(names, sample)
    with pytest.raises(JointsError, match='25 names, 1 is_valid'):
        in_order(names, sample._replace(radii=None, is_valid=np.ones(1, dtype=bool)))


@pytest.mark.parametrize('name', ['head', 'left controller', ''])
def test_a_single_pose_is_called_as_its_tracker_likes(name):
    hand = Trackers().joints([(1, 2, 3)], [name] if name else [], [0.07])
    assert hand.parts == ('sphere',)
    assert_allclose(hand.radii, 0.07)
    assert_allclose(hand.positions, [(1, 2, 3)])


@pytest.mark.parametrize('radius', [0.0, np.nan, -1.0, 9.0])
def test_radii_that_are_none_fall_back_joint_by_joint(radius):
    layout, radii = layout_of(25), np.full(25, 0.012)
    radii[[3, 9]] = radius
    hand = Trackers(hand=HandConfig('right', radius_scale=2.0)).joints(hand_at(25), NAMES['webxr'], radii)
    want = 2.0 * np.where(np.isin(np.arange(25), (3, 9)), layout.radii, 0.012)
    assert_allclose(hand.radii, want[layout.bones].mean(axis=1), rtol=1e-6)


# single poses

HEAD = HandConfig('right', shape=Box((0.3, 0.2, 0.1)))


@pytest.mark.parametrize('axes', SEEN)
def test_a_pose_with_a_box_in_any_axes(axes):
    trackers = Trackers('pose', HEAD, axes=axes)
    box = trackers.say(pose=pose(SEEN[axes](*PLACE), seen_turn(axes, TURN))).box
    assert_allclose(box.position, PLACE, atol=1e-12)
    assert (Rotation.from_quat(box.orientation_xyzw) * TURN.inv()).magnitude() < 1e-7


@pytest.mark.parametrize(('given', 'radius'), [(0.0, 0.05), (0.08, 0.08)])
def test_the_radius_of_a_pose(given, radius):
    assert_allclose(Trackers('pose', radius=given).say(pose=pose(PLACE)).radii, radius)


def test_a_frame_that_is_turned_turns_the_box():
    """frame_yaw: the tracker's x is north, 90 degrees on from ours."""
    trackers = Trackers('pose', HEAD, {'frame_yaw': 0.5 * np.pi})
    box = trackers.say('map', pose=pose((1, 2, 3), TURN.as_quat())).box
    assert_allclose(box.position, (-2, 1, 3), atol=1e-12)
    want = Rotation.from_rotvec((0, 0, 0.5 * np.pi)) * TURN
    assert (Rotation.from_quat(box.orientation_xyzw) * want.inv()).magnitude() < 1e-7


@pytest.mark.parametrize('frame_yaw', [0.0, 0.5 * np.pi])
def test_a_twist_that_is_a_pose(frame_yaw):
    """Hakoniwa: north 1, west 2, up 3; angular are roll, -pitch, -yaw of NED, which is Z-Y-X about our axes."""
    ned = Rotation.from_euler('ZYX', (1.1, 0.4, -0.3))     # yaw, pitch, roll of the body FRD in NED
    flip = np.diag((1.0, -1.0, -1.0))
    body = Rotation.from_matrix(flip @ ned.as_matrix() @ flip)
    trackers = Trackers('twist_pose', HEAD, {'frame_yaw': frame_yaw})
    box = trackers.say(linear=xyz((1, 2, 3)), angular=xyz((-0.3, -0.4, -1.1))).box
    turn = Rotation.from_rotvec((0, 0, frame_yaw))
    assert_allclose(box.position, turn.apply((1, 2, 3)), atol=1e-12)
    assert (Rotation.from_quat(box.orientation_xyzw) * (turn * body).inv()).magnitude() < 1e-7


def test_a_twist_is_dated_by_its_arrival():
    """It has no header: it moves at what it goes from arrival to arrival."""
    trackers = Trackers('twist_pose')
    for k in range(12):
        hand = trackers.say(linear=xyz((0.02 * k, 0, 1)), angular=xyz((0, 0, 0)))
    assert_allclose(trackers.scene.world.linvel[trackers.scene.world.index('right/0')], (1, 0, 0), atol=0.01)
    assert_allclose(hand.positions[0], (0.02 * 11 + 0.001, 0, 1), atol=2e-3)
    assert not trackers.adapter.ledger.counters and not trackers.scene.counters


def test_a_twist_of_a_box_that_is_not_finite_is_refused():
    trackers = Trackers('twist_pose', HEAD)
    assert trackers.say(linear=xyz((0, 0, 1)), angular=xyz((0, np.nan, 0))).box is None
    assert trackers.scene.counters == {('not_finite', 'right'): 1}


@pytest.mark.parametrize('stamp', ['header', 'receive', 'synced'])
def test_a_late_tracker_whose_latency_is_told_shows_where_the_hand_is(stamp):
    """1 m/s, seen 60 ms late: without the parameter the hand is 6 cm behind."""
    late, speed = 60 * MS, 1.0
    behind = {}
    for told in (0.0, late / 1e9):
        trackers = Trackers('pose', stamp=stamp, latency=told)
        for _ in range(30):
            captured = trackers.now + 4 * TICK - late
            hand = trackers.say(pose=pose((speed * captured / 1e9, 0, 1)))
        behind[told] = speed * (trackers.now + MS) / 1e9 - hand.positions[0, 0]
        assert trackers.adapter.hands.ages() == {'right': told}
    assert behind[0.0] == pytest.approx(0.06, abs=2e-3)
    assert behind[0.06] == pytest.approx(0.0, abs=2e-3)


def test_the_age_of_samples_is_their_median_and_is_forgotten():
    trackers = Trackers('pose')
    for k in range(20):
        trackers.say(pose=pose((0, 0, 1)), stamp=trackers.now + 4 * TICK - (100 * MS if k % 5 == 4 else 30 * MS))
    assert trackers.adapter.hands.ages() == {'right': pytest.approx(0.03)}
    trackers.adapter.forget()
    assert trackers.adapter.hands.ages() == {}
