# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Rows of an array whose columns have names, read as a struct: `c.normal_impulse`, `c.normal = n`.

A Record says which columns belong together: one column is a number, several are a tuple.  Of a handle's array with a
Record every row has its names; each compiles to loads and stores at constant places, as an index by number does.
Anything else is as for any array.  As plain Python (NUMBA_DISABLE_JIT) `Record.view` gives an array with the same
names.
"""
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, lower_getattr_generic, lower_setattr_generic, models, register_model

from .lean_arrays import data_of

_INDEX = ir.IntType(64)


class Record:
    """Columns by name: fields: name -> (first column, number of columns), which may share columns."""

    def __init__(self, name, **fields):
        self.name, self.fields, self._classes = name, fields, {}

    def view(self, array):
        """The same memory as an array of its kind whose rows have the names."""
        kind = type(array)
        if kind not in self._classes:
            self._classes[kind] = type(self.name, (kind,), {key: _property(*p) for key, p in self.fields.items()})
        return array.view(self._classes[kind])


def _property(first, count):
    def read(row):
        return row[first] if count == 1 else tuple(row[first + k] for k in range(count))

    def write(row, value):
        for k, number in enumerate((value,) if count == 1 else value):
            row[first + k] = number
    return property(read, write)


class RecordArray(types.Array):
    """Type of an array, or a row of one, whose columns have the names of a Record."""

    def __init__(self, record, dtype, ndim, layout='C'):
        self.record = record
        super().__init__(dtype, ndim, layout, name=f'{record.name}({dtype}, {ndim}d, {layout})')

    @property
    def key(self):
        """Equal for equal types."""
        return *super().key, self.record.name

    def copy(self, dtype=None, ndim=None, layout=None, readonly=None):
        """The type of a part; what is no whole row is an ordinary array."""
        dtype, ndim, layout = dtype or self.dtype, self.ndim if ndim is None else ndim, layout or self.layout
        if self.ndim == 1 or dtype != self.dtype or layout != 'C':
            return types.Array(dtype, ndim, layout)
        return RecordArray(self.record, dtype, ndim)


register_model(RecordArray)(models.ArrayModel)


@infer_getattr
class _Names(AttributeTemplate):
    key = RecordArray

    def generic_resolve(self, row, name):
        """Type of row.name."""
        if row.ndim != 1 or name not in row.record.fields:
            return None
        count = row.record.fields[name][1]
        return row.dtype if count == 1 else types.UniTuple(row.dtype, count)


def _places(builder, kind, value, name):
    """Pointers to the columns of a name."""
    first, count = kind.record.fields[name]
    data = data_of(builder, value)
    return [builder.gep(data, [ir.Constant(_INDEX, first + k)]) for k in range(count)]


@lower_getattr_generic(RecordArray)
def _read(_context, builder, kind, value, name):
    found = [builder.load(place) for place in _places(builder, kind, value, name)]
    return found[0] if len(found) == 1 else cgutils.pack_array(builder, found)


@lower_setattr_generic(RecordArray)
def _write(_context, builder, signature, values, name):
    places = _places(builder, signature.args[0], values[0], name)
    new = [values[1]] if len(places) == 1 else cgutils.unpack_tuple(builder, values[1], len(places))
    for place, number in zip(places, new, strict=True):
        builder.store(number, place)
