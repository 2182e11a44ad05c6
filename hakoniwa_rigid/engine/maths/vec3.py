# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Three-vectors as tuples (x, y, z)."""
import math

from .jit import always_inline


@always_inline
def add(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@always_inline
def sub(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@always_inline
def scale(a, s):
    return a[0] * s, a[1] * s, a[2] * s


@always_inline
def madd(a, b, s):
    """a + s b"""
    return a[0] + b[0] * s, a[1] + b[1] * s, a[2] + b[2] * s


@always_inline
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@always_inline
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@always_inline
def norm(a):
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@always_inline
def load3(row, k):
    """Elements k, k+1, k+2 of a 1-D array."""
    return row[k], row[k + 1], row[k + 2]


@always_inline
def load6(row, k):
    """Elements k .. k+5 of a 1-D array, a symmetric matrix."""
    return row[k], row[k + 1], row[k + 2], row[k + 3], row[k + 4], row[k + 5]


@always_inline
def store6(row, k, a):
    """Writes: row."""
    row[k], row[k + 1], row[k + 2], row[k + 3], row[k + 4], row[k + 5] = a


@always_inline
def store3(row, k, a):
    """Writes: row."""
    row[k] = a[0]
    row[k + 1] = a[1]
    row[k + 2] = a[2]


@always_inline
def tangents(n):
    """Two unit vectors that complete the unit vector n to a right-handed basis (n, t1, t2).

    The axis least aligned with n is projected out, so that axis-aligned normals give exact axes.
    """
    ax, ay, az = abs(n[0]), abs(n[1]), abs(n[2])
    if ax <= ay and ax <= az:
        e = (1.0, 0.0, 0.0)
    elif ay <= az:
        e = (0.0, 1.0, 0.0)
    else:
        e = (0.0, 0.0, 1.0)
    t = madd(e, n, -dot(e, n))
    t1 = scale(t, 1.0 / norm(t))
    return t1, cross(n, t1)


@always_inline
def sym_mul(s, a):
    """Symmetric matrix (xx, xy, xz, yy, yz, zz) times a vector."""
    return (s[0] * a[0] + s[1] * a[1] + s[2] * a[2],
            s[1] * a[0] + s[3] * a[1] + s[4] * a[2],
            s[2] * a[0] + s[4] * a[1] + s[5] * a[2])
