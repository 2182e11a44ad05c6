# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Lanes of a block: one at a time in loops over lanes; eight at a time where such loops stay scalar.

In columns lies body beside body, in rows number beside number.  Copies turn squares of four by four over, as any
processor with registers of four doubles can; the compiler would take the numbers one by one.  Places are counted in
elements from an array's beginning.  As plain Python and in the debug build all of them are loops.
"""
from llvmlite import ir
from numba import config, njit, types
from numba.extending import intrinsic

from ..constants import LANES
from .checked import BY_ADDRESS
from .jit import always_inline

# half the lanes: doubles in a register that every processor has; how many balls `any_ball_overlaps` looks at
HALF = LANES // 2
_DOUBLE, _WORD, _INDEX = ir.DoubleType(), ir.IntType(64), ir.IntType(32)


def _places(*places):
    return ir.Constant(ir.VectorType(_INDEX, len(places)), list(places))


class _Memory:
    """Loads and stores of vectors of a contiguous array, from its element `start` on."""

    def __init__(self, context, builder, kind, array, start):
        self._builder = builder
        self._first = builder.gep(context.make_array(kind)(context, builder, array).data, [start])

    def _pointer(self, place, count):
        place = place if isinstance(place, ir.Value) else ir.Constant(_WORD, place)
        vector = ir.VectorType(_DOUBLE, count).as_pointer()
        return self._builder.bitcast(self._builder.gep(self._first, [place]), vector)

    def load(self, place, count=HALF):
        return self._builder.load(self._pointer(place, count), align=8)

    def store(self, place, vector):
        self._builder.store(vector, self._pointer(place, vector.type.count), align=8)


def _turned_over(builder, a, b, c, d):
    """Columns of four vectors of four."""
    def both(p, q, places):
        return builder.shuffle_vector(p, q, _places(*places))
    even, odd = [(both(a, b, places), both(c, d, places)) for places in ((0, 4, 2, 6), (1, 5, 3, 7))]
    return [both(*pair, places) for places in ((0, 1, 4, 5), (2, 3, 6, 7)) for pair in (even, odd)]


def _copying(emit):
    """Code generator of a copy between two places, (source, start, target, first), that `emit` writes."""
    def codegen(context, builder, signature, values):
        emit(builder, _Memory(context, builder, signature.args[0], values[0], values[1]),
             _Memory(context, builder, signature.args[2], values[2], values[3]))
        return context.get_dummy_value()
    return codegen


def _emit_rows(width):
    def emit(builder, source, target):
        parts = {}
        for first in (0, HALF):
            columns = [source.load(LANES * c + first) for c in range(width)]
            columns += columns[-1:] * (-width % HALF)
            for c in range(0, width, HALF):
                for k, row in enumerate(_turned_over(builder, *columns[c:c + HALF]), first):
                    parts[k, c] = row
        for (k, c), part in sorted(parts.items()):
            # what goes beyond its row is written over by the next; the last has none
            if k == LANES - 1 and width - c < HALF:
                part = builder.shuffle_vector(part, part, _places(*range(width - c)))
            target.store(k * width + c, part)
    return emit


def _emit_columns(builder, source, target):
    halves = []
    for first in (0, HALF):
        rows = [source.load(3 * k) for k in range(first, first + HALF - 1)]
        # not beyond the last row
        last = source.load(3 * (first + HALF - 1) - 1)
        halves.append(_turned_over(builder, *rows, builder.shuffle_vector(last, last, _places(1, 2, 3, 0))))
    for c in range(3):
        target.store(LANES * c, builder.shuffle_vector(halves[0][c], halves[1][c], _places(*range(LANES))))


def _emit_copy(_builder, source, target):
    target.store(0, source.load(0, LANES))


def _emit_any(context, builder, signature, values):
    source = _Memory(context, builder, signature.args[0], *values)
    bits = ir.VectorType(_WORD, LANES)
    a, b, c = (builder.bitcast(source.load(LANES * k, LANES), bits) for k in range(3))
    found = builder.or_(builder.or_(a, b), c)
    # all bits but the sign: -0 is nothing
    return _any(builder, builder.icmp_unsigned('!=', builder.add(found, found), ir.Constant(bits, None)))


def _any(builder, lanes):
    found = builder.bitcast(lanes, ir.IntType(lanes.type.count))
    return builder.icmp_unsigned('!=', found, ir.Constant(found.type, 0))


def _emit_largest(context, builder, signature, values):
    found = _Memory(context, builder, signature.args[0], *values).load(0, LANES)
    while found.type.count > 1:
        half = found.type.count // 2
        low, high = (builder.shuffle_vector(found, found, _places(*range(k, k + half))) for k in (0, half))
        found = builder.select(builder.fcmp_ordered('>', low, high), low, high)
    return builder.extract_element(found, ir.Constant(_INDEX, 0))


def _emit_overlaps(context, builder, signature, values):
    def all_lanes(number):
        none = ir.Constant(ir.VectorType(number.type, HALF), ir.Undefined)
        return builder.shuffle_vector(builder.insert_element(none, number, ir.Constant(_INDEX, 0)), none,
                                      _places(*[0] * HALF))

    def square(number):
        return builder.fmul(number, number)
    balls, first, room, *ball = values
    flat = _Memory(context, builder, signature.args[0], balls, first)
    width = builder.extract_value(context.make_array(signature.args[0])(context, builder, balls).shape, 1)
    *centres, radii = (flat.load(builder.mul(ir.Constant(_WORD, f), width)) for f in range(4))
    x, y, z = (square(builder.fsub(p, all_lanes(q))) for p, q in zip(centres, ball[:3], strict=True))
    far = square(builder.fadd(radii, all_lanes(ball[3])))
    meets = builder.fcmp_ordered('<=', builder.fadd(builder.fadd(x, y), z), far)
    places = ir.Constant(ir.VectorType(_WORD, HALF), list(range(HALF)))
    return _any(builder, builder.and_(meets, builder.icmp_signed('<', places, all_lanes(room))))


def _looped(function):
    return function if config.DISABLE_JIT else njit(error_model='numpy')(function)


def _row_copy(width):
    @intrinsic
    def rows_of(_context, source, start, target, first):
        return types.none(source, types.int64, target, types.int64), _copying(_emit_rows(width))

    def plain(source, start, target, first):
        for k in range(LANES):
            for c in range(width):
                target.reshape(-1)[first + k * width + c] = source.reshape(-1)[start + c * LANES + k]
    return rows_of if BY_ADDRESS else _looped(plain)


# (source, start, target, first): eight lanes of so many columns of `source` as rows into `target`
rows_of_3, rows_of_4, rows_of_7, rows_of_13 = map(_row_copy, (3, 4, 7, 13))

if not BY_ADDRESS:
    @_looped
    def columns_of_3(source, start, target, first):
        """Eight rows of 3 numbers of `source` as columns into `target`."""
        for k in range(LANES):
            for c in range(3):
                target.reshape(-1)[first + c * LANES + k] = source.reshape(-1)[start + 3 * k + c]

    @_looped
    def copy_column(source, start, target, first):
        """One column of `source` as one of `target`."""
        for k in range(LANES):
            target.reshape(-1)[first + k] = source.reshape(-1)[start + k]

    @_looped
    def any_of_3(source, start):
        """Whether any of eight rows of 3 numbers is not 0."""
        found = False
        for k in range(3 * LANES):
            found |= source.reshape(-1)[start + k] != 0.0
        return found

    @_looped
    def largest(source, start):
        """The largest number of a column that has no NaN."""
        found = source.reshape(-1)[start]
        for k in range(1, LANES):
            found = max(found, source.reshape(-1)[start + k])
        return found

    @_looped
    def any_ball_overlaps(balls, first, room, x, y, z, r):
        """Whether one of HALF balls, or of the first `room` of them, meets the ball about x, y, z with radius r (m).

        balls (4, any): centres and radii (m), from column `first` on; there must be HALF of them.
        """
        found = False
        for k in range(HALF):
            d = balls[0, first + k] - x, balls[1, first + k] - y, balls[2, first + k] - z
            far = balls[3, first + k] + r
            found |= k < room and d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= far * far
        return found
else:
    @intrinsic
    def columns_of_3(_context, source, start, target, first):
        """As above."""
        return types.none(source, types.int64, target, types.int64), _copying(_emit_columns)

    @intrinsic
    def copy_column(_context, source, start, target, first):
        """As above."""
        return types.none(source, types.int64, target, types.int64), _copying(_emit_copy)

    @intrinsic
    def any_of_3(_context, source, start):
        """As above."""
        return types.boolean(source, types.int64), _emit_any

    @intrinsic
    def largest(_context, source, start):
        """As above."""
        return types.float64(source, types.int64), _emit_largest

    @intrinsic
    def any_ball_overlaps(_context, balls, first, room, x, y, z, r):
        """As above."""
        return types.boolean(balls, types.int64, types.int64, *[types.float64] * 4), _emit_overlaps


@always_inline
def load_lane3(block, f, k):
    return block[f * LANES + k], block[(f + 1) * LANES + k], block[(f + 2) * LANES + k]


@always_inline
def load_lane4(block, f, k):
    return block[f * LANES + k], block[(f + 1) * LANES + k], block[(f + 2) * LANES + k], block[(f + 3) * LANES + k]


@always_inline
def blend(block, i, on, a):
    """Element i becomes a where on = 1 and stays where on = 0: a choice of two known values, which is no branch.
    Writes: block."""
    old = block[i]
    block[i] = a if on > 0.0 else old


@always_inline
def blend_lane3(block, f, k, on, a):
    """Writes: block."""
    blend(block, f * LANES + k, on, a[0])
    blend(block, (f + 1) * LANES + k, on, a[1])
    blend(block, (f + 2) * LANES + k, on, a[2])


@always_inline
def store_lane3(block, f, k, a):
    """Writes: block."""
    block[f * LANES + k] = a[0]
    block[(f + 1) * LANES + k] = a[1]
    block[(f + 2) * LANES + k] = a[2]
