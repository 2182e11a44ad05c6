"""Hand recordings: the file format round trip, the generated strike, WebXR's conventions."""
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.paths import config_file
from hakoniwa_rigid.sims.hand_motion import WEBXR_NAMES, hand_pose, read_motion, strike, write_motion

ARRAYS = ('times', 'positions', 'orientations', 'radii', 'is_valid')


def test_a_written_recording_reads_back_the_same(tmp_path):
    motion = strike(hand='left', speed=1.0)
    write_motion(tmp_path / 'hand.npz', motion)
    again = read_motion(tmp_path / 'hand.npz')
    assert (again.hand, again.frame, again.names) == ('left', 'world', WEBXR_NAMES)
    for name in ARRAYS:
        assert_array_equal(getattr(again, name), getattr(motion, name))


def test_equal_motions_give_equal_bytes(tmp_path):
    for name in 'ab':
        write_motion(tmp_path / name, strike())
    assert (tmp_path / 'a').read_bytes() == (tmp_path / 'b').read_bytes()


def test_the_shipped_recording_is_what_the_generator_makes():
    shipped, made = read_motion(config_file('hands', 'strike_right.npz')), strike()
    for name in ARRAYS:
        assert_allclose(getattr(shipped, name), getattr(made, name), atol=1e-6)


def test_webxr_has_25_joints_in_its_order():
    assert len(WEBXR_NAMES) == len(set(WEBXR_NAMES)) == 25
    assert WEBXR_NAMES[:6] == ('wrist', 'thumb-metacarpal', 'thumb-phalanx-proximal', 'thumb-phalanx-distal',
                               'thumb-tip', 'index-finger-metacarpal')
    assert WEBXR_NAMES[-1] == 'pinky-finger-tip'


@pytest.mark.parametrize('curl', [0.0, 0.4])
def test_every_joint_points_along_its_bone(curl):
    positions, orientations = hand_pose(curl)
    for k in range(1, 25):
        start = 0 if 'metacarpal' in WEBXR_NAMES[k] else k - 1
        bone = positions[k] - positions[start]
        minus_z = Rotation.from_quat(orientations[k]).apply([0.0, 0.0, -1.0])
        assert_allclose(minus_z, bone / np.linalg.norm(bone), atol=1e-9)
    # the back of the flat hand is up
    assert_allclose(Rotation.from_quat(orientations[0]).apply([0.0, 1.0, 0.0]), [0.0, 0.0, 1.0], atol=1e-12)


def test_curling_bends_towards_the_palm():
    assert hand_pose(0.5)[0][:, 2].min() < -0.03


def test_strike_goes_through_its_target_at_its_speed_and_returns():
    motion = strike(target=(1.0, 2.0, 3.0), direction=(0.0, 1.0, 0.0), speed=1.2, reach=0.9)
    speed = np.linalg.norm(np.diff(motion.positions[:, 0], axis=0), axis=1) * 60.0
    assert_allclose(speed.max(), 1.2, rtol=0.01)
    assert_array_equal(motion.positions[0], motion.positions[-1])
    # some joint passes within 3 cm of the target, and before the stroke none is within reach
    assert np.linalg.norm(motion.positions - [1.0, 2.0, 3.0], axis=2).min() < 0.03
    assert np.linalg.norm(motion.positions[0] - [1.0, 2.0, 3.0], axis=1).min() > 0.6
    assert_allclose(np.linalg.norm(motion.orientations, axis=2), 1.0, atol=1e-6)


def test_strike_that_does_not_fit_its_duration_says_so():
    with pytest.raises(ValueError, match='longer than duration'):
        strike(speed=0.1)


def test_index_at_is_the_newest_sample():
    motion = strike()
    assert [motion.index_at(t) for t in (-1.0, 0.0, 0.016, 1 / 60, 1.0, 99.0)] == [0, 0, 0, 1, 60, 240]


@pytest.mark.parametrize(('key', 'value', 'word'), [
    ('format', np.array('else'), 'format'),
    ('positions', np.zeros((3, 25, 3)), 'positions'),
    ('times', np.zeros(241), 'times'),
    ('radii', np.zeros(25), 'radii'),
    ('orientations', np.full((241, 25, 4), np.nan), 'finite'),
])
def test_wrong_files_are_named(tmp_path, key, value, word):
    file = tmp_path / 'wrong.npz'
    write_motion(file, strike())
    with np.load(file) as data:
        arrays = dict(data)
    np.savez(file, **(arrays | {key: value}))
    with pytest.raises(ValueError, match=word) as caught:
        read_motion(file)
    assert 'wrong.npz' in str(caught.value)


def test_a_file_that_is_no_recording_is_named(tmp_path):
    file = tmp_path / 'text.npz'
    file.write_text('no')
    with pytest.raises(ValueError, match='text.npz'):
        read_motion(file)
    with pytest.raises(FileNotFoundError):
        read_motion(tmp_path / 'nowhere.npz')
