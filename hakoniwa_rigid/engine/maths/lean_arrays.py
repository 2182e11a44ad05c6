# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Numbers and rows of contiguous arrays by integers, in a third of the instructions that numba writes for them.

numba writes the seven fields of an array to the stack for every access and reads from there what it needs, 38
instructions for a number; LLVM undoes that later.  Here the fields are taken out of the value itself, in 12.  What the
machine does in the end is the same, and so are the bits; compiling takes less time.  Every other access, as by slices,
is numba's.
"""
import operator
from functools import partial, reduce

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed, lower_builtin
from numba.cpython import slicing
from numba.np import arrayobj

from .lean_builder import Builder, Late, Parts, written

_WORD = ir.IntType(64)
# fields of an array's value in LLVM's code, as numba's ArrayModel has them
_MEMINFO, _PARENT, _NITEMS, _ITEMSIZE, _DATA, _SHAPE, _STRIDES = range(7)


def data_of(builder, array):
    """Pointer to the first item."""
    return builder.extract_value(array, _DATA)


def array_value(builder, kind, data, shape, itemsize, *, strides=None, owner=None):
    """An array's value.  kind: its LLVM type; data, shape, itemsize, strides: values, or Late ones; owner: meminfo and
    parent, none by default."""
    meminfo, parent = owner or (ir.Constant(kind.elements[_MEMINFO], None), ir.Constant(kind.elements[_PARENT], None))
    if strides is None:
        strides = [itemsize]
        for n in reversed(shape[1:]):
            strides.insert(0, Late(partial(_product, (strides[0], n))))
    numbers = [Parts(kind.elements[field], list(numbers)) for field, numbers in ((_SHAPE, shape), (_STRIDES, strides))]
    value = Parts(kind, [meminfo, parent, Late(partial(_product, shape)), itemsize, data, *numbers])
    return value if isinstance(builder, Builder) else written(builder, value)


def _product(factors, builder):
    first, *others = (each.at(builder) if isinstance(each, Late) else each for each in factors)
    return reduce(builder.mul, others, first)


def _is_plain(context, kind, indices):
    """Whether this module knows how: kind of the array, kinds of the indices."""
    return (kind.layout == 'C' and kind.aligned and len(indices) <= kind.ndim and not context.enable_boundscheck
            and all(isinstance(index, types.Integer) for index in indices))


def is_natural(number, storeys=4):
    """Whether a number is known not to be negative."""
    if isinstance(number, ir.Constant):
        return isinstance(number.constant, int) and 0 <= number.constant < 1 << (number.type.width - 1)
    if getattr(number, 'is_natural', False):
        return True
    return (storeys > 0 and getattr(number, 'opname', '') in ('add', 'mul') and 'nsw' in number.flags
            and all(is_natural(each, storeys - 1) for each in number.operands))


def _place(context, builder, kind, array, kinds, indices):
    """Pointer to what indices name."""
    place, size = None, partial(_size, array)
    for k, (index_kind, index) in enumerate(zip(kinds, indices, strict=True)):
        number = context.cast(builder, index, index_kind, types.intp)
        if index_kind.signed and not is_natural(number):
            number = slicing.fix_index(builder, number, size(k, builder))
        place = number if place is None else builder.add(builder.mul(place, size(k, builder)), number)
    for k in range(len(indices), kind.ndim):
        place = builder.mul(place, size(k, builder))
    return builder.gep(data_of(builder, array), [place])


def _size(array, k, builder):
    """Of a dimension of an array."""
    return builder.extract_value(array, (_SHAPE, k))


def _field(array, path, builder):
    return builder.extract_value(array, path)


def _get(context, builder, signature, array, kinds, indices):
    kind, result = signature.args[0], signature.return_type
    place = _place(context, builder, kind, array, kinds, indices)
    if len(indices) == kind.ndim:
        return arrayobj.load_item(context, builder, kind, place)

    def field(*path):
        return Late(partial(_field, array, path))
    left = range(len(indices), kind.ndim)
    view = array_value(builder, context.get_value_type(result), place, [field(_SHAPE, k) for k in left],
                       field(_ITEMSIZE), strides=[field(_STRIDES, k) for k in left],
                       owner=[field(_MEMINFO), field(_PARENT)])
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
    place = _place(context, builder, kind, values[0], kinds, indices)
    arrayobj.store_item(context, builder, kind, context.cast(builder, values[2], value_kind, kind.dtype), place)


@lower_builtin(operator.setitem, types.Array, types.Integer, types.Any)
def _set_item(context, builder, signature, values):
    kind, index, value_kind = signature.args
    if isinstance(builder, Builder) and copies(kind, index, value_kind) and _is_plain(context, kind, (index,)):
        return _copy(context, builder, signature, values, (index,), values[1:2])
    if kind.ndim != 1 or not _is_plain(context, kind, (index,)):
        return arrayobj.setitem_array(context, builder, signature, values)
    return _set(context, builder, signature, values, (index,), values[1:2])


@lower_builtin(operator.setitem, types.Array, types.BaseTuple, types.Any)
def _set_item_of_many(context, builder, signature, values):
    kind, index, value_kind = signature.args
    if not index.types or not _is_plain(context, kind, index.types):
        return arrayobj.setitem_array(context, builder, signature, values)
    indices = [builder.extract_value(values[1], k) for k in range(len(index))]
    if isinstance(builder, Builder) and copies(kind, index, value_kind):
        return _copy(context, builder, signature, values, index.types, indices)
    if kind.ndim != len(index):
        return arrayobj.setitem_array(context, builder, signature, values)
    return _set(context, builder, signature, values, index.types, indices)


@lower_builtin(operator.setitem, types.Array, types.SliceType, types.Any)
def _set_slice(context, builder, signature, values):
    kind, index, value_kind = signature.args
    if context.enable_boundscheck or not isinstance(builder, Builder) or not copies(kind, index, value_kind):
        return arrayobj.setitem_array(context, builder, signature, values)
    part = context.make_helper(builder, index, values[1])
    slicing.fix_slice(builder, part, _size(values[0], 0, builder))
    count, place = slicing.get_slice_length(builder, part), part.start
    for k in range(1, kind.ndim):
        place = builder.mul(place, _size(values[0], k, builder))
    sizes = [count, *(_size(values[0], k, builder) for k in range(1, kind.ndim))]
    return _move(context, builder, builder.gep(data_of(builder, values[0]), [place]), sizes, values[2])


def copies(kind, index, value):
    """Whether `a[index] = value` in a kernel moves numbers from one place to another, which this module does: from an
    array as large, in the same order, to whole rows that follow each other.  All are types.

    Kernels do not spread one row over many; functions of others do, as numba has it.
    """
    if not (isinstance(kind, types.Array) and isinstance(value, types.Array) and kind.dtype == value.dtype
            and kind.layout == value.layout == 'C' and kind.aligned and value.aligned and value.ndim):
        return False
    if isinstance(index, types.SliceType):
        return not index.has_step and value.ndim == kind.ndim
    indices = index.types if isinstance(index, types.BaseTuple) else (index,)
    return (bool(indices) and all(isinstance(each, types.Integer) for each in indices)
            and kind.ndim == len(indices) + value.ndim)


def _copy(context, builder, signature, values, kinds, indices):
    kind, array = signature.args[0], values[0]
    sizes = [_size(array, k, builder) for k in range(len(indices), kind.ndim)]
    return _move(context, builder, _place(context, builder, kind, array, kinds, indices), sizes, values[2])


def _move(context, builder, place, sizes, value):
    """Numbers of an array to a place for so many."""
    same = reduce(builder.and_, [builder.icmp_signed('==', size, _size(value, k, builder))
                                 for k, size in enumerate(sizes)])
    with cgutils.if_unlikely(builder, builder.not_(same)):
        context.call_conv.return_user_exc(builder, ValueError, ('cannot assign an array of another shape',))
    cgutils.raw_memmove(builder, place, data_of(builder, value), _product(sizes, builder),
                        builder.extract_value(value, _ITEMSIZE))


@lower_builtin(len, types.Array)
def _length(_context, builder, _signature, values):
    return builder.extract_value(values[0], (_SHAPE, 0))
