"""Arrays handed to entries as one array of their addresses.

numba takes about 0.1 us to take over an array from Python, 3 us for the arrays of the drones; a tick hands over a
hundred.  Arrays that stay where they are need that once.  Whoever makes a table keeps its arrays alive.
"""
from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numba import carray, config, types
from numba.extending import intrinsic

from ..engine.maths.jit import kernel

__all__ = ['bytes_at', 'flags_at', 'floats_at', 'table_of', 'wholes_at']


if config.DISABLE_JIT:
    def table_of(arrays: Iterable[np.ndarray]) -> tuple[np.ndarray, ...]:
        """The arrays themselves."""
        return tuple(arrays)

    def floats_at(table, k, shape):
        """Array k of a table."""
        return table[k]

    wholes_at = flags_at = bytes_at = floats_at
else:
    def table_of(arrays: Iterable[np.ndarray]) -> np.ndarray:
        """Addresses (K,) int64 of contiguous arrays."""
        arrays = tuple(arrays)
        for a in arrays:
            if not a.flags.c_contiguous:
                raise ValueError(f'arrays: must be contiguous, got strides {a.strides} of shape {a.shape}')
        return np.array([a.ctypes.data for a in arrays], dtype=np.int64)

    @intrinsic
    def _pointer(_context, address):
        def codegen(context, builder, signature, values):
            return builder.inttoptr(values[0], context.get_value_type(signature.return_type))
        return types.voidptr(types.int64), codegen

    @kernel
    def floats_at(table, k, shape):
        """Array k of a table: float64, of this shape; the caller's promise."""
        return carray(_pointer(table[k]), shape, np.float64)

    @kernel
    def wholes_at(table, k, shape):
        """Array k of a table: int64."""
        return carray(_pointer(table[k]), shape, np.int64)

    @kernel
    def flags_at(table, k, shape):
        """Array k of a table: bool."""
        return carray(_pointer(table[k]), shape, np.bool_)

    @kernel
    def bytes_at(table, k, shape):
        """Array k of a table: uint8."""
        return carray(_pointer(table[k]), shape, np.uint8)
