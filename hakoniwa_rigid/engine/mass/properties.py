# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Mass properties of any bounded shape: the entrance to this folder."""
from dataclasses import dataclass

import numpy as np

from ..checks import array, number, unit_quaternion
from ..errors import EngineError, InertiaError, MassError
from ..maths.matrices import product
from ..shapes import Compound, Shape
from .body import Body, parallel_axis, placed, rotation_matrix, together
from .compound import bodies_of, total_mass
from .principal import signed, sorted_axes


@dataclass(frozen=True, eq=False)
class MassProperties:
    """What a rigid body's motion depends on; arrays are read-only.

    mass kg; com (3,) m, centre of mass in the shape's frame; inertia (3, 3) kg m^2 about com in the shape's axes;
    principal_moments (3,) kg m^2 ascending; principal_axes (3, 3) their unit axes in the shape's frame, as columns,
    right-handed: inertia = A diag(principal_moments) A^T.
    """

    mass: float
    com: np.ndarray
    inertia: np.ndarray
    principal_moments: np.ndarray
    principal_axes: np.ndarray

    def __post_init__(self):
        for name in ('com', 'inertia', 'principal_moments', 'principal_axes'):
            getattr(self, name).setflags(write=False)

    def inertia_about(self, point):
        """Inertia (3, 3) kg m^2 about point (3,) m of the shape's frame, in the shape's axes (parallel axes)."""
        return self.inertia + parallel_axis(self.mass, self.com - array('point', point, (3,)))

    def transformed(self, pos=(0.0, 0.0, 0.0), quat=(1.0, 0.0, 0.0, 0.0)):
        """The same body seen from a frame in which the shape's frame is at pos (3,) m, quat (4,) wxyz."""
        pos, quat = array('pos', pos, (3,)), unit_quaternion('quat', quat)
        mass, com, inertia = placed(Body(self.mass, self.com, self.inertia), pos, quat)
        axes = signed(product(rotation_matrix(quat), self.principal_axes))
        return MassProperties(mass, com, inertia, self.principal_moments, axes)


def mass_properties(shape, *, density=None, mass=None):
    """MassProperties of a uniform shape from its density or its mass, one of them.

    density kg/m^3, of a thin shell (thickness 0) kg/m^2; mass kg.  In a Compound, density counts for the parts without
    a density or mass of their own and may be left out if there are none; mass scales the whole, so that the parts'
    densities and masses count relative to each other.

    Sources: docs/mass_properties.md, the notes on polyhedra with their slips corrected, Yoshimoto 2017 for lumped
    meshes. Errors (EngineError): MassError, the typed errors of meshes (see mesh_body), VolumeError, InertiaError
    (holes that reach out of the body, surfaces that cut through themselves)."""
    if not isinstance(shape, Shape):
        raise EngineError(f'mass_properties: shape: must be a Shape, got {shape!r}')
    name = type(shape).__name__
    if density is not None and mass is not None:
        raise MassError(f'{name}: give density or mass, not both, got density={density!r} and mass={mass!r}')
    if density is None and mass is None and not isinstance(shape, Compound):
        raise MassError(f'{name}: give density= (kg/m^3) or mass= (kg)')
    density, mass = _positive(f'{name}: density', density), _positive(f'{name}: mass', mass)
    bodies = bodies_of(name, shape, density, mass)
    total = total_mass(name, bodies)
    _, com, inertia = together(bodies)
    try:
        moments, axes = sorted_axes(f'{name}: inertia', inertia)
    except InertiaError as error:
        doubt = 'does a hole reach out of the body' if isinstance(shape, Compound) else 'does its surface cut itself'
        raise InertiaError(f'{error}; {doubt}?') from None
    return MassProperties(total if mass is None else mass, com, inertia, moments, axes)


def _positive(key, value):
    if value is None:
        return None
    try:
        return number(key, value, positive=True)
    except EngineError as error:
        raise MassError(str(error)) from None
