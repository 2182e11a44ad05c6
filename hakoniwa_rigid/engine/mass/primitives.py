"""Closed forms of uniform shapes about their centroid (article on polyhedra, its slips corrected)."""
import math

import numpy as np

from ..shapes import (
    Box,
    BoxShell,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    HollowSphere,
    Sphere,
    Superquadric,
)


def _box(shape, mass):
    x, y, z = shape.size
    return mass / 12.0 * np.array([y * y + z * z, z * z + x * x, x * x + y * y])


def _sphere(shape, mass):
    return np.full(3, 0.4 * mass * shape.radius ** 2)


def _ellipsoid(shape, mass):
    """Not the seed's 2/5 M (bc, ca, ab)."""
    a, b, c = shape.semi_axes
    return mass / 5.0 * np.array([b * b + c * c, c * c + a * a, a * a + b * b])


def _cylinder(shape, mass):
    """In place of the seed's garbled cone."""
    r, h = shape.radius, shape.height
    across = mass * (3.0 * r * r + h * h) / 12.0
    return np.array([across, across, 0.5 * mass * r * r])


def _cone(shape, mass):
    r, h = shape.radius, shape.height
    across = 3.0 / 80.0 * mass * (4.0 * r * r + h * h)
    return np.array([across, across, 0.3 * mass * r * r])


def _capsule(shape, mass):
    """Cylinder of the given length and two half spheres at its ends, by volume."""
    r, length = shape.radius, shape.length
    cylinder, caps = math.pi * r * r * length, 4.0 / 3.0 * math.pi * r ** 3
    mc, ms = mass * cylinder / (cylinder + caps), mass * caps / (cylinder + caps)
    across = (mc * (3.0 * r * r + length * length) / 12.0
              + ms * (0.4 * r * r + 0.25 * length * length + 0.375 * length * r))
    return np.array([across, across, 0.5 * mc * r * r + 0.4 * ms * r * r])


def _hollow_sphere(shape, mass):
    """2/5 M (R^5 - r^5) / (R^3 - r^3), both divided by R - r: thin walls lose no digits, none at all is the limit."""
    R, r = shape.radius, shape.radius - shape.thickness
    fifth = R ** 4 + R ** 3 * r + R * R * r * r + R * r ** 3 + r ** 4
    return np.full(3, 0.4 * mass * fifth / (R * R + R * r + r * r))


def _shell_sides(shape):
    """Outer and inner sides (m) of a BoxShell."""
    return shape.size, [s - 2.0 * shape.thickness for s in shape.size]


def _shell_volume_per_wall(shape):
    """(volume outside - volume inside) / (2 thickness), m^2, as a sum of positive terms."""
    (x, y, z), (u, v, _) = _shell_sides(shape)
    return y * z + u * z + u * v


def _box_shell(shape, mass):
    """Integrals of x^2, y^2, z^2 outside minus inside, divided by 2 thickness as the volume is: all terms positive."""
    outer, inner = _shell_sides(shape)
    squares = np.empty(3)
    for i in range(3):
        x, y, z = (outer[(i + k) % 3] for k in range(3))
        u, v, _ = (inner[(i + k) % 3] for k in range(3))
        squares[i] = (x * x + x * u + u * u) * y * z + u ** 3 * (z + v)
    squares *= mass / (12.0 * _shell_volume_per_wall(shape))
    return np.array([squares[1] + squares[2], squares[2] + squares[0], squares[0] + squares[1]])


def _hollow_sphere_measure(shape):
    R, r = shape.radius, shape.radius - shape.thickness
    return 4.0 / 3.0 * math.pi * (R * R + R * r + r * r) * (shape.thickness or 1.0)


def _beta(x, y):
    return math.gamma(x) * math.gamma(y) / math.gamma(x + y)


def _superquadric_measure(shape):
    e1, e2 = shape.exponents
    return 2.0 * math.prod(shape.semi_axes) * e1 * e2 * _beta(0.5 * e1 + 1.0, e1) * _beta(0.5 * e2, 0.5 * e2)


def _superquadric(shape, mass):
    """Integrals of x^2 and z^2 over the unit shape by Beta functions (Jaklic, Leonardis, Solina, Segmentation and
    Recovery of Superquadrics, section 2.4)."""
    (a, b, c), (e1, e2) = shape.semi_axes, shape.exponents
    share = mass * math.prod(shape.semi_axes) * e1 * e2 / _superquadric_measure(shape)
    flat = 0.5 * share * _beta(1.5 * e2, 0.5 * e2) * _beta(0.5 * e1, 2.0 * e1 + 1.0)
    high = 2.0 * share * _beta(0.5 * e2, 0.5 * e2 + 1.0) * _beta(1.5 * e1, e1 + 1.0)
    return np.array([flat * b * b + high * c * c, high * c * c + flat * a * a, flat * (a * a + b * b)])


_MOMENTS = {Box: _box, Sphere: _sphere, Ellipsoid: _ellipsoid, Cylinder: _cylinder, Cone: _cone, Capsule: _capsule,
            HollowSphere: _hollow_sphere, BoxShell: _box_shell, Superquadric: _superquadric}
_MEASURES = {
    Box: lambda s: math.prod(s.size),
    Sphere: lambda s: 4.0 / 3.0 * math.pi * s.radius ** 3,
    Ellipsoid: lambda s: 4.0 / 3.0 * math.pi * math.prod(s.semi_axes),
    Cylinder: lambda s: math.pi * s.radius ** 2 * s.height,
    Cone: lambda s: math.pi / 3.0 * s.radius ** 2 * s.height,
    Capsule: lambda s: math.pi * s.radius ** 2 * (s.length + 4.0 / 3.0 * s.radius),
    HollowSphere: _hollow_sphere_measure,
    BoxShell: lambda s: 2.0 * _shell_volume_per_wall(s) * (s.thickness or 1.0),
    Superquadric: _superquadric_measure,
}


def is_primitive(shape):
    """Whether the closed forms here know the shape."""
    return type(shape) in _MOMENTS


def is_thin(shape):
    """Whether a density of the shape is in kg/m^2."""
    return isinstance(shape, (HollowSphere, BoxShell)) and shape.thickness == 0.0


def measure(shape):
    """Volume (m^3) of a primitive, or area (m^2) of a thin shell: mass is density times this."""
    return _MEASURES[type(shape)](shape)


def centroid(shape):
    """(3,) m in the shape's frame."""
    return np.array([0.0, 0.0, -0.25 * shape.height if isinstance(shape, Cone) else 0.0])


def moments(shape, mass):
    """Principal moments (3,) kg m^2 about the centroid, in the order of the shape's axes."""
    return _MOMENTS[type(shape)](shape, mass)
