"""How kernels are compiled: IEEE division, no fast maths, so that equal inputs give equal bits.

``NUMBA_DISABLE_JIT=1`` runs the same functions as plain Python; results then agree to rounding.
"""
from numba import njit

# Called from other kernels only: no wrappers for Python and no cache file of its own, since the entry's holds it all.
# From Python, use ``.py_func``.
kernel = njit(error_model='numpy', no_cpython_wrapper=True, no_cfunc_wrapper=True)
# As `kernel`, and always inlined: the arithmetic of the vectorised pass, where a call would keep the loop scalar.
inlined = njit(error_model='numpy', no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)
# As `kernel`, for what one place only calls: numba puts its text there, and the machine code is optimised once less.
once = njit(error_model='numpy', inline='always', no_cpython_wrapper=True, no_cfunc_wrapper=True)
# Called from Python, cached on disk.
entry = njit(error_model='numpy', cache=True)
