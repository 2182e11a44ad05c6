# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""WorldBuilder validates everything; World only runs."""
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..checks import array, bits, choice, number, switch, unit_quaternion, whole
from ..constants import FASTEST, MAX_COORDINATE, MAX_SPEED, RESTITUTION_THRESHOLD
from ..errors import EngineError, MassError
from ..mass import mass_properties, principal_axes
from ..maths import rounding
from ..maths.matrices import inverse_or_zero, product
from ..maths.quat import NO_TURN, rotate_one
from ..model import layout as L
from ..model.choices import INTEGRATORS, PROFILES, STORAGES
from ..model.geometry import check_contacts
from ..model.materials import Material
from ..model.mixing import RULES
from ..model.solvers import SOLVERS, solvers_with
from ..shapes import Shape
from .world import World

# m/s and rad/s: lower limits of speed are a mistake
SLOWEST_LIMIT = 1.0
# relative to the bounding radius: a centre of mass this close to the centroid is the centroid
CENTRED = 1e-9

KINDS = {'static': L.STATIC, 'kinematic': L.KINEMATIC, 'dynamic': L.DYNAMIC}


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
    material: Material
    group: int
    mask: int
    enabled: bool

    @cached_property
    def inverse_tensor(self):
        """(3, 3) 1/(kg m^2), body frame; 0 for what nothing moves."""
        return inverse_or_zero(self.tensor)


@dataclass
class WorldSpec:
    """All that World needs: validated settings and bodies."""

    gravity: np.ndarray
    dt: float
    integrator: str
    inertia_storage: str
    restitution_threshold: float
    solver: str
    combine_restitution: str
    combine_friction: str
    contact_profile: str | None
    contact_time: float | None
    contact_stiffness: float | None
    penalty_stiffness: float | None
    max_linear_velocity: float
    max_angular_velocity: float
    sleep: bool
    threads: int
    bodies: list = field(default_factory=list)
    excluded: set = field(default_factory=set)
    pair_materials: list = field(default_factory=list)       # (bodies, bodies, Material), the later wins
    constraints: list = field(default_factory=list)         # (kind, body, body, settings)


def _given(key, value):
    if value is None:
        raise EngineError(f'{key}: must be given, got None')
    return value


def _contact_time(profile, time, stiffness):
    """The settings of contact over time, checked."""
    if profile is None:
        for key, value in (('contact_time', time), ('contact_stiffness', stiffness)):
            if value is not None:
                raise EngineError(f'{key}: needs a contact_profile, got {value!r}')
        return dict(contact_profile=None, contact_time=None, contact_stiffness=None)
    choice('contact_profile', profile, tuple(PROFILES))
    if (time is None) == (stiffness is None):
        raise EngineError('contact_time, contact_stiffness: one of them must be given for a contact_profile, '
                          f'got {time!r} and {stiffness!r}')
    return dict(contact_profile=profile,
                contact_time=None if time is None else number('contact_time', time, 1e-9, 10.0),
                contact_stiffness=None if stiffness is None else number('contact_stiffness', stiffness, 1e-6, 1e15))


def _penalty(solver, stiffness, profile):
    """Stiffness of a solver with springs, checked; None for its own."""
    springs = SOLVERS[choice('solver', solver, tuple(SOLVERS))].has_springs
    if springs and profile is not None:
        others = ' or '.join(map(repr, solvers_with(springs=False)))
        raise EngineError(f'contact_profile: needs solver {others}, springs of {solver!r} take their own time; '
                          f'got {profile!r}')
    if stiffness is None:
        return None
    if not springs:
        others = ' or '.join(map(repr, solvers_with(springs=True)))
        raise EngineError(f'penalty_stiffness: needs solver {others}, got {stiffness!r} with {solver!r}')
    return number('penalty_stiffness', stiffness, 1e-6, 1e15)


def _thread_count(threads):
    if not 1 <= whole('threads', threads) <= 256:
        raise EngineError(f'threads: must be in [1, 256], got {threads!r}')
    return int(threads)


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
    r = np.array([rotate_one(axes, e) for e in np.eye(3)])
    return product(r.T * moments, r)


