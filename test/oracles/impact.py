# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Two-body impulse with Newton restitution and Coulomb friction, by brute force over the slip angle (docs/impacts.md,
part I).

Convention: n is the unit normal from body a to body b; u = (velocity of b) - (velocity of a) at the contact point;
J is the impulse on b and -J the one on a, so u+ = u + K J. Approaching iff u·n < 0.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from oracles.rotations import cross_matrix, matrix, tangents

ANGLES = 4096  # slip directions scanned before a root is refined


@dataclass
class Body:
    """One rigid body for the oracle: mass kg (inf = moved by nothing), inertia (3, 3) body frame about the CoM,
    world state.
    """

    mass: float
    inertia: np.ndarray
    pos: np.ndarray
    quat: np.ndarray
    linvel: np.ndarray
    angvel: np.ndarray

    def __post_init__(self):
        self.pos, self.quat, self.linvel, self.angvel = (
            np.array(a, dtype=float) for a in (self.pos, self.quat, self.linvel, self.angvel)
        )
        self.inertia = np.array(self.inertia, dtype=float)
        if self.inertia.ndim == 1:
            self.inertia = np.diag(self.inertia)

    @property
    def inverse_mass(self):
        return 0.0 if np.isinf(self.mass) else 1.0 / self.mass

    @property
    def inertia_world(self):
        r = matrix(self.quat)
        return r @ self.inertia @ r.T

    @property
    def inverse_inertia_world(self):
        return np.zeros((3, 3)) if np.isinf(self.mass) else np.linalg.inv(self.inertia_world)

    def velocity_at(self, point):
        return self.linvel + np.cross(self.angvel, point - self.pos)

    def kinetic_energy(self):
        return 0.5 * self.mass * self.linvel @ self.linvel + 0.5 * self.angvel @ self.inertia_world @ self.angvel

    def angular_momentum(self, origin=(0.0, 0.0, 0.0)):
        return np.cross(self.pos - origin, self.mass * self.linvel) + self.inertia_world @ self.angvel


@dataclass
class Impact:
    """Result: impulse on b (N·s), relative velocity after (m/s), restitution used, whether the contact sticks."""

    impulse: np.ndarray
    u_after: np.ndarray
    restitution: float
    sticks: bool


def effective_mass_inverse(body, point):
    """K of one body at a world point: 1/m·1 - [r] I^-1 [r], (3, 3), symmetric positive (semi)definite."""
    r = cross_matrix(point - body.pos)
    return body.inverse_mass * np.eye(3) - r @ body.inverse_inertia_world @ r


def slide_roots(K, n, u, e, mu):
    """Every sliding impulse whose tangential part opposes its own final slip: list of J (3,)."""
    t1, t2 = tangents(n)
    un = u @ n

    def state(theta):
        d = np.multiply.outer(np.cos(theta), t1) + np.multiply.outer(np.sin(theta), t2)
        direction = n - mu * d
        normal_gain = direction @ (K @ n)
        jn = -(1.0 + e) * un / normal_gain
        slip = u + (jn[..., None] if np.ndim(jn) else jn) * (direction @ K)
        side = np.multiply.outer(-np.sin(theta), t1) + np.multiply.outer(np.cos(theta), t2)
        return jn, np.sum(slip * side, axis=-1), np.sum(slip * d, axis=-1), normal_gain

    theta = np.linspace(-np.pi, np.pi, ANGLES + 1)
    jn, across, _, gain = state(theta)
    found = []
    for k in np.flatnonzero((across[:-1] * across[1:] <= 0.0) & (gain[:-1] * gain[1:] > 0.0)):
        if across[k] == 0.0 and across[k + 1] == 0.0:
            continue
        root = brentq(lambda a: float(state(a)[1]), theta[k], theta[k + 1], xtol=1e-15, rtol=1e-15)
        jn_root, _, along, _ = state(root)
        if jn_root > 0.0 and along >= 0.0:
            found.append(float(jn_root) * (n - mu * (np.cos(root) * t1 + np.sin(root) * t2)))
    return found


def coulomb_impulses(K, n, u, e, mu):
    """All impulses that satisfy the law at a fixed restitution e: list of (J, sticks). Stick wins where it is
    inside the cone.
    """
    un = u @ n
    if mu == 0.0:
        return [(-(1.0 + e) * un / (n @ K @ n) * n, False)]
    stick = np.linalg.solve(K, -(u + e * un * n))
    jn = stick @ n
    if jn > 0.0 and np.linalg.norm(stick - jn * n) <= mu * jn:
        return [(stick, True)]
    return [(j, False) for j in slide_roots(K, n, u, e, mu)]


def energy_change(J, u, K):
    """Work of the contact on both bodies, J: J·(u + u+)/2 with u+ = u + K J."""
    return J @ (u + 0.5 * (K @ J))


def impact(K, n, u, e, mu):
    """Impulse by the law of docs/impacts.md with e lowered to the largest e' <= e that makes no kinetic energy.

    Separating contacts return a zero impulse. Raises AssertionError where the sliding law has more than one solution.
    """
    zero = np.zeros(3)
    if u @ n >= 0.0:
        return Impact(zero, u.copy(), 0.0, False)
    scale = energy_scale(u, K)

    def solve(e_try):
        found = coulomb_impulses(K, n, u, e_try, mu)
        assert len(found) == 1, f'{len(found)} solutions of the friction law at e = {e_try}'
        return found[0]

    def gain(e_try):
        return energy_change(solve(e_try)[0], u, K)

    e_used = e
    if gain(e) > 1e-14 * scale:
        below = np.linspace(e, 0.0, 65)
        k = next(k for k, e_try in enumerate(below) if gain(e_try) <= 1e-15 * scale)
        e_used = brentq(gain, below[k], below[k - 1], xtol=1e-16, rtol=1e-15)
    J, sticks = solve(e_used)
    return Impact(J, u + K @ J, e_used, sticks)


def energy_scale(u, K):
    """Energy the contact can take out at most, J: u K^-1 u / 2; the natural unit of energy errors."""
    return 0.5 * u @ np.linalg.solve(K, u)


def collide(a, b, point, n, e, mu):
    """Impact of two Bodies at a world point, n from a to b: (Impact, linvel_a, angvel_a, linvel_b, angvel_b) after
    it.
    """
    K = effective_mass_inverse(a, point) + effective_mass_inverse(b, point)
    result = impact(K, n, b.velocity_at(point) - a.velocity_at(point), e, mu)
    J = result.impulse
    return (
        result,
        a.linvel - J * a.inverse_mass,
        a.angvel - a.inverse_inertia_world @ np.cross(point - a.pos, J),
        b.linvel + J * b.inverse_mass,
        b.angvel + b.inverse_inertia_world @ np.cross(point - b.pos, J),
    )


def sphere_impact(mass, radius, u, n, e, mu):
    """Closed form for a solid sphere b hitting an immovable a (n from a to b): impulse (3,).

    Sliding J_t = mu |J_n| against the slip u_t; sticking when |u_t| <= 3.5 mu (1 + e) |u_n|, then J_t = -(2/7) m u_t.
    """
    un = u @ n
    ut = u - un * n
    jn = -(1.0 + e) * mass * un
    slip = np.linalg.norm(ut)
    if slip <= 3.5 * mu * (1.0 + e) * abs(un):
        return jn * n - 2.0 / 7.0 * mass * ut
    return jn * n - mu * jn * ut / slip
