# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Messages as they come from a queue or a bag: many of them in one buffer."""
from __future__ import annotations

import numpy as np

from ..array_table import address_table

__all__ = ['MessageBatch']


class MessageBatch:
    """K messages: data (uint8) holds them at offsets with lengths (K,); topics (K,) of the adapter; receptions (K,) ns.
    `where`: what entries are given, see `view_messages`; it lives as long as this."""

    __slots__ = ('_table', 'data', 'lengths', 'offsets', 'receptions', 'topics', 'where')

    def __init__(self, data: np.ndarray, offsets: np.ndarray, lengths: np.ndarray, topics: np.ndarray,
                 receptions: np.ndarray) -> None:
        """The arrays are not copied where they are contiguous, data of uint8, the others of int64."""
        self.data = np.ascontiguousarray(data, dtype=np.uint8)
        whole = [np.ascontiguousarray(a, dtype=np.int64) for a in (offsets, lengths, topics, receptions)]
        self.offsets, self.lengths, self.topics, self.receptions = whole
        self._table = address_table((self.data, *whole))
        self.where = self._table.addresses, len(self.data), len(whole[0])

    @classmethod
    def of_one(cls, data: bytes, topic: int, reception: int) -> MessageBatch:
        """A single message."""
        return cls(np.frombuffer(data, np.uint8), *np.array([[0], [len(data)], [topic], [reception]]))

    def __len__(self) -> int:
        return len(self.offsets)

    def message(self, k: int) -> bytes:
        """Message k; nothing where it does not lie within the data, as a damaged file may say."""
        at, length = int(self.offsets[k]), int(self.lengths[k])
        return self.data[at:at + length].tobytes() if 0 <= at <= at + length <= len(self.data) else b''
