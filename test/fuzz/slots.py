# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Places for many messages in one array, each before a page that may not be touched, mapped once:
guard_page.at_page_end maps memory for every message."""
from __future__ import annotations

import ctypes
import mmap

import numpy as np

PAGE = mmap.PAGESIZE
PROT_NONE = 0
_libc = ctypes.CDLL(None, use_errno=True)


class Slots:
    """`count` places for at most `size` bytes each, all in one array `memory` (uint8); what is put into one ends
    before a page that may not be touched."""

    def __init__(self, count: int, size: int) -> None:
        room = -(-size // PAGE) * PAGE
        self._stride, self.size = room + PAGE, room
        self._pages = mmap.mmap(-1, count * self._stride)
        self.memory = np.frombuffer(self._pages, dtype=np.uint8)
        for k in range(count):
            guard = self.memory.ctypes.data + k * self._stride + room
            if _libc.mprotect(ctypes.c_void_p(guard), ctypes.c_size_t(PAGE), PROT_NONE):
                raise OSError(ctypes.get_errno(), 'mprotect')

    def offset(self, k: int, length: int) -> int:
        """Where `length` bytes of place k begin in `memory`."""
        return k * self._stride + self.size - length

    def put(self, k: int, data: bytes) -> np.ndarray:
        """The bytes in place k, (N,) uint8; they hold until the next are put there."""
        at = self.offset(k, len(data))
        self.memory[at:at + len(data)] = np.frombuffer(data, np.uint8)
        return self.memory[at:at + len(data)]
