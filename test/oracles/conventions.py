# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What each simulator calls one and the same state, and back: rotation matrices, nothing of the package under test.

A State is in the world, east-north-up, of a body that is forward-left-up. `X(state)` is what the simulator X says of
it, `X_state(said)` the State it means. Where each convention is written down stands in the docstrings.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

# NED <-> ENU and FRD <-> FLU; each is its own inverse
NED = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
FRD = np.diag([1.0, -1.0, -1.0])
# north-west-up -> ENU: x north is y, y west is -x
NWU = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
# a body that is right-forward-up -> FLU: its x, right, is -y; its y, forward, is x
RFU = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
# m: the sphere that PX4 takes for the earth (PX4-Autopilot src/lib/geo/geo.h)
PX4_RADIUS = 6371000.0
# WGS84: half the equator's diameter, m, and the flattening
WGS84 = (6378137.0, 1.0 / 298.257223563)


class State(NamedTuple):
    """Position (3,) m, velocity (3,) m/s in the world; turn (3, 3) body -> world; rate (3,) rad/s about body axes."""

    position: np.ndarray
    turn: np.ndarray
    velocity: np.ndarray
    rate: np.ndarray


class Said(NamedTuple):
    """Position, quaternion x, y, z, w, linear and angular velocity, as one simulator tells them."""

    position: np.ndarray
    quaternion: np.ndarray
    linear: np.ndarray
    angular: np.ndarray


def quaternion(turn: np.ndarray) -> np.ndarray:
    """x, y, z, w of a rotation matrix."""
    return Rotation.from_matrix(turn).as_quat()


def matrix(xyzw: np.ndarray) -> np.ndarray:
    """(3, 3) of a quaternion of any length but 0."""
    return Rotation.from_quat(xyzw).as_matrix()


def random_state(seed: int, place=(0.0, 0.0, 0.0), speed: float = 1.0) -> State:
    """Near a place; roll, pitch and yaw all beyond 0.2 rad; every velocity component beyond 0.1 of its scale."""
    rng = np.random.default_rng(seed)

    def spread(low: float, high: float) -> np.ndarray:
        return rng.uniform(low, high, 3) * rng.choice([-1.0, 1.0], 3)

    angles = spread(0.2, 1.2) * (2.0, 1.0, 1.0)  # yaw, pitch, roll
    turn = Rotation.from_euler('ZYX', angles).as_matrix()
    return State(np.add(place, spread(0.1, 0.8)), turn, speed * spread(0.1, 1.0), speed * spread(0.1, 1.0))


def still(state: State) -> State:
    """The same place and attitude, at rest."""
    return State(state.position, state.turn, np.zeros(3), np.zeros(3))


def later(state: State, seconds: float) -> State:
    """The state after some time with constant velocity and constant body rate."""
    spun = state.turn @ Rotation.from_rotvec(state.rate * seconds).as_matrix()
    return State(state.position + state.velocity * seconds, spun, state.velocity, state.rate)


# ROS's own: ros_gz_bridge, Pegasus, Aerostack2, crazyflie_sim


def body_twist(state: State) -> Said:
    """nav_msgs/Odometry by its definition, and all who publish a pose in ENU and a twist in the body, FLU.

    gz-sim src/systems/odometry_publisher/OdometryPublisher.cc; PegasusSimulator logic/backends/ros2_backend.py;
    aerostack2 as2_state_estimator/plugins.
    """
    return Said(state.position, quaternion(state.turn), state.turn.T @ state.velocity, state.rate)


def body_twist_state(said: Said) -> State:
    """See body_twist."""
    turn = matrix(said.quaternion)
    return State(said.position, turn, turn @ said.linear, said.angular)


def world_twist(state: State) -> Said:
    """ArduPilot (libraries/AP_DDS/AP_DDS_Client.cpp): ENU and FLU; linear velocity in ENU, angular about body axes.

    Both headers say base_link, whatever the numbers are in.
    """
    return Said(state.position, quaternion(state.turn), state.velocity, state.rate)


def world_twist_state(said: Said) -> State:
    """See world_twist."""
    return State(said.position, matrix(said.quaternion), said.linear, said.angular)


# PX4 and AirSim


def px4(state: State, velocity_frame: str = 'ned') -> Said:
    """px4_msgs/VehicleOdometry: NED, FRD; the angular velocity is the body's; velocity_frame: ned or body (FRD).

    Its quaternion field is w, x, y, z; here it is x, y, z, w as everywhere.
    """
    turn = NED @ state.turn @ FRD
    linear = NED @ state.velocity
    if velocity_frame == 'body':
        linear = turn.T @ linear
    return Said(NED @ state.position, quaternion(turn), linear, FRD @ state.rate)


def px4_state(said: Said, velocity_frame: str = 'ned') -> State:
    """See px4."""
    turn = matrix(said.quaternion)
    linear = turn @ said.linear if velocity_frame == 'body' else said.linear
    return State(NED @ said.position, NED @ turn @ FRD, NED @ linear, FRD @ said.angular)


def airsim_ned(state: State) -> Said:
    """odom_local_ned of airsim_ros_wrapper.cpp: the kinematics of AirSim, in NED, as they are.

    AirSim's docs/apis.md: all in the world's NED but angular velocity, which is in the body.
    """
    return px4(state)


