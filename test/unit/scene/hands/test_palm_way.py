# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What is known of the way of a hand that holds something: by the stamps of its samples, at most so many, once each."""
from dataclasses import replace

import numpy as np
import pytest
from hand_acts import NS, PALM, about, follow, gripped
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.scene.hands import palm_way
from hakoniwa_rigid.scene.hands.gestures import FIST
from hakoniwa_rigid.scene.hands.hand_layouts import LAYOUTS
from hakoniwa_rigid.scene.hands.hand_tracking import Tracking
from hakoniwa_rigid.scene.hands.palm_way import PalmWay
from hakoniwa_rigid.scene.records import Ledger
from hakoniwa_rigid.scene.world_files.world_types import HandConfig, SceneParams

VELOCITY, RATE = np.array((0.4, -1.5, 0.3)), 2.0


def way_of(samples):
    """The way of a hand that was seen in these samples, all before one tick."""
    tracking, way = Tracking(HandConfig('right'), SceneParams(), Ledger()), PalmWay()
    for s in samples:
        verdict = tracking.feed(s.stamp, LAYOUTS['webxr'], s.positions, s.valid, None)
        if verdict.taken:
            way.take(tracking, s.radii)
    return way


def moving(t):
    """Even and turning about the middle of the palm from 0.3 s on."""
    return VELOCITY * max(t - 0.3, 0.0)


def turning(t):
    return Rotation.from_rotvec((0.0, 0.0, RATE * max(t - 0.3, 0.0))).as_matrix()


def opening(seconds, opens=0.8, end=1.2, rate=80.0):
    return follow(about(moving, PALM, turning), gripped([0.0, 0.1, opens, opens + seconds], [0.0, 1.0, 1.0, 0.0]), end,
                  rate=rate)


@pytest.mark.parametrize('rate', [30.0, 80.0, 240.0])
@pytest.mark.parametrize('seconds', [0.1, 0.2])
def test_velocity_and_rate_before_it_opened_and_when_that_was(seconds, rate):
    at, v, w = way_of(opening(seconds, rate=rate)).before_opening(FIST)
    assert v == pytest.approx(VELOCITY, abs=0.05)
    assert w == pytest.approx((0.0, 0.0, RATE), abs=0.1)
    assert 0.6 < at / NS < 0.8


def test_a_hand_that_opens_slowly_throws_with_what_it_has_when_it_is_open():
    """It is braked while it opens, in a second."""
    samples = follow(about(lambda t: VELOCITY * min(t, 0.6), PALM, lambda t: np.eye(3)),
                     gripped([0.0, 0.1, 0.4, 1.4], [0.0, 1.0, 1.0, 0.0]), 1.4, rate=80.0)
    assert np.linalg.norm(way_of(samples).before_opening(FIST)[1]) < 0.05


def test_a_hand_at_rest_has_no_velocity():
    """Equal poses are one that stays."""
    samples = opening(0.1)
    still = [replace(s, positions=samples[0].positions) for s in samples]
    assert np.linalg.norm(way_of(still).before_opening(FIST)[1]) < 1e-9


def test_so_many_are_kept_and_none_is_before_the_first():
    assert way_of([]).before_opening(FIST) is None
    assert way_of(opening(0.1)[:1]).before_opening(FIST) is None
    way = way_of(opening(0.1, opens=9.0, end=2.0, rate=400.0))
    assert len(way._kept) == palm_way.MOST
    assert way.before_opening(FIST)[1] == pytest.approx(VELOCITY, abs=0.05)


def test_a_clock_that_was_set_back_begins_anew():
    tracking, way, samples = Tracking(HandConfig('right'), SceneParams(), Ledger()), PalmWay(), opening(0.1)
    for k, s in enumerate(samples[:40]):
        tracking.feed(s.stamp + 100 * NS * (k < 20), LAYOUTS['webxr'], s.positions, s.valid, None)
        way.take(tracking, s.radii)
    stamps = [stamp for stamp, _, _ in way._kept]
    assert stamps == sorted(stamps) and stamps[-1] < 100 * NS


@pytest.mark.parametrize('layout', ['sphere', 'mediapipe'])
def test_what_has_no_palm_that_can_be_placed_is_left_out(layout):
    tracking, way = Tracking(HandConfig('right'), SceneParams(), Ledger()), PalmWay()
    n = LAYOUTS[layout].joints
    for k in range(5):
        tracking.feed(k * NS // 80, LAYOUTS[layout], np.full((n, 3), 0.01 * k), np.ones(n, dtype=bool), None)
        way.take(tracking, LAYOUTS[layout].radii)
    assert way.before_opening(FIST) is None
