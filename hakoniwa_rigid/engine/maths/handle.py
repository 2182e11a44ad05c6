# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Many arrays handed from kernel to kernel as one address.

numba hands a tuple of arrays on as all its pointers, shapes and strides, two hundred numbers a call: more than most
kernels do.  A handle is the address of a table with address and shape of each array, and `s.name` reads what it needs
from there; the table is promised not to change while a kernel runs.  References are not counted: the maker of the table
keeps the arrays.  As plain Python (NUMBA_DISABLE_JIT) a table is the tuple itself.
"""
from functools import partial

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, models, register_model

from .lean_arrays import array_value, data_of
from .lean_builder import Late
from .record import RecordArray

_WORD = ir.IntType(64)


class Handle(types.Type):
    """Type of a handle; fields: name -> array type, or a Handle for a tuple of arrays."""

    def __init__(self, name, fields):
        self.fields = fields
        super().__init__(name=f'Handle({name})')


def handle_type(name, kinds):
    """Handle of such a name to arrays of such kinds: name -> 'f2' (float64, 2 dimensions), 'i1' (int64), ... or such a
    dict for a tuple of arrays, whose handle has the name of the field, or (kind, Record)."""
    return Handle(name, {field: handle_type(field, kind) if isinstance(kind, dict) else _array_type(*_plain(kind))
                         for field, kind in kinds.items()})


def _plain(kind):
    """(kind, Record or None)."""
    return kind if isinstance(kind, tuple) else (kind, None)


def _array_type(kind, record):
    dtype, ndim = types.float64 if kind[0] == 'f' else types.int64, int(kind[1:])
    return types.Array(dtype, ndim, 'C') if record is None else RecordArray(record, dtype, ndim)


def _named(arrays, kinds):
    """The tuple of arrays as kernels in plain Python take it: rows of arrays with a Record have its names."""
    return arrays._replace(**{field: kind[1].view(getattr(arrays, field)) for field, kind in kinds.items()
                              if isinstance(kind, tuple)})


@register_model(Handle)
class _HandleModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, _WORD.as_pointer())


@infer_getattr
class _HandleAttributes(AttributeTemplate):
    key = Handle

    def generic_resolve(self, handle, name):
        """Type of s.name."""
        return handle.fields.get(name)


def _words(field):
    """Words of the table that a field takes."""
    return sum(map(_words, field.fields.values())) if isinstance(field, Handle) else 1 + field.ndim


def _array(context, builder, pointer, first, kind):
    """Array whose address and shape are the words from `first` on."""
    value = context.get_value_type(kind)
    data = Late(lambda builder: builder.inttoptr(_word(pointer, first, builder),
                                                 context.get_data_type(kind.dtype).as_pointer()))
    shape = [Late(partial(_word, pointer, first + 1 + k)) for k in range(kind.ndim)]
    return array_value(builder, value, data, shape, ir.Constant(_WORD, 8))


def _word(pointer, k, builder):
    """One of the words of a table.  It stays as it is: what was read once need not be read again."""
    known = getattr(builder, 'words', {})
    key = builder.block, pointer, k
    if key not in known:
        known[key] = builder.load(builder.gep(pointer, [ir.Constant(_WORD, k)]))
        known[key].set_metadata('invariant.load', builder.module.add_metadata([]))
    return known[key]


@lower_getattr_generic(Handle)
def _attribute(context, builder, handle, pointer, name):
    first = 0
    for other, field in handle.fields.items():
        if other == name:
            break
        first += _words(field)
    if isinstance(field, Handle):
        return builder.gep(pointer, [ir.Constant(_WORD, first)])
    return _array(context, builder, pointer, first, field)


def table_maker(kinds):
    """A function from a tuple of arrays, named as in `kinds`, to their table.

    It raises TypeError for an array of another kind: whoever reads the table does not look.
    """
    def words(arrays, kinds):
        for name, kind in kinds.items():
            a = getattr(arrays, name)
            if isinstance(kind, dict):
                yield from words(a, kind)
                continue
            kind, _ = _plain(kind)
            dtype = np.float64 if kind[0] == 'f' else np.int64
            if a.dtype != dtype or a.ndim != int(kind[1:]) or not a.flags.c_contiguous:
                raise TypeError(f'{name}: must be a contiguous array of {np.dtype(dtype)} with {kind[1:]} dimensions, '
                                f'got {a.dtype} of shape {a.shape} and strides {a.strides}')
            yield a.__array_interface__['data'][0]
            yield from a.shape

    def table(arrays):
        return _named(arrays, kinds) if config.DISABLE_JIT else np.array(list(words(arrays, kinds)), np.int64)
    return table


def handle_reader(name, kinds):
    """A function, for kernels, from a table to its handle."""
    if config.DISABLE_JIT:
        return lambda table: table
    handle = handle_type(name, kinds)

    @intrinsic
    def read(_context, table):
        def codegen(_context, builder, _signature, values):
            return builder.bitcast(data_of(builder, values[0]), _WORD.as_pointer())
        return handle(table), codegen
    return read


@intrinsic
def address_of(_context, handle):
    """Address of the table of a handle, for a unit that reads it with `handle_reader` from an array of one word."""
    def codegen(_context, _builder, _signature, values):
        return values[0]
    return types.CPointer(types.int64)(handle), codegen
