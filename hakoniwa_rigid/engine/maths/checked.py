# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The debug build: every index looked at, nothing called or read by an address that was not checked.

``NUMBA_BOUNDSCHECK=1`` is what numba itself looks at; the rest of the package follows it.  Results are the same bits.
"""
from numba import config

__all__ = ['BY_ADDRESS', 'CHECKED']

CHECKED = not config.DISABLE_JIT and config.BOUNDSCHECK == 1
# units are called, and tables read, by address: neither as plain Python nor in the debug build
BY_ADDRESS = not (config.DISABLE_JIT or CHECKED)
