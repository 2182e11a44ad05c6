# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Recorded hands: the file format, the parametric hand, the shipped recordings, and the way from format to format."""
import gzip
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from hakoniwa_rigid import cli
from hakoniwa_rigid.paths import config_file
from hakoniwa_rigid.replay.bag.hand_bag import HandTrack, read_hands, write_hands
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.sims.hands import moves, recordings
from hakoniwa_rigid.sims.hands.figure import SIDES, WEBXR_NAMES, hand_pose
from hakoniwa_rigid.sims.hands.landmarks import read_landmarks
from hakoniwa_rigid.sims.hands.motion import HandMotion, read_motion, write_motion

ARRAYS = ('times', 'positions', 'orientations', 'radii', 'is_valid')
NS = 10**9


def equal(a, b):
    assert (a.hand, a.frame, a.names) == (b.hand, b.frame, b.names)
    for name in ARRAYS:
        assert_array_equal(getattr(a, name), getattr(b, name))


@pytest.mark.parametrize('motion', [moves.strike(hand='left', speed=1.0), moves.wave()], ids=['left', 'wave'])
def test_a_written_recording_reads_back_the_same(tmp_path, motion):
    write_motion(tmp_path / 'hand.npz', motion)
    equal(read_motion(tmp_path / 'hand.npz'), motion)


def test_a_recording_without_names_and_radii_and_with_lost_joints_reads_back_the_same(tmp_path):
    m = moves.punch()
    lost = m.is_valid.copy()
    lost[:, 4] = False
    positions = m.positions.copy()
    positions[:, 4] = np.nan
    bare = HandMotion(m.hand, m.frame, (), m.times + 0.5, positions, m.orientations, np.zeros(0, np.float32), lost)
    write_motion(tmp_path / 'hand.npz', bare)
    equal(read_motion(tmp_path / 'hand.npz'), bare)


@pytest.mark.parametrize('name', sorted(recordings.RECORDINGS))
def test_the_shipped_recordings_are_small_and_what_the_generator_makes(name):
    file, made = config_file('hands', name), recordings.RECORDINGS[name]()
    assert file.stat().st_size <= 65_000
    if isinstance(made, HandMotion):
        shipped = read_motion(file)
        for key in ARRAYS:
            assert_allclose(getattr(shipped, key), getattr(made, key), atol=1e-6)
    else:
        for shipped, hand in zip(read_landmarks(file), made, strict=True):
            assert_allclose(shipped.image, hand.image, atol=1e-6)
            assert_allclose(shipped.world, hand.world, atol=1e-6)


def test_made_anew_they_have_equal_bytes(tmp_path):
    # the motions are the same: the test above; the bytes of a file must not depend on when it is written
    motions = {name: make for name, make in recordings.RECORDINGS.items() if not re.search('_[0-9]+hz', name)}
    folders = [tmp_path / 'a', tmp_path / 'b']
    for folder in folders:
        folder.mkdir()
        recordings.write_all(folder, motions)
    for name in motions:
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes()


def test_webxr_has_25_joints_in_its_order():
    assert len(WEBXR_NAMES) == len(set(WEBXR_NAMES)) == 25
    assert WEBXR_NAMES[:6] == ('wrist', 'thumb-metacarpal', 'thumb-phalanx-proximal', 'thumb-phalanx-distal',
                               'thumb-tip', 'index-finger-metacarpal')
    assert WEBXR_NAMES[-1] == 'pinky-finger-tip'


@pytest.mark.parametrize('side', SIDES)
@pytest.mark.parametrize('curl', [0.0, 0.4])
def test_every_joint_points_along_its_bone(curl, side):
    positions, orientations = hand_pose(curl, side)
    for k in range(1, 25):
        start = 0 if 'metacarpal' in WEBXR_NAMES[k] else k - 1
        bone = positions[k] - positions[start]
        minus_z = Rotation.from_quat(orientations[k]).apply([0.0, 0.0, -1.0])
        assert_allclose(minus_z, bone / np.linalg.norm(bone), atol=1e-9)
    # the back of the flat hand is up
    assert_allclose(Rotation.from_quat(orientations[0]).apply([0.0, 1.0, 0.0]), [0.0, 0.0, 1.0], atol=1e-12)


def test_a_left_hand_is_the_mirror_image_of_a_right_one():
    right, left = hand_pose(0.3)[0], hand_pose(0.3, 'left')[0]
    assert_allclose(left, right * [1.0, -1.0, 1.0], atol=1e-15)
    # back up and fingers ahead, the thumb of a left hand points to the right (-y)
    assert left[WEBXR_NAMES.index('thumb-tip'), 1] < -0.05


def test_curling_bends_towards_the_palm():
    assert hand_pose(0.5)[0][:, 2].min() < -0.03


def speeds(motion):
    """Of the wrist, m/s."""
    return np.linalg.norm(np.diff(motion.positions[:, 0], axis=0), axis=1) / np.diff(motion.times)


