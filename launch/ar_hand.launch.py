"""A tracked hand meets a drone: collision_node, hand_bridge and a drone that hovers.

``ros2 launch hakoniwa_rigid ar_hand.launch.py`` plays a recorded push; ``source:=camera model:=hand_landmarker.task``
takes your own hand, ``source:=keyboard`` or ``mouse`` this terminal. With ``hover:=false`` your simulator flies
the drones of ``world``. See them in the browser (``viewer:=true``) or RViz.
"""
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, ThisLaunchFileDir
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

# handed on to collision.launch.py
SHARED = {
    'namespace': ('', 'Namespace of all nodes and topics.'),
    'params_file': ('', 'Parameters of collision_node (YAML); empty: none.'),
    'world': ('ar_room', 'World: a YAML file, or the name of one in config/worlds.'),
    'rate': ('', 'Output rate of collision_node in Hz; empty: as in params_file.'),
    'use_sim_time': ('false', 'Take the time from /clock: true or false.'),
    'viewer': ('false', 'Start the browser page, too: true or false.'),
    'log_level': ('info', 'debug, info, warn, error or fatal.'),
}
HOVER = {'hover': ('true', 'Let the drones of the world hover: true or false.')}
# of hand_bridge; empty: its own default (ros2 param describe /hand_bridge <name>, docs/hands.md)
HAND = {
    'source': (str, 'mediapipe_file', 'recording, mediapipe_file, camera, keyboard or mouse.'),
    'file': (str, '', 'Recorded hand: a file, or the name of one in config/hands; empty: a push or a strike.'),
    'hand': (str, '', 'Name of the hand; of several, the only one wanted.'),
    'period': (float, '', 'Time from one beginning of a recording to the next, s.'),
    'camera': (str, '', 'Number of a camera, or a stream.'),
    'model': (str, '', "MediaPipe's hand_landmarker.task."),
    'width': (int, '', 'Width of the image, px.'),
    'height': (int, '', 'Height of the image, px.'),
    'fov': (float, '', 'Horizontal field of view, degrees.'),
    'mirrored': (bool, '', 'The images are flipped left to right: true or false.'),
    'camera_pose': (list, '', 'Pose of the optical axes in frame_id: [x, y, z, qx, qy, qz, qw].'),
    'frame_id': (str, '', 'Frame of landmarks, keyboard and mouse.'),
    'palm_length': (float, '', 'From the wrist to the middle knuckle, m.'),
}


def bridge(context):
    """hand_bridge with the arguments that were given."""
    texts = {name: LaunchConfiguration(name).perform(context) for name in HAND}
    given = {name: ParameterValue(LaunchConfiguration(name), value_type=HAND[name][0])
             for name, text in texts.items() if text}
    if texts['camera_pose']:
        given['camera_pose'] = numbers(texts['camera_pose'])
    return [node('hand_bridge', given)]


def numbers(text):
    """The numbers in a list written as text: launch takes [0, 0, 1.2] for two kinds of them, and refuses."""
    return [float(word) for word in text.strip('[] ').replace(',', ' ').split()]


def node(executable, parameters, condition=None):
    """One of this package's nodes in the namespace."""
    use_sim_time = ParameterValue(LaunchConfiguration('use_sim_time'), value_type=bool)
    return Node(
        package='hakoniwa_rigid',
        executable=executable,
        name=executable,
        namespace=LaunchConfiguration('namespace'),
        parameters=[{'use_sim_time': use_sim_time, **parameters}],
        ros_arguments=['--log-level', LaunchConfiguration('log_level')],
        output='screen',
        condition=condition,
    )


def generate_launch_description():
    told = {**SHARED, **HOVER, **{name: (default, text) for name, (_, default, text) in HAND.items()}}
    arguments = [
        DeclareLaunchArgument(name, default_value=default, description=text)
        for name, (default, text) in told.items()
    ]
    collision = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(PathJoinSubstitution([ThisLaunchFileDir(), 'collision.launch.py'])),
        launch_arguments=[(name, LaunchConfiguration(name)) for name in SHARED],
    )
    world = ParameterValue(LaunchConfiguration('world'), value_type=str)
    return LaunchDescription([
        *arguments,
        collision,
        node('hover', {'world': world}, IfCondition(LaunchConfiguration('hover'))),
        OpaqueFunction(function=bridge),
    ])
