# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Sleeps that end on time.

Linux lets every sleep of an ordinary thread last up to 50 us longer, its timer slack, to wake several threads at once
(prctl(2)).  That is more than a look for a message takes: of a node that looks every 50 us, and of a simulator that
waits for its answer, most time would be slack.
"""
from __future__ import annotations

import ctypes

__all__ = ['be_punctual', 'timer_slack']

# of linux/prctl.h
SET_TIMERSLACK, GET_TIMERSLACK = 29, 30
SLACK = 1000    # ns


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
