# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bodies that slide and roll on a surface, from reduced equations without multipliers, integrated to 1e-12.

An ellipsoid on a level plane in its own axes: g is the upward direction seen from the body, r = -B g/h - com the way
from the centre of mass to the contact, B = diag(a²), h = sqrt(g·Bg) the support function.
    rolling   M = I w + m r × (w × r):  M' = M × w + m r' × (w × r) + m G r × g       (moments about the contact)
    sliding   L = w·Iw/2 + m z'²/2 - m G z, z = -r·g:  Euler-Poincaré with g' = g × w  (no multiplier at all)
    skidding  with friction mu N against the slip: N from m z'' = N - m G, z'' being linear in w' and so in N
A ball on any still floor, n out of the floor, p the contact, u(p) the speed of a belt in the floor's surface:
    rolling   (I/r + m r) v' = I/r u' + r F + I w_n n × n'  along the floor,  w_n' = w·n'  (the force eliminated)
    sliding   m v' = F along the floor, w constant.
"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

from oracles.rotations import matrix

G = 9.81


def solved(rhs, start, times):
    """States (len(times), n) of y' = rhs(t, y) from t = 0."""
    found = solve_ivp(rhs, (0.0, times[-1]), start, method='DOP853', rtol=1e-12, atol=1e-14, t_eval=times)
    assert found.success
    return found.y.T


def cross(a, b):
    """a × b of two (3,): np.cross spends its time on shapes."""
    ax, ay, az = a
    bx, by, bz = b
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def turning(q, w):
    """q' = q ⊗ (0, w)/2 of a body with angular velocity w (3,) in its own axes."""
    a, b, c, d = q
    x, y, z = w
    return 0.5 * np.array([-b * x - c * y - d * z, a * x + c * z - d * y, a * y + d * x - b * z, a * z + b * y - c * x])


def still(p):
    """No belt: speed and its gradient."""
    return np.zeros(3), np.zeros((3, 3))


