# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Constants and tables of `elementary`, made with whole numbers: no library of mathematics has a say in them.

Numbers are held times 2**BITS and cut; a sum of a hundred terms is off by 2**-290.
"""
import math

import numpy as np

BITS = 300
ONE = 1 << BITS
# parts of the tables: powers of 2 and mantissas by the first seven bits, angles by 64ths of a tangent
PARTS, TANGENTS = 128, 64
# digits of 24 bits of 2/pi: as many as the largest double and its fraction need
DIGIT, DIGITS = 24, 54
# bits of a factor that multiplies whole numbers up to 2**20 without rounding; of one for numbers below 2**18
WORD, SHORT_WORD = 33, 35
# least bit of the high parts of logarithms: those of a table and up to 1100 times ln 2 add up without rounding
LOG_BIT = 42
# bits behind the point of the factors that bring a mantissa next to 1
FACTOR_BIT = 9
# where the mantissas begin that `log` takes apart, in parts of those below 1, which are half as wide as those above
FIRST, BELOW_ONE = 180, 76


def _inverse_tangent(p, q):
    """atan(p / q) for p <= q / 2, times ONE."""
    term, total, k = ONE * p // q, 0, 1
    while term:
        total += term // k if k % 4 == 1 else -(term // k)
        term = term * p * p // (q * q)
        k += 2
    return total


def _logarithm(p, q):
    """ln(p / q) for p >= q, times ONE."""
    term, total, k = ONE * (p - q) // (p + q), 0, 1
    while term:
        total += 2 * term // k
        term = term * (p - q) * (p - q) // ((p + q) * (p + q))
        k += 2
    return total


def _double(number, bits=BITS):
    """The double nearest to number / 2**bits: Python divides whole numbers correctly."""
    return number / (1 << bits)


def _cut(number, size):
    """A number of BITS as a double of its first `size` bits, and the rest."""
    cut = max(number.bit_length() - size, 0)
    high = number >> cut << cut
    return _double(high), number - high


def _pair(number):
    """The double nearest to a number of BITS, and that nearest to the rest."""
    high = _double(number)
    top, under = high.as_integer_ratio()
    return high, _double(number - (top << BITS) // under)


def _columns(pairs):
    return tuple(np.array(column) for column in zip(*pairs, strict=True))


def _powers():
    """2**(j / PARTS) for every j: square roots of whole numbers, multiplied."""
    root = 2 * ONE
    for _ in range(PARTS.bit_length() - 1):
        root = math.isqrt(root << BITS)
    found = [ONE]
    for _ in range(PARTS - 1):
        found.append(found[-1] * root >> BITS)
    return found


def _factor(part):
    """The number of FACTOR_BIT bits next to the inverse of the middle of a part of the mantissas.  The two parts beside
    1 have 1: there the logarithm is small, and must be exact."""
    if part in (BELOW_ONE - 1, BELOW_ONE):
        return 1 << FACTOR_BIT
    if part < BELOW_ONE:
        return round((4 * PARTS << FACTOR_BIT) / (2 * (FIRST + part) + 1))
    return round((2 * PARTS << FACTOR_BIT) / (2 * (PARTS + part - BELOW_ONE) + 1))


def _minus_logarithm(factor):
    """-ln(factor / 2**FACTOR_BIT): a double that ends at LOG_BIT, and the rest."""
    one = 1 << FACTOR_BIT
    number = _logarithm(one, factor) if factor < one else -_logarithm(factor, one)
    high = number >> (BITS - LOG_BIT)
    return _double(high, LOG_BIT), _double(number - (high << (BITS - LOG_BIT)))


_PI = 16 * _inverse_tangent(1, 5) - 4 * _inverse_tangent(1, 239)        # Machin 1706
_LN_2 = _logarithm(2, 1)

HALF_PI, HALF_PI_LOW = _pair(_PI // 2)
PI, PI_LOW = _pair(_PI)
TWO_BY_PI = _double(2 * ONE * ONE // _PI)
# pi/2 as three words and the rest
HALF_PI_1, _rest = _cut(_PI // 2, WORD)
HALF_PI_2, _rest = _cut(_rest, WORD)
HALF_PI_3, _rest = _cut(_rest, WORD)
HALF_PI_4 = _double(_rest)
# ln(2) / PARTS, and its inverse
STEP, _rest = _cut(_LN_2 // PARTS, SHORT_WORD)
STEP_LOW, PER_STEP = _double(_rest), _double(PARTS * ONE * ONE // _LN_2)
LN_2 = _double(_LN_2 >> (BITS - LOG_BIT), LOG_BIT)
LN_2_LOW = _double(_LN_2 & ((1 << (BITS - LOG_BIT)) - 1))

POWER, POWER_LOW = _columns(map(_pair, _powers()))
FACTOR = np.array([_factor(part) / (1 << FACTOR_BIT) for part in range(PARTS)])
LOG, LOG_LOW = _columns(_minus_logarithm(_factor(part)) for part in range(PARTS))
# atan(j / TANGENTS); the upper half by atan(t) = pi/4 - atan((1 - t) / (1 + t))
ANGLE, ANGLE_LOW = _columns(
    _pair(_inverse_tangent(j, TANGENTS) if 2 * j <= TANGENTS else
          _PI // 4 - _inverse_tangent(TANGENTS - j, TANGENTS + j)) for j in range(TANGENTS + 1))


def _digits_of_two_by_pi():
    """As many as DIGITS; pi itself is had from as many bits, and thirty more."""
    bits = DIGIT * DIGITS
    scale = 1 << (bits + 32)
    terms = []
    for q in (5, 239):
        term, total, k = scale // q, 0, 1
        while term:
            total += term // k if k % 4 == 1 else -(term // k)
            term //= q * q
            k += 2
        terms.append(total)
    number = (2 * scale << bits) // (16 * terms[0] - 4 * terms[1])
    return [number >> (bits - DIGIT * (k + 1)) & ((1 << DIGIT) - 1) for k in range(DIGITS)]


TWO_BY_PI_DIGITS = np.array(_digits_of_two_by_pi(), dtype=np.int64)
