# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The viewer, with every callback of its server's loop timed: by the clock, and by the processor time of the loop's
thread, which other programs cannot make longer.  `bench page` starts it.

The file that HAKONIWA_LOOP_TIMES names gets pairs of float64, s: clock, processor.  Beside it, under `.worst`, is the
name of the callback that took the most processor time.
"""

from __future__ import annotations

import asyncio
import os
import threading
from array import array
from pathlib import Path
from time import perf_counter, thread_time

import numpy as np

from ..viewer.viewer_node import main

__all__ = ['TIMES', 'read_times', 'worst_of']

TIMES = 'HAKONIWA_LOOP_TIMES'
# s between two writes, which are outside of what is timed
EVERY = 0.2


def read_times(path: Path) -> np.ndarray:
    """(K, 2) s of all callbacks so far: clock, processor."""
    times = np.fromfile(path) if path.exists() else np.zeros(0)
    return times[:len(times) // 2 * 2].reshape(-1, 2)


def worst_of(path: Path) -> str:
    """Which callback took the most processor time."""
    name = path.with_suffix('.worst')
    return name.read_text() if name.exists() else ''


def _time_callbacks(path: Path) -> None:
    """Of the thread `web`.  asyncio has no hook for this: its debug mode knows the clock only."""
    run, times, worst, begun = asyncio.Handle._run, array('d'), 0.0, perf_counter()
    written = begun

    def timed(handle: asyncio.Handle) -> None:
        nonlocal worst, written
        if threading.current_thread().name != 'web':
            run(handle)
            return
        clock, processor = perf_counter(), thread_time()
        run(handle)
        times.extend((perf_counter() - clock, used := thread_time() - processor))
        if used > worst:
            worst = used
            # of a task, not the wrapper of its step
            what = getattr(handle._callback, '__self__', None) or handle
            text = f'{1e3 * used:.1f} ms, {clock - begun:.1f} s after the start: {what!r}'
            path.with_suffix('.worst').write_text(text)
        if clock - written >= EVERY:
            written = clock
            with open(path, 'ab') as file:
                times.tofile(file)
            del times[:]

    asyncio.Handle._run = timed


if __name__ == '__main__':
    if name := os.environ.get(TIMES):
        _time_callbacks(Path(name))
    raise SystemExit(main())
