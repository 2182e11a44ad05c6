# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Sine, exponential and their kind with the same bits on every processor and with every C library.

Only + - * / and sqrt of doubles, and whole numbers, in a fixed order; no fused multiply-add.  Errors are below 1 unit
in the last place of the result.  What is no number is math.nan itself: processors give others other signs.
Coefficients are those of Taylor's series; tables come from `elementary_tables`.
"""
import math
import struct

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

from . import elementary_tables as table
from .elementary_tables import DIGIT, HALF_PI, HALF_PI_LOW, PARTS, PI, PI_LOW, TANGENTS
from .jit import always_inline, kernel

# what rounds a double below 2**51 to a whole number when added and taken away again
ROUND = 1.5 * 2.0 ** 52
# rad: up to here four words of pi/2 reduce an angle; beyond, digits of 2/pi do
NEAR = 1.6e6
# below: sin x and asin x are x, cos x is 1, to rounding
TINY = 2.0 ** -27
# factors that keep squares in range, and from where on they are needed
LARGE, SMALL, SCALE = 2.0 ** 500, 2.0 ** -500, 2.0 ** 600
# where exp leaves the range of doubles, above and below
MOST_EXP, LEAST_EXP = 709.782712893384, -745.1332191019412
SPLIT = 2.0 ** 27 + 1.0
MASK = (1 << DIGIT) - 1
MOST_WHOLE = (1 << 63) - 1
# digits of the fraction of an angle in quarter turns
FRACTION = 8
# bits of 90/128, where mantissas begin; a mantissa's low bits
FIRST, LOW_BITS = 0x3FE6800000000000, (1 << 24) - 1

if config.DISABLE_JIT:
    def _bits(x):
        return struct.unpack('<q', struct.pack('<d', x))[0]

    def _from_bits(n):
        return struct.unpack('<d', struct.pack('<q', n))[0]

    def whole(x):
        """As the compiled one."""
        return min(max(int(x), -MOST_WHOLE - 1), MOST_WHOLE) if abs(x) < math.inf else \
            0 if x != x else MOST_WHOLE if x > 0.0 else -MOST_WHOLE - 1
else:
    @intrinsic
    def _bits(_context, x):
        def codegen(_context, builder, _signature, values):
            return builder.bitcast(values[0], ir.IntType(64))
        return types.int64(types.float64), codegen

    @intrinsic
    def _from_bits(_context, n):
        def codegen(_context, builder, _signature, values):
            return builder.bitcast(values[0], ir.DoubleType())
        return types.float64(types.int64), codegen

    @intrinsic
    def whole(_context, x):
        """A number without its fraction as an int64; the nearest there is where it has no room, 0 of NaN.  int(x) is
        what the processor makes of those, each another."""
        def codegen(_context, builder, _signature, values):
            function = builder.module.declare_intrinsic('llvm.fptosi.sat.i64.f64', (),
                                                        ir.FunctionType(ir.IntType(64), [ir.DoubleType()]))
            return builder.call(function, values)
        return types.int64(types.float64), codegen


@always_inline
def _sum(a, b):
    """a + b and its rounding error."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@always_inline
def _product(a, b):
    """a b and its rounding error (Dekker 1971)."""
    p, s, t = a * b, SPLIT * a, SPLIT * b
    a1, b1 = s - (s - a), t - (t - b)
    a2, b2 = a - a1, b - b1
    return p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2


@always_inline
def _short_product(t, a):
    """As `_product`, for a t of at most 26 bits."""
    p, s = t * a, SPLIT * a
    a1 = s - (s - a)
    return p, (t * a1 - p) + t * (a - a1)


