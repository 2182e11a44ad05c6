# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Numbers and rows of contiguous arrays by integers, in a third of the instructions that numba writes for them.

numba writes the seven fields of an array to the stack for every access and reads from there what it needs, 38
instructions for a number; LLVM undoes that later.  Here the fields are taken out of the value itself, in 12.  What the
machine does in the end is the same, and so are the bits; compiling takes less time.  Every other access, as by slices,
is numba's.
"""
import operator

from llvmlite import ir
from numba import types
from numba.core.imputils import impl_ret_borrowed, lower_builtin
from numba.cpython import slicing
from numba.np import arrayobj

_WORD = ir.IntType(64)
# fields of an array's value in LLVM's code, as numba's ArrayModel has them
_MEMINFO, _PARENT, _NITEMS, _ITEMSIZE, _DATA, _SHAPE, _STRIDES = range(7)


def data_of(builder, array):
    """Pointer to the first item."""
    return builder.extract_value(array, _DATA)


def array_value(builder, kind, data, shape, itemsize, *, strides=None, owner=None):
    """An array's value.  kind: its LLVM type; owner: meminfo and parent, none by default."""
    value = ir.Constant(kind, ir.Undefined)
    meminfo, parent = owner or (ir.Constant(kind.elements[_MEMINFO], None), ir.Constant(kind.elements[_PARENT], None))
    count = shape[0]
    for n in shape[1:]:
        count = builder.mul(count, n)
    if strides is None:
        strides = [itemsize]
        for n in reversed(shape[1:]):
            strides.insert(0, builder.mul(strides[0], n))
    for field, x in ((_MEMINFO, meminfo), (_PARENT, parent), (_NITEMS, count), (_ITEMSIZE, itemsize), (_DATA, data)):
        value = builder.insert_value(value, x, field)
    for field, numbers in ((_SHAPE, shape), (_STRIDES, strides)):
        for k, x in enumerate(numbers):
            value = builder.insert_value(value, x, (field, k))
    return value


def _is_plain(context, kind, indices):
    """Whether this module knows how: kind of the array, kinds of the indices."""
    return (kind.layout == 'C' and kind.aligned and len(indices) <= kind.ndim and not context.enable_boundscheck
            and all(isinstance(index, types.Integer) for index in indices))


def _place(context, builder, kind, array, kinds, indices):
    """(pointer to what indices name, the sizes of the dimensions that are left)."""
    place = None
    sizes = [builder.extract_value(array, (_SHAPE, k)) for k in range(kind.ndim)]
    for k, (index_kind, index) in enumerate(zip(kinds, indices, strict=True)):
        number = context.cast(builder, index, index_kind, types.intp)
        if index_kind.signed and not (isinstance(number, ir.Constant) and number.constant >= 0):
            number = slicing.fix_index(builder, number, sizes[k])
        place = number if place is None else builder.add(builder.mul(place, sizes[k]), number)
    left = sizes[len(indices):]
    for n in left:
        place = builder.mul(place, n)
    return builder.gep(data_of(builder, array), [place]), left


def _get(context, builder, signature, array, kinds, indices):
    kind, result = signature.args[0], signature.return_type
    place, left = _place(context, builder, kind, array, kinds, indices)
    if not left:
        return arrayobj.load_item(context, builder, kind, place)
    strides = [builder.extract_value(array, (_STRIDES, k)) for k in range(len(indices), kind.ndim)]
    owner = [builder.extract_value(array, field) for field in (_MEMINFO, _PARENT)]
    view = array_value(builder, context.get_value_type(result), place, left,
                       builder.extract_value(array, _ITEMSIZE), strides=strides, owner=owner)
    return impl_ret_borrowed(context, builder, result, view)


@lower_builtin(operator.getitem, types.Array, types.Integer)
def _item(context, builder, signature, values):
    kinds = signature.args[1:]
    if not _is_plain(context, signature.args[0], kinds):
        return arrayobj.getitem_arraynd_intp(context, builder, signature, values)
    return _get(context, builder, signature, values[0], kinds, values[1:])


@lower_builtin(operator.getitem, types.Array, types.BaseTuple)
def _item_of_many(context, builder, signature, values):
    kinds = signature.args[1].types
    if not kinds or not _is_plain(context, signature.args[0], kinds):
        return arrayobj.getitem_array_tuple(context, builder, signature, values)
    indices = [builder.extract_value(values[1], k) for k in range(len(kinds))]
    return _get(context, builder, signature, values[0], kinds, indices)


def _set(context, builder, signature, values, kinds, indices):
    kind, _, value_kind = signature.args
    place, _ = _place(context, builder, kind, values[0], kinds, indices)
    arrayobj.store_item(context, builder, kind, context.cast(builder, values[2], value_kind, kind.dtype), place)


@lower_builtin(operator.setitem, types.Array, types.Integer, types.Any)
def _set_item(context, builder, signature, values):
    kind, index, _ = signature.args
    if kind.ndim != 1 or not _is_plain(context, kind, (index,)):
        return arrayobj.setitem_array(context, builder, signature, values)
    return _set(context, builder, signature, values, (index,), values[1:2])


@lower_builtin(operator.setitem, types.Array, types.BaseTuple, types.Any)
def _set_item_of_many(context, builder, signature, values):
    kind, index, _ = signature.args
    if kind.ndim != len(index) or not _is_plain(context, kind, index.types):
        return arrayobj.setitem_array(context, builder, signature, values)
    return _set(context, builder, signature, values, index.types,
                [builder.extract_value(values[1], k) for k in range(len(index))])


@lower_builtin(len, types.Array)
def _length(_context, builder, _signature, values):
    return builder.extract_value(values[0], (_SHAPE, 0))
