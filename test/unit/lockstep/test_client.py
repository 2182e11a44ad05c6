# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The one call of a simulator, against a node that is played: what it sends, waits for and complains of."""
import math
import re
from itertools import count

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from hakoniwa_rigid.codec.cdr import FleetReader
from hakoniwa_rigid.codec.cdr_writers import FleetStateWriter
from hakoniwa_rigid.lockstep import Lockstep, LockstepError, States
from hakoniwa_rigid.lockstep.client import AGAIN, AGAIN_FIRST
from hakoniwa_rigid.lockstep.states import WIDTHS

P = 5_000_000
NAMES = ('d0', 'd1')
UNIT = [0.0, 0.0, 0.0, 1.0]


def states(stamp, names=NAMES, x=1.0):
    n = len(names)
    numbers = np.arange(3.0 * n).reshape(n, 3)
    return States(stamp, x + numbers, np.tile(UNIT, (n, 1)), 2 * numbers, 3 * numbers, np.arange(n, dtype=np.uint8))


class Played:
    """A link whose time is the number of rests; `answers` of stamps: lists of (rests, stamp), after a step is sent."""

    def __init__(self, answers=None, names=NAMES, fault=''):
        self.answers, self.names, self.reason = answers, names, fault
        self.sent, self.due, self.time = [], [], 0.0
        self.writer, self.reader = FleetStateWriter('world', names), FleetReader(tuple(WIDTHS))

    def send(self, stamp_ns, data):
        self.sent.append((stamp_ns, data))
        answers = [(0, stamp_ns)] if self.answers is None else self.answers.get(stamp_ns, [])
        if [s for s, _ in self.sent].count(stamp_ns) == 1:
            self.due += [(self.time + 0.01 * wait, stamp) for wait, stamp in answers]

    def receive(self):
        if self.due and self.due[0][0] <= self.time:
            _, stamp = self.due.pop(0)
            return self.writer.write(stamp, states(stamp, self.names, x=stamp))
        return None

    def rest(self):
        self.time += 0.01

    def fault(self):
        return self.reason

    def joined(self, names=NAMES, timeout=1.0):
        return Lockstep(self, names, P, timeout, clock=lambda: self.time)


def step(lockstep, stamp, **changes):
    s = states(stamp, lockstep.names)._replace(**changes)
    return lockstep.step(*s[:5])


def test_what_is_sent_is_a_fleet_state_and_what_comes_back_is_of_its_stamp():
    link = Played()
    found = step(link.joined(), 3 * P)
    (stamp, data), = link.sent
    msg, given = link.reader.read(data), states(3 * P)
    assert stamp == 3 * P and msg.names == NAMES and msg.header.frame_id == 'world'
    for array, sent in zip(msg.arrays, given[1:5], strict=True):
        assert_array_equal(array, sent.ravel())
    for got, expected in zip(found, states(3 * P, x=3 * P), strict=True):
        assert_array_equal(got, expected)


def test_states_come_in_the_order_of_the_simulator_from_a_node_with_more_drones():
    link = Played(names=('d1', 'x', 'd0'))
    found, whole = step(link.joined(), P), states(P, link.names, x=P)
    for got, expected in zip(found[1:], whole[1:], strict=True):
        assert_array_equal(got, expected[[2, 0]])


def test_older_answers_are_passed_over():
    link = Played({10 * P: [(0, 8 * P), (1, 9 * P), (2, 10 * P)]})
    assert step(link.joined(), 10 * P).stamp_ns == 10 * P


