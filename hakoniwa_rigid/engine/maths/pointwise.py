# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The functions of `elementary` for Python: of numbers, and of arrays entry by entry.  Same bits as in kernels.

numba is imported when the first of them is called: who only describes shapes needs none.
"""
import numpy as np

__all__ = ['acos', 'atan2', 'cos', 'exp', 'power', 'sin', 'warm_up']

# as in pointwise_kernels
SIN, COS, EXP, ACOS, ATAN2, POWER = range(6)


def _of(function, x, y=0.0):
    from . import pointwise_kernels as kernels
    if type(x) is type(y) is float or np.ndim(x) == np.ndim(y) == 0:    # the first asks less
        return kernels.one(function, float(x), float(y))
    x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
    out = np.empty(x.size)
    kernels.each(function, x.flatten(), y.flatten(), out)
    return out.reshape(x.shape)


def sin(x):
    """Sine of x rad."""
    return _of(SIN, x)


def cos(x):
    """Cosine of x rad."""
    return _of(COS, x)


def exp(x):
    """e**x."""
    return _of(EXP, x)


def acos(x):
    """Arc cosine, rad, of -1 <= x <= 1."""
    return _of(ACOS, x)


def atan2(y, x):
    """Angle of (x, y), rad."""
    return _of(ATAN2, y, x)


def power(x, y):
    """x**y for x >= 0."""
    return _of(POWER, x, y)


def warm_up():
    """Compile them, or load them from the cache."""
    sin(np.array([sin(0.0)]))
