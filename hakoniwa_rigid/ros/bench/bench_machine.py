# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What the machine does by itself: how late a loop that only sleeps is woken, and how much of the processors' time a
hypervisor gives to others. A node cannot be more on time than its machine, and a figure without this says little."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np

from hakoniwa_rigid.codec.message_fields import NANOSECONDS

__all__ = ['Stolen', 'lateness']

STAT = Path('/proc/stat')
STEAL = 8  # column of the line 'cpu' in /proc/stat


def lateness(rate: float, seconds: float) -> float:
    """s, p99 of how much later than asked a loop of `rate` Hz is woken that does nothing else."""
    period = round(NANOSECONDS / rate)
    due, late = time.perf_counter_ns() + period, []
    for _ in range(max(int(rate * seconds), 1)):
        time.sleep(max(due - time.perf_counter_ns(), 0) / NANOSECONDS)
        now = time.perf_counter_ns()
        late.append(now - due)
        due = max(due, now) + period
    return float(np.percentile(late, 99)) / NANOSECONDS


class Stolen:
    """Share of the processors' time that went to other machines since this was made; NaN where the system does not
    tell."""

    def __init__(self) -> None:
        self._begin = _stolen(), time.monotonic()

    def share(self) -> float:
        """0 to 1 of all cores."""
        ticks, begun = self._begin
        elapsed = (time.monotonic() - begun) * os.sysconf('SC_CLK_TCK') * (os.cpu_count() or 1)
        return (_stolen() - ticks) / elapsed


def _stolen() -> float:
    try:
        return float(STAT.read_text().split('\n', 1)[0].split()[STEAL])
    except (OSError, IndexError, ValueError):
        return float('nan')
