# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Collisions beside PX4 and Gazebo:

    ros2 launch hakoniwa_rigid px4_gazebo.launch.py drones:=px4_1,px4_2 origins:='0,0,0; 0,2,0'

The number at the end of a drone's name is its PX4 instance. PX4 counts from where it started: ``origins`` are those
places. With ``gz_world`` impacts go to Gazebo as wrenches on its models (docs/outputs.md); else corrected states are
published only. The arguments of collision.launch.py but `sim` are its own, too.
"""
import re

import yaml
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription, OpaqueFunction
from launch.launch_description_sources import PythonLaunchDescriptionSource

from hakoniwa_rigid.paths import share_dir
from hakoniwa_rigid.ros.launch.launch_arguments import Argument, ArgumentError, places, without
from hakoniwa_rigid.ros.launch.launch_files import declared, texts_of

# drones: the number at the end of each is its PX4 instance
ARGUMENTS = {
    **without('sim', drones='px4_0'),
    'origins': Argument('', 'Where each started in the world, x,y,z in m with semicolons between; empty: all at zero.',
                        places),
    'gz_world': Argument('', 'Name of the Gazebo world whose models get the impacts; empty: none do.'),
    'gz_model': Argument(
        'x500_{number}', 'What Gazebo calls a drone; {number} is that of its PX4 instance, {drone} its name.'),
}


def parameters_of(context):
    """Per drone: where it started, and what Gazebo is given of it; what the user gives goes before it."""
    text = texts_of(context, ARGUMENTS)
    drones = [name.strip() for name in text['drones'].split(',')]
    origins = [[float(x) for x in place.split(',')] for place in text['origins'].split(';') if place.strip()]
    if origins and len(origins) != len(drones):
        raise ArgumentError(f'origins: must be x,y,z of each of {len(drones)} drones, got {text["origins"]!r}')
    found = {f'drones.{name}.origin': [*place, 0.0, 0.0, 0.0, 1.0]
             for name, place in zip(drones, origins, strict=False)}
    for name in drones if text['gz_world'] else ():
        number = re.search('[0-9]*$', name)[0] or '0'
        found[f'drones.{name}.topic_entity_wrench'] = f'/world/{text["gz_world"]}/wrench'
        found[f'drones.{name}.entity'] = text['gz_model'].replace('{number}', number).replace('{drone}', name)
        found[f'drones.{name}.authority'] = 'observe'
    return {**found, **(yaml.safe_load(text['parameters']) or {})}


def start(context):
    """collision_node with PX4's preset."""
    return [IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(share_dir() / 'launch' / 'collision.launch.py')),
        launch_arguments=[('sim', 'px4'), ('parameters', yaml.safe_dump(parameters_of(context)))])]


def generate_launch_description():
    return LaunchDescription([*declared(__file__, ARGUMENTS), OpaqueFunction(function=start)])
