# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a node recorded, replayed without ROS, is what it published: byte for byte, whatever happened meanwhile."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from geometry_msgs.msg import Pose, Vector3, WrenchStamped
from hakoniwa_rigid.msg import ContactEvent, ContactEventArray, FleetState, HandJoints
from harness import NS, RELIABLE, START, interrupt, odometry, stamp_of, stamped
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from nav_msgs.msg import Odometry
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from rclpy.serialization import deserialize_message
from rig import NODE, Rig
from std_srvs.srv import SetBool, Trigger

from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.rerun import journal
from hakoniwa_rigid.replay.rerun.outcome import Options
from hakoniwa_rigid.replay.rerun.run import replay

pytestmark = pytest.mark.ros
TOPICS = {
    '/contact_events': ContactEventArray,
    '/fleet/states_corrected': FleetState,
    **{f'/{name}/odom_corrected': Odometry for name in 'abc'},
}


def listen(bench) -> dict[str, list[bytes]]:
    """Everything the node publishes, as bytes."""
    received = {topic: [] for topic in TOPICS}
    made = [bench.node.create_subscription(kind, topic, received[topic].append, RELIABLE, raw=True)
            for topic, kind in TOPICS.items()]
    bench.until(lambda: all(s.get_publisher_count() for s in made), 'the outputs', START)
    bench.meet('/collision_node')
    return received


def check_replay_equals(received: dict[str, list[bytes]], recording, out) -> list[ContactEvent]:
    """Every message that was received, in one piece, is in the replay; the events among them."""
    replay(Options(recording, out, states='both'))
    replayed = {topic: [] for topic in TOPICS}
    with Bag(out) as bag:
        for message in bag.messages(TOPICS):
            replayed[message.topic].append(message.data)
    for topic, live in received.items():
        assert live, topic
        first = replayed[topic].index(live[0])
        assert len(replayed[topic]) >= first + len(live)
        wrong = [k for k, data in enumerate(live) if data != replayed[topic][first + k]]
        assert not wrong, f'{topic}: {len(wrong)} of {len(live)} differ, the first is {wrong[0]}'
    return [e for data in received['/contact_events'] for e in deserialize_message(data, ContactEventArray).events]


def calls(recording) -> set[str]:
    with Bag(recording) as bag:
        _, *entries = bag.messages([journal.TOPIC])
        return {call[0] for entry in entries for call in journal.read_entry(entry.data, 99).calls}


def put(bench, name: str, value: object) -> None:
    request = SetParameters.Request(parameters=[Parameter(name, value=value).to_parameter_msg()])
    assert bench.call(SetParameters, '/collision_node/set_parameters', request).results[0].successful


def deep(*topics: str) -> list[str]:
    """Parameters by which what a busy machine leaves unread for seconds is kept for its readers."""
    return [f'qos_overrides.{topic}.publisher.depth:=5000' for topic in topics]


def change(bench, transition: int) -> None:
    request = ChangeState.Request(transition=Transition(id=transition))
    assert bench.call(ChangeState, '/collision_node/change_state', request).success


class Flight(Rig):
    """a and b fly to and fro through each other and the wall, a hand passes through c; b is in a fleet message, too."""

    def send(self, k: int) -> None:
        """What is sent before tick k."""
        now, send = self.time.now, self.bench.send
        a, v = 2.6 * math.sin(0.02 * k), 2.6 * 4.0 * math.cos(0.02 * k)
        if k % 2 == 0:
            send('a/odom', odometry(now, (a, 0, 1), linear=(v, 0, 0)))
            send('c/odom', odometry(now - 1000 * NS, (0, 5 + 0.1 * math.sin(0.1 * k), 1)))
        if k % 3 == 0:
            send('b/odom', odometry(now, (1 - a, 0.05, 1), linear=(-v, 0, 0), angular=(0, 0, 1)))
        if k % 4 == 0:
            send('hands/right', self.hand(now, -0.8 + 0.01 * k))
        if k % 7 == 0:
            send('fleet/states', self.fleet(now, (1 - a, 0.06, 1)))
        if k % 10 == 0:
            send('c/wrench', stamped(WrenchStamped(), now - 1000 * NS, ''))
        if k % 11 == 0:
            send('a/odom', odometry(now, (math.nan, 0, 1)))
            send('b/odom', stamped(odometry(now, (1, 0, 1)), now, 'nowhere'))
            self.bench.publisher(HandJoints, 'hands/right').publish(b'\0\1\0\0\7')

    def hand(self, now: int, x: float) -> HandJoints:
        msg = stamped(HandJoints(hand='right', radii=[0.02] * 25), now)
        for y in np.linspace(4.9, 5.1, 25).tolist():
            pose = Pose()
            pose.position.x, pose.position.y, pose.position.z = x, y, 1.0
            msg.poses.append(pose)
        return msg

    def fleet(self, now: int, position) -> FleetState:
        zeros, unit = [0.0] * 6, [0.0, 0.0, 0.0, 1.0]
        return stamped(FleetState(names=['b', 'unknown'], positions=[*map(float, position), 0.0, 0.0, 9.0],
                                  orientations=unit + unit, linear_velocities=zeros, angular_velocities=zeros), now)

    def fly(self, first: int, ticks: int) -> None:
        for k in range(first, first + ticks):
            self.send(k)
            self.time.tick()


