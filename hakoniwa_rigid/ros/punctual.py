# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Threads that wake on time.

Linux lets every sleep of an ordinary thread last up to 50 us longer, its timer slack, to wake several threads at once
(prctl(2)).  That is more than a look for a message takes: of a node that looks every 50 us, and of a simulator that
waits for its answer, most time would be slack.

A thread that has woken waits until those that run have used up their slices, some ms, where all processors are busy, as
beside a browser that draws by the processor.  From Linux 6.12 on every thread may ask for a slice of its own
(sched_setattr(2)); one with a shorter slice runs at once, as long as it has not had its share, and gets no larger one.
"""
from __future__ import annotations

import ctypes
import os
import platform
import sys

__all__ = ['be_prompt', 'be_punctual', 'time_slice', 'timer_slack']

# of linux/prctl.h
SET_TIMERSLACK, GET_TIMERSLACK = 29, 30
SLACK = 1000    # ns
# numbers of sched_setattr and sched_getattr, in asm/unistd.h of each machine; programs of 32 bits have others
CALLS = {'x86_64': (314, 315), 'aarch64': (274, 275)} if sys.platform == 'linux' and sys.maxsize > 2 ** 32 else {}
SLICE = 100_000     # ns, the shortest that there is


class Attributes(ctypes.Structure):
    """struct sched_attr of linux/sched/types.h."""

    _fields_ = (('size', ctypes.c_uint32), ('policy', ctypes.c_uint32), ('flags', ctypes.c_uint64),
                ('nice', ctypes.c_int32), ('priority', ctypes.c_uint32), ('runtime', ctypes.c_uint64),
                ('deadline', ctypes.c_uint64), ('period', ctypes.c_uint64))


def _prctl(option: int, value: int) -> int:
    """What prctl(2) returns; -1 where there is none."""
    try:
        return ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
    except (AttributeError, OSError, TypeError):
        return -1


def be_punctual() -> bool:
    """Sleeps of this thread, and of those that it makes from now on, last no more than 1 us longer than asked for.
    False where the system knows no such thing."""
    return _prctl(SET_TIMERSLACK, SLACK) == 0


def timer_slack() -> int:
    """That of this thread, ns; -1 where the system knows none."""
    return _prctl(GET_TIMERSLACK, 0)


def _scheduling(which: int, attributes: Attributes, *more: int) -> bool:
    """sched_setattr (0) or sched_getattr (1) of this thread; whether it went well."""
    call = CALLS.get(platform.machine())
    try:
        return call is not None and ctypes.CDLL(None).syscall(
            call[which], 0, ctypes.byref(attributes), *more) == 0
    except (AttributeError, OSError, TypeError):
        return False


def be_prompt() -> bool:
    """This thread, and those that it makes from now on, run at once where they wake beside threads of the ordinary
    class that compute.  False where the system knows no such thing, or where this thread is of another class."""
    now = Attributes()
    if not _scheduling(1, now, ctypes.sizeof(now), 0) or now.policy != os.SCHED_OTHER:
        return False
    now.size, now.runtime = ctypes.sizeof(now), SLICE
    return _scheduling(0, now, 0) and time_slice() == SLICE


def time_slice() -> int:
    """That of this thread, ns; 0 where the system does not tell."""
    now = Attributes()
    return now.runtime if _scheduling(1, now, ctypes.sizeof(now), 0) else 0
