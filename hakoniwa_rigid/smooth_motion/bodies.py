# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bodies that slide and roll: convex, smooth, solid where H(X) <= 0 in the shape's frame."""
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..engine.constants import MAX_SIZE, MIN_SIZE
from ..engine.errors import EngineError
from ..engine.mass.body import from_moments
from ..engine.mass.uniform import uniform_body
from ..engine.maths.matrices import lengths, product
from ..engine.maths.pointwise import cos, power, sin
from ..engine.maths.quadrature import gauss_legendre
from ..engine.shapes import Ellipsoid, Sphere, Superquadric
from . import layout as L
from .custom import compiled, no_function

# points of a body's surface from which contacts are looked for, and how many of its neighbours each knows
SAMPLES, NEIGHBOURS = 200, 8
# nodes of the integrals over directions, cos(polar angle) x azimuth
NODES = 32, 64
# of a distance found by Newton's method: its last bits
LAST_BIT = 1e-15


@dataclass(frozen=True)
class SmoothBody:
    """Any smooth convex body: function(x, y, z) in its own frame gives ten numbers, H, its gradient (x, y, z) and its
    second derivatives (xx, yy, zz, xy, xz, yz).

    H < 0 at the origin, H > 0 outside, gradient outwards.  The function is compiled by numba when the body is made.
    """

    function: Any

    def __post_init__(self):
        object.__setattr__(self, '_compiled', compiled('SmoothBody.function', self.function, ('x', 'y', 'z')))
        object.__setattr__(self, '_plain', getattr(self.function, 'py_func', self.function))
        if not self._plain(0.0, 0.0, 0.0)[0] < 0.0:
            raise EngineError('SmoothBody.function: must be < 0 at the origin, which is in the body, '
                              f'got {self._plain(0.0, 0.0, 0.0)[0]!r}')

    def row(self):
        """The numbers that the kernels read."""
        return np.array([L.SMOOTH, 0.0, 0.0, 0.0, 0.0, 0.0])

    def code(self):
        """The compiled function."""
        return self._compiled

    def _radius(self, u):
        """Distance (m) from the origin to the surface along the unit vector u: Newton's method from outside."""
        def height(r):
            h, hx, hy, hz = self._plain(*(r * u).tolist())[:4]
            return h, hx * u[0] + hy * u[1] + hz * u[2]
        r = MIN_SIZE
        while not height(r)[0] > 0.0:
            r *= 2.0
            if r > MAX_SIZE:
                raise EngineError(f'SmoothBody.function: must be > 0 outside the body, it is not along {u.tolist()}')
        low = 0.0
        high = r
        for _ in range(200):
            h, slope = height(r)
            if h > 0.0:
                high = r
            else:
                low = r
            new = r - h / slope if slope > 0.0 else 0.5 * (low + high)
            if not low < new < high:
                new = 0.5 * (low + high)
            if abs(new - r) <= LAST_BIT * r:
                break
            r = new
        return r

    def surface(self):
        """Points (SAMPLES, 3) m, all over the surface."""
        half = np.array([max(self._radius(e), self._radius(-e)) for e in np.eye(3)])
        u = _directions() * half
        u /= lengths(u)[:, None]
        return u * np.array([self._radius(x) for x in u])[:, None]

    def uniform(self):
        """Body of mass 1 kg and uniform density: integrals over the directions, exact to rounding where H is smooth."""
        return self._uniform

    @cached_property
    def _uniform(self):
        z, weight = gauss_legendre(NODES[0])
        turn = 2.0 * np.pi * np.arange(NODES[1]) / NODES[1]
        z, turn = (a.ravel() for a in np.meshgrid(z, turn, indexing='ij'))
        weight = np.repeat(weight, NODES[1]) * 2.0 * np.pi / NODES[1]
        flat = np.sqrt(1.0 - z * z)
        u = np.column_stack([flat * cos(turn), flat * sin(turn), z])
        r = np.array([self._radius(x) for x in u])
        square = r * r
        volume = (weight * (square * r)).sum() / 3.0
        first = product(weight * (square * square), u) / (4.0 * volume)
        second = product(u.T * (weight * (square * square * r)), u) / (5.0 * volume)
        return from_moments(1.0, np.zeros(3), first, second)


class _Known:
    """The engine's own shapes."""

    def __init__(self, shape):
        self._shape = shape
        self._axes = (shape.radius,) * 3 if isinstance(shape, Sphere) else shape.semi_axes
        self._exponents = getattr(shape, 'exponents', (1.0, 1.0))

    def row(self):
        kind = L.SUPERQUADRIC if isinstance(self._shape, Superquadric) else L.ELLIPSOID
        return np.array([kind, *self._axes, *self._exponents])

    def code(self):
        return no_function()

    def surface(self):
        # the sphere's points, drawn out to where the normals turn
        e1, e2 = self._exponents
        u = _directions()
        u = np.sign(u) * power(np.abs(u), np.array([min(e1, e2), min(e1, e2), e1]))
        h = power(power(np.abs(u[:, :2]), 2.0 / e2).sum(axis=1), e2 / e1) + power(np.abs(u[:, 2]), 2.0 / e1)
        return u * power(h, -0.5 * e1)[:, None] * self._axes

    def uniform(self):
        return uniform_body(self._shape, mass=1.0)


def as_body(key, body):
    """What a body is to the kernels; EngineError if it cannot slide or roll."""
    if isinstance(body, SmoothBody):
        return body
    if isinstance(body, (Sphere, Ellipsoid, Superquadric)):
        return _Known(body)
    raise EngineError(f'{key}: must be a Sphere, Ellipsoid, Superquadric or SmoothBody, got {body!r}')


def _directions():
    """Unit vectors (SAMPLES, 3) spread evenly (Fibonacci's spiral), and both ways along the axes."""
    n = SAMPLES - 6
    z = 1.0 - (2.0 * np.arange(n) + 1.0) / n
    turn = np.pi * (3.0 - math.sqrt(5.0)) * np.arange(n)
    flat = np.sqrt(1.0 - z * z)
    return np.vstack([np.column_stack([flat * cos(turn), flat * sin(turn), z]), np.eye(3), -np.eye(3)])


def neighbours():
    """For each of the samples those beside it, (SAMPLES, NEIGHBOURS)."""
    u = _directions()
    return np.argsort(-product(u, u.T), axis=1, kind='stable')[:, 1:NEIGHBOURS + 1].astype(np.int64)
