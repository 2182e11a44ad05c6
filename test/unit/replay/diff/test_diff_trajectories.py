# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Pose errors of two trajectories against closed forms."""
from dataclasses import replace

import numpy as np
import pytest
from diff_runs import START, TICK, line, run, ticks, yawed
from numpy.testing import assert_allclose

from hakoniwa_rigid.codec.message_fields import NANOSECONDS as NS
from hakoniwa_rigid.replay.diff.alignment import angle, sample, thinned
from hakoniwa_rigid.replay.diff.compare import compare
from hakoniwa_rigid.replay.diff.records import trajectory
from hakoniwa_rigid.replay.diff.tolerances import Tolerances, TrajectoryTolerance


def result_of(a, b, **tolerance):
    """The result for one drone."""
    tolerances = Tolerances(trajectories=TrajectoryTolerance(**tolerance))
    (result,) = compare(run([a]), run([b]), tolerances).trajectories
    return result


def words(result):
    return [d.quantity for d in result.differences]


def test_an_offset_is_in_the_ape_and_not_in_the_rpe():
    result = result_of(line(), line(offset=(0.03, -0.04, 0.12)))
    for value in (result.ape_translation.rmse, result.ape_translation.max):
        assert_allclose(value, 0.13, rtol=1e-12)
    assert result.rpe_translation.max < 1e-14 and result.ape_rotation.max == 0.0
    assert (result.samples, result.interpolated, words(result)) == (601, 0, ['APE translation'])
    (difference,) = result.differences
    assert difference.at_ns == START and difference.limit == 1e-3
    assert '0.13 m' in difference.text


def test_a_turned_start_is_in_the_rotation_and_turns_the_movements():
    """Seen from its own pose, a turned drone that flies the same way moves 2 v sin(angle / 2) differently per s."""
    result = result_of(line(), line(yaw=0.3))
    assert_allclose([result.ape_rotation.rmse, result.ape_rotation.max], 0.3, rtol=1e-12)
    assert_allclose([result.rpe_translation.rmse, result.rpe_translation.max], 2 * np.sin(0.15), rtol=1e-9)
    assert result.ape_translation.max == 0.0 and result.rpe_rotation.max < 1e-9


def test_drift():
    """x + k t: APE k t, its root mean square over n + 1 equal steps; RPE k step."""
    k, n = 0.02, 600
    result = result_of(line(), line(velocity=(1.0, k, 0.0), yaw_rate=k), rpe_step=0.5)
    rms = 3.0 / n * np.sqrt(n * (2 * n + 1) / 6)
    assert_allclose([result.ape_translation.max, result.ape_translation.rmse], [3 * k, rms * k], rtol=1e-9)
    assert_allclose([result.ape_rotation.max, result.ape_rotation.rmse], [3 * k, rms * k], rtol=1e-9)
    assert_allclose([result.rpe_rotation.rmse, result.rpe_rotation.max], 0.5 * k, rtol=1e-9)
    assert result.rpe_translation.n == n + 1 - 100


def test_rpe_of_a_drift_that_is_straight_ahead():
    result = result_of(line(), line(velocity=(1.25, 0.0, 0.0)), rpe_step=1.0)
    assert_allclose([result.rpe_translation.rmse, result.rpe_translation.max], 0.25, rtol=1e-9)


def test_a_run_shorter_than_the_step_has_no_rpe():
    result = result_of(line(), line(), rpe_step=10.0)
    assert result.rpe_translation.n == 0 and not result.differences


@pytest.mark.parametrize('late', [1_000_000, 2_500_000, 7_000_000])
def test_a_shift_in_time_is_speed_times_shift(late):
    """Interpolated on both sides: exact for straight flight."""
    a = line(velocity=(3.0, 4.0, 0.0))
    b = trajectory('d0', a.stamps + late, a.positions, a.orientations, a.topic, a.frame)
    result = result_of(a, b)
    assert_allclose([result.ape_translation.rmse, result.ape_translation.max], 5.0 * late / NS, rtol=1e-6)
    assert result.interpolated == result.samples > 1000


def test_other_sampling_is_no_difference_but_its_chords():
    """A circle at 200 and at 50 Hz: r (1 - cos(w dt / 2)) at the middle of a chord."""
    def circle(stamps, rate=2.0, radius=1.5):
        t = rate * (stamps - START) / NS
        return trajectory('d0', stamps, np.column_stack([radius * np.cos(t), radius * np.sin(t), 0 * t]), yawed(t))
    result = result_of(circle(ticks()), circle(ticks(period_ns=4 * TICK)))
    assert_allclose(result.ape_translation.max, 1.5 * (1 - np.cos(0.02)), rtol=1e-6)
    assert result.interpolated == 450
    assert words(result) == []


def test_limits_are_on_the_largest_and_on_the_mean():
    a, b = line(), line(offset=(0.01, 0.0, 0.0))
    assert words(result_of(a, b, ape_translation=0.02)) == []
    assert words(result_of(a, b, ape_translation=0.02, ape_translation_rmse=0.005)) == ['APE translation rmse']
    assert words(result_of(a, b, ape_translation=0.005, ape_translation_rmse=0.02)) == ['APE translation']


