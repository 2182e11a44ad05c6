# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Recorded acts: the pinch of the parametric hand, and what each recording says it shows, under a headset's noise."""
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.sims.hands import acts
from hakoniwa_rigid.sims.hands.figure import PINCH, SIDES, hand_pose, pinch_pose

THUMB, INDEX, WRIST, KNUCKLES = 4, 9, 0, [6, 11, 16, 21]
RATES = (30.0, 60.0, 72.0)


def tips_apart(motion):
    return np.linalg.norm(motion.positions[:, THUMB] - motion.positions[:, INDEX], axis=1)


def middle(motion):
    """(T,3) m of wrist and knuckles: they are one stiff body."""
    return motion.positions[:, [WRIST, *KNUCKLES]].mean(axis=1, dtype=float)


def near(motion, t, of):
    """The mean over 0.1 s around t."""
    return of[np.abs(motion.times - t) < 0.051].mean(axis=0)


@pytest.mark.parametrize('side', SIDES)
@pytest.mark.parametrize('aperture', [0.0, 0.03, 0.1])
def test_a_pinch_has_its_tips_where_it_says_and_bones_of_their_lengths(aperture, side):
    positions, rotations = pinch_pose(aperture, side)
    centre = PINCH * (1.0, 1.0 if side == 'right' else -1.0, 1.0)
    assert_allclose(positions[INDEX] - positions[THUMB], (aperture, 0, 0), atol=1e-12)
    assert_allclose(0.5 * (positions[INDEX] + positions[THUMB]), centre, atol=1e-12)
    flat = hand_pose(0.0, side)[0]
    for first in (1, 6):
        bones, same = (np.diff(p[first:first + 4], axis=0) for p in (positions, flat))
        assert_allclose(np.linalg.norm(bones, axis=1), np.linalg.norm(same, axis=1), atol=1e-12)
        for k, bone in enumerate(bones):
            along = Rotation.from_quat(rotations[first + 1 + k]).apply((0.0, 0.0, -1.0))
            assert_allclose(along, bone / np.linalg.norm(bone), atol=1e-9)
    rest = [k for k in range(25) if k not in (2, 3, 4, 7, 8, 9)]
    assert_array_equal(positions[rest], flat[rest])


def test_a_pinch_wider_than_the_hand_is_an_error():
    with pytest.raises(ValueError, match='do not reach'):
        pinch_pose(0.2)


@pytest.mark.parametrize('rate', RATES)
def test_a_headset_is_noisy_and_loses_samples(rate):
    """1 mm rms per coordinate, independent, before and beside rounding; 2 % lost, but not the first and the last."""
    true = acts.posed('right', np.arange(600) / rate, np.zeros((600, 3)), Rotation.identity(600),
                      [hand_pose(0.2)] * 600, np.zeros(3))
    seen = acts.by_headset(true, 3)
    off = seen.positions - true.positions[0]
    assert_allclose(off.std(axis=0), acts.NOISE, rtol=0.15)
    assert_allclose(off.mean(axis=0), 0.0, atol=2e-4)
    assert 0.005 * 600 < 600 - len(seen.times) < 0.04 * 600
    assert (seen.times[0], seen.times[-1]) == (true.times[0], true.times[-1])
    assert_array_equal(acts.by_headset(true, 3).positions, seen.positions)


@pytest.mark.parametrize('rate', RATES)
def test_grip(rate):
    """Open, closed beside the drone's edge, 1 m to the left, turned by 90 degrees, open again, at rest."""
    motion = acts.grip(rate)
    apart = tips_apart(motion)
    for t, aperture in ((0.9, acts.WIDE), (1.6, acts.TIGHT), (5.5, acts.TIGHT), (6.2, acts.WIDE)):
        assert_allclose(near(motion, t, apart), aperture, atol=3e-3)
    # where the tips meet is 2.5 cm beside the side of the drone
    tips = motion.positions[:, [THUMB, INDEX]].mean(axis=1)
    assert_allclose(near(motion, 1.6, tips), (0.725, 0.0, 1.2), atol=2e-3)
    assert_allclose(near(motion, 3.95, tips), (0.725, 1.0, 1.2), atol=2e-3)
    forward = [near(motion, t, motion.positions[:, KNUCKLES[1]] - motion.positions[:, WRIST]) for t in (1.6, 5.5)]
    assert_allclose(np.dot(*forward) / np.prod(np.linalg.norm(forward, axis=1)), 0.0, atol=0.03)
    assert np.abs(near(motion, 5.4, middle(motion)) - near(motion, 6.2, middle(motion))).max() < 1e-3


@pytest.mark.parametrize('rate', RATES)
def test_throw(rate):
    """2 m/s along x, even for more than 0.1 s before the tips are 2 cm apart, and until they are wide."""
    motion = acts.throw(rate)
    t, apart = motion.times, tips_apart(motion)
    even = (t > 3.16) & (t < 3.54)
    assert_allclose(np.polyfit(t[even], middle(motion)[even], 1)[0], (2.0, 0.0, 0.0), atol=0.01)
    assert apart[(t > 1.4) & (t < 3.29)].max() < 0.02 < 0.07 < apart[t > 3.42].min()


@pytest.mark.parametrize('rate', RATES)
def test_catch(rate):
    """A palm towards +x, which stays; fingers bend from 1.9 s on and open at 4."""
    motion = acts.catch(rate=rate)
    tips = motion.positions[:, [9, 14, 19, 24]].mean(axis=1)
    ahead = [near(motion, t, tips - middle(motion))[0] for t in (1.8, 2.5, 3.9, 4.35)]
    assert max(ahead[0], ahead[3]) < 0.04 < 0.05 < min(ahead[1:3])
    here = middle(motion)[motion.times > 1.1]
    assert np.ptp(here, axis=0).max() < 4e-3 and abs(here[:, 0].mean() - 0.4) < 2e-3


@pytest.mark.parametrize('rate', RATES)
def test_clap(rate):
    """Two hands at the same time, mirror images, that come to 3 cm inside the drone and go again."""
    right, left = acts.clap('right', rate), acts.clap('left', rate)
    for motion, sign in ((right, -1.0), (left, 1.0)):
        y = sign * middle(motion)[:, 1]
        assert_allclose([near(motion, t, y) for t in (0.9, 1.7)], (0.736, 0.236), atol=2e-3)
        assert y[-1] > 0.5
    assert right.hand == 'right' and left.hand == 'left'
