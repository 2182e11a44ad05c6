# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A hand strikes no harder than its samples show, wherever it appears, however late it is and whatever is lost.

The speed of a strike is that of a ball of restitution e that was at rest, over 1 + e.  A hand that goes at v m/s may
strike with 1.3 v + 0.2 at most: what it has to catch up moves it without striking at that speed.
"""
import numpy as np
import pytest
from hand_streams import FIST, LAYOUTS, POINT, UPRIGHT, ball_model, make_hand, make_scene, play, track

R, E = 0.1, 0.5     # of the ball


def strike_speed(end, samples):
    """m/s, the speed of the hand by the speed of the ball that it hits."""
    scene = make_scene({'d0': (ball_model(R, restitution=E), 'simulate')})
    scene.feed_drone('d0', 0, (0, 0, 0), UPRIGHT)
    return play(scene, {'right': samples}, end).fastest() / (1.0 + E)


def foremost(layout):
    """A hand whose tip of the index finger, or fist, meets the ball first, and its wrist where they touch."""
    hand = make_hand(layout, POINT)
    tip = hand.tip(layout)
    return hand, np.array([-R - hand.radii[tip], 0.0, 0.0]) - hand.points[tip]


def approach(touch, gap, speed, begin):
    """At rest `gap` m before the touch, then evenly towards it from `begin` s on."""
    return lambda t: (touch - (gap, 0, 0) + np.array([speed * max(0.0, t - begin), 0, 0]), np.eye(3))


@pytest.mark.parametrize('seed', range(12))
@pytest.mark.parametrize('layout', [25, 26, 21])
def test_no_stream_makes_a_strike_of_a_push(layout, seed):
    """5 mm to 20 cm away, 30 to 90 Hz, 0 to 60 ms late, 2 mm of noise, 5 % lost; from the first sample or from rest."""
    rng, over = np.random.default_rng([seed, layout]), []
    hand, touch = foremost(layout)
    for speed in (0.3, 0.5, 1.0, 2.0, 3.0):
        gap, rate, latency = rng.uniform(0.005, 0.2), rng.choice([30.0, 60.0, 72.0, 90.0]), rng.uniform(0.0, 0.06)
        rest, noise, share = rng.choice([0.0, 0.5]), rng.choice([0.0, 1e-3, 2e-3]), rng.choice([0.0, 0.05])
        begin = 0.1 + rest
        end = begin + (gap + 0.05) / speed + latency + 0.1
        samples = track(approach(touch, gap, speed, begin), hand, end, rate=rate, begin=0.1, latency=latency,
                        noise=noise, seed=seed, phase=rng.uniform())
        seen = [s for k, s in enumerate(samples) if k == 0 or rng.uniform() >= share]
        got = strike_speed(end, seen)
        if not 0.7 * speed - 0.1 < got < 1.3 * speed + 0.2:
            over.append((got, speed, gap, rate, latency, noise, rest))
    assert not over


@pytest.mark.parametrize('layout', LAYOUTS)
@pytest.mark.parametrize('speed', [0.5, 1.5])
@pytest.mark.parametrize('lost', [0.05, 0.1, 0.2])
def test_what_was_lost_is_caught_up_gently(layout, speed, lost):
    """No sample comes while the hand covers the last centimetres before the touch."""
    hand, touch = foremost(layout)
    begin, gap = 0.1, 0.3 * speed
    meets = begin + 0.3
    end = meets + lost + 0.2
    samples = [s for s in track(approach(touch, gap, speed, begin), hand, end, rate=60.0)
               if not meets - 0.5 * lost < s.stamp * 1e-9 < meets + 0.5 * lost]
    assert strike_speed(end, samples) < 1.3 * speed + 0.2


def test_a_fist_that_stops_behind_a_drone_is_there_soon():
    """The clamp holds it up; it comes to where its tracker has it within 0.3 s."""
    hand, touch = make_hand(25, FIST), np.array([-0.2, 0.0, 0.0])
    scene = make_scene({'d0': (ball_model(R, restitution=E), 'simulate')})
    scene.feed_drone('d0', 0, (0, 0, 0), UPRIGHT)

    def way(t):
        return touch + (min(max(0.0, t - 0.3) * 10.0, 0.5) - 0.25, 0, 0), np.eye(3)

    seen = play(scene, {'right': track(way, hand, 0.65)}, 0.65)
    middle = seen.hands[-1][0].box.position
    still = play(make_scene({}), {'right': track(lambda t: way(1.0), hand, 0.65)}, 0.65)
    assert np.linalg.norm(np.subtract(middle, still.hands[-1][0].box.position)) < 0.02
