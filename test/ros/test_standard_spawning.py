# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""SpawnEntity, DeleteEntity and the reset of what was spawned over DDS: every result code of each."""

from __future__ import annotations

from pathlib import Path

import pytest
from geometry_msgs.msg import PoseStamped
from harness import odometry
from nav_msgs.msg import Odometry
from rig import Rig
from standard_calls import assert_code, call, filters, go, vector

pytestmark = pytest.mark.ros
BALL = '{object: {shape: {type: sphere, radius: 0.1}, mass: 0.5}}'


@pytest.fixture
def rig(bench, standard_world: Path) -> Rig:
    standard_world.write_text(standard_world.read_text() + 'spare: {drones: 2, objects: 2, walls: 1}\n')
    return Rig(bench, standard_world)


def spawn(rig: Rig, name='new', text='', uri='', position=(9.0, 9.0, 1.0), quaternion=(0.0, 0.0, 0.0, 1.0), frame='',
          **more):
    from simulation_interfaces.msg import Resource
    pose = PoseStamped()
    pose.header.frame_id = frame
    pose.pose.position.x, pose.pose.position.y, pose.pose.position.z = map(float, position)
    turn = pose.pose.orientation
    turn.x, turn.y, turn.z, turn.w = map(float, quaternion)
    return call(rig.bench, 'SpawnEntity', name=name, initial_pose=pose,
                entity_resource=Resource(uri=uri, resource_string=text), **more)


def entities(rig: Rig) -> list[str]:
    return list(call(rig.bench, 'GetEntities', filters=filters()).entities)


def test_entities_come_and_leave(rig: Rig):
    go(rig)
    answer = spawn(rig, text=BALL)
    assert_code(answer, 'RESULT_OK')
    assert answer.entity_name == 'new'
    assert_code(spawn(rig, 'scout', uri='model://crazyflie'), 'RESULT_OK')
    assert_code(spawn(rig, 'shelf', text='{wall: {type: box, size: [1, 1, 0.1]}}', position=(9, 9, 0.5),
                      entity_namespace='/shop'), 'RESULT_OK')
    assert entities(rig) == ['a', 'b', 'scout', 'load', 'new', 'floor', 'post', 'shelf']
    assert 'model crazyflie' in call(rig.bench, 'GetEntityInfo', entity='scout').info.description
    go(rig, 200)
    at = vector(call(rig.bench, 'GetEntityState', entity='new').state.pose.position)
    assert at == pytest.approx((9, 9, 0.65), abs=2e-3)
    for name in ('shelf', 'scout'):
        assert_code(call(rig.bench, 'DeleteEntity', entity=name), 'RESULT_OK')
    assert_code(call(rig.bench, 'DeleteEntity', entity='shelf'), 'RESULT_NOT_FOUND', "got 'shelf'")
    assert_code(call(rig.bench, 'DeleteEntity', entity='right'), 'RESULT_OK')
    assert entities(rig) == ['a', 'b', 'load', 'new', 'floor', 'post']


def test_a_spawned_drone_has_topics_of_its_own(rig: Rig):
    go(rig)
    assert_code(spawn(rig, 'scout', uri='model://crazyflie'), 'RESULT_OK')
    rig.bench.until(lambda: rig.bench.node.count_subscribers('scout/odom') or rig.go(), 'its topics')
    corrected = rig.bench.inbox(Odometry, 'scout/odom_corrected')

    def is_shown() -> bool:
        rig.bench.send('scout/odom', odometry(rig.time.now, (9, 9, 2), linear=(0, 0, 0)))
        rig.go()
        return bool(corrected) and corrected[-1].pose.pose.position.z == 2.0

    rig.bench.until(is_shown, 'its state')
    assert rig.state('scout')['p'] == [9.0, 9.0, 2.0]
    assert_code(call(rig.bench, 'DeleteEntity', entity='scout'), 'RESULT_OK')
    go(rig)
    rig.bench.until(lambda: not rig.bench.node.count_publishers('scout/odom_corrected'), 'they are closed')


