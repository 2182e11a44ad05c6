# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`hands: auto` over DDS: hands of a tracker that is started afterwards come and leave, one by one, strike, and what a
clumsy or hostile sender does to that."""
from __future__ import annotations

import json
import time
from pathlib import Path

import harness
import pytest
from geometry_msgs.msg import Point, Pose, PoseStamped
from hakoniwa_rigid.msg import ContactEventArray, HandJoints
from hakoniwa_rigid.srv import Remove, Spawn
from hangar import CYCLES, WORLD, Hangar
from harness import LATCHED, stamped
from nav_msgs.msg import Odometry
from rig import NODE
from std_msgs.msg import String

from hakoniwa_rigid.replay.bag.reader import Bag

pytestmark = pytest.mark.ros
HANDS = ('hands:=[auto]',)
# a second drone, which is hit, and a hand that others are like
MORE = """  - {name: b, model: ball, position: [20, 0, 2]}
hands: [{name: mould, effective_mass: 1.0, material: {restitution: 0.0, friction: 0.0}}]
"""


def hand(x: float) -> HandJoints:
    """Of one joint."""
    return HandJoints(poses=[Pose(position=Point(x=x, z=2.0))], radii=[0.05])


class Parlour(Hangar):
    """The node that finds hands; what ~/roster says last."""

    def __init__(self, bench, folder: Path, *parameters: str) -> None:
        super().__init__(bench, folder, *parameters, auto=HANDS, more=MORE)
        self._told = bench.inbox(String, 'collision_node/roster', LATCHED)

    @property
    def hands(self) -> dict[str, dict]:
        """Entries by name."""
        return {entry['name']: entry for entry in json.loads(self._told[-1].data)['hands']} if self._told else {}

    def tick(self) -> None:
        """With samples of b and the hand of the world file."""
        self.bench.send('b/odom', harness.odometry(self.rig.time.now, (20, 0, 2)))
        self.bench.send('hands/mould', stamped(hand(-30.0), self.rig.time.now))
        super().tick()


@pytest.fixture
def parlour(bench, tmp_path: Path) -> Parlour:
    return Parlour(bench, tmp_path)


def test_hands_of_a_tracker_that_is_started_later_come_and_leave(parlour: Parlour):
    """No restart; each is read from its own topic and leaves when that is gone."""
    def look(_: int, name: str) -> None:
        parlour.until(lambda: f'hand {name} sample age [s]' in parlour.scene(), f'samples of {name}')

    parlour.come_and_leave('hands', lambda: parlour.hands, look)
    said = parlour.scene()
    assert (said['discovered hands'], said['discovered hands came'], said['discovered hands left']) == (
        '0', str(CYCLES), str(CYCLES))
    assert 'no publisher of /' in said['newcomers 0'] and said['hands'] == '1'
    parlour.replayed()


@pytest.mark.parametrize('kind', [HandJoints, PoseStamped])
def test_a_hand_that_came_strikes_and_its_contact_is_replayed(bench, tmp_path: Path, kind):
    """By the type that its topic has, like the hand of the world file that its name says."""
    parlour = Parlour(bench, tmp_path, 'hand_models:=["le.*=mould"]')
    heard = bench.inbox(ContactEventArray, 'contact_events')
    left = bench.node.create_publisher(kind, 'hands/left', 10)
    parlour.until(lambda: 'left' in parlour.hands, 'it to come')
    assert parlour.hands['left']['effective_mass'] == 1.0
    for k in range(400):
        msg = hand(19.5 + 0.005 * k)
        if kind is PoseStamped:
            msg = PoseStamped(pose=msg.poses[0])
        left.publish(stamped(msg, parlour.rig.time.now))
        parlour.tick()
        if any(e.phase == 0 for e in parlour.rig.events):
            break
    begin = next(e for e in parlour.rig.events if e.phase == 0)
    assert (begin.body_a, begin.body_b) == ('b', 'left') and begin.delta_v_a.x > 0.2
    bench.node.destroy_publisher(left)
    parlour.until(lambda: 'left' not in parlour.hands, 'it to leave')
    parlour.until(lambda: any(e.phase == 2 for e in parlour.rig.events), 'END')
    parlour.replayed()
    with Bag(tmp_path / 'again') as bag:
        again = {harness.stamp_of(m): m for m in map(bag.decode, bag.messages(['/contact_events']))}
    assert again.keys() >= {harness.stamp_of(m) for m in heard}
    for message in heard:
        ours, theirs = message.events, again[harness.stamp_of(message)].events
        assert [(e.id, e.phase, e.impulse.x, e.impulse.y) for e in ours] == [
            (e.id, e.phase, e.impulse.x, e.impulse.y) for e in theirs]


def test_a_storm_of_names_takes_the_places_that_there_are_and_no_more(bench, tmp_path: Path):
    parlour = Parlour(bench, tmp_path, 'spare_hands:=2', 'hand_pattern:="s.*"')
    storm = [bench.node.create_publisher(HandJoints, f'hands/s{k}', 1) for k in range(300)]
    other = bench.node.create_publisher(HandJoints, 'hands/x0', 1)
    parlour.until(lambda: len(parlour.hands) == 2, 'two to come')
    parlour.until(lambda: 'no_place: ' in parlour.rig.process.output, 'the warning')
    assert 'all 2 places for hands that come are taken; spare_hands makes more' in parlour.rig.process.output
    assert len(parlour.hands) == 2 and 'x0' not in parlour.hands
    for publisher in (*storm, other):
        bench.node.destroy_publisher(publisher)
    parlour.until(lambda: not parlour.hands, 'all to leave')
    parlour.replayed()


def test_what_cannot_come_is_counted_with_its_name(parlour: Parlour, bench):
    """A drone is called so; another type on a topic that fits; a reader alone is no hand."""
    drone = bench.node.create_publisher(HandJoints, 'hands/a', 1)
    odometry = bench.node.create_publisher(Odometry, 'hands/b7', 1)
    reader = bench.node.create_subscription(HandJoints, 'hands/b8', lambda _: None, 1)
    parlour.until(lambda: 'wrong_type/b7' in parlour.rig.counters(), 'the wrong type')
    parlour.until(lambda: 'name_in_use/a' in parlour.rig.counters(), 'the name')
    assert not any('b8' in key for key in parlour.rig.counters())
    last = harness.values(parlour.rig.diagnostics, 'inputs')['wrong_type/b7 last']
    assert last.startswith('/hands/b7 is nav_msgs/msg/Odometry, a hand is hakoniwa_rigid/msg/HandJoints or ')
    assert not parlour.hands
    for publisher in (drone, odometry):
        bench.node.destroy_publisher(publisher)
    bench.node.destroy_subscription(reader)


def test_a_hand_comes_by_a_service_and_is_read_until_it_is_removed(bench, tmp_path: Path):
    """It is not taken for one that came by its topic: it stays without one."""
    parlour = Parlour(bench, tmp_path, 'hands.late.type:=pose')
    entry = {'name': 'late', 'shape': {'type': 'sphere', 'radius': 0.1}}
    assert bench.call(Spawn, 'collision_node/spawn', Spawn.Request(kind='hand', entry=json.dumps(entry))).success
    parlour.until(lambda: 'late' in parlour.hands, 'it to come')
    late = bench.node.create_publisher(PoseStamped, 'hands/late', 10)
    parlour.until(lambda: bench.node.count_subscribers('/hands/late'), 'its reader')

    def send() -> None:
        late.publish(stamped(PoseStamped(pose=Pose(position=Point(x=3.0, z=2.0))), parlour.rig.time.now))
        parlour.tick()
    parlour.until(lambda: 'hand late sample age [s]' in parlour.scene(), 'its first sample', send)
    bench.node.destroy_publisher(late)
    end = time.monotonic() + 1.0    # twice leave_timeout
    parlour.until(lambda: time.monotonic() > end, 'time')
    assert 'late' in parlour.hands
    assert bench.call(Remove, 'collision_node/remove', Remove.Request(name='late')).success
    parlour.until(lambda: not parlour.hands and not bench.node.count_subscribers('/hands/late'), 'the end')
    refused = bench.call(Spawn, 'collision_node/spawn', Spawn.Request(kind='hand', entry='{name: x, mass: 1.0}'))
    assert not refused.success and 'mass: unknown key' in refused.message
    parlour.replayed()


@pytest.mark.parametrize('parameters, says', [
    (('hand_pattern:="h("',), "parameter hand_pattern: must be a regular expression, got 'h('"),
    (('hand_models:=["h.*"]',), "parameter hand_models: must be PATTERN=HAND, got 'h.*'"),
    (('hand_models:=["h=nope"]',), "parameter hand_models: must name a hand of the world file (mould), got 'h=nope'"),
])
def test_what_cannot_be_is_said_at_the_start(bench, tmp_path: Path, parameters, says):
    world = tmp_path / 'hangar.yaml'
    world.write_text(WORLD + MORE)
    node = bench.start(NODE, f'world:={world}', *HANDS, *parameters)
    assert node.wait(harness.START) == 1
    assert f'error: {says}' in node.output
