# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Drones, walls and objects come and leave over DDS: services, contacts, markers, a recording that is replayed to the
byte, states of drones that nothing touched."""
from __future__ import annotations

import json
from pathlib import Path

import harness
import numpy as np
import pytest
from hakoniwa_rigid.msg import ContactEvent, FleetState
from hakoniwa_rigid.srv import Change, Remove, Spawn
from hangar import WORLD as HANGAR
from harness import stamped
from nav_msgs.msg import Odometry
from rig import Rig
from visualization_msgs.msg import Marker, MarkerArray

from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.rerun.outcome import Options
from hakoniwa_rigid.replay.rerun.run import replay

pytestmark = pytest.mark.ros

WORLD = f"""{HANGAR}  - {{name: b, model: ball, position: [5, 0, 2]}}
spare: {{drones: 2, objects: 2, walls: 1, hands: 1}}
"""
TICK = 0.005


@pytest.fixture
def rig(bench, tmp_path: Path):
    world = tmp_path / 'hangar.yaml'
    world.write_text(WORLD)
    return Rig(bench, world, 'publish_contacts:=false', 'per_drone_topics:=false', f'record:={tmp_path / "flight"}')


def fly(rig: Rig, ticks: int, **more) -> None:
    """Ticks of a and b, which hover, and of others: (position, velocity), by the fleet's topic."""
    for k in range(ticks):
        drones = {'a': ((0, 0, 2), (0, 0, 0)), 'b': ((5, 0, 2), (0, 0, 0)), **more}
        places = [np.add(x, np.multiply(v, k * TICK)) for x, v in drones.values()]
        rig.bench.send('fleet/states', stamped(FleetState(
            names=list(drones), positions=np.ravel(places).astype(float).tolist(),
            orientations=[0.0, 0.0, 0.0, 1.0] * len(drones), angular_velocities=[0.0] * (3 * len(drones)),
            linear_velocities=np.ravel([v for _, v in drones.values()]).astype(float).tolist()), rig.time.now))
        rig.time.tick()


def spawn(rig: Rig, kind: str, **entry):
    return rig.bench.call(Spawn, 'collision_node/spawn', Spawn.Request(kind=kind, entry=json.dumps(entry)))


def remove(rig: Rig, name: str):
    return rig.bench.call(Remove, 'collision_node/remove', Remove.Request(name=name))


def test_a_drone_comes_collides_and_leaves_and_the_replay_is_equal(rig: Rig, tmp_path: Path):
    markers = rig.bench.inbox(MarkerArray, 'markers')
    fly(rig, 10)
    assert list(rig.ticks[-1].names) == ['a', 'b']
    assert spawn(rig, 'drone', name='late', model='ball', position=[0, 0, 3]).success
    assert spawn(rig, 'object', name='box', shape={'type': 'box', 'size': [0.4, 0.4, 0.4]}, mass=1.0,
                 position=[9, 0, 0.5]).success
    assert spawn(rig, 'wall', name='shelf', type='box', size=[1, 1, 0.1], position=[9, 3, 1]).success
    fly(rig, 40, late=((0, 0, 2.5), (0, 0, -1.0)))
    assert list(rig.ticks[-1].names) == ['a', 'b', 'late']
    rig.bench.until(lambda: any(e.body_b == 'late' for e in rig.events), 'the contact')
    hit = next(e for e in rig.events if e.body_b == 'late')
    assert (hit.body_a, hit.phase) == ('a', ContactEvent.BEGIN)
    assert hit.impulse.z == pytest.approx(0.5 * 1.5, rel=0.05)    # (1 + e) v m / 2
    rig.bench.until(lambda: any(m.ns == 'objects' for array in markers for m in array.markers), 'the box drawn')

    answer = rig.bench.call(Change, 'collision_node/change', Change.Request(name='late', entry='{authority: observe}'))
    assert answer.success, answer
    assert remove(rig, 'late').success and remove(rig, 'shelf').success
    fly(rig, 5)
    assert list(rig.ticks[-1].names) == ['a', 'b']
    rig.bench.until(lambda: any(m.action == Marker.DELETEALL for array in markers for m in array.markers), 'it erased')
    same_when_replayed(rig, tmp_path)