@kernel
def _reduce_far(x):
    """As `_reduce`, for any finite |x| >= 1: digits of 2/pi around the point, times the mantissa (Payne and Hanek
    1983)."""
    bits = _bits(x) & 0x7FFFFFFFFFFFFFFF
    e = (bits >> 52) - 1075
    mantissa = (bits & ((1 << 52) - 1)) | (1 << 52)
    a = e // DIGIT
    b = e - DIGIT * a
    # mantissa 2**b as four digits
    m0, rest = (mantissa & ((1 << (DIGIT - b)) - 1)) << b, mantissa >> (DIGIT - b)
    m1, m2, m3 = rest & MASK, rest >> DIGIT & MASK, rest >> 2 * DIGIT
    carry, k, f1, f2, f3, f4 = 0, 0, 0.0, 0.0, 0.0, 0.0
    digits = table.TWO_BY_PI_DIGITS
    below = 0
    for w in range(-FRACTION, 1):
        i = a - 1 - w
        total = carry
        if 0 <= i < len(digits):
            total += m0 * int(digits[i])
        if 0 <= i + 1 < len(digits):
            total += m1 * int(digits[i + 1])
        if 0 <= i + 2 < len(digits):
            total += m2 * int(digits[i + 2])
        if 0 <= i + 3 < len(digits):
            total += m3 * int(digits[i + 3])
        digit, carry = total & MASK, total >> DIGIT
        if w == 0:
            k = digit
        elif w % 2 == 0:
            below = digit
        else:
            if w == -1 and digit >= 1 << (DIGIT - 1):
                digit, carry = digit - (1 << DIGIT), carry + 1
            f4, f3, f2, f1 = f3, f2, f1, float((digit << DIGIT) + below)
    s2, e2 = _sum(f2 * 2.0 ** -96, f3 * 2.0 ** -144 + f4 * 2.0 ** -192)
    s1, e1 = _sum(f1 * 2.0 ** -48, s2)
    high, low = _sum(s1, e1 + e2)
    p, rest = _product(high, HALF_PI)
    r, low = _sum(p, rest + high * HALF_PI_LOW + low * HALF_PI)
    return (r, low, k & 3) if x > 0.0 else (-r, -low, -k & 3)


@kernel
def _reduce(x):
    """x - k pi/2 as a sum of two numbers, and k modulo 4, k the nearest; for finite x."""
    if abs(x) <= 0.785:
        return x, 0.0, 0
    if abs(x) > NEAR:
        return _reduce_far(x)
    k = (x * table.TWO_BY_PI + ROUND) - ROUND
    a, e1 = _sum(x - k * table.HALF_PI_1, -(k * table.HALF_PI_2))
    a, e2 = _sum(a, -(k * table.HALF_PI_3))
    r, low = _sum(a, (e1 + e2) - k * table.HALF_PI_4)
    return r, low, int(k) & 3


@always_inline
def _sine(r, low):
    """sin(r + low), |r| <= pi/4."""
    z = r * r
    p = (1 / 120 + z * (-1 / 5040 + z * (1 / 362880 + z * (-1 / 39916800 + z * (
        1 / 6227020800 + z * (-1 / 1307674368000 + z * (1 / 355687428096000)))))))
    return r + (low * (1.0 - 0.5 * z) + r * z * (-1 / 6 + z * p))


@always_inline
def _cosine(r, low):
    """cos(r + low), |r| <= pi/4."""
    z = r * r
    p = (1 / 24 + z * (-1 / 720 + z * (1 / 40320 + z * (-1 / 3628800 + z * (
        1 / 479001600 + z * (-1 / 87178291200 + z * (1 / 20922789888000)))))))
    w = 1.0 - 0.5 * z
    return w + (((1.0 - w) - 0.5 * z) + (z * z * p - r * low))


@kernel
def sincos(x):
    """Sine and cosine of x rad, any double; NaN for infinite x."""
    if not abs(x) < math.inf:
        return math.nan, math.nan
    if abs(x) < TINY:
        return x, 1.0
    r, low, k = _reduce(x)
    s, c = _sine(r, low), _cosine(r, low)
    if k & 1:
        s, c = c, -s
    return (-s, -c) if k & 2 else (s, c)


@kernel
def sin(x):
    """Sine of x rad, as of `sincos`."""
    if not abs(x) < math.inf:
        return math.nan
    if abs(x) < TINY:
        return x
    r, low, k = _reduce(x)
    s = _cosine(r, low) if k & 1 else _sine(r, low)
    return -s if k & 2 else s


@kernel
def cos(x):
    """Cosine of x rad, as of `sincos`."""
    if not abs(x) < math.inf:
        return math.nan
    r, low, k = _reduce(x)
    c = _sine(r, low) if k & 1 else _cosine(r, low)
    return -c if k == 1 or k == 2 else c


@always_inline
def _steps(x, tail):
    """x + tail = (PARTS e + j) ln 2 / PARTS + r + low; j, e, r, low, for |x| <= 746."""
    k = (x * table.PER_STEP + ROUND) - ROUND
    r, low = _sum(x - k * table.STEP, tail - k * table.STEP_LOW)
    n = int(k)
    return n & (PARTS - 1), n >> 7, r, low


@always_inline
def _beyond_first(r):
    """exp(r) - 1 - r, |r| <= ln 2 / 256."""
    return r * r * (0.5 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120))))