def test_strike_goes_through_its_target_at_its_speed_and_returns():
    motion = moves.strike(target=(1.0, 2.0, 3.0), direction=(0.0, 1.0, 0.0), speed=1.2, reach=0.9)
    assert_allclose(speeds(motion).max(), 1.2, rtol=0.01)
    assert_array_equal(motion.positions[0], motion.positions[-1])
    # some joint passes within 3 cm of the target, and before the stroke none is within reach
    assert np.linalg.norm(motion.positions - [1.0, 2.0, 3.0], axis=2).min() < 0.03
    assert np.linalg.norm(motion.positions[0] - [1.0, 2.0, 3.0], axis=1).min() > 0.6
    assert_allclose(np.linalg.norm(motion.orientations, axis=2), 1.0, atol=1e-6)


def test_punch_is_at_its_fastest_where_it_hits():
    motion = moves.punch(target=(0.7, 0.0, 1.2), speed=3.0)
    assert_allclose(speeds(motion).max(), 3.0, rtol=0.01)
    fastest = int(speeds(motion).argmax())
    knuckle = WEBXR_NAMES.index('middle-finger-phalanx-proximal')
    # two samples lie 5 cm apart there
    assert_allclose(motion.positions[fastest, knuckle, 0], 0.7, atol=0.06)
    # a fist: the fingertips lie behind the knuckles
    assert motion.positions[0, WEBXR_NAMES.index('middle-finger-tip'), 0] < motion.positions[0, knuckle, 0]


def test_lift_raises_a_level_palm_by_half_a_metre_and_tilts_it():
    motion = moves.lift(height=0.5, tilt=np.radians(25.0))
    knuckles = motion.positions[:, [WEBXR_NAMES.index(f'{f}-finger-phalanx-proximal') for f in ('index', 'pinky')]]
    wrist = motion.positions[:, 0]
    across, along = knuckles[:, 0] - knuckles[:, 1], knuckles.mean(axis=1) - wrist
    normal = np.cross(across, along)
    tilt = np.degrees(np.arccos(np.abs(normal[:, 2]) / np.linalg.norm(normal, axis=1)))
    level, tilted = motion.index_at(2.0), motion.index_at(3.5)
    assert_allclose([tilt[0], tilt[level], tilt[-1]], 0.0, atol=0.1)
    assert_allclose(tilt[tilted], 25.0, atol=0.1)
    assert_allclose(wrist[level, 2] - wrist[0, 2], 0.5, atol=1e-6)
    # face up: the back of the hand is down
    back = Rotation.from_quat(motion.orientations[0, 0]).apply([0.0, 1.0, 0.0])
    assert_allclose(back, [0.0, 0.0, -1.0], atol=1e-6)


def test_strike_that_does_not_fit_its_duration_says_so():
    with pytest.raises(ValueError, match='longer than duration'):
        moves.strike(speed=0.1)


def test_index_at_is_the_newest_sample():
    motion = moves.strike()
    assert [motion.index_at(t) for t in (-1.0, 0.0, 0.016, 1 / 60, 1.0, 99.0)] == [0, 0, 0, 1, 60, 240]


@pytest.mark.parametrize(('key', 'value', 'word'), [
    ('format', np.array('else'), 'format: must be'),
    ('positions', np.zeros((3, 25, 3)), r'positions: must have shape \(241, 25, 3\), got \(3, 25, 3\)'),
    ('times', np.zeros(241), 'times: must'),
    ('times', None, 'times: missing'),
    ('radii', np.zeros(25), 'radii: must be > 0'),
    ('radii', np.array(['a'] * 25), 'radii: must be of kind'),
    ('orientations', np.full((241, 25, 4), np.nan), r'orientations\[0, 0\]: must be finite'),
    ('names', np.array(['wrist']), 'names: must have shape'),
])
def test_wrong_files_are_named(tmp_path, key, value, word):
    file = tmp_path / 'wrong.npz'
    write_motion(file, moves.strike())
    with np.load(file) as data:
        arrays = dict(data)
    arrays[key] = value
    np.savez(file, **{k: a for k, a in arrays.items() if a is not None})
    with pytest.raises(ValueError, match=word) as caught:
        read_motion(file)
    assert 'wrong.npz' in str(caught.value)


def test_a_file_that_is_no_recording_is_named(tmp_path):
    file = tmp_path / 'text.npz'
    for content in (b'no', b'', b'PK\x03\x04 but no more'):
        file.write_bytes(content)
        with pytest.raises(ValueError, match='text.npz'):
            read_motion(file)
    with pytest.raises(FileNotFoundError):
        read_motion(tmp_path / 'nowhere.npz')


def track(hand='right', **changes):
    motion = moves.wave()
    made = HandTrack(hand, 'tracker', motion.names, motion.stamps + 5 * NS + 1, motion.positions.astype(float),
                     motion.orientations.astype(float), motion.radii, motion.is_valid)
    return made._replace(**changes)


