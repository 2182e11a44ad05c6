# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""How a node leaves its domain, also where DDS does not let it go.

Fast DDS waits for ever, at a full core and with Python's lock held, where a participant ends while it is being informed
that an endpoint of another one has gone (its issue 6513), as at Ctrl-C, by which all nodes of a launch leave at once:
2 of some 4,000 that left a domain in which others came and went.  Others then miss it after its lease of 20 s instead
of at once; nothing else is lost.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rclpy.utilities import try_shutdown

__all__ = ['ends_all_the_same', 'leave']

# s of processor time that leaving may take: that wait costs a full core
MOST = 3
# s; what nodes that have just ended say of it is over by then
QUIET = 0.2
PROCESSOR_TIME, NEW_THREAD = 2, 2   # CLOCK_PROCESS_CPUTIME_ID, SIGEV_THREAD


class _Event(ctypes.Structure):
    """struct sigevent of Linux."""

    _fields_ = [('value', ctypes.c_void_p), ('signal', ctypes.c_int), ('notify', ctypes.c_int),
                ('function', ctypes.c_void_p), ('attributes', ctypes.c_void_p), ('rest', ctypes.c_byte * 32)]


class _Times(ctypes.Structure):
    """struct itimerspec."""

    _fields_ = [(name, ctypes.c_long) for name in ('again', 'again_ns', 'first', 'first_ns')]


@contextmanager
def ends_all_the_same(code: int, most: int = MOST) -> Iterator[None]:
    """The process ends with exit code `code` where the block costs more than `most` s of processor time, whoever holds
    Python's lock.  Where the system has no such timers, it does not."""
    timer = ctypes.c_void_p()
    try:
        libc = ctypes.CDLL(None)
        end = ctypes.cast(libc._exit, ctypes.c_void_p).value
        event = _Event(value=code, notify=NEW_THREAD, function=end)
        made = libc.timer_create(PROCESSOR_TIME, ctypes.byref(event), ctypes.byref(timer)) == 0
    except (AttributeError, OSError):
        made = False
    if made:
        libc.timer_settime(timer, 0, ctypes.byref(_Times(first=most)), None)
    try:
        yield
    finally:
        if made:
            libc.timer_delete(timer)


def leave(node, context=None) -> None:
    """Destroy the last node of a context (None: the default one) in a process that goes on; those it worked with have
    ended just now."""
    time.sleep(QUIET)
    node.destroy_node()
    try_shutdown(context=context)
