# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`drones: auto` in lockstep over DDS: a drone that came is waited for from its first sample on, one that has gone is
waited for no longer, and the replay gives the same bytes."""
from __future__ import annotations

import time
from pathlib import Path

import harness
import pytest
from hakoniwa_rigid.msg import FleetState
from hangar import WORLD
from harness import NS, RELIABLE, stamp_of
from nav_msgs.msg import Odometry
from rig import NODE
from test_lockstep import STATES, P, Sender, check_states, start
from test_record import listen

from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.rerun.outcome import Options
from hakoniwa_rigid.replay.rerun.run import replay

pytestmark = pytest.mark.ros
AUTO = ('drones:=[auto]', 'discovery_period:=0.1', 'leave_timeout:=0.5', 'lockstep_timeout:=1.0')


class Flight(Sender):
    """A simulator whose vehicles come and go; its first ones are of the world file."""

    def come(self, name: str) -> None:
        self.publishers[name] = self.bench.node.create_publisher(Odometry, f'{name}/odom', RELIABLE)

    def go(self, name: str) -> None:
        self.bench.node.destroy_publisher(self.publishers.pop(name))

    def send(self, stamp: int, names: str, x: float = 0.0) -> None:
        for name in names:
            self.publishers[name].publish(harness.odometry(stamp, (x, 3.0 * 'abcn'.index(name), 1)))

    def until_there(self, k: int, steady: str, name: str) -> int:
        """Steps from k on until a drone is there, with the odometry of both; the next step."""
        end = time.monotonic() + harness.WAIT
        there = False
        while not there:
            assert time.monotonic() < end, f'{name} did not come'
            self.send(NS + k * P, steady + name)
            there = name in self.until(NS + k * P).names and not self.flags(name) & 4
            k += 1
        return k

    def flags(self, name: str) -> int:
        """Of its newest state; 4: it is stale."""
        return self.ticks[-1].flags[list(self.ticks[-1].names).index(name)]


def empty(folder: Path) -> Path:
    """A world without drones."""
    path = folder / 'empty.yaml'
    path.write_text(WORLD[:WORLD.index('drones:')])
    return path


def test_one_that_came_is_waited_for_and_one_that_is_gone_is_not(bench, world, tmp_path):
    process = start(bench, world, *AUTO, f'record:={tmp_path / "run"}')
    received, flight = listen(bench), Flight(bench, 'abc')
    for k in range(5):
        flight.send(NS + k * P, 'abc')
        flight.until(NS + k * P)
    flight.come('n')
    k = flight.until_there(5, 'abc', 'n')
    flight.send(NS + k * P, 'abc')
    flight.stays(NS + (k - 1) * P)
    flight.send(NS + k * P, 'n')
    assert 'n' in flight.until(NS + k * P).names
    flight.go('n')
    flight.send(NS + (k + 1) * P, 'abc')        # one time-out, then it is left out
    flight.until(NS + (k + 1) * P)
    bench.until(lambda: 'n left: ' in process.output, 'n to leave')
    for step in range(k + 2, k + 10):
        flight.send(NS + step * P, 'abc')
        flight.until(NS + step * P)
    assert 'n' not in flight.ticks[-1].names
    process.signal(2)
    process.wait()
    assert 'n left: no publisher of /n/odom' in process.output
    check_states(received, tmp_path)


def test_all_come_and_go_and_others_begin_anew(bench, tmp_path: Path):
    """A world without drones of its own: the first simulator ends, the next begins with an earlier stamp."""
    process = start(bench, empty(tmp_path), *AUTO, f'record:={tmp_path / "run"}')
    states: list[bytes] = []
    bench.node.create_subscription(FleetState, STATES, states.append, RELIABLE, raw=True)
    flight, count = Flight(bench, ''), 0

    def answered(name: str, k: int) -> bool:
        """A step is sent until it is answered: the first may come before its reader."""
        flight.send(NS + k * P, name)
        return len(flight.ticks) > count and stamp_of(flight.ticks[-1]) == NS + k * P
    flight.come('a')
    for k in range(1000, 1010):
        bench.until(lambda k=k: answered('a', k), f'the tick {k}')
    assert 'a' in flight.ticks[-1].names
    flight.go('a')
    bench.until(lambda: 'a left: ' in process.output, 'a to leave, while no tick comes')
    flight.come('b')
    bench.until(lambda: 'b has come' in process.output, 'b')
    count = len(flight.ticks)
    for k in range(10):
        bench.until(lambda k=k: answered('b', k), f'the tick {k}')
    assert 'b' in flight.ticks[-1].names and 'a' not in flight.ticks[-1].names
    process.signal(2)
    process.wait()
    replay(Options(tmp_path / 'run', tmp_path / 'replayed'))
    with Bag(tmp_path / 'replayed') as bag:
        again = [m.data for m in bag.messages([f'/{STATES}'])]
    first = again.index(states[0])
    assert again[first:first + len(states)] == states


def test_samples_need_stamps_of_the_simulator(bench, tmp_path):
    node = bench.start(NODE, f'world:={empty(tmp_path)}', 'pace:=lockstep', 'drones:=[auto]', 'sim:=hakoniwa')
    assert node.wait(harness.START) == 1
    assert 'parameter drones.<name>.source: twist_pose: pace: lockstep needs' in node.output
