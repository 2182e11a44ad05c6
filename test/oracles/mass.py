# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Mass, centre and inertia by other routes than signed tetrahedra: closed forms, slices, exact surface integrals.

Everything here is per unit density (kg/m³, thin shells kg/m²) unless a function says otherwise; the inertia of an
`Inertial` is about its centre of mass, in the axes of the frame in which `com` is given.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import factorial

import numpy as np
from numpy.testing import assert_allclose
from scipy.integrate import quad

from oracles.rotations import matrix


@dataclass(frozen=True)
class Inertial:
    """mass kg, com (3,) m, inertia (3, 3) kg m² about com."""

    mass: float
    com: np.ndarray
    inertia: np.ndarray

    def scaled(self, factor):
        """The same body with `factor` times the density; negative for a hole."""
        return Inertial(factor * self.mass, self.com, factor * self.inertia)

    def of_mass(self, mass):
        """The same body with this mass."""
        return self.scaled(mass / self.mass)

    def moved(self, pos=(0.0, 0.0, 0.0), quat=(1.0, 0.0, 0.0, 0.0)):
        """The body turned by quat (wxyz) about the origin of its frame, then shifted by pos."""
        r = matrix(quat)
        return Inertial(self.mass, r @ self.com + np.asarray(pos), r @ self.inertia @ r.T)

    def about(self, point):
        """Inertia (3, 3) about any point of the frame: I + m (d·d 1 - d dᵀ)."""
        d = self.com - np.asarray(point)
        return self.inertia + self.mass * (d @ d * np.eye(3) - np.outer(d, d))


def combine(bodies):
    """One body made of several, holes with negative mass."""
    mass = sum(b.mass for b in bodies)
    com = sum(b.mass * b.com for b in bodies) / mass
    return Inertial(mass, com, sum(b.about(com) for b in bodies))


def assert_same(got, expected, rtol):
    """Mass and inertia (against its largest entry) to rtol, com to rtol of the largest radius of gyration."""
    size = np.sqrt(np.trace(expected.inertia) / abs(expected.mass))
    assert_allclose(got.mass, expected.mass, rtol=rtol)
    assert_allclose(got.com, expected.com, rtol=0, atol=rtol * size)
    assert_allclose(got.inertia, expected.inertia, rtol=0, atol=rtol * np.abs(expected.inertia).max())


def point_mass(mass):
    """All of it at the origin."""
    return Inertial(mass, np.zeros(3), np.zeros((3, 3)))


def _form(mass, moments, com=(0.0, 0.0, 0.0)):
    return Inertial(float(mass), np.array(com, dtype=float), np.diag([float(mass) * float(m) for m in moments]))


def box(x, y, z):
    """Full sides."""
    return _form(x * y * z, ((y * y + z * z) / 12, (z * z + x * x) / 12, (x * x + y * y) / 12))


def ellipsoid(a, b, c):
    """Semi-axes: ∫x² dm = M a²/5."""
    return _form(4 / 3 * np.pi * a * b * c, ((b * b + c * c) / 5, (c * c + a * a) / 5, (a * a + b * b) / 5))


def sphere(r):
    """2/5 M r²."""
    return ellipsoid(r, r, r)


def cylinder(r, h):
    """Axis z, centred."""
    side = (3 * r * r + h * h) / 12
    return _form(np.pi * r * r * h, (side, side, r * r / 2))


def cone(r, h):
    """Base z = -h/2, apex z = h/2: the centroid is a quarter of the height above the base, at z = -h/4."""
    side = 3 / 20 * r * r + 3 / 80 * h * h
    return _form(np.pi * r * r * h / 3, (side, side, 3 / 10 * r * r), (0, 0, -h / 4))


def frustum(r, top, h):
    """A cone less its point, in rational arithmetic; top < r."""
    r, top, h = Fraction(r), Fraction(top), Fraction(h)
    squares, moment = r**2 + r * top + top**2, r**2 + 2 * r * top + 3 * top**2
    centre = h * moment / (4 * squares) - h / 2
    # int of r^2 z^2 over the height from the base, by the radius' powers
    second = h**2 * (r**2 + 3 * r * top + 6 * top**2) / (10 * squares) - (centre + h / 2) ** 2
    axis = Fraction(3, 10) * sum(r ** (4 - k) * top**k for k in range(5)) / squares
    side = axis / 2 + second
    return _form(np.pi / 3 * float(h * squares), (side, side, axis), (0, 0, centre))


def capsule(r, length):
    """Cylinder of `length` and two half balls, whose centroids lie 3r/8 beyond the cap centres."""
    tube, balls = np.pi * r * r * length, 4 / 3 * np.pi * r**3
    side = tube * (3 * r * r + length**2) / 12 + balls * (0.4 * r * r + length**2 / 4 + 3 * length * r / 8)
    axis = tube * r * r / 2 + balls * 0.4 * r * r
    mass = tube + balls
    return _form(mass, (side / mass, side / mass, axis / mass))


def hollow_sphere(radius, thickness):
    """Ball minus ball in rational arithmetic, so that a thin wall loses no digits; thickness 0: the surface."""
    if thickness == 0:
        return _form(4 * np.pi * radius**2, 3 * (2 / 3 * radius**2,))
    big, small = Fraction(radius), Fraction(radius) - Fraction(thickness)
    content = big**3 - small**3
    return _form(float(content) * 4 / 3 * np.pi, 3 * (Fraction(2, 5) * (big**5 - small**5) / content,))


