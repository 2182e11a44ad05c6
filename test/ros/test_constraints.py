# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Constraints over DDS: services, events, wrenches for observed drones, markers, a recording that is replayed to the
byte."""
from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import harness
import numpy as np
import pytest
from hakoniwa_rigid.msg import ConstraintEvent, ConstraintEventArray, FleetWrench
from hakoniwa_rigid.srv import Attach, Detach
from harness import odometry
from numpy.testing import assert_allclose
from rclpy.serialization import deserialize_message, serialize_message
from rig import Rig
from visualization_msgs.msg import MarkerArray

from hakoniwa_rigid.codec.cdr_writers import ConstraintEventsWriter
from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.rerun.outcome import Options
from hakoniwa_rigid.replay.rerun.run import replay
from hakoniwa_rigid.ros.collision.sim_messages import fill_entity_load
from hakoniwa_rigid.ros.convert import constraint_event
from hakoniwa_rigid.rotations import Rigid
from hakoniwa_rigid.scene.records import ConstraintEventRecord, ConstraintKind, ConstraintPhase

pytestmark = pytest.mark.ros
G = 9.80665

WORLD = """
name: slung
walls:
  - {name: floor, type: plane}
models:
  ball: {mass: 1.0, inertia: [0.016, 0.016, 0.016], shape: {type: sphere, radius: 0.1}}
objects:
  - {name: load, shape: {type: sphere, radius: 0.05}, mass: 0.2, position: [0, 0, 1]}
drones:
  - {name: a, model: ball, position: [0, 0, 2], authority: observe}
  - {name: b, model: ball, position: [3, 0, 2]}
constraints:
  - {name: sling, kind: cable, body_a: a, body_b: load, length: 1.0}