def test_the_first_sample_beyond_is_reported():
    a = line()
    positions = a.positions.copy()
    positions[300:, 2] += np.linspace(0.0, 0.5, 301)
    result = result_of(a, replace(a, positions=positions), ape_translation=0.1, rpe_translation=1.0)
    (difference,) = result.differences
    assert difference.at_ns == START + 361 * TICK
    assert_allclose(difference.error, 61 * 0.5 / 300, rtol=1e-9)
    assert 'at most 0.5 m' in difference.text


def test_no_pose_on_both_sides_is_equal_on_one_side_it_is_not():
    a = line()
    positions = a.positions.copy()
    positions[100] = np.nan
    broken = trajectory('d0', a.stamps, positions, a.orientations, a.topic, a.frame)
    assert words(result_of(broken, broken)) == []
    for result in (result_of(a, broken), result_of(broken, a)):
        assert set(words(result)) == {'APE translation', 'APE rotation', 'RPE translation', 'RPE rotation'}
        assert result.ape_translation.max == np.inf
        (first,) = [d for d in result.differences if d.quantity == 'APE translation']
        assert first.at_ns == START + 100 * TICK and 'NaN' in first.text


def test_a_quaternion_of_length_zero_is_no_pose_and_others_are_made_unit():
    a = line(yaw=0.4)
    q = 3.0 * a.orientations
    assert words(result_of(a, trajectory('d0', a.stamps, a.positions, q, a.topic, a.frame))) == []
    q[5] = 0.0
    broken = trajectory('d0', a.stamps, a.positions, q, a.topic, a.frame)
    assert not broken.finite[5] and broken.finite.sum() == 600


def test_q_and_minus_q_are_the_same_rotation():
    a = line(yaw=0.4)
    assert words(result_of(a, replace(a, orientations=-a.orientations))) == []


def test_a_hole_and_a_shorter_run_are_reported():
    a = line()
    hole = np.r_[0:200, 260:601]
    b = trajectory('d0', a.stamps[hole], a.positions[hole], a.orientations[hole], a.topic, a.frame)
    for one, two, side in ((a, b, 'actual'), (b, a, 'expected')):
        (difference,) = result_of(one, two).differences
        assert difference.text == f'{side} has no samples from 1 to 1.295 s, the other has 60'
    assert words(result_of(a, b, gap=0.4)) == []
    short = trajectory('d0', a.stamps[:500], a.positions[:500], a.orientations[:500], a.topic, a.frame)
    (difference,) = result_of(a, short).differences
    assert difference.text == 'actual has no samples from 2.6 to 3 s, the other has 81'


def test_poses_in_other_frames_are_different():
    (difference,) = result_of(line(), line(frame='map')).differences
    assert (difference.quantity, difference.at_ns) == ('frame', START)
    assert "'world' expected, in 'map' actual" in difference.text


def test_rows_are_sorted_and_the_last_of_equal_stamps_counts():
    t = trajectory('d0', [3, 1, 3, 2], np.arange(12.0).reshape(4, 3), np.tile([0.0, 0.0, 0.0, 1.0], (4, 1)))
    assert t.stamps.tolist() == [1, 2, 3]
    assert t.positions[:, 0].tolist() == [3.0, 9.0, 6.0]


def test_angle_is_exact_at_zero_and_good_for_small_and_large_ones():
    angles = np.array([0.0, 1e-12, 1e-6, 1.0, np.pi - 1e-6, np.pi])
    assert_allclose(angle(yawed(angles), yawed(0 * angles)), angles, rtol=1e-9)
    rng = np.random.default_rng(5)
    q = rng.normal(size=(100, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    assert (angle(q, q) == 0.0).all()


def test_what_is_left_out_lies_within_its_bounds():
    rng = np.random.default_rng(7)
    stamps = ticks(duration=20.0)
    walk = np.cumsum(np.cumsum(rng.normal(size=(len(stamps), 3)), axis=0), axis=0) * 2e-5
    t = trajectory('d0', stamps, walk, yawed(np.cumsum(rng.normal(size=len(stamps))) * 1e-3))
    rows = thinned(t, 0.01, 0.02, NS)
    few = trajectory('d0', t.stamps[rows], t.positions[rows], t.orientations[rows])
    guess = sample(few, t.stamps, NS)
    assert guess.known.all() and len(rows) < 0.2 * len(stamps)
    assert np.linalg.norm(guess.positions - t.positions, axis=1).max() <= 0.01
    assert angle(guess.orientations, t.orientations).max() <= 0.02
    assert np.diff(t.stamps[rows]).max() <= NS


def test_thinning_keeps_both_sides_of_a_hole_and_of_what_is_no_pose():
    a = line(stamps=ticks(duration=10.0))
    rows = np.r_[0:700, 1500:2001]
    positions = a.positions[rows].copy()
    positions[300] = np.nan
    t = trajectory('d0', a.stamps[rows], positions, a.orientations[rows])
    kept = thinned(t, 0.01, 0.02, NS)
    assert {0, 299, 300, 301, 699, 700, 1200} <= set(kept.tolist())
    few = trajectory('d0', t.stamps[kept], t.positions[kept], t.orientations[kept])
    assert sample(few, t.stamps, NS).known.all()
