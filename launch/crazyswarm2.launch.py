# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Collisions beside Crazyswarm2's simulator:

    ros2 launch hakoniwa_rigid crazyswarm2.launch.py drones:=cf1,cf2

It tells of its Crazyflies by /tf, in its own time, which it publishes. The arguments of collision.launch.py
but `sim` are its own, too.
"""
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

from hakoniwa_rigid.paths import share_dir
from hakoniwa_rigid.ros.launch.launch_arguments import without
from hakoniwa_rigid.ros.launch.launch_files import declared

# Crazyflies as in crazyflies.yaml; the simulator tells the time
ARGUMENTS = without('sim', drones='cf231', use_sim_time='true')


def generate_launch_description():
    collision = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(share_dir() / 'launch' / 'collision.launch.py')),
        launch_arguments=[('sim', 'crazyswarm2')])
    return LaunchDescription([*declared(__file__, ARGUMENTS), collision])
