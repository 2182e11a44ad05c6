# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What comes, changes and leaves is on ~/roster, also for who comes later, and in the page's scene."""
from __future__ import annotations

import json
import re

import pytest
from geometry_msgs.msg import Point, Pose
from hakoniwa_rigid.msg import HandJoints
from hakoniwa_rigid.srv import Change, Remove
from harness import LATCHED, START, stamped
from rclpy.serialization import deserialize_message
from std_msgs.msg import String
from test_spawn_services import fly, rig, spawn  # noqa: F401 - a fixture
from test_viewer import VIEWER, Page

from hakoniwa_rigid.ros.collision.roster_topic import ROOM, RosterTopic
from hakoniwa_rigid.ros.viewer.viewer_roster import MOST_ENTRIES, MOST_TEXT, Roster, RosterError
from hakoniwa_rigid.scene import CollisionScene

pytestmark = pytest.mark.ros
NEVER = {'drones': [], 'walls': [], 'objects': [], 'hands': [], 'left': [], 'left_out': 0}


class Out:
    """A node whose publishers keep what they are given."""

    def __init__(self):
        self.sent = []

    def create_publisher(self, *_args, **_named):
        return self

    def publish(self, msg):
        self.sent.append(json.loads(msg.data))


def told(scene, rounds=40):
    """What the topic says of a scene, and the time between its messages (ticks of 0.1 s)."""
    out, now = Out(), [0.0]
    topic = RosterTopic(out, scene, clock=lambda: now[0])

    def go():
        for _ in range(rounds):
            now[0] += 0.1
            topic.tell()
        return out.sent
    return go


def test_what_came_changed_and_left():
    """By the keys of world files: the viewer's world is then the scene's."""
    scene = CollisionScene.from_yaml('gym', spare={'drones': 3, 'objects': 2, 'walls': 1, 'hands': 1})
    first, config = Roster(scene.config), scene.config
    go = told(scene)
    assert go() == [NEVER]
    scene.add_drone('late', config.drones[0].model.name, position=[1, 0, 1.5])
    scene.add_object('ball', shape={'type': 'sphere', 'radius': 0.1}, mass=0.4, position=[2.0, 2.0, 3.0])
    scene.change(config.drones[0].name, authority='observe')
    scene.add_hand('guest', effective_mass=1.0)
    if config.objects:
        scene.remove(config.objects[0].name)
    sent = go()[1:]
    assert len(sent) == 1 and sent[0]['left'] == [body.name for body in config.objects[:1]]
    seen = first.world(json.dumps(sent[0]))
    for group in ('drones', 'walls', 'objects', 'hands'):
        there = {body.name: body for body in getattr(scene.config, group)}
        assert {body.name: body for body in getattr(seen, group)} == there, group
    scene.remove('late')
    scene.remove('ball')
    assert go()[2]['objects'] == [] and {d['name'] for d in go()[2]['drones']} == {config.drones[0].name}


def test_a_storm_is_two_messages_a_second():
    """Comings in every tick are told when they are written, one a tick, and no more often than every 0.5 s."""
    scene = CollisionScene.from_yaml('gym', spare={'drones': 8})
    go = told(scene, rounds=1)
    model = scene.config.drones[0].model.name
    for k in range(60):
        if k % 2:
            scene.remove('late')
        else:
            scene.add_drone('late', model, position=[1, 0, 1.5])
        go()
        go()
    assert len(go()) <= 120 // 5 + 2


@pytest.mark.parametrize('text', [
    '', '[]', '{}', 'null', '{"drones": 1, "walls": [], "objects": [], "hands": [], "left": []}', '[' * 100_000,
    '{"drones": [1], "walls": [], "objects": [], "hands": [], "left": []}',
    '{"drones": [{}], "walls": [], "objects": [], "hands": [], "left": []}',
    '{"drones": [{"name": "x", "model": "/etc/passwd"}], "walls": [], "objects": [], "hands": [], "left": []}',
    json.dumps({**NEVER, 'walls': [{}] * (MOST_ENTRIES + 1)}), ' ' * (MOST_TEXT + 1)])
def test_what_is_no_roster(text):
    """An error of one sentence, and the world stays as it was."""
    first = Roster(CollisionScene.from_yaml('empty').config)
    with pytest.raises(RosterError) as caught:
        first.world(text)
    assert len(str(caught.value)) < 400
    assert MOST_TEXT >= 2 * ROOM


def test_the_page_sees_who_comes_and_leaves(rig, bench, tmp_path):  # noqa: F811
    """Over DDS, by the viewer's socket: late readers too."""
    fly(rig, 3)
    assert spawn(rig, 'drone', name='late', model='ball', position=[2, 0, 2]).success
    assert spawn(rig, 'object', name='box', shape={'type': 'box', 'size': [0.2, 0.2, 0.2]}, mass=1.0,
                 position=[0, 3, 4]).success
    process = bench.start(VIEWER, f'world:={tmp_path / "hangar.yaml"}', 'port:=0', 'use_sim_time:=true',
                          'default_authority:=correct')
    bench.until(lambda: 'socket:' in process.output, 'the viewer', START)
    page = Page(re.search(r'page: (\S+)', process.output).group(1))
    page.subscribe('scene', 'objects', 'hands_of_others')

    def names(group):
        fly(rig, 1)
        scenes = page.got['scene']
        return [body['name'] for body in json.loads(scenes[-1])[group]] if scenes else []

    bench.until(lambda: 'late' in names('drones') and names('objects') == ['box'], 'both in the scene')
    bench.until(lambda: fly(rig, 1) or page.got['objects'], 'where the object is')
    assert spawn(rig, 'hand', name='guest').success
    bench.until(lambda: fly(rig, 1) or bench.node.count_subscribers('/hands/guest') == 2, 'node and viewer')
    guest = stamped(HandJoints(poses=[Pose(position=Point(x=3.0, z=2.0))], radii=[0.1]), rig.time.now)
    bench.until(lambda: bench.send('hands/guest', guest) or fly(rig, 1) or page.got['hands_of_others'], 'the hand')
    assert json.loads(page.got['scene'][-1])['hands_of_others'] == ['guest']
    assert json.loads(page.got['scene'][-1])['hands'] == []
    assert deserialize_message(page.got['hands_of_others'][-1], HandJoints).hand == 'guest'
    assert bench.call(Remove, 'collision_node/remove', Remove.Request(name='guest')).success
    assert json.loads(page.got['objects'][-1])['names'] == ['box']
    assert bench.call(Change, 'collision_node/change', Change.Request(
        name='late', entry='{model: crazyflie}')).success
    assert bench.call(Change, 'collision_node/change', Change.Request(name='a', entry='{authority: observe}')).success
    assert bench.call(Remove, 'collision_node/remove', Remove.Request(name='box')).success
    assert bench.call(Remove, 'collision_node/remove', Remove.Request(name='b')).success
    bench.until(lambda: names('drones') == ['a', 'late'] and not names('objects'), 'what is left')
    models = {drone['name']: drone['model'] for drone in json.loads(page.got['scene'][-1])['drones']}
    assert models == {'a': 'ball', 'late': 'crazyflie'}
    bench.until(lambda: names('drones') and json.loads(page.got['scene'][-1])['drones'][0]['authority'] == 'observe',
                'the authority of now')
    heard = bench.inbox(String, 'collision_node/roster', LATCHED)
    bench.until(lambda: heard, 'the roster, for a late reader')
    assert json.loads(heard[-1].data)['left'] == ['b']
    page.close()
