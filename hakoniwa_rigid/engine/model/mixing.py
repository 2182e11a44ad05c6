# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Rules by which the coefficients of two materials make one: their names, their numbers, and what they do.

World files and WorldBuilder take the names from here, `contact/material` asks here.
"""
import math

from ..maths.jit import kernel

RULES = {'max': 0, 'min': 1, 'average': 2, 'multiply': 3, 'geometric_mean': 4}
MAX, MIN, AVERAGE, MULTIPLY, _ = RULES.values()


@kernel
def combine(rule, x, y):
    """One coefficient of a pair from those of its bodies."""
    if rule == MAX:
        return max(x, y)
    if rule == MIN:
        return min(x, y)
    if rule == AVERAGE:
        return 0.5 * (x + y)
    if rule == MULTIPLY:
        return x * y
    return math.sqrt(x * y)
