"""Collisions beside Crazyswarm2's simulator:

    ros2 launch hakoniwa_rigid crazyswarm2.launch.py drones:=cf1,cf2

It tells of its Crazyflies by /tf, in its own time, which it publishes. Arguments of collision.launch.py can be given,
too.
"""
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

from hakoniwa_rigid.paths import share_dir

ARGUMENTS = {
    'drones': ('cf231', 'Crazyflies, as in crazyflies.yaml, with commas between.'),
    'use_sim_time': ('true', 'Take the time from /clock, as the simulator tells it: true or false.'),
}


def generate_launch_description():
    arguments = [
        DeclareLaunchArgument(name, default_value=default, description=text)
        for name, (default, text) in ARGUMENTS.items()
    ]
    collision = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(share_dir() / 'launch' / 'collision.launch.py')),
        launch_arguments=[('sim', 'crazyswarm2')])
    return LaunchDescription([*arguments, collision])
