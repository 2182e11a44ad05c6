"""Large kernels as compilation units of their own, called by address.

numba optimises a callee again in every kernel above it, and once more in every entry from Python that reaches it.  A
unit is compiled once, kept in one cache file, and called through its symbol like a C function: the general narrow phase
costs its compile time once instead of once per storey.
"""
import llvmlite.binding as llvm
from numba import cfunc, config, types

functions = []                  # all that are declared
_waiting, _linked = [], []


def unit(signature):
    """Decorator: the function as something kernels can call once `link` has run; plain Python under NUMBA_DISABLE_JIT.

    signature: of machine types and pointers only, as for numba.cfunc.
    """
    def declare(function):
        if config.DISABLE_JIT:
            return function
        symbol = f'{function.__module__}.{function.__qualname__}'
        functions.append(function)
        _waiting.append((symbol, signature, function))
        return types.ExternalFunction(symbol, signature)
    return declare


def promise():
    """Let kernels that call units be compiled, not run: their code refers to units by name, whatever the address."""
    for symbol, _, _ in _waiting:
        llvm.add_symbol(symbol, 1)


def link():
    """Compile all units, or load them from the cache, and make them known: to be run before kernels that call them."""
    while _waiting:
        symbol, signature, function = _waiting.pop()
        compiled = cfunc(signature, cache=True, error_model='numpy')(function)
        llvm.add_symbol(symbol, compiled.address)
        _linked.append(compiled)    # keeps the code alive
