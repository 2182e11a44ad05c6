# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Hands: what they strike, how fast they count, and what bad tracking does not do."""
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scene_worlds import MS, TICK, UPRIGHT, ZERO, events_of, make_scene

from hakoniwa_rigid.rotations import rotate, wxyz
from hakoniwa_rigid.scene import Kind, Phase, Verdict
from hakoniwa_rigid.scene.hands.hand_layouts import FALLBACK_RADII, LAYOUTS, SPHERE_RADIUS, layout_of

M = 0.71
FRAME = 16_666_667


def open_hand():
    """25 WebXR joints of a flat hand, m: wrist at the origin, fingers along +x, 2 cm apart in y."""
    joints = [(0.0, 0.0, 0.0)]
    joints += [(0.03 + 0.03 * k, 0.05, 0.0) for k in range(4)]
    for finger in range(4):
        joints += [(0.03 + 0.035 * k, 0.03 - 0.02 * finger, 0.0) for k in range(5)]
    return np.array(joints)


def strike(scene, joints, velocity, start, end_ns, frame=FRAME, position=(0, 0, 1), **hand):
    """A hand moving evenly past a hovering drone d0; returns the ticks."""
    ticks, fed = [], 0
    for now in range(0, end_ns, TICK):
        if now % (2 * TICK) == 0:
            scene.feed_drone('d0', now, position, UPRIGHT, ZERO, ZERO)
        while fed <= now:
            scene.feed_hand('right', fed, joints + start + np.multiply(velocity, fed * 1e-9), **hand)
            fed += frame
        ticks.append(scene.advance(now + TICK))
    return ticks


@pytest.mark.parametrize('speed', [0.5, 1.0, 3.0, 4.0])
def test_hit_drone_gets_the_two_body_velocity(speed):
    """A sphere of infinite mass through the centre of the drone's face: dv = (1 + e) v, e = max(0.5, 0)."""
    scene = make_scene('d0', hands=['right'], scene={'hand_teleport_bound': 1.0})
    start = np.array([-0.1 - SPHERE_RADIUS - 0.3 * speed, 0, 1])
    ticks = strike(scene, np.zeros((1, 3)), (speed, 0, 0), start, 320 * MS)
    begin = events_of(ticks)[0]
    assert (begin.phase, begin.kind, begin.part_a, begin.part_b) == (Phase.BEGIN, Kind.DRONE_HAND, 'body', 'sphere')
    # what is left of the filter's start is less than 1 mm and 0.5 %
    assert begin.stamp_ns * 1e-9 == pytest.approx(0.3, abs=1e-3 / speed)
    assert_allclose(begin.delta_v_a, (1.5 * speed, 0, 0), rtol=5e-3, atol=1e-6)
    assert_allclose(begin.relative_velocity_before, (speed, 0, 0), rtol=5e-3, atol=1e-9)
    assert begin.delta_v_b == ZERO


@pytest.mark.parametrize(('speed', 'frame'), [(5.0, 33_333_333), (10.0, 16_666_667)])
def test_fast_hand_sampled_slowly_never_passes_through(speed, frame):
    """5 m/s at 30 Hz, 10 m/s at 60 Hz: both jump over the drone between samples.  It is hit, at no more than the
    clamp."""
    scene = make_scene('d0', hands=['right'])
    ticks = strike(scene, np.zeros((1, 3)), (speed, 0, 0), np.array([-1.0, 0, 1]), 500 * MS, frame)
    events = events_of(ticks)
    assert events and events[0].kind is Kind.DRONE_HAND
    assert np.linalg.norm(events[0].relative_velocity_before) <= 5.0 + 1e-9
    x = np.array([t.states.positions[0, 0] for t in ticks])
    hand = np.array([t.hands[0].positions[0, 0] for t in ticks])
    assert (x - hand > 0.1 + SPHERE_RADIUS - 1e-3).all()


