"""A bag over DDS: ``ros2 launch hakoniwa_rigid replay.launch.py bag:=flight world:=my_room.yaml``.

`ros2 bag play` publishes the bag and /clock, collision_node hears both.  For equal bits and for speed use
``hakoniwa-rigid replay``: over DDS every run is another one.
"""
from pathlib import Path

from launch import LaunchDescription
from launch.actions import (
    DeclareLaunchArgument,
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

# s that the player waits, so that the node has compiled and found the topics
DELAY = '5.0'
ARGUMENTS = {
    'bag': ('', 'The bag: a folder or a file.'),
    'play_rate': ('1.0', 'How much faster than real time the bag is played.'),
    'delay': (DELAY, 'How long the player waits for the node, s.'),
    'topics': ('', 'Topics to play, separated by blanks; empty: all.'),
    'namespace': ('', 'Namespace of the node and of all its topics.'),
    'sim': ('', 'Simulator whose topics the bag has, a name in config/sims or a file; empty: as in params_file.'),
    'drones': ('', 'Drones to serve, with commas between; empty: as in params_file, or all of the world.'),
    'params_file': ('', 'Parameters (YAML); empty: none.'),
    'world': ('', 'World: a YAML file, or the name of one in config/worlds; empty: as in params_file.'),
    'rate': ('', 'Output rate in Hz; empty: as in params_file.'),
    'log_level': ('info', 'debug, info, warn, error or fatal.'),
}
OF_THE_NODE = ('namespace', 'sim', 'drones', 'params_file', 'world', 'rate', 'log_level')


def start(context):
    """The player and the node; the end of the bag ends both."""
    bag = LaunchConfiguration('bag').perform(context)
    if not Path(bag).exists() or not bag:
        raise RuntimeError(f'bag: no such file or folder: {bag!r}; give bag:=PATH')
    topics = LaunchConfiguration('topics').perform(context).split()
    words = ['ros2', 'bag', 'play', bag, '--clock', '200', '--rate', LaunchConfiguration('play_rate'),
             '--delay', LaunchConfiguration('delay'), *(['--topics', *topics] if topics else [])]
    player = ExecuteProcess(cmd=words, output='screen', name='player')
    node = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(share_dir() / 'launch' / 'collision.launch.py')),
        launch_arguments=[*((name, LaunchConfiguration(name)) for name in OF_THE_NODE), ('use_sim_time', 'true')])
    end = RegisterEventHandler(OnProcessExit(target_action=player, on_exit=[EmitEvent(event=Shutdown())]))
    return [node, player, end]


def generate_launch_description():
    arguments = [
        DeclareLaunchArgument(name, default_value=default, description=text)
        for name, (default, text) in ARGUMENTS.items()
    ]
    return LaunchDescription([*arguments, OpaqueFunction(function=start)])
