# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The node as a process: lifecycle, services, parameters, signals, errors at start, markers."""

from __future__ import annotations

import signal
import time

import pytest
import yaml
from hakoniwa_rigid.msg import ContactEvent, FleetState
from harness import LATCHED, NS, START, Process, interrupt, odometry, stamp_of, values
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rcl_interfaces.srv import DescribeParameters, SetParameters
from rclpy.parameter import Parameter
from rig import NODE, Rig
from std_srvs.srv import SetBool, Trigger
from visualization_msgs.msg import Marker, MarkerArray

from hakoniwa_rigid.paths import config_file

pytestmark = pytest.mark.ros
PERIOD = 5_000_000


def change(bench, transition: int) -> bool:
    request = ChangeState.Request(transition=Transition(id=transition))
    return bench.call(ChangeState, '/collision_node/change_state', request).success


def state(bench) -> int:
    return bench.call(GetState, '/collision_node/get_state').current_state.id


def test_every_transition_does_what_it_says(bench, world):
    node = bench.start(NODE, f'world:={world}', 'autostart:=false')
    assert state(bench) == State.PRIMARY_STATE_UNCONFIGURED
    for _ in range(2):  # cleanup leaves nothing behind: it can be configured again
        assert change(bench, Transition.TRANSITION_CONFIGURE)
        assert state(bench) == State.PRIMARY_STATE_INACTIVE
        ticks = bench.inbox(FleetState, 'fleet/states_corrected')
        assert not ticks
        assert change(bench, Transition.TRANSITION_ACTIVATE)
        bench.until(lambda ticks=ticks: len(ticks) > 20, 'ticks')
        assert change(bench, Transition.TRANSITION_DEACTIVATE)
        # it was told at `still`, and is told to go on at `again`: no tick between them, however late the last ones come
        still = time.time_ns()
        bench.until(lambda still=still: time.time_ns() > still + 20 * PERIOD, 'some periods')
        assert state(bench) == State.PRIMARY_STATE_INACTIVE
        again = time.time_ns()
        assert change(bench, Transition.TRANSITION_ACTIVATE)
        bench.until(lambda ticks=ticks, again=again: sum(stamp_of(m) >= again for m in ticks) > 20, 'ticks again')
        assert not [m for m in ticks if still + PERIOD < stamp_of(m) < again]
        assert change(bench, Transition.TRANSITION_DEACTIVATE)
        assert change(bench, Transition.TRANSITION_CLEANUP)
        assert state(bench) == State.PRIMARY_STATE_UNCONFIGURED
        bench.until(lambda: not bench.node.count_publishers('/fleet/states_corrected'), 'closed topics')
    assert change(bench, Transition.TRANSITION_UNCONFIGURED_SHUTDOWN)
    assert node.alive
    assert interrupt(node) == 0


def test_a_failed_configure_can_be_repeated(bench, tmp_path, world):
    path = tmp_path / 'later.yaml'
    node = bench.start(NODE, f'world:={path}', 'autostart:=false')
    assert not change(bench, Transition.TRANSITION_CONFIGURE)
    assert state(bench) == State.PRIMARY_STATE_UNCONFIGURED
    bench.until(lambda: 'later.yaml' in node.output, 'the error')
    path.write_text(world.read_text())
    assert change(bench, Transition.TRANSITION_CONFIGURE)
    assert change(bench, Transition.TRANSITION_ACTIVATE)


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_signals_end_it_cleanly(bench, world, number):
    node = bench.start(NODE, f'world:={world}')
    bench.inbox(FleetState, 'fleet/states_corrected')
    node.signal(number)
    node.signal(number)  # a launcher and the terminal both send it
    assert node.wait() == 0, node.output
    assert 'Traceback' not in node.output


@pytest.mark.parametrize(
    ('parameter', 'message'),
    [
        ('world:=nowhere', 'nowhere.yaml: no such file'),
        ('rate:=60.0', 'parameter rate: its period must be a whole number of engine steps of 1 ms, got 60 Hz; try '),
        ('stamp:=never', "parameter stamp: must be one of 'header', 'receive', 'synced', got 'never'"),
    ],
)
def test_wrong_parameters_end_it_with_a_sentence(bench, parameter, message):
    node = bench.start(NODE, parameter)
    assert node.wait(START) == 1
    assert f'error: {message}' in node.output or message in node.output
    assert 'Traceback' not in node.output


