# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Parameters from files, without ROS: the same tables and sentences as the node's."""
import math

import pytest

from hakoniwa_rigid.scene.errors import SettingsError
from hakoniwa_rigid.scene.parameters.param_file import GivenParameters, read_param_file
from hakoniwa_rigid.scene.parameters.params import DRONE, HAND, NODE, default_of, fault
from hakoniwa_rigid.scene.read_settings import period_ns, read_settings

WORLD = """
name: yard
walls: [{name: floor, type: plane}]
drones: [{name: a, model: api-1}, {name: Drone-1, model: api-1}]
hands: [{name: right}]
"""
POSE = [1, 2, 3, 0, 0, 0, 1]


@pytest.fixture
def world(tmp_path):
    path = tmp_path / 'world.yaml'
    path.write_text(WORLD)
    return path


def settings(world, **given):
    source = GivenParameters({'world': str(world), **given})
    made = read_settings(source, source.declare(NODE))
    source.check_unknown()
    return made


def test_defaults_are_those_of_the_tables(world):
    made = settings(world)
    assert made.node['rate'] == 200.0
    assert made.drones['Drone-1'] == {p.name: default_of(p, 'Drone-1') for p in DRONE}
    assert made.drones['Drone-1']['topic_odom'] == 'Drone_1/odom'
    assert made.hands['right']['topic'] == 'hands/right'


def test_whole_numbers_mean_real_ones_and_empty_lists_the_default(world):
    made = settings(world, rate=100, frames=['cam'], drones=[], **{'frames.cam': POSE, 'drones.a.origin': POSE})
    assert made.node['rate'] == 100.0
    assert made.fixed_frames['cam'].position == (1.0, 2.0, 3.0)
    assert made.world.drones[0].origin.position == (1.0, 2.0, 3.0)


@pytest.mark.parametrize(('name', 'value', 'said'), [
    ('rate', math.nan, 'parameter rate: must be between 1 and 1000, got nan'),
    ('rate', 'fast', "parameter rate: must be a number, got 'fast'"),
    ('rate', True, 'parameter rate: must be a number, got True'),
    ('drones', ['a', 'a'], 'parameter drones: every name once, got a, a'),
    ('publish_tf', 1, 'parameter publish_tf: must be true or false, got 1'),
    ('drones', 'a', "parameter drones: must be a list of strings, got 'a'"),
    ('default_authority', 'god', "must be one of '', 'observe', 'correct', 'simulate', got 'god'"),
    ('drones.a.origin', [1, 2], 'parameter drones.a.origin: must be 7 finite numbers, got [1.0, 2.0]'),
    ('drones.a.origin', [0] * 7, 'drones.a.origin: its quaternion x, y, z, w must have length 1'),
    ('drones.a.topic_odom', 'a b', "parameter drones.a.topic_odom: must be a topic, got 'a b'"),
    ('hands.right.topic', '7up', "parameter hands.right.topic: must be a topic, got '7up'"),
    ('frames', ['cam'], 'parameter frames.cam: needs a pose'),
    ('rat', 3.0, 'parameters: unknown: parameter rat; did you mean rate?'),
    ('drones.b.source', 'pose', 'unknown: parameter drones.b.source; did you mean drones.a.source?'),
])
def test_wrong_values_and_names_are_refused_with_a_sentence(world, name, value, said):
    with pytest.raises(SettingsError) as caught:
        settings(world, **{name: value})
    assert said in str(caught.value)


def test_topic_names_are_those_of_ros():
    spec = next(p for p in DRONE if p.name == 'topic_odom')
    for good in ('odom', '/odom', 'a/b/c_1', '~/odom', '/fleet/Drone_1/odom', '~', '_hidden', '{node}/odom'):
        assert not fault(spec, good), good
    for bad in ('a b', '7up', 'a/7', 'a//b', 'a/', '/', 'a/~', '~odom', 'Drone-1/odom', 'ä', 'a\n'):
        assert 'must be a topic' in fault(spec, bad), bad


def test_a_file_as_a_node_is_given_it(tmp_path):
    path = tmp_path / 'params.yaml'
    path.write_text('/**:\n  ros__parameters:\n    drones: []\n    rate: 1e2\n    use_sim_time: true\n'
                    '    drones:\n      a: {authority: observe}\n'
                    '/lab/collision_node:\n  ros__parameters: {rate: 50, drones.a.source: pose}\n'
                    'drone_sim:\n  ros__parameters: {rate: 1000, courses: x}\n')
    assert read_param_file(path) == {'drones': [], 'rate': 50, 'use_sim_time': True, 'drones.a.authority': 'observe',
                                     'drones.a.source': 'pose'}


@pytest.mark.parametrize(('text', 'said'), [
    ('rate: 3', 'must be a mapping of names to values'), ('[1, 2]', 'must be a mapping'), ('a: [', 'is no YAML'),
    ('/**: {rate: 3}', 'no ros__parameters; it must look like'),
    ('drone_sim: {ros__parameters: {rate: 3}}', 'parameters of drone_sim, none of /** or collision_node'),
])
def test_files_that_are_none_are_distinguished(tmp_path, text, said):
    path = tmp_path / 'params.yaml'
    path.write_text(text)
    with pytest.raises(SettingsError, match='params.yaml') as caught:
        read_param_file(path)
    assert said in str(caught.value)


def test_an_empty_file_gives_nothing_and_the_shipped_one_is_all_defaults(tmp_path, world):
    path = tmp_path / 'params.yaml'
    path.write_text('')
    assert read_param_file(path) == {}
    from hakoniwa_rigid.paths import config_file
    shipped = read_param_file(config_file('collision_node.yaml'))
    source = GivenParameters(shipped)
    assert source.declare(NODE) == GivenParameters({}).declare(NODE)
    assert source.declare(HAND, 'hands.right.', 'right') == {p.name: default_of(p, 'right') for p in HAND}


def test_a_period_that_is_no_whole_number_of_steps_is_refused_with_rates_that_are():
    assert period_ns(200.0, 1e-3) == 5_000_000
    with pytest.raises(SettingsError, match=r'got 300 Hz; try 333.333 or 250|try 250 or 333.333'):
        period_ns(300.0, 1e-3)
