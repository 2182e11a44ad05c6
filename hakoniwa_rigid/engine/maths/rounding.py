# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Arithmetic as IEEE 754 has it from the start: results rounded to the nearest, numbers below the normal ones kept.

Both are switches of a thread's processor state.  A library that was built for speed turns them when it is loaded, and
from then on everybody in that thread gets other bits.  New threads take after the one that starts them.
"""
import ctypes
import warnings

from ..errors import EngineError

# the least normal number, and one that is lost beside 1; names, so that Python does not compute with them beforehand
LEAST, LOST, HALF = 2.0 ** -1022, 2.0 ** -60, 0.5
WHAT = 'numbers near 0 were flushed to 0, or results not rounded to the nearest'
# of <fenv.h>: the state that a process begins with
_BEGINNING = ctypes.c_void_p(-1)


def is_kept() -> bool:
    """Whether this thread computes so."""
    return LEAST * HALF > 0.0 and 1.0 + LOST == 1.0 and 1.0 - LOST == 1.0


def keep() -> None:
    """Put it right in this thread where another library has changed it, with a RuntimeWarning; EngineError where that
    does not help."""
    if is_kept():
        return
    ctypes.CDLL(None).fesetenv(_BEGINNING)
    if not is_kept():
        raise EngineError(f'another library has changed how this thread computes ({WHAT}), and it cannot be set back')
    warnings.warn(f'another library has changed how this thread computes ({WHAT}): set back', RuntimeWarning,
                  stacklevel=2)
