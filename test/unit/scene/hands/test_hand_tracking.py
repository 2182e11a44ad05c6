# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""How a hand moves: what its noise and its tracker's faults do to a drone, and what its speed does."""
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scene_worlds import MS, TICK, UPRIGHT, ZERO, events_of, make_scene

from hakoniwa_rigid.engine import Box, Sphere
from hakoniwa_rigid.scene import Verdict
from hakoniwa_rigid.scene.hands.hand_layouts import SPHERE_RADIUS, layout_of
from hakoniwa_rigid.scene.hands.hand_tracking import Tracking
from hakoniwa_rigid.scene.hands.handedness import LEFT, RIGHT, UNKNOWN, expected, side_of
from hakoniwa_rigid.scene.records import Ledger
from hakoniwa_rigid.scene.world_files.world_types import DroneModel, HandConfig, MaterialConfig, SceneParams
from hakoniwa_rigid.sims.hands.figure import hand_pose

WEIGHTLESS = {'gravity': (0.0, 0.0, 0.0)}
BALL = DroneModel('ball', 0.71, (0.0061, 0.0061, 0.0061), Sphere(0.1), material=MaterialConfig('hull', 0.5, 0.0))
MEDIAPIPE = [0, 1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 14, 16, 17, 18, 19, 21, 22, 23, 24]
MIRROR = np.array([1.0, -1.0, 1.0])


def right_hand(curl=0.6, layout=25):
    """Joints (J,3) m of a right hand, fingers along x, curled downwards."""
    joints = hand_pose(curl)[0]
    if layout == 26:
        joints = np.concatenate([joints[10:12].mean(axis=0)[None], joints])
    return joints[MEDIAPIPE] if layout == 21 else joints


def stroke(t, length, duration):
    """A raised cosine from rest to rest."""
    return 0.5 * length * (1 - np.cos(np.pi * np.clip(t / duration, 0, 1)))


def place(layout):
    return np.zeros((1, 3)) if layout == 1 else right_hand(0.3, layout)


def follow(motion, rate, duration, latency=0.0, noise=0.0, common=0.0, seed=0, phase=0.0, tick=0.005, joints=1):
    """Joints and speeds (T,J,3) at every tick of a hand whose sample captured at t is motion(t), and its track."""
    track, rng, k = Tracking(HandConfig('x'), SceneParams(), Ledger()), np.random.default_rng(seed), 0
    layout, found = layout_of(joints), []
    for now in tick * np.arange(round(duration / tick)):
        while (captured := phase + k / rate) + latency <= now + 1e-9:
            sample = motion(captured) + noise * rng.normal(size=(joints, 3)) + common * rng.normal(size=3)
            verdict = track.feed(round(captured * 1e9), layout, sample, np.ones(joints, dtype=bool), None)
            assert verdict in (Verdict.ACCEPTED, Verdict.JUMPED)
            k += 1
        speed = track.move(round(now * 1e9), round((now + tick) * 1e9))
        if speed is not None:
            found.append((track.joints.copy(), speed))
            track.joints += tick * speed
        else:
            found.append((np.full((joints, 3), np.nan),) * 2)
    return np.array(found).swapaxes(0, 1)


def hit(distance, found, start, joint=0):
    """Speed along x with which a joint goes through a distance from its start."""
    x, v = found[0][:, joint, 0] - start, found[1][:, joint, 0]
    return v[np.argmax(x + v * 0.005 >= distance)]


def strike(scene, samples, frame_ns, end_ns, tick_ns=TICK):
    """Feed hand samples(t_s) and advance; returns the ticks."""
    ticks, fed = [], 0
    for now in range(0, end_ns, tick_ns):
        while fed <= now:
            scene.feed_hand('h', fed, samples(fed * 1e-9))
            fed += frame_ns
        ticks.append(scene.advance(now + tick_ns))
    return ticks


def ball_scene(at, **fields):
    """A free ball of e 0.5 at a place, and a hand."""
    scene = make_scene('d0', hands=['h'], model=BALL, authority='simulate', **WEIGHTLESS, **fields)
    scene.feed_drone('d0', 0, at, UPRIGHT, ZERO, ZERO)
    return scene


# -- hit


