"""WorldBuilder validates everything; World only runs."""
import operator
from dataclasses import dataclass, field

import numpy as np

from ..checks import array, number, unit_quaternion
from ..constants import MAX_COORDINATE, MAX_SPEED, RESTITUTION_THRESHOLD
from ..errors import EngineError
from ..mass import principal_axes, uniform_inertia
from ..shapes import Shape
from . import layout as at
from .world import World

KINDS = {'static': at.STATIC, 'kinematic': at.KINEMATIC, 'dynamic': at.DYNAMIC}
SOLVERS = ('sequential',)
INTEGRATORS = ('exact', 'semi_implicit_euler')


@dataclass
class BodySpec:
    """One validated body; frames as in WorldBuilder.add_body."""

    name: str
    kind: int
    shape: Shape
    mass: float
    moments: np.ndarray         # (3,) kg m^2, principal
    axes: np.ndarray            # (4,) wxyz, principal frame in the body frame
    com: np.ndarray             # (3,) m, centre of mass in the shape's frame
    pos: np.ndarray
    quat: np.ndarray
    linvel: np.ndarray
    angvel: np.ndarray
    restitution: float
    friction: float
    group: int
    mask: int
    enabled: bool


@dataclass
class WorldSpec:
    """All that World needs: validated settings and bodies."""

    gravity: np.ndarray
    dt: float
    integrator: str
    restitution_threshold: float
    bodies: list = field(default_factory=list)
    excluded: set = field(default_factory=set)


def _choice(key, value, choices):
    if value not in choices:
        raise EngineError(f'{key}: must be one of {", ".join(choices)}, got {value!r}')
    return value


def _bits(key, value):
    try:
        x = operator.index(value)
    except TypeError:
        raise EngineError(f'{key}: must be a whole number, got {value!r}') from None
    if not -2**63 <= x < 2**63:
        raise EngineError(f'{key}: must fit into 64 bits with sign, got {value!r}; all groups are -1')
    return x


class WorldBuilder:
    """Collects bodies; `build` makes the World.

    gravity (3,) m/s^2 world; dt s; restitution_threshold m/s: slower impacts do not bounce; integrator 'exact'
    (default: positions exact for constant force, torque-free rotation to rounding) or 'semi_implicit_euler' (seed 001).
    """

    def __init__(self, gravity=(0.0, 0.0, -9.80665), dt=1e-3, solver='sequential', integrator='exact',
                 restitution_threshold=RESTITUTION_THRESHOLD):
        _choice('solver', solver, SOLVERS)
        self._spec = WorldSpec(
            gravity=array('gravity', gravity, (3,), limit=1e4), dt=number('dt', dt, 1e-7, 1.0),
            integrator=_choice('integrator', integrator, INTEGRATORS),
            restitution_threshold=number('restitution_threshold', restitution_threshold, 0.0, 1e3))

    def add_body(self, shape, *, mass=None, inertia=None, pos=(0.0, 0.0, 0.0), quat=(1.0, 0.0, 0.0, 0.0),
                 linvel=(0.0, 0.0, 0.0), angvel=(0.0, 0.0, 0.0), restitution=0.0, friction=0.5, kind='dynamic',
                 name=None, com=None, group=1, mask=-1, enabled=True):
        """Add a body; returns its index in all arrays.

        mass kg (dynamic bodies only); inertia (3,) or (3, 3) kg m^2 about the centre of mass in the body frame, from
        the shape if left out; pos (3,) m of the centre of mass and quat (4,) wxyz in world; linvel m/s and angvel rad/s
        in world; com (3,) m in the shape's frame, default its centroid.  Two bodies meet iff group_a & mask_b and
        group_b & mask_a.  Errors: EngineError naming the body, the key and the value.
        """
        name = f'body{len(self._spec.bodies)}' if name is None else str(name)
        if any(b.name == name for b in self._spec.bodies):
            raise EngineError(f'{name}: name: already taken by body {[b.name for b in self._spec.bodies].index(name)}')
        _choice(f'{name}: kind', kind, tuple(KINDS))
        if not isinstance(shape, Shape):
            raise EngineError(f'{name}: shape: must be a Shape, got {shape!r}')
        if not shape.bounded and kind != 'static':
            raise EngineError(f'{name}: kind: a {type(shape).__name__} is static, got {kind!r}')
        self._spec.bodies.append(BodySpec(
            name, KINDS[kind], shape, *self._mass(name, shape, mass, inertia, kind, com),
            com=array(f'{name}: com', (0.0, 0.0, 0.0) if com is None else com, (3,), limit=MAX_COORDINATE),
            pos=array(f'{name}: pos', pos, (3,), limit=MAX_COORDINATE), quat=unit_quaternion(f'{name}: quat', quat),
            linvel=self._velocity(f'{name}: linvel', linvel, kind),
            angvel=self._velocity(f'{name}: angvel', angvel, kind),
            restitution=number(f'{name}: restitution', restitution, 0.0, 1.0),
            friction=number(f'{name}: friction', friction, 0.0, 1e3),
            group=_bits(f'{name}: group', group), mask=_bits(f'{name}: mask', mask), enabled=bool(enabled)))
        return len(self._spec.bodies) - 1

    @staticmethod
    def _velocity(key, value, kind):
        v = array(key, value, (3,), limit=MAX_SPEED)
        if kind == 'static' and v.any():
            raise EngineError(f"{key}: a static body does not move, got {v.tolist()}; use kind='kinematic'")
        return v

    @staticmethod
    def _mass(name, shape, mass, inertia, kind, com):
        if kind != 'dynamic':
            if mass is not None or inertia is not None:
                number(f'{name}: mass', 1.0 if mass is None else mass, positive=True)
            return np.inf, np.full(3, np.inf), np.array([1.0, 0.0, 0.0, 0.0])
        if mass is None:
            raise EngineError(f'{name}: mass: must be given for a dynamic body')
        mass = number(f'{name}: mass', mass, 1e-12, 1e12, positive=True)
        if com is not None and inertia is None and np.any(np.asarray(com, dtype=object) != 0.0):
            raise EngineError(f'{name}: inertia: must be given about the centre of mass where com is off the centroid')
        moments, axes = principal_axes(f'{name}: inertia', uniform_inertia(shape, mass) if inertia is None else inertia)
        return mass, moments, axes

    def exclude(self, i, j):
        """Bodies i and j never collide."""
        n = len(self._spec.bodies)
        for k in (i, j):
            if not 0 <= int(k) < n:
                raise EngineError(f'exclude: no body {k}, the world has {n}')
        self._spec.excluded.add((min(int(i), int(j)), max(int(i), int(j))))

    def build(self):
        """The World, ready to run."""
        if not self._spec.bodies:
            raise EngineError('build: the world has no bodies')
        return World(self._spec)