def airsim_ned_state(said: Said) -> State:
    """See airsim_ned."""
    return px4_state(said)


def airsim_enu(state: State) -> Said:
    """odom_local_enu of airsim_ros_wrapper.cpp: x and y of all four swapped, z turned round, w left as it is.

    For the quaternion that is a change of axes on both sides, so the body it means is right-forward-up.
    """
    ned = airsim_ned(state)
    x, y, z, w = ned.quaternion
    return Said(NED @ ned.position, np.array([y, x, -z, w]), NED @ ned.linear, NED @ ned.angular)


def airsim_enu_state(said: Said) -> State:
    """By the body that its quaternion means, not by undoing the swaps."""
    return State(said.position, matrix(said.quaternion) @ RFU.T, said.linear, RFU @ said.angular)


# Hakoniwa


def hakoniwa(state: State) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """PDUs `pos` and `velocity` of hakoniwa-drone-core: (3,) m, (3,) roll, pitch, yaw in rad; (3,) m/s, (3,) rad/s.

    The plant is NED, FRD with Euler angles Z-Y-X; `pos` gives N, -E, -D and roll, -pitch, -yaw (drone_service.cpp),
    `velocity` the body's u, -v, -w and p, -q, -r. The world here is ENU; see NWU.
    """
    ned = px4(state, 'body')
    yaw, pitch, roll = Rotation.from_quat(ned.quaternion).as_euler('ZYX')
    return FRD @ ned.position, np.array([roll, -pitch, -yaw]), FRD @ ned.linear, FRD @ ned.angular


def hakoniwa_state(position, angles, linear, angular) -> State:
    """The State in Hakoniwa's own world, north-west-up, not in ENU."""
    turn = Rotation.from_euler('ZYX', angles[::-1]).as_matrix()
    return State(np.asarray(position), turn, turn @ linear, np.asarray(angular))


def turned(state: State, axes: np.ndarray) -> State:
    """The same state seen from a world whose axes (3, 3) are given in the old one's: old = axes @ new."""
    return State(axes.T @ state.position, axes.T @ state.turn, axes.T @ state.velocity, state.rate)


def placed(state: State, place: np.ndarray, turn: np.ndarray) -> State:
    """A state given from an origin that stands at `place` with the attitude `turn`, in the world."""
    return State(place + turn @ state.position, turn @ state.turn, turn @ state.velocity, state.rate)


# places on the earth


def px4_plane(lat: float, lon: float, alt: float, zero: tuple[float, float, float]) -> np.ndarray:
    """ENU (3,) m of a place from `zero` (degrees, m) by PX4's MapProjection: azimuthal equidistant on a sphere."""
    phi, lam = np.radians([lat, lon])
    phi0, lam0 = np.radians(zero[:2])
    toward = np.array([
        np.cos(phi) * np.sin(lam - lam0),
        np.cos(phi0) * np.sin(phi) - np.sin(phi0) * np.cos(phi) * np.cos(lam - lam0),
    ])
    # the angle by its sine: its cosine loses half the digits near 0
    sine = np.linalg.norm(toward)
    stretch = np.arcsin(sine) / sine if sine else 1.0
    return np.array([*PX4_RADIUS * stretch * toward, alt - zero[2]])


def ecef(lat: float, lon: float, alt: float) -> np.ndarray:
    """Earth-centred (3,) m of a place (degrees, m above the ellipsoid) on WGS84."""
    a, f = WGS84
    phi, lam = np.radians([lat, lon])
    e2 = f * (2.0 - f)
    n = a / np.sqrt(1.0 - e2 * np.sin(phi) ** 2)
    level = (n + alt) * np.cos(phi)
    return np.array([level * np.cos(lam), level * np.sin(lam), (n * (1.0 - e2) + alt) * np.sin(phi)])


def wgs84_tangent(lat: float, lon: float, alt: float, zero: tuple[float, float, float]) -> np.ndarray:
    """ENU (3,) m of a place in the plane that touches WGS84 at `zero`."""
    phi, lam = np.radians(zero[:2])
    east = np.array([-np.sin(lam), np.cos(lam), 0.0])
    up = np.array([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)])
    return np.array([east, np.cross(up, east), up]) @ (ecef(lat, lon, alt) - ecef(*zero))


# the Hakoniwa article on collisions


def impulse(n, e, one: dict, two: dict | None) -> np.ndarray:
    """J (3,) N.s on body 1 without friction (the Hakoniwa article on collisions); a body: mass, tensor (3, 3), r, v, w
    (3,), all in the world.

    two None: a body at rest that nothing moves; mass inf and tensor None: one that moves and that nothing moves.
    """
    n = np.asarray(n)
    share, approach = 0.0, 0.0
    for body, sign in ((one, 1.0), (two, -1.0)):
        if body is None:
            continue
        arm = np.cross(body['r'], n)
        share += 1.0 / body['mass']
        if body['tensor'] is not None:
            share += arm @ np.linalg.solve(body['tensor'], arm)
        approach += sign * n @ (body['v'] + np.cross(body['w'], body['r']))
    return -(1.0 + e) * approach / share * n