def test_turning_bone_strikes_with_the_speed_of_the_point_that_hits():
    """Two joints of a flat hand turning about the wrist at 4 rad/s: every bone's body has omega x r, whatever the
    radius."""
    scene = make_scene(hands=['right'])
    joints, rate = open_hand(), 4.0
    for k in range(13):
        angle = rate * k * FRAME * 1e-9
        c, s = np.cos(angle), np.sin(angle)
        turned = joints @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
        scene.feed_hand('right', k * FRAME, turned)
        tick = scene.advance(k * FRAME)
    bones, out = tick.hands[0], ~layout_of(25).palm.inside    # the palm stands for those inside it
    rows = [scene.world.index(f'right/{k}') for k in np.flatnonzero(out)]
    v, w = scene.world.linvel[rows], scene.world.angvel[rows]
    assert_allclose(w[:, 2], rate, rtol=0.05)
    # the smoothed velocity trails the turning by about one frame: its direction by 4 rad/s * 17 ms
    want = rate * np.linalg.norm(bones.positions[out], axis=1)
    assert_allclose(np.linalg.norm(v, axis=1), want, rtol=0.02, atol=1e-3)


def test_even_motion_is_followed_exactly():
    """At constant velocity the bones are where the joints are at the tick, not one sample or filter lag behind."""
    scene = make_scene(hands=['right'])
    joints, v = open_hand(), np.array([1.0, -0.5, 0.3])
    layout = layout_of(25)
    fed = 0
    for now in range(0, 400 * MS, TICK):
        while fed <= now:
            scene.feed_hand('right', fed, joints + v * fed * 1e-9, radii=FALLBACK_RADII)
            fed += FRAME
        tick = scene.advance(now + TICK)
    at = joints + v * tick.stamp_ns * 1e-9
    a, b = at[layout.bones[:, 0]], at[layout.bones[:, 1]]
    bones = tick.hands[0]
    # what is left of the first sample, when the hand was taken to be at rest
    assert_allclose(bones.positions, 0.5 * (a + b), atol=5e-4)
    assert_allclose(bones.lengths, np.linalg.norm(b - a, axis=1), atol=5e-4)
    ends = rotate(wxyz(bones.orientations_xyzw), np.array([[0, 0, 1.0]])) * 0.5 * np.linalg.norm(b - a, axis=1)[:, None]
    assert_allclose(bones.positions + ends, b, atol=5e-4)
    inner, outer = layout.bones.T
    assert_allclose(bones.radii, 0.5 * (FALLBACK_RADII[inner] + FALLBACK_RADII[outer]), atol=1e-9)
    assert bones.enabled.all() and bones.parts == layout.parts


def test_repeated_pose_stands_still_at_once():
    scene = make_scene(hands=['right'])
    body = scene.world.index('right/0')
    for k in range(8):
        scene.feed_hand('right', k * FRAME, [[k * 0.03, 0, 0]])
        scene.advance(k * FRAME)
    assert scene.world.linvel[body][0] > 1.5
    for k in range(8, 12):
        scene.feed_hand('right', k * FRAME, [[7 * 0.03, 0, 0]])
        scene.advance(k * FRAME)
    for k in range(12, 20):
        scene.feed_hand('right', k * FRAME, [[7 * 0.03, 0, 0]])
        scene.advance(k * FRAME + TICK)
    assert_allclose(scene.world.linvel[body], 0, atol=0.01)
    assert_allclose(scene.world.pos[body], (0.21, 0, 0), atol=1e-3)


