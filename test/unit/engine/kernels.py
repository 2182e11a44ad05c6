"""Call an inner kernel from a test, with or without JIT."""
from numba import njit

from hakoniwa_rigid.engine.maths.unit import link


def from_python(function):
    """The kernel as something Python can call: kernels have no Python wrapper of their own."""
    if not hasattr(function, 'py_func'):
        return function

    @njit(error_model='numpy')
    def call(*args):
        return function(*args)

    def linked(*args):
        link()
        return call(*args)
    return linked
