"""How kernels are compiled: IEEE division, no fast maths, so that equal inputs give equal bits.

``NUMBA_DISABLE_JIT=1`` runs the same functions as plain Python; results then agree to rounding.
"""
from numba import config, njit, types
from numba.extending import intrinsic

from .shared_cache import SharedCache

# Called from other kernels only: no wrappers for Python and no cache file of its own, since the entry's holds it all.
# From Python, use ``.py_func``.
kernel = njit(error_model='numpy', no_cpython_wrapper=True, no_cfunc_wrapper=True)
# As `kernel`, and always inlined: the arithmetic of the vectorised pass, where a call would keep the loop scalar.
always_inline = njit(error_model='numpy', no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)
# As `kernel`, for what one place only calls: numba puts its text there, and the machine code is optimised once less.
inline = njit(error_model='numpy', inline='always', no_cpython_wrapper=True, no_cfunc_wrapper=True)


@intrinsic
def _wide(_context):
    def codegen(context, builder, _signature, _values):
        # llvmlite knows only attributes without a value
        set.add(builder.function.attributes, '"prefer-vector-width"="512"')
        return context.get_dummy_value()
    return types.none(), codegen


# First line of a kernel whose loops over lanes shall take the widest registers there are: left alone, the compiler
# takes half of them on processors whose clock once sank for it.  Bits are the same.
wide = (lambda: None) if config.DISABLE_JIT else _wide


def entry(function, nogil=False):
    """Decorator: called from Python, cached on disk."""
    compiled = njit(error_model='numpy', nogil=nogil)(function)
    if not config.DISABLE_JIT:
        compiled._cache = SharedCache(function)     # what numba's cache=True does with a cache of its own
    return compiled


def shared_entry(function):
    """Decorator: as `entry`, for what several threads run at a time; Python goes on meanwhile."""
    return entry(function, nogil=True)


def compile_once(function):
    """Decorator: as `kernel`, compiled once per argument type: numba compiles a callee anew for every literal argument.

    f(g, 0, 1) and f(g, 1, 2) are two types to numba, int literals being types of their own.  For large kernels that
    costs more than it gains: the general narrow phase takes 30 s instead of 60 s to compile.
    """
    compiled = kernel(function)
    if not hasattr(compiled, 'get_call_template'):  # NUMBA_DISABLE_JIT
        return compiled
    template = compiled.get_call_template

    def plain(args, kws):
        return template(tuple(types.unliteral(x) for x in args), {k: types.unliteral(x) for k, x in kws.items()})
    compiled.get_call_template = plain
    return compiled
