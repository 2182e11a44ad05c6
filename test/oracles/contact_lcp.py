# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Many contacts at once as one complementarity problem (docs/resting_contact.md; Yoshimoto 2017), written apart from
the engine.

Contact points of a step (positions, normals, mu) and the bodies as they were before it give J, M and the velocity
v_free that the bodies would have at the end of the step without contact. Impulses P solve the problem where M (v -
v_free) = Jᵀ P,   u = J v,   P_n >= 0 ⟂ u_n >= 0,   |P_t| <= mu P_n,   P_t = -mu P_n u_t/|u_t| or u_t = 0. All of it is
one equation, P = proj_K(P - rho (u + mu |u_t| n)) with the cone K (De Saxcé and Feng 1998), which `solve_coulomb`
solves by Gauss-Seidel sweeps and Newton's iteration; without friction it is a convex quadratic problem with a unique v,
which `solve_frictionless` takes to `scipy.optimize.nnls`."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from oracles.rotations import cross_matrix, matrix, tangents

SWEEPS, NEWTON, HALVINGS = 40, 60, 12


@dataclass
class Problem:
    """m contacts of n bodies; rows of contact i of J, P, u: normal, two tangents; columns of body k: v, ω (world)."""

    J: np.ndarray  # (3m, 6n)
    inverse_mass: np.ndarray  # (6n, 6n), M⁻¹; zero for bodies that nothing moves
    v_free: np.ndarray  # (6n,)
    mu: np.ndarray  # (m,)
    frames: np.ndarray  # (m, 3, 3), rows n, t1, t2
    speed: float  # m/s, the largest that the loads of the step alone bring to a contact

    @property
    def delassus(self):
        """A = J M⁻¹ Jᵀ (3m, 3m)."""
        return self.J @ self.inverse_mass @ self.J.T

    @property
    def free(self):
        """b = J v_free (3m,)."""
        return self.J @ self.v_free

    def velocity(self, impulses):
        """v (6n,) at the end of the step under impulses (3m,)."""
        return self.v_free + self.inverse_mass @ self.J.T @ impulses


def snapshot(world):
    """What `problem` needs of a world before the step: its arrays, copied."""
    names = ('pos', 'quat', 'linvel', 'angvel', 'mass', 'inertia', 'force', 'torque', 'gravity')
    return {name: np.array(getattr(world, name)) for name in names} | {'dt': world.dt, 'kinds': world.kinds}


def problem(before, rows):
    """Problem of a step from `snapshot` and the rows of contacts() after it. ω × I ω is left to bodies without spin."""
    n, m = len(before['mass']), len(rows)
    inverse, v_free, brought = np.zeros((6 * n, 6 * n)), np.zeros(6 * n), np.zeros(6 * n)
    for k in range(n):
        at = slice(6 * k, 6 * k + 6)
        v_free[at] = np.concatenate([before['linvel'][k], before['angvel'][k]])
        if before['kinds'][k] != 'dynamic':
            continue
        r = matrix(before['quat'][k])
        inverse[at, at][:3, :3] = np.eye(3) / before['mass'][k]
        inverse[at, at][3:, 3:] = r @ np.linalg.inv(before['inertia'][k]) @ r.T
        load = np.concatenate([before['force'][k] + before['mass'][k] * before['gravity'], before['torque'][k]])
        brought[at] = inverse[at, at] @ load * before['dt']
    J, frames = np.zeros((3 * m, 6 * n)), np.zeros((m, 3, 3))
    for i, row in enumerate(rows):
        frames[i] = [row['normal'], *tangents(row['normal'])]
        for k, sign in ((row['body_a'], -1.0), (row['body_b'], 1.0)):
            arm = cross_matrix(row['position'] - before['pos'][k])
            J[3 * i:3 * i + 3, 6 * k:6 * k + 6] = sign * frames[i] @ np.hstack([np.eye(3), -arm])
    return Problem(J, inverse, v_free + brought, np.array(rows['friction']), frames, np.abs(J @ brought).max())


