# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Principal axes of an inertia tensor, and the checks that make it one."""
import numpy as np

from ..checks import array
from ..constants import INERTIA_TOLERANCE, ROUNDING
from ..errors import EngineError, InertiaError
from ..maths.matrices import dots, from_matrix, principal


def principal_axes(key, inertia):
    """Principal moments and axes of a (3,) diagonal or (3, 3) tensor (kg m^2, body frame).

    Returns (moments (3,), quaternion (4,) wxyz of the principal frame in the body frame).  A diagonal tensor keeps its
    order and the identity quaternion, so that nothing is rounded.  InertiaError: not finite, not symmetric, not
    positive, moments that break the triangle inequality I1 + I2 >= I3 (no mass distribution has them).
    """
    moments, axes = _diagonalised(_tensor(key, inertia))
    if moments.min() <= 0.0:
        raise InertiaError(f'{key}: principal moments must be > 0, got {moments.tolist()}')
    _check_triangle(key, moments)
    if (axes == np.eye(3)).all():
        return moments, np.array([1.0, 0.0, 0.0, 0.0])
    if dots(axes[:, 0], np.cross(axes[:, 1], axes[:, 2])) < 0.0:
        axes[:, 0] = -axes[:, 0]
    return moments, from_matrix(axes)


def sorted_axes(key, inertia):
    """Moments (3,) ascending and axes (3, 3), columns, of a body's (3, 3) tensor: inertia = A diag(moments) A^T.

    det A = +1.  The largest component of the first two axes is positive, so that a diagonal tensor gives a signed
    permutation, the identity where it is ascending.  InertiaError as in principal_axes, but moments may be 0: a point
    has none, a line of points two.
    """
    moments, axes = _diagonalised(_tensor(key, inertia))
    order = np.argsort(moments, kind='stable')
    moments = moments[order]
    if moments[0] < 0.0:
        raise InertiaError(f'{key}: principal moments must not be negative, got {moments.tolist()}')
    _check_triangle(key, moments)
    return moments, signed(axes[:, order])


def _diagonalised(tensor):
    """Moments (3,) and axes (3, 3), columns.  A diagonal tensor keeps its order and digits.

    Products of inertia that are no more than rounding count as 0, or the axes of a cube's mesh would point anywhere;
    so do moments of a tensor that had such sums.
    """
    noise = ROUNDING * np.abs(tensor).max()
    products = np.abs(tensor - np.diag(np.diagonal(tensor))).max()
    if products <= noise:
        moments, axes = np.diagonal(tensor).copy(), np.eye(3)
    else:
        moments, axes = principal(0.5 * (tensor + tensor.T))
    if products > 0.0:
        moments[np.abs(moments) <= noise] = 0.0
    return moments, axes


def signed(axes):
    """Principal axes (3, 3), columns, with the signs that sorted_axes promises."""
    first, second = (column * _sign(column) for column in axes[:, :2].T)
    return np.column_stack([first, second, np.cross(first, second)])


def _sign(column):
    """Sign of the largest component, of the first of those that differ by rounding only."""
    size = np.abs(column)
    return np.sign(column[np.argmax(size >= size.max() * (1.0 - INERTIA_TOLERANCE))])


def _tensor(key, inertia):
    """A finite, symmetric (3, 3) array."""
    try:
        if np.shape(inertia) == (3,):
            return np.diag(array(key, inertia, (3,)))
        tensor = array(key, inertia, (3, 3))
    except EngineError as error:
        raise InertiaError(str(error)) from None
    if np.abs(tensor - tensor.T).max() > INERTIA_TOLERANCE * np.abs(tensor).max():
        raise InertiaError(f'{key}: must be symmetric, got {tensor.tolist()}')
    return tensor


def _check_triangle(key, moments):
    low, middle, high = np.sort(moments).tolist()
    if high > (low + middle) * (1.0 + INERTIA_TOLERANCE):
        raise InertiaError(f'{key}: breaks the triangle inequality I1 + I2 >= I3, '
                           f'got principal moments {[low, middle, high]}')
