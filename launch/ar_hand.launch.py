# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A tracked hand meets a drone: collision_node, hand_bridge and a drone that hovers.

``ros2 launch hakoniwa_rigid ar_hand.launch.py`` plays a recorded push; ``source:=camera model:=hand_landmarker.task``
takes your own hand, ``source:=keyboard`` or ``mouse`` this terminal. With ``hover:=false`` your simulator flies
the drones of ``world``. See them in the browser (``viewer:=true``) or RViz.
"""
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription, OpaqueFunction
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, ThisLaunchFileDir
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from hakoniwa_rigid.ros.launch.launch_arguments import Argument, choice, existing, flag, hand, number, numbers, without
from hakoniwa_rigid.ros.launch.launch_files import declared, enclave

# of hand_bridge; empty: its own default (ros2 param describe /hand_bridge <name>, docs/hand_sources.md)
HAND = {
    'source': (str, Argument('mediapipe_file', 'recording, mediapipe_file, camera, keyboard or mouse.',
                             choice('recording', 'mediapipe_file', 'camera', 'keyboard', 'mouse'))),
    'file': (str, Argument('', 'Recorded hand: a file, or the name of one in config/hands; empty: a push or a strike.',
                           hand)),
    'hand': (str, Argument('', 'Name of the hand; of several, the only one wanted.')),
    'period': (float, Argument('', 'Time from one beginning of a recording to the next, s.', number(0.0, 3600.0, 's'))),
    'camera': (str, Argument('', 'Number of a camera, or a stream.')),
    'model': (str, Argument('', "MediaPipe's hand_landmarker.task.", existing)),
    'width': (int, Argument('', 'Width of the image, px.', number(16, 16384, 'px', int))),
    'height': (int, Argument('', 'Height of the image, px.', number(16, 16384, 'px', int))),
    'fov': (float, Argument('', 'Horizontal field of view, degrees.', number(1.0, 179.0, 'degrees'))),
    'mirrored': (bool, Argument('', 'The images are flipped left to right: true or false.', flag)),
    'camera_pose': (list, Argument('', 'Pose of the optical axes in frame_id: [x, y, z, qx, qy, qz, qw].',
                                   numbers(7))),
    'frame_id': (str, Argument('', 'Frame of landmarks, keyboard and mouse.')),
    'palm_length': (float, Argument('', 'From the wrist to the middle knuckle, m.', number(0.0, 0.3, 'm'))),
}
ARGUMENTS = {
    **without('sim', 'drones', 'hands', world='ar_room'),
    'hover': Argument('true', 'Let the drones of the world hover: true or false.', flag),
    **{name: argument for name, (_, argument) in HAND.items()},
}


def bridge(context):
    """hand_bridge with the arguments that were given."""
    texts = {name: LaunchConfiguration(name).perform(context) for name in HAND}
    given = {name: ParameterValue(LaunchConfiguration(name), value_type=HAND[name][0])
             for name, text in texts.items() if text}
    if texts['camera_pose']:
        given['camera_pose'] = as_numbers(texts['camera_pose'])
    return [node('hand_bridge', given)]


def as_numbers(text):
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
        ros_arguments=['--log-level', LaunchConfiguration('log_level'), *enclave(executable)],
        output='screen',
        condition=condition,
        respawn=LaunchConfiguration('respawn'),
        respawn_delay=2.0,
    )


def generate_launch_description():
    collision = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(PathJoinSubstitution([ThisLaunchFileDir(), 'collision.launch.py'])),
    )
    world = ParameterValue(LaunchConfiguration('world'), value_type=str)
    return LaunchDescription([
        *declared(__file__, ARGUMENTS),
        collision,
        node('hover', {'world': world}, IfCondition(LaunchConfiguration('hover'))),
        OpaqueFunction(function=bridge),
    ])
