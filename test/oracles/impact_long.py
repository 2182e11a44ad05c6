# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The two-body impulse of docs/impacts.md in 80-bit arithmetic: oracles.impact finds the branch, this one the
digits."""

import numpy as np

from oracles import impact
from oracles.rotations import tangents

LONG = np.longdouble


def long(a):
    return np.asarray(a, dtype=LONG)


def inverse(a):
    """Inverse (3, 3) by cofactors: np.linalg knows no long double."""
    rows = np.array([np.cross(a[1], a[2]), np.cross(a[2], a[0]), np.cross(a[0], a[1])])
    return (rows / (a[0] @ rows[0])).T


def turned(body):
    """Inverse inertia (3, 3) in world axes; 0 for the heavy limit."""
    if np.isinf(body.mass):
        return np.zeros((3, 3), dtype=LONG)
    q = long(body.quat)
    q = q / np.sqrt(q @ q)
    w, v = q[0], q[1:]
    r = (w * w - v @ v) * np.eye(3, dtype=LONG) + 2 * np.outer(v, v) + 2 * w * skew(v)
    return r @ inverse(long(body.inertia)) @ r.T


def skew(r):
    zero = LONG(0)
    return np.array([[zero, -r[2], r[1]], [r[2], zero, -r[0]], [-r[1], r[0], zero]])


def inverse_mass(body):
    return LONG(0) if np.isinf(body.mass) else 1 / LONG(body.mass)


def inverse_effective_mass(body, point):
    """K (3, 3) of one body at a point."""
    r = skew(long(point) - long(body.pos))
    return inverse_mass(body) * np.eye(3, dtype=LONG) - r @ turned(body) @ r


def velocity_at(body, point):
    return long(body.linvel) + np.cross(long(body.angvel), long(point) - long(body.pos))


def sliding(K, n, u, e, mu, near):
    """The sliding impulse whose direction is next to that of the impulse `near`, by secants on the slip angle."""
    t1, t2 = (long(t) for t in tangents(np.asarray(n, dtype=float)))
    t1 = t1 - (t1 @ n) * n
    t1 = t1 / np.sqrt(t1 @ t1)
    t2 = np.cross(n, t1)

    def state(theta):
        d, side = np.cos(theta) * t1 + np.sin(theta) * t2, np.cos(theta) * t2 - np.sin(theta) * t1
        j = -(1 + LONG(e)) * (u @ n) / (n @ K @ (n - mu * d)) * (n - mu * d)
        return (u + K @ j) @ side, j

    old = LONG(np.arctan2(-near @ np.asarray(t2, dtype=float), -near @ np.asarray(t1, dtype=float)))
    new = old + LONG(1e-7)
    f_old, f_new = state(old)[0], state(new)[0]
    for _ in range(60):
        if f_new in (0, f_old):
            break
        old, new, f_old = new, new - f_new * (new - old) / (f_new - f_old), f_new
        f_new = state(new)[0]
    return state(new)[1]


def impulse(a, b, point, n, e, mu):
    """(J on b in long double, oracles.impact.Impact) of two oracle Bodies at restitution e exactly, n from a to b.

    Raises AssertionError where the friction law has several solutions.
    """
    n = long(n)
    n = n / np.sqrt(n @ n)
    K = inverse_effective_mass(a, point) + inverse_effective_mass(b, point)
    u = velocity_at(b, point) - velocity_at(a, point)
    found = impact.coulomb_impulses(*(np.asarray(x, dtype=float) for x in (K, n, u)), e, mu)
    assert len(found) == 1, f'{len(found)} solutions of the friction law at e = {e}'
    rough, sticks = found[0]
    if mu == 0:
        return -(1 + LONG(e)) * (u @ n) / (n @ K @ n) * n, sticks
    if sticks:
        return -inverse(K) @ (u + LONG(e) * (u @ n) * n), sticks
    return sliding(K, n, u, e, LONG(mu), rough), sticks


def after(a, b, point, j):
    """Velocities (linvel_a, angvel_a, linvel_b, angvel_b) that an impulse j on b (and -j on a) at a point leaves."""
    turns = [turned(x) @ np.cross(long(point) - long(x.pos), s * j) for x, s in ((a, -1), (b, 1))]
    moves = [s * inverse_mass(x) * j for x, s in ((a, -1), (b, 1))]
    return (long(a.linvel) + moves[0], long(a.angvel) + turns[0], long(b.linvel) + moves[1], long(b.angvel) + turns[1])
