# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Stamps of input streams: newest wins, late ones are refused, a source that began anew is let in again."""
from __future__ import annotations

import numpy as np

from ...codec.message_fields import NANOSECONDS
from ..records import Verdict
from ..world_files.world_types import SceneParams
from . import input_kernels
from .rows import MOST_STAMP, OUT_OF_RANGE, RESTARTED, Gate

# verdicts by the codes of rows.py
VERDICTS = (Verdict.ACCEPTED, Verdict.RESTARTED, Verdict.TELEPORT, Verdict.STAMP_BACKWARDS, Verdict.STAMP_REPEATED,
            Verdict.STALE, Verdict.NOT_FINITE, Verdict.OUT_OF_RANGE, Verdict.NON_UNIT_QUATERNION)

__all__ = ['RESTARTED', 'VERDICTS', 'StampGate', 'clock']


def clock(now_ns: int | None) -> tuple[int, bool]:
    """Scene time for the kernels: ns, and whether there is one."""
    return (0, False) if now_ns is None else (now_ns, True)


class StampGate:
    """Judges the stamps of n streams.

    A stamp older than the stream's newest is refused.  A source that restarted keeps sending such stamps, in order:
    after `restart_samples` of them in a row (`reorder_samples` when the jump back is below `restart_bound`, as late
    packets can be) the stream starts anew.  One newer sample in between clears the suspicion.
    """

    def __init__(self, n: int, params: SceneParams):
        limits = (params.restart_bound * NANOSECONDS, params.restart_samples, params.reorder_samples,
                  params.stale_timeout * NANOSECONDS)
        counts = (np.zeros(n, dtype=np.int64) for _ in range(3))
        self.arrays = Gate(np.zeros(n, dtype=bool), *counts, np.array(limits).astype(np.int64))
        self.known, self.newest = self.arrays.known, self.arrays.newest

    def judge(self, row: int, stamp_ns: int, now_ns: int | None) -> int:
        """Code of a stamp of stream `row`; now_ns is the scene's time.  A taken stamp becomes the newest."""
        if abs(stamp_ns) > MOST_STAMP:
            return OUT_OF_RANGE
        return input_kernels.judge(tuple(self.arrays), row, stamp_ns, *clock(now_ns))

    def forget(self, rows=slice(None)) -> None:
        """The next sample of these streams is a first one."""
        self.known[rows] = False
        self.arrays.back_count[rows] = 0

    def clear(self) -> None:
        """As if nothing had ever come."""
        for a in self.arrays[:4]:
            a[:] = 0
