# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Smooth convex bodies for the surface oracles: the point that lies farthest along a direction, and the moments.

A body touches a floor at the floor's point p with normal n exactly if p is its extreme point along -n.
"""

import numpy as np
from scipy.special import beta

from oracles import floors
from oracles.rotations import matrix


class Quadric:
    """The ellipsoid xᵀ Q x <= 1, Q (3, 3) positive; `Quadric.of_axes` for semi-axes (3,) along x, y, z."""

    def __init__(self, q):
        self.inverse = np.linalg.inv(q)

    @classmethod
    def of_axes(cls, axes):
        made = cls(np.diag(1.0 / np.asarray(axes, dtype=float) ** 2))
        made.axes = tuple(axes)
        return made

    def extreme(self, d):
        return self.inverse @ d / np.sqrt(d @ self.inverse @ d)

    def inertia(self, mass):
        """∫ x xᵀ dm = m Q⁻¹ / 5."""
        s = mass / 5 * self.inverse
        return np.trace(s) * np.eye(3) - s


def ball(radius):
    return Quadric.of_axes((radius,) * 3)


class Superquadric:
    """(|x/a|^(2/e2) + |y/b|^(2/e2))^(e2/e1) + |z/c|^(2/e1) <= 1: a norm of norms, so the extreme point is Hölder's."""

    def __init__(self, axes, exponents):
        self.axes, self.e = np.asarray(axes, dtype=float), exponents

    def extreme(self, d):
        """Maximum of d·x over |(|(x/a, y/b)|_p, z/c)|_q <= 1 with p = 2/e2, q = 2/e1."""
        e1, e2 = self.e
        s = self.axes * d
        flat, flat_size = dual(s[:2], 2 / e2)
        outer, _ = dual(np.array([flat_size, s[2]]), 2 / e1)
        return self.axes * np.append(outer[0] * flat, outer[1])

    def inertia(self, mass):
        """Closed form in beta functions (Jaklič, Leonardis, Solina, Superquadrics, 2000, §2.4)."""
        (a, b, c), (e1, e2) = self.axes, self.e
        volume = 2 * a * b * c * e1 * e2 * beta(e1 / 2 + 1, e1) * beta(e2 / 2, e2 / 2)
        side = 0.5 * a * b * c * e1 * e2 * beta(1.5 * e2, 0.5 * e2) * beta(0.5 * e1, 2 * e1 + 1)
        high = 2 * a * b * c * e1 * e2 * beta(0.5 * e2, 0.5 * e2 + 1) * beta(1.5 * e1, e1 + 1)
        s = mass / volume * np.array([a * a * side, b * b * side, c * c * high])
        return np.diag(s.sum() - s)


def dual(d, p):
    """The point of the unit ball of the p-norm farthest along d, and how far: the dual norm of d."""
    r = p / (p - 1)
    size = np.sum(np.abs(d) ** r) ** (1 / r)
    if size == 0.0:
        return np.zeros(len(d)), 0.0
    return np.sign(d) * (np.abs(d) / size) ** (r - 1), size


def touching(floor, body, near, quat, *, com=(0, 0, 0), t=0.0):
    """A body of attitude quat that touches the floor's point nearest to `near`: (point, normal, pos of the CoM)."""
    point = floors.onto(floor, t, near)
    n = floors.normal(floor, t, point)
    r = matrix(quat)
    return point, n, point - r @ (body.extreme(-r.T @ n) - np.asarray(com))


def start(floor, body, near, quat, *, mode, angvel=(0, 0, 0), slip=(0, 0, 0), com=(0, 0, 0), t=0.0):
    """State of a body that touches its floor: at the contact it has the floor's velocity and the slip.

    slip (3,) m/s, along the floor or taken so; only where the body slides.
    """
    point, n, pos = touching(floor, body, near, quat, com=com, t=t)
    slip = np.zeros(3) if mode == 'roll' else np.asarray(slip, dtype=float)
    linvel = floor.velocity(t, point) + slip - (slip @ n) * n - np.cross(angvel, point - pos)
    return dict(pos=pos, quat=np.asarray(quat, dtype=float), linvel=linvel, angvel=np.asarray(angvel, dtype=float))
