# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Parameters as a user gives them, on a node in this process: types, ranges, hints, files, batches, changes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import rclpy
from nav_msgs.msg import Odometry
from numpy.testing import assert_allclose
from rcl_interfaces.msg import ParameterType
from rclpy.parameter import Parameter
from rclpy.qos import HistoryPolicy, ReliabilityPolicy
from rig import WORLD

from hakoniwa_rigid.ros import qos
from hakoniwa_rigid.ros.errors import StartError
from hakoniwa_rigid.ros.params import Parameters
from hakoniwa_rigid.scene.errors import SettingsError
from hakoniwa_rigid.scene.parameters.params import NODE
from hakoniwa_rigid.scene.parameters.settings import Settings
from hakoniwa_rigid.scene.read_settings import read_settings

pytestmark = pytest.mark.ros
POSE = '[1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0]'


@contextmanager
def node_with(*arguments: str) -> Iterator:
    """A bare node that was given these arguments."""
    context = rclpy.Context()
    rclpy.init(args=['--ros-args', '--disable-rosout-logs', *arguments], context=context)
    node = rclpy.create_node('tested', context=context, start_parameter_services=False)
    try:
        yield node
    finally:
        node.destroy_node()
        rclpy.try_shutdown(context=context)


def settings(node, world) -> tuple[Parameters, Settings]:
    tables = Parameters(node)
    return tables, read_settings(tables, {**tables.declare(NODE), 'world': str(world)})


def read(world, *parameters: str) -> Settings:
    with node_with(*(word for p in parameters for word in ('-p', p))) as node:
        return settings(node, world)[1]


@pytest.mark.parametrize(
    ('parameter', 'message'),
    [
        ('rate:=.nan', 'parameter rate: must be between 1 and 1000, got nan'),
        ('rate:=fast', "parameter rate: must be a number, got 'fast'"),
        ('rate:=5000', 'parameter rate: must be between 1 and 1000, got 5000'),
        ('drones:=[a, a]', 'parameter drones: every name once, got a, a'),
        ('publish_tf:=1', 'parameter publish_tf: must be true or false, got 1'),
        ('drones:=a', "parameter drones: must be a list of strings, got 'a'"),
        ('tf_timeout:=-1', 'parameter tf_timeout: must be between 0 and 10, got -1'),
        ('frame_yaw:=90.0', 'parameter frame_yaw: must be between -6.28319 and 6.28319, got 90'),
        ('default_authority:=god', "must be one of '', 'observe', 'correct', 'simulate', got 'god'"),
        ('drones.a.origin:=[1.0, 2.0]', 'parameter drones.a.origin: must be 7 finite numbers, got [1.0, 2.0]'),
        ('drones.a.origin:=[1, 2]', 'parameter drones.a.origin: must be 7 finite numbers, got [1.0, 2.0]'),
        ('drones.a.origin:=[0.0, 0.0, .nan, 0.0, 0.0, 0.0, 1.0]', 'must be 7 finite numbers, got [0.0, 0.0, nan'),
        ('drones.a.origin:=[0, 0, 0, 0, 0, 0, 0]', 'drones.a.origin: its quaternion x, y, z, w must have length 1'),
        ('drones.a.origin:=[a, b]', 'parameter drones.a.origin: must be a list of numbers'),
        ('drones.a.topic_odom:=a b', "parameter drones.a.topic_odom: must be a topic, got 'a b'"),
        ('hands.right.topic:=7up', "parameter hands.right.topic: must be a topic, got '7up'"),
        ('frames:=[cam]', 'parameter frames.cam: needs a pose: x, y, z, qx, qy, qz, qw'),
        ('frames:=[map]', "parameter frames: 'map' means the world already (world_frame, accepted_frames)"),
        ('frames:=[cam, cam]', 'parameter frames: every name once, got cam, cam'),
    ],
)
def test_wrong_values_are_refused_with_a_sentence(world, parameter, message):
    with pytest.raises((StartError, SettingsError)) as caught:
        read(world, parameter)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    'parameters',
    [
        ('rate:=100', 'drones.a.origin:=[1, 2, 3, 0, 0, 0, 1]', 'frames:=[cam]', 'frames.cam:=[1, 2, 3, 0, 0, 0, 1]'),
        ('rate:=100.0', f'drones.a.origin:={POSE}', 'frames:=[cam]', f'frames.cam:={POSE}'),
    ],
)
def test_whole_numbers_mean_real_ones(world, parameters):
    made = read(world, *parameters)
    assert made.node['rate'] == 100.0
    assert made.fixed_frames['cam'].position == (1.0, 2.0, 3.0)
    origins = {drone.name: drone.origin.position for drone in made.world.drones}
    assert origins == {'a': (1.0, 2.0, 3.0), 'b': (0.0, 0.0, 0.0), 'c': (0.0, 0.0, 0.0)}


