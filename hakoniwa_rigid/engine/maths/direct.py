# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Compiled functions called without asking for the types of their arguments again.

The dispatcher of numba looks at every array of every tuple before each call; for the calls of a tick that takes as long
as what they do.  But then no check sees that an array has another type or layout: it would be read as one of the first
call's.  So a Direct is for arguments that one place makes: numbers and tables of addresses.
Entries that are given a caller's arrays are called as they are.
"""
from __future__ import annotations

from collections.abc import Callable

from numba import typeof

from .checked import BY_ADDRESS

__all__ = ['Direct']


class Direct:
    """An entry (engine/maths/jit.py) whose types are those of its first call: `d.call(*arguments)`."""

    def __init__(self, entry) -> None:
        self._entry = entry
        self.call: Callable = self._first if BY_ADDRESS else entry

    def _first(self, *arguments):
        result = self._entry(*arguments)
        compiled = self._entry.overloads.get(tuple(map(typeof, arguments)))
        self.call = self._entry if compiled is None else compiled.entry_point
        return result
