# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Poses without velocities whose stamps are not when they were taken: speeds that come of them, at an impact too."""
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scene_worlds import MS, TICK, UPRIGHT, events_of, make_scene, wall_x

GRAVITY_FREE = {'gravity': (0.0, 0.0, 0.0)}
SPEED = 3.0     # m/s, the true one
SETTLED = 20    # poses until stamps are known as uneven


def jittered(rate, share, count, seed, lost=0.0):
    """When poses of an even stream were taken (s), and stamps (ns) off by up to `share` of its interval."""
    rng = np.random.default_rng(seed)
    taken = np.flatnonzero(rng.random(count) >= lost) / rate
    return taken, np.round((taken + 0.1 + rng.uniform(-share, share, len(taken)) / rate) * 1e9).astype(np.int64)


def speeds(taken, stamps, position, yaw=None):
    """Velocities (K,3), linear and angular, that a scene makes of each pose."""
    scene, found = make_scene('d0', **GRAVITY_FREE), []
    for t, stamp in zip(taken, stamps.tolist(), strict=True):
        turn = UPRIGHT if yaw is None else (0.0, 0.0, np.sin(yaw * t / 2), np.cos(yaw * t / 2))
        scene.feed_drone('d0', stamp, position(t), turn)
        found.append(scene._fleet.s.sample[0, 7:].copy())
    return np.array(found).reshape(-1, 2, 3).transpose(1, 0, 2)


@pytest.mark.parametrize('lost', [0.0, 0.05])
@pytest.mark.parametrize('share', [0.2, 0.45])
@pytest.mark.parametrize('rate', [30, 100, 200])
def test_even_flight_has_its_speed_whatever_the_stamps(rate, share, lost):
    taken, stamps = jittered(rate, share, 300, seed=rate, lost=lost)
    linear, angular = speeds(taken, stamps, lambda t: (SPEED * t, 0, 1), yaw=2.0)
    raw = SPEED * np.diff(taken) / np.diff(stamps * 1e-9)
    assert np.abs(raw - SPEED).max() > 0.3 * SPEED * share          # what differences make of it
    assert_allclose(linear[SETTLED:, 0], SPEED, rtol=0.2 * share)
    assert_allclose(angular[SETTLED:, 2], 2.0, rtol=0.2 * share)


@pytest.mark.parametrize('seed', range(8))
def test_impact_is_as_fast_as_the_flight(seed):
    """Into a wall at 3 m/s: the impulse is that of 3 m/s."""
    taken, stamps = jittered(100, 0.45, 150, seed)
    scene, fed, ticks = make_scene('d0', walls=[wall_x(2.0)], authority='observe', **GRAVITY_FREE), 0, []
    for now in range(0, int(stamps[-1]), TICK):
        while fed < len(stamps) and stamps[fed] <= now:
            scene.feed_drone('d0', stamps[fed], (SPEED * taken[fed], 0, 1), UPRIGHT)
            fed += 1
        ticks.append(scene.advance(now + TICK))
    before = next(event.relative_velocity_before for event in events_of(ticks))
    assert abs(before[0]) == pytest.approx(SPEED, rel=0.1)


def test_a_turn_about_is_seen_at_once():
    """A bounce: the speed turns within two poses, and is right again after it."""
    taken, stamps = jittered(100, 0.4, 200, seed=4)
    linear, _ = speeds(taken, stamps, lambda t: (SPEED * (1.0 - abs(1.0 - t)), 0, 1))
    turn = int(np.searchsorted(taken, 1.0))
    assert_allclose(linear[SETTLED:turn, 0], SPEED, rtol=0.1)
    assert_allclose(linear[turn + 2:, 0], -SPEED, rtol=0.1)


@pytest.mark.parametrize('noise', [0.0, 1e-4])
def test_true_stamps_are_taken_at_their_word(noise):
    """Poses that were taken when their uneven stamps say: neighbours are differenced, to the bit."""
    rng = np.random.default_rng(2)
    stamps = 100 * MS + np.cumsum(rng.integers(6 * MS, 14 * MS, 200))
    x = SPEED * stamps * 1e-9 + rng.normal(size=200) * noise
    at = dict(zip(stamps.tolist(), x.tolist(), strict=True))
    linear, _ = speeds(stamps, stamps, lambda stamp: (at[int(stamp)], 0, 1))
    assert_array_equal(linear[1:, 0], np.diff(x) * (1.0 / (np.diff(stamps) / 1e9)))


def test_even_stamps_are_taken_at_their_word_in_a_wild_flight():
    stamps = 100 * MS + np.arange(300) * 10 * MS
    t = stamps * 1e-9
    x = 0.4 * np.sin(6.0 * t)
    at = dict(zip(stamps.tolist(), x.tolist(), strict=True))
    linear, _ = speeds(stamps, stamps, lambda stamp: (at[int(stamp)], 0, 1))
    assert_array_equal(linear[1:, 0], np.diff(x) * (1.0 / (np.diff(stamps) / 1e9)))
