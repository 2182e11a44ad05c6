# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A bag over DDS: ``ros2 launch hakoniwa_rigid replay.launch.py bag:=flight world:=my_room.yaml``.

`ros2 bag play` publishes the bag and /clock, collision_node takes both.  For equal bits and for speed use
``hakoniwa-rigid replay``: over DDS every run is another one.
"""
import math
import shutil

from launch import LaunchDescription
from launch.actions import (
    EmitEvent,
    ExecuteProcess,
    IncludeLaunchDescription,
    OpaqueFunction,
    RegisterEventHandler,
)
from launch.event_handlers import OnProcessExit
from launch.events import Shutdown
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration

from hakoniwa_rigid.paths import share_dir
from hakoniwa_rigid.ros.launch.launch_arguments import Argument, ArgumentError, bag_path, number, without
from hakoniwa_rigid.ros.launch.launch_files import declared, end_with

# s that the player waits, so that the node has compiled and found the topics
DELAY = '5.0'
ARGUMENTS = {
    **without('use_sim_time'),
    'bag': Argument('', 'The bag: a folder or a file.', bag_path, needed=True),
    'play_rate': Argument('1.0', 'How much faster than real time the bag is played.', number(1e-3, 1e3)),
    'delay': Argument(DELAY, 'How long the player waits for the node, s.', number(0.0, math.inf, 's')),
    'topics': Argument('', 'Topics to play, separated by blanks; empty: all.'),
}


def start(context):
    """The player and the node; the end of the bag ends both, a player that fails with exit code 1."""
    if shutil.which('ros2') is None:
        # launch would go on without a player, for ever
        raise ArgumentError('bag: is played by `ros2 bag play`, and there is no ros2 on PATH')
    bag = LaunchConfiguration('bag').perform(context)
    topics = LaunchConfiguration('topics').perform(context).split()
    words = ['ros2', 'bag', 'play', bag, '--clock', '200', '--rate', LaunchConfiguration('play_rate'),
             '--delay', LaunchConfiguration('delay'), *(['--topics', *topics] if topics else [])]
    player = ExecuteProcess(cmd=words, output='screen', name='player')
    node = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(share_dir() / 'launch' / 'collision.launch.py')),
        launch_arguments=[('use_sim_time', 'true')])
    end = RegisterEventHandler(OnProcessExit(target_action=player, on_exit=[EmitEvent(event=Shutdown())]))
    return [node, end_with(player), end, player]


def generate_launch_description():
    return LaunchDescription([*declared(__file__, ARGUMENTS), OpaqueFunction(function=start)])
