# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A node that is killed in the middle of contacts and started again goes on from its last saved state, and what
is reported to subscribers is one story: every BEGIN has one END, no id is given twice.

Time is simulated: nothing happens between the death and the first /clock that the new process gets.
"""

from __future__ import annotations

import math
import shutil
import signal
import time
from pathlib import Path

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import WrenchStamped
from hakoniwa_rigid.msg import ContactEvent, ContactEventArray, FleetState
from harness import NS, RELIABLE, START, Bench, SimTime, interrupt, odometry, stamp_of, stamped, state_in, values
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.parameter import Parameter
from rig import NODE
from std_srvs.srv import SetBool, Trigger

from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.rerun.outcome import Options
from hakoniwa_rigid.replay.rerun.run import replay

pytestmark = [pytest.mark.ros, pytest.mark.slow]
STATES = 'fleet/states_corrected'
# `ball` bounces by itself, `led` is pressed against the wall by its simulator, `late` flies into it now and then
WORLD = """
name: restart
walls:
  - {name: floor, type: plane}
  - {name: wall, type: plane, normal: [-1, 0, 0], offset: -3.0}
materials:
  plain: {restitution: 0.8, friction: 0.2}
models:
  ball: {mass: 1.0, inertia: [0.016, 0.016, 0.016], shape: {type: sphere, radius: 0.2}, material: plain}
drones:
  - {name: ball, model: ball, position: [0, 0, 0.5], authority: simulate}
  - {name: led, model: ball, position: [2, 2, 1]}
  - {name: late, model: ball, position: [0, 5, 1]}
"""
PERIOD = 5_000_000


class Run:
    """One node after another on one state file, heard by one subscriber."""

    def __init__(self, bench: Bench, folder: Path, *parameters: str) -> None:
        self.bench, self.file = bench, folder / 'node.state'
        self.world = folder / 'world.yaml'
        self.world.write_text(WORLD)
        self.parameters = (f'world:={self.world}', 'use_sim_time:=true', f'state_file:={self.file}',
                           'state_period:=0.13', 'diagnostics_rate:=10.0', *parameters)
        self.ticks: list[FleetState] = []
        self.arrays: list[ContactEventArray] = []
        bench.node.create_subscription(FleetState, STATES, self.ticks.append, RELIABLE)
        bench.node.create_subscription(ContactEventArray, 'contact_events', self.arrays.append, RELIABLE)
        self.reports: list[DiagnosticArray] = []
        bench.node.create_subscription(DiagnosticArray, '/diagnostics', self.reports.append, RELIABLE)
        self.time = SimTime(bench, self.ticks)
        self.k = 0
        self.start()

    def start(self) -> None:
        """A node, which knows the subscriber before it ticks."""
        self.process = self.bench.start(NODE, *self.parameters)
        self.bench.until(lambda: 'ready:' in self.process.output or not self.process.alive, 'the node', START)
        assert self.process.alive, self.process.output
        self.bench.meet('/collision_node')
        self.heard = len(self.events)   # of the nodes before

    def kill(self) -> None:
        """Kill it after a tick all of whose events have arrived: a dead writer repeats nothing."""
        while not self.is_reported():
            self.go(1)
            end = time.monotonic() + 0.05   # one tick in twenty has a report
            self.bench.until(lambda end=end: self.is_reported() or time.monotonic() > end, 'a report')
        reported = self.heard + int(values(self.reports, 'scene')['events'])
        self.bench.until(lambda: len(self.events) == reported, f'{reported} events')
        self.process.signal(signal.SIGKILL)
        self.process.wait()

    def is_reported(self) -> bool:
        return bool(self.reports) and stamp_of(self.reports[-1]) == self.time.now

    def saved(self) -> bytes:
        """The file's content, once there is one."""
        self.bench.until(self.file.exists, 'a state')
        return self.file.read_bytes()

    def go(self, ticks: int, but: str = '') -> None:
        """So many ticks; the simulators speak before each, but one."""
        for _ in range(ticks):
            now, k = self.time.now, self.k
            if but != 'led':
                self.bench.send('led/odom', odometry(now, (2.8 + 0.1 * min(k / 40, 1.0), 2, 1)))
            x = 2.6 + 0.4 * math.sin(0.08 * k)
            self.bench.send('late/odom', odometry(now, (x, 5, 1), linear=(6.4 * math.cos(0.08 * k), 0, 0)))
            if k == 0:
                self.bench.send('ball/odom', odometry(now, (0, 0, 0.5)))
                self.bench.send('ball/wrench', stamped(WrenchStamped(), now, ''))
            self.time.tick(PERIOD)
            self.k += 1

    @property
    def events(self) -> list[ContactEvent]:
        return [event for array in self.arrays for event in array.events]

    def of(self, name: str) -> list[tuple]:
        """Every state of a drone that was published, and when."""
        return [(stamp_of(t), tuple(map(tuple, (s['p'], s['q'], s['v'], s['w']))))
                for t in self.ticks for s in [state_in(t, name)]]


