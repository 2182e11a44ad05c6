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


@contextmanager
def free_domain(wanted: int | None) -> Iterator[int]:
    """A ROS domain that no other demo, benchmark or test of this machine uses while the context lasts.

    DDS derives its ports from the domain; up to 101 they stay below those that Linux hands out at random.
    """
    if wanted is not None:
        yield wanted
        return
    for domain in range(101, 0, -1):
        with open(Path(tempfile.gettempdir()) / f'hakoniwa_rigid_domain_{domain}_{os.getuid()}.lock', 'w') as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            yield domain
            return
    raise StartError('all ROS domains from 1 to 101 are in use by other runs; choose one with --domain')
