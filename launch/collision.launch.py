"""Start collision_node beside a simulator:

    ros2 launch hakoniwa_rigid collision.launch.py sim:=px4 drones:=px4_1,px4_2 world:=my_room.yaml

``viewer:=true`` starts the browser page, too.

An argument left empty leaves the parameters file in charge, so a file and single arguments can be combined; what
neither gives is as the preset of ``sim`` has it, or the node's own default.
"""
import yaml
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from hakoniwa_rigid.paths import config_file

ARGUMENTS = {
    'namespace': ('', 'Namespace of the node and of all its topics.'),
    'sim': ('', 'Simulator, a name in config/sims or a file like those; empty: as in params_file.'),
    'drones': ('', 'Drones to serve, with commas between; empty: as in params_file, or all of the world.'),
    'params_file': ('', 'Parameters (YAML), such as a copy of config/collision_node.yaml; empty: none.'),
    'world': ('', 'World: a YAML file, or the name of one in config/worlds; empty: as in params_file.'),
    'rate': ('', 'Output rate in Hz; empty: as in params_file.'),
    'record': ('', 'Bag to record what is heard into, for hakoniwa-rigid replay; empty: as in params_file.'),
    'parameters': ('', 'Further parameters, as a YAML mapping: {default_authority: observe, drones.d0.frame: odom}.'),
    'use_sim_time': ('false', 'Take the time from /clock: true or false.'),
    'autostart': ('', 'Configure and activate at start, true or false; empty: as in params_file.'),
    'viewer': ('false', 'Start the browser page, too: true or false.'),
    'viewer_params_file': (str(config_file('viewer.yaml')), 'Parameters of the viewer (YAML).'),
    'log_level': ('info', 'debug, info, warn, error or fatal.'),
}
# without their type, launch would turn a world called 1 into a number, and rate:=200 into an integer
TYPES = {'sim': str, 'world': str, 'rate': float, 'record': str, 'autostart': bool}
# those that decide what the viewer shows
SHARED = ('sim', 'drones', 'world')


def given_parameters(context):
    """Those of the arguments that are not left empty."""
    text = {name: LaunchConfiguration(name).perform(context) for name in ARGUMENTS}
    given = {name: ParameterValue(LaunchConfiguration(name), value_type=kind)
             for name, kind in TYPES.items() if text[name]}
    if text['drones']:
        given['drones'] = [name.strip() for name in text['drones'].split(',')]
    further = yaml.safe_load(text['parameters']) if text['parameters'] else {}
    if not isinstance(further, dict):
        raise ValueError(f'parameters: must be a YAML mapping of names to values, got {text["parameters"]!r}')
    return {**further, **given}


def start_nodes(context):
    """The node, and the viewer if it is wanted, with the arguments that were given on top of the parameters file."""
    given = given_parameters(context)
    use_sim_time = {'use_sim_time': ParameterValue(LaunchConfiguration('use_sim_time'), value_type=bool)}
    params_file = LaunchConfiguration('params_file')
    files = [params_file] if params_file.perform(context) else []
    shared = {name: given[name] for name in SHARED if name in given}
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
            parameters=[*files, {**given, **use_sim_time}],
            **common,
        ),
        Node(
            executable='viewer_node',
            name='viewer',
            parameters=[*files, LaunchConfiguration('viewer_params_file'), {**shared, **use_sim_time}],
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