def test_hands_go_through_a_bag_unchanged(tmp_path):
    tracks = [track('left', radii=np.zeros(0, np.float32), names=()), track()]
    for bag in ('a.mcap', 'b.mcap'):
        write_hands(tmp_path / bag, tracks)
    assert (tmp_path / 'a.mcap').read_bytes() == (tmp_path / 'b.mcap').read_bytes()
    for found, given in zip(read_hands(tmp_path / 'a.mcap'), tracks, strict=True):
        assert (found.hand, found.frame, found.names) == (given.hand, given.frame, given.names)
        for key in ('stamps_ns', 'positions', 'orientations', 'radii', 'is_valid'):
            assert_array_equal(getattr(found, key), getattr(given, key))


def test_a_joint_without_numbers_in_a_bag_is_a_missing_joint(tmp_path):
    positions = track().positions.copy()
    positions[3, 7, 1] = np.nan
    write_hands(tmp_path / 'a.mcap', [track(positions=positions, is_valid=np.ones((90, 25), dtype=bool))])
    (found,) = read_hands(tmp_path / 'a.mcap')
    assert np.argwhere(~found.is_valid).tolist() == [[3, 7]]


def test_a_bag_without_hands_says_what_it_has(tmp_path):
    from hakoniwa_rigid.replay.bag.writer import BagWriter
    with BagWriter(tmp_path / 'a.mcap') as bag:
        bag.topic('/d0/odom', 'nav_msgs/msg/Odometry')
    with pytest.raises(BagError, match='HandJoints'):
        read_hands(tmp_path / 'a.mcap')


def hand(*words):
    return cli.main(['hand', *map(str, words)])


def test_conversion_there_and_back_gives_equal_bytes(tmp_path, capsys):
    """Stamps in bags are whole nanoseconds: from the first bag on nothing is lost."""
    a, b, c, d = (tmp_path / name for name in ('a.mcap', 'b.npz', 'c.mcap', 'd.npz'))
    assert [hand('wave_right.npz', '-o', a), hand(a, '-o', b), hand(b, '-o', c), hand(c, '-o', d)] == [0] * 4
    assert a.read_bytes() == c.read_bytes()
    assert b.read_bytes() == d.read_bytes()
    shipped, again = read_motion(config_file('hands', 'wave_right.npz')), read_motion(b)
    assert_allclose(again.times, shipped.times, atol=0.6e-9)
    for key in ('positions', 'orientations', 'radii', 'is_valid'):
        assert_array_equal(getattr(again, key), getattr(shipped, key))
    assert '90 samples of 25 joints in 4.000 s, 30.0 Hz, longest gap 0.800 s' in capsys.readouterr().out


def test_joints_to_landmarks_and_back(tmp_path):
    """A camera that sees without errors: the six decimals of the file are all that is lost."""
    true = moves.strike(target=(0.75, 0.1, 1.2), direction=(1.0, 0.0, 0.0), speed=0.8, reach=0.25, duration=1.5)
    write_motion(tmp_path / 'a.npz', true)
    view = ('--width', 1280, '--height', 720, '--fov', 80, '--camera-pose', -0.1, 0, 1.3, -0.5, 0.5, -0.5, 0.5)
    for name in ('b.jsonl', 'b.csv', 'b.jsonl.gz'):
        for mirror in ((), ('--mirrored',)):
            out = tmp_path / name
            assert hand(tmp_path / 'a.npz', '-o', out, *view, *mirror) == 0
            assert hand(out, '-o', tmp_path / 'c.npz', *view, *mirror) == 0
            found = read_motion(tmp_path / 'c.npz')
            assert (found.hand, len(found.names), len(found.radii)) == ('right', 21, 0)
            from_webxr = [0, 1, 2, 3, 4, *range(6, 10), *range(11, 15), *range(16, 20), *range(21, 25)]
            assert_allclose(found.positions, true.positions[:, from_webxr], atol=1e-4)
    assert gzip.decompress((tmp_path / 'b.jsonl.gz').read_bytes()) == (tmp_path / 'b.jsonl').read_bytes()


@pytest.mark.parametrize(('words', 'text'), [
    (['nowhere.npz'], 'nowhere.npz: no such file; '),
    (['strike_right.npz', '-o', '{}/x.jsonl'], 'behind the camera'),
    (['two.mcap', '-o', '{}/x.npz'], 'choose one of them with --hand: left, right'),
    (['two.mcap', '--hand', 'third'], '--hand third: it has left, right'),
    (['wave_right.npz', '--fov', '200'], 'fov: must be'),
    (['strike_right.npz', '-o', '{}/none/x.npz'], 'none'),
])
def test_what_cannot_be_converted_is_named(tmp_path, monkeypatch, capsys, words, text):
    monkeypatch.chdir(tmp_path)
    write_hands(tmp_path / 'two.mcap', [track('left'), track()])
    view = ('--camera-pose', 0, 0, 1, 0.5, -0.5, -0.5, 0.5)    # looks along -x
    assert hand(*(word.format(tmp_path) for word in words), *view) == 1
    assert text in capsys.readouterr().err
