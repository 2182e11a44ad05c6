# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Processor time of this process: what else the machine does hardly counts, least of all in the least of rounds."""
import os
import time

ROUNDS = 7


def stay():
    """Keep to one core."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def clock(call, count):
    """µs per step of call(count)."""
    start = time.process_time()
    call(count)
    return 1e6 * (time.process_time() - start) / count


def seconds(call, count, rounds=ROUNDS):
    """Least s of one of the `count` that call(count) makes."""
    return 1e-6 * min(clock(call, count) for _ in range(rounds))


def repeat(call):
    """A function that makes any number of calls."""
    def times(n):
        for _ in range(n):
            call()
    return times