def check_story(events: list[ContactEvent]) -> set[int]:
    """Every id begins once and ends at most once, between them no other phase order; the ids that have not ended."""
    phases: dict[int, list[int]] = {}
    for event in events:
        phases.setdefault(event.id, []).append(event.phase)
    for key, of in phases.items():
        assert of[0] == ContactEvent.BEGIN, (key, of)
        assert of.count(ContactEvent.BEGIN) == 1, (key, of)
        assert ContactEvent.END not in of[:-1], (key, of)
    begun = [event.id for event in events if event.phase == ContactEvent.BEGIN]
    assert begun == sorted(begun)
    return {key for key, of in phases.items() if of[-1] != ContactEvent.END}


def test_a_killed_node_goes_on(bench, tmp_path):
    run = Run(bench, tmp_path)
    run.go(150)
    run.saved()
    run.go(53)
    run.kill()
    before = run.of('ball')
    open_before = check_story(run.events)
    reported = len(run.events)
    assert open_before, 'nothing touches at the death: the test tests nothing'
    run.time.now += 3 * NS
    run.start()
    run.go(1)
    held = run.of('ball')[-1][1]
    # the restored state is one that was published, and not of the beginning
    place = [state for _, state in before].index(held)
    assert place > 10
    # it stands still until both simulators have spoken: that was before this tick, or the one after it
    run.go(200)
    after = [state for _, state in run.of('ball')[len(before):]]
    moved = next(i for i, state in enumerate(after) if state != held)
    again = [state for _, state in before[place + 1:]]
    assert again
    assert after[moved:moved + len(again)] == again
    assert moved < 100
    still_open = check_story(run.events)
    # what was open has ended, or goes on under its id: the led drone is pressed on all the time
    led = {e.id for e in run.events[:reported] if 'led' in (e.body_a, e.body_b) and e.id in open_before}
    assert led <= still_open
    assert any(e.id in led for e in run.events[reported:])
    ids = {e.id for e in run.events[:reported]}
    fresh = {e.id for e in run.events[reported:] if e.phase == ContactEvent.BEGIN}
    assert fresh and not fresh & ids
    # killed once more, before it has saved another state
    run.kill()
    run.start()
    run.go(60)
    check_story(run.events)
    assert interrupt(run.process) == 0, run.process.output
    assert not run.file.exists()


def test_a_contact_that_ended_meanwhile_is_told_to_end(bench, tmp_path):
    run = Run(bench, tmp_path)
    run.go(200)
    run.saved()
    run.kill()
    led = {e.id for e in run.events if 'led' in (e.body_a, e.body_b)} & check_story(run.events)
    assert led
    reported = len(run.events)
    run.time.now += 2 * NS
    run.start()
    # its simulator has taken it away meanwhile; all speak, or the scene would wait for those that did as it was saved
    for _ in range(100):
        now = run.time.now
        run.bench.send('ball/wrench', stamped(WrenchStamped(), now, ''))
        run.bench.send('led/odom', odometry(now, (1.0, 2, 1)))
        run.bench.send('late/odom', odometry(now, (1.0, 5, 1)))
        run.time.tick(PERIOD)
    ended = {e.id for e in run.events[reported:] if e.phase == ContactEvent.END}
    assert led <= ended
    check_story(run.events)


def test_authority_and_pause_survive(bench, tmp_path):
    run = Run(bench, tmp_path)
    run.go(30)
    request = SetParameters.Request(parameters=[Parameter('drones.late.authority', value='observe').to_parameter_msg()])
    assert bench.call(SetParameters, '/collision_node/set_parameters', request).results[0].successful
    assert bench.call(SetBool, '/collision_node/set_paused', SetBool.Request(data=True)).success
    old = run.saved()
    run.go(1)
    for _ in range(1000):       # a state that was saved after that
        run.go(1)
        if run.saved() != old and b'"paused":true' in run.saved():
            break
    run.kill()
    run.start()
    run.go(5)
    asked = GetParameters.Request(names=['drones.late.authority'])
    assert bench.call(GetParameters, '/collision_node/get_parameters', asked).values[0].string_value == 'observe'
    assert bench.call(Trigger, '/collision_node/step').success      # it is paused
    ball = run.of('ball')[-1][1]
    run.go(20)
    assert len({state for _, state in run.of('ball')[-15:]}) == 1
    assert ball[0] != (0.0, 0.0, 0.5)