def test_steps_longer_and_shorter_than_the_period():
    link = Played({10 * P: [(0, 10 * P)], 10 * P + P // 2: [], 11 * P + 1: [(0, 11 * P)], 14 * P: [
        (0, 12 * P), (0, 13 * P), (1, 14 * P)]})
    lockstep = link.joined()
    stamps = [step(lockstep, s).stamp_ns for s in (10 * P, 10 * P + P // 2, 11 * P + 1, 14 * P)]
    assert stamps == [10 * P, 10 * P, 11 * P, 14 * P] and len(link.sent) == 4


def test_a_step_that_got_lost_is_sent_again():
    link = Played({P: [(130, P)], 2 * P: [(500, 2 * P)]})
    lockstep = link.joined(timeout=10.0)
    assert step(lockstep, P).stamp_ns == P
    assert len(link.sent) == 1 + int(1.3 / (AGAIN_FIRST + 0.01)) and len(set(link.sent)) == 1
    link.sent.clear()
    assert step(lockstep, 2 * P).stamp_ns == 2 * P
    assert len(link.sent) == 1 + int(5.0 / AGAIN) and len(set(link.sent)) == 1


@pytest.mark.parametrize(('answers', 'fault', 'text'), [
    ({}, 'no node reads /fleet/states', f'no corrected states of {P} ns within 1 s: no node reads /fleet/states'),
    ({P: [(0, 900 * P)]}, '',
     f'the last that came are of {900 * P} ns: is the node in lockstep, and on the same clock?'),
    ({}, '', 'the node takes d0, d1 but does not go on; /diagnostics has why'),
])
def test_no_answer_in_time_says_what_is_missing(answers, fault, text):
    link = Played(answers, fault=fault)
    with pytest.raises(LockstepError, match=re.escape(text)):
        step(link.joined(), P)
    assert link.time == pytest.approx(1.0, abs=0.02)


def test_a_node_that_has_gone_on_without_the_simulator():
    lockstep = Played({P: [(0, P)], 2 * P: [(0, 7 * P)]}).joined()
    step(lockstep, P)
    with pytest.raises(LockstepError, match=f'gone on to {7 * P} ns without d0, d1.*lockstep_timeout'):
        step(lockstep, 2 * P)


def test_a_drone_that_the_node_does_not_have():
    with pytest.raises(LockstepError, match='the node has no drone d1: it serves d0, d2'):
        step(Played(names=('d0', 'd2')).joined(), P)


def test_stamps_rise_until_the_simulator_begins_anew():
    link = Played()
    lockstep = link.joined()
    step(lockstep, 5 * P)
    for stamp in (5 * P, 4 * P):
        with pytest.raises(LockstepError, match=f'stamp_ns: must rise, got {stamp} after {5 * P}'):
            step(lockstep, stamp)
    link.due = [(0.0, 6 * P)] * 3
    lockstep.restart()
    assert step(lockstep, P).stamp_ns == P


def test_what_comes_may_be_no_message():
    link = Played()
    link.receive = iter([b'\0\1\0\0\7']).__next__
    with pytest.raises(LockstepError, match='no FleetState'):
        step(link.joined(), P)


@pytest.mark.parametrize(('changes', 'text'), [
    ({'positions': np.zeros((3, 3))}, r'positions: must be of shape \(2, 3\), got \(3, 3\)'),
    ({'orientations_xyzw': np.zeros((2, 4))}, 'orientations: d0: must be a unit quaternion'),
    ({'linear_velocities': [[0, 0, 0], [0, math.nan, 0]]}, 'linear_velocities: d1: must be finite'),
    ({'angular_velocities': 'fast'}, "angular_velocities: must be numbers, got 'fast'"),
    ({'angular_velocities': None}, r'angular_velocities: must be of shape'),
    ({'stamp_ns': 0}, 'stamp_ns: must be a whole number above 0, got 0'),
    ({'stamp_ns': 1.5}, 'stamp_ns: must be a whole number above 0, got 1.5'),
])
def test_states_that_are_none(changes, text):
    link = Played()
    with pytest.raises(LockstepError, match=text):
        step(link.joined(), P, **changes)
    assert link.sent == []


@pytest.mark.parametrize(('names', 'period', 'timeout'), [
    ([], P, 1.0), (['a', 'a'], P, 1.0), (['a'], 0, 1.0), (['a'], P, 0.0), (['a'], P, math.nan)])
def test_arguments_that_cannot_be(names, period, timeout):
    with pytest.raises(LockstepError):
        Lockstep(Played(), names, period, timeout)


def test_a_restart_throws_away_only_so_many_messages():
    link, counted = Played(), count()
    link.receive = lambda: next(counted)
    link.joined().restart()
    assert next(counted) == 10_000
