# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Lockstep over DDS: the node goes on exactly when all drones have their next stamp, equal runs give equal bytes, and
so does the replay of a recording."""

from __future__ import annotations

import math
import threading
from collections import defaultdict

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from hakoniwa_rigid.msg import FleetState
from hakoniwa_rigid.srv import Remove
from harness import NS, RELIABLE, START, WAIT, bench, odometry, stamp_of, stamped, values
from nav_msgs.msg import Odometry
from rclpy.serialization import deserialize_message
from rig import NODE
from rosgraph_msgs.msg import Clock
from test_record import calls, check_replay_equals, listen

from hakoniwa_rigid.lockstep import LockstepError
from hakoniwa_rigid.ros.lockstep import join

pytestmark = pytest.mark.ros
P = 5_000_000
STATES = 'fleet/states_corrected'
PACE = 'pace:=lockstep'


def start(bench, world, *parameters):
    """The node, in lockstep."""
    process = bench.start(NODE, f'world:={world}', PACE, *parameters)
    bench.until(lambda: bench.node.count_publishers(f'/{STATES}') or not process.alive, 'the node', START)
    assert process.alive, process.output
    return process


def course(k: int):
    """a and b fly through each other and the wall, c stands: positions, orientations, velocities (3,N)."""
    x, v = 2.6 * math.sin(0.01 * k), 2.6 * 2.0 * math.cos(0.01 * k)
    positions = [[x, 0, 1], [1 - x, 0.05, 1], [0, 5, 1]]
    return positions, [[0, 0, 0, 1.0]] * 3, [[v, 0, 0], [-v, 0, 0], [0, 0, 0]], np.zeros((3, 3))


def fly(lockstep, first: int, steps: int, begin: int = NS, period: int = P) -> list:
    """Steps of a period; what came back."""
    return [lockstep.step(begin + k * period, *course(k)) for k in range(first, first + steps)]


def digest(found) -> list[bytes]:
    return [b''.join(array.tobytes() for array in s[1:]) for s in found]


def check_states(received, folder) -> None:
    """The states of the node are those of the replay of its recording `run`."""
    states = f'/{STATES}'
    check_replay_equals(defaultdict(list, {states: received[states]}), folder / 'run', folder / 'replayed')


class Sender:
    """A simulator without the client: Odometry of single drones, which it does not send again."""

    def __init__(self, bench, names='abc') -> None:
        self.bench, self.ticks = bench, bench.inbox(FleetState, STATES)
        self.publishers = {name: bench.publisher(Odometry, f'{name}/odom') for name in names}

    def send(self, stamp: int, names: str, x: float = 0.0) -> None:
        for name in names:
            self.publishers[name].publish(odometry(stamp, (x, 3.0 * 'abc'.index(name), 1)))

    def until(self, stamp: int) -> FleetState:
        self.bench.until(lambda: self.ticks and stamp_of(self.ticks[-1]) >= stamp, f'the tick at {stamp} ns')
        assert stamp_of(self.ticks[-1]) == stamp
        return self.ticks[-1]

    def stays(self, stamp: int, seconds: float = 0.3) -> None:
        """No tick later than this comes."""
        with pytest.raises(AssertionError):
            self.bench.until(lambda: self.ticks and stamp_of(self.ticks[-1]) > stamp, 'nothing', seconds)


def one_run(world, recording, steps: int):
    with bench() as made:
        process = start(made, world, f'record:={recording}', 'rate:=100.0',
                        *(f'qos_overrides./{t}.publisher.depth:=20000' for t in (STATES, 'contact_events')))
        received = listen(made)
        lockstep, found = join(made.node, 'abc'), []
        for k in range(0, steps, 50):
            found += fly(lockstep, k, 50, period=2 * P)
            for _ in range(20):     # queues of readers have an end
                made.serve()
        last = NS + (steps - 1) * 2 * P
        states = received[f'/{STATES}']
        made.until(lambda: stamp_of(deserialize_message(states[-1], FleetState)) == last, 'the last states')
        process.signal(2)
        process.wait()
    return found, received


def test_a_minute_twice_and_its_replay(world, tmp_path):
    """60 s of two drones that collide, and one that stands."""
    runs = [one_run(world, tmp_path / f'run{k}', 6000) for k in range(2)]
    (found, received), (again, received_again) = runs
    assert [s.stamp_ns for s in found] == [NS + k * 2 * P for k in range(6000)]
    # the flags of the first say whether it had to be sent again
    assert digest(found)[1:] == digest(again)[1:]
    assert received[f'/{STATES}'][1:] == received_again[f'/{STATES}'][1:]
    assert received['/contact_events'] == received_again['/contact_events']
    events = check_replay_equals({t: received[t] for t in (f'/{STATES}', '/contact_events')}, tmp_path / 'run0',
                                 tmp_path / 'replayed')
    assert events


def test_with_the_clock_of_the_simulator(bench, world):
    process = start(bench, world, 'use_sim_time:=true')
    clock = []
    bench.node.create_subscription(Clock, '/clock', clock.append, RELIABLE)
    lockstep = join(bench.node, 'abc', clock=True)
    found = fly(lockstep, 0, 200)
    assert [s.stamp_ns for s in found] == [NS + k * P for k in range(200)] and process.alive
    bench.until(lambda: clock and clock[-1].clock.sec * NS + clock[-1].clock.nanosec == NS + 199 * P, '/clock')


def test_a_tick_comes_when_the_last_drone_is_there(bench, world):
    start(bench, world, 'lockstep_timeout:=3600.0')
    sender = Sender(bench)
    sender.send(NS, 'ab')
    sender.stays(0)
    sender.send(NS, 'c')
    sender.until(NS)
    sender.send(NS + P, 'bc')
    sender.stays(NS)
    sender.send(NS + 3 * P, 'a')
    sender.until(NS + P)
    sender.send(NS + 3 * P, 'bc')
    sender.until(NS + 3 * P)
    assert [stamp_of(t) for t in sender.ticks] == [NS + k * P for k in range(4)]


def test_a_drone_that_is_removed_is_not_waited_for(bench, world):
    """It leaves by the service; the others go on at once."""
    start(bench, world, 'lockstep_timeout:=60.0')
    simulator = Sender(bench)
    for k in range(3):
        simulator.send(NS + k * P, 'abc')
        simulator.until(NS + k * P)
    assert bench.call(Remove, 'collision_node/remove', Remove.Request(name='b')).success
    for k in range(3, 6):
        simulator.send(NS + k * P, 'ac')
        assert list(simulator.until(NS + k * P).names) == ['a', 'c']


def test_a_drone_that_leaves_and_comes_back(bench, world, tmp_path):
    process = start(bench, world, 'lockstep_timeout:=1.0', 'diagnostics_rate:=10.0', f'record:={tmp_path / "run"}')
    diagnostics, received, sender = [], listen(bench), Sender(bench)
    bench.node.create_subscription(DiagnosticArray, '/diagnostics', diagnostics.append, RELIABLE)
    for k in range(100):
        if k == 50:
            sender.send(NS + k * P, 'c')
        sender.send(NS + k * P, 'ab' if 20 <= k <= 50 else 'abc')
        sender.until(NS + k * P)
    text = f'no sample for the tick at {NS + 20 * P} ns within 1 s'
    bench.until(lambda: any(text in values([m], 'inputs').get('missing/c last', '') for m in diagnostics), 'the report')
    bench.until(lambda: 'c: missing' in process.output, 'the line of the log')
    process.signal(2)
    process.wait()
    check_states(received, tmp_path)


def test_a_simulator_that_stops_is_waited_for(bench, world):
    process = start(bench, world, 'lockstep_timeout:=0.2')
    lockstep = join(bench.node, 'abc')
    fly(lockstep, 0, 20)
    told = f'lockstep: the tick after {NS + 19 * P} ns waits for a, b, c'
    bench.until(lambda: told in process.output, 'who is missing')
    assert [s.stamp_ns for s in fly(lockstep, 20, 20)] == [NS + k * P for k in range(20, 40)]


def test_stamps_that_repeat_and_go_back_a_little_move_nothing(bench, world):
    start(bench, world)
    sender = Sender(bench)
    for k in (0, 1, 2):
        sender.send(NS + k * P, 'abc')
        sender.until(NS + k * P)
    for stamp in (NS + 2 * P, NS + P):
        sender.send(stamp, 'abc')
    sender.stays(NS + 2 * P)
    sender.send(NS + 3 * P, 'abc')
    sender.until(NS + 3 * P)
    assert [stamp_of(t) for t in sender.ticks] == [NS + k * P for k in range(4)]


def test_a_simulator_that_begins_anew(bench, world, tmp_path):
    process = start(bench, world, f'record:={tmp_path / "run"}', f'qos_overrides./{STATES}.publisher.depth:=5000')
    received = listen(bench)
    lockstep = join(bench.node, 'abc')
    first = fly(lockstep, 0, 300, 100 * NS)
    lockstep.restart()
    again = fly(lockstep, 0, 300)
    assert [s.stamp_ns for s in again] == [NS + k * P for k in range(300)]
    assert f'the simulator was set back to {NS} ns' in process.output
    for one, other in zip(first[2:], again[2:], strict=True):
        np.testing.assert_allclose(one.positions, other.positions, atol=1e-6)
    bench.serve()
    process.signal(2)
    process.wait()
    assert {'restart', 'advance'} <= calls(tmp_path / 'run')
    check_states(received, tmp_path)


def test_a_node_that_is_not_in_lockstep_is_named(bench, world):
    process = bench.start(NODE, f'world:={world}')
    bench.until(lambda: bench.node.count_publishers(f'/{STATES}') or not process.alive, 'the node', START)
    with pytest.raises(LockstepError, match='parameter pace of /collision_node: must be lockstep, got real_time'):
        join(bench.node, 'abc')


def test_without_a_node_it_is_said_what_is_missing(bench):
    with pytest.raises(LockstepError, match='within 0.2 s: no node reads /fleet/states'):
        join(bench.node, 'abc', start_timeout=0.2)


@pytest.mark.parametrize(('parameters', 'text'), [
    (['drones.a.stamp:=receive'], 'parameter drones.a.stamp: receive: pace: lockstep needs header'),
    (['drones.b.source:=twist_pose'], 'parameter drones.b.source: twist_pose: pace: lockstep needs samples with'),
    (['lockstep_timeout:=0.0'], 'lockstep_timeout'),
])
def test_parameters_that_do_not_go_together(bench, world, parameters, text):
    process = bench.start(NODE, f'world:={world}', PACE, *parameters)
    assert process.wait(START) == 1
    assert text in process.output


def test_the_swarm_flies_in_lockstep(bench):
    """The demo's six drones meet, and go on; the node's drones are those of the demo."""
    names = '[d0, d1, d2, d3, d4, d5]'
    node = bench.start(NODE, 'world:=demo_room', PACE, 'rate:=100.0', f'drones:={names}')
    swarm = bench.start('hakoniwa_rigid.ros.simulators.drone_sim', 'lockstep:=true', 'publish_clock:=true')
    ticks = []
    bench.node.create_subscription(FleetState, STATES, ticks.append, RELIABLE)
    bench.until(lambda: ticks and stamp_of(ticks[-1]) > 10 * NS, '10 s of simulated time', START)
    assert node.alive and swarm.alive, swarm.output
    stamps = np.array([stamp_of(t) for t in ticks])
    assert set(np.diff(stamps)) == {10_000_000}
    assert any(flag & 1 for t in ticks for flag in t.flags)
    assert np.abs([t.positions for t in ticks]).max() < 6.0


def test_the_swarm_names_what_is_missing(bench, world):
    start(bench, world, 'drones:=[a]')
    swarm = bench.start('hakoniwa_rigid.ros.simulators.drone_sim', 'lockstep:=true')
    assert swarm.wait(WAIT) == 1
    assert 'lockstep: no corrected states of' in swarm.output or 'the node has no drone d0' in swarm.output


def fleet(stamp, names, positions):
    """A FleetState at rest."""
    n = len(names)
    return stamped(FleetState(names=list(names), positions=np.ravel(positions).tolist(),
                              orientations=[0.0, 0.0, 0.0, 1.0] * n, linear_velocities=[0.0] * 3 * n,
                              angular_velocities=[0.0] * 3 * n), stamp)


def test_two_simulators_share_a_node(bench, world):
    """One with the client, one by hand: neither goes on without the other."""
    start(bench, world, 'lockstep_timeout:=3600.0')
    lockstep, found = join(bench.node, 'ab'), []
    other = bench.publisher(FleetState, 'fleet/states')

    def steps() -> None:
        found.extend(lockstep.step(NS + k * P, *(np.array(a)[:2] for a in course(k))) for k in range(20))

    thread = threading.Thread(target=steps, daemon=True)
    thread.start()
    for k in range(20):
        other.publish(fleet(NS + k * P, 'c', [0.0, 5.0, 1.0]))
        bench.serve()
    thread.join(WAIT)
    assert not thread.is_alive()
    assert [s.stamp_ns for s in found] == [NS + k * P for k in range(20)]
