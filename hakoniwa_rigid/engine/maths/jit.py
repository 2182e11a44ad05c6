# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""How kernels are compiled: IEEE division, no fast maths, so that equal inputs give equal bits.

``NUMBA_DISABLE_JIT=1`` runs the same functions as plain Python; results then agree to rounding.
"""
from functools import cached_property, update_wrapper

from numba import config, njit, types
from numba.extending import intrinsic, typeof_impl

from .callees import Callee, Entry
from .shared_cache import SharedCache


class Kernel:
    """A function that kernels call, made numba's when the first of them is compiled.

    Where all machine code comes from the cache that is never: 1,000 dispatchers of numba's take 0.15 s.  From Python,
    use ``.py_func``.
    """

    def __init__(self, function, make):
        self.py_func, self._make = function, make
        update_wrapper(self, function)

    @cached_property
    def dispatcher(self):
        """Numba's."""
        return self._make(self.py_func)

    def __getattr__(self, name):
        return getattr(self.dispatcher, name)


@typeof_impl.register(Kernel)
def _typeof_kernel(kernel, context):
    return typeof_impl(kernel.dispatcher, context)


def _decorator(**options):
    """Decorator for functions that kernels call: no wrappers for Python and no cache file, since the entry's holds it
    all."""
    make = njit(error_model='numpy', no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)
    return make if config.DISABLE_JIT else lambda function: Kernel(function, make)


kernel = _decorator(pipeline_class=Callee)
# As `kernel`, and always inlined: the arithmetic of the vectorised pass, where a call would keep the loop scalar.
always_inline = _decorator(forceinline=True, pipeline_class=Callee)
# As `kernel`, for what one place only calls: numba puts its text there, and the machine code is optimised once less.
inline = _decorator(inline='always')


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
    compiled = njit(error_model='numpy', nogil=nogil, pipeline_class=Entry)(function)
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
    if config.DISABLE_JIT:
        return function
    return Kernel(function, _once)


def _once(function):
    compiled = kernel(function).dispatcher
    template = compiled.get_call_template

    def plain(args, kws):
        return template(tuple(types.unliteral(x) for x in args), {k: types.unliteral(x) for k, x in kws.items()})
    compiled.get_call_template = plain
    return compiled