def test_a_parameter_file_in_a_namespace_with_empty_lists_and_integers(world, tmp_path):
    file = tmp_path / 'params.yaml'
    file.write_text(
        '/**:\n  ros__parameters:\n    drones: []\n    rate: 50\n    frames: [cam/left]\n'
        '    frames.cam/left: [0, 0, 1, 0, 0, 1, 0]\n    drones:\n      a: {authority: observe}\n    rat: 3.0\n'
    )
    with node_with('-r', '__ns:=/lab', '--params-file', str(file)) as node:
        tables, made = settings(node, world)
        assert tables.unknown() == ['rat']
    assert made.node['rate'] == 50.0
    assert list(made.drones) == ['a', 'b', 'c']
    assert made.drones['a']['authority'] == 'observe'
    assert made.fixed_frames['cam/left'].orientation == (0.0, 0.0, 1.0, 0.0)


def test_an_origin_given_by_parameter_outranks_the_world_file(tmp_path):
    path = tmp_path / 'world.yaml'
    path.write_text(
        WORLD.replace('{name: a,', '{name: a, origin: {position: [9, 9, 9]},').replace(
            '{name: b,', '{name: b, origin: {position: [8, 8, 8]},'
        )
    )
    half = math.sqrt(0.5)
    made = read(path, f'drones.a.origin:=[1.0, 0.0, 0.0, 0.0, 0.0, {half}, {half}]')
    a, b, _ = (drone.origin for drone in made.world.drones)
    assert a.position == (1.0, 0.0, 0.0)
    assert_allclose(a.quat, (half, 0, 0, half), atol=1e-15)  # the world's order is w first
    assert b.position == (8.0, 8.0, 8.0)


def test_a_batch_with_one_wrong_value_changes_nothing(world):
    with node_with() as node:
        settings(node, world)

        def put(**values):
            return node.set_parameters_atomically([Parameter(name, value=v) for name, v in values.items()])

        def now() -> list:
            return [node.get_parameter(name).value for name in ('markers_rate', 'proximity', 'drones.a.authority')]

        before = now()
        for wrong in ({'proximity': math.nan}, {'proximity': 1e3}, {'drones.a.authority': 'me'}, {'rate': 100.0},
                      {'proximity': 'far'}, {'proximity': math.inf}):
            result = put(markers_rate=10.0, **wrong)
            assert not result.successful
            assert result.reason
            assert now() == before
        assert put(markers_rate=10.0, proximity=2.0, **{'drones.a.authority': 'observe'}).successful
        assert now() == [10.0, 2.0, 'observe']


def test_every_parameter_has_type_range_and_description(world):
    with node_with('-p', 'frames:=[cam]', '-p', f'frames.cam:={POSE}') as node:
        settings(node, world)
        foreign = ('use_sim_time', 'start_type_description_service')
        own = [name for name in node.get_parameters_by_prefix('') if name not in foreign]
        changeable = []
        for descriptor in node.describe_parameters(own):
            assert descriptor.description.endswith('.'), descriptor.name
            assert descriptor.type != ParameterType.PARAMETER_NOT_SET, descriptor.name
            if descriptor.type == ParameterType.PARAMETER_DOUBLE:
                assert descriptor.floating_point_range, descriptor.name
            if not descriptor.read_only:
                changeable.append(descriptor.name.removeprefix('drones.'))
        assert 'frames.cam' in own
    assert sorted(changeable) == [
        'a.authority', 'b.authority', 'c.authority', 'markers_rate', 'proximity',
    ]


def test_qos_is_overridden_from_a_file_for_one_topic_only(tmp_path):
    file = tmp_path / 'params.yaml'
    file.write_text(
        '/**:\n  ros__parameters:\n    qos_overrides:\n      /lab/a/odom:\n        subscription:\n'
        '          {reliability: reliable, depth: 20}\n        publisher: {history: keep_all}\n'
    )
    with node_with('-r', '__ns:=/lab', '--params-file', str(file)) as node:
        changed = qos.subscribe(node, Odometry, 'a/odom', print, qos.INPUT).qos_profile
        assert (changed.reliability, changed.depth) == (ReliabilityPolicy.RELIABLE, 20)
        other = qos.subscribe(node, Odometry, 'b/odom', print, qos.INPUT).qos_profile
        assert (other.reliability, other.depth) == (ReliabilityPolicy.BEST_EFFORT, 5)
        assert qos.advertise(node, Odometry, 'a/odom', qos.STATES).qos_profile.history == HistoryPolicy.KEEP_ALL
        assert qos.STATES.history == HistoryPolicy.KEEP_LAST
        assert node.describe_parameter('qos_overrides./lab/b/odom.subscription.depth').read_only


@pytest.mark.parametrize(
    ('policy', 'said'),
    [('depth:=0', 'depth must be 1 to 100000'), ('depth:=x', "'x'"), ('reliability:=perhaps', '`perhaps`')],
)
def test_a_wrong_qos_override_is_named(policy, said):
    given = f'qos_overrides./a/odom.subscription.{policy}'
    with node_with('-p', given) as node, pytest.raises(StartError) as caught:
        qos.subscribe(node, Odometry, 'a/odom', print, qos.INPUT)
    assert 'parameter qos_overrides.' in str(caught.value)
    assert said in str(caught.value)
