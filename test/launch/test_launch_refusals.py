# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Launch files that are given something wrong start no node; a node that dies takes the launch with it."""
import os
import runpy
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NO_LAUNCH = 'launch_ros is not on PyPI: this runs where ROS is sourced, or launch and launch_ros are on PYTHONPATH'
pytest.importorskip('launch_ros', reason=NO_LAUNCH)

from test_launch_files import RUN  # noqa: E402

TIMEOUT = 300.0  # s


def launch(folder, file, *arguments):
    """Exit code and output of a launch that ends by itself; nothing of it may be left."""
    prefixes = [sys.prefix, *filter(None, [os.environ.get('AMENT_PREFIX_PATH')])]
    env = {**os.environ, 'AMENT_PREFIX_PATH': os.pathsep.join(prefixes), 'ROS_LOG_DIR': str(folder),
           'PYTHONUNBUFFERED': '1'}
    process = subprocess.Popen([sys.executable, '-c', RUN, str(ROOT / 'launch' / file), *arguments], env=env, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        return process.wait(TIMEOUT), process.stdout.read()
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        else:
            pytest.fail(f'{file} {arguments}: processes were left')


@pytest.mark.parametrize(('file', 'arguments', 'said'), [
    ('demo.launch.py', ['duration:=abc'], "duration: must be a number >= 0 s, got 'abc'"),
    ('demo.launch.py', ['duration:=-1'], 'duration: must be'),
    ('demo.launch.py', ['hand_file:=nowhere.npz'], 'hand_file: '),
    ('demo.launch.py', ['viewer:=maybe'], "viewer: must be true or false, got 'maybe'"),
    ('collision.launch.py', ['viewer:=maybe'], "viewer: must be true or false, got 'maybe'"),
    ('collision.launch.py', ['params_file:=/nowhere.yaml'], "params_file: no such file, got '/nowhere.yaml'"),
    ('collision.launch.py', ['world:=nowhere'], 'world: '),
    ('collision.launch.py', ['wrold:=gym'], 'wrold: no such argument; did you mean world?'),
    ('px4_gazebo.launch.py', ['origins:=1,2'], 'origins: must be x,y,z'),
    ('px4_gazebo.launch.py', ['origins:=1,2,3', 'drones:=a,b'], 'origins: must be x,y,z of each of 2 drones'),
    ('px4_gazebo.launch.py', ['sim:=gazebo'], 'sim: no such argument'),
    ('hakoniwa.launch.py', ['feedback:=x'], "feedback: must be true or false, got 'x'"),
    ('crazyswarm2.launch.py', ['drnes:=x'], 'drnes: no such argument; did you mean drones?'),
    ('ar_hand.launch.py', ['source:=eye'], 'source: must be one of'),
    ('replay.launch.py', [], 'bag: no such file or folder; give bag:=PATH'),
])
def test_nothing_starts_with_a_wrong_argument(tmp_path, file, arguments, said):
    code, text = launch(tmp_path, file, *arguments)
    assert code == 1
    assert said in text
    assert 'process started' not in text


@pytest.mark.parametrize('file', ['px4_gazebo.launch.py', 'hakoniwa.launch.py', 'crazyswarm2.launch.py'])
def test_simulators_declare_the_common_arguments(file):
    from launch import LaunchContext
    from launch.launch_description_sources import PythonLaunchDescriptionSource

    from hakoniwa_rigid.ros.launch.launch_arguments import COMMON

    made = PythonLaunchDescriptionSource(str(ROOT / 'launch' / file)).get_launch_description(LaunchContext())
    assert {argument.name for argument in made.get_launch_arguments()} >= set(COMMON) - {'sim'}


def test_bounds_of_the_hand_are_those_of_its_bridge():
    from hakoniwa_rigid.ros.hands.hand_params import HAND_BRIDGE

    arguments = {name: argument for name, (_, argument) in
                 runpy.run_path(str(ROOT / 'launch' / 'ar_hand.launch.py'))['HAND'].items()}
    specs = {spec.name: spec for spec in HAND_BRIDGE}
    assert set(arguments) <= set(specs)
    for name, argument in arguments.items():
        spec = specs[name]
        assert [word for word in spec.choices if argument.fault(word)] == []
        if spec.low is not None:
            assert argument.fault(str(spec.low)) == argument.fault(str(spec.high)) == '', name
            assert argument.fault(str(spec.low - 1)), name
            assert argument.fault(str(spec.high + 1)), name


@pytest.mark.ros
@pytest.mark.parametrize(('file', 'arguments'), [('collision.launch.py', []), ('demo.launch.py', ['hand:=false'])])
def test_a_collision_node_that_dies_ends_everything(tmp_path, file, arguments):
    code, text = launch(tmp_path, file, 'rate:=60', *arguments)  # no whole number of steps: only the node sees that
    assert code == 1, text
    assert 'collision_node-1 ended with exit code 1: everything ends with it' in text
    assert ('neither world nor drones given' in text) == (file == 'collision.launch.py')


def test_without_a_player_no_node_starts(tmp_path, monkeypatch):
    monkeypatch.setenv('PATH', str(tmp_path))
    code, text = launch(tmp_path, 'replay.launch.py', f'bag:={ROOT}')
    assert code == 1
    assert 'bag: is played by `ros2 bag play`, and there is no ros2 on PATH' in text
    assert 'process started' not in text


@pytest.mark.ros
def test_a_player_that_fails_ends_everything(tmp_path, monkeypatch):
    """`ros2` without rosbag2."""
    player = tmp_path / 'ros2'
    player.write_text('#!/bin/sh\necho no such command bag >&2\nexit 2\n')
    player.chmod(0o755)
    monkeypatch.setenv('PATH', str(tmp_path), prepend=os.pathsep)
    code, text = launch(tmp_path, 'replay.launch.py', f'bag:={ROOT}')
    assert code == 1, text
    assert 'player-2 ended with exit code 2: everything ends with it' in text


@pytest.mark.ros
def test_a_launch_file_of_somebody_else_may_have_other_arguments(tmp_path):
    """And an include hands its own ones on."""
    path = tmp_path / 'mine.launch.py'
    path.write_text(f"""
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

def generate_launch_description():
    return LaunchDescription([DeclareLaunchArgument('robot', default_value='x'), IncludeLaunchDescription(
        PythonLaunchDescriptionSource({str(ROOT / 'launch' / 'collision.launch.py')!r}),
        launch_arguments=[('rate', 'x')])])
""")
    code, text = launch(tmp_path, path, 'robot:=y', 'wold:=z')
    assert code == 1
    assert 'no such argument' not in text
    assert 'rate: must be a number' in text
