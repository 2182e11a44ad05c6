# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Frames end to end: what a message's frame_id does to the corrected state that a user gets back."""

from __future__ import annotations

import math
from types import SimpleNamespace

import harness
import numpy as np
import pytest
from adapters import make_adapter, make_settings
from geometry_msgs.msg import Pose, PoseStamped, TransformStamped, Twist, TwistStamped
from hakoniwa_rigid.msg import FleetState, HandJoints
from harness import LATCHED, odometry, stamped, values
from numpy.testing import assert_allclose
from rig import Rig
from scipy.spatial.transform import Rotation
from visualization_msgs.msg import MarkerArray

from hakoniwa_rigid.ros.collision import tf_topics
from hakoniwa_rigid.ros.collision.tf_topics import TfInput, TfOutput
from hakoniwa_rigid.rotations import Rigid
from hakoniwa_rigid.scene.frames.frame_tree import FrameError
from hakoniwa_rigid.scene.frames.frames import Frames
from hakoniwa_rigid.scene.records import Ledger

pytestmark = pytest.mark.ros
HALF = math.sqrt(0.5)
QUARTER = (0.0, 0.0, HALF, HALF)  # a turn by 90 degrees about z
WORLD = """
name: frames
materials: {plain: {restitution: 0.5, friction: 0.0}}
models:
  ball: {mass: 1.0, inertia: [0.016, 0.016, 0.016], shape: {type: sphere, radius: 0.2}, material: plain}
drones:
  - {name: turned, model: ball, position: [0, 0, 10]}
  - name: placed
    model: ball
    position: [0, 0, 20]
    origin: {position: [5, 6, 7], orientation_xyzw: [0, 0, HALF, HALF]}
  - {name: posed, model: ball, position: [0, 0, 30]}
  - {name: silent, model: ball, position: [0, 0, 40]}
hands:
  - {name: right, material: plain}
  - {name: Player1_head, material: plain, shape: {type: box, size: [0.6, 0.4, 0.2]}}
""".replace('HALF', f'{HALF}')


@pytest.fixture(scope='module')
def rig(tmp_path_factory):
    """x of the accepted frames is north (world: east); `tracker` stands at (10, 0, 0), turned by 180 degrees."""
    path = tmp_path_factory.mktemp('world') / 'world.yaml'
    path.write_text(WORLD)
    with harness.bench() as bench:
        yield Rig(
            bench,
            path,
            f'frame_yaw:={0.5 * math.pi}',
            'frames:=[tracker]',
            'frames.tracker:=[10, 0, 0, 0, 0, 1, 0]',
            'drones.posed.source:=pose',
            'drones.posed.frame:=tracker',
            'hands.Player1_head.type:=twist_pose',
        )


def at(rig: Rig) -> int:
    """The stamp of the next tick, ns: a sample of that time is shown as it is."""
    return rig.time.now + 5_000_000


def settle(rig: Rig, name: str, position, messages) -> dict:
    """Send until a drone is where it should be; its state then. `messages()`: (topic, message) at the present time."""
    for _ in range(300):
        for topic, msg in messages():
            rig.bench.send(topic, msg)
        rig.time.tick()
        state = rig.state(name)
        if not state['flags'] & FleetState.STALE and np.allclose(state['p'], position, atol=1e-9):
            return state
    raise AssertionError(f'{name} is at {rig.state(name)}, should be at {position}\n{rig.process.output}')


def framed(rig: Rig, frame_id: str, *args, **kwargs):
    return stamped(odometry(0, *args, **kwargs), at(rig), frame_id)


@pytest.mark.parametrize(
    ('frame_id', 'position', 'velocity', 'orientation'),
    [
        ('map', (-2, 1, 3), (-2, 1, 0), QUARTER),  # north 1, west 2 is east -2, north 1
        ('', (-2, 1, 3), (-2, 1, 0), QUARTER),
        ('world', (1, 2, 3), (1, 2, 0), (0, 0, 0, 1)),  # the frame we publish in is not turned
        ('tracker', (9, -2, 3), (-1, -2, 0), (0, 0, 1, 0)),
    ],
)
def test_the_frame_of_an_odometry_decides(rig: Rig, frame_id, position, velocity, orientation):
    def messages():
        yield 'turned/odom', framed(rig, frame_id, (1, 2, 3), linear=(1, 2, 0), angular=(1, 0, 0))

    state = settle(rig, 'turned', position, messages)
    assert_allclose(state['v'], velocity, atol=1e-9)
    assert_allclose(state['w'], (1, 0, 0), atol=1e-9)  # given and published in the body
    turn = Rotation.from_quat(state['q']).inv() * Rotation.from_quat(orientation)
    assert turn.magnitude() < 1e-9


