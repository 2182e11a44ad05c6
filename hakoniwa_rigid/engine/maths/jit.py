"""How kernels are compiled: cached, IEEE division, no fast maths, so that equal inputs give equal bits.

``NUMBA_DISABLE_JIT=1`` runs the same functions as plain Python; results then agree to rounding.
"""
from numba import njit

# callable from Python and from other kernels
kernel = njit(cache=True, error_model='numpy')
# called from other kernels only: without the wrappers that unpack a world's arrays it compiles several times faster
inner = njit(cache=True, error_model='numpy', no_cpython_wrapper=True, no_cfunc_wrapper=True)
