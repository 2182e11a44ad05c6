# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The launch files, run for real: every node starts, talks inside its namespace, and leaves cleanly on Ctrl-C."""
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

LAUNCH = Path(__file__).resolve().parents[2] / 'launch'
NO_LAUNCH = 'launch_ros is not on PyPI: this runs where ROS is sourced, or launch and launch_ros are on PYTHONPATH'
pytest.importorskip('launch_ros', reason=NO_LAUNCH)

import foreign_packages  # noqa: E402
from launch import LaunchContext  # noqa: E402
from launch.launch_description_sources import PythonLaunchDescriptionSource  # noqa: E402

from hakoniwa_rigid import cli  # noqa: E402

COLLISION = {'namespace', 'params_file', 'world', 'rate', 'record', 'use_sim_time', 'autostart', 'log_level',
             'viewer', 'viewer_params_file', 'sim', 'drones', 'hands', 'parameters', 'respawn'}
DEMO = COLLISION - {'autostart', 'record', 'viewer_params_file', 'sim', 'drones', 'hands', 'parameters'}
DEMO |= {'duration', 'courses', 'sim_rate', 'hand', 'hand_file', 'adapter'}
REPLAY = COLLISION - {'use_sim_time', 'autostart', 'record', 'viewer', 'viewer_params_file'}
REPLAY |= {'bag', 'play_rate', 'delay', 'topics'}
AR_HAND = COLLISION - {'autostart', 'record', 'viewer_params_file', 'sim', 'drones', 'hands', 'parameters'} | {
    'hover', 'source', 'file', 'hand', 'period', 'camera', 'model', 'width', 'height', 'fov', 'mirrored', 'camera_pose',
    'frame_id', 'palm_length'}
DEMO_NODES = ('collision_node', 'drone_sim', 'hand_bridge', 'correction_adapter')
# s; kernels that are not cached yet take up to half a minute to compile on a slow machine
START = 300.0
STOP = 120.0
# what `ros2 launch` does, without needing ros2cli
RUN = """
import sys
from launch import LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
file, *arguments = sys.argv[1:]
service = LaunchService(argv=arguments)
service.include_launch_description(IncludeLaunchDescription(
    PythonLaunchDescriptionSource(file), launch_arguments=[a.split(':=', 1) for a in arguments]))
sys.exit(service.run())
"""


