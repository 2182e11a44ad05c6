# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`drones: auto` and `hands: auto` where a bag without a journal is replayed: its topics say what there is."""
import bags
import pytest
from recordings import hand, header, pose

from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.bag.writer import BagWriter
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.replay.rerun.outcome import Options
from hakoniwa_rigid.replay.rerun.run import replay
from hakoniwa_rigid.scene.errors import SettingsError

MS = 1_000_000
ODOMETRY, HAND, WRENCH = 'nav_msgs/msg/Odometry', 'hakoniwa_rigid/msg/HandJoints', 'geometry_msgs/msg/WrenchStamped'
WORLD = """
name: lane
gravity: [0, 0, 0]
models:
  ball: {mass: 0.5, inertia: [0.002, 0.002, 0.002], shape: {type: sphere, radius: 0.1}}
walls: [{name: gate, type: box, size: [0.1, 1, 1], position: [2, 0, 0]}]
drones: [{name: d0, model: ball, position: [0, 9, 0]}]
"""
AUTO = {'drones': ['auto'], 'hands': ['auto'], 'drone_models': ['.*=ball'], 'rate': 200.0}


@pytest.fixture(scope='module')
def world(tmp_path_factory):
    path = tmp_path_factory.mktemp('world') / 'lane.yaml'
    path.write_text(WORLD)
    return str(path)


def flight(path, drones=('late', 'x1'), more=()):
    """late comes at 0.3 s and flies at the gate, others stand; a hand; further topics."""
    with BagWriter(path, {}) as bag:
        topics = {name: bag.topic(f'/{name}/odom', ODOMETRY) for name in drones}
        right = bag.topic('/hands/right', HAND)
        for topic, kind in more:
            bag.topic(topic, kind)
        for k in range(120):
            stamp = 1000 * MS + 10 * k * MS
            for n, (name, topic) in enumerate(topics.items()):
                if name != 'late' or k >= 30:
                    x, v = (1.5 + 0.01 * (k - 30), 1.0) if name == 'late' else (-3.0 * n, 0.0)
                    bag.write(topic, stamp, bags.odometry(stamp, (x, 0, 0), velocity=(v, 0, 0)))
            bag.write(right, stamp, hand(stamp, -20.0))
    return path


def test_drones_and_hands_are_found_by_their_topics(world, tmp_path):
    bag = flight(tmp_path / 'bag', more=[('/x2/wrench', WRENCH), ('/y/z/odom', ODOMETRY), ('/x3/odom', HAND)])
    results = [replay(Options(bag, tmp_path / out, world=world, values=AUTO)) for out in ('a', 'b')]
    assert {'drones: auto: in the bag are late, x1', 'hands: auto: in the bag are right'} <= set(results[0].notes)
    assert results[0].state_hash == results[1].state_hash
    with Bag(tmp_path / 'a') as out:
        states = [out.decode(m) for m in out.messages(['/fleet/states_corrected'])]
        events = [e for m in out.messages(['/contact_events']) for e in out.decode(m).events]
        told = [m.data for m in out.messages(['/contact_events'])]
    assert [n for n in states[-1].names if n] == ['d0', 'late', 'x1']
    assert {(e.body_a, e.body_b) for e in events} == {('gate', 'late')}
    # by their names it is the same flight
    named = {**AUTO, 'drones': ['d0', 'late', 'x1'], 'hands': ['right']}
    replay(Options(bag, tmp_path / 'named', world=world, values=named))
    with Bag(tmp_path / 'named') as out:
        assert [m.data for m in out.messages(['/contact_events'])] == told


def test_pattern_and_places_keep_others_out(world, tmp_path):
    bag = flight(tmp_path / 'bag', drones=[f's{k}' for k in range(6)] + ['late'])
    result = replay(Options(bag, None, world=world, values={**AUTO, 'drone_pattern': 's.*', 'spare_drones': 4}))
    assert 'drones: auto: in the bag are s0, s1, s2, s3' in result.notes
    assert 'drones: auto: 2 more are left out; spare_drones takes more' in result.notes


def posed(stamp: int) -> bytes:
    kind = 'geometry_msgs/msg/PoseStamped'
    message = bags.STORE.types[kind](header=header(stamp, 'world'), pose=pose((1.0, 0, 0)))
    return bytes(bags.STORE.serialize_cdr(message, kind))


def test_a_bag_of_poses_of_hands(world, tmp_path):
    """The type is that of the topic, as in a node."""
    with BagWriter(tmp_path / 'bag', {}) as bag:
        topic = bag.topic('/hands/head', 'geometry_msgs/msg/PoseStamped')
        for k in range(50):
            stamp = 1000 * MS + 10 * k * MS
            bag.write(topic, stamp, posed(stamp))
    result = replay(Options(tmp_path / 'bag', None, world=world, values=AUTO))
    assert 'hands: auto: in the bag are head' in result.notes
    assert not any('never in the scene' in note and 'head' in note for note in result.notes)


def test_what_cannot_be_says_so(world, tmp_path):
    bag = flight(tmp_path / 'bag', drones=('gate',))
    with pytest.raises(SettingsError, match='parameter drones: gate is the name of one of the walls'):
        replay(Options(bag, None, world=world, values=AUTO))
    with pytest.raises(BagError, match='those that only /tf tells of are not looked for in a bag'):
        replay(Options(bag, None, world=world, values={**AUTO, 'sim': str(preset(tmp_path))}))


def preset(folder):
    path = folder / 'by_tf.yaml'
    path.write_text('drone: {source: tf, tf_frame: "{drone}"}\n')
    return path
