"""WorldBuilder validates everything; World only runs."""
import operator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from ..checks import array, number, unit_quaternion
from ..constants import MAX_COORDINATE, MAX_SPEED, RESTITUTION_THRESHOLD
from ..errors import EngineError, MassError
from ..mass import mass_properties, principal_axes
from ..shapes import Shape
from . import layout as at
from .allocate import INTEGRATORS, STORAGES
from .geometry import check_contacts
from .turns import NO_TURN, rotate
from .world import World

KINDS = {'static': at.STATIC, 'kinematic': at.KINEMATIC, 'dynamic': at.DYNAMIC}
SOLVERS = ('sequential',)


@dataclass
class BodySpec:
    """One validated body; frames as in WorldBuilder.add_body."""

    name: str
    kind: int
    shape: Shape
    mass: float
    moments: np.ndarray         # (3,) kg m^2, principal
    axes: np.ndarray            # (4,) wxyz, principal frame in the body frame; identity where the full tensor is stored
    tensor: np.ndarray          # (3, 3) kg m^2, body frame
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
    inertia_storage: str
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


def _mass_number(key, value):
    try:
        return number(key, value, 1e-12, 1e12, positive=True)
    except EngineError as error:
        raise MassError(str(error)) from None


@contextmanager
def naming(name):
    """Errors from within begin with the body's name."""
    try:
        yield
    except EngineError as error:
        error.args = (f'{name}: {error}',)
        raise


def turned(moments, axes):
    """(3, 3) tensor in the body frame of principal moments (3,) in the frame axes (4,) wxyz."""
    r = np.array([rotate(axes, e) for e in np.eye(3)])
    return r.T @ np.diag(moments) @ r


class WorldBuilder:
    """Collects bodies; `build` makes the World.

    gravity (3,) m/s^2 world; dt s; restitution_threshold m/s: slower impacts do not bounce.
    integrator: 'exact' (default: positions exact for constant force, torque-free rotation to rounding), 'rk4',
    'implicit_midpoint' or 'semi_implicit_euler' (seed 001); orders and drifts in docs/free_motion.md.
    inertia_storage: 'principal' (moments and the frame q_o, seed 001 section 5) or 'tensor' (full, body frame); the
    same motion to rounding, 'principal' is faster.
    """

    def __init__(self, gravity=(0.0, 0.0, -9.80665), dt=1e-3, solver='sequential', integrator='exact',
                 restitution_threshold=RESTITUTION_THRESHOLD, inertia_storage='principal'):
        _choice('solver', solver, SOLVERS)
        self._index = {}
        self._spec = WorldSpec(
            gravity=array('gravity', gravity, (3,), limit=1e4), dt=number('dt', dt, 1e-7, 1.0),
            integrator=_choice('integrator', integrator, tuple(INTEGRATORS)),
            inertia_storage=_choice('inertia_storage', inertia_storage, tuple(STORAGES)),
            restitution_threshold=number('restitution_threshold', restitution_threshold, 0.0, 1e3))

    def add_body(self, shape, *, mass=None, density=None, inertia=None, pos=(0.0, 0.0, 0.0), quat=(1.0, 0.0, 0.0, 0.0),
                 linvel=(0.0, 0.0, 0.0), angvel=(0.0, 0.0, 0.0), restitution=0.0, friction=0.5, kind='dynamic',
                 name=None, com=None, group=1, mask=-1, enabled=True):
        """Add a body; returns its index in all arrays.

        mass kg or density kg/m^3 (dynamic bodies only); inertia (3,) or (3, 3) kg m^2 about the centre of mass in the
        body frame, by mass_properties if left out; com (3,) m in the shape's frame, default the uniform centroid, and
        the shape's origin for bodies that are not dynamic; pos (3,) m of the centre of mass and quat (4,) wxyz in
        world; linvel m/s and angvel rad/s in world.  Two bodies meet iff group_a & mask_b and group_b & mask_a.
        Errors: EngineError naming the body, the key and the value.
        """
        name = f'body{len(self._spec.bodies)}' if name is None else str(name)
        if name in self._index:
            raise EngineError(f'{name}: name: already taken by body {self._index[name]}')
        _choice(f'{name}: kind', kind, tuple(KINDS))
        if not isinstance(shape, Shape):
            raise EngineError(f'{name}: shape: must be a Shape, got {shape!r}')
        if not shape.bounded and kind != 'static':
            raise EngineError(f'{name}: kind: a {type(shape).__name__} is static, got {kind!r}')
        with naming(name):
            check_contacts(shape, kind)
        self._spec.bodies.append(BodySpec(
            name, KINDS[kind], shape, *self._mass(name, shape, mass, density, inertia, kind, com),
            pos=array(f'{name}: pos', pos, (3,), limit=MAX_COORDINATE), quat=unit_quaternion(f'{name}: quat', quat),
            linvel=self._velocity(f'{name}: linvel', linvel, kind),
            angvel=self._velocity(f'{name}: angvel', angvel, kind),
            restitution=number(f'{name}: restitution', restitution, 0.0, 1.0),
            friction=number(f'{name}: friction', friction, 0.0, 1e3),
            group=_bits(f'{name}: group', group), mask=_bits(f'{name}: mask', mask), enabled=bool(enabled)))
        self._index[name] = len(self._spec.bodies) - 1
        return self._index[name]

    @staticmethod
    def _velocity(key, value, kind):
        v = array(key, value, (3,), limit=MAX_SPEED)
        if kind == 'static' and v.any():
            raise EngineError(f"{key}: a static body does not move, got {v.tolist()}; use kind='kinematic'")
        return v

    def _mass(self, name, shape, mass, density, inertia, kind, com):
        """Mass, principal moments and frame, tensor (body frame), centre of mass (shape's frame) of a body."""
        if com is not None:
            com = array(f'{name}: com', com, (3,), limit=MAX_COORDINATE)
        if kind != 'dynamic':
            for key, value in (('mass', mass), ('density', density)):
                number(f'{name}: {key}', 1.0 if value is None else value, positive=True)
            return np.inf, np.full(3, np.inf), NO_TURN, np.diag([np.inf] * 3), np.zeros(3) if com is None else com
        if (mass is None) == (density is None):
            raise MassError(f'{name}: mass: must be given for a dynamic body, or density, not both')
        if mass is not None:
            mass = _mass_number(f'{name}: mass', mass)
        mass, tensor, com = self._uniform(name, shape, mass, density, inertia, com)
        moments, axes = principal_axes(f'{name}: inertia', tensor)
        if self._spec.inertia_storage == 'tensor':
            axes = NO_TURN
            tensor = np.diag(moments) if np.ndim(tensor) == 1 else 0.5 * (tensor + tensor.T)
        else:
            tensor = turned(moments, axes)
        return mass, moments, axes, tensor, com

    @staticmethod
    def _uniform(name, shape, mass, density, inertia, com):
        """Mass, inertia and centre of mass, from the shape where they are not given."""
        if mass is not None and inertia is not None and com is not None:
            return mass, np.asarray(inertia), com
        with naming(name):
            uniform = mass_properties(shape, mass=mass, density=density)
        if inertia is None and com is not None and np.abs(com - uniform.com).max() > 1e-9 * shape.bounding_radius():
            raise EngineError(f'{name}: inertia: must be given about the centre of mass where com is off the centroid '
                              f'{uniform.com.tolist()}, got com {com.tolist()}')
        return (uniform.mass, uniform.inertia if inertia is None else np.asarray(inertia),
                uniform.com if com is None else com)

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
