# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A ROS domain for a run of its own. Imports no ROS: the domain has to be set before that."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import StartError

__all__ = ['free_domain']


def _lock_file(domain: int) -> Path:
    return Path(tempfile.gettempdir()) / f'hakoniwa_rigid_domain_{domain}_{os.getuid()}.lock'


def _last_use(domain: int) -> int:
    """ns, of the clock of the file system; -1 where it was not used."""
    try:
        return _lock_file(domain).stat().st_mtime_ns
    except OSError:
        return -1


@contextmanager
def free_domain(wanted: int | None) -> Iterator[int]:
    """A ROS domain that no other demo, benchmark or test of this machine uses while the context lasts.

    It is the one that was left the longest time ago: a node that was killed stays in the graph for 20 s, and what it
    shared with others in memory for good.  DDS derives its ports from the domain; up to 101 they stay below those that
    Linux hands out at random.
    """
    if wanted is not None:
        yield wanted
        return
    for domain in sorted(range(101, 0, -1), key=_last_use):
        with open(_lock_file(domain), 'a') as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            os.utime(lock.fileno())
            try:
                yield domain
            finally:
                os.utime(lock.fileno())
            return
    raise StartError('all ROS domains from 1 to 101 are in use by other runs; choose one with --domain')
