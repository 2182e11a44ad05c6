# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Functions of the user as something the cached kernels can call: compiled once, called by address.

The kernels know their type, ten numbers of four, and not which function it is: a new one compiles nothing but itself.
"""
import inspect
import math
from functools import cache

from numba import cfunc, config, njit, types
from numba.core.errors import NumbaError

from ..engine.checks import array
from ..engine.errors import EngineError
from ..engine.maths import unit

NUMBERS = 10
SIGNATURE = types.UniTuple(types.float64, NUMBERS)(*[types.float64] * 4)


def nothing(t, x, y, z):
    """Stands where there is no function of the user."""
    return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


@cache
def no_function():
    """`nothing`, compiled."""
    return nothing if config.DISABLE_JIT else unit.compiled(nothing, SIGNATURE)


def compiled(key, function, names):
    """A function of numbers called `names` as one of (t, x, y, z); EngineError if it is none, or gives not ten numbers.
    """
    if not callable(function):
        raise EngineError(f'{key}: must be a function of ({", ".join(names)}), got {function!r}')
    plain = getattr(function, 'py_func', function)
    try:
        count = len(inspect.signature(plain).parameters)
        sample = array(f'{key}{(0.1,) * count}', plain(*(0.1,) * count), (NUMBERS,), math.inf)
    except EngineError:
        raise
    except Exception as error:
        raise EngineError(f'{key}: must be a function of ({", ".join(names)}), got {error}') from error
    if count != len(names):
        raise EngineError(f'{key}: must be a function of ({", ".join(names)}), got one of {count} numbers')
    del sample
    return _with_time(key, plain, len(names) == 4)


def _with_time(key, plain, timed):
    inner = plain if config.DISABLE_JIT else njit(error_model='numpy')(plain)
    if timed:
        def call(t, x, y, z):
            a, b, c, d, e, f, g, h, i, j = inner(t, x, y, z)
            return float(a), float(b), float(c), float(d), float(e), float(f), float(g), float(h), float(i), float(j)
    else:
        def call(t, x, y, z):
            a, b, c, d, e, f, g, h, i, j = inner(x, y, z)
            return float(a), float(b), float(c), float(d), float(e), float(f), float(g), float(h), float(i), float(j)
    if config.DISABLE_JIT:
        return call
    try:
        return cfunc(SIGNATURE, error_model='numpy')(call)
    except NumbaError as error:
        raise EngineError(f'{key}: numba cannot compile it: {error}') from error