def check_pause(rig: Flight) -> None:
    """Paused, ticks come and nothing moves; a step is one tick; after it inputs of the pause are as good as any."""
    pause, step = '/collision_node/set_paused', '/collision_node/step'
    assert not rig.bench.call(Trigger, step).success
    assert rig.bench.call(SetBool, pause, SetBool.Request(data=True)).success
    still = rig.ticks[-1]
    rig.fly(260, 10)
    assert (rig.ticks[-1].positions, rig.ticks[-1].linear_velocities) == (still.positions, still.linear_velocities)
    assert stamp_of(rig.ticks[-1]) == rig.time.now > stamp_of(still)
    assert rig.bench.call(Trigger, step).success
    rig.fly(270, 1)
    stepped = rig.ticks[-1]
    assert stepped.positions != still.positions
    rig.fly(271, 5)
    assert rig.ticks[-1].positions == stepped.positions
    assert rig.bench.call(SetBool, pause, SetBool.Request(data=False)).success
    rig.fly(276, 4)
    assert rig.ticks[-1].positions != stepped.positions


def test_simulated_time(bench, world, tmp_path):
    recording = tmp_path / 'flight'
    rig = Flight(bench, world, f'record:={recording}', 'drones.c.stamp:=synced')
    received = listen(bench)
    rig.fly(0, 200)
    put(bench, 'drones.b.authority', 'simulate')
    wrench = WrenchStamped()
    wrench.wrench.force = Vector3(x=0.5, y=0.0, z=9.0)
    bench.send('b/wrench', stamped(wrench, rig.time.now, ''))
    rig.fly(200, 60)
    check_pause(rig)
    put(bench, 'drones.b.authority', '')
    put(bench, 'drones.a.authority', 'observe')
    bench.call(SetBool, '/collision_node/set_enabled', SetBool.Request(data=False))
    rig.fly(280, 20)
    bench.call(SetBool, '/collision_node/set_enabled', SetBool.Request(data=True))
    rig.fly(300, 40)
    bench.call(Trigger, '/collision_node/reset')
    rig.fly(340, 40)
    rig.time.set_back(2 * NS)
    rig.fly(380, 60)
    change(bench, Transition.TRANSITION_DEACTIVATE)
    rig.send(440)
    change(bench, Transition.TRANSITION_ACTIVATE)
    rig.time.tick()
    rig.fly(441, 40)
    assert not recording.exists()
    assert interrupt(rig.process) == 0, rig.process.output
    bench.serve()
    assert {path.name for path in tmp_path.iterdir() if 'flight' in path.name} == {'flight'}

    events = check_replay_equals(received, recording, tmp_path / 'out')
    assert {e.kind for e in events} == {ContactEvent.DRONE_DRONE, ContactEvent.DRONE_WALL, ContactEvent.DRONE_HAND}
    # of those: test_restored_recordings, test_constraints, test_standard_entities, test_spawn_services, test_discovery
    others = {'transforms', 'ask_tf', 'restored', 'attach', 'detach', 'set_state', 'add', 'change', 'remove', 'connect',
              'disconnect'}
    assert calls(recording) == set(journal.CALLS) - others
    with Bag(recording) as bag:
        stamps = [message.stamp_ns for message in bag.messages()]
        assert stamps == sorted(stamps)
        assert not bag.warnings


def test_wall_time(bench, world, tmp_path):
    """Receptions are those of DDS; nothing waits for a tick; a second recording does not replace the first."""
    (tmp_path / 'flight.mcap').write_bytes(b'an older one')
    node = bench.start(NODE, f'world:={world}', f'record:={tmp_path / "flight.mcap"}', 'drones.a.stamp:=receive',
                       'drones.b.stamp:=synced', 'rate:=100.0', *deep(*TOPICS))
    received = listen(bench)
    begun, sent = time.time_ns(), 0
    # a and b meet at half a second
    while len(received['/fleet/states_corrected']) < 150 or not received['/contact_events']:
        now = time.time_ns()
        x = 2.0 * (now - begun) / NS - 1.5
        bench.send('a/odom', odometry(now, (min(x, 2.9), 0, 1), linear=(2, 0, 0)))
        bench.send('b/odom', odometry(now - 5 * NS, (0, 0, 1)))
        bench.send('c/odom', odometry(now, (0, 5, 1)))
        sent += 3
        count = len(received['/fleet/states_corrected'])
        bench.until(lambda count=count: len(received['/fleet/states_corrected']) > count, 'a tick', START)
    assert interrupt(node) == 0, node.output
    ended = time.time_ns()
    bench.serve()
    recording = tmp_path / 'flight_2.mcap'
    assert check_replay_equals(received, recording, tmp_path / 'out')
    with Bag(recording) as bag:
        entries = [journal.read_entry(m.data, 99) for m in bag.messages([journal.TOPIC]) if m.sequence]
    receptions = [entry.now + after for entry in entries for name, *rest in entry.calls if name == 'take'
                  for after in rest[1]]
    assert begun <= min(receptions) <= max(receptions) <= ended
    assert len(set(receptions)) > 0.5 * sent
    assert (tmp_path / 'flight.mcap').read_bytes() == b'an older one'