@kernel
def _exp(x, tail):
    """exp(x + tail), |tail| below rounding of x."""
    if x > MOST_EXP:
        return math.inf
    if x < LEAST_EXP:
        return 0.0
    j, e, r, low = _steps(x, tail)
    high = float(table.POWER[j])
    y = high + (float(table.POWER_LOW[j]) + high * (r + (_beyond_first(r) + low)))
    if e < -1020:
        return _from_bits(_bits(y) + ((e + 100) << 52)) * 2.0 ** -100
    return _from_bits(_bits(y) + (e << 52))


@kernel
def exp(x):
    """e to the power x, any double."""
    return _exp(x, 0.0) if x == x else math.nan


@kernel
def expm1(x):
    """exp(x) - 1, any double; exact to rounding near 0 too."""
    if not abs(x) >= TINY * TINY:
        return x if x == x else math.nan
    if x > 40.0:
        return exp(x)
    if x < -40.0:
        return -1.0
    j, e, r, low = _steps(x, 0.0)
    scale = _from_bits((e + 1023) << 52)
    a = scale * float(table.POWER[j])
    high, e1 = _sum(a, -1.0)
    s, e2 = _sum(high, r)
    q = _beyond_first(r)
    return s + (e1 + e2 + (a - 1.0) * r + a * (q + low) + scale * float(table.POWER_LOW[j]))


@always_inline
def _mantissa(x):
    """x = 2**e z for positive finite x: e, the part of the table that z lies in, and z times its factor less 1, as a
    sum of two numbers."""
    scaled = 0
    if x < 2.0 ** -1022:
        x, scaled = x * 2.0 ** 54, 54
    bits = _bits(x)
    part = (bits - FIRST) >> 45 & (PARTS - 1)
    e = (bits - FIRST) >> 52
    z = bits - (e << 52)
    high = _from_bits(z & ~LOW_BITS)
    factor = float(table.FACTOR[part])
    r, low = _sum(high * factor - 1.0, (_from_bits(z) - high) * factor)
    return float(e - scaled), part, r, low


@kernel
def log(x):
    """Natural logarithm; -inf of 0, NaN of less."""
    if not 0.0 < x < math.inf:
        return -math.inf if x == 0.0 else x if x > 0.0 else math.nan
    e, part, r, low = _mantissa(x)
    high, e1 = _sum(e * table.LN_2 + float(table.LOG[part]), r)
    p = (-0.5 + r * (1 / 3 + r * (-0.25 + r * (0.2 + r * (-1 / 6 + r * (1 / 7 + r * (-0.125 + r * (1 / 9))))))))
    return high + (r * r * p + (e1 + low + e * table.LN_2_LOW + float(table.LOG_LOW[part])))


@kernel
def power(x, y):
    """x to the power y, for x >= 0; 1 where y is 0 or x is 1; NaN for x < 0."""
    if y == 0.0 or x == 1.0:
        return 1.0
    if not x >= 0.0 or y != y:
        return math.nan
    if x == 0.0 or x == math.inf:
        return math.inf if (x == 0.0) == (y < 0.0) else 0.0
    high, low = _logarithm(x)
    return _raised(high, low, y)


@kernel
def powers(x, y):
    """`power` of x and y, of x and y - 1, of x and y - 2: with one logarithm."""
    if not (0.0 < x < math.inf and abs(y) < math.inf):
        return power(x, y), power(x, y - 1.0), power(x, y - 2.0)
    high, low = _logarithm(x)
    return _raised(high, low, y), _raised(high, low, y - 1.0), _raised(high, low, y - 2.0)


@always_inline
def _logarithm(x):
    """Natural logarithm of a positive finite x as a sum of two numbers."""
    e, part, r, low = _mantissa(x)
    p, rest = _product(r, r)
    high, e1 = _sum(e * table.LN_2 + float(table.LOG[part]), r)
    high, e2 = _sum(high, -0.5 * p)
    cube = r * p * (1 / 3 + r * (-0.25 + r * (0.2 + r * (-1 / 6 + r * (1 / 7 + r * (-0.125 + r * (1 / 9)))))))
    return _sum(high, cube + (e1 + e2 - 0.5 * rest + low * (1.0 - r) + e * table.LN_2_LOW
                              + float(table.LOG_LOW[part])))


@always_inline
def _raised(high, low, y):
    """Power y of what has high + low as its logarithm."""
    # beyond, the power of any number but 1 is infinite or 0
    y = min(max(y, -2.0 ** 66), 2.0 ** 66)
    p, rest = _product(y, high)
    return _exp(p, rest + y * low) if abs(p) < 800.0 else math.inf if p > 0.0 else 0.0


@always_inline
def plain(x):
    """x, and of all that is no number the one that is written: sign and payload are the processor's."""
    return x if x == x else math.nan


