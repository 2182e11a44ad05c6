# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Cholesky's factor U of a symmetric matrix H = U^T U of 6 x 6 blocks, one row of them per body, most of them 0.

Bodies are eliminated in the order of least degree (Tinney and Walker 1967): those of a pile touch a few others each,
and few blocks are filled on the way.  Kept are the blocks of the upper triangle that are not 0, row by row, the one on
the diagonal first.
"""
import math

import numpy as np

from ..maths.jit import always_inline, kernel
from ..maths.vec3 import load6, store6

SIDE, BLOCK = 6, 36


@kernel
def eliminate(coupled, place):
    """Number the bodies in the order of elimination, `place` (n,); of equals the first comes first.

    coupled (n, n) int8: 1 for two bodies with a block, 0 on the diagonal; it gets the fill.  Writes: coupled, place."""
    n = len(place)
    degree, ring = np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(n):
        place[i], degree[i] = -1, 0
        for k in range(n):
            degree[i] += coupled[i, k]
    for k in range(n):
        best, m = -1, 0
        for i in range(n):
            if place[i] < 0 and (best < 0 or degree[i] < degree[best]):
                best = i
        place[best] = k
        for i in range(n):
            if coupled[best, i] == 1 and place[i] < 0:
                ring[m] = i
                m += 1
        for a in range(m):
            degree[ring[a]] -= 1
            for b in range(a):
                if coupled[ring[a], ring[b]] == 0:
                    coupled[ring[a], ring[b]] = coupled[ring[b], ring[a]] = 1
                    degree[ring[a]] += 1
                    degree[ring[b]] += 1


@kernel
def structure(coupled, place):
    """Of the factor, after `eliminate`: first block of each row and their number (n + 1,), column of each block, number
    of the block for two places (n, n)."""
    n = len(place)
    body, first = np.empty(n, np.int64), np.empty(n + 1, np.int64)
    where = np.empty((n, n), np.int32)
    for i in range(n):
        body[place[i]] = i
    count = 0
    for j in range(n):
        first[j] = count
        where[j, j] = count
        count += 1
        for k in range(j + 1, n):
            if coupled[body[j], body[k]] == 1:
                where[j, k] = count
                count += 1
    first[n] = count
    column = np.empty(count, np.int64)
    for j in range(n):
        column[first[j]] = j
        k = first[j] + 1
        for other in range(j + 1, n):
            if coupled[body[j], body[other]] == 1:
                column[k] = other
                k += 1
    return first, column, where


@kernel
def multiplications(first):
    """Of one factorisation."""
    total = 0
    for j in range(len(first) - 1):
        width = first[j + 1] - first[j]
        total += SIDE * BLOCK * width * (width + 1) // 2
    return total


@always_inline
def add_product(out, a, b, sign):
    """out += sign a^T b: blocks of 6 x 6, or the products of rows a, b (6 wide, as many as a has).  Writes: out."""
    for i in range(SIDE):
        k = SIDE * i
        t0, t1, t2, t3, t4, t5 = out[k], out[k + 1], out[k + 2], out[k + 3], out[k + 4], out[k + 5]
        for m in range(0, len(a), SIDE):
            f = sign * a[m + i]
            t0 += f * b[m]
            t1 += f * b[m + 1]
            t2 += f * b[m + 2]
            t3 += f * b[m + 3]
            t4 += f * b[m + 4]
            t5 += f * b[m + 5]
        out[k], out[k + 1], out[k + 2], out[k + 3], out[k + 4], out[k + 5] = t0, t1, t2, t3, t4, t5


@kernel
def root(h):
    """Upper Cholesky factor of one block, in place of its upper triangle; on the diagonal its reciprocal.
    Writes: h."""
    for i in range(SIDE):
        for m in range(i):
            f = h[SIDE * m + i]
            for c in range(i, SIDE):
                h[SIDE * i + c] -= f * h[SIDE * m + c]
        share = 1.0 / math.sqrt(h[SIDE * i + i])
        h[SIDE * i + i] = share
        for c in range(i + 1, SIDE):
            h[SIDE * i + c] *= share


@kernel
def _divide(u, b):
    """b <- U^-T b, both blocks.  Writes: b."""
    for i in range(SIDE):
        for m in range(i):
            f = u[SIDE * m + i]
            for c in range(SIDE):
                b[SIDE * i + c] -= f * b[SIDE * m + c]
        for c in range(SIDE):
            b[SIDE * i + c] *= u[SIDE * i + i]


@kernel
def _take_away(h, a, b, out):
    """Block `out` less the product of blocks a^T and b.  Writes: h."""
    add_product(h[out], h[a], h[b], -1.0)


@kernel
def factor(h, first, column, where):
    """The factor in place of the matrix, h (blocks, 36).  Writes: h."""
    for j in range(len(first) - 1):
        low, end = first[j], first[j + 1]
        root(h[low])
        for a in range(low + 1, end):
            _divide(h[low], h[a])
        for a in range(low + 1, end):
            for b in range(a, end):
                _take_away(h, a, b, where[column[a], column[b]])


@always_inline
def forward(u, x):
    """U^-T x for one block and a tuple."""
    x0 = x[0] * u[0]
    x1 = (x[1] - u[1] * x0) * u[7]
    x2 = (x[2] - u[2] * x0 - u[8] * x1) * u[14]
    x3 = (x[3] - u[3] * x0 - u[9] * x1 - u[15] * x2) * u[21]
    x4 = (x[4] - u[4] * x0 - u[10] * x1 - u[16] * x2 - u[22] * x3) * u[28]
    x5 = (x[5] - u[5] * x0 - u[11] * x1 - u[17] * x2 - u[23] * x3 - u[29] * x4) * u[35]
    return x0, x1, x2, x3, x4, x5


@always_inline
def backward(u, x):
    """U^-1 x for one block and a tuple."""
    x5 = x[5] * u[35]
    x4 = (x[4] - u[29] * x5) * u[28]
    x3 = (x[3] - u[22] * x4 - u[23] * x5) * u[21]
    x2 = (x[2] - u[15] * x3 - u[16] * x4 - u[17] * x5) * u[14]
    x1 = (x[1] - u[8] * x2 - u[9] * x3 - u[10] * x4 - u[11] * x5) * u[7]
    x0 = (x[0] - u[1] * x1 - u[2] * x2 - u[3] * x3 - u[4] * x4 - u[5] * x5) * u[0]
    return x0, x1, x2, x3, x4, x5


@always_inline
def _row(b, k, x):
    return b[k] * x[0] + b[k + 1] * x[1] + b[k + 2] * x[2] + b[k + 3] * x[3] + b[k + 4] * x[4] + b[k + 5] * x[5]


@kernel
def substitute(h, first, column, x):
    """x (bodies, 6) <- (U^T U)^-1 x.  Writes: x."""
    n = len(first) - 1
    for j in range(n):
        y = forward(h[first[j]], load6(x[j], 0))
        store6(x[j], 0, y)
        for a in range(first[j] + 1, first[j + 1]):
            b, out = h[a], x[column[a]]
            for i in range(SIDE):
                out[i] -= b[i] * y[0] + b[6 + i] * y[1] + b[12 + i] * y[2] + b[18 + i] * y[3] + b[24 + i] * y[4] + b[
                    30 + i] * y[5]
    for j in range(n - 1, -1, -1):
        t0, t1, t2, t3, t4, t5 = load6(x[j], 0)
        for a in range(first[j] + 1, first[j + 1]):
            b, y = h[a], load6(x[column[a]], 0)
            t0, t1, t2 = t0 - _row(b, 0, y), t1 - _row(b, 6, y), t2 - _row(b, 12, y)
            t3, t4, t5 = t3 - _row(b, 18, y), t4 - _row(b, 24, y), t5 - _row(b, 30, y)
        store6(x[j], 0, backward(h[first[j]], (t0, t1, t2, t3, t4, t5)))