@pytest.mark.parametrize('words', [('--params-file', '/nowhere.yaml'), ('-p', 'world'), ('-r',)])
def test_what_ros_cannot_read_ends_it_with_a_sentence(bench, words):
    node = Process(['-m', NODE, '--ros-args', *words], bench.domain, forked=True)
    try:
        assert node.wait(START) == 1
    finally:
        node.kill()
    assert "error: failed to initialize rcl: Couldn't parse" in node.output
    assert words[-1] in node.output
    assert 'Traceback' not in node.output
    assert '.c:' not in node.output


def test_a_wrong_world_file_is_named_with_key_and_value(bench, tmp_path):
    path = tmp_path / 'bad.yaml'
    path.write_text('walls: [{name: floor, type: plane, ofset: 1}]\n')
    node = bench.start(NODE, f'world:={path}')
    assert node.wait(START) == 1
    assert 'bad.yaml: walls[0]' in node.output
    assert 'ofset' in node.output
    assert 'Traceback' not in node.output


def test_drones_by_parameter_and_names_that_ros_forbids(bench, world):
    given = ('drones:=[a, Drone-1]', 'drones.a.topic_odom:=plan', 'drones.x.source:=odom')
    node = bench.start(NODE, f'world:={world}', *given)
    ticks = bench.inbox(FleetState, 'fleet/states_corrected')
    bench.until(lambda: ticks, 'a tick')
    assert list(ticks[0].names) == ['a', 'b', 'c', 'Drone-1']
    count = bench.node.count_subscribers
    bench.until(lambda: count('/plan') and count('/Drone_1/odom'), 'readers of the drones')
    assert not count('/a/odom')
    assert not count('/b/odom')
    assert 'drones.x.source is unknown' in node.output


def test_a_namespace_and_the_shipped_parameter_file(bench):
    file = str(config_file('collision_node.yaml'))
    process = bench.start(NODE, arguments=('--ros-args', '-r', '__ns:=/lab', '--params-file', file))
    ticks = bench.inbox(FleetState, '/lab/fleet/states_corrected')
    bench.until(lambda: ticks, 'a tick')
    assert 'unknown' not in process.output


FIRST_TICKS = """
import numpy as np, rclpy
from numba.core import event
from hakoniwa_rigid.ros.collision.collision_node import CollisionNode
rclpy.init()
node = CollisionNode()
scene = node._scene
with event.install_recorder('numba:compiler_lock') as compiled:
    for k, authority in enumerate(('correct', 'observe', 'simulate')):
        for name in scene.drone_names:
            scene.set_authority(name, authority)
        while node._stats.summary()['ticks'] < 3 * (k + 1):
            now = node.get_clock().now().nanoseconds
            for row, name in enumerate(scene.drone_names):
                scene.feed_drone(name, now, (0.3 * row, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0))
                scene.feed_motor_speeds(name, now, [100.0] * 4)
            scene.feed_hand(scene.hand_names[0], now, np.linspace((0.0, 0.0, 1.0), (0.1, 0.0, 1.0), 25))
            node.tick()
print('ticks', node._stats.summary()['ticks'], 'compiled', len(compiled.buffer))
"""


def test_nothing_is_compiled_once_it_ticks(bench):
    """Neither compiled nor loaded from the cache: all of that is done before activation."""
    process = Process(['-c', FIRST_TICKS], bench.domain)
    bench.processes.append(process)
    assert process.wait(START) == 0, process.output
    assert 'ticks 9.0 compiled 0' in process.output


def test_stamps_are_whole_periods_apart_on_the_machines_clock(bench, world):
    bench.start(NODE, f'world:={world}')
    ticks = bench.inbox(FleetState, 'fleet/states_corrected')

    def gaps() -> list[int]:
        stamps = [stamp_of(m) for m in ticks]
        return [b - a for a, b in zip(stamps, stamps[1:], strict=False)]

    # a busy machine may cost any number of ticks, but not make the periods longer
    bench.until(lambda: len(ticks) >= 200 and PERIOD in gaps(), 'ticks')
    assert all(gap > 0 and gap % PERIOD == 0 for gap in gaps())


def test_stamps_under_a_simulated_clock_with_odd_steps(rig: Rig):
    first = rig.time.now
    for k in range(50):
        rig.time.now = first + (k + 1) * 7_000_000
        count = len(rig.ticks)
        rig.bench.until(lambda count=count: rig.time.publish() or len(rig.ticks) > count, 'a tick')
    stamps = [stamp_of(m) for m in rig.ticks]
    assert not [s - first for s in stamps if (s - first) % PERIOD]
    assert stamps == sorted(set(stamps))
    assert rig.time.now - stamps[-1] < PERIOD