class WorldBuilder:
    """Collects bodies; `build` makes the World.

    gravity (3,) m/s^2 world; dt s; restitution_threshold m/s: slower impacts do not bounce.
    integrator: 'exact' (default: positions exact for constant force, torque-free rotation to rounding), 'rk4',
    'implicit_midpoint' or 'semi_implicit_euler'; orders and drifts in docs/free_motion.md.
    inertia_storage: 'principal' (moments and the frame q_o) or 'tensor' (full, body frame); the
    same motion to rounding, 'principal' is faster.
    solver: 'sequential' (simultaneous impacts, friction), 'impulse' (the frictionless formula of two bodies, pair after
    pair) or 'penalty' (springs and dampers); see docs/solvers.md.  penalty_stiffness: N/m of a contact point;
    None gives every point the rate 200 rad/s with its own effective mass.  `build` refuses a dt above the longest
    stable one, World.stable_dt.
    combine_restitution, combine_friction: how a pair's coefficient comes from those of its bodies: 'max', 'min',
    'average', 'multiply' or 'geometric_mean'.
    contact_profile: None (impacts are instants), or 'rectangle', 'half_sine', 'hertz': impacts are delivered over
    contact_time s, or over the duration that contact_stiffness gives (see contact_duration).
    max_linear_velocity (m/s), max_angular_velocity (rad/s): a dynamic body that becomes faster is slowed down to them,
    keeping its direction, and counted (World.limited): so no hit makes a step's work grow without bound.
    sleep: islands that have been at rest for 0.25 s stand still until something wakes them (World.asleep); solver
    'sequential' without contact_profile only.
    threads: that share the passes over all bodies, which may pay for tens of thousands of them on as many cores; the
    bits are those of one.
    """

    def __init__(self, gravity=(0.0, 0.0, -9.80665), dt=1e-3, solver='sequential', integrator='exact',
                 restitution_threshold=RESTITUTION_THRESHOLD, inertia_storage='principal', combine_restitution='max',
                 combine_friction='geometric_mean', contact_profile=None, contact_time=None, contact_stiffness=None,
                 penalty_stiffness=None, max_linear_velocity=FASTEST, max_angular_velocity=FASTEST, sleep=True,
                 threads=1):
        self._index = {}
        self._spec = WorldSpec(
            gravity=array('gravity', gravity, (3,), limit=1e4), dt=number('dt', dt, 1e-7, 1.0),
            integrator=choice('integrator', integrator, tuple(INTEGRATORS)),
            inertia_storage=choice('inertia_storage', inertia_storage, tuple(STORAGES)),
            restitution_threshold=number('restitution_threshold', restitution_threshold, 0.0, 1e3),
            solver=choice('solver', solver, tuple(SOLVERS)),
            combine_restitution=choice('combine_restitution', combine_restitution, tuple(RULES)),
            combine_friction=choice('combine_friction', combine_friction, tuple(RULES)),
            penalty_stiffness=_penalty(solver, penalty_stiffness, contact_profile),
            max_linear_velocity=number('max_linear_velocity', max_linear_velocity, SLOWEST_LIMIT, FASTEST),
            max_angular_velocity=number('max_angular_velocity', max_angular_velocity, SLOWEST_LIMIT, FASTEST),
            sleep=switch('sleep', sleep), threads=_thread_count(threads),
            **_contact_time(contact_profile, contact_time, contact_stiffness))

    def add_body(self, shape, *, mass=None, density=None, inertia=None, pos=(0.0, 0.0, 0.0), quat=(1.0, 0.0, 0.0, 0.0),
                 linvel=(0.0, 0.0, 0.0), angvel=(0.0, 0.0, 0.0), restitution=0.0, friction=0.5, kind='dynamic',
                 name=None, com=None, group=1, mask=-1, enabled=True, rolling_friction=0.0, torsional_friction=0.0):
        """Add a body; returns its index in all arrays.

        mass kg or density kg/m^3 (dynamic bodies only); inertia (3,) or (3, 3) kg m^2 about the centre of mass in the
        body frame, by mass_properties if left out; com (3,) m in the shape's frame, default the uniform centroid, and
        the shape's origin for bodies that are not dynamic; pos (3,) m of the centre of mass and quat (4,) wxyz in
        world; linvel m/s and angvel rad/s in world; restitution e in [0, 1], or [(speed m/s, e), ...] for an e that
        depends on the approach speed (linear in between, constant beyond); friction mu; rolling_friction and
        torsional_friction (m): moments across and about the normal up to these times the normal force; of a pair the
        larger counts.  Two bodies meet iff group_a & mask_b and group_b & mask_a.
        Errors: EngineError naming the body, the key and the value.
        """
        name = f'body{len(self._spec.bodies)}' if name is None else str(name)
        if name in self._index:
            raise EngineError(f'{name}: name: already taken by body {self._index[name]}')
        choice(f'{name}: kind', kind, tuple(KINDS))
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
            material=Material.checked(name, *(_given(f'{name}: {key}', value) for key, value in (
                ('restitution', restitution), ('friction', friction), ('rolling_friction', rolling_friction),
                ('torsional_friction', torsional_friction)))),
            group=bits(f'{name}: group', group), mask=bits(f'{name}: mask', mask), enabled=bool(enabled)))
        self._index[name] = len(self._spec.bodies) - 1
        return self._index[name]

    def spec_of(self, i):
        """The validated BodySpec of body i."""
        return self._spec.bodies[self._body('spec_of', i)]

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
        if inertia is None and com is not None and np.abs(com - uniform.com).max() > CENTRED * shape.bounding_radius():
            raise EngineError(f'{name}: inertia: must be given about the centre of mass where com is off the centroid '
                              f'{uniform.com.tolist()}, got com {com.tolist()}')
        return (uniform.mass, uniform.inertia if inertia is None else np.asarray(inertia),
                uniform.com if com is None else com)

    def exclude(self, i, j):
        """Bodies i and j never collide."""
        pair = sorted(self._body('exclude', k) for k in (i, j))
        self._spec.excluded.add(tuple(pair))

    def set_pair_material(self, i, j, restitution=None, friction=None, rolling_friction=None, torsional_friction=None):
        """What the contact of bodies i and j has in place of their combined values; None: combined.

        i and j may be several bodies each: every one of i with every one of j.  Of two calls for a pair the later wins.
        """
        sides = [tuple(self._body('set_pair_material', k) for k in np.atleast_1d(np.asarray(x, object)))
                 for x in (i, j)]
        if len(sides[0]) == 1 and sides[0] == sides[1]:
            raise EngineError(f'set_pair_material: must be two bodies, got {sides[0][0]} twice')
        self._spec.pair_materials.append((*sides, Material.checked(
            'set_pair_material', restitution, friction, rolling_friction, torsional_friction)))

    def attach(self, kind, a, b, **settings):
        """A constraint of bodies a and b, as they are when the world is built; arguments as of World.attach."""
        self._spec.constraints.append((kind, a, b, settings))

    def _body(self, key, i):
        n, k = len(self._spec.bodies), whole(key, i)
        if not 0 <= k < n:
            raise EngineError(f'{key}: no body {i}, the world has {n}')
        return k

    def build(self):
        """The World, ready to run."""
        rounding.keep()
        if not self._spec.bodies:
            raise EngineError('build: the world has no bodies')
        world = World(self._spec)
        for kind, a, b, settings in self._spec.constraints:
            world.attach(kind, a, b, **settings)
        if world.dt > world.stable_dt:
            k = self._spec.penalty_stiffness
            softer = 'or give a penalty_stiffness' if k is None else f'or a penalty_stiffness below {k:g} N/m'
            raise EngineError(f'dt: {world.dt:g} s is above the stable limit {world.stable_dt:.6g} s of the springs of '
                              f'solver {self._spec.solver!r}: take a smaller dt {softer}')
        return world