@pytest.mark.parametrize('rate', [30, 60, 90])
@pytest.mark.parametrize('speed', [1.0, 3.0, 5.0])
def test_hit_ball_has_the_two_body_velocity(rate, speed):
    """Infinite mass, central: dv = (1 + e) v with the hand's true velocity, without noise within 2 %."""
    scene, at = ball_scene((0, 0, 1)), np.array([-0.1 - SPHERE_RADIUS - 0.4 * speed, 0, 1])
    ticks = strike(scene, lambda t: [at + (speed * t, 0, 0)], 1_000_000_000 // rate, 600 * MS)
    assert_allclose(ticks[-1].states.linear_velocities[0], (1.5 * speed, 0, 0), rtol=0.02, atol=0.02 * speed)
    assert len({e.id for e in events_of(ticks)}) == 1


@pytest.mark.parametrize(('joints', 'joint'), [(1, 0), (21, 9), (25, 9), (26, 10)])
@pytest.mark.parametrize('rate', [30, 60, 90])
def test_even_motion_has_its_velocity_after_rest_and_at_any_latency(joints, joint, rate):
    """Half a second of rest, 0.4 s at speed.  At 60 ms and 30 Hz the hand is still catching up with what it had not
    received."""
    hand = place(joints)
    for latency, off in ((0.0, 0.02), (0.03, 0.03), (0.06, 0.06)):
        for speed in (1.0, 3.0):
            found = follow(lambda t, v=speed: hand + [v * max(t - 0.5, 0.0), 0, 0], rate, 1.2, latency, joints=joints)
            assert hit(0.4 * speed, found, hand[joint, 0], joint) == pytest.approx(speed, rel=off)


@pytest.mark.parametrize('kind', ['independent', 'common', 'sphere'])
@pytest.mark.parametrize('speed', [1.0, 4.0])
def test_200_strikes_under_5_mm_of_noise(kind, speed):
    """Mean within 3 %, 95 % within 20 %; noise of each coordinate of each joint, or of the hand as one."""
    joints, joint = (1, 0) if kind == 'sphere' else (25, 9)
    hand, found, rng = place(joints), [], np.random.default_rng(7)
    noise = {'common': 0.005} if kind == 'common' else {'noise': 0.005}
    for k in range(200):
        rate = (30, 60, 90)[k % 3]
        run = follow(lambda t: hand + [speed * max(t - 0.4, 0.0), 0, 0], rate, 0.95, seed=k, joints=joints,
                     phase=rng.uniform(0, 1 / rate), **noise)
        found.append(hit(0.4 * speed, run, hand[joint, 0], joint) / speed)
    assert abs(np.mean(found) - 1.0) < 0.03
    assert np.quantile(np.abs(np.array(found) - 1.0), 0.95) < 0.2


@pytest.mark.parametrize(('length', 'peak', 'rate', 'off'), [
    (0.5, 1.0, 60, 0.02), (1.0, 2.0, 60, 0.03), (1.0, 2.0, 30, 0.04), (1.0, 4.0, 90, 0.05)])
def test_strokes_hit_at_their_peak(length, peak, rate, off):
    """A raised cosine of a length: at its middle the speed is its peak; what is reachable falls with the rate."""
    duration = 0.5 * np.pi * length / peak
    hand = place(25)
    for k in range(3):
        found = follow(lambda t: hand + [stroke(t - 0.3, length, duration), 0, 0], rate, 0.5 + duration,
                       phase=k / 3 / rate, joints=25)
        assert hit(0.5 * length, found, hand[9, 0], 9) == pytest.approx(peak, rel=off)


@pytest.mark.parametrize(('rate', 'most'), [(30, 0.005), (60, 0.002), (90, 0.001)])
def test_hand_that_stops_does_not_overshoot(rate, most):
    """A stroke of 0.5 m at 1 m/s; after its end nothing moves on."""
    found = follow(lambda t: [[stroke(t - 0.3, 0.5, 0.785), 0, 0]], rate, 1.6)
    assert found[0][:, 0, 0].max() < 0.5 + most
    assert found[1][-40:].max() < 0.005


@pytest.mark.parametrize(('turn', 'rate', 'off'), [(4.0, 60, 0.01), (4.0, 30, 0.04), (10.0, 90, 0.05)])
def test_turning_hand_has_omega_times_radius(turn, rate, off):
    """All joints of a hand that swings about its wrist."""
    hand = right_hand()

    def motion(t):
        c, s = np.cos(turn * t), np.sin(turn * t)
        return hand @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    found = follow(motion, rate, 0.8, joints=25)
    reach = np.linalg.norm(hand[:, :2], axis=1)
    speeds = np.linalg.norm(found[1][100:], axis=2)[:, reach > 0.1] / (turn * reach[reach > 0.1])
    assert np.abs(speeds - 1.0).max() < off


# -- still


@pytest.mark.parametrize(('joints', 'noise'), [(25, {'noise': 1e-3}), (25, {'common': 1e-3}), (1, {'noise': 1e-3})])
def test_still_hand_under_1_mm_of_jitter(joints, noise):
    hand = place(joints)
    speed = follow(lambda t: hand, 60, 12.0, joints=joints, **noise)[1][400:]
    assert speed.std() < 0.01 and np.abs(speed).max() < 0.065


def test_ball_that_touches_a_jittering_hand_is_hardly_moved():
    """Held against the hand by its plan: the drone's velocity under 1 mm rms at 60 Hz."""
    scene, rng = make_scene('d0', hands=['h'], model=BALL, authority='correct'), np.random.default_rng(2)
    hand, speeds = right_hand(0.0), []
    top = hand[11] + (0, 0, 0.1 + 0.008)
    for k, now in enumerate(range(0, 6000 * MS, TICK)):
        scene.feed_drone('d0', now, top, UPRIGHT, ZERO, ZERO)
        if k % 3 == 0:
            scene.feed_hand('h', now, hand + 1e-3 * rng.normal(size=hand.shape))
        speeds.append(np.linalg.norm(scene.advance(now + TICK).states.linear_velocities[0]))
    assert np.max(speeds[200:]) < 0.05


def test_poses_that_are_all_sent_twice_move_evenly():
    """Two of them tell how often a pose repeats; one more repetition, and the hand stands."""
    track = Tracking(HandConfig('x'), SceneParams(), Ledger())
    speeds = []
    for k in range(63):
        now = k * 8 * MS
        track.feed(now, layout_of(1), np.array([[0.016 * min(k // 2, 30), 0, 0]]), np.ones(1, dtype=bool), None)
        speeds.append(track.move(now, now + 8 * MS)[0])
        track.joints += 0.008 * speeds[-1]
    assert_allclose(speeds[20:62], np.broadcast_to((1.0, 0, 0), (42, 3)), atol=0.03)
    assert np.linalg.norm(speeds[62]) < 0.3     # slowly back onto the pose


def test_pose_that_repeats_stands_at_once():
    """It was expected 16 mm farther on, and goes back slowly."""
    track = Tracking(HandConfig('x'), SceneParams(), Ledger())
    for k in range(60):
        now = k * 16 * MS
        track.feed(now, layout_of(1), np.array([[0.016 * min(k, 29), 0, 0]]), np.ones(1, dtype=bool), None)
        speed = track.move(now, now + 16 * MS)
        track.joints += 0.016 * speed
        assert k < 30 or np.linalg.norm(speed) < 0.2
    assert_allclose(track.joints[0], (0.464, 0, 0), atol=2e-3)


# -- never through


@pytest.mark.parametrize('authority', ['observe', 'correct', 'simulate'])
@pytest.mark.parametrize(('speed', 'rate', 'tick'), [(5.0, 30, 5), (10.0, 60, 5), (10.0, 30, 20), (5.0, 30, 1)])
def test_nothing_passes_through_a_thin_drone(authority, speed, rate, tick):
    """The joints of an open hand, fingertips 12 mm thick, against a plate 3 cm thick that nothing else moves: it is
    always ahead of the hand.  An observed drone is its simulator's: there the contact must be reported."""
    plate = DroneModel('plate', 0.3, (0.002, 0.004, 0.004), Box((0.03, 0.3, 0.3)),
                       material=MaterialConfig('hull', 0.5, 0.0))
    scene = make_scene('d0', hands=['h'], model=plate, authority=authority, **WEIGHTLESS)
    hand, fed = right_hand(0.0) + (-0.2 - 0.07 * speed, 0, 0), 0
    for now in range(0, 450 * MS, tick * MS):
        if now == 0 or authority != 'simulate':
            scene.feed_drone('d0', now, ZERO, UPRIGHT, ZERO, ZERO)
        while fed <= now:
            scene.feed_hand('h', fed, hand + (speed * min(fed * 1e-9, 0.12), 0, 0))
            fed += 1_000_000_000 // rate
        tick_now = scene.advance(now + tick * MS)
        events = tick_now.events
        if authority == 'observe' and events:
            return
        if authority != 'observe':
            bones = tick_now.hands[0]
            ahead = tick_now.states.positions[0, 0] + 0.015
            assert (bones.positions[bones.enabled, 0] < ahead).all()
    assert authority != 'observe' and tick_now.states.positions[0, 0] > 0.0


# -- bad tracking


def test_joint_that_comes_back_moves_with_the_hand():
    """Away for half a second of a stroke, back 3 cm from where it was in the hand: its speed is the hand's."""
    track, hand = Tracking(HandConfig('x'), SceneParams(), Ledger()), right_hand()
    for k in range(90):
        now, valid, sample = k * 16 * MS, np.ones(25, dtype=bool), hand + (0.016 * k, 0, 0)
        if 30 <= k < 60:
            valid[9], sample[9] = False, np.nan
        if k >= 60:
            sample[9, 2] += 0.03
        track.feed(now, layout_of(25), sample, valid, None)
        speed = track.move(now, now + 16 * MS)
        assert np.isnan(speed[9, 0]) == (30 <= k < 60)
        if k > 30:
            assert_allclose(speed[valid], np.tile((1.0, 0, 0), (valid.sum(), 1)), atol=0.02)
        track.joints += 0.016 * speed


def test_single_joint_that_jumps_is_left_out():
    scene = make_scene(hands=['h'])
    for k in range(10):
        scene.feed_hand('h', k * 16 * MS, right_hand())
        scene.advance(k * 16 * MS)
    broken = right_hand()
    broken[9] += 1.0
    assert scene.feed_hand('h', 160 * MS, broken) is Verdict.MISSING_JOINTS
    tick = scene.advance(165 * MS)
    assert (~tick.hands[0].enabled).sum() == 1
    assert_allclose(scene.world.linvel[[scene.world.index(f'h/{k}') for k in range(24)]], 0.0, atol=1e-6)


@pytest.mark.parametrize('apart', [0.2, 0.4, 1.0])
@pytest.mark.parametrize('curl', [0.0, 0.6])
@pytest.mark.parametrize('rate', [30, 60, 90])
@pytest.mark.parametrize('wrong', [1, 2, 8])
def test_swapped_hands_kick_nothing(apart, curl, rate, wrong):
    """The left hand's joints on the right hand's topic for some samples, and back; a ball between the hands."""
    scene = make_scene('d0', hands=['right'], model=BALL, authority='simulate', **WEIGHTLESS)
    mine = right_hand(curl) + (0, -apart / 2, 0)
    other = right_hand(curl) * MIRROR + (0, apart / 2, 0)
    ball = (mine.mean(axis=0) + other.mean(axis=0)) / 2 + (0, 0, 0.02 if apart > 0.4 else 0.25)
    scene.feed_drone('d0', 0, ball, UPRIGHT, ZERO, ZERO)
    frame, fed, k = 1_000_000_000 // rate, 0, 0
    for now in range(0, 900 * MS, TICK):
        while fed <= now:
            scene.feed_hand('right', fed, other if 15 <= k < 15 + wrong else mine)
            fed, k = fed + frame, k + 1
        tick = scene.advance(now + TICK)
        assert np.linalg.norm(scene.world.linvel[scene.world.index('right/3')]) < 1e-3
        assert np.linalg.norm(tick.states.linear_velocities[0]) < 1e-6
    causes = {verdict for verdict, _ in scene.counters}
    assert causes == {'swapped'} if curl else causes & {'swapped', 'jumped'}


@pytest.mark.parametrize('layout', [21, 25, 26])
@pytest.mark.parametrize('curl', [0.4, 0.9, 1.5])
def test_handedness_of_bent_hands(layout, curl):
    """Any pose, with 5 mm of noise never the other; flat hands and heads do not tell."""
    rng, joints = np.random.default_rng(layout), right_hand(curl, layout)
    valid = np.ones(layout, dtype=bool)
    for _ in range(20):
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        turn *= np.sign(np.linalg.det(turn))
        assert side_of(joints @ turn, valid, layout_of(layout).bends) == RIGHT
        assert side_of(joints @ turn * MIRROR, valid, layout_of(layout).bends) == LEFT
        assert side_of(joints @ turn + 0.005 * rng.normal(size=joints.shape), valid, layout_of(layout).bends) != LEFT
        flat = right_hand(0.0, layout) @ turn
        assert side_of(flat, valid, layout_of(layout).bends) == UNKNOWN
    assert side_of(np.full((layout, 3), np.nan), ~valid, layout_of(layout).bends) == UNKNOWN
    assert side_of(np.zeros((1, 3)), np.ones(1, dtype=bool), layout_of(1).bends) == UNKNOWN


def test_mirrored_frame_is_refused_with_its_cause():
    scene = make_scene(hands=['right', 'left_hand', 'head'])
    mirrored = right_hand() * MIRROR
    for k in range(5):
        assert scene.feed_hand('right', k * 16 * MS, mirrored) is Verdict.MIRRORED
        assert scene.feed_hand('left_hand', k * 16 * MS, mirrored) is Verdict.ACCEPTED
        assert scene.feed_hand('head', k * 16 * MS, mirrored) is Verdict.ACCEPTED
    assert not scene.advance(80 * MS).hands[0].enabled.any()
    assert scene.counters == {('mirrored', 'right'): 5}
    assert 'left hand' in scene.last_rejected['mirrored', 'right']


@pytest.mark.parametrize(('config', 'side'), [
    (HandConfig('right'), RIGHT), (HandConfig('LeftHand'), LEFT), (HandConfig('hand'), UNKNOWN),
    (HandConfig('left_or_right'), UNKNOWN), (HandConfig('right', handedness=''), UNKNOWN),
    (HandConfig('right', handedness='left'), LEFT)])
def test_expected_handedness(config, side):
    assert expected(config) == side


def test_dropouts_and_odd_stamps_kick_nothing():
    """A hand beside a ball: gaps, stamps back and ahead, repeats, NaN, other joint counts, all at one place."""
    scene, hand, rng = ball_scene((0.25, 0, 0)), right_hand(0.0), np.random.default_rng(1)
    at = 0
    for _ in range(400):
        at += int(rng.choice([16 * MS, 16 * MS, 16 * MS, 120 * MS, 300 * MS], p=[.4, .3, .2, .07, .03]))
        stamp = at + int(rng.choice([0, -5 * MS, -40 * MS, -700 * MS, 90 * MS, 900 * MS],
                                    p=[.7, .1, .1, .04, .04, .02]))
        sample = hand + 0.0005 * rng.normal(size=hand.shape)
        odd = rng.integers(12)
        if odd == 0:
            sample[rng.integers(25, size=5)] = np.nan
        if odd == 1:
            sample = right_hand(0.0, 21)
        if odd == 2:
            sample = sample + rng.choice([0.3, 0.7, 5.0]) * np.array([0, 0, 1.0])
        scene.feed_hand('h', stamp, sample)
        tick = scene.advance(at)
        assert np.abs(tick.states.linear_velocities[0]).max() < 0.05
        bones = tick.hands[0]
        assert np.isfinite(bones.positions[bones.enabled]).all()


def test_1_khz_and_slow_ticks():
    """A simulator's hand at 1 kHz: exact at ticks of 1, 5 and 20 ms."""
    for tick in (0.001, 0.005, 0.02):
        found = follow(lambda t: [[2.0 * t, 0, 0]], 1000, 0.5, tick=tick)
        assert_allclose(found[1][-1, 0], (2.0, 0, 0), atol=0.01)
        assert_allclose(found[0][-1, 0], (2.0 * (0.5 - tick), 0, 0), atol=1e-3)


def test_equal_samples_give_equal_bits():
    hand = place(25)
    runs = [follow(lambda t: hand + [np.sin(3 * t), 0, 0], 60, 1.0, noise=0.003, joints=25)[1] for _ in range(2)]
    assert runs[0].tobytes() == runs[1].tobytes()