def test_a_twist_in_a_world_frame_is_turned_like_its_pose(rig: Rig):
    def messages():
        msg = framed(rig, 'map', (1, 2, 4), QUARTER, linear=(1, 2, 0))
        msg.child_frame_id = 'odom'
        yield 'turned/odom', msg

    assert_allclose(settle(rig, 'turned', (-2, 1, 4), messages)['v'], (-2, 1, 0), atol=1e-9)


def test_an_origin_is_the_place_of_a_drones_own_coordinates(rig: Rig):
    """First turned to east and north, then placed: (5, 6, 7) + R(90) R(90) (1, 2, 3)."""
    def messages():
        yield 'placed/odom', framed(rig, 'map', (1, 2, 3), linear=(1, 0, 0))

    state = settle(rig, 'placed', (4, 4, 10), messages)
    assert_allclose(state['v'], (-1, 0, 0), atol=1e-9)
    # another frame says itself where it is
    state = settle(rig, 'placed', (9, -2, 3), lambda: [('placed/odom', framed(rig, 'tracker', (1, 2, 3)))])
    assert_allclose(np.abs(state['q']), (0, 0, 1, 0), atol=1e-9)


@pytest.mark.parametrize(
    ('frame_id', 'velocity'),
    [('posed', (0, -1, 0)), ('tracker', (-1, 0, 0)), ('', (-1, 0, 0)), ('world', (1, 0, 0)), ('map', (0, 1, 0))],
)
def test_a_pose_with_an_empty_frame_and_twists_in_any(rig: Rig, frame_id, velocity):
    """The pose, of a body turned by 90 degrees, is in the tracker by the drone's parameter."""
    def messages():
        twist, pose = stamped(TwistStamped(), at(rig), frame_id), stamped(PoseStamped(), at(rig), '')
        twist.twist.linear.x = 1.0
        pose.pose.position.x, pose.pose.orientation.z, pose.pose.orientation.w = 1.0, HALF, HALF
        yield 'posed/twist', twist
        yield 'posed/pose', pose

    for _ in range(300):
        state = settle(rig, 'posed', (9, 0, 0), messages)
        if np.allclose(state['v'], velocity, atol=1e-9):
            return
    raise AssertionError(f'{state["v"]} is not {velocity}')


def test_a_fleet_in_a_frame_of_its_own(rig: Rig):
    def messages():
        msg = stamped(FleetState(names=['silent', 'placed']), at(rig), 'tracker')
        msg.positions, msg.orientations = [1.0, 2.0, 40.0, 1.0, 2.0, 20.0], [0.0, 0.0, 0.0, 1.0] * 2
        msg.linear_velocities, msg.angular_velocities = [1.0, 0.0, 0.0] * 2, [0.0, 0.0, 1.0] * 2
        yield 'fleet/states', msg

    assert_allclose(settle(rig, 'placed', (9, -2, 20), messages)['v'], (-1, 0, 0), atol=1e-9)
    state = settle(rig, 'silent', (9, -2, 40), messages)
    assert_allclose(state['v'], (-1, 0, 0), atol=1e-9)
    assert_allclose(state['w'], (0, 0, 1), atol=1e-9)


def test_a_hand_in_the_frame_of_its_tracker(rig: Rig):
    markers = rig.bench.inbox(MarkerArray, 'markers')

    def drawn() -> list:
        return [m.points for array in markers[-1:] for m in array.markers if m.ns == 'hands' and m.points]

    def shown() -> list:
        msg = stamped(HandJoints(hand='right', radii=[0.01] * 25), at(rig), 'tracker')
        for k in range(25):
            msg.poses.append(Pose())
            msg.poses[-1].position.x, msg.poses[-1].position.z = 3.0, 50.0 + 0.01 * k
        rig.bench.send('hands/right', msg)
        rig.time.tick()
        rig.bench.serve()
        return drawn()
    rig.bench.until(shown, 'the hand to be drawn')
    points = np.array([(p.x, p.y, p.z) for p in drawn()[0]])
    assert_allclose(points[:, 0], 7.0, atol=0.05)  # 10 - 3
    assert_allclose(points[:, 1], 0.0, atol=0.05)


