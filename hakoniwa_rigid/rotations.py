"""Vectorised rotations in numpy: quaternions (..., 4) wxyz, unit, body to world; vectors (..., 3).

Every function is elementwise over the leading axes, so a result depends on its own row only.
"""
from __future__ import annotations

import numpy as np

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])

# rad. Below this angle sin(x)/x and its inverse are taken as 1: the error, x^2/6, is below rounding.
SMALL_ANGLE = 1e-8


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a x b, (..., 3)."""
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    out[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    out[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    out[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return out


def norm(v: np.ndarray) -> np.ndarray:
    """Length of each row, (...,)."""
    return np.sqrt((v * v).sum(axis=-1))


def multiply(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """p q, (..., 4): first q, then p."""
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
    u = q[..., 1:]
    t = 2.0 * cross(u, v)
    return v + q[..., :1] * t + cross(u, t)


def rotate_inverse(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """R(q)^T v: world vectors into the body."""
    return rotate(conjugate(q), v)


def from_vector(phi: np.ndarray) -> np.ndarray:
    """The rotation by |phi| rad about phi."""
    angle = norm(phi)
    half = 0.5 * angle
    small = angle < SMALL_ANGLE
    scale = np.where(small, 0.5, np.sin(half) / np.where(small, 1.0, angle))
    out = np.empty(phi.shape[:-1] + (4,))
    out[..., 0] = np.cos(half)
    out[..., 1:] = phi * scale[..., None]
    return out


def to_vector(q: np.ndarray) -> np.ndarray:
    """The rotation vector of unit q, rad, of length <= pi."""
    q = np.where(q[..., :1] < 0.0, -q, q)
    sine = norm(q[..., 1:])
    small = sine < SMALL_ANGLE
    scale = np.where(small, 2.0, 2.0 * np.arctan2(sine, q[..., 0]) / np.where(small, 1.0, sine))
    return q[..., 1:] * scale[..., None]


def difference(q_to: np.ndarray, q_from: np.ndarray) -> np.ndarray:
    """The world-frame rotation vector that takes q_from to q_to, rad."""
    return to_vector(multiply(q_to, conjugate(q_from)))


def from_rpy(rpy: tuple[float, float, float]) -> tuple[float, float, float, float]:
    """Roll, pitch, yaw (rad; Z-Y-X order, as in URDF) to wxyz."""
    half = 0.5 * np.asarray(rpy, dtype=float)
    (cr, cp, cy), (sr, sp, sy) = np.cos(half), np.sin(half)
    q = (cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy,
         cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy)
    return tuple(float(x) for x in q)


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
    down = out[..., 0] < 1e-9
    out[down] = (0.0, 1.0, 0.0, 0.0)
    return normalise(out)
