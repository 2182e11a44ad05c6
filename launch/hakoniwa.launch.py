"""Collisions beside Hakoniwa, through hakoniwa-pdu-ros:

    ros2 launch hakoniwa_rigid hakoniwa.launch.py drones:=Drone-1,Drone-2

Every new contact goes back to the plant as an ImpulseCollision (docs/outputs.md); with ``feedback:=false`` corrected
states are told only. Arguments of collision.launch.py can be given, too.
"""
import yaml
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration

from hakoniwa_rigid.paths import share_dir

ARGUMENTS = {
    'drones': ('Drone', 'Robots of Hakoniwa, with commas between.'),
    'feedback': ('true', 'Send impacts to the plant, which then owns the motion: true or false.'),
}


def start(context):
    """collision_node with Hakoniwa's preset."""
    found = {}
    if IfCondition(LaunchConfiguration('feedback')).evaluate(context):
        for name in LaunchConfiguration('drones').perform(context).split(','):
            found[f'drones.{name.strip()}.authority'] = 'observe'
            found[f'drones.{name.strip()}.impulse'] = True
    # what the user gives goes before it
    found |= yaml.safe_load(LaunchConfiguration('parameters', default='').perform(context)) or {}
    return [IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(share_dir() / 'launch' / 'collision.launch.py')),
        launch_arguments=[('sim', 'hakoniwa'), ('parameters', yaml.safe_dump(found))])]


def generate_launch_description():
    arguments = [
        DeclareLaunchArgument(name, default_value=default, description=text)
        for name, (default, text) in ARGUMENTS.items()
    ]
    return LaunchDescription([*arguments, OpaqueFunction(function=start)])
