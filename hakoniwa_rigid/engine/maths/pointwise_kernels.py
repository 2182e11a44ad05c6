# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What `pointwise` calls: one entry for all functions of `elementary`."""
from . import elementary
from .entries import entry
from .jit import kernel

SIN, COS, EXP, ACOS, ATAN2, POWER = range(6)


@kernel
def _value(function, x, y):
    if function == SIN:
        return elementary.sin(x)
    if function == COS:
        return elementary.cos(x)
    if function == EXP:
        return elementary.exp(x)
    if function == ACOS:
        return elementary.acos(x)
    if function == ATAN2:
        return elementary.atan2(x, y)
    return elementary.power(x, y)


@entry
def one(function, x, y):
    return _value(function, x, y)


@entry
def each(function, x, y, out):
    """Writes: out."""
    for i in range(len(out)):
        out[i] = _value(function, x[i], y[i])
