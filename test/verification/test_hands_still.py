# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A hand that is held still shakes no drone: rms and peak of a drone's speed while it rests against the hand, with and
without tracker noise of 1 mm rms per coordinate at 60 Hz."""
import numpy as np
import pytest
from hand_streams import BALL, LAYOUTS, UPRIGHT, G, make_hand, make_scene, play, still, stroke, track

SETTLED, END = 1.5, 3.5     # s
HALF, MASS = 0.025, 0.71    # m half height, kg of the drone model
NOISES = {'none': {}, 'each joint': {'noise': 1e-3}, 'whole hand': {'noise': 1e-3, 'common': True}}


def top(hand):
    """m, how far a hand that lies in the plane z = 0 reaches up at most."""
    return float(hand.radii.max())


def against_the_hand(layout, authority, seed, model='unity', **tracker):
    """A box above the back of a hand, pressed on it by a tenth of its weight, or by a plan 1.5 cm inside the hand."""
    hand = make_hand(layout)
    at = np.array([0.0 if layout == 1 else 0.06, 0.0, top(hand) + HALF + 1e-3])
    scene = make_scene({'d0': (model, authority)}, skin=(0.0, 0.5),
                       gravity=(0, 0, -0.1 * G if authority == 'simulate' else 0))
    scene.feed_drone('d0', 0, at, UPRIGHT)
    samples = track(still((0, 0, 0)), hand, END, jitter=0.2, seed=seed, **tracker)
    plans = {'d0': (at - (0, 0, 0.016), UPRIGHT)} if authority == 'correct' else None
    return play(scene, {'right': samples}, END, plans=plans)


@pytest.mark.parametrize('noise', NOISES)
@pytest.mark.parametrize('authority', ['simulate', 'correct'])
@pytest.mark.parametrize(('layout', 'seed'), list(zip(LAYOUTS, range(4), strict=True)))
def test_drone_against_a_still_hand(layout, seed, authority, noise):
    """rms of the speed below 1 cm/s without noise and 5 cm/s with it; peaks below four times that; it stays there."""
    seen = against_the_hand(layout, authority, seed, **NOISES[noise])
    here = seen.t > SETTLED
    speed = np.linalg.norm(seen.v[here, 0], axis=1)
    bound = 0.05 if NOISES[noise] else 0.01
    rms, strayed = np.sqrt(np.mean(speed ** 2)), np.ptp(seen.x[here, 0], axis=0).max()
    reported = f'rms {rms * 100:.2f} cm/s, peak {speed.max() * 100:.2f} cm/s, strayed {strayed * 1000:.1f} mm'
    assert seen.begins, 'never touched'
    assert rms < bound and speed.max() < 4 * bound and strayed < 0.02, reported


@pytest.mark.parametrize('common', [False, True], ids=['each joint', 'whole hand'])
@pytest.mark.parametrize('rate', [30, 90])
@pytest.mark.parametrize('layout', LAYOUTS)
def test_noise_reaches_nothing_a_centimetre_away(layout, rate, common):
    """1 mm rms, a drone 1 cm above: ten standard deviations."""
    hand = make_hand(layout)
    scene = make_scene({'d0': ('unity', 'simulate')})
    scene.feed_drone('d0', 0, (0.06 * (layout > 1), 0, top(hand) + HALF + 0.01), UPRIGHT)
    seen = play(scene, {'right': track(still((0, 0, 0)), hand, 1.2, rate=rate, noise=1e-3, common=common, seed=layout,
                                       jitter=0.3, latency=0.03)}, 1.2)
    assert not seen.events and seen.fastest() == 0.0


@pytest.mark.parametrize(('rate', 'latency', 'gap'), [(30, 0.0, 0.02), (60, 0.0, 0.01), (90, 0.0, 0.01),
                                                      (60, 0.04, 0.02), (30, 0.04, 0.03)])
@pytest.mark.parametrize('layout', [25, 1])
def test_hand_that_stops_short_does_not_reach_on(layout, rate, latency, gap):
    """A stroke of 1 m/s over 0.5 m that ends below a drone.  It slows by 4 m/s^2: the mean velocity of the last period,
    held for s = 1/rate + latency, goes 4 s (s + 1/rate)/2 too far, 15 mm at 30 Hz and 40 ms; the gap is twice that."""
    hand, seconds = make_hand(layout), np.pi * 0.5 / 2.0
    scene = make_scene({'d0': ('unity', 'simulate')})
    scene.feed_drone('d0', 0, (0.06 * (layout > 1), 0, top(hand) + HALF + gap), UPRIGHT)
    way = stroke((0, 0, -0.5), (0, 0, 0.5), 0.1, seconds)
    seen = play(scene, {'right': track(way, hand, 1.5, rate=rate, latency=latency)}, 1.5)
    assert not seen.events and seen.fastest() == 0.0


def test_repeated_pose_under_a_drone_is_no_motion():
    """The tracker sends the same pose again and again: the drone pressed on the ball is at rest."""
    hand = make_hand(1)
    scene = make_scene({'d0': ('unity', 'simulate')}, skin=(0.0, 0.5))
    scene.feed_drone('d0', 0, (0, 0, BALL + HALF), UPRIGHT)
    samples = track(still((0, 0, 0)), hand, 1.2, rate=90)
    seen = play(scene, {'right': samples}, 1.2, wrenches={'d0': ((0, 0, -MASS), (0, 0, 0))})
    assert seen.begins and seen.fastest(first=0.8) < 1e-3
