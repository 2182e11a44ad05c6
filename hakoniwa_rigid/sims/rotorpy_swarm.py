# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""N quadrotors flown by RotorPy: its rigid body and motor dynamics, its SE(3) controller, our waypoint courses.

This is a third-party simulator as far as the rest of the project goes: no walls, no contacts, no engine. It offers
what most simulators do: step, read the state, overwrite the state of a vehicle.

RotorPy (S. Folk, J. Paulos, V. Kumar, arXiv 2306.04485), used through its public classes, with three additions that
every flown autopilot has and that recovery from a collision needs:
- the error shown to the controller is bounded, so that a drone thrown off its course is not asked to fly upside down;
- the rotor commands are brought within their limits thrust first, then roll and pitch, then yaw, not cut off one by
  one;
- the accelerations of ``Multirotor.statedot``, taken at mid-step, are integrated here: ``Multirotor.step`` uses an
  adaptive RK45 of seven evaluations, 1.3 ms against 0.2 ms for a step, and two cores have to carry the whole demo.
"""
from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from rotorpy.controllers.quadrotor_control import SE3Control
from rotorpy.vehicles.multirotor import Multirotor

from hakoniwa_rigid.sims.courses import Course

# the largest errors the controller sees, x y z: with RotorPy's gains the wanted acceleration stays below 7.3 m/s^2
# sideways and 8.3 m/s^2 downwards, so the wanted thrust always points up
POSITION_ERROR_MAX = np.array([0.5, 0.5, 0.25])   # m
VELOCITY_ERROR_MAX = np.array([1.0, 1.0, 0.5])    # m/s
THRUST_RANGE = (0.1, 0.9)                         # of the four rotors' largest thrust; the rest is kept for turning

@dataclass(frozen=True)
class VehicleParameters:
    """A quadrotor in X layout with rotors at (+-arm, +-arm, 0).

    Defaults: mass and inertia of Hakoniwa's Unity drone, rotor place and thrust constant of its ``api-1``; the motor's
    lag, top speed and torque ratio are not published there and are set to common values (thrust to weight 2.6).
    """

    mass: float = 0.71                                            # kg
    inertia: tuple[float, float, float] = (0.0061, 0.00653, 0.0116)  # kg m^2, body axes
    arm: float = 0.25                                             # m, |x| and |y| of every rotor
    thrust_constant: float = 1.12e-4                              # N s^2/rad^2, thrust = constant * speed^2
    torque_per_thrust: float = 0.02                               # m, yaw torque / thrust of one rotor
    motor_lag: float = 0.03                                       # s, first order
    speed_max: float = 200.0                                      # rad/s

    def __post_init__(self) -> None:
        numbers = (self.mass, *self.inertia, self.arm, self.thrust_constant, self.torque_per_thrust, self.motor_lag)
        if not all(np.isfinite(v) and v > 0.0 for v in numbers):
            raise ValueError(f'VehicleParameters: every value must be > 0, got {self}')
        if self.hover_speed() >= self.speed_max:
            raise ValueError(f'VehicleParameters: speed_max {self.speed_max} rad/s cannot lift the vehicle, '
                             f'it hovers at {self.hover_speed():.1f} rad/s')

    def hover_speed(self) -> float:
        """Rotor speed in hover, rad/s."""
        return float(np.sqrt(self.mass * 9.81 / (4.0 * self.thrust_constant)))

    def rotorpy(self) -> dict:
        """The same vehicle as RotorPy's ``quad_params`` dictionary; aerodynamic terms are zero."""
        corners = ((1, 1, 0), (1, -1, 0), (-1, -1, 0), (-1, 1, 0))
        inertia = dict(zip(('Ixx', 'Iyy', 'Izz'), self.inertia, strict=True))
        zeros = dict.fromkeys(('Ixy', 'Iyz', 'Ixz', 'c_Dx', 'c_Dy', 'c_Dz', 'k_d', 'k_z', 'k_h', 'k_flap'), 0.0)
        return inertia | zeros | {
            'mass': self.mass,
            'num_rotors': 4,
            'rotor_pos': {f'r{i + 1}': self.arm * np.array(corner, dtype=float) for i, corner in enumerate(corners)},
            'rotor_directions': np.array([1, -1, 1, -1]),
            'rI': np.zeros(3),
            'k_eta': self.thrust_constant,
            'k_m': self.torque_per_thrust * self.thrust_constant,
            'tau_m': self.motor_lag,
            'rotor_speed_min': 0.0,
            'rotor_speed_max': self.speed_max,
            'motor_noise_std': 0.0,
            'kp_att': 300.0,   # 1/s^2, per unit inertia; stable with the motor lag: kd > kp * lag
            'kd_att': 30.0,    # 1/s
        }


