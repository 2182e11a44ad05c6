# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""When the next tick of a scene in lockstep is due."""
import numpy as np
import pytest

from hakoniwa_rigid.lockstep.barrier import MOST_AHEAD, Barrier, Look

P = 5_000_000
NOTHING = Look()


def look(barrier, newest, time=0.0, offered=None):
    newest = np.array(newest)
    return barrier.look(newest, newest if offered is None else np.array(offered), time)


@pytest.fixture
def barrier():
    """Of two drones, after the tick at 100 P."""
    made = Barrier(2, P, 1.0, 100 * P)
    assert look(made, [100 * P, 100 * P]) == Look(100 * P)
    return made


def test_the_first_tick_waits_for_every_drone_and_has_the_least_stamp():
    barrier = Barrier(3, P, 1.0, 100 * P)
    assert look(barrier, [-1, -1, -1], 0.0) == NOTHING
    assert look(barrier, [-1, -1, -1], 500.0) == NOTHING     # nothing has come: nothing is late
    assert look(barrier, [9 * P, -1, 7 * P], 500.1) == NOTHING
    assert look(barrier, [9 * P, 8 * P, 7 * P], 500.2) == Look(7 * P)


def test_a_drone_that_never_comes_costs_one_time_out():
    barrier = Barrier(2, P, 1.0, 100 * P)
    assert look(barrier, [P, -1], 10.0) == NOTHING
    assert look(barrier, [P, -1], 10.99) == NOTHING
    assert look(barrier, [P, -1], 11.0) == Look(P, (1,))
    assert look(barrier, [2 * P, -1], 11.0) == Look(2 * P)


def test_a_tick_waits_for_the_last_drone(barrier):
    assert look(barrier, [101 * P, 101 * P - 1]) == NOTHING
    assert barrier.late(np.array([101 * P, 101 * P - 1])).tolist() == [1]
    assert look(barrier, [101 * P, 101 * P]) == Look(101 * P)


def test_one_sample_may_serve_several_ticks(barrier):
    assert [look(barrier, [103 * P, 103 * P]).stamp for _ in range(4)] == [101 * P, 102 * P, 103 * P, None]


def test_a_step_shorter_than_the_period_brings_no_tick(barrier):
    assert look(barrier, [100 * P + P // 2] * 2) == NOTHING


def test_the_time_out_counts_from_the_first_sample_of_a_stamp(barrier):
    assert look(barrier, [100 * P, 100 * P], 1000.0) == NOTHING  # a simulator that is paused as a whole
    assert not barrier.is_begun
    assert look(barrier, [101 * P, 100 * P], 2000.0) == NOTHING and barrier.is_begun
    assert look(barrier, [101 * P, 101 * P], 2000.5) == Look(101 * P)


def test_who_was_left_out_is_awaited_again_when_its_stamps_have_caught_up(barrier):
    look(barrier, [101 * P, 100 * P], 0.0)
    assert look(barrier, [101 * P, 100 * P], 1.0) == Look(101 * P, (1,))
    assert look(barrier, [102 * P, 101 * P], 1.0) == Look(102 * P)     # still behind
    assert look(barrier, [102 * P, 103 * P], 1.0) == NOTHING            # back, and waits for the other
    assert look(barrier, [103 * P, 103 * P], 1.0) == Look(103 * P)
    assert look(barrier, [104 * P, 103 * P], 1.1) == NOTHING


def test_stamps_of_all_that_went_back_are_a_new_beginning(barrier):
    newest = [100 * P, 100 * P]
    assert look(barrier, newest, offered=[0, 100 * P]) == NOTHING       # one drone alone
    assert look(barrier, newest, offered=[P, 2 * P]) == NOTHING         # not further than reset_after
    barrier.last = 1000 * P
    assert look(barrier, [1000 * P, 1000 * P], offered=[2 * P, P]) == Look(P, is_reset=True)
    barrier.clear()
    assert look(barrier, [P, P]) == Look(P)


def test_a_drone_that_is_left_out_does_not_hold_up_a_new_beginning(barrier):
    barrier.last = 1000 * P
    look(barrier, [1001 * P, 1000 * P], 0.0)
    look(barrier, [1001 * P, 1000 * P], 2.0)
    assert look(barrier, [1001 * P, 1000 * P], 2.0, offered=[P, 1000 * P]).is_reset


def test_time_that_was_set_forward_is_skipped_in_one_tick(barrier):
    far = 100 * P + P + MOST_AHEAD
    assert look(barrier, [far, far]).stamp == 101 * P and barrier.skipped == 0
    far = 101 * P + 10 * MOST_AHEAD + P // 3
    assert look(barrier, [far, far + P]).stamp == 101 * P + 10 * MOST_AHEAD
    assert barrier.skipped == 10 * MOST_AHEAD // P - 1
    assert look(barrier, [far, far + P]) == NOTHING


def test_where_all_have_gone_those_that_come_say_what_time_it_is(barrier):
    """A drone that has come is awaited from its first later sample on; stamps of the past are a new beginning."""
    barrier.last = 1000 * P
    newest = [1000 * P, -1]
    barrier.out[:], barrier.fresh[1] = [False, True], True
    assert look(barrier, newest, offered=[1000 * P, 3 * P]) == NOTHING      # the other is there
    barrier.out[0] = True
    assert look(barrier, newest, offered=[5 * P, 950 * P]) == NOTHING       # not further than reset_after
    assert look(barrier, [1001 * P, 1001 * P], offered=[1001 * P] * 2) == Look(1001 * P)
    assert not barrier.fresh.any()
    barrier.out[:], barrier.fresh[1] = True, True
    assert look(barrier, [1000 * P, -1], offered=[5 * P, 3 * P]) == Look(3 * P, is_reset=True)


def test_without_drones_nothing_is_ever_due():
    assert look(Barrier(0, P, 1.0, P), np.zeros(0, dtype=np.int64), 100.0) == NOTHING
