# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The tree of frames against scipy's rotations and against what a user of /tf expects."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation, Slerp

from hakoniwa_rigid.rotations import IDENTITY, Rigid, multiply_xyzw, rotate_xyzw, slerp_xyzw, yaw
from hakoniwa_rigid.scene.frames.frame_tree import KEPT, MOST_FRAMES, FrameError, FrameTree

NS = 1_000_000_000
MS = 1_000_000
UNIT = (0.0, 0.0, 0.0, 1.0)
HOLD = 100 * MS


def random_rigid(rng) -> Rigid:
    return Rigid(tuple(rng.normal(size=3)), tuple(Rotation.random(random_state=rng).as_quat()))


def matrix(t: Rigid) -> np.ndarray:
    m = np.eye(4)
    m[:3, :3], m[:3, 3] = Rotation.from_quat(t.orientation).as_matrix(), t.position
    return m


@given(st.integers(0, 2**31))
def test_rigid_transforms_are_their_matrices(seed):
    rng = np.random.default_rng(seed)
    a, b = random_rigid(rng), random_rigid(rng)
    p, q = rng.normal(size=(5, 3)), Rotation.random(5, random_state=rng)
    assert_allclose(matrix(a.after(b)), matrix(a) @ matrix(b), atol=1e-14)
    assert_allclose(matrix(a.inverse()), np.linalg.inv(matrix(a)), atol=1e-14)
    assert_allclose(a.point(tuple(p[0])), (matrix(a) @ [*p[0], 1])[:3], atol=1e-14)
    assert_allclose(a.points(p), [a.point(tuple(row)) for row in p], atol=1e-14)
    assert_allclose(a.vectors(p), [a.vector(tuple(row)) for row in p], atol=1e-14)
    turned = Rotation.from_quat(a.orientations(q.as_quat())) * q.inv()
    assert_allclose(turned.as_matrix(), [matrix(a)[:3, :3]] * 5, atol=1e-14)
    assert a.vector(None) is None


@given(st.integers(0, 2**31), st.floats(0, 1))
def test_slerp_is_the_short_way_at_constant_speed(seed, share):
    p, q = Rotation.random(2, random_state=np.random.default_rng(seed))
    between = Rotation.from_quat(slerp_xyzw(tuple(p.as_quat()), tuple(-q.as_quat()), share))
    expected = Slerp([0, 1], Rotation.concatenate([p, q]))(share)
    assert (between.inv() * expected).magnitude() < 1e-7


def test_slerp_of_equal_ends_is_that_end():
    q = (0.6, 0.0, 0.0, 0.8)
    assert_allclose(slerp_xyzw(q, q, 0.3), q, atol=1e-15)


def test_a_quarter_turn_takes_north_west_to_east_north():
    turn = yaw(0.5 * np.pi)
    assert_allclose(turn.point((1, 0, 0)), (0, 1, 0), atol=1e-15)   # north is y of east-north-up
    assert_allclose(turn.point((0, 1, 0)), (-1, 0, 0), atol=1e-15)  # west is -x
    assert_allclose(rotate_xyzw(multiply_xyzw(turn.orientation, turn.orientation), (1, 2, 3)), (-1, -2, 3), atol=1e-15)


@pytest.mark.parametrize(('position', 'orientation', 'said'), [
    ((np.nan, 0, 0), UNIT, 'must be finite'),
    ((0, 0, 0), (0, 0, 0, np.inf), 'must be finite'),
    ((0, 0, 0), (0, 0, 0, 0), 'must have length 1'),
    ((0, 0, 0), (1, 0, 0, 1), 'of length 1.414'),
])
def test_poses_that_are_none_are_refused(position, orientation, said):
    with pytest.raises(ValueError, match=said):
        Rigid.checked(position, orientation)
    with pytest.raises(ValueError, match=said):
        FrameTree(HOLD).put('world', 'a', 0, position, orientation)


def tree() -> FrameTree:
    """world -> map -> odom -> base; world -> room -> camera; only odom -> base moves: 1 m/s along x, 1 rad/s."""
    made = FrameTree(HOLD)
    made.put('world', 'map', None, (1, 0, 0), UNIT)
    made.put('map', 'odom', None, (0, 1, 0), yaw(0.5 * np.pi).orientation)
    for k in range(11):
        t = 0.1 * k
        made.put('odom', 'base', int(t * NS), (t, 0, 0), yaw(t).orientation)
    made.put('world', 'room', None, (0, 0, 5), UNIT)
    made.put('room', 'camera', None, (0, 2, 0), UNIT)
    return made


