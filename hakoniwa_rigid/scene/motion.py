"""Motion of many bodies as four arrays, and its exact transport: extrapolation, deflection, shift to the centre of
mass."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import rotations as rot


@dataclass
class Motion:
    """pos (N,3) m, quat (N,4) wxyz, vel (N,3) m/s, omega (N,3) rad/s; world frame."""

    pos: np.ndarray
    quat: np.ndarray
    vel: np.ndarray
    omega: np.ndarray

    @classmethod
    def at_rest(cls, pos: np.ndarray, quat: np.ndarray) -> Motion:
        """Standing still at poses (own copies)."""
        return cls(pos.copy(), quat.copy(), np.zeros_like(pos), np.zeros_like(pos))

    def rows(self, rows) -> Motion:
        """Copies of some rows."""
        return Motion(self.pos[rows].copy(), self.quat[rows].copy(), self.vel[rows].copy(), self.omega[rows].copy())

    def put(self, rows, other: Motion) -> None:
        """Overwrite rows by the rows of another, one for one."""
        self.pos[rows], self.quat[rows] = other.pos, other.quat
        self.vel[rows], self.omega[rows] = other.vel, other.omega

    def arrays(self) -> tuple[np.ndarray, ...]:
        """The four arrays."""
        return self.pos, self.quat, self.vel, self.omega


def extrapolate(m: Motion, age: np.ndarray, most: float) -> Motion:
    """Motion after age (N,) s at constant velocities.  Beyond `most` s (either way) it stands still at the pose of
    `most`. Age 0 gives the same bits back."""
    h = np.clip(age, -most, most)[:, None]
    moving = np.abs(age) <= most
    quat = np.where(h == 0.0, m.quat, rot.multiply(rot.from_vector(m.omega * h), m.quat))
    return Motion(m.pos + m.vel * h, quat, m.vel * moving[:, None], m.omega * moving[:, None])


def to_com(m: Motion, com: np.ndarray) -> Motion:
    """From base_link to the centre of mass, com (N,3) m in base_link: x + R com, v + omega x R com."""
    arm = rot.rotate(m.quat, com)
    return Motion(m.pos + arm, m.quat, m.vel + rot.cross(m.omega, arm), m.omega)


def to_base(m: Motion, com: np.ndarray) -> Motion:
    """From the centre of mass to base_link."""
    arm = rot.rotate(m.quat, com)
    return Motion(m.pos - arm, m.quat, m.vel - rot.cross(m.omega, arm), m.omega)


def into_world(m: Motion, origin_pos: np.ndarray, origin_quat: np.ndarray) -> Motion:
    """From a fixed frame whose pose in the world is given, to the world."""
    return Motion(origin_pos + rot.rotate(origin_quat, m.pos), rot.multiply(origin_quat, m.quat),
                  rot.rotate(origin_quat, m.vel), rot.rotate(origin_quat, m.omega))
