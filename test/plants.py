# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A drone's plant as Hakoniwa's: it flies by itself and applies what an ImpulseCollision says by the article's two-body
formula.  Physics of its own: nothing of the engine is used.  SI, world frame."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from oracles.free_motion import parabola, rotate
from oracles.rotations import matrix


@dataclass
class Plant:
    """inertia (3,) kg m^2 about the body's axes; force (3,) N acts always, torque does not; state at the centre of
    mass: pos m, quat wxyz, linvel m/s, angvel rad/s."""

    name: str
    mass: float
    inertia: np.ndarray
    pos: np.ndarray
    quat: np.ndarray
    linvel: np.ndarray
    angvel: np.ndarray
    accel: np.ndarray = (0.0, 0.0, 0.0)

    def __post_init__(self):
        for name in ('inertia', 'pos', 'quat', 'linvel', 'angvel', 'accel'):
            setattr(self, name, np.array(getattr(self, name), dtype=float))

    def fly(self, seconds: float) -> None:
        """Free flight."""
        if seconds == 0.0:
            return
        self.pos, self.linvel = parabola(self.pos, self.linvel, self.accel, seconds)
        self.quat, self.angvel = rotate(self.inertia, self.quat, self.angvel, seconds)

    def apply(self, msg) -> None:
        """hako_msgs/ImpulseCollision, now.  What is immovable takes the formula's limit of a heavy body."""
        r1, r2 = _three(msg.self_contact_vector), _three(msg.target_contact_vector)
        n, w2 = _three(msg.normal), _three(msg.target_angular_velocity)
        relative = self.linvel + np.cross(self.angvel, r1) - _three(msg.target_velocity) - np.cross(w2, r2)
        own = _inverse(self.inertia, matrix(self.quat))
        share = 1.0 / self.mass + np.cross(r1, n) @ own @ np.cross(r1, n)
        if not msg.is_target_static:
            other = _inverse(_three(msg.target_inertia), euler_matrix(*_three(msg.target_euler)))
            share += 1.0 / msg.target_mass + np.cross(r2, n) @ other @ np.cross(r2, n)
        impulse = -(1.0 + msg.restitution_coefficient) * (relative @ n) / share * n
        self.linvel = self.linvel + impulse / self.mass
        self.angvel = self.angvel + own @ np.cross(r1, impulse)

    @property
    def momentum(self) -> np.ndarray:
        """(6,): N s, and N m s about the world's origin."""
        r = matrix(self.quat)
        spin = r @ np.diag(self.inertia) @ r.T @ self.angvel
        return np.concatenate([self.mass * self.linvel, np.cross(self.pos, self.mass * self.linvel) + spin])

    def feed(self, scene, stamp_ns: int) -> None:
        """Its state as a sample; base_link is the centre of mass."""
        w, x, y, z = self.quat
        scene.feed_drone(self.name, stamp_ns, self.pos, (x, y, z, w), self.linvel, self.angvel)


def euler_matrix(roll: float, pitch: float, yaw: float) -> np.ndarray:
    """Rz(yaw) Ry(pitch) Rx(roll)."""
    (cr, cp, cy), (sr, sp, sy) = (f([roll, pitch, yaw]) for f in (np.cos, np.sin))
    about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    about_z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return about_z @ about_y @ about_x


def _inverse(moments: np.ndarray, axes: np.ndarray) -> np.ndarray:
    return axes @ np.diag(1.0 / moments) @ axes.T


def _three(vector) -> np.ndarray:
    return np.array([vector.x, vector.y, vector.z])
