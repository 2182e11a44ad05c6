# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Rotations outside the compiled loops: arrays of them, single ones on plain floats, and rigid transforms.

Arrays: quaternions (..., 4) w, x, y, z as in the engine, unit, body to world; vectors (..., 3).  Every function is
elementwise over the leading axes, so a result depends on its own row only.  A single rotation, (4,), and a single
vector, (3,), take plain arithmetic, with equal bits in a tenth of the time.
Plain floats, for messages that come one at a time (no array is made for three numbers): quaternions x, y, z, w as in
messages; the functions say so in their names.
Kernels have engine/maths/quat.py.
"""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .engine.maths.matrices import length
from .engine.maths.pointwise import acos, atan2, cos, sin
from .engine.maths.quat import mul_one

Three = tuple[float, float, float]
Four = tuple[float, float, float, float]
# w, x, y, z of no turn
NO_TURN = np.array([1.0, 0.0, 0.0, 0.0])

# rad. Below this angle sin(x)/x and its inverse are taken as 1: the error, x^2/6, is below rounding.
SMALL_ANGLE = 1e-8
# cosine of the pitch below which roll and yaw cannot be distinguished
POINTS_UP = 1e-9
# a quaternion this far from unit length is a mistake, not rounding
UNIT_TOLERANCE = 1e-2
# rad: below it the straight line is the arc, to 1e-13
SHORT_ARC = 1e-6
# 1 + cosine of the angle to z: straight down
POINTS_DOWN = 1e-9


def _cross(a: Sequence[float], b: Sequence[float]) -> Three:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a x b, (..., 3)."""
    if a.ndim == b.ndim == 1:
        return np.array(_cross(a.tolist(), b.tolist()))
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    out[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    out[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    out[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return out


def norm(v: np.ndarray) -> np.ndarray:
    """Length of each row, (...,)."""
    if v.ndim == 1 and len(v) == 3:
        x, y, z = v.tolist()
        return np.float64(math.sqrt(x * x + y * y + z * z))
    return np.sqrt((v * v).sum(axis=-1))


def multiply(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """p q, (..., 4): first q, then p."""
    if p.ndim == q.ndim == 1:
        return mul_one(p, q)
    out = np.empty(np.broadcast_shapes(p.shape, q.shape))
    pw, px, py, pz = p[..., 0], p[..., 1], p[..., 2], p[..., 3]
    qw, qx, qy, qz = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    out[..., 0] = pw * qw - px * qx - py * qy - pz * qz
    out[..., 1] = pw * qx + px * qw + py * qz - pz * qy
    out[..., 2] = pw * qy - px * qz + py * qw + pz * qx
    out[..., 3] = pw * qz + px * qy - py * qx + pz * qw
    return out


def conjugate(q: np.ndarray) -> np.ndarray:
    """The inverse of unit q."""
    out = -q
    out[..., 0] = q[..., 0]
    return out


def normalise(q: np.ndarray) -> np.ndarray:
    """q at unit length; rows must not be zero."""
    return q / norm(q)[..., None]


def rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """R(q) v: body vectors into the world."""
    if q.ndim == v.ndim == 1:
        (w, *u), a = q.tolist(), v.tolist()
        t = tuple(2.0 * x for x in _cross(u, a))
        return np.array([x + w * y + z for x, y, z in zip(a, t, _cross(u, t), strict=True)])
    u = q[..., 1:]
    t = 2.0 * cross(u, v)
    return v + q[..., :1] * t + cross(u, t)


def rotate_inverse(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """R(q)^T v: world vectors into the body."""
    return rotate(conjugate(q), v)


def from_vector(phi: np.ndarray) -> np.ndarray:
    """The rotation by |phi| rad about phi."""
    if phi.ndim == 1:
        angle = float(norm(phi))
        share = 0.5 if angle < SMALL_ANGLE else sin(0.5 * angle) / angle
        return np.array([cos(0.5 * angle), *(x * share for x in phi.tolist())])
    angle = norm(phi)
    half = 0.5 * angle
    small = angle < SMALL_ANGLE
    scale = np.where(small, 0.5, sin(half) / np.where(small, 1.0, angle))
    out = np.empty(phi.shape[:-1] + (4,))
    out[..., 0] = cos(half)
    out[..., 1:] = phi * scale[..., None]
    return out


def to_vector(q: np.ndarray) -> np.ndarray:
    """The rotation vector of unit q, rad, of length <= pi."""
    if q.ndim == 1:
        size, (w, *axis) = float(norm(q[1:])), (-q if q[0] < 0.0 else q).tolist()
        share = 2.0 if size < SMALL_ANGLE else 2.0 * atan2(size, w) / size
        return np.array([x * share for x in axis])
    q = np.where(q[..., :1] < 0.0, -q, q)
    sine = norm(q[..., 1:])
    small = sine < SMALL_ANGLE
    scale = np.where(small, 2.0, 2.0 * atan2(sine, q[..., 0]) / np.where(small, 1.0, sine))
    return q[..., 1:] * scale[..., None]


def difference(q_to: np.ndarray, q_from: np.ndarray) -> np.ndarray:
    """The world-frame rotation vector that takes q_from to q_to, rad."""
    return to_vector(multiply(q_to, conjugate(q_from)))


def from_rpy(rpy: Three) -> Four:
    """Roll, pitch, yaw (rad; R = Rz(yaw) Ry(pitch) Rx(roll), as in URDF) to w, x, y, z; nan where an angle is not
    finite."""
    if not all(map(math.isfinite, rpy)):
        return (math.nan,) * 4
    (si, sj, sk), (ci, cj, ck) = ([f(0.5 * angle) for angle in rpy] for f in (sin, cos))
    cc, cs, sc, ss = ci * ck, ci * sk, si * ck, si * sk
    return cj * cc + sj * ss, cj * sc - sj * cs, cj * ss + sj * cc, cj * cs - sj * sc


def to_rpy(q: Four) -> Three:
    """Roll, pitch, yaw, rad, of unit x, y, z, w.  Where roll and yaw turn about one axis, roll is 0."""
    x, y, z, w = q
    s = 2.0 / (w * w + x * x + y * y + z * z)
    # of the rotation matrix the first column and the last row, and what is left of it where these say nothing
    ahead, aside = 1.0 - (y * (y * s) + z * (z * s)), x * (y * s) + w * (z * s)
    down, under, up = x * (z * s) - w * (y * s), y * (z * s) + w * (x * s), 1.0 - (x * (x * s) + y * (y * s))
    level = math.sqrt(ahead * ahead + aside * aside)
    pitch = atan2(-down, level)
    if level < POINTS_UP:
        return 0.0, pitch, atan2(w * (z * s) - x * (y * s), 1.0 - (x * (x * s) + z * (z * s)))
    return atan2(under, up), pitch, atan2(aside, ahead)


def wxyz(q_xyzw: np.ndarray) -> np.ndarray:
    """From the ROS order to the engine's."""
    return np.asarray(q_xyzw)[..., [3, 0, 1, 2]]


def xyzw(q_wxyz: np.ndarray) -> np.ndarray:
    """From the engine's order to the ROS one."""
    return np.asarray(q_wxyz)[..., [1, 2, 3, 0]]


def between_z(direction: np.ndarray) -> np.ndarray:
    """The shortest rotation that takes the z axis to each unit direction (..., 3)."""
    out = np.empty(direction.shape[:-1] + (4,))
    out[..., 0] = 1.0 + direction[..., 2]
    out[..., 1] = -direction[..., 1]
    out[..., 2] = direction[..., 0]
    out[..., 3] = 0.0
    # straight down: any half turn about a horizontal axis
    down = out[..., 0] < POINTS_DOWN
    out[down] = (0.0, 1.0, 0.0, 0.0)
    return normalise(out)


def rotate_rows_xyzw(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """R(q_i) v_i for (N, 4) unit quaternions x, y, z, w and (N, 3) vectors: body to world. Returns (N, 3)."""
    # v + 2w (u x v) + 2 u x (u x v) by columns: numpy.cross takes five times as long for a fleet of fifty
    x, y, z, w = q[:, 0], q[:, 1], q[:, 2], q[:, 3]
    a, b, c = v[:, 0], v[:, 1], v[:, 2]
    tx, ty, tz = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    result = np.empty((len(v), 3))
    result[:, 0] = a + w * tx + y * tz - z * ty
    result[:, 1] = b + w * ty + z * tx - x * tz
    result[:, 2] = c + w * tz + x * ty - y * tx
    return result


def rotate_xyzw(q: Four, v: Three) -> Three:
    """R(q) v: v + 2w (u x v) + 2 u x (u x v)."""
    x, y, z, w = q
    a, b, c = v
    tx, ty, tz = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz, c + w * tz + x * ty - y * tx


def multiply_xyzw(p: Four, q: Four) -> Four:
    """p q: first q, then p."""
    a, b, c, d = p
    x, y, z, w = q
    return (d * x + a * w + b * z - c * y, d * y - a * z + b * w + c * x,
            d * z + a * y - b * x + c * w, d * w - a * x - b * y - c * z)


def slerp_xyzw(p: Four, q: Four, share: float) -> Four:
    """From p (share 0) to q (share 1) the shorter way, at constant angular speed."""
    cosine = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3]
    if cosine < 0.0:
        cosine, q = -cosine, (-q[0], -q[1], -q[2], -q[3])
    angle = acos(min(cosine, 1.0))
    a, b = (1.0 - share, share) if angle < SHORT_ARC else (
        sin((1.0 - share) * angle) / sin(angle), sin(share * angle) / sin(angle))
    mixed = tuple(a * x + b * y for x, y in zip(p, q, strict=True))
    size = length(mixed)
    return tuple(x / size for x in mixed)


class Rigid(NamedTuple):
    """A transform from coordinates in frame b to those in frame a: p_a = position (m) + R(orientation) p_b; orientation
    x, y, z, w of unit length."""

    position: Three = (0.0, 0.0, 0.0)
    orientation: Four = (0.0, 0.0, 0.0, 1.0)

    @classmethod
    def checked(cls, position, orientation) -> Rigid:
        """Of finite numbers and a quaternion that is normalised; ValueError says what is wrong with it."""
        p, q = tuple(map(float, position)), tuple(map(float, orientation))
        if not all(map(math.isfinite, p + q)):
            raise ValueError(f'must be finite, got {[*p, *q]}')
        size = length(q)
        if abs(size - 1.0) > UNIT_TOLERANCE:
            raise ValueError(f'its quaternion x, y, z, w must have length 1, got {list(q)} of length {size:.6g}')
        return cls(p, tuple(x / size for x in q))

    def point(self, p: Three) -> Three:
        """A position."""
        x, y, z = rotate_xyzw(self.orientation, p)
        a, b, c = self.position
        return a + x, b + y, c + z

    def vector(self, v: Three | None) -> Three | None:
        """A velocity; None stays None."""
        return None if v is None else rotate_xyzw(self.orientation, v)

    def motion(self, position: Three, orientation: Four, linear: Three | None, angular: Three | None):
        """Pose and velocities of a body; this frame stands still."""
        if self is IDENTITY:
            return position, orientation, linear, angular
        return (self.point(position), multiply_xyzw(self.orientation, orientation), self.vector(linear),
                self.vector(angular))

    def after(self, other: Rigid) -> Rigid:
        """First `other`, then this one."""
        return Rigid(self.point(other.position), multiply_xyzw(self.orientation, other.orientation))

    def inverse(self) -> Rigid:
        """The way back."""
        x, y, z, w = self.orientation
        back = (-x, -y, -z, w)
        a, b, c = rotate_xyzw(back, self.position)
        return Rigid((-a, -b, -c), back)

    def points(self, p: np.ndarray) -> np.ndarray:
        """Positions (N,3)."""
        if self is IDENTITY:
            return p
        return self.vectors(p) + np.array(self.position)

    def vectors(self, v: np.ndarray) -> np.ndarray:
        """Velocities (N,3)."""
        return rotate(wxyz(np.array(self.orientation)), np.asarray(v, dtype=float))

    def orientations(self, q: np.ndarray) -> np.ndarray:
        """Quaternions (N,4) x, y, z, w."""
        return xyzw(multiply(wxyz(np.array(self.orientation)), wxyz(q)))


IDENTITY = Rigid()


def yaw(angle: float) -> Rigid:
    """A turn by `angle` rad about z."""
    return Rigid(orientation=(0.0, 0.0, sin(0.5 * angle), cos(0.5 * angle)))
