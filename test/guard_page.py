# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bytes that end where a page ends, with a page behind them that may not be touched: a reader of one byte too many does
not get away with it."""

from __future__ import annotations

import ctypes
import mmap
import weakref

import numpy as np

PAGE = mmap.PAGESIZE
NOTHING = 0  # PROT_NONE

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def at_page_end(data: bytes) -> np.ndarray:
    """The bytes (K,) uint8, to be read and written; one read behind the last of them ends the process."""
    room = -(-max(len(data), 1) // PAGE) * PAGE
    memory = mmap.mmap(-1, room + PAGE)
    whole = np.frombuffer(memory, np.uint8)
    last = whole.ctypes.data + room
    if _libc.mprotect(last, PAGE, NOTHING):
        raise OSError(ctypes.get_errno(), 'mprotect')
    piece = whole[room - len(data):room]
    piece[:] = np.frombuffer(data, np.uint8)
    weakref.finalize(whole, _libc.mprotect, last, PAGE, mmap.PROT_READ | mmap.PROT_WRITE)
    return piece
