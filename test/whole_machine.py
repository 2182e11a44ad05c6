# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Tests of a browser have the machine for themselves, where several processes test on few processors.

A browser without a graphics card takes two processors, and four pages at a time take them whole: beside a process that
computes they are held up for seconds, in which a person would have let go.
"""
import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

__all__ = ['MOST', 'turn']

# processors: with more of them there is room for others
MOST = 4
FILES = 'test_page', 'test_player', 'test_sight'
FOLDERS = 'test/ros/', 'test/web/'


@contextmanager
def turn(nodeid: str, folder: Path) -> Iterator[None]:
    """While the test runs: alone if it has a browser, else beside others of that kind.  folder: of the locks."""
    file = nodeid.split('::')[0]
    alone = file.startswith(FOLDERS) and Path(file).name.startswith(FILES)
    kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
    if (os.cpu_count() or 1) > MOST:
        yield
        return
    with ExitStack() as locks:
        # who waits for the machine holds the gate, so that no other begins a test meanwhile
        gate = locks.enter_context((folder / 'gate').open('a'))
        fcntl.flock(gate, kind)
        machine = locks.enter_context((folder / 'machine').open('a'))
        fcntl.flock(machine, kind)
        if not alone:
            fcntl.flock(gate, fcntl.LOCK_UN)
        yield
