"""Start collision_node: ``ros2 launch hakoniwa_rigid collision.launch.py world:=my_room.yaml``.

``viewer:=true`` starts the browser page, too.

An argument left empty leaves the parameters file in charge, so a file and single arguments can be combined.
"""
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from hakoniwa_rigid.paths import config_file

ARGUMENTS = {
    'namespace': ('', 'Namespace of the node and of all its topics.'),
    'params_file': (str(config_file('collision_node.yaml')), 'Parameters (YAML).'),
    'world': ('', 'World: a YAML file, or the name of one in config/worlds; empty: as in params_file.'),
    'rate': ('', 'Output rate in Hz; empty: as in params_file.'),
    'record': ('', 'Bag to record what is heard into, for hakoniwa-rigid replay; empty: as in params_file.'),
    'use_sim_time': ('false', 'Take the time from /clock: true or false.'),
    'autostart': ('', 'Configure and activate at start, true or false; empty: as in params_file.'),
    'viewer': ('false', 'Start the browser page, too: true or false.'),
    'viewer_params_file': (str(config_file('viewer.yaml')), 'Parameters of the viewer (YAML).'),
    'log_level': ('info', 'debug, info, warn, error or fatal.'),
}
# without their type, launch would turn a world called 1 into a number, and rate:=200 into an integer
TYPES = {'world': str, 'rate': float, 'record': str, 'autostart': bool}


def start_nodes(context):
    """The node, and the viewer if it is wanted, with the arguments that were given on top of the parameters file."""
    given = {
        name: ParameterValue(LaunchConfiguration(name), value_type=kind)
        for name, kind in TYPES.items()
        if LaunchConfiguration(name).perform(context)
    }
    use_sim_time = ParameterValue(LaunchConfiguration('use_sim_time'), value_type=bool)
    params, world = LaunchConfiguration('params_file'), {'world': given['world']} if 'world' in given else {}
    common = {
        'package': 'hakoniwa_rigid',
        'namespace': LaunchConfiguration('namespace'),
        'ros_arguments': ['--log-level', LaunchConfiguration('log_level')],
        'output': 'screen',
    }
    return [
        Node(
            executable='collision_node',
            name='collision_node',
            parameters=[params, {'use_sim_time': use_sim_time, **given}],
            **common,
        ),
        Node(
            executable='viewer_node',
            name='viewer',
            parameters=[params, LaunchConfiguration('viewer_params_file'), {'use_sim_time': use_sim_time, **world}],
            condition=IfCondition(LaunchConfiguration('viewer')),
            **common,
        ),
    ]


def generate_launch_description():
    arguments = [
        DeclareLaunchArgument(name, default_value=default, description=text)
        for name, (default, text) in ARGUMENTS.items()
    ]
    return LaunchDescription([*arguments, OpaqueFunction(function=start_nodes)])
