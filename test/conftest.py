# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""For every test: a ROS domain of its own that stays on this machine, set before anything imports rclpy.

`scenes` and `oracles` are importable from every test folder (pytest's pythonpath in pyproject.toml).
"""
import faulthandler
import fcntl
import os
import signal
import tempfile
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TextIO

import pytest
import whole_machine
from hypothesis import settings

from hakoniwa_rigid.ros.domain import free_domain

# Where several processes test, one has all that starts nodes, one test after the other: two demos at a time, with four
# nodes each, would be late for each other.  With two at a time, in domains of their own, a process crashed in three of
# five runs, in Fast DDS or rclpy as far as is known; with one at a time none did.
NODES = ('test/ros/', 'test/launch/')
# Modules whose tests share what takes long to make.
TOGETHER = ('/test_million_pairs.py', '/test_shape_table.py', '/test_bits.py', '/test_page.py', '/test_page_room.py',
            '/test_player.py', '/test_sight.py')
# environment variable: the folder of what processes that died have left
CRASHES = 'HAKONIWA_RIGID_TEST_CRASHES'
CRASH_LOG = pytest.StashKey[TextIO]()
# what Fast DDS calls its segments of shared memory: of Kilted, and of Jazzy
SEGMENTS = 'fastdds', 'fastrtps'
# s after which who has made a segment of shared memory has its lock
SETTLED = 10.0
# held as long as the process lives
_held = ExitStack()
# who is started in the background of a script ignores Ctrl-C, and so would all that tests start
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
_domain = _held.enter_context(free_domain(None))
os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
os.environ['ROS_DOMAIN_ID'] = str(_domain)


def pytest_sessionstart(session):
    """Where several processes test, one compiles for all."""
    from hakoniwa_rigid import scene
    if session.config.getoption('numprocesses', None):
        scene.warmup()


@pytest.hookimpl(trylast=True)      # behind pytest's own
def pytest_configure(config):
    """A process that dies leaves where: what it printed would be lost between the lines of its nodes."""
    if 'PYTEST_XDIST_WORKER' in os.environ:
        log = (Path(os.environ[CRASHES]) / os.environ['PYTEST_XDIST_WORKER']).open('w')
        config.stash[CRASH_LOG] = _held.enter_context(log)
        faulthandler.enable(log)
    elif config.getoption('numprocesses', None):
        os.environ[CRASHES] = _held.enter_context(tempfile.TemporaryDirectory())


@pytest.hookimpl(optionalhook=True)
def pytest_handlecrashitem(crashitem, report, sched):
    """What it has left is part of the report."""
    left = [path.read_text().strip() for path in sorted(Path(os.environ[CRASHES]).iterdir())]
    report.longrepr = '\n'.join([str(report.longrepr), *filter(None, left)])


def pytest_sessionfinish(session):
    """Nodes that were killed leave half a megabyte each behind in shared memory; who lives holds the lock."""
    if 'PYTEST_XDIST_WORKER' in os.environ:
        return
    for lock in (lock for name in SEGMENTS for lock in Path('/dev/shm').glob(f'{name}_*_el')):
        with suppress(OSError), open(lock) as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if time.time() > lock.stat().st_mtime + SETTLED:
                lock.with_name(lock.name.removesuffix('_el')).unlink(missing_ok=True)
                lock.unlink()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """With PLAIN_SECONDS set, no test takes longer: what it has not come to by then is skipped."""
    turns = ExitStack()
    if CRASH_LOG in item.config.stash:      # the executor of a node has one of its own
        faulthandler.enable(item.config.stash[CRASH_LOG])
        turns.enter_context(whole_machine.turn(item.nodeid, Path(os.environ[CRASHES])))
    limit = float(os.environ.get('PLAIN_SECONDS', 0.0))

    def give_up(*_):
        pytest.skip(f'longer than {limit:g} s as plain Python; nothing failed until then')

    if limit > 0.0:
        signal.signal(signal.SIGALRM, give_up)
        signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        with turns:
            return (yield)
    finally:
        if limit > 0.0:
            signal.setitimer(signal.ITIMER_REAL, 0.0)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Several processes take test by test, the groups first."""
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            file = nodeid.split('::')[0]
            return 'nodes' if file.startswith(NODES) else file if file.endswith(TOGETHER) else nodeid

    return Groups(config, log)


# a first call may compile for seconds, and CI must see the same cases as the desk
settings.register_profile('here', deadline=None, derandomize=True)
settings.load_profile('here')
