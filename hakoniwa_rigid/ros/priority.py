"""The real-time class for the thread that ticks: other programs then wait for it, instead of the other way round."""

from __future__ import annotations

import os
from collections.abc import Callable

__all__ = ['ordinary', 'real_time']

# the tick hands on nothing of it: DDS's threads, made later, stay as they are
CLASS = getattr(os, 'SCHED_FIFO', 0) | getattr(os, 'SCHED_RESET_ON_FORK', 0)


def real_time(priority: int, warn: Callable[[str], object]) -> bool:
    """Put the calling thread into the real-time class (SCHED_FIFO, 1 to 99). `warn` is told why that is not possible;
    returns whether it was."""
    try:
        os.sched_setscheduler(0, CLASS, os.sched_param(priority))
    except (AttributeError, OSError) as error:
        warn(
            f'parameter realtime_priority: {priority} is not to be had ({error}); the node goes on in the ordinary '
            'class. It needs CAP_SYS_NICE, or a line `rtprio` for this user in /etc/security/limits.conf'
        )
        return False
    return True


def ordinary() -> None:
    """Put the calling thread back into the ordinary class."""
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
