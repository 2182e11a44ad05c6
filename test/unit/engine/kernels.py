# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Call an inner kernel from a test, with or without JIT."""
from numba import config, njit
from numba.core.caching import NullCache

from hakoniwa_rigid.engine.maths import entries
from hakoniwa_rigid.engine.maths.unit import link


def compiled(function):
    """A test's own function as a kernel, or as it is without JIT."""
    return function if config.DISABLE_JIT else njit(error_model='numpy')(function)


def from_python(function):
    """The kernel as something Python can call: kernels have no Python wrapper of their own."""
    if not hasattr(function, 'py_func'):
        return function

    @compiled
    def call(*args):
        return function(*args)

    def linked(*args):
        link()
        return call(*args)
    return linked


def entry(function):
    """What is compiled anew in each process: it tests the compiler."""
    made = entries.entry(function)
    made._cache = NullCache()
    return made