def box_shell(size, thickness):
    """Box minus box in rational arithmetic; thickness 0: six plates, each with its own moments."""
    if thickness == 0:
        return combine([plate for axis in range(3) for plate in _plates(size, axis)])
    outer = [Fraction(s) for s in size]
    inner = [s - 2 * Fraction(thickness) for s in outer]
    full, empty = np.prod(outer), np.prod(inner)
    content = full - empty
    squares = [(full * s * s - empty * t * t) / 12 / content for s, t in zip(outer, inner, strict=True)]
    return _form(content, [sum(squares) - s for s in squares])


def _plates(size, axis):
    """The two faces across `axis`: a flat rectangle has ∫u² dA = area u²/12 along its sides."""
    sides = np.array(size, dtype=float)
    squares = sides**2 / 12
    squares[axis] = 0.0
    area = np.prod(np.delete(sides, axis))
    offset = np.eye(3)[axis] * sides[axis] / 2
    return [_form(area, squares.sum() - squares, sign * offset) for sign in (-1, 1)]


def tetrahedron(corners):
    """Four-point rule, exact for second degree: nodes at 0.585.. of one corner and 0.138.. of the others."""
    corners = np.asarray(corners, dtype=float)
    volume = abs(np.linalg.det(corners[1:] - corners[0])) / 6
    near, far = (5 + 3 * np.sqrt(5)) / 20, (5 - np.sqrt(5)) / 20
    nodes = (far * np.ones((4, 4)) + (near - far) * np.eye(4)) @ corners
    return combine([point_mass(volume / 4).moved(node) for node in nodes])


def tetrahedra(vertices, cells):
    """Sum over a volume mesh, each cell by `tetrahedron`, seen from the mean vertex: a far origin costs nothing."""
    vertices = np.asarray(vertices, dtype=float)
    origin = vertices.mean(axis=0)
    return combine([tetrahedron(vertices[list(c)] - origin) for c in cells]).moved(origin)


def slices(section, low, high):
    """Body cut across z by scipy quadrature: section(z) -> (area, ∫x² dA, ∫y² dA), sections centred on the z axis."""
    def total(f):
        return quad(f, low, high, epsabs=1e-12, epsrel=1e-12, limit=200)[0]

    mass = total(lambda z: section(z)[0])
    height = total(lambda z: z * section(z)[0]) / mass
    xx, yy = total(lambda z: section(z)[1]), total(lambda z: section(z)[2])
    zz = total(lambda z: (z - height) ** 2 * section(z)[0])
    return Inertial(mass, np.array([0, 0, height]), np.diag([yy + zz, zz + xx, xx + yy]))


def ellipse(a, b):
    """(area, ∫x² dA, ∫y² dA) of an ellipse with semi-axes a, b."""
    return np.pi * a * b, np.pi * a**3 * b / 4, np.pi * a * b**3 / 4


def _integers(vertices):
    """Floats are binary fractions: (V, 3) Python integers and the power of two they were multiplied by."""
    rows = [[Fraction(float(x)) for x in v] for v in vertices]
    scale = max(x.denominator for row in rows for x in row)
    return np.array([[int(x * scale) for x in row] for row in rows], dtype=object), scale


def _cubic(p, q, r):
    """120 ∫ p q r over the unit triangle, of three linear functions given by their values (3, F) at the corners."""
    weight = {1: 6, 2: 2, 3: 1}  # α! of ∫ λ^α = α! / 5!
    return sum(weight[len({i, j, k})] * p[i] * q[j] * r[k] for i, j, k in product(range(3), repeat=3))


def solid(vertices, faces):
    """A closed surface by the divergence theorem in exact integer arithmetic: ∫x² dV = ∮ x³/3 n_x dA and so on.

    Nothing is rounded before the last conversion, so that the result is that of the very floats it is given.
    """
    points, scale = _integers(vertices)
    corners = points[np.asarray(faces)].transpose(1, 2, 0)  # (corner, axis, face)
    a, b, c = corners
    u, v = b - a, c - a
    area = np.array([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]])
    one = np.array([1, 1, 1], dtype=object)[:, None] * np.ones_like(a[0])
    x = [corners[:, k] for k in range(3)]

    def over(powers, k):
        return Fraction(int(np.sum(area[k] * _cubic(*powers))), factorial(5))

    volume = over((x[0], one, one), 0) / scale**3
    first = [over((x[k], x[k], one), k) / 2 / scale**4 for k in range(3)]
    second = [[over((x[i], x[i], x[j]), i) / (3 if i == j else 2) / scale**5 for j in range(3)] for i in range(3)]
    com = [f / volume for f in first]
    spread = [[second[i][j] - volume * com[i] * com[j] for j in range(3)] for i in range(3)]
    trace = sum(spread[i][i] for i in range(3))
    inertia = [[float((trace if i == j else 0) - spread[i][j]) for j in range(3)] for i in range(3)]
    return Inertial(float(volume), np.array([float(c) for c in com]), np.array(inertia))
