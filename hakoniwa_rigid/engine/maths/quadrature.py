# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Nodes and weights of Gauss and Legendre, each the double nearest to it, by whole numbers times 2**BITS."""
import math
from functools import cache

import numpy as np

BITS = 160
ONE = 1 << BITS
# Newton's method doubles the digits: from some 3 to those of BITS
ROUNDS = 8


@cache
def gauss_legendre(count):
    """Nodes (count,), ascending, and weights (count,), read-only, of the integral from -1 to 1."""
    nodes, weights = np.zeros(count), np.zeros(count)
    for k in range(count // 2):
        # Tricomi's guess; whatever library it comes from, the digits that count are Newton's
        x = int(math.cos(math.pi * (k + 0.75) / (count + 0.5)) * (1 << 60)) << (BITS - 60)
        for _ in range(ROUNDS):
            value, slope = _legendre(count, x)
            x -= value * ONE // slope
        nodes[count - 1 - k] = x / ONE
        weights[k] = weights[count - 1 - k] = _weight(count, x)
    nodes[:count // 2] = -nodes[:(count - 1) // 2:-1]
    if count % 2:
        weights[count // 2] = _weight(count, 0)
    for a in (nodes, weights):
        a.setflags(write=False)
    return nodes, weights


def _legendre(count, x):
    """The Legendre polynomial and its derivative at x, all times ONE."""
    before, value = 0, ONE
    for n in range(count):
        before, value = value, ((2 * n + 1) * x * value // ONE - n * before) // (n + 1)
    return value, count * (before - x * value // ONE) * ONE // (ONE - x * x // ONE)


def _weight(count, x):
    slope = _legendre(count, x)[1]
    return 2 * ONE * ONE * ONE / ((ONE - x * x // ONE) * slope * slope // ONE) / ONE