class EllipsoidOnPlane:
    """Semi-axes (3,), inertia (3, 3) about the CoM in body axes, com (3,) in the shape's frame; the plane is z = 0."""

    def __init__(self, axes, mass, inertia, *, com=(0, 0, 0), gravity=G):
        self.b, self.mass, self.inertia = np.diag(np.square(axes)), mass, np.asarray(inertia, dtype=float)
        self.com, self.gravity = np.asarray(com, dtype=float), gravity

    def support(self, g):
        """h, r and dr/dg (3, 3), which is symmetric."""
        bg = self.b @ g
        h = np.sqrt(g @ bg)
        return h, -bg / h - self.com, -self.b / h + np.outer(bg, bg) / h**3

    def about_contact(self, r):
        return self.inertia + self.mass * ((r @ r) * np.eye(3) - np.outer(r, r))

    def _roll(self, t, y):
        moment, q = y[:3], y[3:7]
        rot = matrix(q)
        g = rot[2]
        _, r, slope = self.support(g)
        w = np.linalg.solve(self.about_contact(r), moment)
        r_rate = slope @ cross(g, w)
        rate = (cross(moment, w) + self.mass * cross(r_rate, cross(w, r))
                + self.mass * self.gravity * cross(r, g))
        return np.concatenate([rate, turning(q, w), (rot @ cross(r, w))[:2]])

    def rolls(self, pos, quat, angvel, times):
        """pos, quat, linvel, angvel, contact along `times`, all world, from a start that rolls."""
        g = matrix(quat)[2]
        w = matrix(quat).T @ angvel
        moment = self.about_contact(self.support(g)[1]) @ w
        y = solved(self._roll, np.concatenate([moment, quat, pos[:2]]), times)
        return self._answer(y, lambda row, r: np.linalg.solve(self.about_contact(r), row[:3]), None)

    def _inner(self, g):
        r = self.support(g)[1]
        s = cross(g, r)  # z' = w·s
        return self.inertia + self.mass * np.outer(s, s)

    def _slide(self, t, y):
        momentum, q = y[:3], y[3:7]
        g = matrix(q)[2]
        _, r, slope = self.support(g)
        w = np.linalg.solve(self._inner(g), momentum)
        g_rate = cross(g, w)
        rise = -r @ g_rate
        # dL/dg at fixed w, z' = -r(g)·(g × w)
        pull = self.mass * rise * (-slope @ g_rate - cross(w, r)) + self.mass * self.gravity * r
        return np.concatenate([cross(momentum, w) + cross(pull, g), turning(q, w)])

    def slides(self, pos, quat, linvel, angvel, times):
        """As `rolls`, from a start whose contact does not leave the plane."""
        rot = matrix(quat)
        y = solved(self._slide, np.concatenate([self._inner(rot[2]) @ (rot.T @ angvel), quat]), times)
        y = np.hstack([y, pos[:2] + np.multiply.outer(times, linvel[:2])])
        return self._answer(y, lambda row, r: np.linalg.solve(self._inner(matrix(row[3:7])[2]), row[:3]), linvel)

    def skidding(self, t, y, mu):
        w, q, v = y[:3], y[3:7], y[9:11]
        rot = matrix(q)
        g = rot[2]
        _, r, slope = self.support(g)
        slip = v + (rot @ cross(w, r))[:2]
        size = np.hypot(*slip)
        push = rot.T @ np.array([-mu * slip[0] / size, -mu * slip[1] / size, 1.0])  # per N, in the body
        free = np.linalg.solve(self.inertia, cross(self.inertia @ w, w))
        turned = np.linalg.solve(self.inertia, cross(r, push))
        # z' = -r·(g × w)
        g_rate = cross(g, w)
        rise = -(slope @ g_rate) @ g_rate - r @ cross(g_rate, w) - r @ cross(g, free)
        n = self.mass * (self.gravity + rise) / (1 + self.mass * (r @ cross(g, turned)))
        return np.concatenate([free + n * turned, turning(q, w), v, -mu * n / self.mass * slip / size])

    def _slip(self, t, y, mu):
        rot = matrix(y[3:7])
        return np.hypot(*(y[9:11] + (rot @ cross(y[:3], self.support(rot[2])[1]))[:2])) - 1e-6

    def skids(self, pos, quat, linvel, angvel, mu, longest):
        """Until the slip is 1e-6 m/s: the time, and pos, quat, linvel, angvel, contact then."""
        def stop(t, y, mu):
            return self._slip(t, y, mu)

        stop.terminal = True
        y = np.concatenate([matrix(quat).T @ angvel, quat, pos[:2], linvel[:2]])
        found = solve_ivp(self.skidding, (0.0, longest), y, method='DOP853', rtol=1e-11, atol=1e-13, events=stop,
                          args=(mu,))
        assert len(found.t_events[0]) == 1
        row = found.y_events[0][0]
        reported = self._answer(row[None], lambda y, r: y[:3], np.append(row[9:11], 0.0))
        return found.t_events[0][0], {key: value[0] for key, value in reported.items()}

    def _answer(self, y, spin, drift):
        out = {'pos': [], 'quat': [], 'linvel': [], 'angvel': [], 'contact': []}
        for row in y:
            q = row[3:7] / np.linalg.norm(row[3:7])
            rot = matrix(q)
            r = self.support(rot[2])[1]
            w = spin(row, r)
            pos = np.array([row[7], row[8], -r @ rot[2]])
            v = rot @ cross(r, w)  # of the centre over a contact at rest
            linvel = v if drift is None else np.array([drift[0], drift[1], v[2]])
            for key, value in zip(out, (pos, q, linvel, rot @ w, pos + rot @ r), strict=True):
                out[key].append(value)
        return {key: np.array(value) for key, value in out.items()}


