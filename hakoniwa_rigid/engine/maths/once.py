"""`kernel` as in `jit`, compiled once per argument type: numba compiles a callee anew for every literal argument.

f(g, 0, 1) and f(g, 1, 2) are two types to numba, int literals being types of their own.  For large kernels that costs
more than it gains: the general narrow phase takes 30 s instead of 60 s to compile.
"""
from numba import types

from . import jit


def kernel(function):
    """An inner kernel: no wrapper for Python, no cache file of its own."""
    compiled = jit.kernel(function)
    if not hasattr(compiled, 'get_call_template'):  # NUMBA_DISABLE_JIT
        return compiled
    template = compiled.get_call_template

    def plain(args, kws):
        return template(tuple(types.unliteral(x) for x in args), {k: types.unliteral(x) for k, x in kws.items()})
    compiled.get_call_template = plain
    return compiled
