# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Unit quaternions (w, x, y, z), body to world: as tuples in kernels, and at the end as arrays outside them."""
import math

import numpy as np

from .jit import always_inline

NO_TURN = np.array([1.0, 0.0, 0.0, 0.0])


@always_inline
def mul(a, b):
    return (a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0])


@always_inline
def conj(q):
    return q[0], -q[1], -q[2], -q[3]


@always_inline
def normalised(q):
    s = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return q[0] * s, q[1] * s, q[2] * s, q[3] * s


@always_inline
def renormalised(q):
    """Unit quaternion near q, for q within rounding of unit length.

    One Newton step for 1/sqrt.  Multiplying by the rounded 1/sqrt instead leaves |q| off by a biased 1e-16, which adds
    up to 5e-12 of energy over 1e4 steps of a tumbling body; this form stays below 1e-12.
    """
    s = 0.5 * (1.0 - (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]))
    return q[0] + q[0] * s, q[1] + q[1] * s, q[2] + q[2] * s, q[3] + q[3] * s


@always_inline
def rotate(q, a):
    """q a q*: body vector to world."""
    tx = 2.0 * (q[2] * a[2] - q[3] * a[1])
    ty = 2.0 * (q[3] * a[0] - q[1] * a[2])
    tz = 2.0 * (q[1] * a[1] - q[2] * a[0])
    return (a[0] + q[0] * tx + q[2] * tz - q[3] * ty,
            a[1] + q[0] * ty + q[3] * tx - q[1] * tz,
            a[2] + q[0] * tz + q[1] * ty - q[2] * tx)


@always_inline
def rotate_back(q, a):
    """q* a q: world vector to body."""
    return rotate((q[0], -q[1], -q[2], -q[3]), a)


@always_inline
def load4(row, k):
    return row[k], row[k + 1], row[k + 2], row[k + 3]


@always_inline
def store4(row, k, q):
    """Writes: row."""
    row[k] = q[0]
    row[k + 1] = q[1]
    row[k + 2] = q[2]
    row[k + 3] = q[3]


@always_inline
def axes(q):
    """Columns of the rotation matrix: the body's axes in world."""
    w, x, y, z = q
    return ((1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)),
            (2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)),
            (2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)))


@always_inline
def similarity_tensor(q, s):
    """R S R^T of a symmetric S, both as (xx, xy, xz, yy, yz, zz)."""
    a, b, c = axes(q)
    # columns of R S
    u = (s[0] * a[0] + s[1] * b[0] + s[2] * c[0], s[0] * a[1] + s[1] * b[1] + s[2] * c[1],
         s[0] * a[2] + s[1] * b[2] + s[2] * c[2])
    v = (s[1] * a[0] + s[3] * b[0] + s[4] * c[0], s[1] * a[1] + s[3] * b[1] + s[4] * c[1],
         s[1] * a[2] + s[3] * b[2] + s[4] * c[2])
    w = (s[2] * a[0] + s[4] * b[0] + s[5] * c[0], s[2] * a[1] + s[4] * b[1] + s[5] * c[1],
         s[2] * a[2] + s[4] * b[2] + s[5] * c[2])
    return (u[0] * a[0] + v[0] * b[0] + w[0] * c[0], u[0] * a[1] + v[0] * b[1] + w[0] * c[1],
            u[0] * a[2] + v[0] * b[2] + w[0] * c[2], u[1] * a[1] + v[1] * b[1] + w[1] * c[1],
            u[1] * a[2] + v[1] * b[2] + w[1] * c[2], u[2] * a[2] + v[2] * b[2] + w[2] * c[2])


@always_inline
def similarity(q, d):
    """R diag(d) R^T as (xx, xy, xz, yy, yz, zz)."""
    a, b, c = axes(q)
    return (d[0] * a[0] * a[0] + d[1] * b[0] * b[0] + d[2] * c[0] * c[0],
            d[0] * a[0] * a[1] + d[1] * b[0] * b[1] + d[2] * c[0] * c[1],
            d[0] * a[0] * a[2] + d[1] * b[0] * b[2] + d[2] * c[0] * c[2],
            d[0] * a[1] * a[1] + d[1] * b[1] * b[1] + d[2] * c[1] * c[1],
            d[0] * a[1] * a[2] + d[1] * b[1] * b[2] + d[2] * c[1] * c[2],
            d[0] * a[2] * a[2] + d[1] * b[2] * b[2] + d[2] * c[2] * c[2])


def mul_rows(p, q):
    """Product of (..., 4) wxyz quaternions."""
    pw, px, py, pz = np.moveaxis(p, -1, 0)
    qw, qx, qy, qz = np.moveaxis(q, -1, 0)
    return np.stack([pw * qw - px * qx - py * qy - pz * qz, pw * qx + px * qw + py * qz - pz * qy,
                     pw * qy - px * qz + py * qw + pz * qx, pw * qz + px * qy - py * qx + pz * qw], axis=-1)


def conj_rows(q):
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def mul_one(p, q):
    """Product of two (4,) wxyz quaternions; plain arithmetic, as in `rotate_one`."""
    (pw, px, py, pz), (qw, qx, qy, qz) = p.tolist(), q.tolist()
    return np.array([pw * qw - px * qx - py * qy - pz * qz, pw * qx + px * qw + py * qz - pz * qy,
                     pw * qy - px * qz + py * qw + pz * qx, pw * qz + px * qy - py * qx + pz * qw])


def rotate_one(q, a):
    """Rotate a (3,) vector by a (4,) wxyz quaternion; plain arithmetic, which for one vector is faster than arrays."""
    (w, x, y, z), (a0, a1, a2) = np.asarray(q).tolist(), np.asarray(a).tolist()
    t0, t1, t2 = 2.0 * (y * a2 - z * a1), 2.0 * (z * a0 - x * a2), 2.0 * (x * a1 - y * a0)
    return np.array([a0 + w * t0 + (y * t2 - z * t1), a1 + w * t1 + (z * t0 - x * t2), a2 + w * t2 + (x * t1 - y * t0)])


def rotate_rows(q, a):
    """Rotate (N, 3) vectors by (N, 4) wxyz quaternions."""
    t = 2.0 * np.cross(q[:, 1:], a)
    return a + q[:, :1] * t + np.cross(q[:, 1:], t)