def test_chains_are_composed_and_interpolated():
    pose = tree().lookup('base', 'world', 250 * MS)
    # odom's x axis is the world's y
    assert_allclose(pose.position, (1, 1.25, 0), atol=1e-12)
    assert_allclose(Rotation.from_quat(pose.orientation).as_rotvec(), (0, 0, 0.5 * np.pi + 0.25), atol=1e-12)


def test_frames_on_other_branches_meet_at_the_common_ancestor():
    made = tree()
    assert_allclose(made.lookup('camera', 'odom', 0).position, (1, 1, 5), atol=1e-12)
    assert_allclose(made.lookup('world', 'camera', 0).position, (0, -2, -5), atol=1e-12)
    assert made.lookup('odom', 'odom', 0) == IDENTITY
    assert_allclose(matrix(made.lookup('base', 'camera', NS)) @ matrix(made.lookup('camera', 'base', NS)), np.eye(4),
                    atol=1e-12)


def test_the_newest_transform_holds_for_a_while_and_no_longer():
    made = tree()
    assert_allclose(made.lookup('base', 'odom', NS + HOLD).position, (1, 0, 0), atol=1e-12)
    with pytest.raises(FrameError, match=r"newest transform of 'base' in 'odom' is 0.2 s older"):
        made.lookup('base', 'world', NS + 2 * HOLD)
    with pytest.raises(FrameError, match=r"'base' in 'odom' is known only from 1 s later"):
        made.lookup('base', 'world', -NS)


def test_unknown_and_unconnected_frames_say_so():
    made = tree()
    with pytest.raises(FrameError, match="no transform of 'tracker' is known"):
        made.lookup('tracker', 'world', 0)
    made.put('lab', 'tracker', None, (0, 0, 0), UNIT)
    with pytest.raises(FrameError, match="'tracker' hangs on 'lab', which is not connected to the world"):
        made.lookup('tracker', 'world', 0)
    assert 'tracker' in made
    assert not made.connected('tracker', 'world')
    assert made.connected('camera', 'odom')
    assert 'lab' not in made


@pytest.mark.parametrize(('parent', 'frame'), [('base', 'map'), ('base', 'base'), ('', 'x'), ('x', '')])
def test_loops_and_nameless_frames_are_refused_and_change_nothing(parent, frame):
    made = tree()
    with pytest.raises(FrameError, match='loop|two names'):
        made.put(parent, frame, None, (0, 0, 0), UNIT)
    assert_allclose(made.lookup('base', 'world', 0).position, (1, 1, 0), atol=1e-12)


def test_a_frame_may_change_its_parent():
    made = tree()
    made.put('room', 'base', NS, (1, 1, 1), UNIT)
    assert_allclose(made.lookup('base', 'world', NS).position, (1, 1, 6), atol=1e-12)


def test_late_and_repeated_transforms_find_their_place():
    made = FrameTree(HOLD)
    for t in (0, 400, 200, 400, 300, 100):
        made.put('world', 'a', t * MS, (t, 0, 0), UNIT)
    for t in (0, 50, 150, 250, 399, 400):
        assert_allclose(made.lookup('a', 'world', t * MS).position[0], t, atol=1e-9)


def test_a_source_that_begins_anew_is_believed():
    made = tree()
    made.put('odom', 'base', 100 * NS, (7, 0, 0), UNIT)
    made.put('odom', 'base', 5 * NS, (8, 0, 0), UNIT)
    assert made.newest('base', 'odom') == 5 * NS
    assert made.lookup('base', 'odom', 5 * NS).position == (8, 0, 0)


def test_the_newest_common_time_is_that_of_the_slowest_edge():
    made = tree()
    assert made.newest('base', 'world') == NS
    made.put('base', 'lidar', 600 * MS, (0, 0, 0), UNIT)
    assert made.newest('lidar', 'world') == 600 * MS
    assert made.newest('camera', 'world') is None


def test_memory_is_bounded():
    made = FrameTree(HOLD)
    for k in range(5 * KEPT):
        made.put('world', 'a', k * MS, (k, 0, 0), UNIT)
    assert len(made._edges['a'].history) == KEPT
    made.put('world', 'a', 3600 * NS, (0, 0, 0), UNIT)
    assert len(made._edges['a'].history) == 1
    with pytest.raises(FrameError, match='frames already'):
        for k in range(MOST_FRAMES + 1):
            made.put('world', f'f{k}', 0, (0, 0, 0), UNIT)


def test_forgetting_keeps_what_does_not_move():
    made = tree()
    made.forget()
    assert made.lookup('camera', 'world', 0).position == (0, 2, 5)
    assert 'base' not in made