def reported(task, rows):
    """(3m,) impulses of the rows in the contacts' own frames."""
    return np.einsum('mij,mj->mi', task.frames, rows['impulse']).ravel()


def velocities(world):
    """(6n,) of a world."""
    return np.hstack([world.linvel, world.angvel]).ravel()


def violations(task, impulses, v):
    """How far (P, v) is from solving the problem: dict of worst violations. Impulses over the largest |P|; velocities
    over the largest that the loads alone would bring to a contact; `motion` of M (v - v_free) = Jᵀ P over the largest
    change of v; `opposed` of P_t = -mu P_n u_t/|u_t|, weighted with the slip where that is smaller than the loads'.
    """
    u, P = (task.J @ v).reshape(-1, 3), impulses.reshape(-1, 3)
    force, speed = np.abs(P).max(), task.speed
    tangential, slip = np.linalg.norm(P[:, 1:], axis=1), np.linalg.norm(u[:, 1:], axis=1)
    change = task.velocity(impulses) - task.v_free
    slant = slip[:, None] * P[:, 1:] + (task.mu * P[:, 0])[:, None] * u[:, 1:]
    return {
        'pull': max(0.0, -P[:, 0].min()) / force,
        'approach': max(0.0, -u[:, 0].min()) / speed,
        'apart': np.abs(P[:, 0] * u[:, 0]).max() / (force * speed),
        'cone': max(0.0, (tangential - task.mu * P[:, 0]).max()) / force,
        'opposed': (np.abs(slant).max(axis=1) / np.maximum(slip, speed)).max() / force,
        'motion': np.abs(v - task.velocity(impulses)).max() / np.abs(change).max(),
    }


def solve_frictionless(task):
    """(v (6n,), impulses (3m,)) with mu = 0: the smallest ||M^½ (v - v_free)|| with all u_n >= 0, by its dual. v is
    unique. Bodies that nothing moves must stand still.
    """
    J, inverse = task.J[::3], task.inverse_mass
    values, axes = np.linalg.eigh(inverse)  # blocks of one body each: zero for those that nothing moves
    half = axes * np.sqrt(np.maximum(values, 0.0)) @ axes.T  # M^-½
    known = values > 0.0
    back = axes[:, known] / np.sqrt(values[known]) @ axes[:, known].T  # M^½
    lever = J @ half
    size = np.linalg.norm(lever, axis=1)  # masses of 1 : 1e4 leave all columns alike
    P, _ = nnls((lever / size[:, None]).T, -back @ task.v_free, maxiter=10_000)
    full = np.zeros(len(task.J))
    full[::3] = P / size
    return task.velocity(full), full


def project(point, mu):
    """Nearest point (3,) of the cone |t| <= mu n, and the derivative (3, 3) of that map."""
    n, t = point[0], point[1:]
    size = np.linalg.norm(t)
    if size <= mu * n:
        return point.copy(), np.eye(3)
    if mu * size <= -n:
        return np.zeros(3), np.zeros((3, 3))
    direction = np.concatenate([[0.0], t / size])
    side = np.array([1.0, 0.0, 0.0]) + mu * direction  # the cone's line nearest to the point, length² 1 + mu²
    height = (n + mu * size) / (1.0 + mu * mu)
    across = np.diag([0.0, 1.0, 1.0]) - np.outer(direction, direction)
    return height * side, np.outer(side, side) / (1.0 + mu * mu) + mu * height / size * across


