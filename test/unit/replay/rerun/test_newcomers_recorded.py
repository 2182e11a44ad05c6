# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Drones with ever new names in a recording: its table of channels has a bound, and the replay gives the same bytes."""
import json

import pytest
from bags import odometry
from recordings import PERIOD, Live, hand

from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.rerun import journal
from hakoniwa_rigid.replay.rerun.outcome import Options
from hakoniwa_rigid.replay.rerun.recording import SHARED, Calls, ChannelNames, Limits
from hakoniwa_rigid.replay.rerun.run import replay
from hakoniwa_rigid.replay.rerun.snapshots import Snapshots
from hakoniwa_rigid.scene.fleet_messages import FleetMessages
from hakoniwa_rigid.scene.parameters.discovered import drone_values
from hakoniwa_rigid.scene.parameters.discovered_hands import hand_values
from hakoniwa_rigid.scene.parameters.presets import read_preset

ODOMETRY = 'nav_msgs/msg/Odometry'
OTHERS = f'{SHARED}/nav_msgs_msg_Odometry'
WORLD = """
name: gate
gravity: [0, 0, 0]
models:
  ball:
    {mass: 0.5, inertia: [0.002, 0.002, 0.002], shape: {type: sphere, radius: 0.1},
     material: {restitution: 0.5, friction: 0.0}}
walls: [{name: end, type: plane, normal: [-1, 0, 0], offset: -2.0}]
drones: [{name: d0, model: ball}]
spare: {drones: 3, hands: 1}
"""
PARAMETERS = {'rate': 200.0}


def crowd(path, folder, most: int, limits: Limits | None = None, count: int = 12) -> Live:
    """Drones that come to the wall two at a time, each pair under new names; all are fed, and some hit the wall."""
    live = Live(path, folder, limits, PARAMETERS)
    live.fleet = FleetMessages(live.scene, 'world')
    names = ChannelNames(live.header, most)
    live.restart()
    k = 0
    for number in range(0, count, 2):
        pair = [f'g{number}', f'g{number + 1}']
        for y, name in enumerate(pair):
            live.add(name, model='ball', position=[1.0, 1.0 + y, 0.0])
            live.connect(name, drone_values(read_preset(''), {}, name), names)
        for _ in range(30):
            live.now += PERIOD
            k += 1
            x = 1.5 + 0.02 * (k % 30)
            live.read([[('d0/odom', odometry(live.now, (0, 0, 0)), 0),
                        *((f'{name}/odom', odometry(live.now, (x, 1.0 + y, 0), velocity=(4, 0, 0)), 0)
                          for y, name in enumerate(pair))]])
            live.advance()
            live.end()
        for name in pair:
            live.disconnect(name)
            live.remove(name)
    live.end()
    live.recording.close()
    return live


@pytest.fixture(scope='module')
def world(tmp_path_factory):
    path = tmp_path_factory.mktemp('world') / 'gate.yaml'
    path.write_text(WORLD)
    return path


def topics(path) -> set[str]:
    with Bag(path) as bag:
        return {topic.name for topic in bag.topics} - {journal.TOPIC}


def reported(path, topic: str) -> list[bytes]:
    with Bag(path) as bag:
        return [m.data for m in bag.messages([topic])]


@pytest.mark.parametrize('limits', [None, Limits(split_ns=PERIOD * 40)])
def test_names_beyond_the_bound_share_a_topic_and_the_replay_gives_the_same_bytes(world, tmp_path, limits):
    live = crowd(world, tmp_path / 'flight', 3, limits)
    own = {'/g0/odom', '/g0/wrench', '/g1/odom'}
    others = {OTHERS, f'{SHARED}/geometry_msgs_msg_WrenchStamped'}
    assert topics(tmp_path / 'flight') == {topic.full for topic in live.header.topics} | own | others
    assert len(reported(tmp_path / 'flight', OTHERS)) == 30 * (12 - 2)
    assert len(live.events) > 6
    result = replay(Options(tmp_path / 'flight', tmp_path / 'out'))
    assert reported(tmp_path / 'out', '/ns/fleet') == live.states
    assert reported(tmp_path / 'out', '/ns/hits') == live.events
    assert not result.refused


def strikes(path, folder, count: int = 6) -> Live:
    """Hands that come one after the other, each under a new name and of another mass, and strike d0."""
    live = Live(path, folder, None, PARAMETERS)
    live.fleet = FleetMessages(live.scene, 'world')
    names = ChannelNames(live.header, 3)
    live.restart()
    for number in range(count):
        name = f'h{number}'
        live.add_hand(name, effective_mass=0.5 + 0.5 * (number % 3))
        live.connect(name, hand_values(read_preset(''), {'hands.h0.latency': 0.01}, name), names)
        for k in range(60):
            live.now += PERIOD
            live.read([[('d0/odom', odometry(live.now, (0, 0, 0)), 0),
                        (f'hands/{name}', hand(live.now, -0.4 + 0.01 * k, name), 0)]])
            live.advance()
            live.end()
        live.disconnect(name)
        live.remove(name)
    live.end()
    live.recording.close()
    return live


def test_hands_that_come_are_replayed_to_the_byte(world, tmp_path):
    live = strikes(world, tmp_path / 'flight')
    assert f'{SHARED}/hakoniwa_rigid_msg_HandJoints' in topics(tmp_path / 'flight')
    assert len(live.events) >= 6 and not live.scene.hand_names
    result = replay(Options(tmp_path / 'flight', tmp_path / 'out'))
    assert reported(tmp_path / 'out', '/ns/fleet') == live.states
    assert reported(tmp_path / 'out', '/ns/hits') == live.events
    assert result.state_hash == live.scene.state_hash() and not result.refused


def test_a_name_that_comes_again_keeps_its_topic():
    first = journal.RecordedTopic('d', 'd/odom', ODOMETRY, '/d/odom')
    names = ChannelNames(journal.Header((first,), {}, {}, '', {}), 1)
    assert names.of([[1, 'a/odom', ODOMETRY, '/a/odom']]) == [[1, 'a/odom', ODOMETRY, '/a/odom']]
    assert names.of([[2, 'b/odom', ODOMETRY, '/b/odom']]) == [[2, 'b/odom', ODOMETRY, OTHERS]]
    assert names.of([[1, 'a/odom', ODOMETRY, '/a/odom'], [2, 'd/odom', ODOMETRY, '/d/odom']]) == [
        [1, 'a/odom', ODOMETRY, '/a/odom'], [2, 'd/odom', ODOMETRY, '/d/odom']]
    # a bag has one type for a name
    assert names.of([[1, 'a/odom', 'x/msg/Y', '/a/odom']]) == [[1, 'a/odom', 'x/msg/Y', f'{SHARED}/x_msg_Y']]


def test_what_others_say_in_calls_counts_as_what_is_kept(tmp_path, monkeypatch):
    """A snapshot's memory, where entries of 60 kB come and leave and no drone sends anything."""
    monkeypatch.setattr('hakoniwa_rigid.replay.rerun.snapshots.MOST_BYTES', 200_000)
    kept = Snapshots(tmp_path / 'shot', journal.Header((), {}, {}, '', {}), {}, span_ns=10**12)
    calls = Calls()
    for k in range(20):
        calls.add('add', 'object', {'name': f'o{k}', 'text': 'x' * 60_000})
        calls.add('remove', f'o{k}')
        assert calls.size == calls.text
        calls.add('advance', k + 1)
        kept.write(k + 1, calls.drain())
    left = [made for _, made in kept._ticks]
    assert len(left) == 3
    assert sum(len(json.dumps(made[0].call)) for made in left) <= 200_000
