# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Clocks end to end: sources whose clock is not ours, and simulated time that pauses, creeps, races and jumps."""

from __future__ import annotations

import harness
import pytest
from hakoniwa_rigid.msg import FleetState
from harness import NS, odometry, stamp_of, values
from numpy.testing import assert_allclose
from rig import WORLD, Rig

pytestmark = pytest.mark.ros
MS = 1_000_000
PERIOD = 5 * MS
PLACES = {'a': (-1, 0, 1), 'b': (1, 0, 1), 'c': (0, 5, 1)}


@pytest.fixture(scope='module')
def rig(tmp_path_factory):
    """a stamps by its header, b on a clock of its own, c when it is received; time starts at 2000 s."""
    path = tmp_path_factory.mktemp('world') / 'world.yaml'
    path.write_text(WORLD)
    with harness.bench() as bench:
        made = Rig(bench, path, 'drones.b.stamp:=synced', 'drones.c.stamp:=receive')
        made.time.now += 2000 * NS
        made.time.tick(PERIOD)
        yield made


def fly(rig: Rig, ticks: int, **clocks: int) -> None:
    """The named drones send for some ticks, each on a clock this much (ns) behind ours; the others are silent."""
    for _ in range(ticks):
        for name, behind in clocks.items():
            rig.bench.send(f'{name}/odom', odometry(rig.time.now - behind, PLACES[name]))
        rig.time.tick()


def fresh(rig: Rig, name: str) -> bool:
    state = rig.state(name)
    assert_allclose(state['p'], PLACES[name], atol=1e-9)
    return not state['flags'] & FleetState.STALE


def reported(rig: Rig, name: str, what: str) -> str:
    rig.report()
    return values(rig.diagnostics, f'drone {name}')[what]


def message(rig: Rig, name: str) -> str:
    """The sentence of the newest report on a drone."""
    return next(s.message for s in rig.diagnostics[-1].status if s.name.endswith(f'drone {name}'))


@pytest.mark.parametrize('behind', [1000 * NS, -1000 * NS])
def test_a_clock_that_is_not_ours_is_learnt(rig: Rig, behind):
    fly(rig, 60, b=behind)
    assert fresh(rig, 'b')
    said = reported(rig, 'b', 'clock')
    assert f'synced: offset {behind // NS}.' in said or f'synced: offset {behind // NS + 1}' in said


def test_a_source_restarted_far_behind_is_back_within_a_second(rig: Rig):
    fly(rig, 60, b=0)
    fly(rig, 230)
    assert not fresh(rig, 'b')
    fly(rig, 40, b=rig.time.now)  # its clock begins at zero: 2000 s behind ours
    assert fresh(rig, 'b')


def test_a_header_clock_far_behind_is_named_with_its_cure(rig: Rig):
    fly(rig, 150, a=800 * NS, c=0)
    assert not fresh(rig, 'a')
    assert fresh(rig, 'c')
    fly(rig, 30, a=800 * NS)
    said = message(rig, 'a')
    assert 'its stamps are 800 s behind ROS time' in said
    assert "set its parameter stamp to 'synced'" in said
    assert rig.counters()['stale/a'] > 100


def test_a_header_clock_ahead_is_named_with_its_cure(rig: Rig):
    fly(rig, 60, a=-3 * NS)
    assert '3 s ahead of ROS time' in message(rig, 'a')
    fly(rig, 20, a=0)
    assert fresh(rig, 'a')


def test_the_time_of_reception_takes_any_stamp(rig: Rig):
    for behind in (0, 10**18, -(10**18), 5, 1900 * NS):
        fly(rig, 4, c=behind if abs(behind) < rig.time.now else 1)
    assert fresh(rig, 'c')


def test_paused_time_is_no_time(rig: Rig):
    fly(rig, 40, a=0, c=0)
    count = len(rig.ticks)
    for _ in range(100):  # simulators repeat the time while they are paused
        rig.time.publish()
        rig.bench.send('c/odom', odometry(rig.time.now, PLACES['c']))
    received = int(values(rig.diagnostics, 'inputs')['received'])
    fly(rig, 1)
    assert len(rig.ticks) == count + 1
    # nothing has become old
    assert fresh(rig, 'a')
    assert fresh(rig, 'c')
    fly(rig, 20, a=0, c=0)
    assert rig.received() > received
    assert fresh(rig, 'a')


def test_time_may_creep(rig: Rig):
    """/clock in steps of a tenth of a period: a tick per period, on even stamps."""
    fly(rig, 40, a=0)
    count, first = len(rig.ticks), rig.time.now
    for _ in range(20):
        for _ in range(9):
            rig.time.now += PERIOD // 10
            rig.time.publish()
            rig.bench.serve()
        rig.bench.send('a/odom', odometry(rig.time.now, PLACES['a']))
        rig.time.tick(PERIOD // 10)
    assert fresh(rig, 'a')
    assert [stamp_of(m) for m in rig.ticks[count:]] == [first + (k + 1) * PERIOD for k in range(20)]


def test_time_may_race(rig: Rig):
    """/clock in steps of five periods: every engine step is done, no drone becomes stale."""
    fly(rig, 40, a=0)
    rig.report()
    before = values(rig.diagnostics, 'timing')['overrun_steps']
    for _ in range(100):
        rig.bench.send('a/odom', odometry(rig.time.now, PLACES['a']))
        rig.time.tick(5 * PERIOD)
        assert fresh(rig, 'a')
    rig.report()
    assert values(rig.diagnostics, 'timing')['overrun_steps'] == before


def test_a_jump_ahead_is_counted_and_survived(rig: Rig):
    fly(rig, 40, a=0)
    rig.time.tick(100 * NS)
    fly(rig, 40, a=0)
    assert fresh(rig, 'a')
    rig.report()
    assert int(values(rig.diagnostics, 'timing')['overrun_steps']) > 0
