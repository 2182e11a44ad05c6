# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Floors for the surface oracles, in numpy: solid where value <= 0, gradients point out of them.

A floor has `value`, `gradient` and material `velocity` at (t, x); those that stand still also a Hessian.  Derivatives
of moved floors are taken by complex steps, exact to rounding, so no chain rule here is shared with the engine.
"""

import numpy as np
from scipy.optimize import root

STEP = 1e-30  # of complex steps


def turn(axis, angle):
    """Rotation matrix by `angle`, which may be complex, about `axis` (Rodrigues)."""
    x, y, z = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * (cross @ cross)


class Still:
    """What floors that stand still have in common."""

    def velocity(self, t, x):
        return np.zeros(3)

    def gradient(self, t, x):
        return np.array([self.value(t, np.asarray(x) + 1j * STEP * e).imag / STEP for e in np.eye(3)])


class Plane(Still):
    def __init__(self, normal=(0, 0, 1), offset=0.0):
        self.n, self.offset = np.asarray(normal, dtype=float) / np.linalg.norm(normal), offset

    def value(self, t, x):
        return self.n @ x - self.offset

    def hessian(self, x):
        return np.zeros((3, 3))


class Round(Still):
    """A sphere (axis None) or a cylinder about `axis` through `centre`."""

    def __init__(self, radius, centre=(0, 0, 0), inside=False, axis=None):
        self.radius, self.centre, self.axis = radius, np.asarray(centre, dtype=float), axis
        self.sign = -1.0 if inside else 1.0
        a = np.zeros(3) if axis is None else np.asarray(axis, dtype=float) / np.linalg.norm(axis)
        self.across = np.eye(3) - np.outer(a, a)

    def value(self, t, x):
        d = self.across @ (x - self.centre)
        return self.sign * (np.sqrt(np.sum(d * d)) - self.radius)

    def hessian(self, x):
        d = self.across @ (x - self.centre)
        s = np.sqrt(d @ d)
        return self.sign * (self.across / s - np.outer(d, d) / s**3)


class Paraboloid(Still):
    def __init__(self, kx, ky):
        self.k = np.array([kx, ky])

    def value(self, t, x):
        return x[2] - 0.5 * (self.k[0] * x[0] ** 2 + self.k[1] * x[1] ** 2)

    def hessian(self, x):
        return np.diag([-self.k[0], -self.k[1], 0.0])


class Sine(Still):
    """z = A sin(k·x + phase - rate t); its material moves up and down."""

    def __init__(self, amplitude, wave_vector, phase=0.0, rate=0.0):
        self.amplitude, self.phase, self.rate = amplitude, phase, rate
        self.k = np.array([*wave_vector, 0.0])

    def value(self, t, x):
        return x[2] - self.amplitude * np.sin(self.k @ x + self.phase - self.rate * t)

    def hessian(self, x):
        return self.amplitude * np.sin(self.k @ x + self.phase) * np.outer(self.k, self.k)

    def velocity(self, t, x):
        up = -self.rate * self.amplitude * np.cos(self.k @ x + self.phase - self.rate * t)
        return np.array([0, 0, up])


class Moved:
    """A floor carried along: X -> centre + velocity t + sway sin(sway_rate t) + R (X - centre)."""

    def __init__(self, floor, *, velocity=(0, 0, 0), sway=(0, 0, 0), sway_rate=0.0, axis=(0, 0, 1), centre=(0, 0, 0),
                 angle=0.0, rate=0.0, tilt=0.0, tilt_rate=0.0):
        self.options = {k: v for k, v in locals().items() if k not in ('self', 'floor')}
        self.floor, self.axis, self.centre = floor, axis, np.asarray(centre, dtype=float)
        self.shift = lambda t: np.asarray(velocity) * t + np.asarray(sway) * np.sin(sway_rate * t)
        self.angle = lambda t: angle + rate * t + tilt * np.sin(tilt_rate * t)

    def back(self, t, x):
        """X, where the point at x lay in the floor's own frame."""
        return self.centre + turn(self.axis, self.angle(t)).T @ (x - self.centre - self.shift(t))

    def value(self, t, x):
        return self.floor.value(t, self.back(t, x))

    def gradient(self, t, x):
        return turn(self.axis, self.angle(t)) @ self.floor.gradient(t, self.back(t, x))

    def velocity(self, t, x):
        own, s = self.back(t, x), t + 1j * STEP
        carried = (self.shift(s) + turn(self.axis, self.angle(s)) @ (own - self.centre)).imag / STEP
        return carried + turn(self.axis, self.angle(t)) @ self.floor.velocity(t, own)


def normal(floor, t, x):
    g = floor.gradient(t, x)
    return g / np.linalg.norm(g)


def onto(floor, t, guess):
    """The floor's point nearest to a guess near it: x on the floor, guess - x along the gradient."""
    guess = np.asarray(guess, dtype=float)

    def miss(y):
        return np.append(y[:3] + y[3] * floor.gradient(t, y[:3]) - guess, floor.value(t, y[:3]))

    found = root(miss, np.append(guess, 0.0), tol=1e-15)
    assert np.abs(miss(found.x)).max() < 1e-12
    x = found.x[:3]
    # the last digits: onto the floor to rounding
    for _ in range(2):
        g = floor.gradient(t, x)
        x = x - floor.value(t, x) * g / (g @ g)
    return x
