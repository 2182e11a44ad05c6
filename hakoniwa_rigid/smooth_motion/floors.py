# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Floors that a body slides or rolls on: solid where G(t, x) <= 0.  SI, radians, world axes."""
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine.checks import array, number
from ..engine.constants import MAX_COORDINATE, MAX_SIZE, MIN_SIZE
from ..engine.errors import EngineError
from ..engine.maths.matrices import length as norm
from . import layout as L
from .custom import compiled, no_function
from .floor_kernels import floor_at

# m, or any unit: a direction shorter than this is a mistake
LEAST_LENGTH = 1e-9


def _vector(key, value, limit=MAX_COORDINATE):
    return tuple(array(key, value, (3,), limit).tolist())


def _direction(key, value):
    a = array(key, value, (3,))
    length = norm(a)
    if not length > LEAST_LENGTH:
        raise EngineError(f'{key}: must not be zero, got {a.tolist()}')
    return tuple((a / length).tolist()), length


class Floor:
    """Base of all floors.  The gradient of G points out of the floor; its material may move along it."""

    # whether the solid side is convex, and whether neither shape nor material moves: then no floor does work
    convex, rests = False, True

    def row(self):
        """The numbers that the kernels read."""
        row = np.zeros(L.FLOOR)
        row[L.F_KIND], row[L.F_AXIS + 2] = self._kind, 1.0
        parameters = self._parameters()
        row[L.F_P:L.F_P + len(parameters)] = parameters
        return row

    def code(self):
        """The function of the user, if there is one."""
        return no_function()

    def at(self, t, x):
        """What the floor is at time t (s) and point x (3,) m, as a dict of floats and arrays.

        value G (m for all but custom floors); gradient (3,); hessian (3, 3); rate dG/dt, gradient_rate (3,) and
        value_acceleration d2G/dt2 at the fixed point x; velocity (3,) m/s of the floor's material there, velocity_rate
        (3,) m/s^2 at the fixed point, velocity_gradient (3, 3) 1/s, [i, j] = d velocity_i / d x_j.
        """
        out = np.empty(30)
        floor_at(self.row(), self.code(), number('t', t), array('x', x, (3,)), out)
        xx, xy, xz, yy, yz, zz = out[4:10]
        return dict(value=float(out[0]), gradient=out[1:4].copy(),
                    hessian=np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), rate=float(out[10]),
                    gradient_rate=out[11:14].copy(), value_acceleration=float(out[14]), velocity=out[15:18].copy(),
                    velocity_rate=out[18:21].copy(), velocity_gradient=out[21:30].reshape(3, 3).T.copy())


@dataclass(frozen=True)
class PlaneFloor(Floor):
    """G = normal . x - offset; normal is made unit length, offset (m) scales with it."""

    normal: tuple = (0.0, 0.0, 1.0)
    offset: float = 0.0
    _kind, convex = L.PLANE, True

    def __post_init__(self):
        n, length = _direction('PlaneFloor.normal', self.normal)
        offset = number('PlaneFloor.offset', self.offset, -MAX_COORDINATE, MAX_COORDINATE)
        object.__setattr__(self, 'normal', n)
        object.__setattr__(self, 'offset', offset / length)

    def _parameters(self):
        return *self.normal, self.offset


@dataclass(frozen=True)
class SphereFloor(Floor):
    """A ball of radius (m) to ride on, or with inside=True a bowl that the body is in; centre (3,) m.

    G is the distance to the surface.
    """

    radius: float
    centre: tuple = (0.0, 0.0, 0.0)
    inside: bool = False
    _kind = L.SPHERE

    def __post_init__(self):
        object.__setattr__(self, 'radius', number('SphereFloor.radius', self.radius, MIN_SIZE, MAX_SIZE))
        object.__setattr__(self, 'centre', _vector('SphereFloor.centre', self.centre))

    @property
    def convex(self):
        """Whether the solid side is."""
        return not self.inside

    def _parameters(self):
        return self.radius, -1.0 if self.inside else 1.0, *self.centre


@dataclass(frozen=True)
class CylinderFloor(Floor):
    """An endless cylinder of radius (m) about a line along axis (3,) through point (3,) m; inside=True: a pipe."""

    radius: float
    axis: tuple = (0.0, 1.0, 0.0)
    point: tuple = (0.0, 0.0, 0.0)
    inside: bool = False
    _kind = L.CYLINDER

    def __post_init__(self):
        object.__setattr__(self, 'radius', number('CylinderFloor.radius', self.radius, MIN_SIZE, MAX_SIZE))
        object.__setattr__(self, 'axis', _direction('CylinderFloor.axis', self.axis)[0])
        object.__setattr__(self, 'point', _vector('CylinderFloor.point', self.point))

    @property
    def convex(self):
        """Whether the solid side is."""
        return not self.inside

    def _parameters(self):
        return self.radius, -1.0 if self.inside else 1.0, *self.axis, *self.point


