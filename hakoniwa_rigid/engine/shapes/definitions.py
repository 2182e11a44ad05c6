"""The shapes a user can build with.  Lengths in metres, centred on the shape's origin, axis of symmetry z."""
import math
from dataclasses import dataclass

from ..checks import array, number
from ..constants import MAX_COORDINATE, MAX_SIZE, MIN_SIZE
from ..errors import EngineError


def _size(key, value):
    return number(key, value, MIN_SIZE, MAX_SIZE)


def _triple(key, value):
    return tuple(array(key, value, (3,)).tolist())


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
        size = _triple('Box.size', self.size)
        object.__setattr__(self, 'size', tuple(_size(f'Box.size[{i}]', x) for i, x in enumerate(size)))

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
        if length != 1.0:
            n, d = tuple(x / length for x in n), d / length
        object.__setattr__(self, 'normal', n)
        object.__setattr__(self, 'offset', d)

    def bounding_radius(self):
        return math.inf
