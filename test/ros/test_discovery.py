# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`drones: auto` over DDS, with a simulator that is started afterwards: vehicles appear and vanish, one by one; and
what a clumsy or hostile sender does to that."""
from __future__ import annotations

import json
import os
import sys
from itertools import count
from pathlib import Path

import foreign_packages
import harness
import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped
from hakoniwa_rigid.srv import Remove, Spawn
from hangar import CYCLES, WORLD, Hangar
from harness import interrupt, stamped
from nav_msgs.msg import Odometry
from rig import NODE, Rig

from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.rerun.outcome import Options
from hakoniwa_rigid.replay.rerun.run import replay

pytestmark = pytest.mark.ros


@pytest.fixture
def installed(foreign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulators' message packages, with what a recorder needs of them."""
    before = filter(None, os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep))
    prefixes = str(foreign_packages.definitions(tmp_path)), *before, sys.prefix
    monkeypatch.setenv('AMENT_PREFIX_PATH', os.pathsep.join(prefixes))


@pytest.fixture
def hangar(bench, tmp_path: Path) -> Hangar:
    return Hangar(bench, tmp_path)


def test_vehicles_of_a_simulator_that_is_started_later_come_and_leave(hangar: Hangar, bench):
    """No restart; each is read from its own topic, publishes its own odometry and leaves when its topic is gone."""
    def look(k: int, name: str) -> None:
        inbox: list = []
        reader = bench.node.create_subscription(Odometry, f'{name}/odom_corrected', inbox.append, 10)
        hangar.until(lambda: inbox and inbox[-1].pose.pose.position.x == pytest.approx(3.0 + k),
                     f'the odometry of {name}')
        assert inbox[-1].child_frame_id == f'{name}/base_link'
        bench.node.destroy_subscription(reader)

    hangar.come_and_leave('drones', lambda: hangar.names, look)
    said = hangar.scene()
    assert (said['discovered'], said['discovered came'], said['discovered left']) == ('0', str(CYCLES), str(CYCLES))
    assert said['newcomers 0'].endswith('s') and 'no publisher of /' in said['newcomers 0']
    drones = {s.name for s in hangar.rig.diagnostics[-1].status if ': drone ' in s.name}
    assert len(drones) == 1
    hangar.replayed()


def test_a_contact_of_a_drone_that_vanishes_ends(hangar: Hangar, bench):
    ball = bench.node.create_publisher(Odometry, 'ball/odom', 10)

    def lean() -> None:
        ball.publish(harness.odometry(hangar.rig.time.now, (49.31, 0, 0.5)))
        hangar.tick()
    hangar.until(lambda: any(e.body_a == 'ball' for e in hangar.rig.events), 'a contact with the gate', lean)
    assert [(e.body_a, e.body_b, e.phase) for e in hangar.rig.events][0] == ('ball', 'gate', 0)
    bench.node.destroy_publisher(ball)
    hangar.until(lambda: 'ball' not in hangar.names, 'it to leave')
    hangar.until(lambda: any(e.phase == 2 for e in hangar.rig.events), 'END')
    hangar.replayed()


def test_a_storm_of_names_takes_the_places_that_there_are_and_no_more(bench, tmp_path: Path):
    hangar = Hangar(bench, tmp_path, 'spare_drones:=4', 'drone_pattern:="s.*"')
    storm = [bench.node.create_publisher(Odometry, f's{k}/odom', 1) for k in range(1000)]
    other = bench.node.create_publisher(Odometry, 'x0/odom', 1)
    hangar.until(lambda: len(hangar.names) == 5, 'four to come')
    hangar.until(lambda: 'no_place: ' in hangar.rig.process.output, 'the warning')
    line = next(line for line in hangar.rig.process.lines if 'no_place: ' in line)
    assert 'all 4 places for drones that come are taken; spare_drones makes more' in line
    def counted() -> dict[str, int]:
        return {key: n for key, n in hangar.rig.counters().items() if key.startswith('no_place/')}
    hangar.until(lambda: sum(counted().values()) > 200, 'all of them')
    assert len(counted()) <= 65
    assert len(hangar.names) == 5 and 'x0' not in hangar.names
    for publisher in (*storm, other):
        bench.node.destroy_publisher(publisher)
    hangar.until(lambda: hangar.names == {'a'}, 'all to leave')
    hangar.replayed()


