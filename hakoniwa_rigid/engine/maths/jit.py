"""How kernels are compiled: IEEE division, no fast maths, so that equal inputs give equal bits.

``NUMBA_DISABLE_JIT=1`` runs the same functions as plain Python; results then agree to rounding.
"""
from numba import config, njit

from .shared_cache import SharedCache

# Called from other kernels only: no wrappers for Python and no cache file of its own, since the entry's holds it all.
# From Python, use ``.py_func``.
kernel = njit(error_model='numpy', no_cpython_wrapper=True, no_cfunc_wrapper=True)
# As `kernel`, and always inlined: the arithmetic of the vectorised pass, where a call would keep the loop scalar.
inlined = njit(error_model='numpy', no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)
# As `kernel`, for what one place only calls: numba puts its text there, and the machine code is optimised once less.
once = njit(error_model='numpy', inline='always', no_cpython_wrapper=True, no_cfunc_wrapper=True)


def entry(function):
    """Decorator: called from Python, cached on disk."""
    compiled = njit(error_model='numpy')(function)
    if not config.DISABLE_JIT:
        compiled._cache = SharedCache(function)     # what numba's cache=True does with a cache of its own
    return compiled