def test_missing_joint_disables_its_bones_only():
    """Index tip (9) untracked, index distal (8) NaN: bones 7-8 and 8-9 are off; all others keep their places and
    names."""
    scene = make_scene(hands=['right'])
    joints, valid = open_hand(), np.ones(25, dtype=bool)
    valid[9] = False
    broken = joints.copy()
    broken[8] = np.nan
    scene.feed_hand('right', 0, joints)
    scene.advance(TICK)
    assert scene.feed_hand('right', FRAME, broken, is_valid=valid) is Verdict.MISSING_JOINTS
    bones = scene.advance(FRAME + TICK).hands[0]
    off = [k for k, (a, b) in enumerate(layout_of(25).bones) if {a, b} & {8, 9}]
    assert np.flatnonzero(~bones.enabled).tolist() == off and len(off) == 2
    assert [bones.parts[k] for k in off] == ['index_distal', 'index_tip']
    a, b = joints[layout_of(25).bones[:, 0]], joints[layout_of(25).bones[:, 1]]
    assert_allclose(bones.positions[bones.enabled], (0.5 * (a + b))[bones.enabled], atol=1e-9)
    assert scene.counters == {('missing_joints', 'right'): 1}
    scene.feed_hand('right', 2 * FRAME, joints)
    assert scene.advance(2 * FRAME + TICK).hands[0].enabled.all()


def test_hand_with_no_joint_at_all_is_refused():
    scene = make_scene(hands=['right'])
    assert scene.feed_hand('right', 0, np.full((25, 3), np.nan)) is Verdict.NOT_FINITE
    assert scene.feed_hand('right', 0, np.zeros((25, 3)), is_valid=[False] * 25) is Verdict.MISSING_JOINTS
    assert not scene.advance(TICK).hands[0].enabled.any()


@pytest.mark.parametrize(('positions', 'radii'), [
    (np.zeros((24, 3)), None), (np.zeros((25, 2)), None), (np.zeros(3), None), (np.zeros((25, 3)), np.ones(24))])
def test_wrong_sizes_are_refused(positions, radii):
    scene = make_scene(hands=['right'])
    assert scene.feed_hand('right', 0, positions, radii=radii) is Verdict.WRONG_SIZE
    assert scene.counters == {('wrong_size', 'right'): 1}


def test_glitch_is_refused_without_a_kick_and_a_move_is_followed():
    """One sample 2 m off: refused, the bone stays.  Three at the new place: the hand is there, at rest."""
    scene = make_scene('d0', hands=['right'])
    body = scene.world.index('right/0')
    for k in range(10):
        scene.feed_hand('right', k * FRAME, [[0, 0, 1]])
        scene.advance(k * FRAME)
    assert scene.feed_hand('right', 10 * FRAME, [[2, 0, 1]]) is Verdict.JUMPED
    scene.advance(10 * FRAME)
    assert scene.feed_hand('right', 11 * FRAME, [[0, 0, 1]]) is Verdict.ACCEPTED
    scene.advance(11 * FRAME)
    assert_allclose(scene.world.pos[body], (0, 0, 1), atol=1e-12)
    assert_allclose(scene.world.linvel[body], 0, atol=1e-12)
    verdicts = [scene.feed_hand('right', k * FRAME, [[2, 0, 1]]) for k in range(12, 16)]
    assert verdicts == [Verdict.JUMPED, Verdict.JUMPED, Verdict.TELEPORT, Verdict.ACCEPTED]
    scene.advance(16 * FRAME)
    assert_allclose(scene.world.pos[body], (2, 0, 1), atol=1e-12)
    assert_allclose(scene.world.linvel[body], 0, atol=1e-12)


def test_lost_hand_leaves_and_returns_without_sweeping():
    """No data for 0.3 s: gone; back on the other side of the drone: the drone was not hit."""
    scene = make_scene('d0', hands=['right'])
    for now in range(0, 600 * MS, TICK):
        scene.feed_drone('d0', now, (0, 0, 1), UPRIGHT, ZERO, ZERO)
        if now < 100 * MS or now >= 400 * MS:
            scene.feed_hand('right', now, [[-0.3 if now < 100 * MS else 0.3, 0, 1]])
        tick = scene.advance(now + TICK)
        assert tick.events == ()
        assert tick.hands[0].enabled[0] == (now < 100 * MS + 250 * MS or now >= 400 * MS)
    assert_allclose(tick.states.positions[0], (0, 0, 1), atol=0)