class _Coulomb:
    """The equation P - proj_K(P - rho (u + mu |u_t| n)) = 0 with its derivative."""

    def __init__(self, task):
        self.A, self.b, self.mu = task.delassus, task.free, task.mu
        blocks = [self.A[3 * i:3 * i + 3, 3 * i:3 * i + 3] for i in range(len(self.mu))]
        self.rho = [1.0 / max(np.linalg.eigvalsh(block)[-1], 1e-300) for block in blocks]

    def target(self, i, P, u):
        """Projected point of contact i, its derivative, and the slip's direction with mu in the normal's row."""
        at = slice(3 * i, 3 * i + 3)
        slip = np.linalg.norm(u[1:])
        lift = np.zeros((3, 3))
        if slip > 0.0:
            lift[0, 1:] = self.mu[i] * u[1:] / slip
        bent = u + np.array([self.mu[i] * slip, 0.0, 0.0])
        return *project(P[at] - self.rho[i] * bent, self.mu[i]), lift

    def sweep(self, P):
        """Gauss-Seidel: contact after contact, each with a few local steps."""
        for i in range(len(self.mu)):
            at = slice(3 * i, 3 * i + 3)
            for _ in range(5):
                P[at] = self.target(i, P, self.A[at] @ P + self.b[at])[0]

    def residual(self, P):
        u = self.A @ P + self.b
        return np.concatenate([P[3 * i:3 * i + 3] - self.target(i, P, u[3 * i:3 * i + 3])[0]
                               for i in range(len(self.mu))])  # fmt: skip

    def derivative(self, P):
        u, out = self.A @ P + self.b, np.eye(len(P))
        for i in range(len(self.mu)):
            at = slice(3 * i, 3 * i + 3)
            _, slope, lift = self.target(i, P, u[at])
            inner = -self.rho[i] * (np.eye(3) + lift) @ self.A[at]
            inner[:, at] += np.eye(3)
            out[at] -= slope @ inner
        return out


def solve_coulomb(task, tolerance=1e-13):
    """(P (3m,), worst residual over the largest |P|): sweeps, then Newton by least squares with halved steps."""
    law = _Coulomb(task)
    P = np.zeros(len(task.J))
    for _ in range(SWEEPS):
        law.sweep(P)
    for _ in range(NEWTON):
        off = law.residual(P)
        if np.abs(off).max() <= tolerance * max(np.abs(P).max(), 1e-300):
            break
        step = np.linalg.lstsq(law.derivative(P), -off, rcond=1e-12)[0]
        for k in range(HALVINGS):
            if np.linalg.norm(law.residual(P + 0.5**k * step)) < np.linalg.norm(off):
                P = P + 0.5**k * step
                break
        else:
            for _ in range(SWEEPS):
                law.sweep(P)
    return P, np.abs(law.residual(P)).max() / max(np.abs(P).max(), 1e-300)


def wrenches(rows, about=(0.0, 0.0, 0.0)):
    """{(body a, body b): (6,) impulse and moment on b about a common point} of contact points."""
    total = {}
    for row in rows:
        key = int(row['body_a']), int(row['body_b'])
        moment = np.cross(row['position'] - np.asarray(about), row['impulse']) + row['moment']
        total[key] = total.get(key, np.zeros(6)) + np.concatenate([row['impulse'], moment])
    return total


def settled_pairs(task, rows, v, tolerance=1e-9):
    """Pairs (body a, body b) whose total wrench the frictionless problem determines: no change of the impulses that
    moves nothing, on contacts that stay closed under v, changes it. A set of keys as of `wrenches`.
    """
    pressing = np.flatnonzero((task.J @ v)[::3] < 1e-6 * task.speed)
    lever = task.J[3 * pressing]  # (k, 6n): the wrench of unit normal impulses on each body
    silent = task.inverse_mass.any(axis=1)
    size = np.abs(lever).max()
    _, s, vt = np.linalg.svd(lever[:, silent].T / size)
    loose = vt[(np.append(s, np.zeros(len(vt) - len(s))) < tolerance)]
    keys = [(int(rows['body_a'][i]), int(rows['body_b'][i])) for i in pressing]
    out = set()
    for key in set(keys):
        mine = np.array([k == key for k in keys])
        body = key[1] if silent[6 * key[1]] else key[0]
        moved = loose[:, mine] @ lever[mine, 6 * body:6 * body + 6]
        if np.abs(moved).max(initial=0.0) < 1e-6 * size:
            out.add(key)
    return out
