"""For every test: a ROS domain of its own that stays on this machine, set before anything imports rclpy.

`scenes` and `oracles` are importable from every test folder (pytest's pythonpath in pyproject.toml).
"""
import os
import signal
from contextlib import ExitStack

import pytest
from hypothesis import settings

from hakoniwa_rigid.ros.domain import free_domain

# Where several processes test, one has all that starts nodes, one test after the other: two demos at a time, with four
# nodes each, would be late for each other.
NODES = ('test/ros/', 'test/launch/')
# Modules whose tests share what takes long to make.
TOGETHER = ('/test_million_pairs.py', '/test_shape_table.py', '/test_bits.py', '/test_page.py')
# held as long as the process lives
_held = ExitStack()
_domain = _held.enter_context(free_domain(None))
os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
os.environ['ROS_DOMAIN_ID'] = str(_domain)


def pytest_sessionstart(session):
    """Where several processes test, one compiles for all."""
    from hakoniwa_rigid import scene
    if session.config.getoption('numprocesses', None):
        scene.warmup()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """With PLAIN_SECONDS set, no test takes longer: what it has not come to by then is skipped."""
    limit = float(os.environ.get('PLAIN_SECONDS', 0.0))

    def give_up(*_):
        pytest.skip(f'longer than {limit:g} s as plain Python; nothing failed until then')

    if limit > 0.0:
        signal.signal(signal.SIGALRM, give_up)
        signal.setitimer(signal.ITIMER_REAL, limit)
    try:
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
