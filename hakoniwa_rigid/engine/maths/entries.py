# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""How kernels are compiled that Python calls, and with them all that they call (`jit`)."""
from numba import config, njit, types
from numba.extending import intrinsic, typeof_impl

from . import lean_arrays, quick_numba  # noqa: F401  (registers itself)
from .callees import Callee, Entry
from .jit import IS_PYTHON, Kernel
from .shared_cache import SharedCache

if bool(config.DISABLE_JIT) != IS_PYTHON:
    raise ImportError(f'NUMBA_DISABLE_JIT must be set before hakoniwa_rigid is imported, and in the environment: numba '
                      f'has {config.DISABLE_JIT!r}')

quick_numba.install()


@typeof_impl.register(Kernel)
def _typeof_kernel(kernel, context):
    return typeof_impl(kernel.dispatcher, context)


def dispatcher(function, inline='never', forceinline=False):
    """What numba makes of a Kernel's function: no wrappers for Python and no cache file, since the entry's holds it
    all.

    It is compiled once per argument type: int literals are types of their own to numba, which would compile f(a, 0) and
    f(a, 1) apart.  What is known of a call is remembered.
    """
    pipeline = {} if inline == 'always' else {'pipeline_class': Callee}
    made = njit(error_model='numpy', no_cpython_wrapper=True, no_cfunc_wrapper=True, inline=inline,
                forceinline=forceinline, **pipeline)(function)
    if IS_PYTHON:   # the function itself
        return made
    template, known = made.get_call_template, {}

    def plain(args, kws):
        args, kws = tuple(map(types.unliteral, args)), tuple((k, types.unliteral(x)) for k, x in kws.items())
        if (args, kws) not in known:
            known[args, kws] = template(args, dict(kws))
        return known[args, kws]
    made.get_call_template = plain
    return made


@intrinsic
def _wide(_context):
    def codegen(context, builder, _signature, _values):
        # llvmlite knows only attributes without a value
        set.add(builder.function.attributes, '"prefer-vector-width"="512"')
        return context.get_dummy_value()
    return types.none(), codegen


# First line of a kernel whose loops over lanes shall take the widest registers there are: left alone, the compiler
# takes half of them on processors whose clock once sank for it.  Bits are the same.
wide = (lambda: None) if IS_PYTHON else _wide


def entry(function, nogil=False):
    """Decorator: called from Python, cached on disk."""
    compiled = njit(error_model='numpy', nogil=nogil, pipeline_class=Entry)(function)
    if not IS_PYTHON:
        compiled._cache = SharedCache(function)     # what numba's cache=True does with a cache of its own
    return compiled


def shared_entry(function):
    """Decorator: as `entry`, for what several threads run at a time; Python goes on meanwhile."""
    return entry(function, nogil=True)
