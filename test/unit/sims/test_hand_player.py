# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Recordings played: what is sent when, by a clock of the test's own."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hakoniwa_rigid.sims.hands import moves
from hakoniwa_rigid.sims.hands.motion import HandMotion
from hakoniwa_rigid.sims.hands.player import Player

MS = 1_000_000
T0 = 1_000_000 * MS    # when the player is asked first


def motion(times, hand='right'):
    """One joint, whose x tells the number of the sample."""
    count = len(times)
    positions = np.zeros((count, 1, 3), dtype=np.float32)
    positions[:, 0, 0] = np.arange(count)
    return HandMotion(hand, 'world', (), np.array(times), positions, np.tile([0.0, 0.0, 0.0, 1.0], (count, 1, 1)),
                      np.zeros(0, np.float32), np.ones((count, 1), dtype=bool))


def play(player, begin, end):
    """What a caller who is never late gets: (ms since T0, sample) until ``end`` ms."""
    now, sent = T0 + begin * MS, []
    while now <= T0 + end * MS:
        sent += [((s.stamp_ns - T0) / MS, int(s.positions[0, 0])) for s in player.samples(now)]
        assert player.due(now) > now, 'what is due was sent'
        now = player.due(now)
    return sent


def test_every_sample_has_its_own_time_and_gaps_stay_gaps():
    player = Player([motion([0.0, 0.02, 0.04, 0.3, 0.32])], period=0.4)
    held = [(340, 4), (360, 4), (380, 4)]
    stroke = [(0, 0), (20, 1), (40, 2), (300, 3), (320, 4)]
    assert play(player, 0, 799) == stroke + held + [(400 + t, k) for t, k in stroke + held]


def test_a_recording_played_once_holds_its_last_pose():
    assert play(Player([motion([0.0, 0.1])]), 0, 350) == [(0, 0), (100, 1), (200, 1), (300, 1)]


def test_with_a_latency_samples_come_so_much_later_with_the_time_of_their_capture():
    player, sent, now = Player([motion([0.0, 0.1])], latency=0.03), [], T0
    while now < T0 + 350 * MS:
        sent += [(round((now - T0) / MS), (s.stamp_ns - T0) / MS) for s in player.samples(now)]
        now = player.due(now)
    assert sent == [(0, -30), (100, 70), (200, 170), (300, 270)]


def test_with_a_latency_a_clock_that_begins_at_0_has_nothing_to_send_at_first():
    player = Player([motion([0.0, 0.1])], latency=0.03)
    assert player.samples(0) == [] and player.due(0) == 30 * MS
    assert [s.stamp_ns for s in player.samples(30 * MS)] == [0]


def test_before_the_start_the_first_pose_is_sent():
    player = Player([motion([0.0, 0.1, 0.2])], wait_for_start=True)
    assert play(player, 0, 250) == [(0, 0), (100, 0), (200, 0)]
    player.start(T0 + 370 * MS)
    assert play(player, 251, 600) == [(300, 0), (370, 0), (470, 1), (570, 2)]


def test_a_second_hand_that_comes_later_waits_in_its_first_pose():
    player = Player([motion([0.0, 0.1, 0.2], 'left'), motion([0.15, 0.25], 'right')], period=1.0)
    sent = []
    for now in range(0, 300, 10):
        sent += [(s.hand, (s.stamp_ns - T0) / MS, int(s.positions[0, 0])) for s in player.samples(T0 + now * MS)]
    assert [(t, k) for hand, t, k in sent if hand == 'left'] == [(0, 0), (100, 1), (200, 2)]
    assert [(t, k) for hand, t, k in sent if hand == 'right'] == [(0, 0), (100, 0), (150, 0), (250, 1)]


def test_a_late_caller_leaves_samples_out_and_gets_the_newest():
    player = Player([motion(np.arange(50) / 100.0)])
    player.samples(T0)
    (sample,) = player.samples(T0 + 333 * MS)
    assert (sample.stamp_ns - T0, int(sample.positions[0, 0])) == (330 * MS, 33)
    assert player.samples(T0 + 334 * MS) == []


def test_a_clock_that_is_set_back_begins_anew():
    player = Player([motion([0.0, 0.1, 0.2])], wait_for_start=True)
    play(player, 5000, 5200)
    assert player.due(T0) == T0
    assert play(player, 0, 150) == [(0, 0), (100, 0)]


@given(st.lists(st.integers(1, 400), min_size=1, max_size=12), st.integers(0, 900), st.integers(0, 5000),
       st.lists(st.integers(1, 300), min_size=1, max_size=40))
def test_stamps_rise_are_never_ahead_and_tell_the_pose_of_their_time(steps, rest, start, calls):
    """However late and uneven the calls: the pose sent is the recorded one of that instant."""
    times = np.concatenate([[0.0], np.cumsum(steps)]) / 1000.0
    period = times[-1] + rest / 1000.0
    player = Player([motion(times)], period=period, wait_for_start=True)
    player.start(T0 + start * MS)
    now, last = T0, -1
    for call in calls:
        now += call * MS
        for sample in player.samples(now):
            assert last < sample.stamp_ns <= now
            last = sample.stamp_ns
            local = (last - T0 - start * MS) / MS
            place = (local + 1e-3) % (period * 1000.0)
            k = 0 if local < 0 else int(np.searchsorted(times * 1000.0, place, 'right')) - 1
            assert int(sample.positions[0, 0]) == k


def test_hands_are_named_and_chosen():
    assert [t.name for t in Player([motion([0.0, 1.0])], hand='other').tracks] == ['other']
    both = [motion([0.0, 1.0], 'left'), motion([0.0, 1.0], 'right')]
    assert [t.motion.hand for t in Player(both, hand='right').tracks] == ['right']
    with pytest.raises(ValueError, match="hand: none of the recorded hands is called 'third'"):
        Player(both, hand='third')
    with pytest.raises(ValueError, match='period: must be 0 or at least the 4 s of the motion, got 3'):
        Player([moves.strike()], period=3.0)
