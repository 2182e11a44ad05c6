# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Quaternion algebra for the oracles, written apart from the engine. Quaternions are (w, x, y, z), unit, body ->
world.
"""

import math

import numpy as np


def cross_matrix(r):
    """[r]x as (3, 3): cross_matrix(r) @ a == np.cross(r, a)."""
    x, y, z = r
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def multiply(p, q):
    """Hamilton product p ⊗ q, both (4,) wxyz."""
    pw, pv = p[0], np.asarray(p[1:])
    qw, qv = q[0], np.asarray(q[1:])
    return np.concatenate(([pw * qw - pv @ qv], pw * qv + qw * pv + np.cross(pv, qv)))


def conjugate(q):
    """Inverse of a unit quaternion."""
    return np.array([q[0], -q[1], -q[2], -q[3]])


def matrix(q):
    """Rotation matrix (3, 3), body -> world, of a quaternion that is normalised first.

    (w² - v·v) 1 + 2 v vᵀ + 2 w [v]x, term by term: searches ask for it hundreds of thousands of times.
    """
    w, x, y, z = (float(c) for c in q)
    size = math.sqrt(w * w + x * x + y * y + z * z)
    w, x, y, z = w / size, x / size, y / size, z / size
    same = w * w - (x * x + y * y + z * z)
    return np.array([[same + 2 * x * x, 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), same + 2 * y * y, 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), same + 2 * z * z]])


def from_rotvec(rotvec):
    """Quaternion of a rotation by |rotvec| rad about rotvec."""
    angle = np.linalg.norm(rotvec)
    half = 0.5 * np.sinc(0.5 * angle / np.pi)
    return np.concatenate(([np.cos(0.5 * angle)], half * np.asarray(rotvec)))


def angle_between(p, q):
    """Angle in rad of the rotation that takes attitude p to attitude q; exact for small angles."""
    d = multiply(conjugate(p), q)
    return 2.0 * np.arctan2(np.linalg.norm(d[1:]), abs(d[0]))


def random_quat(rng):
    """Uniform random attitude (4,)."""
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def random_tensor(rng, scale=1.0, spread=6.0):
    """Random physical full inertia tensor (3, 3): second moments s_i give I = tr(S)·1 - S, so the triangle
    inequality holds.
    """
    s = scale * rng.uniform(1.0, spread, size=3)
    r = matrix(random_quat(rng))
    tensor = r @ np.diag(s.sum() - s) @ r.T
    return 0.5 * (tensor + tensor.T)


def tangents(n):
    """Two unit vectors that make a right-handed frame (t1, t2, n)."""
    t1 = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
    t1 /= np.linalg.norm(t1)
    return t1, np.cross(n, t1)