def test_times_reported_shortly_after_each_other_cost_no_tick(rig: Rig):
    """A timer of rclpy is called twice where /clock moves again before its call, and then misses a period."""
    for k in range(300):
        for step in (PERIOD, PERIOD // 5):
            rig.time.now += step
            rig.time.publish()
            end = time.perf_counter() + 1e-5 * (k % 60)
            while time.perf_counter() < end:
                pass
        rig.time.now -= PERIOD // 5
        now = rig.time.now
        # said once: a clock that then stands still must not be needed to wake the node again
        rig.bench.until(lambda now=now: stamp_of(rig.ticks[-1]) == now, f'the tick at {now} ns')


def head_on(rig: Rig) -> None:
    start = rig.time.now
    for _ in range(180):
        t = (rig.time.now - start) / NS
        rig.bench.send('a/odom', odometry(rig.time.now, (-0.8 + t, 0, 1), linear=(1, 0, 0)))
        rig.bench.send('b/odom', odometry(rig.time.now, (0.8 - t, 0, 1), linear=(-1, 0, 0)))
        rig.time.tick()


def test_services_switch_save_and_reset(rig: Rig):
    call = rig.bench.call
    assert call(SetBool, '/collision_node/set_enabled', SetBool.Request(data=False)).success
    head_on(rig)
    assert not rig.events
    assert call(SetBool, '/collision_node/set_enabled', SetBool.Request(data=True)).success
    assert call(Trigger, '/collision_node/reset').success
    rig.time.tick()
    assert all(flags & FleetState.STALE for flags in rig.ticks[-1].flags)
    for _ in range(230):  # the old samples are out of the way
        rig.time.tick()
    head_on(rig)
    assert [e.phase for e in rig.events][0] == ContactEvent.BEGIN
    saved = yaml.safe_load(call(Trigger, '/collision_node/save_world').message)
    assert [d['name'] for d in saved['drones']] == ['a', 'b', 'c']
    rig.report()
    assert int(values(rig.diagnostics, 'scene')['events']) == len(rig.events)


def test_parameters_are_described_checked_and_changed_while_running(rig: Rig):
    def put(name: str, value):
        request = SetParameters.Request(parameters=[Parameter(name, value=value).to_parameter_msg()])
        return rig.bench.call(SetParameters, '/collision_node/set_parameters', request).results[0]

    request = DescribeParameters.Request(names=['rate', 'drones.a.authority'])
    rate, authority = rig.bench.call(DescribeParameters, '/collision_node/describe_parameters', request).descriptors
    assert rate.read_only and rate.floating_point_range[0].to_value == 1000.0 and rate.description
    assert not authority.read_only and "'simulate'" in authority.additional_constraints
    assert not put('rate', 100.0).successful
    refused = put('drones.a.authority', 'none')
    assert not refused.successful and "got 'none'" in refused.reason
    assert not put('markers_rate', 99.0).successful

    for _ in range(5):
        rig.bench.send('a/odom', odometry(rig.time.now, (-1, 0, 1)))
        rig.time.tick()
    assert put('drones.a.authority', 'simulate').successful
    for _ in range(20):
        rig.time.tick()
    assert rig.state('a')['v'][2] < -0.5  # nothing holds it: it falls
    rig.report()
    assert values(rig.diagnostics, 'drone a')['authority'] == 'simulate'
    assert put('drones.a.authority', '').successful  # as the world file says
    rig.report()
    assert values(rig.diagnostics, 'drone a')['authority'] == 'correct'


def test_markers_reach_early_and_late_viewers(rig: Rig):
    early = rig.bench.inbox(MarkerArray, 'markers')

    def drawn(inbox: list, ns: str) -> list[Marker]:
        return [m for array in inbox for m in array.markers if m.ns == ns]

    def shown() -> bool:
        rig.bench.send('a/odom', odometry(rig.time.now, (-1, 0, 1)))
        rig.time.tick()
        return bool(drawn(early, 'drones') and drawn(early, 'walls'))
    rig.bench.until(shown, 'drones and walls to be drawn')
    late = rig.bench.inbox(MarkerArray, 'markers', LATCHED)
    rig.bench.until(lambda: drawn(late, 'walls') and drawn(late, 'drones'), 'latched markers')
    assert len({(m.ns, m.id) for m in drawn(late, 'walls')}) == 2
    picture = drawn(late, 'drones')[-1]
    assert picture.type == Marker.LINE_LIST
    assert len(picture.points) == len(picture.colors) == 3 * 6
    assert picture.header.frame_id == 'world'
    stamps = sorted({stamp_of(m) for m in drawn(early, 'drones')})
    assert all(b - a >= NS // 30 - PERIOD for a, b in zip(stamps, stamps[1:], strict=False))
