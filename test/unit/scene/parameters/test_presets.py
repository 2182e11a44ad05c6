# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Presets of simulators: the shipped ones, what goes before what, and what is refused."""
from __future__ import annotations

from pathlib import Path

import pytest

from hakoniwa_rigid.paths import share_dir
from hakoniwa_rigid.scene.errors import SettingsError
from hakoniwa_rigid.scene.parameters.param_file import GivenParameters
from hakoniwa_rigid.scene.parameters.presets import declare_node, read_preset
from hakoniwa_rigid.scene.read_settings import read_settings

SHIPPED = sorted(path.stem for path in (share_dir() / 'config' / 'sims').glob('*.yaml'))


def settings(**given):
    source = GivenParameters(given)
    made = read_settings(source, declare_node(source))
    source.check_unknown()
    return made


def drone(name, sim, **given):
    return settings(sim=sim, drones=[name], **given).drones[name]


def test_there_is_a_preset_for_every_simulator_of_the_docs():
    assert SHIPPED == ['aerostack2', 'airsim', 'ardupilot', 'crazyswarm2', 'gazebo', 'hakoniwa', 'pegasus', 'px4']
    docs = Path(__file__).parents[4] / 'docs'
    text = (docs / 'sims.md').read_text()
    assert all(f'`{name}`' in text and f'(simulators/{name}.md)' in text for name in SHIPPED)
    assert all((docs / 'simulators' / f'{name}.md').is_file() for name in SHIPPED)


@pytest.mark.parametrize('sim', SHIPPED)
def test_every_shipped_preset_serves_a_floor_and_the_drones_that_are_named(sim):
    made = settings(sim=sim, drones=['Drone-1', 'b2'])
    assert [d.name for d in made.world.drones] == ['Drone-1', 'b2']
    assert [w.name for w in made.world.walls] == ['floor']
    assert all(v['source'] != 'fleet' for v in made.drones.values())


@pytest.mark.parametrize(('sim', 'name', 'parameter', 'topic'), [
    ('px4', 'px4_1', 'topic_px4', '/px4_1/fmu/out/vehicle_odometry'),
    ('px4', 'x500_12', 'topic_px4', '/px4_12/fmu/out/vehicle_odometry'),
    ('px4', 'd007', 'topic_px4', '/px4_7/fmu/out/vehicle_odometry'),
    ('px4', 'px4_0', 'topic_px4', '/fmu/out/vehicle_odometry'),
    ('px4', 'uav', 'topic_px4', '/fmu/out/vehicle_odometry'),
    ('hakoniwa', 'Drone-1', 'topic_pos', '/pdu/Drone_1/pos'),
    ('hakoniwa', 'Drone', 'topic_velocity', '/pdu/Drone/velocity'),
    ('gazebo', 'x500_0', 'topic_odom', '/model/x500_0/odometry'),
    ('ardupilot', 'iris', 'topic_pose', '/ap/pose/filtered,/ap/v1/pose/filtered'),
    ('crazyswarm2', 'cf231', 'topic_pose', '/cf231/pose'),
    ('airsim', 'Drone1', 'topic_odom', '/airsim_node/Drone1/odom_local_ned'),
    ('pegasus', 'drone1', 'topic_twist', '/drone1/state/twist'),
    ('aerostack2', 'drone0', 'topic_pose', '/drone0/self_localization/pose'),
])
def test_topics_are_those_of_the_simulator(sim, name, parameter, topic):
    assert drone(name, sim)[parameter] == topic


def test_names_that_are_no_topics_are_filled_in_as_they_are():
    assert drone('Drone-1', 'gazebo')['accepted_frames'] == ['Drone-1/odom']
    assert drone('quad2', 'pegasus')['body_frames'] == ['quad_base_link', 'quad2_base_link']


def test_what_is_given_goes_before_the_preset_and_that_before_the_default():
    assert settings(sim='px4').node['stamp'] == 'synced'
    assert settings(sim='px4', stamp='header').node['stamp'] == 'header'
    assert settings().node['stamp'] == 'header'
    assert settings(sim='px4', rate=50).node['rate'] == 50
    made = drone('px4_1', 'px4', **{'drones.px4_1.topic_px4': 'mine', 'drones.px4_1.source': 'odom'})
    assert (made['topic_px4'], made['source'], made['topic_odom']) == ('mine', 'odom', 'px4_1/odom')
    assert drone('a', 'airsim', **{'drones.a.accepted_frames': []})['accepted_frames'] == []


def test_a_copy_by_its_path_is_a_preset_too(tmp_path):
    path = tmp_path / 'mine.yaml'
    path.write_text('node: {rate: 100}\ndrone: {topic_odom: "/sim/{stem}/n{number}"}\n'
                    'unnumbered: {stamp: receive}\n')
    made = settings(sim=str(path), drones=['d1', 'd'])
    assert made.node['rate'] == 100.0
    assert made.drones['d1']['topic_odom'] == '/sim/d/n1'
    assert (made.drones['d1']['stamp'], made.drones['d']['stamp']) == ('', 'receive')


@pytest.mark.parametrize(('text', 'said'), [
    ('drones: {}', 'drones is unknown; did you mean drone?'),
    ('drone: {topic_odm: a}', 'drone: topic_odm is unknown; did you mean topic_odom?'),
    ('node: {sim: px4}', 'node: sim is unknown'),
    ('node: {rate: fast}', "parameter node.rate: must be a number, got 'fast'"),
    ('drone: {topic_odom: "{name}/odom"}', "drone.topic_odom: {name} in '{name}/odom' is not known; known here: {dro"),
    ('drone: {source: px5}', "parameter drone.source: must be one of 'odom'"),
    ('[1]', 'must be a mapping of names to values, got [1]'),
    ('a: [', 'is no YAML'),
])
def test_a_wrong_preset_is_named_with_its_key(tmp_path, text, said):
    path = tmp_path / 'mine.yaml'
    path.write_text(text)
    with pytest.raises(SettingsError) as caught:
        settings(sim=str(path), drones=['a'])
    assert said in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_simulator_that_nobody_knows_is_answered_with_those_that_are():
    with pytest.raises(SettingsError, match=r'parameter sim: .*gazeebo.*crazyswarm2.yaml, gazebo.yaml, hakoniwa.yaml'):
        read_preset('gazeebo')