@always_inline
def square(x):
    """x**2 as a product, whoever runs it: plain Python would ask the C library."""
    return x * x


@always_inline
def remainder(x, y):
    """x modulo a power of two y, exactly: what rounds x / y down is the same for all."""
    return x - y * (float(np.floor(x / y)) + 0.0)


@kernel
def hypot(x, y):
    """Length of (x, y); inf where either is infinite."""
    a, b = abs(x), abs(y)
    if a == math.inf or b == math.inf:
        return math.inf
    if a != a or b != b:
        return math.nan
    if a < b:
        a, b = b, a
    if b == 0.0:
        return a
    if a > LARGE:
        return _length(a / SCALE, b / SCALE) * SCALE
    if b < SMALL:
        return _length(a * SCALE, b * SCALE) / SCALE if a < SMALL * SCALE else a + b
    return _length(a, b)


@always_inline
def _length(a, b):
    """The root of a a + b b, for a >= b: what its square lacks is found from its distance to a."""
    h = math.sqrt(a * a + b * b)
    d = h - a
    # b b - d (2 a + d), without the digits that cancel where h is near a
    if 2.0 * b > h:
        t = h - b
        lack = a * (a - 2.0 * t) + (2.0 * (a - b) - t) * t
    else:
        lack = b * b - (2.0 * d * (a - 2.0 * b) + 4.0 * b * d + d * d)
    return h + lack / (2.0 * h) if h > 0.0 else h


@kernel
def _angle(y, y_low, x, x_low, left):
    """Angle of (x + x_low, y + y_low), neither negative and not both 0, or of its mirror image where `left`."""
    turned = y > x
    if turned:
        y, y_low, x, x_low = x, x_low, y, y_low
    j = int(TANGENTS * (y / x) + 0.5)
    t = j * (1.0 / TANGENTS)
    p, e = _short_product(t, x)
    n, low = _sum(y, -p)
    n_low = low + (y_low - e - t * x_low)
    p, e = _short_product(t, y)
    d, low = _sum(x, p)
    d_low = low + (e + x_low + t * y_low)
    q = n / d
    p, e = _product(q, d)
    z = q * q
    q_low = ((n - p) - e + n_low - q * d_low) / d + q * z * (-1 / 3 + z * (0.2 + z * (-1 / 7 + z * (1 / 9))))
    base, base_low = (HALF_PI, HALF_PI_LOW) if turned else (PI, PI_LOW) if left else (0.0, 0.0)
    sign = -1.0 if turned != left else 1.0
    high, e1 = _sum(base, sign * float(table.ANGLE[j]))
    high, e2 = _sum(high, sign * q)
    return high + (e1 + e2 + base_low + sign * (float(table.ANGLE_LOW[j]) + q_low))


@kernel
def atan2(y, x):
    """Angle of the point (x, y), in [-pi, pi]; signs of zeros and infinite numbers as in C."""
    if x != x or y != y:
        return math.nan
    a, b, left = abs(y), abs(x), math.copysign(1.0, x) < 0.0
    if a == math.inf or b == math.inf:
        a, b = 1.0 if a == math.inf else 0.0, 1.0 if b == math.inf else 0.0
    if a == 0.0:
        return math.copysign(PI if left else 0.0, y)
    if not left and a < TINY * b:
        return math.copysign(a / b, y)
    if max(a, b) > LARGE:
        a, b = a / SCALE, b / SCALE
    elif max(a, b) < SMALL:
        a, b = a * SCALE, b * SCALE
    return math.copysign(_angle(a, 0.0, b, 0.0, left), y)


@always_inline
def _other_leg(x):
    """sqrt(1 - x x) as a sum of two numbers, 0 <= x <= 1."""
    p, e = _product(x, x)
    high, low = _sum(1.0, -p)
    square, rest = _sum(high, low - e)
    s = math.sqrt(square)
    p, e = _product(s, s)
    return s, ((square - p) - e + rest) / (2.0 * s) if s > 0.0 else 0.0


@kernel
def asin(x):
    """Angle in [-pi/2, pi/2] whose sine is x; NaN for |x| > 1."""
    if not abs(x) <= 1.0:
        return math.nan
    if abs(x) < TINY:
        return x
    s, low = _other_leg(abs(x))
    return math.copysign(_angle(abs(x), 0.0, s, low, False), x)


@kernel
def acos(x):
    """Angle in [0, pi] whose cosine is x; NaN for |x| > 1."""
    if not abs(x) <= 1.0:
        return math.nan
    s, low = _other_leg(abs(x))
    return _angle(s, low, abs(x), 0.0, x < 0.0)