def test_a_twist_of_hakoniwa_is_the_pose_of_a_head(rig: Rig):
    """North 2, west 1, up 60, yawed by 90 degrees, so that x of its box points west; all turned into ENU."""
    markers = rig.bench.inbox(MarkerArray, 'markers')

    def drawn() -> np.ndarray:
        there = [m.points for array in markers[-1:] for m in array.markers if m.ns == 'palms']
        return np.array([(p.x, p.y, p.z) for p in there[0] if p.z > 55.0] if there else [])

    def shown() -> bool:
        msg = Twist()
        msg.linear.x, msg.linear.y, msg.linear.z = 2.0, 1.0, 60.0
        msg.angular.z = 0.5 * math.pi
        rig.bench.send('hands/Player1_head', msg)
        rig.time.tick()
        rig.bench.serve()
        return len(drawn()) > 0
    rig.bench.until(shown, 'the head to be drawn')
    points = drawn()
    # the middle at east -1, north 2; its 0.6 m lie along east and west
    assert_allclose(points.mean(axis=0), (-1, 2, 60), atol=1e-9)
    assert_allclose(np.ptp(points, axis=0), (0.6, 0.4, 0.2), atol=1e-9)


def test_an_unknown_frame_is_refused_with_a_hint_and_counted(rig: Rig):
    before = rig.counters().get('wrong_frame/turned', 0)
    rig.bench.send('turned/odom', framed(rig, 'camera', (1, 2, 3)))
    after = rig.counters()['wrong_frame/turned']
    assert after == before + 1
    said = values(rig.diagnostics, 'inputs')['wrong_frame/turned last']
    for word in ("no transform of 'camera' is known", 'world, map, odom (parameter accepted_frames)',
                 'tracker (parameter frames)', '/tf'):
        assert word in said


def test_diagnostics_say_how_each_drone_is(rig: Rig):
    settle(rig, 'placed', (4, 4, 10), lambda: [('placed/odom', framed(rig, 'map', (1, 2, 3)))])
    for _ in range(40):
        rig.bench.send('placed/odom', framed(rig, 'map', (1, 2, 3)))
        rig.bench.send('turned/odom', framed(rig, 'world', (4, 4, 10.7)))
        rig.time.tick()
    rig.report()
    reported = values(rig.diagnostics, 'drone placed')
    assert reported['authority'] == 'correct'
    assert reported['source'] == 'placed/odom'
    assert float(reported['sample age [s]']) < 0.1
    assert float(reported['clearance [m]']) == pytest.approx(0.3, abs=1e-3)  # 0.7 m between centres less two radii
    assert reported['nearest'] == 'turned'
    assert values(rig.diagnostics, 'drone silent')['state'] == 'stale'


# /tf without a process: the message package is on no registry, and these classes only need its fields


def transform(parent: str, frame: str, ns: int, position, orientation=(0.0, 0.0, 0.0, 1.0)) -> TransformStamped:
    msg = stamped(TransformStamped(child_frame_id=frame), ns, parent)
    p, q = msg.transform.translation, msg.transform.rotation
    p.x, p.y, p.z = map(float, position)
    q.x, q.y, q.z, q.w = map(float, orientation)
    return msg


class Node:
    """Takes note of the topics a node opens."""

    def __init__(self):
        self.opened, self.sent = [], []

    def create_subscription(self, kind, topic, callback, qos, **options):
        self.opened.append(topic)
        return topic

    def create_publisher(self, kind, topic, qos, **options):
        self.opened.append(topic)
        return SimpleNamespace(get_subscription_count=lambda: 1, publish=self.sent.append)

    def destroy_subscription(self, topic):
        self.opened.remove(topic)


def received(monkeypatch) -> tuple[Node, Ledger, TfInput, Frames]:
    monkeypatch.setattr(tf_topics, 'TFMessage', SimpleNamespace)
    node = Node()
    tf = TfInput(node)
    parameters = {'accepted_frames': ['map'], 'frame_yaw': 0.5 * math.pi}
    made = make_settings('d', node=parameters, fixed={'tracker': Rigid((10.0, 0.0, 0.0))})
    adapter = make_adapter(made, ask_tf=tf.listen)
    tf.serve(adapter)
    return node, adapter.ledger, tf, adapter.frames


def test_tf_is_opened_when_a_frame_is_missed_and_then_explains_it(monkeypatch):
    node, ledger, tf, frames = received(monkeypatch)
    assert frames.find('tracker', 0).position == (10.0, 0.0, 0.0)
    assert not node.opened
    with pytest.raises(FrameError, match='from now on /tf is read'):
        frames.find('camera', 10**9)
    assert node.opened == ['/tf_static', '/tf']
    tf._moving(SimpleNamespace(transforms=[transform('map', 'rig', 10**9, (1, 0, 0))]))
    tf._static(SimpleNamespace(transforms=[transform('/rig', '/camera', 0, (0, 0, 1))]))
    # in `map`, whose x is north
    assert_allclose(frames.find('camera', 10**9).position, (0, 1, 1), atol=1e-15)
    assert frames.newest('camera') == 10**9
    with pytest.raises(FrameError, match='0.5 s older'):
        frames.find('camera', 15 * 10**8)
    tf.close()
    assert not node.opened


