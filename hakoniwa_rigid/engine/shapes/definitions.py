"""The shapes that are given by a few lengths.  Lengths in metres, centred on the shape's origin, axis of symmetry z."""
import math
from dataclasses import dataclass

from ..checks import array, number
from ..constants import MAX_COORDINATE, MAX_SIZE, MIN_SIZE, ROUNDING
from ..errors import EngineError


def _size(key, value):
    return number(key, value, MIN_SIZE, MAX_SIZE)


def _triple(key, value):
    return tuple(array(key, value, (3,)).tolist())


def _sizes(key, value):
    return tuple(_size(f'{key}[{i}]', x) for i, x in enumerate(_triple(key, value)))


def _wall(name, thickness, most):
    thickness = number(f'{name}.thickness', thickness, 0.0)
    if thickness > most:
        raise EngineError(f'{name}.thickness: must be at most {most:g} m, where the shell is solid, got {thickness!r}')
    return thickness


class Shape:
    """Base of all shapes: bounded ones can move, unbounded ones are static."""

    bounded = True

    def bounding_radius(self):
        """Radius (m) of a sphere about the shape's origin that holds it; inf for unbounded shapes."""
        raise NotImplementedError(type(self).__name__)


@dataclass(frozen=True)
class Sphere(Shape):
    """radius (m)."""

    radius: float

    def __post_init__(self):
        object.__setattr__(self, 'radius', _size('Sphere.radius', self.radius))

    def bounding_radius(self):
        return self.radius


@dataclass(frozen=True)
class Box(Shape):
    """size: full sides (x, y, z) in m."""

    size: tuple

    def __post_init__(self):
        object.__setattr__(self, 'size', _sizes('Box.size', self.size))

    def bounding_radius(self):
        return 0.5 * math.hypot(*self.size)


@dataclass(frozen=True)
class Capsule(Shape):
    """radius (m); length (m) between the centres of the caps, may be 0; axis z."""

    radius: float
    length: float

    def __post_init__(self):
        object.__setattr__(self, 'radius', _size('Capsule.radius', self.radius))
        object.__setattr__(self, 'length', number('Capsule.length', self.length, 0.0, MAX_SIZE))

    def bounding_radius(self):
        return self.radius + 0.5 * self.length


@dataclass(frozen=True)
class Cylinder(Shape):
    """radius (m); height (m) along z, from -height / 2 to height / 2."""

    radius: float
    height: float

    def __post_init__(self):
        object.__setattr__(self, 'radius', _size('Cylinder.radius', self.radius))
        object.__setattr__(self, 'height', _size('Cylinder.height', self.height))

    def bounding_radius(self):
        return math.hypot(self.radius, 0.5 * self.height)


@dataclass(frozen=True)
class Cone(Shape):
    """radius (m) of the base at z = -height / 2; apex at z = height / 2, so the centroid is at z = -height / 4."""

    radius: float
    height: float

    def __post_init__(self):
        object.__setattr__(self, 'radius', _size('Cone.radius', self.radius))
        object.__setattr__(self, 'height', _size('Cone.height', self.height))

    def bounding_radius(self):
        return math.hypot(self.radius, 0.5 * self.height)


@dataclass(frozen=True)
class Ellipsoid(Shape):
    """semi_axes: (a, b, c) in m along x, y, z."""

    semi_axes: tuple

    def __post_init__(self):
        object.__setattr__(self, 'semi_axes', _sizes('Ellipsoid.semi_axes', self.semi_axes))

    def bounding_radius(self):
        return max(self.semi_axes)


@dataclass(frozen=True)
class Superquadric(Shape):
    """(|x/a|^(2/e2) + |y/b|^(2/e2))^(e2/e1) + |z/c|^(2/e1) <= 1; semi_axes (a, b, c) m, exponents (e1, e2) in (0, 1].

    (1, 1) is an ellipsoid; smaller exponents are boxes with round edges, flat where an axis leaves them.  It has mass
    and slides and rolls on a floor (SurfaceMotion); a World has no contacts for it.
    """

    semi_axes: tuple
    exponents: tuple = (1.0, 1.0)

    def __post_init__(self):
        object.__setattr__(self, 'semi_axes', _sizes('Superquadric.semi_axes', self.semi_axes))
        e = array('Superquadric.exponents', self.exponents, (2,)).tolist()
        for i, x in enumerate(e):
            number(f'Superquadric.exponents[{i}]', x, 0.05, 1.0)
        object.__setattr__(self, 'exponents', tuple(e))

    def bounding_radius(self):
        return math.hypot(*self.semi_axes)


@dataclass(frozen=True)
class HollowSphere(Shape):
    """radius (m), the outer one; thickness (m) of the wall, 0 for a thin shell, whose density is in kg/m^2."""

    radius: float
    thickness: float = 0.0

    def __post_init__(self):
        object.__setattr__(self, 'radius', _size('HollowSphere.radius', self.radius))
        object.__setattr__(self, 'thickness', _wall('HollowSphere', self.thickness, self.radius))

    def bounding_radius(self):
        return self.radius


@dataclass(frozen=True)
class BoxShell(Shape):
    """A closed box; size: full outer sides (x, y, z) in m; thickness (m) of all six walls, 0 for thin ones, whose
    density is in kg/m^2."""

    size: tuple
    thickness: float = 0.0

    def __post_init__(self):
        object.__setattr__(self, 'size', _sizes('BoxShell.size', self.size))
        object.__setattr__(self, 'thickness', _wall('BoxShell', self.thickness, 0.5 * min(self.size)))

    def bounding_radius(self):
        return 0.5 * math.hypot(*self.size)


@dataclass(frozen=True)
class PointMass(Shape):
    """A point at the origin: mass and no volume, so it is given by mass=, never by density=."""

    def bounding_radius(self):
        return 0.0


@dataclass(frozen=True)
class HalfSpace(Shape):
    """Solid where normal . x <= offset, in the body's frame; static.

    normal is made unit length; offset (m) scales with it.
    """

    normal: tuple = (0.0, 0.0, 1.0)
    offset: float = 0.0
    bounded = False

    def __post_init__(self):
        n = _triple('HalfSpace.normal', self.normal)
        length = math.sqrt(sum(x * x for x in n))
        if not length > 1e-9:
            raise EngineError(f'HalfSpace.normal: must not be zero, got {n}')
        d = number('HalfSpace.offset', self.offset, -MAX_COORDINATE, MAX_COORDINATE)
        # unit to rounding stays as it is: making a half-space of its own values changes none of them
        if abs(length - 1.0) > ROUNDING:
            n, d = tuple(x / length for x in n), d / length
        object.__setattr__(self, 'normal', n)
        object.__setattr__(self, 'offset', d)

    def bounding_radius(self):
        return math.inf