def test_what_cannot_come_is_counted_with_its_name(hangar: Hangar, bench):
    """A wall is called so; another type on a topic that fits; a reader alone is no drone."""
    gate = bench.node.create_publisher(Odometry, 'gate/odom', 1)
    pose = bench.node.create_publisher(PoseStamped, 'b7/odom', 1)
    reader = bench.node.create_subscription(Odometry, 'b8/odom', lambda _: None, 1)
    hangar.until(lambda: 'wrong_type/b7' in hangar.rig.counters(), 'the wrong type')
    hangar.until(lambda: 'name_in_use/gate' in hangar.rig.counters(), 'the name')
    assert not any('b8' in key for key in hangar.rig.counters())
    last = harness.values(hangar.rig.diagnostics, 'inputs')
    assert last['wrong_type/b7 last'] == '/b7/odom is geometry_msgs/msg/PoseStamped, a drone is nav_msgs/msg/Odometry'
    assert hangar.names == {'a'}
    for publisher in (gate, pose):
        bench.node.destroy_publisher(publisher)
    bench.node.destroy_subscription(reader)


def test_a_publisher_that_flaps_is_one_drone(bench, tmp_path: Path):
    """Gone for less than leave_timeout it stays; gone for longer it leaves and comes again."""
    hangar = Hangar(bench, tmp_path, 'leave_timeout:=2.0')

    def send(publisher, ticks):
        for _ in range(ticks):
            publisher.publish(harness.odometry(hangar.rig.time.now, (5, 0, 2)))
            hangar.tick()
    first = bench.node.create_publisher(Odometry, 'b1/odom', 10)
    hangar.until(lambda: 'b1' in hangar.names, 'it to come')
    for _ in range(5):
        bench.node.destroy_publisher(first)
        for _ in range(40):     # 0.2 s
            hangar.tick()
        first = bench.node.create_publisher(Odometry, 'b1/odom', 10)
        send(first, 40)
    assert hangar.scene()['discovered came'] == '1'
    bench.node.destroy_publisher(first)
    hangar.until(lambda: 'b1' not in hangar.names, 'it to leave')
    first = bench.node.create_publisher(Odometry, 'b1/odom', 10)
    hangar.until(lambda: 'b1' in hangar.names, 'it to come again')
    send(first, 40)
    assert hangar.scene()['discovered came'] == '2'
    hangar.replayed()


def test_what_came_by_a_service_has_topics_of_its_own(installed, bench, tmp_path: Path):
    """It is read, publishes, and is not taken for one that came by its topic: it stays until it is removed."""
    from tf2_msgs.msg import TFMessage

    world = tmp_path / 'hangar.yaml'
    world.write_text(WORLD + 'spare: {drones: 2}\n')
    rig = Rig(bench, world, f'record:={tmp_path / "flight"}', 'drones.late.topic_odom:=sim/late', 'publish_tf:=true')
    call = bench.call
    spawned = call(Spawn, 'collision_node/spawn', Spawn.Request(
        kind='drone', entry=json.dumps({'name': 'late', 'model': 'ball', 'position': [1, 0, 2]})))
    assert spawned.success, spawned
    assert call(Spawn, 'collision_node/spawn',
                Spawn.Request(kind='drone', entry='{name: no topic, model: ball}')).success
    # topics are opened between two ticks
    bench.until(lambda: bench.node.count_subscribers('/sim/late') or rig.go(), 'its topics')
    odometry = bench.inbox(Odometry, 'late/odom_corrected')
    frames = bench.inbox(TFMessage, '/tf')
    moves = count()

    def move() -> None:
        bench.send('sim/late', harness.odometry(rig.time.now, (1 + 0.01 * next(moves), 0, 2), linear=(2, 0, 0)))
        rig.go()
    bench.until(lambda: (odometry and odometry[-1].pose.pose.position.x > 1.1) or move(), 'its odometry')
    bench.until(lambda: any(t.child_frame_id == 'late/base_link' for m in frames for t in m.transforms) or move(),
                'its frame')
    assert rig.state('late')['v'][0] == pytest.approx(2.0)
    assert 'not_opened/no topic' in rig.counters()
    assert call(Remove, 'collision_node/remove', Remove.Request(name='late')).success
    for _ in range(5):
        rig.time.tick()
    heard, seen = len(odometry), len(rig.ticks)
    for _ in range(10):
        rig.time.tick()
    assert len(odometry) == heard and len(rig.ticks) > seen
    assert bench.node.count_subscribers('/sim/late') == 0
    states = {harness.stamp_of(s): s for s in rig.ticks}
    own = {harness.stamp_of(o): o for o in odometry}
    assert interrupt(rig.process) == 0, rig.process.output
    replay(Options(tmp_path / 'flight', tmp_path / 'again', states='both'))
    with Bag(tmp_path / 'again') as bag:
        again = {harness.stamp_of(s): s for s in map(bag.decode, bag.messages(['/fleet/states_corrected']))}
        mine = {harness.stamp_of(s): s for s in map(bag.decode, bag.messages(['/late/odom_corrected']))}
    for stamp in states.keys() & again.keys():
        assert list(states[stamp].positions) == list(again[stamp].positions)
    assert own.keys() <= mine.keys()
    for stamp, message in own.items():
        assert np.array_equal(mine[stamp].pose.pose.position.x, message.pose.pose.position.x)