def test_topics_of_a_drone_that_left_are_silent(bench, tmp_path: Path):
    """What comes on them is counted; under its own name it comes back to them."""
    world = tmp_path / 'hangar.yaml'
    world.write_text(WORLD)
    rig = Rig(bench, world)
    odometry = bench.inbox(Odometry, 'a/odom_corrected')

    def fly_on(ticks):
        for _ in range(ticks):
            for name, x in (('a', 0.0), ('b', 5.0)):
                bench.send(f'{name}/odom', harness.odometry(rig.time.now, (x, 0, 2)))
            rig.time.tick()
    fly_on(10)
    bench.until(lambda: odometry, 'its odometry')
    assert remove(rig, 'a').success
    assert 'kept for drones that left' not in spawn(rig, 'drone', name='x', model='ball').message
    fly_on(5)
    bench.serve()
    count = len(odometry)
    fly_on(10)
    bench.serve()
    assert len(odometry) == count and list(rig.ticks[-1].names) == ['b', 'x']
    assert rig.counters()['unknown_name/of a drone that has left'] > 5
    assert spawn(rig, 'drone', name='a', model='ball', position=[0, 0, 2]).success
    fly_on(10)
    bench.until(lambda: len(odometry) > count, 'its odometry')
    assert odometry[-1].pose.pose.position.x == 0.0 and odometry[-1].pose.pose.position.z == 2.0


def test_two_hundred_come_and_leave(rig: Rig, tmp_path: Path):
    """The recording gives the same bytes, and a and b, which nothing touches, the states that they have without."""
    for k in range(50):
        assert spawn(rig, 'drone', name=f'x{k}', model=('ball', 'crazyflie')[k % 2]).success
        assert spawn(rig, 'object', name=f'o{k}', shape={'type': 'sphere', 'radius': 0.1}, mass=0.5,
                     position=[20, 0, 0.5]).success
        fly(rig, 2, **{f'x{k}': ((10, 10, 1), (0, 0, 0))})
        for name in (f'x{k}', f'o{k}'):
            assert remove(rig, name).success
    for tick in rig.ticks[5:]:
        assert list(tick.positions[:6]) == [0, 0, 2, 5, 0, 2]
        assert list(tick.linear_velocities[:6]) == [0] * 6
    same_when_replayed(rig, tmp_path)


def test_what_cannot_be_is_answered_with_a_sentence(rig: Rig):
    fly(rig, 3)
    call = rig.bench.call
    for kind, entry, says in (
            ('drone', '{name: a, model: ball}', "name: is in use by another body, got 'a'"),
            ('drone', '{name: x, model: bal}', 'unknown drone model'),
            ('drone', '{name: x, model: ../../etc/passwd}', 'not a path'),
            ('tree', '{name: x}', 'kind: must be one of drone, wall, object'),
            ('drone', '[1, 2', 'entry: '),
            ('drone', 'just text', 'entry: must be a mapping of keys, got str'),
            ('drone', 'x' * 70_000, 'entry: must have at most 65536 bytes'),
            ('wall', '{name: x, type: mesh, file: /etc/hostname}', 'not by files of this machine'),
            ('object', '{name: x, shape: {type: mesh, file: /etc/hostname}, mass: 1}', 'not by files'),
            ('object', '{name: x, shape: {type: sphere, radius: .inf}, mass: 1}', 'radius'),
            ('object', '{name: x, shape: {type: sphere, radius: 0.1}, mass: 1, position: [0, 0, 2]}', 'm inside a'),
            ('wall', '{name: x, type: box, size: [1, 1, 1], colour: red}', 'colour: unknown key')):
        answer = call(Spawn, 'collision_node/spawn', Spawn.Request(kind=kind, entry=entry))
        assert not answer.success and says in answer.message, answer
    for k in range(2):
        assert spawn(rig, 'drone', name=f'x{k}', model='ball').success
    assert 'all 4 places for drones are taken' in spawn(rig, 'drone', name='x2', model='ball').message
    assert remove(rig, 'x0').success
    assert "no such drone, wall, object or hand, got 'x0'" in remove(rig, 'x0').message
    answer = call(Change, 'collision_node/change', Change.Request(name='a', entry='{model: nope}'))
    assert not answer.success and 'unknown drone model' in answer.message
    fly(rig, 3)
    assert list(rig.ticks[-1].names) == ['a', 'b', 'x1']


def same_when_replayed(rig: Rig, tmp_path: Path) -> None:
    """All states, to the byte."""
    heard = {harness.stamp_of(s): s for s in rig.ticks}
    rig.process.signal(2)
    assert rig.process.wait() == 0, rig.process.output
    result = replay(Options(tmp_path / 'flight', tmp_path / 'again'))
    assert not [note for note in result.notes if 'add' in note or 'remove' in note]
    with Bag(tmp_path / 'again') as bag:
        states = {harness.stamp_of(s): s for s in map(bag.decode, bag.messages(['/fleet/states_corrected']))}
    for stamp, state in heard.items():
        if stamp in states:
            assert list(states[stamp].names) == list(state.names)
            for field in ('positions', 'orientations', 'linear_velocities', 'angular_velocities', 'flags'):
                assert list(getattr(states[stamp], field)) == list(getattr(state, field))
    assert len(set(heard) & set(states)) >= len(heard) - 2