"""


@pytest.fixture
def rig(bench, tmp_path: Path):
    world = tmp_path / 'slung.yaml'
    world.write_text(WORLD)
    return Rig(bench, world, 'publish_constraint_wrenches:=true', f'record:={tmp_path / "flight"}')


def hover(rig: Rig, ticks: int) -> None:
    for _ in range(ticks):
        for name, x in (('a', 0.0), ('b', 3.0)):
            rig.bench.send(f'{name}/odom', odometry(rig.time.now, (x, 0.0, 2.0)))
        rig.time.tick()


def vector(v) -> tuple[float, float, float]:
    return v.x, v.y, v.z


def test_a_load_is_slung_latched_and_let_go(rig: Rig, tmp_path: Path):
    arrays = rig.bench.inbox(ConstraintEventArray, 'constraint_events')
    wrenches = rig.bench.inbox(FleetWrench, 'fleet/constraint_wrenches')
    markers = rig.bench.inbox(MarkerArray, 'markers')
    hover(rig, 60)

    # what the sling does to the observed drone: the weight of its load
    msg = rig.newest(wrenches)
    assert list(msg.names) == ['a']
    assert_allclose(msg.forces, (0, 0, -0.2 * G), rtol=1e-6, atol=1e-9)
    lines = next(m for array in reversed(markers) for m in array.markers if m.ns == 'constraints')
    assert len(lines.points) == 2 and abs(lines.points[0].z - lines.points[1].z - 1.0) < 1e-2

    request = Attach.Request(name='leash', kind='cable', body_a='floor', body_b='b', anchor_a=[3.0, 0.0, 0.0],
                             length=2.5, break_force=100.0)
    assert_answer(rig.bench.call(Attach, 'collision_node/attach', request), True, 'leash')
    assert_answer(rig.bench.call(Attach, 'collision_node/attach', request), False, 'leash: name: already taken')
    for change, says in (({'kind': 'rope'}, 'attach: kind: must be one of fixed, ball'),
                         ({'body_a': 'cat'}, "attach: body_a: no such drone, object, wall or hand, got 'cat'"),
                         ({'length': float('nan')}, 'attach: length: must be finite, got nan'),
                         ({'anchor_a': [1.0]}, 'attach: anchor_a: must be a list of 3 numbers'),
                         ({'length': 1.0}, 'must be within gap 0.001 m of the distance'),
                         ({'collide': 7}, 'attach: collide: must be one of 0, 1, 2, got 7')):
        wrong = Attach.Request(**{**{f: getattr(request, f) for f in request.get_fields_and_field_types()},
                                  'name': 'wrong', **change})
        assert_answer(rig.bench.call(Attach, 'collision_node/attach', wrong), False, says)
    assert_answer(rig.bench.call(Detach, 'collision_node/detach', Detach.Request(name='sling')), True, 'let go')
    assert_answer(rig.bench.call(Detach, 'collision_node/detach', Detach.Request(name='sling')), False,
                  "no constraint called 'sling'; there is leash")
    hover(rig, 20)
    rig.bench.until(lambda: sum(len(a.events) for a in arrays) >= 3, 'the events')
    events = [e for array in arrays for e in array.events]
    told = {(e.name, e.phase): e for e in events}
    assert [(e.name, e.phase) for e in events][-2:] == [('leash', ConstraintEvent.ATTACHED),
                                                        ('sling', ConstraintEvent.DETACHED)]
    leash = told['leash', ConstraintEvent.ATTACHED]
    assert (leash.kind, leash.body_a, leash.body_b) == (ConstraintEvent.CABLE, 'floor', 'b')
    gone = told['sling', ConstraintEvent.DETACHED]
    assert_allclose(vector(gone.force), (0, 0, 0.2 * G), rtol=0.1, atol=1e-9)    # of the last step
    assert gone.header.frame_id == 'world' and gone.length == 1.0
    # the end: once without drones
    rig.bench.until(lambda: len(wrenches[-1].names) == 0, 'the last wrench')
    same_when_replayed(rig, arrays, tmp_path)


def assert_answer(answer, success: bool, says: str) -> None:
    assert answer.success is success and says in answer.message, answer


def same_when_replayed(rig: Rig, arrays: list, tmp_path: Path) -> None:
    """Attach and detach are inputs: the replay of the recording has the same events and states, to the byte."""
    stamp = harness.stamp_of(rig.ticks[-1])
    rig.process.signal(2)
    assert rig.process.wait() == 0, rig.process.output
    replay(Options(tmp_path / 'flight', tmp_path / 'again'))
    with Bag(tmp_path / 'again') as bag:
        topics = {m.topic for m in bag.messages()}
        found = [bag.decode(m) for m in bag.messages(['/constraint_events'])]
        states = {harness.stamp_of(s): s for s in map(bag.decode, bag.messages(['/fleet/states_corrected']))}
    assert '/constraint_events' in topics
    replayed = [(e.name, e.phase, e.id, e.header.stamp.sec, e.header.stamp.nanosec, vector(e.impulse), vector(e.force),
                 vector(e.position_a), vector(e.position_b)) for array in found for e in array.events]
    heard = [(e.name, e.phase, e.id, e.header.stamp.sec, e.header.stamp.nanosec, vector(e.impulse), vector(e.force),
              vector(e.position_a), vector(e.position_b)) for array in arrays for e in array.events]
    assert replayed[-len(heard):] == heard
    assert np.array_equal(states[stamp].positions, rig.ticks[-1].positions)


def test_the_bytes_are_those_of_the_message():
    record = ConstraintEventRecord(1_500_000_007, 3, ConstraintPhase.BROKEN, ConstraintKind.SPRING, 'band', 'left',
                                   'd1', 'palm', '', (1.0, 2.0, 3.0), (4.0, 5.0, 6.0), (7.0, 8.0, 9.0),
                                   (10.0, 11.0, 12.0), 13.0, 14.0)
    array = ConstraintEventArray(events=[constraint_event(record, 'world'), constraint_event(record, 'world')])
    array.header.frame_id = 'world'
    array.header.stamp.sec, array.header.stamp.nanosec = 2, 5
    raw, theirs = ConstraintEventsWriter('world').write(2_000_000_005, [record, record]), serialize_message(array)
    # rclpy leaves in the gaps between fields what was in memory
    changed = bytes(a if a == b else a ^ 0xFF for a, b in zip(raw, theirs, strict=True))
    assert deserialize_message(raw, ConstraintEventArray) == deserialize_message(changed, ConstraintEventArray) == array


@pytest.mark.parametrize('name', [p.name for p in ConstraintPhase] + [k.name for k in ConstraintKind])
def test_names_of_phases_and_kinds_have_the_numbers_of_the_message(name):
    number = ConstraintPhase[name] if name in ConstraintPhase.__members__ else ConstraintKind[name]
    assert getattr(ConstraintEvent, name) == number


def test_a_load_as_an_entity_wrench():
    """A force of a tick of 5 ms that Gazebo applies for 1 ms is five times as large, in its world: the drone is turned
    by 90 degrees, and its world lies turned by 90 degrees in ours."""
    vectors = [SimpleNamespace(x=0.0, y=0.0, z=0.0) for _ in range(2)]
    msg = SimpleNamespace(header=SimpleNamespace(stamp=SimpleNamespace(sec=0, nanosec=0)),
                          wrench=SimpleNamespace(force=vectors[0], torque=vectors[1]))
    yaw = (0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5))
    axes = Rigid((1.0, 2.0, 3.0), yaw)
    fill_entity_load(msg, 1_500_000_000, axes, np.array((1.0, 0.0, -2.0)), np.array((0.0, 0.1, 0.0)), np.array(yaw),
                     5.0)
    assert (msg.header.stamp.sec, msg.header.stamp.nanosec) == (1, 500_000_000)
    assert_allclose(vector(vectors[0]), (5.0, 0.0, -10.0), atol=1e-12)
    assert_allclose(vector(vectors[1]), (0.0, 0.5, 0.0), atol=1e-12)