def test_a_drone_of_tf_comes_with_its_frame_and_leaves_with_it(installed, bench, tmp_path: Path):
    """As crazyswarm2's simulator sends it; a frame that hangs on another frame is none, nor one of another name."""
    from geometry_msgs.msg import TransformStamped
    from tf2_msgs.msg import TFMessage

    hangar = Hangar(bench, tmp_path, 'sim:=crazyswarm2', 'drone_pattern:="cf.*"', 'drones.a.source:=odom')

    def transform(parent: str, child: str, x: float) -> TransformStamped:
        made = stamped(TransformStamped(child_frame_id=child), hangar.rig.time.now, parent)
        made.transform.translation.x, made.transform.translation.z = x, 2.0
        made.transform.rotation.w = 1.0
        return made
    moves = count()

    def move() -> None:
        bench.send('/tf', TFMessage(transforms=[
            transform('world', 'cf1', 5.0 + 0.01 * next(moves)), transform('cf1', 'cf_arm', 1.0),
            transform('world', 'b', 0.0)]))
        hangar.tick()
    hangar.until(lambda: 'cf1' in hangar.names, 'it to come', move)
    for _ in range(60):
        move()
    assert hangar.names == {'a', 'cf1'}
    assert hangar.rig.state('cf1')['p'][0] > 5.2
    hangar.until(lambda: hangar.names == {'a'}, 'it to leave')
    for _ in range(100):
        hangar.tick()
    assert hangar.names == {'a'} and hangar.scene()['discovered came'] == '1'
    hangar.replayed()


def test_instances_of_px4_come_by_their_number(installed, bench, tmp_path: Path):
    """Types of a package that the node needs for the first vehicle only, in the recording too."""
    from px4_msgs.msg import VehicleOdometry

    hangar = Hangar(bench, tmp_path, 'sim:=px4', 'drones.a.source:=odom', 'drones.a.stamp:=header', 'stamp:=receive')
    topics = '/px4_3/fmu/out/vehicle_odometry', '/fmu/out/vehicle_odometry'
    publishers = [bench.node.create_publisher(VehicleOdometry, topic, 10) for topic in topics]

    def send() -> None:
        for k, publisher in enumerate(publishers):
            publisher.publish(VehicleOdometry(
                timestamp=hangar.rig.time.now // 1000, timestamp_sample=hangar.rig.time.now // 1000, pose_frame=1,
                position=[3.0, 6.0 + 3 * k, -2.0], q=[1.0, 0.0, 0.0, 0.0], velocity_frame=1))
        hangar.tick()
    hangar.until(lambda: {'px4_0', 'px4_3'} <= hangar.names and abs(hangar.rig.state('px4_3')['p'][0] - 6.0) < 1e-6,
                 'both to come', send)
    assert hangar.rig.state('px4_3')['p'] == pytest.approx([6, 3, 2])     # NED to ENU
    for publisher in publishers:
        bench.node.destroy_publisher(publisher)
    hangar.until(lambda: hangar.names == {'a'}, 'both to leave')
    hangar.replayed()


@pytest.mark.parametrize('parameters, says', [
    (('per_drone_topics:=false',), 'parameter drones: auto: needs per_drone_topics: true'),
    (('drone_pattern:="cf("',), "parameter drone_pattern: must be a regular expression, got 'cf('"),
    (('drone_models:=["cf.*"]',), "parameter drone_models: must be PATTERN=MODEL, got 'cf.*'"),
    (('drone_models:=["cf.*=nope"]',), 'parameters default_drone_model, drone_models: '),
])
def test_what_cannot_be_is_said_at_the_start(bench, tmp_path: Path, parameters, says):
    world = tmp_path / 'hangar.yaml'
    world.write_text(WORLD)
    node = bench.start(NODE, f'world:={world}', 'drones:=[auto]', *parameters)
    assert node.wait(harness.START) == 1
    assert f'error: {says}' in node.output
