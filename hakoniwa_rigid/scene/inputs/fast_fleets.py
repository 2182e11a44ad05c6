# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""FleetState messages that differ from an earlier one in nothing but stamp and numbers: a compiled loop turns their
bytes into motions."""
from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...array_table import Table, address_table
from ...codec.cdr import MOST_LISTS, STAMP_END, Fleet
from ...codec.fast_path_kernel import SCRATCH, read_fleet
from ...codec.message_batch import MessageBatch
from ...codec.motion_columns import MOTION
from ...engine.maths.direct import Direct
from .fast_path import FastTopics

__all__ = ['FastFleets']


class Layout(NamedTuple):
    """What equal messages have in common: `where`, the first arguments of read_fleet, and the table that they mean;
    drones, rows (N,) in the scene; stamps (N,) and motions (N, 13) to be filled."""

    table: Table
    where: tuple[np.ndarray, int, int, int, int, int]
    drones: np.ndarray
    stamps: np.ndarray
    motions: np.ndarray


class FastFleets:
    """The layouts of the last messages that meant the world's frame, the clock of the scene and its drones only; they
    count for a source of `topics`; forgotten when drones have come or left: `roster()` is another number then.
    most_bytes: of all that is remembered; the newest always is."""

    def __init__(self, topics: FastTopics, source: int, most_bytes: int, roster: Callable[[], int] = int) -> None:
        self._count, self._roster = roster, roster()
        self._known: list[Layout] = []
        self._most_bytes, self._bytes = most_bytes, 0
        self._read = Direct(read_fleet)
        self._scratch = np.zeros(SCRATCH, dtype=np.uint8)
        self._counts, self._source = (topics.received, topics.newest), source

    def learn(self, msg: Fleet, drones: np.ndarray) -> None:
        """Messages like this one are of the drones at these rows (N,)."""
        data, n = msg.data, len(drones)
        if data[:2] != b'\0\1' or not any(msg.header.stamp):
            return
        begins = list(msg.begins)
        ends = [b + a.nbytes for b, a in zip(begins, msg.arrays, strict=True)]
        spans = np.array([(0, 2), *zip([STAMP_END, *ends[:-1]], begins, strict=True)], dtype=np.int64)
        size = ends[-1] + 8 * n * (MOTION + 1)
        if len(self._known) == MOST_LISTS or self._bytes + size > self._most_bytes:
            self._known.clear()
            self._bytes = 0
        self._bytes += size
        stamps, motions = np.zeros(n, dtype=np.int64), np.zeros((n, MOTION))
        # what stands behind the numbers is not kept
        table = address_table((np.frombuffer(data[:ends[-1]], np.uint8), spans, np.array(begins, dtype=np.int64),
                          self._scratch, stamps, motions, *self._counts))
        where = table.addresses, ends[-1], len(spans), n, len(self._counts[0]), self._source
        self._known.append(Layout(table, where, drones, stamps, motions))

    def read(self, batch: MessageBatch, k: int) -> Layout | None:
        """Stamps and motions of message k, which counts then; valid until the next.  None where no message like it is
        known, or it has no stamp."""
        if self._roster != self._count():
            self._roster = self._count()
            self._known, self._bytes = [], 0
        for known in self._known:
            if self._read.call(*known.where, *batch.where, k):
                return known
        return None