def test_an_end_that_was_asked_for_leaves_no_state(bench, tmp_path):
    """Deactivated: the file goes, and comes again with the next activation; a second node has to leave it alone."""
    def change(transition: int) -> None:
        request = ChangeState.Request(transition=Transition(id=transition))
        assert bench.call(ChangeState, '/collision_node/change_state', request).success

    run = Run(bench, tmp_path)
    run.go(40)
    run.saved()
    other = bench.start(NODE, *run.parameters)
    assert other.wait(START) == 1
    assert 'is in use by another node' in other.output
    change(Transition.TRANSITION_DEACTIVATE)
    assert {path.suffix for path in tmp_path.iterdir()} == {'.lock', '.yaml'}
    change(Transition.TRANSITION_ACTIVATE)
    run.go(40)
    run.saved()
    change(Transition.TRANSITION_DEACTIVATE)
    change(Transition.TRANSITION_CLEANUP)
    assert {path.suffix for path in tmp_path.iterdir()} == {'.lock', '.yaml'}
    assert interrupt(run.process) == 0, run.process.output


def test_both_recordings_of_a_node_that_was_killed_are_replayed(bench, tmp_path):
    """Killed in the middle of contacts: what it recorded until a second before, and what the next one recorded from
    the state on, give the bytes that were published."""
    run = Run(bench, tmp_path, f'record:={tmp_path / "flight"}')
    received: dict[str, list[bytes]] = {'/fleet/states_corrected': [], '/contact_events': []}
    for topic, kind in (('/fleet/states_corrected', FleetState), ('/contact_events', ContactEventArray)):
        bench.node.create_subscription(kind, topic, received[topic].append, RELIABLE, raw=True)
    bench.meet('/collision_node')
    run.go(450)
    run.saved()
    run.kill()
    assert check_story(run.events), 'nothing touches at the death: the test tests nothing'
    heard = {topic: len(messages) for topic, messages in received.items()}
    run.start()
    run.go(120)
    assert interrupt(run.process) == 0, run.process.output
    for name, is_second, least in (('flight.crashed', False, 190), ('flight', True, 115)):
        replay(Options(tmp_path / name, tmp_path / 'out'))
        with Bag(tmp_path / 'out') as bag:
            for topic, messages in received.items():
                live = messages[heard[topic]:] if is_second else messages[:heard[topic]]
                made = [m.data for m in bag.messages([topic])]
                # of the first one the last second is lost; before the first /clock nobody hears what a node says
                made = made[made.index(live[0]):]
                number = min(len(made), len(live))
                assert number >= (least if topic != '/contact_events' else 3), (name, topic, len(made), len(live))
                assert made[:number] == live[:number], (name, topic)
        shutil.rmtree(tmp_path / 'out')
    # as poses it is a bag like any other
    values = {'world': str(run.world)}
    assert replay(Options(tmp_path / 'flight', by_stamps=True, values=values)).ticks > 30


def spoil_bytes(data: bytes) -> bytes:
    return data[:-100] + bytes(100)


def cut_short(data: bytes) -> bytes:
    return data[:200]


def another_format(data: bytes) -> bytes:
    return data.replace(b'state 2\n', b'state 0\n', 1)


def foreign(_data: bytes) -> bytes:
    return b'\x89PNG\r\n\x1a\n' + bytes(1000)


@pytest.mark.parametrize(('spoil', 'said'), [
    (spoil_bytes, 'is damaged or cut short'), (cut_short, 'is damaged or cut short'),
    (another_format, 'was written in format 0, this is 2'), (foreign, 'is no state of this package')],
    ids=['damaged', 'cut', 'older', 'foreign'])
def test_a_state_that_is_none_is_a_sentence_and_a_fresh_start(bench, tmp_path, spoil, said):
    run = Run(bench, tmp_path)
    run.go(60)
    data = run.saved()
    run.kill()
    run.file.write_bytes(spoil(data))
    run.start()
    assert said in run.process.output
    run.k = 0
    run.go(40)
    first = run.of('ball')[-39][1][0]
    assert first[2] == pytest.approx(0.5, abs=0.02)     # where the world file has it, or a little below
    assert run.process.alive