@dataclass(frozen=True)
class ParaboloidFloor(Floor):
    """G = z - (kx x^2 + ky y^2) / 2, curvatures in 1/m: a bowl where positive, a hill where negative, or a saddle."""

    kx: float
    ky: float
    _kind = L.PARABOLOID

    def __post_init__(self):
        for key in ('kx', 'ky'):
            object.__setattr__(self, key, number(f'ParaboloidFloor.{key}', getattr(self, key), -1e6, 1e6))

    @property
    def convex(self):
        """Whether the solid side is."""
        return self.kx <= 0.0 and self.ky <= 0.0

    def _parameters(self):
        return self.kx, self.ky


@dataclass(frozen=True)
class SineFloor(Floor):
    """G = z - A sin(kx x + ky y + phase - rate t); amplitude A m, wave_vector (kx, ky) rad/m, rate rad/s.

    With a rate the wave travels; the floor's material only goes up and down.
    """

    amplitude: float
    wave_vector: tuple
    phase: float = 0.0
    rate: float = 0.0
    _kind = L.SINE

    def __post_init__(self):
        for key, limit in (('amplitude', MAX_SIZE), ('phase', math.inf), ('rate', 1e6)):
            object.__setattr__(self, key, number(f'SineFloor.{key}', getattr(self, key), -limit, limit))
        k = array('SineFloor.wave_vector', self.wave_vector, (2,), 1e6)
        object.__setattr__(self, 'wave_vector', tuple(k.tolist()))

    @property
    def rests(self):
        """Whether nothing moves."""
        return self.rate == 0.0

    def _parameters(self):
        return self.amplitude, *self.wave_vector, self.phase, self.rate


@dataclass(frozen=True)
class CustomFloor(Floor):
    """Any smooth floor at rest in its own frame: function(t, x, y, z) gives ten numbers, G, its gradient (x, y, z) and
    its second derivatives (xx, yy, zz, xy, xz, yz).

    The function is compiled by numba when the floor is made; t is passed as 0.  material_velocity: None, or the
    velocity (3,) m/s of its material in its own frame, everywhere the same and along the surface (a conveyor belt).
    """

    function: Any
    material_velocity: tuple | None = None
    _kind = L.CUSTOM

    def __post_init__(self):
        u = (0.0, 0.0, 0.0) if self.material_velocity is None else self.material_velocity
        object.__setattr__(self, 'material_velocity', _vector('CustomFloor.material_velocity', u, 1e5))
        object.__setattr__(self, '_compiled', compiled('CustomFloor.function', self.function,
                                                       ('t', 'x', 'y', 'z')))

    def code(self):
        """The compiled function."""
        return self._compiled

    @property
    def rests(self):
        """Whether nothing moves."""
        return not any(self.material_velocity)

    def _parameters(self):
        return self.material_velocity


@dataclass(frozen=True)
class MovingFloor(Floor):
    """A floor moved as a rigid body: its point X goes to centre + velocity t + sway sin(sway_rate t) + R (X - centre).

    R turns about `axis` by angle + rate t + tilt sin(tilt_rate t).  velocity (3,) m/s, sway (3,) m, rates rad/s,
    centre (3,) m, angles rad.  A turntable is a plane with a rate; its surface velocity follows.
    """

    floor: Floor
    velocity: tuple = (0.0, 0.0, 0.0)
    sway: tuple = (0.0, 0.0, 0.0)
    sway_rate: float = 0.0
    axis: tuple = (0.0, 0.0, 1.0)
    centre: tuple = (0.0, 0.0, 0.0)
    angle: float = 0.0
    rate: float = 0.0
    tilt: float = 0.0
    tilt_rate: float = 0.0
    rests = False

    def __post_init__(self):
        if not isinstance(self.floor, Floor) or isinstance(self.floor, MovingFloor):
            raise EngineError(f'MovingFloor.floor: must be a floor at rest, got {self.floor!r}')
        for key in ('velocity', 'sway', 'centre'):
            object.__setattr__(self, key, _vector(f'MovingFloor.{key}', getattr(self, key)))
        for key in ('sway_rate', 'angle', 'rate', 'tilt', 'tilt_rate'):
            object.__setattr__(self, key, number(f'MovingFloor.{key}', getattr(self, key)))
        object.__setattr__(self, 'axis', _direction('MovingFloor.axis', self.axis)[0])

    @property
    def convex(self):
        """Whether the solid side is."""
        return self.floor.convex

    def row(self):
        """The numbers that the kernels read."""
        row = self.floor.row()
        row[L.F_MOVES] = 1.0
        for first, key in ((L.F_CENTRE, 'centre'), (L.F_VELOCITY, 'velocity'), (L.F_SWAY, 'sway'),
                           (L.F_AXIS, 'axis')):
            row[first:first + 3] = getattr(self, key)
        for first, key in ((L.F_SWAY_RATE, 'sway_rate'), (L.F_ANGLE, 'angle'), (L.F_RATE, 'rate'),
                           (L.F_TILT, 'tilt'), (L.F_TILT_RATE, 'tilt_rate')):
            row[first] = getattr(self, key)
        return row

    def code(self):
        """That of the floor which moves."""
        return self.floor.code()
