# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Sources that die, lose messages, pause or start their clock anew: each drone is right again within 1 s of ROS time of
its data returning, /diagnostics says why it was not, and the other drones notice nothing.

Sources are processes of their own in simulated time, which the tests give tick by tick: 1 s is 200 ticks.
"""

from __future__ import annotations

import signal
import time
from pathlib import Path

import harness
import pytest
from hakoniwa_rigid.msg import FleetState
from harness import NS, Process, stamp_of, values
from rig import WORLD, Rig
from rosgraph_msgs.msg import Clock
from sim_source import place

pytestmark = pytest.mark.ros
SOURCE = str(Path(__file__).with_name('sim_source.py'))
SECOND = 200   # ticks
# m, m/s: what a swing of 0.3 m/s and 0.3 m/s^2 may be off, its newest sample up to 0.1 s old: 1.5 mm and 0.03 m/s; half
# of the rest is for a clock that is learnt, to 15 ms
CLOSE, ALIKE = 0.01, 0.04


class Scenes(Rig):
    """The node, the sources beside it and what the tests ask of both; every tick waits for the sources that run."""

    def __init__(self, bench, world: Path) -> None:
        super().__init__(bench, world, 'drones.c.stamp:=synced')
        self.sources: dict[str, Process] = {}
        # of the simulators that run; what they say of a time at which one was stopped is no beat of it
        self.beats: dict[str, int] = {}
        self.stopped: dict[str, int] = {}
        for name in 'abc':
            bench.node.create_subscription(Clock, f'{name}/beat', self._received(name), harness.RELIABLE)

    def _received(self, name: str):
        def receive(msg: Clock) -> None:
            beat = msg.clock.sec * NS + msg.clock.nanosec
            if beat > self.stopped.get(name, 0):
                self.beats[name] = beat
        return receive

    def go(self) -> None:
        """One tick, and the sources' answer to its time."""
        super().go()
        self.answer()

    def answer(self) -> None:
        """Wait till every source that runs has sent what is due."""
        deadline = time.monotonic() + harness.WAIT
        while not self.in_step():
            assert time.monotonic() < deadline, f'no beat at {self.time.now} in {self.beats}'
            end = time.monotonic() + harness.AGAIN   # /clock is best effort: say it again
            self.bench.until(lambda end=end: self.in_step() or time.monotonic() > end, 'the beats')
            if not self.in_step():
                self.time.publish()

    def in_step(self) -> bool:
        return all(beat == self.time.now for beat in self.beats.values())

    def start(self, name: str, *arguments: float) -> None:
        """Start the simulator of a drone."""
        self.sources[name] = self.bench.start(SOURCE, arguments=(name, *map(str, arguments)))

    def stop(self, name: str, number: int) -> None:
        """Send a signal that silences the simulator of a drone, and wait for it no more."""
        self.sources[name].signal(number)
        self.stopped[name] = self.time.now
        self.beats.pop(name)

    def heard_again(self, *names: str) -> None:
        """Tick until data of these drones arrive at the node (discovery takes its own time), to a report's 0.1 s."""
        self.report()  # counts what had arrived before they fell silent, but after the last report
        before = [self.messages(name) for name in names]
        self.wait(lambda: set(names) <= set(self.beats), f'the simulators {names}')
        self.wait(lambda: all(self.messages(n) > k for n, k in zip(names, before, strict=True)), f'data of {names}')

    def wait(self, fact, what: str) -> None:
        """Tick until `fact()`, however many ticks that takes."""
        end = time.monotonic() + harness.START
        while not fact():
            assert time.monotonic() < end, f'waited in vain for: {what}'
            self.go()

    def until(self, fact, what: str, most: int = SECOND) -> int:
        """Tick until `fact()`; the number of ticks that took, at most `most`."""
        for count in range(most):
            if fact():
                return count
            self.go()
        said = '\n--\n'.join(p.output for p in self.bench.processes)
        raise AssertionError(f'waited {most} ticks in vain for: {what}\n{said}')

    def right(self, name: str) -> bool:
        """Whether the drone is shown where its simulator has it, with nothing to complain of."""
        state = self.state(name)
        (x, y, z), v = place(name, stamp_of(self.ticks[-1]) / NS)
        p = state['p']
        return (state['flags'] == 0 and abs(p[0] - x) < CLOSE and (p[1], p[2]) == (y, z)
                and abs(state['v'][0] - v) < ALIKE)

    def stale(self, name: str) -> bool:
        return bool(self.state(name)['flags'] & FleetState.STALE)

    def status(self, name: str) -> str:
        """What /diagnostics says of a drone in its newest report."""
        return next(s.message for s in self.diagnostics[-1].status if s.name.endswith(f': drone {name}'))

    def messages(self, name: str) -> int:
        """How many messages of a drone the node has received, by its newest report."""
        return int(values(self.diagnostics, f'drone {name}')['messages'])