def test_names_can_be_chosen(rig: Rig):
    assert_code(spawn(rig, 'load', text=BALL), 'NAME_NOT_UNIQUE', "got 'load'")
    answer = spawn(rig, 'load', text=BALL, allow_renaming=True)
    assert_code(answer, 'RESULT_OK')
    assert answer.entity_name == 'load_2'
    assert_code(spawn(rig, '', text=BALL), 'NAME_INVALID', 'allow_renaming')
    assert_code(spawn(rig, 'a/b', text=BALL), 'NAME_INVALID', 'without /')
    answer = spawn(rig, '', text=BALL, position=(12, 12, 1), allow_renaming=True)
    assert_code(answer, 'RESULT_OK')
    assert answer.entity_name == 'object'


@pytest.mark.parametrize(('request_', 'code', 'says'), [
    ({}, 'NO_RESOURCE', 'give a uri or a resource_string'),
    ({'uri': 'https://example.com/a.sdf'}, 'UNSUPPORTED_FORMAT', 'must be a drone model by name'),
    ({'uri': '../../etc/passwd'}, 'UNSUPPORTED_FORMAT', 'must be a drone model by name'),
    ({'text': '<sdf version="1.9"/>'}, 'UNSUPPORTED_FORMAT', 'SDF and URDF are not read'),
    ({'text': '[1, 2'}, 'RESOURCE_PARSE_ERROR', 'resource_string: entry'),
    ({'text': '{tree: {}}'}, 'RESOURCE_PARSE_ERROR', 'must have one key, drone, wall, object'),
    ({'text': '{object: {mass: 1}}'}, 'RESOURCE_PARSE_ERROR', 'shape: is missing'),
    ({'text': '{object: {shape: {type: sphere, radius: -1}, mass: 1}}'}, 'RESOURCE_PARSE_ERROR', 'radius'),
    ({'text': '{wall: {type: mesh, file: /etc/hostname}}'}, 'RESOURCE_PARSE_ERROR', 'not by files of this machine'),
    ({'uri': 'model://nope'}, 'MISSING_ASSETS', 'unknown drone model'),
    ({'text': BALL, 'entity_namespace': 'not a namespace'}, 'NAMESPACE_INVALID', 'must be a namespace of ROS'),
    ({'text': BALL, 'position': (0, 4, 9)}, 'INVALID_POSE', 'm inside load'),
    ({'text': BALL, 'position': (float('nan'), 0, 0)}, 'INVALID_POSE', 'position: must be finite'),
    ({'text': BALL, 'quaternion': (0, 0, 0, 0)}, 'INVALID_POSE', 'quaternion'),
    ({'text': BALL, 'frame': 'nowhere'}, 'INVALID_POSE', 'nowhere'),
])
def test_bad_requests(rig: Rig, request_, code, says):
    before = entities(rig)
    assert_code(spawn(rig, **request_), code, says)
    assert entities(rig) == before


def test_places_are_bounded_and_a_reset_frees_them(rig: Rig):
    from simulation_interfaces.srv import ResetSimulation
    for k in range(2):
        assert_code(spawn(rig, f'x{k}', text=BALL, position=(9 + k, 9, 1)), 'RESULT_OK')
    assert_code(spawn(rig, 'x2', text=BALL, position=(20, 9, 1)), 'RESULT_OPERATION_FAILED', 'all 3 places')
    go(rig, 20)
    z = call(rig.bench, 'GetEntityState', entity='load').state.pose.position.z
    assert_code(call(rig.bench, 'ResetSimulation', scope=ResetSimulation.Request.SCOPE_SPAWNED), 'RESULT_OK')
    assert entities(rig) == ['a', 'b', 'load', 'floor', 'post']
    assert call(rig.bench, 'GetEntityState', entity='load').state.pose.position.z == z
    assert_code(spawn(rig, 'x2', text=BALL), 'RESULT_OK')
    assert_code(call(rig.bench, 'ResetSimulation', scope=ResetSimulation.Request.SCOPE_ALL), 'RESULT_OK')
    assert entities(rig) == ['a', 'b', 'load', 'floor', 'post']
    assert vector(call(rig.bench, 'GetEntityState', entity='load').state.pose.position) == (0, 4, 9)