class BallOnFloor:
    """A ball, moment of inertia I about its centre, on a still floor of `oracles.floors` (gradient and Hessian used).

    belt(p) -> (u, du/dp): a tangential speed of the floor's material.
    """

    def __init__(self, floor, radius, mass, inertia, *, gravity=(0, 0, -G), belt=still):
        self.floor, self.r, self.mass, self.inertia = floor, radius, mass, inertia
        self.weight, self.belt = mass * np.asarray(gravity, dtype=float), belt

    def _at(self, p, v):
        """Normal, its rate and the speed of the contact point: n' = S p', p' + r n' = v."""
        g = self.floor.gradient(0.0, p)
        size = np.linalg.norm(g)
        n = g / size
        shape = (np.eye(3) - np.outer(n, n)) @ self.floor.hessian(p) / size
        p_rate = np.linalg.solve(np.eye(3) + self.r * shape, v)
        return n, shape @ p_rate, p_rate

    def _spin(self, n, v, w_n, p):
        return cross(n, v - self.belt(p)[0]) / self.r + w_n * n

    def _acceleration(self, n, n_rate, p, p_rate, v, w_n):
        """v' while rolling."""
        r, inertia = self.r, self.inertia
        pull = inertia / r * (self.belt(p)[1] @ p_rate) + r * self.weight + inertia * w_n * cross(n, n_rate)
        a = (pull - (pull @ n) * n) / (inertia / r + self.mass * r)
        return a - (n_rate @ v) * n

    def _roll(self, t, y):
        p, v, w_n, q = y[:3], y[3:6], y[6], y[7:11]
        n, n_rate, p_rate = self._at(p, v)
        w = self._spin(n, v, w_n, p)
        a = self._acceleration(n, n_rate, p, p_rate, v, w_n)
        return np.concatenate([p_rate, a, [w @ n_rate], turning(q, matrix(q).T @ w)])

    def _slide(self, t, y):
        n, n_rate, p_rate = self._at(y[:3], y[3:6])
        along = (self.weight - (self.weight @ n) * n) / self.mass
        return np.concatenate([p_rate, along - (n_rate @ y[3:6]) * n])

    def rolls(self, contact, angvel, quat, times):
        """pos, quat, linvel, angvel, contact, force (of the floor) along `times`."""
        contact, angvel = np.asarray(contact, dtype=float), np.asarray(angvel, dtype=float)
        g = self.floor.gradient(0.0, contact)
        n = g / np.linalg.norm(g)
        v = self.belt(contact)[0] + self.r * cross(angvel, n)
        y = solved(self._roll, np.concatenate([contact, v, [angvel @ n], quat]), times)
        out = {key: [] for key in ('pos', 'quat', 'linvel', 'angvel', 'contact', 'force')}
        for row in y:
            p, v, w_n = row[:3], row[3:6], row[6]
            n, n_rate, p_rate = self._at(p, v)
            f = self.mass * self._acceleration(n, n_rate, p, p_rate, v, w_n) - self.weight
            reported = (p + self.r * n, row[7:] / np.linalg.norm(row[7:]), v, self._spin(n, v, w_n, p), p, f)
            for key, value in zip(out, reported, strict=True):
                out[key].append(value)
        return {key: np.array(value) for key, value in out.items()}

    def slides(self, contact, linvel, times):
        """pos, linvel, contact, force along `times`; linvel along the floor."""
        y = solved(self._slide, np.concatenate([contact, linvel]), times)
        out = {key: [] for key in ('pos', 'linvel', 'contact', 'force')}
        for row in y:
            n, n_rate, _ = self._at(row[:3], row[3:])
            f = -(self.mass * (n_rate @ row[3:]) + self.weight @ n) * n
            for key, value in zip(out, (row[:3] + self.r * n, row[3:], row[:3], f), strict=True):
                out[key].append(value)
        return {key: np.array(value) for key, value in out.items()}


def pendulum(amplitude, rate, times):
    """Angle of a pendulum let go at `amplitude`, rate = small-angle angular frequency: sin(a/2) = k sn(K + rate t)."""
    k = np.sin(0.5 * amplitude)
    sn, _, _, _ = ellipj(ellipk(k * k) + rate * np.asarray(times), k * k)
    return 2 * np.arcsin(k * sn)


def pendulum_period(amplitude, rate):
    return 4 * ellipk(np.sin(0.5 * amplitude) ** 2) / rate


def steady_spin(axes, mass, inertia, tilt, precession, gravity=G):
    """Spin s about the axis of a spheroid (a, a, c) that rolls in a circle: w = precession z + s e, e at `tilt` from z.

    In the frame that turns with it all stands still, so W z × L = r × (m G z + m W z × v), W the precession, L = I w,
    v = r × w: linear in s.  Returns s, r (centre to contact), v, w, with e in the plane of x and z.
    """
    z = np.array([0.0, 0.0, 1.0])
    e = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    b = axes[0] ** 2 * (np.eye(3) - np.outer(e, e)) + axes[2] ** 2 * np.outer(e, e)
    r = -b @ z / np.sqrt(z @ b @ z)
    tensor = inertia[0] * (np.eye(3) - np.outer(e, e)) + inertia[2] * np.outer(e, e)

    def missing(s):
        w = precession * z + s * e
        v = cross(r, w)
        force = mass * (gravity * z + precession * cross(z, v))
        return (cross(precession * z, tensor @ w) - cross(r, force))[1]

    zero, one = missing(0.0), missing(1.0)
    s = -zero / (one - zero)
    w = precession * z + s * e
    return s, r, cross(r, w), w
