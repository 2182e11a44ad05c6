# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The demo's nodes under launch: the drone simulator, a hand, the collision node and the adapter between them.

``ros2 launch hakoniwa_rigid demo.launch.py duration:=30`` ends by itself; duration:=0 runs until Ctrl-C. This shows the
nodes alive (RViz, ``ros2 topic echo /contact_events``); ``hakoniwa-rigid demo`` also records, judges and draws them.
"""
import math

from launch import LaunchDescription
from launch.actions import (
    EmitEvent,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
    TimerAction,
)
from launch.conditions import IfCondition
from launch.events import Shutdown
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, ThisLaunchFileDir
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from hakoniwa_rigid.ros.launch.launch_arguments import Argument, existing, flag, hand, number, without
from hakoniwa_rigid.ros.launch.launch_files import declared, enclave

ARGUMENTS = {
    **without('sim', 'drones', 'hands', world='demo_room'),
    'duration': Argument('0', 'Time after which everything ends, s; 0: until Ctrl-C.', number(0.0, math.inf, 's')),
    'courses': Argument('', 'What the drones fly (YAML); empty: config/demo_courses.yaml.', existing),
    'sim_rate': Argument('100.0', 'Rate of the drone simulator in Hz.', number(10.0, 1000.0, 'Hz')),
    'hand': Argument('true', 'Let a hand strike: true or false.', flag),
    'hand_file': Argument('strike_right.npz', 'Recorded hand: a file, or the name of one in config/hands.', hand),
    'adapter': Argument(
        'true', 'Hand corrections to the simulator: true or false; false: it flies on as if nothing happened.', flag),
}


def node(executable, parameters=(), condition=None):
    """One of this package's nodes in the demo's namespace; parameters: name, type, launch argument."""
    use_sim_time = ParameterValue(LaunchConfiguration('use_sim_time'), value_type=bool)
    values = {
        name: ParameterValue(LaunchConfiguration(argument), value_type=kind) for name, kind, argument in parameters
    }
    return Node(
        package='hakoniwa_rigid',
        executable=executable,
        name=executable,
        namespace=LaunchConfiguration('namespace'),
        parameters=[{'use_sim_time': use_sim_time, **values}],
        ros_arguments=['--log-level', LaunchConfiguration('log_level'), *enclave(executable)],
        output='screen',
        condition=condition,
        respawn=LaunchConfiguration('respawn'),
        respawn_delay=2.0,
    )


def end(context):
    """A timer that shuts everything down, if a duration was given."""
    duration = float(LaunchConfiguration('duration').perform(context))
    if duration == 0.0:
        return []
    over = f'{duration:g} s are over'
    return [TimerAction(period=duration, actions=[LogInfo(msg=over), EmitEvent(event=Shutdown(reason=over))])]


def generate_launch_description():
    collision = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(PathJoinSubstitution([ThisLaunchFileDir(), 'collision.launch.py'])),
    )
    return LaunchDescription([
        *declared(__file__, ARGUMENTS),
        collision,
        node('drone_sim', [('courses', str, 'courses'), ('rate', float, 'sim_rate')]),
        node('hand_bridge', [('file', str, 'hand_file')], IfCondition(LaunchConfiguration('hand'))),
        node('correction_adapter', condition=IfCondition(LaunchConfiguration('adapter'))),
        OpaqueFunction(function=end),
    ])
