# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What simulators publish, message by message, from the oracle of their conventions (test/oracles/conventions.py).

`SPEAKERS[preset](name, state, ns)` gives (topic, message, quality of service) in the order in which that simulator
sends them; `ns` is the time of the state on the simulator's own clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from flock import BEST_EFFORT, PX4, RELIABLE
from geometry_msgs.msg import PoseStamped, TransformStamped, Twist, TwistStamped
from harness import NS, stamped
from nav_msgs.msg import Odometry
from oracles import conventions
from oracles.conventions import Said, State

# PX4's clock starts when it boots: so long (ns) after ROS time 0
BOOT = 7 * NS + 123_000
# a drone of 2 kg with rotors of 1000 rad/s at most; with 10 m/s^2 it hovers at half of that: 4 * 2e-5 * 500^2 = 20 N
QUAD = """
  quad:
    mass: 2.0
    inertia: [0.02, 0.02, 0.04]
    shape: {type: box, size: [0.4, 0.4, 0.1]}
    material: plain
    rotors:
      - {position: [0.2, -0.2, 0], thrust_coefficient: 2.0e-5, torque_coefficient: 1.0e-6, spin: ccw, max_speed: 1000}
      - {position: [-0.2, 0.2, 0], thrust_coefficient: 2.0e-5, torque_coefficient: 1.0e-6, spin: ccw, max_speed: 1000}
      - {position: [0.2, 0.2, 0], thrust_coefficient: 2.0e-5, torque_coefficient: 1.0e-6, spin: cw, max_speed: 1000}
      - {position: [-0.2, -0.2, 0], thrust_coefficient: 2.0e-5, torque_coefficient: 1.0e-6, spin: cw, max_speed: 1000}
"""
HOVER_DUTY = 0.5
# PX4's POSE_FRAME_NED and VELOCITY_FRAME_NED, VELOCITY_FRAME_BODY_FRD
NED, BODY_FRD = 1, 3


def xyz(target, values) -> None:
    """Fill x, y, z."""
    target.x, target.y, target.z = map(float, values)


def fill_pose(pose, said: Said) -> None:
    """Fill a geometry_msgs/Pose."""
    xyz(pose.position, said.position)
    pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w = map(float, said.quaternion)


def fill_twist(twist, said: Said) -> None:
    """Fill a geometry_msgs/Twist."""
    xyz(twist.linear, said.linear)
    xyz(twist.angular, said.angular)


def odometry(said: Said, ns: int, frame: str, child: str) -> Odometry:
    """nav_msgs/Odometry."""
    msg = stamped(Odometry(child_frame_id=child), ns, frame)
    fill_pose(msg.pose.pose, said)
    fill_twist(msg.twist.twist, said)
    return msg


def pose(said: Said, ns: int, frame: str) -> PoseStamped:
    """geometry_msgs/PoseStamped."""
    msg = stamped(PoseStamped(), ns, frame)
    fill_pose(msg.pose, said)
    return msg


def twist(said: Said, ns: int, frame: str) -> TwistStamped:
    """geometry_msgs/TwistStamped."""
    msg = stamped(TwistStamped(), ns, frame)
    fill_twist(msg.twist, said)
    return msg


def gazebo(name: str, state: State, ns: int) -> Iterator:
    """ros_gz_bridge of gz-sim's OdometryPublisher with its default frames; the bridge's writers are reliable."""
    said = conventions.body_twist(state)
    yield f'/model/{name}/odometry', odometry(said, ns, f'{name}/odom', f'{name}/base_footprint'), RELIABLE


def vehicle_odometry(state: State, us: int, **fields):
    """px4_msgs/VehicleOdometry in NED; `fields` replace."""
    from px4_msgs.msg import VehicleOdometry

    frame = fields.pop('velocity_frame', NED)
    said = conventions.px4(state, 'body' if frame == BODY_FRD else 'ned')
    x, y, z, w = said.quaternion
    # captured a little before it was published, by a time that differs
    reported = {'timestamp': us + 1000 + us % 3000, 'timestamp_sample': us, 'pose_frame': NED, 'velocity_frame': frame,
            'position': said.position, 'q': (w, x, y, z), 'velocity': said.linear, 'angular_velocity': said.angular}
    return VehicleOdometry(**{
        key: np.asarray(value, np.float32) if np.ndim(value) else value for key, value in {**reported, **fields}.items()
    })


