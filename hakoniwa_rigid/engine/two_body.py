# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The impulse between two bodies at one contact point, as a pure function (the Hakoniwa article on collisions).

The same law as in the step, on plain numbers: Newton's restitution, Coulomb friction opposed to the final slip, the
full effective mass; restitution is lowered where Newton's law with friction would create energy (Kane's paradox).
"""
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .checks import array, number, unit_quaternion
from .constants import APPROACH, ENERGY_BISECTIONS, ENERGY_TOLERANCE, UNIT_TOLERANCE
from .contact.coulomb import contact_impulse, respond
from .errors import EngineError
from .mass import principal_axes
from .maths import rounding
from .maths.entries import entry
from .maths.jit import kernel
from .maths.matrices import dots, length, product
from .maths.quat import rotate_one
from .maths.vec3 import add, dot

# relative to the velocity before: a slip that is rounding
NO_SLIP = 1e-12


@dataclass(frozen=True)
class MovingBody:
    """What an impact needs to know of a body.

    mass kg, inf for one that nothing moves (its velocities count all the same); inertia (3,) principal or (3, 3)
    kg m^2 about the centre of mass, body frame; pos (3,) m of the centre of mass, quat (4,) wxyz body to world, linvel
    (3,) m/s, angvel (3,) rad/s, world.
    """

    mass: float = math.inf
    inertia: tuple = (1.0, 1.0, 1.0)
    pos: tuple = (0.0, 0.0, 0.0)
    quat: tuple = (1.0, 0.0, 0.0, 0.0)
    linvel: tuple = (0.0, 0.0, 0.0)
    angvel: tuple = (0.0, 0.0, 0.0)


class Impact(NamedTuple):
    """impulse (3,) N s on b, minus that on a; e' used; whether the contact sticks; velocities (3,) after, world.

    velocity_before, velocity_after (3,) m/s: of b minus a at the point.  energy (J): change of the kinetic energy, in
    the frame of a body that nothing moves.
    """

    impulse: np.ndarray
    restitution: float
    sticks: bool
    linvel_a: np.ndarray
    angvel_a: np.ndarray
    linvel_b: np.ndarray
    angvel_b: np.ndarray
    velocity_before: np.ndarray
    velocity_after: np.ndarray
    energy: float


def two_body_impulse(a, b, point, normal, restitution, friction=0.0, threshold=0.0):
    """Impact of two MovingBody at a point (3,) m, world; normal (3,) unit, from a to b.

    restitution e in [0, 1], friction mu >= 0; an approach slower than threshold (m/s) does not bounce.  Bodies that
    separate keep their velocities.  Errors: EngineError naming the value.
    """
    rounding.keep()
    point, n = array('point', point, (3,)), array('normal', normal, (3,))
    if abs(length(n) - 1.0) > UNIT_TOLERANCE:
        raise EngineError(f'normal: must have length 1, got {n.tolist()}')
    n = n / length(n)
    e, mu = number('restitution', restitution, 0.0, 1.0), number('friction', friction, 0.0, 1e3)
    threshold = number('threshold', threshold, 0.0)
    sides = [_Side(key, body, point) for key, body in (('a', a), ('b', b))]
    if sides[0].inverse_mass == sides[1].inverse_mass == 0.0:
        raise EngineError('a.mass, b.mass: one of the two must be finite')
    frame = _frame(n)
    both = sides[0].k + sides[1].k
    k = product(product(frame, both), frame.T)
    before = sides[1].velocity - sides[0].velocity
    u = product(frame, before)
    e = e if -u[0] >= threshold else 0.0
    j, used, work = resolve(tuple(k[np.triu_indices(3)].tolist()), tuple(u.tolist()), e, mu)
    impulse = product(np.array(j), frame)
    (va, wa), (vb, wb) = sides[0].after(-impulse), sides[1].after(impulse)
    after = before + product(both, impulse)
    slip = product(frame[1:], after)
    sticks = j[0] > 0.0 and mu > 0.0 and length(slip) <= NO_SLIP * length(before)
    return Impact(impulse, used, sticks, va, wa, vb, wb, before, after, work)


def _frame(n):
    """Rows: n and two directions across it."""
    t = np.eye(3)[np.argmin(np.abs(n))]
    t = t - n * dots(n, t)
    t /= length(t)
    return np.array([n, t, np.cross(n, t)])


class _Side:
    """One body as the contact sees it."""

    def __init__(self, key, body, point):
        if not isinstance(body, MovingBody):
            raise EngineError(f'{key}: must be a MovingBody, got {body!r}')
        pos, quat = array(f'{key}.pos', body.pos, (3,)), unit_quaternion(f'{key}.quat', body.quat)
        self.v, self.w = array(f'{key}.linvel', body.linvel, (3,)), array(f'{key}.angvel', body.angvel, (3,))
        self.arm = point - pos
        self.velocity = self.v + np.cross(self.w, self.arm)
        self.inverse_mass, self.inverse_inertia = 0.0, np.zeros((3, 3))
        if body.mass != math.inf:
            self.inverse_mass = 1.0 / number(f'{key}.mass', body.mass, 0.0, positive=True)
            self.inverse_inertia = _inverse(f'{key}.inertia', body.inertia, quat)
        x, y, z = self.arm
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        self.k = self.inverse_mass * np.eye(3) - product(product(cross, self.inverse_inertia), cross)

    def after(self, impulse):
        """Velocities after an impulse (N s) at the point."""
        return (self.v + self.inverse_mass * impulse,
                self.w + product(self.inverse_inertia, np.cross(self.arm, impulse)))


def _inverse(key, inertia, quat):
    """Inverse inertia in world axes; EngineError if no body has this inertia."""
    tensor = array(key, inertia, (3,) if np.ndim(inertia) == 1 else (3, 3))
    moments, axes = principal_axes(key, tensor)
    turn = np.array([rotate_one(quat, rotate_one(axes, e)) for e in np.eye(3)])
    return product(turn.T / moments, turn)


@kernel
def _bounce(k, u, e, mu):
    """Impulse with restitution e, its work (J) and the size of that sum's terms."""
    j = contact_impulse(k, u, -e * u[0], mu)
    return j, 0.5 * (dot(j, u) + dot(j, add(u, respond(k, j)))), math.sqrt(dot(j, j) * dot(u, u))


@entry
def resolve(k, u, e, mu):
    """(impulse, e', work J) of a contact with inverse effective mass k (nn, n1, n2, 11, 12, 22) and velocity u before.

    e' is the largest share of e that creates no kinetic energy.
    """
    if not -u[0] > APPROACH:
        return (0.0, 0.0, 0.0), 0.0, 0.0
    j, work, size = _bounce(k, u, e, mu)
    if e == 0.0 or work <= ENERGY_TOLERANCE * size:
        return j, e, work
    low, high = 0.0, 1.0
    for _ in range(ENERGY_BISECTIONS):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if _bounce(k, u, middle * e, mu)[1] > 0.0:
            high = middle
        else:
            low = middle
    j, work, _ = _bounce(k, u, low * e, mu)
    return j, low * e, work
