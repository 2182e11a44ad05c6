# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Arrays handed to entries as one array of their addresses.

numba takes about 0.1 us to take over an array from Python, 3 us for the arrays of the drones; a tick hands over a
hundred.  Arrays that stay where they are need that once.  What a table says of its arrays is not checked again: entries
name type and shape of each, and as plain Python (NUMBA_DISABLE_JIT) and in the debug build they look whether it is
true.
"""
from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numba import carray, config, types
from numba.core import cgutils
from numba.extending import intrinsic

from .engine.maths.checked import CHECKED
from .engine.maths.jit import kernel

__all__ = ['Table', 'address_table', 'bool_array', 'byte_array', 'copy_bytes', 'float_array', 'int_array']

# letters of the kinds of arrays, as in dtype.char
_FLOATS, _WHOLES, _FLAGS, _BYTES = map(ord, 'dl?B')


class Table(NamedTuple):
    """`addresses`: what entries are given; the arrays, which live as long as the table."""

    addresses: np.ndarray | tuple[np.ndarray, ...]
    arrays: tuple[np.ndarray, ...]


def address_table(arrays: Iterable[np.ndarray]) -> Table:
    """A table of contiguous arrays.  ValueError for others."""
    arrays = tuple(arrays)
    for a in arrays:
        if not (a.flags.c_contiguous and a.flags.aligned):
            raise ValueError(f'arrays: must be contiguous and aligned, got strides {a.strides} of shape {a.shape}')
    if config.DISABLE_JIT:
        return Table(arrays, arrays)
    addresses = [a.ctypes.data for a in arrays]
    if CHECKED:
        addresses += [a.nbytes for a in arrays] + [ord(a.dtype.char) for a in arrays]
    return Table(np.array(addresses, dtype=np.int64), arrays)


if config.DISABLE_JIT:
    def _finder(kind):
        def find(table, k, shape):
            a = table[k]
            if a.dtype != kind or a.shape != tuple(shape):
                raise ValueError(f'array {k} of a table: must be {np.dtype(kind)} of shape {tuple(shape)}, got '
                                 f'{a.dtype} of shape {a.shape}')
            return a
        return find

    float_array, int_array, bool_array, byte_array = map(_finder, (np.float64, np.int64, np.bool_, np.uint8))

    def copy_bytes(source, target, k, size):
        byte_array(target, k, (size,))[:] = byte_array(source, k, (size,))
else:
    @intrinsic
    def _pointer(_context, address):
        def codegen(context, builder, signature, values):
            return builder.inttoptr(values[0], context.get_value_type(signature.return_type))
        return types.voidptr(types.int64), codegen

    @intrinsic
    def _copy(_context, target, source, size):
        def codegen(context, builder, signature, values):
            byte = context.get_value_type(types.voidptr)
            to, what = (builder.inttoptr(value, byte) for value in values[:2])
            cgutils.raw_memcpy(builder, to, what, values[2], 1)
            return context.get_dummy_value()
        return types.none(types.int64, types.int64, types.int64), codegen

    @kernel
    def _look(table, k, size, kind):
        """IndexError unless array k of a table has so many bytes of such a kind; in the debug build."""
        if CHECKED:
            n = len(table) // 3
            if k < 0 or k >= n or table[n + k] != size or table[2 * n + k] != kind:
                raise IndexError('an array of a table: of another kind or size, or there is none')

    @kernel
    def _count(shape):
        count = 1
        for n in shape:
            count *= n
        return count

    @kernel
    def copy_bytes(source, target, k, size):
        """So many bytes from array k of one table to array k of another.  Writes: target."""
        _look(source, k, size, _BYTES)
        _look(target, k, size, _BYTES)
        _copy(target[k], source[k], size)

    @kernel
    def float_array(table, k, shape):
        """Array k of a table: float64, of this shape; the caller's promise."""
        _look(table, k, 8 * _count(shape), _FLOATS)
        return carray(_pointer(table[k]), shape, np.float64)

    @kernel
    def int_array(table, k, shape):
        """Array k of a table: int64."""
        _look(table, k, 8 * _count(shape), _WHOLES)
        return carray(_pointer(table[k]), shape, np.int64)

    @kernel
    def bool_array(table, k, shape):
        """Array k of a table: bool."""
        _look(table, k, _count(shape), _FLAGS)
        return carray(_pointer(table[k]), shape, np.bool_)

    @kernel
    def byte_array(table, k, shape):
        """Array k of a table: uint8."""
        _look(table, k, _count(shape), _BYTES)
        return carray(_pointer(table[k]), shape, np.uint8)
