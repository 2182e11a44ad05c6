# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Checks of user input that name the key and the value."""
import math
import operator

import numpy as np

from ..brief import brief
from .constants import UNIT_TOLERANCE
from .errors import EngineError


def number(key, value, low=-math.inf, high=math.inf, positive=False):
    """A finite float in [low, high], or EngineError."""
    try:
        x = float(value)
    except (TypeError, ValueError, OverflowError):
        raise EngineError(f'{key}: must be a number, got {brief(value)}') from None
    if not math.isfinite(x):
        raise EngineError(f'{key}: must be finite, got {brief(value)}')
    if positive and x <= 0.0:
        raise EngineError(f'{key}: must be > 0, got {brief(value)}')
    if not low <= x <= high:
        raise EngineError(f'{key}: must be in [{low:g}, {high:g}], got {brief(value)}')
    return x


def whole(key, value):
    """An int, or EngineError."""
    try:
        return operator.index(value)
    except TypeError:
        raise EngineError(f'{key}: must be a whole number, got {brief(value)}') from None


def choice(key, value, choices):
    """One of a few words, or EngineError."""
    if not isinstance(value, str) or value not in choices:
        raise EngineError(f'{key}: must be one of {", ".join(choices)}, got {brief(value)}')
    return value


def switch(key, value):
    """True or False, or EngineError."""
    if not isinstance(value, bool | np.bool_):
        raise EngineError(f'{key}: must be True or False, got {brief(value)}')
    return bool(value)


def bits(key, value):
    """A mask of 64 bits with sign, or EngineError."""
    x = whole(key, value)
    if not -2**63 <= x < 2**63:
        raise EngineError(f'{key}: must fit into 64 bits with sign, got {brief(value)}; all groups are -1')
    return x


def array(key, value, shape, limit=math.inf):
    """A finite float64 array of the given shape with entries within +-limit, or EngineError."""
    try:
        a = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise EngineError(f'{key}: must be numbers of shape {shape}, got {brief(value)}') from None
    if a.shape != shape:
        raise EngineError(f'{key}: must have shape {shape}, got shape {a.shape}')
    if not np.isfinite(a).all():
        raise EngineError(f'{key}: must be finite, got {brief(a.tolist())}')
    if np.abs(a).max(initial=0.0) > limit:
        raise EngineError(f'{key}: must be within +-{limit:g}, got {brief(a.tolist())}')
    return a


def unit_quaternion(key, value):
    """A (4,) wxyz quaternion; its length must be within UNIT_TOLERANCE of 1 and is then made 1."""
    q = array(key, value, (4,))
    w, x, y, z = q.tolist()
    length = math.sqrt(w * w + x * x + y * y + z * z)
    if abs(length - 1.0) > UNIT_TOLERANCE:
        raise EngineError(f'{key}: must be a unit quaternion (w, x, y, z), got length {length:g} in {q.tolist()}')
    return q if length == 1.0 else q / length