class Launched:
    """A launch file in a process group of its own; its output goes to a file."""

    def __init__(self, folder, name, *arguments):
        self.output = folder / 'output.txt'
        prefixes = [sys.prefix, *filter(None, [os.environ.get('AMENT_PREFIX_PATH')])]
        env = {
            **os.environ,
            'AMENT_PREFIX_PATH': os.pathsep.join(prefixes),
            'ROS_LOG_DIR': str(folder),
            'PYTHONUNBUFFERED': '1',
        }
        with self.output.open('w') as file:
            self.process = subprocess.Popen(
                [sys.executable, '-c', RUN, str(LAUNCH / name), *arguments],
                env=env, stdout=file, stderr=subprocess.STDOUT, start_new_session=True,
            )

    def text(self):
        return self.output.read_text()

    def interrupt(self):
        """Ctrl-C in a terminal: the whole group gets it, and launch hands it on once more."""
        os.killpg(self.process.pid, signal.SIGINT)

    def wait(self, timeout):
        return self.process.wait(timeout)

    def end(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


@pytest.fixture
def launched(tmp_path):
    running = []

    def start(name, *arguments):
        running.append(Launched(tmp_path, name, *arguments))
        return running[-1]

    yield start
    for one in running:
        one.end()


@pytest.fixture
def receive():
    """receive(topic, type, run) -> the first message on the topic; fails when launch ends or START passes first.

    receive.say(topic, message) publishes.
    """
    import rclpy
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.node import Node
    from rclpy.qos import qos_profile_sensor_data

    context = rclpy.Context()
    rclpy.init(context=context)
    node = Node('listener', context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)

    def first(topic, kind, run):
        got = []
        subscription = node.create_subscription(kind, topic, got.append, qos_profile_sensor_data)
        deadline = time.monotonic() + START
        while not got:
            assert run.process.poll() is None, f'launch ended:\n{run.text()}'
            assert time.monotonic() < deadline, f'nothing on {topic} within {START} s:\n{run.text()}'
            executor.spin_once(timeout_sec=0.2)
        node.destroy_subscription(subscription)
        return got[0]

    def say(topic, msg):
        if topic not in writers:
            writers[topic] = node.create_publisher(type(msg), topic, 10)
        writers[topic].publish(msg)

    writers, first.say = {}, say
    yield first
    executor.shutdown()
    node.destroy_node()
    rclpy.try_shutdown(context=context)


@pytest.mark.parametrize(('name', 'expected'), [
    ('collision.launch.py', COLLISION), ('demo.launch.py', DEMO), ('replay.launch.py', REPLAY),
    ('ar_hand.launch.py', AR_HAND), ('px4_gazebo.launch.py', {'drones', 'origins', 'gz_world', 'gz_model'}),
    ('hakoniwa.launch.py', {'drones', 'feedback'}), ('crazyswarm2.launch.py', {'drones', 'use_sim_time'})])
def test_arguments_are_declared_and_described(name, expected):
    description = PythonLaunchDescriptionSource(str(LAUNCH / name)).get_launch_description(LaunchContext())
    declared = {a.name: a for a in description.get_launch_arguments()}
    assert expected <= set(declared)
    assert all(declared[key].default_value is not None and declared[key].description for key in expected)


@pytest.mark.ros
@pytest.mark.slow
def test_demo_runs_in_a_namespace_and_leaves_on_ctrl_c(launched, receive):
    from hakoniwa_rigid.msg import ContactEventArray, FleetState, HandJoints
    from nav_msgs.msg import Odometry

    run = launched('demo.launch.py', 'namespace:=lab')
    assert receive('/lab/d0/odom', Odometry, run).child_frame_id == 'd0/base_link'
    assert len(receive('/lab/hands/right', HandJoints, run).poses) == 25
    assert sorted(receive('/lab/fleet/states_corrected', FleetState, run).names) == [f'd{i}' for i in range(6)]
    assert receive('/lab/contact_events', ContactEventArray, run).events
    run.interrupt()
    assert run.wait(STOP) == 0, run.text()
    for node in DEMO_NODES:
        assert f'[{node}-' in run.text()
    assert run.text().count('process has finished cleanly') == len(DEMO_NODES), run.text()


@pytest.mark.ros
@pytest.mark.slow
def test_demo_ends_after_its_duration(launched):
    run = launched('demo.launch.py', 'duration:=3', 'hand:=false', 'adapter:=false')
    assert run.wait(START) == 0, run.text()
    assert '3 s are over' in run.text()
    assert 'hand_bridge' not in run.text()
    assert 'correction_adapter' not in run.text()


@pytest.mark.ros
@pytest.mark.slow
def test_a_hand_pushes_a_hovering_drone_and_arguments_reach_the_bridge(launched, receive):
    from hakoniwa_rigid.msg import ContactEvent, ContactEventArray, HandJoints
    from nav_msgs.msg import Odometry

    run = launched('ar_hand.launch.py', 'source:=recording', 'file:=push_right.jsonl.gz', 'period:=4', 'width:=320',
                   'height:=240', 'camera_pose:=[0.05, 0, 1.2, -0.5, 0.5, -0.5, 0.5]')
    hand = receive('/hands/right', HandJoints, run)
    assert len(hand.poses) == 21
    assert receive('/d0/odom', Odometry, run).pose.pose.position.x == 1.0
    event = receive('/contact_events', ContactEventArray, run).events[0]
    assert (event.kind, event.body_a, event.body_b) == (ContactEvent.DRONE_HAND, 'd0', 'right')
    run.interrupt()
    assert run.wait(STOP) == 0, run.text()
    assert run.text().count('process has finished cleanly') == 3, run.text()


@pytest.mark.ros
@pytest.mark.slow
def test_arguments_reach_the_node(launched, receive, tmp_path):
    """A world and a rate given as arguments win over the parameters file; the world is called by a number."""
    from hakoniwa_rigid.msg import FleetState

    (tmp_path / '1').write_text('drones:\n  - {name: solo, model: api-1, position: [0, 0, 1]}\n')
    run = launched('collision.launch.py', f'world:={tmp_path / "1"}', 'rate:=50')
    assert list(receive('/fleet/states_corrected', FleetState, run).names) == ['solo']
    run.interrupt()
    assert run.wait(STOP) == 0, run.text()


@pytest.mark.ros
@pytest.mark.slow
def test_a_simulator_and_its_drones_reach_the_node(launched, receive):
    """A name with a hyphen; a parameter of one drone; what the preset says of the rest."""
    from hakoniwa_rigid.msg import FleetState

    run = launched('collision.launch.py', 'sim:=gazebo', 'drones:=x500_0, Drone-1',
                   'parameters:={drones.Drone-1.topic_odom: elsewhere}')
    assert list(receive('/fleet/states_corrected', FleetState, run).names) == ['x500_0', 'Drone-1']
    run.interrupt()
    assert run.wait(STOP) == 0, run.text()


@pytest.mark.ros
@pytest.mark.slow
def test_px4_vehicles_are_placed_by_the_origins_of_the_launch_line(launched, receive, monkeypatch):
    from nav_msgs.msg import Odometry

    folder = str(foreign_packages.provide())
    monkeypatch.setenv('PYTHONPATH', os.pathsep.join([folder, os.environ.get('PYTHONPATH', '')]))
    from px4_msgs.msg import VehicleOdometry

    run = launched('px4_gazebo.launch.py', 'drones:=px4_1,px4_2', 'origins:=0,0,0; 4,2,0', 'rate:=50')
    said = VehicleOdometry(pose_frame=1, position=[1.0, 2.0, -3.0], q=[1.0, 0.0, 0.0, 0.0], timestamp=1_000_000)
    receive('/px4_2/odom_corrected', Odometry, run)
    for _ in range(100):
        said.timestamp += 20_000
        receive.say('/px4_2/fmu/out/vehicle_odometry', said)
        at = receive('/px4_2/odom_corrected', Odometry, run).pose.pose.position
        if at.z == 3.0:
            break
    assert (at.x, at.y, at.z) == (2.0 + 4.0, 1.0 + 2.0, 3.0)
    run.interrupt()
    assert run.wait(STOP) == 0, run.text()


@pytest.mark.ros
@pytest.mark.slow
def test_a_node_that_is_killed_is_started_anew_from_its_state(launched, receive, tmp_path, monkeypatch):
    """`ball` falls and bounces by itself: it goes on in the air, not at its start."""
    from hakoniwa_rigid.msg import FleetState

    monkeypatch.setenv('ROS_HOME', str(tmp_path))
    monkeypatch.setenv('NUMBA_NUM_THREADS', '1')
    (tmp_path / 'pit.yaml').write_text(
        'walls: [{name: floor, type: plane, offset: -1.0e+5}]\n'
        'drones: [{name: ball, model: api-1, position: [0, 0, 9], authority: simulate}]\n')
    run = launched('collision.launch.py', f'world:={tmp_path / "pit.yaml"}', 'respawn:=true', 'rate:=50',
                   'parameters:={state_period: 0.1, drones.ball.source: fleet}')
    start = FleetState(names=['ball'], positions=[0.0, 0.0, 9.0], orientations=[0.0, 0.0, 0.0, 1.0],
                       linear_velocities=[0.0] * 3, angular_velocities=[0.0] * 3)
    height = 9.0
    while height > 0.0:     # it falls once it has been placed
        receive.say('/fleet/states', start)
        height = receive('/fleet/states_corrected', FleetState, run).positions[2]
        if height < 8.9:
            start = FleetState()    # what says nothing
    pid = int(re.findall(r'process started with pid \[(\d+)\]', run.text())[0])
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + START
    while 'going on from the state' not in run.text():
        assert run.process.poll() is None, run.text()
        assert time.monotonic() < deadline, run.text()
        time.sleep(0.1)
    assert receive('/fleet/states_corrected', FleetState, run).positions[2] < 0.0
    run.interrupt()
    assert run.wait(STOP) == 0, run.text()
    assert not list((tmp_path / 'hakoniwa_rigid').glob('*.state'))


@pytest.mark.ros
def test_respawn_does_not_start_what_cannot_start(launched, tmp_path, monkeypatch):
    monkeypatch.setenv('ROS_HOME', str(tmp_path))
    run = launched('collision.launch.py', 'respawn:=true', 'parameters:={rate: 333.333}')
    assert run.wait(START) == 1, run.text()
    assert run.text().count('process started with pid') == 1


@pytest.mark.ros
def test_a_wrong_world_says_so(launched):
    run = launched('collision.launch.py', 'world:=nowhere')
    assert run.wait(START) is not None
    assert 'world: ' in run.text()
    assert 'nowhere' in run.text()


@pytest.fixture
def flight(tmp_path, monkeypatch):
    """A bag of poses alone, a world for it, and `ros2 bag play` by a stand-in on PATH."""
    table = tmp_path / 'd0.csv'
    table.write_text('t,x,y,z,qx,qy,qz,qw\n' + ''.join(f'{100 + k / 100},{k / 100},0,1,0,0,0,1\n' for k in range(400)))
    assert cli.main(['import', str(table), '-o', str(tmp_path / 'bag')]) == 0
    world = tmp_path / 'lane.yaml'
    world.write_text('walls: [{name: end, type: plane, normal: [-1, 0, 0], offset: -2.0}]\n'
                     'drones: [{name: d0, model: unity}]\n')
    player = tmp_path / 'bin' / 'ros2'
    player.parent.mkdir()
    player.write_text(f'#!/bin/sh\nexec {sys.executable} {LAUNCH.parent / "test" / "bag_player.py"} "$@"\n')
    player.chmod(0o755)
    monkeypatch.setenv('PATH', os.pathsep.join([str(player.parent), os.environ['PATH']]))
    return tmp_path / 'bag', world


@pytest.mark.ros
@pytest.mark.slow
def test_a_bag_is_played_into_the_node_and_its_end_ends_both(launched, receive, flight):
    from hakoniwa_rigid.msg import ContactEventArray

    bag, world = flight
    run = launched('replay.launch.py', f'bag:={bag}', f'world:={world}', 'delay:=8.0', 'play_rate:=2.0',
                   'parameters:={drones.d0.source: pose}')
    event = receive('/contact_events', ContactEventArray, run).events[0]
    assert (event.body_a, event.body_b) == ('d0', 'end')
    assert abs(event.header.stamp.sec + event.header.stamp.nanosec * 1e-9 - 101.9) < 0.05
    assert run.wait(START) == 0, run.text()
    assert run.text().count('process has finished cleanly') == 2, run.text()


@pytest.mark.ros
def test_a_bag_that_is_not_there_says_so(launched):
    run = launched('replay.launch.py', 'bag:=nowhere')
    assert run.wait(START) is not None
    assert "bag: no such file or folder; give bag:=PATH, got 'nowhere'" in run.text()
