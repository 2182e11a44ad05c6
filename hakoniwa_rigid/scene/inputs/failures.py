# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Failures for an unexpected reason: counted by their caller, and logged once for every kind."""
from __future__ import annotations

import traceback
from collections.abc import Callable

from ...codec.cdr import CdrError
from ..records import MOST_VALUE, shortened

__all__ = ['Failures', 'error_text']

# kinds of failures that are logged; calls of each traceback; letters of it
MOST_LOGGED, CALLS, MOST_TRACE = 32, 8, 4000


def error_text(error: Exception) -> str:
    """What an error was, in a few words."""
    text = shortened(str(error), MOST_VALUE)
    return text if isinstance(error, CdrError) else f'{type(error).__name__}: {text}'


class Failures:
    """Tells `warn` the first failure of every kind: what it was about, and the type of the error."""

    def __init__(self, warn: Callable[[str], object]) -> None:
        self._warn = warn
        self._kinds: set[tuple[str, type]] = set()

    def report(self, what: str, error: Exception) -> None:
        """Log it, so that it can be mended."""
        kind = what, type(error)
        if kind in self._kinds or len(self._kinds) >= MOST_LOGGED:
            return
        self._kinds.add(kind)
        trace = ''.join(traceback.format_exception(error, limit=-CALLS, chain=False))
        self._warn(f'{what}: an input failed, please report it: {shortened(trace, MOST_TRACE)}')
