# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Poses without velocities whose stamps are close together: what they are differenced against, and what that keeps from
happening."""
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scene_worlds import MS, TICK, UPRIGHT, ZERO, floor, make_scene, wall_x

from hakoniwa_rigid.scene import Phase, Verdict

GRAVITY_FREE = {'gravity': (0.0, 0.0, 0.0)}
US = MS // 1000


def yaw(angle):
    return (0.0, 0.0, np.sin(angle / 2), np.cos(angle / 2))


def paired(gap_ns, end_ns, every_ns=30 * MS):
    """Stamps of a tracker that sends two poses at a time, till after the end."""
    return [at for k in range(TICK, end_ns + every_ns, every_ns) for at in (k, k + gap_ns)]


def velocities(stamps, positions, yaws=None):
    """Linear and angular velocities (K,3) that a scene makes of samples, of those which no other follows at once."""
    scene, found = make_scene('d0', **GRAVITY_FREE), []
    for k, (stamp, x) in enumerate(zip(stamps, positions, strict=True)):
        assert scene.feed_drone('d0', stamp, x, yaw(yaws[k]) if yaws is not None else UPRIGHT) is Verdict.ACCEPTED
        if k + 1 == len(stamps) or stamps[k + 1] > stamp + MS:
            states = scene.advance(stamp + MS // 2).states
            found.append((states.linear_velocities[0], states.angular_velocities[0]))
    return np.array(found).transpose(1, 0, 2)


@pytest.mark.parametrize('gap_ns', [50 * US, 100 * US, MS, 3 * MS])
def test_noisy_pairs_at_rest_on_a_floor_are_no_contacts_and_no_lift(gap_ns):
    """0.02 mm over 0.1 ms would be 0.2 m/s, which a tracker that sends nothing for 30 ms after makes 6 mm of."""
    scene, rng, fed = make_scene('d0', walls=[floor()]), np.random.default_rng(1), 0
    stamps, rest, highest, fastest, begun = paired(gap_ns, 3000 * MS), 0.051, 0.0, 0.0, 0
    for now in range(0, 3000 * MS, TICK):
        while stamps[fed] <= now:
            scene.feed_drone('d0', stamps[fed], np.array([0, 0, rest]) + rng.normal(size=3) * 2e-5, UPRIGHT)
            fed += 1
        tick = scene.advance(now + TICK)
        begun += sum(event.phase is Phase.BEGIN for event in tick.events)
        highest = max(highest, tick.states.positions[0, 2] - rest)
        fastest = max(fastest, np.abs(tick.states.linear_velocities[0]).max())
    assert highest < 2e-4 and fastest < 0.05 and begun == 0


@pytest.mark.parametrize(('low', 'high'), [(1500 * US, 2500 * US), (3 * MS, 7 * MS), (4 * MS, 90 * MS)])
def test_streams_with_jitter_are_differences_of_neighbours_to_the_bit(low, high):
    rng = np.random.default_rng(3)
    stamps = np.cumsum(rng.integers(low, high, size=60))
    positions = np.cumsum(rng.normal(size=(60, 3)) * 0.01, axis=0)
    found, _ = velocities(stamps.tolist(), positions)
    assert_array_equal(found[0], ZERO)
    steps = (np.diff(stamps) / 1e9)[:, None]
    assert_array_equal(found[1:], np.diff(positions, axis=0) * (1.0 / steps))


def test_pairs_have_the_velocity_over_the_interval_before_them():
    """An evenly moving and turning drone has its velocities; noise of the second of a pair counts over 30 ms."""
    stamps = np.array(paired(100 * US, 300 * MS))
    t = stamps / 1e9
    x = np.stack([2.0 * t, 0.0 * t, 1.0 + 0.0 * t], axis=1)
    linear, angular = velocities(stamps.tolist(), x, 3.0 * t)
    assert_array_equal(linear[0], ZERO)     # there is nothing old enough yet
    assert_allclose(linear[1:], np.tile((2.0, 0, 0), (len(linear) - 1, 1)), atol=1e-9)
    assert_allclose(angular[1:], np.tile((0, 0, 3.0), (len(linear) - 1, 1)), atol=1e-9)
    x[9, 0] += 1e-3
    linear, _ = velocities(stamps.tolist(), x)
    assert linear[4, 0] - 2.0 == pytest.approx(1e-3 / 0.0301)


def test_1_khz_of_poses_is_followed():
    """A parabola: the velocity is that of 1 to 2 ms ago, half the base."""
    t = np.arange(1, 200) * 1e-3
    x = np.stack([0.0 * t, 0.0 * t, 1.0 - 5.0 * t * t], axis=1)
    linear, _ = velocities((np.arange(1, 200) * (MS + 1)).tolist(), x)
    assert_allclose(linear[2:, 2], -10.0 * t[2:], atol=0.016)


@pytest.mark.parametrize('far', [3.0, 0.0], ids=['teleport', 'restart'])
def test_nothing_is_differenced_across_a_new_beginning(far):
    scene = make_scene('d0', **GRAVITY_FREE)
    for k in range(1, 11):
        scene.feed_drone('d0', 100 * MS + 10 * k * MS, (0.02 * k, 0, 1), UPRIGHT)
        scene.advance(100 * MS + 10 * k * MS)
    begin = 210 * MS
    if not far:
        scene.reset()
    scene.feed_drone('d0', begin, (far, 0, 1), UPRIGHT)
    scene.feed_drone('d0', begin + 100 * US, (far + 1e-4, 0, 1), UPRIGHT)
    assert_array_equal(scene.advance(begin + MS).states.linear_velocities[0], ZERO)
    scene.feed_drone('d0', begin + 10 * MS, (far + 0.02, 0, 1), UPRIGHT)
    assert_allclose(scene.advance(begin + 10 * MS).states.linear_velocities[0], (2.0, 0, 0), atol=1e-9)


def test_applying_at_1_khz_is_no_velocity_and_does_not_hold_the_old_one():
    """A sim that sends poses alone every ms takes our state over after a wall hit, and flies on from there."""
    scene, x, v = make_scene('d0', walls=[wall_x(0.5, restitution=0.5)], **GRAVITY_FREE), 0.0, 2.0
    applied, seen = 0, []
    for now in range(0, 500 * MS, MS):
        x += v * 1e-3
        scene.feed_drone('d0', now, (x, 0, 0), UPRIGHT)
        states = scene.advance(now + MS).states
        seen.append(states.linear_velocities[0, 0])
        if not applied and states.flags[0] & 2:
            x, v, applied = states.positions[0, 0] - 1e-3 * seen[-1], seen[-1], len(seen)
    assert applied and v < -0.5
    assert max(map(abs, seen)) < 2.5
    assert_allclose(seen[applied + 20:], v, rtol=0.02)


def test_hand_whose_samples_come_in_pairs_is_not_thrown():
    """0.2 mm over 0.1 ms would be 2 m/s at its second sample, and before it is smoothed."""
    scene, rng, fed = make_scene('d0', hands=['right']), np.random.default_rng(5), 0
    stamps, place = paired(100 * US, 600 * MS, 33 * MS), np.array([[0.3, 0.0, 1.0]])
    for now in range(0, 600 * MS, TICK):
        while stamps[fed] <= now:
            assert scene.feed_hand('right', stamps[fed], place + rng.normal(size=(1, 3)) * 2e-4) is Verdict.ACCEPTED
            fed += 1
        scene.feed_drone('d0', now, (0, 0, 1), UPRIGHT, ZERO, ZERO)
        bones = scene.advance(now + TICK).hands[0]
        if now > TICK:
            assert bones.enabled[0]
            assert np.abs(bones.positions[0] - place[0]).max() < 2e-3