@pytest.mark.parametrize('joints', [1, 21, 25, 26])
def test_every_layout_and_fallback_radii(joints):
    scene = make_scene(hands=['right'])
    layout = layout_of(joints)
    positions = np.random.default_rng(joints).normal(size=(joints, 3)) * 0.05
    assert scene.feed_hand('right', 0, positions) is Verdict.ACCEPTED
    bones = scene.advance(TICK).hands[0]
    assert bones.parts == layout.parts and bones.enabled.all()
    a, b = layout.bones.T
    assert_allclose(bones.positions, 0.5 * (positions[a] + positions[b]), atol=1e-12)
    assert_allclose(bones.radii, 0.5 * (layout.radii[a] + layout.radii[b]), atol=1e-12)


def test_layouts_are_trees_of_neighbours():
    """Every joint but the wrist is the outer end of one bone; OpenXR is WebXR behind a palm; MediaPipe adds three palm
    bones."""
    for joints, extra in ((25, 0), (26, 0), (21, 3)):
        bones = layout_of(joints).bones
        wrist = 1 if joints == 26 else 0
        outer = bones[:len(bones) - extra, 1]
        assert sorted(outer.tolist()) == [k for k in range(joints) if k != wrist]
    assert (layout_of(26).bones[1:] - 1 == layout_of(25).bones).all()
    assert_allclose(1e3 * layout_of(25).radii[[0, 4, 5, 24]], [21.5, 8.8, 21.2, 5.4])
    assert_allclose(1e3 * layout_of(21).radii[[0, 1, 5, 8, 20]], [21.5, 19.4, 10.3, 6.6, 5.4])


def test_still_hand_holds_a_drone_calmly():
    """A drone set down on a still flat hand stays within 1 cm/s."""
    scene = make_scene('d0', hands=['right'])
    top = FALLBACK_RADII[5] * 0.5 + FALLBACK_RADII[6] * 0.5
    ticks = strike(scene, open_hand() - (0.07, 0, 0), ZERO, np.array([0, 0, 1 - 0.02 - top]), 2000 * MS)
    assert events_of(ticks)
    speeds = np.array([np.linalg.norm(t.states.linear_velocities[0]) for t in ticks[200:]])
    assert speeds.max() < 0.01


@pytest.mark.parametrize('radius', [0.0, -0.01, 7e-236, 1e-5, 3.0, 1e300, np.inf, np.nan])
def test_absurd_radii_fall_back_to_the_layout(radius):
    """A tracker that reports no sensible size still pushes; nothing raises while the scene runs."""
    scene = make_scene('d0', hands=['right'])
    radii = FALLBACK_RADII.copy()
    radii[:3] = radius
    scene.feed_hand('right', 0, open_hand() + (0, 0, 5), radii=radii)
    bones = scene.advance(TICK).hands[0]
    assert_allclose(bones.radii, scene_radii(), atol=1e-12)


def scene_radii():
    scene = make_scene('d0', hands=['right'])
    scene.feed_hand('right', 0, open_hand() + (0, 0, 5))
    return scene.advance(TICK).hands[0].radii


def test_two_trackers_may_have_as_many_joints(monkeypatch):
    """A list without names is of the first; one that names its layout is of that, with its radii."""
    own = replace(layout_of(21), name='gloves', radii=np.full(21, 0.02))
    monkeypatch.setitem(LAYOUTS, 'gloves', own)
    joints, radii = np.random.default_rng(3).normal(size=(21, 3)) * 0.05, []
    for layout in (None, 'mediapipe', 'gloves'):
        scene = make_scene(hands=['right'])
        assert scene.feed_hand('right', 0, joints, layout=layout) is Verdict.ACCEPTED
        radii.append(scene.advance(TICK).hands[0].radii.copy())
    assert (radii[0] == radii[1]).all() and (radii[2] == 0.02).all()


@pytest.mark.parametrize(('joints', 'layout'), [(25, 'mediapipe'), (21, 'mittens'), (1, 'webxr')])
def test_a_layout_that_the_joints_do_not_have_is_refused(joints, layout):
    scene = make_scene(hands=['right'])
    assert scene.feed_hand('right', 0, np.zeros((joints, 3)), layout=layout) is Verdict.WRONG_SIZE
