# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Which topics are a drone's by the presets, what it is called, which model it has."""
import pytest

from hakoniwa_rigid.scene.errors import SettingsError
from hakoniwa_rigid.scene.parameters.discovered import DroneTopicRules, Models, drone_values, named
from hakoniwa_rigid.scene.parameters.presets import read_preset

ODOMETRY, POSE = 'nav_msgs/msg/Odometry', 'geometry_msgs/msg/PoseStamped'


def resolve(topic: str) -> str:
    """As in the namespace /lab."""
    return topic if topic.startswith('/') else f'/lab/{topic}'


def rules(sim: str = '', pattern: str = '', **given) -> DroneTopicRules:
    return DroneTopicRules(read_preset(sim), given, {'sim': sim, 'drone_pattern': pattern}, resolve)


@pytest.mark.parametrize('sim, topic, name', [
    ('', '/lab/cf1/odom', 'cf1'),
    ('', '/cf1/odom', ''),                  # of another namespace
    ('', '/lab/cf1/odom_corrected', ''),    # what the node publishes makes no drone
    ('', '/lab/a/b/odom', ''),
    ('gazebo', '/model/x500_0/odometry', 'x500_0'),
    ('hakoniwa', '/pdu/Drone_1/pos', 'Drone_1'),
    ('hakoniwa', '/pdu/Drone_1/velocity', ''),
    ('px4', '/px4_3/fmu/out/vehicle_odometry', 'px4_3'),
    ('px4', '/fmu/out/vehicle_odometry', 'px4_0'),
    ('px4', '/px4_0/fmu/out/vehicle_odometry', ''),     # instance 0 has no namespace
    ('px4', '/px4_03/fmu/out/vehicle_odometry', ''),
    ('ardupilot', '/ap/v1/pose/filtered', 'ardupilot_0'),
    ('crazyswarm2', '/cf231/pose', 'cf231'),
    ('airsim', '/airsim_node/D1/odom_local_enu', 'D1'),
    ('pegasus', '/drone1/state/pose', 'drone1'),
    ('aerostack2', '/d0/self_localization/pose', 'd0'),
])
def test_the_name_in_a_topic(sim, topic, name):
    made = rules(sim)
    assert made.drone_of(topic) == name
    if name:
        # the parameters of a drone of that name have this topic again
        assert topic in made.topics_of(made.values_of(name))


def test_types_patterns_and_frames():
    assert rules().type_of('/lab/cf1/odom') == ODOMETRY and rules('crazyswarm2').type_of('/cf1/pose') == POSE
    assert rules().type_of('/lab/cf1/scan') == ''
    assert rules(pattern='cf[0-9]+').drone_of('/lab/cf12/odom') == 'cf12'
    assert rules(pattern='cf[0-9]+').drone_of('/lab/cf12b/odom') == ''
    assert rules('crazyswarm2').drone_in('cf1') == 'cf1'
    assert rules('crazyswarm2').drone_in('cf1/camera') == '' and rules().drone_in('cf1') == ''


def test_parameters_of_a_drone_that_is_still_to_come():
    """A topic of its own means that the usual one is another's."""
    given = {'drones.cf1.topic_odom': '/mocap/cf1', 'drones.cf2.authority': 'observe', 'rate': 100.0}
    assert rules(**given).drone_of('/lab/cf1/odom') == '' and rules(**given).drone_of('/lab/cf2/odom') == 'cf2'
    assert drone_values(read_preset(''), given, 'cf2')['authority'] == 'observe'
    with pytest.raises(SettingsError, match='drones.cf2.authority'):
        drone_values(read_preset(''), {'drones.cf2.authority': 'rule'}, 'cf2')


@pytest.mark.parametrize('name', ['', 'a b', '{name}', '{name.__class__}', 'a/b', 'x' * 65, 'ö'])
def test_names_of_which_no_topics_are_made(name):
    with pytest.raises(SettingsError, match='topics of its own need a name'):
        drone_values(read_preset('crazyswarm2'), {}, name)


def test_models_by_name():
    models = Models({'default_drone_model': 'api-1', 'drone_models': ['cf.*=crazyflie', 'c.*=x500', 'a=b=hummingbird']})
    assert [models.of(name) for name in ('cf1', 'c1', 'd1', 'a=b')] == ['crazyflie', 'x500', 'api-1', 'hummingbird']
    assert models.names == ['api-1', 'crazyflie', 'x500', 'hummingbird']
    for wrong in ('cf', 'cf=', '(=x'):
        with pytest.raises(SettingsError, match='drone_models'):
            Models({'default_drone_model': 'api-1', 'drone_models': [wrong]})
    assert named(['a', 'auto', 'b']) == ['a', 'b']