@pytest.fixture(scope='module')
def scenes(tmp_path_factory):
    """One node and three sources for all tests; c's clock is its own, and 3 s behind."""
    path = tmp_path_factory.mktemp('world') / 'world.yaml'
    path.write_text(WORLD)
    with harness.bench() as bench:
        made = Scenes(bench, path)
        for name, zero in (('a', 0.0), ('b', 0.0), ('c', 3.0)):
            made.start(name, 0.0, zero)
        made.report()
        made.heard_again('a', 'b', 'c')
        made.until(lambda: all(made.right(name) for name in 'abc'), 'all right')
        yield made


@pytest.fixture
def others(scenes):
    """b is right in every tick of the test, to the end."""
    start = len(scenes.ticks)
    yield
    for tick in scenes.ticks[start:]:
        i = list(tick.names).index('b')
        assert tick.flags[i] == 0
        assert abs(tick.positions[3 * i] - place('b', stamp_of(tick) / NS)[0][0]) < CLOSE
    scenes.ticks[:-1] = []
    scenes.diagnostics[:-1] = []


def test_killed_and_restarted(scenes, others):
    scenes.stop('a', signal.SIGKILL)
    scenes.until(lambda: scenes.stale('a'), 'a stale')
    scenes.report()
    assert 'no sample for' in scenes.status('a') and 'a/odom' in scenes.status('a')
    scenes.start('a', 0.3)
    scenes.heard_again('a')
    scenes.until(lambda: scenes.right('a'), 'a right again')


def test_thirty_percent_loss(scenes, others):
    """(The restarted a loses 30 %.)  Never stale, never far off, nothing to complain of."""
    before = scenes.counters()
    for _ in range(3 * SECOND):
        scenes.go()
        assert scenes.right('a'), scenes.state('a')
    assert scenes.counters() == before
    scenes.report()
    assert scenes.status('a') == 'free'


def test_pause_of_5_s(scenes, others):
    """Stopped and continued: stale and named; what was queued is old, and refused or passed over."""
    scenes.stop('a', signal.SIGSTOP)
    for _ in range(5 * SECOND):
        scenes.go()
    assert scenes.stale('a')
    scenes.report()
    assert 'no sample for 5' in scenes.status('a')
    scenes.sources['a'].signal(signal.SIGCONT)
    scenes.heard_again('a')
    scenes.until(lambda: scenes.right('a'), 'a right again')


def test_clock_of_all_set_back(scenes):
    """/clock starts anew 5 s behind: sources and node follow; all are right within 1 s."""
    scenes.beats.clear()
    scenes.stopped.clear()
    scenes.time.set_back(5 * NS)
    scenes.heard_again('a', 'b', 'c')
    scenes.until(lambda: all(scenes.right(name) for name in 'abc'), 'all right again')
    scenes.report()
    assert values(scenes.diagnostics, 'timing')['clock_jumps_back'] == '1'


def test_clock_of_one_source_starts_at_zero(scenes, others):
    """c, whose clock is learnt, is right again within 1 s; a, whose stamps should be ROS time, is refused, and reported
    with the cure."""
    now = scenes.time.now / NS
    for name in 'ac':
        scenes.stop(name, signal.SIGKILL)
        scenes.start(name, 0.0, now)
    scenes.heard_again('a', 'c')
    scenes.until(lambda: scenes.right('c'), 'c right again')
    scenes.until(lambda: scenes.stale('a'), 'a stale')
    scenes.report()
    scenes.report()
    assert 'behind ROS time' in scenes.status('a') and "'synced'" in scenes.status('a')
