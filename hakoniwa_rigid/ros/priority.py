# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The real-time class for the threads of a node: other programs then wait for them, instead of the other way round.

The thread that ticks waits for those of DDS wherever it needs what one of them holds: an ordinary thread that holds a
lock can be put off by any other program, and the tick with it. So they follow, one priority below.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress

__all__ = ['BESIDE_A_BROWSER', 'allowed', 'ordinary', 'real_time']

# of the tick, where this user may: a browser that draws by the processor takes all it can get
BESIDE_A_BROWSER = 20

# children of the process do not inherit it, nor do threads made later
CLASS = getattr(os, 'SCHED_FIFO', 0) | getattr(os, 'SCHED_RESET_ON_FORK', 0)


def allowed(priority: int) -> int:
    """The priority, or 0 where this user may not have it: for `realtime_priority` of a node that can do without."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    except (AttributeError, OSError):
        return 0
    return priority


def real_time(priority: int, warn: Callable[[str], object]) -> bool:
    """Put this process's threads into the real-time class (SCHED_FIFO): the calling one at `priority` (1 to 99), the
    others one below. `warn` gets the reason where that is not possible; returns whether it was."""
    try:
        _set_all(CLASS, priority, max(priority - 1, 1))
    except (AttributeError, OSError) as error:
        warn(
            f'parameter realtime_priority: {priority} is not to be had ({error}); the node goes on in the ordinary '
            'class. It needs CAP_SYS_NICE, or a line `rtprio` for this user in /etc/security/limits.conf'
        )
        return False
    return True


def ordinary() -> None:
    """Put the threads of this process back into the ordinary class."""
    _set_all(os.SCHED_OTHER, 0, 0)


def _set_all(kind: int, own: int, others: int) -> None:
    me = threading.get_native_id()
    os.sched_setscheduler(me, kind, os.sched_param(own))
    for thread in map(int, os.listdir('/proc/self/task')):
        if thread != me:
            with suppress(ProcessLookupError):  # it may have ended
                os.sched_setscheduler(thread, kind, os.sched_param(others))