@dataclass
class VehicleState:
    """One vehicle at its centre of mass, which is its base_link; RotorPy's conventions."""

    position: np.ndarray            # (3,) m, world
    orientation: np.ndarray         # (4,) unit quaternion xyzw, body to world
    velocity: np.ndarray            # (3,) m/s, world
    body_rates: np.ndarray          # (3,) rad/s, body FLU
    rotor_speeds: np.ndarray        # (4,) rad/s


def mix(controller: SE3Control, thrust: float, moment: np.ndarray) -> np.ndarray:
    """Rotor speeds (4,) rad/s for a thrust in N and a body moment (3,) in N m, kept within what the rotors can do.

    Thrust comes first, then roll and pitch, then yaw: each is scaled to the room that the ones before it leave.
    """
    largest = controller.k_eta * controller.rotor_speed_max**2
    low, high = (4.0 * largest * share for share in THRUST_RANGE)
    forces = np.full(4, min(max(thrust, low), high) / 4.0)
    roll_pitch = controller.TM_to_f[:, 1:3] @ moment[:2]
    for extra in (roll_pitch, controller.TM_to_f[:, 3] * moment[2]):
        # per rotor, the share of the wanted force that fits between 0 and the largest
        room = np.where(extra > 0.0, largest - forces, forces)
        needed = np.abs(extra)
        forces = forces + extra * min(1.0, float(np.min(room / np.maximum(needed, 1e-12))))
    return np.sqrt(np.clip(forces, 0.0, largest) / controller.k_eta)


def turned_by(q: np.ndarray, body_rates: np.ndarray, dt: float) -> np.ndarray:
    """The unit quaternion (4,) xyzw after turning ``dt`` s at constant body rates (3,) rad/s: q exp(w dt / 2)."""
    wx, wy, wz = (0.5 * dt * body_rates).tolist()
    half = math.sqrt(wx * wx + wy * wy + wz * wz)
    scale, c = (math.sin(half) / half if half > 1e-8 else 1.0), math.cos(half)
    a, b, d = wx * scale, wy * scale, wz * scale
    x, y, z, w = q.tolist()
    out = np.array([c * x + w * a + y * d - z * b, c * y + w * b + z * a - x * d,
                    c * z + w * d + x * b - y * a, c * w - x * a - y * b - z * d])
    return out / math.sqrt(out @ out)


@dataclass
class Vehicle:
    """A RotorPy multirotor, its controller, its course and its state."""

    course: Course
    parameters: VehicleParameters = field(default_factory=VehicleParameters)

    def __post_init__(self) -> None:
        constants = self.parameters.rotorpy()
        self.dynamics = Multirotor(constants, aero=False)
        self.controller = SE3Control(constants)
        self.command = np.full(4, self.parameters.hover_speed())
        self.raw = {
            'x': self.course.derivatives(0.0)[0].copy(),
            'v': np.zeros(3),
            'q': np.array([0.0, 0.0, 0.0, 1.0]),
            'w': np.zeros(3),
            'wind': np.zeros(3),
            'rotor_speeds': self.command.copy(),
        }

    def control(self, course_time: float) -> None:
        """Read the course at ``course_time`` s and command the rotors."""
        x, v, a, jerk, snap = self.course.derivatives(course_time)
        x = self.raw['x'] + np.clip(x - self.raw['x'], -POSITION_ERROR_MAX, POSITION_ERROR_MAX)
        v = self.raw['v'] + np.clip(v - self.raw['v'], -VELOCITY_ERROR_MAX, VELOCITY_ERROR_MAX)
        wanted = {'x': x, 'x_dot': v, 'x_ddot': a, 'x_dddot': jerk, 'x_ddddot': snap,
                  'yaw': 0.0, 'yaw_dot': 0.0, 'yaw_ddot': 0.0}
        command = self.controller.update(course_time, self.raw, wanted)
        self.command = mix(self.controller, command['cmd_thrust'], command['cmd_moment'])

    def step(self, dt: float) -> None:
        """Integrate ``dt`` s under the last command."""
        old, lag = self.raw, self.parameters.motor_lag
        # the rotors' first-order lag in closed form, at mid-step and at the end
        behind = old['rotor_speeds'] - self.command
        middle = old | {'q': turned_by(old['q'], old['w'], 0.5 * dt),
                        'rotor_speeds': self.command + behind * math.exp(-0.5 * dt / lag)}
        rates = self.dynamics.statedot(middle, {'cmd_motor_speeds': self.command}, dt)
        v, w = old['v'] + dt * rates['vdot'], old['w'] + dt * rates['wdot']
        self.raw = old | {
            'x': old['x'] + 0.5 * dt * (old['v'] + v),
            'v': v,
            'q': turned_by(old['q'], 0.5 * (old['w'] + w), dt),
            'w': w,
            'rotor_speeds': self.command + behind * math.exp(-dt / lag),
        }