def test_a_frame_given_by_parameter_outranks_tf(monkeypatch):
    *_, tf, frames = received(monkeypatch)
    tf._static(SimpleNamespace(transforms=[transform('world', 'tracker', 0, (1, 1, 1))]))
    assert frames.find('tracker', 0).position == (10.0, 0.0, 0.0)
    tf._moving(SimpleNamespace(transforms=[transform('tracker', 'wand', 5, (1, 0, 0))]))
    assert frames.find('wand', 5).position == (11.0, 0.0, 0.0)


def test_transforms_that_are_none_are_counted_and_change_nothing(monkeypatch):
    _, ledger, tf, frames = received(monkeypatch)
    tf._moving(SimpleNamespace(transforms=[
        transform('map', 'a', 1, (math.nan, 0, 0)),
        transform('map', 'b', 1, (0, 0, 0), (0, 0, 0, 0)),
        transform('c', 'c', 1, (0, 0, 0)),
        transform('map', 'good', 1, (0, 0, 0)),
    ]))
    assert ledger.counters == {('wrong_transform', name): 1 for name in 'abc'}
    assert 'loop' in ledger.last['wrong_transform', 'c']
    assert_allclose(frames.find('good', 1).position, (0, 0, 0))


def test_corrected_drones_on_tf(monkeypatch):
    monkeypatch.setattr(tf_topics, 'TFMessage', SimpleNamespace)
    node = Node()
    drones = {'b': {'source': 'odom', 'body_frame': 'b/base_link', 'tf_frame': ''}}
    settings = SimpleNamespace(node={'world_frame': 'world'}, drones=drones)
    output = TfOutput(node, SimpleNamespace(drone_names=('a', 'b')), settings)
    states = SimpleNamespace(names=('a', 'b'), positions=np.array([(1, 1, 1), (2, 3, 4.0)]),
                             orientations_xyzw=np.array([QUARTER] * 2))
    output.publish(SimpleNamespace(states=states, stamp_ns=5 * 10**9 + 7))
    (sent,) = node.sent[0].transforms
    assert (sent.header.frame_id, sent.child_frame_id) == ('world', 'b/base_link')
    assert (sent.header.stamp.sec, sent.header.stamp.nanosec) == (5, 7)
    assert (sent.transform.translation.y, sent.transform.rotation.z) == (3.0, HALF)


@pytest.mark.parametrize(
    ('parameters', 'said'),
    [
        ({'publish_tf': True}, 'parameter publish_tf: needs the package tf2_msgs, which is not installed'),
        ({'source': 'tf'}, "'d/base_link' is where d comes from"),
    ],
)
def test_publishing_tf_where_it_cannot_be_says_so(monkeypatch, parameters, said):
    monkeypatch.setattr(tf_topics, 'TFMessage', SimpleNamespace if 'source' in parameters else None)
    drones = {'d': {'source': 'odom', 'body_frame': 'd/base_link', 'tf_frame': '', **parameters}}
    settings = SimpleNamespace(node={'world_frame': 'world'}, drones=drones)
    with pytest.raises(tf_topics.StartError, match=said):
        TfOutput(Node(), SimpleNamespace(drone_names=('d',)), settings)


def test_a_drone_that_only_tf_tells_of(foreign, bench, world):
    """In by /tf, and out on it under another name."""
    from tf2_msgs.msg import TFMessage as message  # noqa: N813
    rig = Rig(bench, world, 'drones.a.source:=tf', 'drones.a.tf_frame:=sim/a', 'publish_tf:=true')
    out = bench.inbox(message, '/tf')

    def reported() -> tuple[float, float]:
        new = [t.transform.translation for msg in out for t in msg.transforms if t.child_frame_id == 'a/base_link']
        return (new[-1].x, new[-1].z) if new else (0.0, 0.0)

    static = bench.node.create_publisher(message, '/tf_static', LATCHED)
    static.publish(message(transforms=[transform('world', 'room', 0, (2, 0, 0))]))

    def shown() -> bool:
        bench.send('/tf', message(transforms=[transform('room', 'sim/a', at(rig), (0, 0, 1))]))
        rig.time.tick()
        return np.allclose(reported(), (2, 1))

    bench.until(shown, 'the drone where /tf has it')
    assert not rig.state('a')['flags'] & FleetState.STALE
    assert_allclose(rig.state('a')['p'], (2, 0, 1), atol=1e-9)
    assert_allclose(reported(), (2, 1), atol=1e-9)