def px4(name: str, state: State, ns: int, **fields) -> Iterator:
    """uxrce_dds_client: instance k in the namespace px4_k, the only one in none; microseconds since boot."""
    namespace = f'/px4_{name.rpartition("_")[2]}' if '_' in name else ''
    message = vehicle_odometry(state, (ns - BOOT) // 1000, **fields)
    yield f'{namespace}/fmu/out/vehicle_odometry', message, PX4


def hakoniwa(name: str, state: State, ns: int) -> Iterator:
    """hakoniwa-pdu-ros: two Twists without a stamp, reliable; a hyphen is no part of a ROS name."""
    position, angles, linear, angular = conventions.hakoniwa(state)
    place, speed = Twist(), Twist()
    xyz(place.linear, position)
    xyz(place.angular, angles)
    xyz(speed.linear, linear)
    xyz(speed.angular, angular)
    robot = name.replace('-', '_')
    yield f'/pdu/{robot}/pos', place, RELIABLE
    yield f'/pdu/{robot}/velocity', speed, RELIABLE


def ardupilot(name: str, state: State, ns: int) -> Iterator:
    """AP_DDS: one vehicle; both headers say base_link, though position and linear velocity are in ENU."""
    said = conventions.world_twist(state)
    yield '/ap/pose/filtered', pose(said, ns, 'base_link'), BEST_EFFORT
    yield '/ap/twist/filtered', twist(said, ns, 'base_link'), BEST_EFFORT


def crazyswarm2(name: str, state: State, ns: int) -> Iterator:
    """crazyflie_sim: nothing but /tf."""
    from tf2_msgs.msg import TFMessage

    msg = stamped(TransformStamped(child_frame_id=name), ns, 'world')
    xyz(msg.transform.translation, state.position)
    turn = msg.transform.rotation
    turn.x, turn.y, turn.z, turn.w = map(float, conventions.quaternion(state.turn))
    yield '/tf', TFMessage(transforms=[msg]), RELIABLE


def airsim(name: str, state: State, ns: int) -> Iterator:
    """airsim_ros_pkgs, whose frames are swapped: the header has the vehicle, the child the odometry's frame.

    Drone1 as by default, Drone2 as with its parameter coordinate_system_enu.
    """
    frame, said = 'odom_local_ned', conventions.airsim_ned(state)
    if name.endswith('2'):
        frame, said = 'odom_local_enu', conventions.airsim_enu(state)
    yield f'/airsim_node/{name}/{frame}', odometry(said, ns, name, f'{name}/{frame}'), RELIABLE


def pegasus(name: str, state: State, ns: int) -> Iterator:
    """Its ROS 2 backend with the namespace `drone`: a frame drone_base_link for every vehicle."""
    said = conventions.body_twist(state)
    yield f'/{name}/state/pose', pose(said, ns, 'map'), BEST_EFFORT
    yield f'/{name}/state/twist', twist(said, ns, f'{name.rstrip("0123456789")}_base_link'), BEST_EFFORT


def ardupilot_v1(name: str, state: State, ns: int) -> Iterator:
    """Newer AP_DDS: the version in the topics."""
    for topic, msg, qos in ardupilot(name, state, ns):
        yield topic.replace('/ap/', '/ap/v1/'), msg, qos


def crazyflie_server(name: str, state: State, ns: int) -> Iterator:
    """crazyflie_server of real Crazyflies, with the default topic `pose`."""
    yield f'/{name}/pose', pose(conventions.world_twist(state), ns, 'world'), RELIABLE


def aerostack2(name: str, state: State, ns: int) -> Iterator:
    """as2_state_estimator: the pose in `earth`, the twist in the body."""
    said = conventions.body_twist(state)
    yield f'/{name}/self_localization/pose', pose(said, ns, 'earth'), BEST_EFFORT
    yield f'/{name}/self_localization/twist', twist(said, ns, f'{name}/base_link'), BEST_EFFORT


class Simulator(NamedTuple):
    """A preset, names of drones as that simulator has them, and how it speaks."""

    drones: tuple[str, ...]
    speak: Callable
    # whether a sample comes with the time for which it holds, on the node's clock
    stamps: bool = True
    # whether it tells velocities
    velocities: bool = True
    # rounding of what it tells, relative
    rounding: float = 0.0
    # x, y, z axes of its world in ENU, where the node takes it as it is
    axes: np.ndarray | None = None


SIMULATORS = {
    'gazebo': Simulator(('x500_0', 'x500_1'), gazebo),
    'px4': Simulator(('px4_1', 'px4_2'), px4, stamps=False, rounding=2.0**-24),
    'hakoniwa': Simulator(('Drone-1', 'Drone-2'), hakoniwa, stamps=False, axes=conventions.NWU),
    'ardupilot': Simulator(('iris',), ardupilot),
    'crazyswarm2': Simulator(('cf1', 'cf231'), crazyswarm2, velocities=False),
    'airsim': Simulator(('Drone1', 'Drone2'), airsim),
    'pegasus': Simulator(('drone1', 'drone2'), pegasus),
    'aerostack2': Simulator(('drone0', 'drone1'), aerostack2),
}
