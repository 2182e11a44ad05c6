# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Mass, centre of mass and inertia, and how they move and add up.  Masses may be negative here: holes."""
from typing import NamedTuple

import numpy as np

from ..maths.matrices import principal, product


class Body(NamedTuple):
    """mass kg; com (3,) m; inertia (3, 3) kg m^2 about com; com and inertia in the axes of one common frame."""

    mass: float
    com: np.ndarray
    inertia: np.ndarray


def parallel_axis(mass, arm):
    """What inertia (..., 3, 3) kg m^2 gains when its point moves from the centre of mass by arm (..., 3) m.

    The diagonal is a sum of squares, not |arm|^2 minus one: points on an axis get an exact zero.
    """
    arm = np.asarray(arm, dtype=np.float64)
    squares = arm * arm
    gain = -arm[..., :, None] * arm[..., None, :]
    for i in range(3):
        gain[..., i, i] = squares[..., i - 1] + squares[..., i - 2]
    return np.asarray(mass)[..., None, None] * gain


def from_moments(mass, origin, first, second, noise=0.0):
    """Body out of its mass, first (3,) kg m and second (3, 3) kg m^2 moments about origin (3,) m.

    The second moment about the centre of mass is C = sum m x x^T; the inertia is tr(C) 1 - C, with the diagonal as a
    sum of two terms.  C of a plate has an eigenvalue of 0, and rounding may leave it negative: down to -noise kg m^2 it
    is set to 0.
    """
    arm = first / mass
    C = second - mass * np.outer(arm, arm)
    C = 0.5 * (C + C.T)
    values, axes = principal(C)
    if -noise <= values[0] < 0.0:
        C = product(axes * np.maximum(values, 0.0), axes.T)
    inertia = -C
    for i in range(3):
        inertia[i, i] = C[i - 1, i - 1] + C[i - 2, i - 2]
    return Body(float(mass), origin + arm, inertia)


def rotation_matrix(quat):
    """(3, 3) of a unit quaternion (4,) wxyz; exact for the identity."""
    w, x, y, z = quat
    return np.array([[1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
                     [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
                     [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)]])


def placed(body, pos, quat):
    """The body with its frame at pos (3,) m, quat (4,) wxyz of another frame, seen from there."""
    R = rotation_matrix(quat)
    inertia = product(product(R, body.inertia), R.T)
    return Body(body.mass, product(R, body.com) + np.asarray(pos), 0.5 * (inertia + inertia.T))


def scaled(body, factor):
    """The body with its mass times `factor`, spread as before."""
    return Body(factor * body.mass, body.com, factor * body.inertia)


def together(bodies):
    """One Body out of many; the sum of their masses must not be 0."""
    masses = np.array([b.mass for b in bodies])
    coms = np.array([b.com for b in bodies])
    mass = masses.sum()
    # about the first one: a compound far from its origin keeps its digits
    com = coms[0] + product(masses, coms - coms[0]) / mass
    inertia = sum(b.inertia for b in bodies) + parallel_axis(masses, coms - com).sum(axis=0)
    return Body(float(mass), com, inertia)
