# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Gestures of hands: what is one, what is not, and when it is over."""
import math

import numpy as np
import pytest
from hand_acts import pinching
from hand_streams import FIST, OPEN, make_hand

from hakoniwa_rigid.scene.hands.gestures import CLOSED, OPENED, PINCH, Gestures, curl_of
from hakoniwa_rigid.scene.hands.gestures import FIST as CLOSE
from hakoniwa_rigid.scene.hands.hand_layouts import layout_of

LAYOUTS = (25, 26, 21)
TICK = 0.005


def seen(postures, layout=25):
    """Gestures after hands (posture by tick) were looked at."""
    gestures = Gestures()
    for hand in postures:
        look(gestures, hand, layout=layout)
    return gestures


def look(gestures, tracked, sample=None, layout=25):
    """Hands as tracked, and as the newest sample has them (default: equal)."""
    gestures.look(layout_of(layout), tracked.points, (sample or tracked).points, TICK)


def curled(share, layout=25, side='right'):
    return make_hand(layout, tuple(share * np.array(FIST)), side)


@pytest.mark.parametrize('layout', LAYOUTS)
@pytest.mark.parametrize('side', ['left', 'right'])
def test_curl_is_0_of_straight_fingers_and_grows_with_their_bend(layout, side):
    curls = [curl_of(layout_of(layout), curled(share, layout, side).points) for share in (0.0, 0.3, 0.6, 1.0)]
    assert abs(curls[0]) < 1e-9 and np.diff(curls).min() > 0.02 and curls[-1] > 0.3


def test_curl_of_joints_that_are_missing_is_that_of_the_others():
    points = curled(0.5).points
    whole = curl_of(layout_of(25), points)
    points[9] = np.nan
    assert curl_of(layout_of(25), points) == pytest.approx(whole, abs=0.05)
    assert math.isnan(curl_of(layout_of(25), np.full((25, 3), np.nan)))


@pytest.mark.parametrize('layout', LAYOUTS)
def test_tips_that_come_together_are_a_pinch(layout):
    closing = [pinching(a, layout) for a in np.linspace(0.08, 0.02, 30)]
    gestures = seen(closing, layout)
    assert gestures.is_made(PINCH)
    gestures.hold()
    assert gestures.opening(PINCH) < 0.25
    for a in (0.03, 0.035):
        look(gestures, pinching(a, layout), layout=layout)
        assert gestures.is_made(PINCH) and not gestures.opened(PINCH)
    look(gestures, pinching(OPENED + 1e-3, layout), layout=layout)
    assert not gestures.is_made(PINCH) and gestures.opened(PINCH)


def test_a_pinch_lasts_for_a_moment_only():
    assert not seen([pinching(a) for a in np.linspace(0.08, 0.02, 30)] + 60 * [pinching(0.02)]).is_made(PINCH)


@pytest.mark.parametrize('posture', [pinching(0.02), curled(1.0), make_hand(25, OPEN)])
def test_a_hand_that_comes_in_as_it_stays_makes_no_gesture(posture):
    gestures = seen(100 * [posture])
    assert not gestures.is_made(PINCH) and not gestures.is_made(CLOSE)


@pytest.mark.parametrize('layout', LAYOUTS)
def test_fingers_that_close_are_a_gesture_those_that_open_undo_it(layout):
    gestures = seen([curled(share, layout) for share in np.linspace(0.0, 0.6, 30)], layout)
    assert gestures.is_made(CLOSE)
    gestures.hold()
    for share in (0.7, 0.68):
        look(gestures, curled(share, layout), layout=layout)
    assert gestures.opening(CLOSE) < 0.25
    look(gestures, curled(0.2, layout), layout=layout)
    assert gestures.opened(CLOSE)


@pytest.mark.parametrize(('gesture', 'posture', 'most', 'least'), [
    (CLOSE, curled, 1.0, 0.0), (PINCH, pinching, 0.02, 0.08)])
def test_what_the_track_alone_or_the_sample_alone_opens_is_not_open(gesture, posture, most, least):
    """A track runs on while samples are late, and comes back; noise of one sample is smoothed by the track."""
    gestures = seen([posture(a) for a in np.linspace(least, most, 30)])
    gestures.hold()
    look(gestures, posture(least), sample=posture(most))
    assert gestures.opening(gesture) > 1.0 and not gestures.opened(gesture)
    look(gestures, posture(most), sample=posture(least))
    assert not gestures.opened(gesture)
    look(gestures, posture(least))
    assert gestures.opened(gesture)


@pytest.mark.parametrize('noise', [5e-4, 1e-3])     # what tracking leaves of 2 mm
@pytest.mark.parametrize('share', [0.0, 0.4, 1.0])
def test_noise_is_no_gesture(noise, share):
    rng, hand, gestures, layout = np.random.default_rng(3), curled(share), Gestures(), layout_of(25)
    for _ in range(400):
        points = hand.points + noise * rng.normal(size=(25, 3))
        gestures.look(layout, points, points, 1.0 / 60.0)
        assert not gestures.is_made(CLOSE)


def test_an_unseen_tip_changes_nothing():
    gestures = seen([pinching(a) for a in np.linspace(0.08, CLOSED - 1e-3, 30)])
    points = pinching(0.06).points
    points[4] = np.nan
    gestures.look(layout_of(25), points, points, TICK)
    assert gestures.pinched and gestures.opening(PINCH) < 0.0
