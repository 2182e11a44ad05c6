# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Which cause a missed tick is counted under; clocks are made here."""
import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from hakoniwa_rigid.ros.collision.missed_ticks import MissedTicks

PERIOD = 0.005


class Machine:
    """Clocks that a test sets."""

    def __init__(self):
        self.now = self.waited = self.stolen = 100.0
        self.missed = MissedTicks(PERIOD, lambda: self.now, lambda: self.waited, lambda: self.stolen)

    def tick(self, missed=0, takes=0.001, part='scene', rest=None, waits=0.0, steals=0.0, waits_in=0.0, behind=0.0):
        """A tick that takes so long, and the time until the next; s."""
        self.missed.begin(missed, behind)
        self.now += takes
        self.waited += waits_in
        self.missed.end(part)
        self.now += max(PERIOD - takes, 0.0) if rest is None else rest
        self.waited += waits
        self.stolen += steals


@pytest.mark.parametrize(('before', 'missed', 'cause'), [
    ({'rest': 0.024}, 4, 'late_wake_up'),
    ({'takes': 0.023, 'part': 'markers'}, 3, 'long_tick markers'),
    ({'takes': 0.023, 'waits_in': 0.02}, 3, 'other_programs'),
    ({'rest': 0.024, 'waits': 0.019}, 4, 'other_programs'),
    ({'rest': 0.024, 'steals': 0.02}, 4, 'stolen'),
    ({'takes': 0.023, 'steals': 0.03, 'waits_in': 0.02}, 3, 'stolen'),
    ({}, 200, 'clock'),
    ({'rest': 0.009, 'waits': 0.001}, 1, 'late_wake_up'),
])
def test_the_cause(before, missed, cause):
    machine = Machine()
    machine.tick()
    machine.tick(**before)
    machine.tick(missed)
    machine.tick()
    assert machine.missed.counts == {cause: missed}


def test_a_tick_that_came_late_hands_its_lateness_on():
    """4.9 ms behind, and the next 1.2 periods later: the grid point between them was missed by what came before."""
    machine = Machine()
    machine.tick()
    machine.tick(waits=0.0049)
    machine.tick(behind=0.0049, rest=0.0054)
    machine.tick(1, behind=0.001)
    assert machine.missed.counts == {'other_programs': 1}


def test_every_missed_tick_is_counted_once():
    machine = Machine()
    for k in range(50):
        machine.tick(k % 3, rest=0.03 if k % 2 else None, waits=0.02 if k % 5 == 0 else 0.0)
    assert sum(machine.missed.counts.values()) == sum(k % 3 for k in range(50))


def test_a_pause_is_nobodys_fault_and_old_theft_no_excuse():
    machine = Machine()
    machine.tick(steals=1.0)
    machine.missed.look()
    machine.tick(rest=0.024)
    machine.tick(4)
    assert machine.missed.counts == {'late_wake_up': 4}
    machine.missed.pause()
    machine.now += 100.0
    machine.tick()
    assert machine.missed.counts == {'late_wake_up': 4}


def test_the_system_is_asked():
    """Whatever it says here, reading works and grows."""
    missed = MissedTicks(PERIOD)
    for _ in range(100):
        missed.begin(0, 0.0)
        missed.end('scene')
    missed.look()
    missed.begin(1, 0.0)
    assert sum(missed.counts.values()) == 1
    missed.close()
    missed.close()
