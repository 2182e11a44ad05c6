# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Collisions beside Hakoniwa, through hakoniwa-pdu-ros:

    ros2 launch hakoniwa_rigid hakoniwa.launch.py drones:=Drone-1,Drone-2

Every new contact goes back to the plant as an ImpulseCollision (docs/outputs.md); with ``feedback:=false`` corrected
states are published only. The arguments of collision.launch.py but `sim` are its own, too.
"""
import yaml
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription, OpaqueFunction
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration

from hakoniwa_rigid.paths import share_dir
from hakoniwa_rigid.ros.launch.launch_arguments import Argument, flag, without
from hakoniwa_rigid.ros.launch.launch_files import declared

# drones: the robots of Hakoniwa
ARGUMENTS = {
    **without('sim', drones='Drone'),
    'feedback': Argument('true', 'Send impacts to the plant, which then owns the motion: true or false.', flag),
}


def start(context):
    """collision_node with Hakoniwa's preset."""
    found = {}
    if IfCondition(LaunchConfiguration('feedback')).evaluate(context):
        for name in LaunchConfiguration('drones').perform(context).split(','):
            found[f'drones.{name.strip()}.authority'] = 'observe'
            found[f'drones.{name.strip()}.impulse'] = True
    # what the user gives goes before it
    found |= yaml.safe_load(LaunchConfiguration('parameters').perform(context)) or {}
    return [IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(share_dir() / 'launch' / 'collision.launch.py')),
        launch_arguments=[('sim', 'hakoniwa'), ('parameters', yaml.safe_dump(found))])]


def generate_launch_description():
    return LaunchDescription([*declared(__file__, ARGUMENTS), OpaqueFunction(function=start)])