class Swarm:
    """N vehicles under one clock of fixed steps of ``dt`` s. Deterministic: equal calls give equal states.

    The controllers run at every ``control_every``-th step, half of the vehicles at even and half at odd steps when it
    is 2, which spreads their cost evenly.
    """

    def __init__(self, courses: Mapping[str, Course], parameters: VehicleParameters | None = None, dt: float = 0.01,
                 control_every: int = 2) -> None:
        if not dt > 0.0:
            raise ValueError(f'Swarm: dt must be > 0 s, got {dt}')
        if control_every < 1:
            raise ValueError(f'Swarm: control_every must be >= 1, got {control_every}')
        if not courses:
            raise ValueError('Swarm: needs at least one course')
        self.dt = dt
        self.control_every = control_every
        self.steps = 0
        self.vehicles = {name: Vehicle(course, parameters or VehicleParameters()) for name, course in courses.items()}

    @property
    def names(self) -> tuple[str, ...]:
        """Vehicle names in the order of the courses."""
        return tuple(self.vehicles)

    def step(self, course_time: float | None = None) -> None:
        """Every vehicle forward by ``dt``; the courses stand at ``course_time`` s (default: the swarm's own time)."""
        t = self.steps * self.dt if course_time is None else course_time
        for i, vehicle in enumerate(self.vehicles.values()):
            if (self.steps + i) % self.control_every == 0:
                vehicle.control(t)
            vehicle.step(self.dt)
        self.steps += 1

    def state(self, name: str) -> VehicleState:
        """A copy of the state of one vehicle; KeyError for an unknown name."""
        raw = self.vehicles[name].raw
        return VehicleState(*(raw[key].copy() for key in ('x', 'q', 'v', 'w', 'rotor_speeds')))

    def set_state(self, name: str, position, orientation, velocity, body_rates) -> None:
        """Overwrite the rigid state of one vehicle (rotors keep turning); ValueError names what is impossible."""
        values = [np.array(v, dtype=float) for v in (position, orientation, velocity, body_rates)]
        shapes = [v.shape for v in values]
        if shapes != [(3,), (4,), (3,), (3,)] or not all(np.isfinite(v).all() for v in values):
            raise ValueError(f'{name}: set_state needs finite position (3), orientation (4), velocity (3), rates (3)')
        norm = float(np.linalg.norm(values[1]))
        if norm == 0.0:
            raise ValueError(f'{name}: set_state needs a non-zero quaternion')
        self.vehicles[name].raw |= {'x': values[0], 'q': values[1] / norm, 'v': values[2], 'w': values[3]}

    def wrench(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Force (3,) N and torque (3,) N m of the rotors about the centre of mass, body FLU."""
        vehicle = self.vehicles[name]
        thrusts = vehicle.parameters.thrust_constant * vehicle.raw['rotor_speeds']**2
        thrust, *torque = vehicle.dynamics.f_to_TM @ thrusts
        return np.array([0.0, 0.0, thrust]), np.array(torque)
