# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Start collision_node beside a simulator:

    ros2 launch hakoniwa_rigid collision.launch.py sim:=px4 drones:=px4_1,px4_2 world:=my_room.yaml

``viewer:=true`` starts the browser page, too. ``respawn:=true`` starts a node anew that was killed, that hangs or that
crashed, collision_node from its last state.

An argument left empty leaves the parameters file in charge, so a file and single arguments can be combined; what
neither gives is as the preset of ``sim`` has it, or the node's own default.
"""
import os

import yaml
from launch import LaunchDescription
from launch.actions import LogInfo, OpaqueFunction
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from hakoniwa_rigid.ros.launch.launch_arguments import COMMON, is_true, state_path
from hakoniwa_rigid.ros.launch.launch_files import declared, enclave, end_with, texts_of

# without their type, launch would turn a world called 1 into a number, and rate:=200 into an integer
TYPES = {'sim': str, 'world': str, 'rate': float, 'record': str, 'autostart': bool}
# those that decide what the viewer shows
SHARED = ('sim', 'drones', 'hands', 'world')
# s; a node that cannot start ends before that, and the launch with it
RESPAWN_DELAY = 2.0
NOTHING_GIVEN = ('neither world nor drones given: collision_node serves the world demo_room with all its drones; '
                 'yours: world:=FILE drones:=NAME,NAME')


def given_parameters(text):
    """Those of the arguments that are not left empty."""
    given = {name: ParameterValue(LaunchConfiguration(name), value_type=kind)
             for name, kind in TYPES.items() if text[name]}
    for group in ('drones', 'hands'):
        if text[group]:
            given[group] = [name.strip() for name in text[group].split(',')]
    return {**(yaml.safe_load(text['parameters'] or '{}')), **given}


def respawned_parameters(text):
    """Of a collision node that is started anew: its state is kept, and a tick that hangs ends it."""
    path = state_path(text['namespace'], os.environ)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return {'state_file': str(path), 'watchdog_ends': True}


def start_nodes(context):
    """The node, and the viewer if it is wanted, with the arguments that were given on top of the parameters file."""
    text = texts_of(context, COMMON)
    given = given_parameters(text)
    use_sim_time = {'use_sim_time': ParameterValue(LaunchConfiguration('use_sim_time'), value_type=bool)}
    files = [text['params_file']] if text['params_file'] else []
    respawn = is_true(text['respawn'])
    anew = {'respawn': respawn, 'respawn_delay': RESPAWN_DELAY}
    # before the files: those of the user come after it
    kept = [respawned_parameters(text)] if respawn else []
    shared = {name: given[name] for name in SHARED if name in given}
    common = {
        'package': 'hakoniwa_rigid',
        'namespace': LaunchConfiguration('namespace'),
        'output': 'screen',
    }
    log_level = ['--log-level', LaunchConfiguration('log_level')]
    collision = Node(
        executable='collision_node',
        name='collision_node',
        parameters=[*kept, *files, {**given, **use_sim_time}],
        ros_arguments=[*log_level, *enclave('collision_node')],
        **anew,
        **common,
    )
    lines = [] if files or {'world', 'drones'} & set(given) else [LogInfo(msg=NOTHING_GIVEN)]
    return [
        *lines,
        end_with(collision, respawn),
        collision,
        Node(
            executable='viewer_node',
            name='viewer',
            parameters=[*files, LaunchConfiguration('viewer_params_file'), {**shared, **use_sim_time}],
            ros_arguments=[*log_level, *enclave('viewer')],
            condition=IfCondition(LaunchConfiguration('viewer')),
            **anew,
            **common,
        ),
    ]


def generate_launch_description():
    return LaunchDescription([*declared(__file__, COMMON), OpaqueFunction(function=start_nodes)])
