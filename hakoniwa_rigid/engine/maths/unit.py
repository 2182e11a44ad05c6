# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Large kernels as compilation units of their own, called by address.

numba optimises a callee again in every kernel above it, and once more in every entry from Python that reaches it.  A
unit is compiled once, kept in one cache file, and called through its symbol like a C function: the general narrow phase
costs its compile time once instead of once per storey.
"""
import llvmlite.binding as llvm
from numba import types
from numba.core.ccallback import CFunc
from numba.core.sigutils import normalize_signature

from .callees import Entry
from .checked import BY_ADDRESS
from .jit import kernel
from .shared_cache import SharedCache

_waiting, _linked = [], []


def unit(signature):
    """Decorator: the function as something kernels can call once `link` has run; the function itself as plain
    Python (NUMBA_DISABLE_JIT), an ordinary kernel in the debug build, where an error must be able to leave it.

    signature: of machine types and pointers only, as for numba.cfunc.
    """
    def declare(function):
        if not BY_ADDRESS:
            return kernel(function)
        symbol = f'{function.__module__}.{function.__qualname__}'
        _waiting.append((symbol, signature, function))
        return types.ExternalFunction(symbol, signature)
    return declare


class _Function(CFunc):
    """What numba.cfunc makes, with a cache of our own."""

    def enable_caching(self):
        """As CFunc does."""
        self._cache = SharedCache(self._pyfunc)


def compiled(function, signature):
    """The function as one of C, compiled or loaded from the cache: `address` is where it lies."""
    made = _Function(function, normalize_signature(signature), locals={}, options={'error_model': 'numpy'},
                     pipeline_class=Entry)
    made.enable_caching()
    made.compile()
    return made


def promise():
    """Let kernels that call units be compiled, not run: their code refers to units by name, whatever the address."""
    for symbol, _, _ in _waiting:
        llvm.add_symbol(symbol, 1)


def link():
    """Compile all units, or load them from the cache, and make them known: to be run before kernels that call them."""
    while _waiting:
        symbol, signature, function = _waiting.pop()
        made = compiled(function, signature)
        llvm.add_symbol(symbol, made.address)
        _linked.append(made)    # keeps the code alive
