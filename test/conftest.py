"""For every test: a ROS domain of its own that stays on this machine, set before anything imports rclpy.

`scenes` and `oracles` are importable from every test folder (pytest's pythonpath in pyproject.toml).
"""
import os
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import settings

from hakoniwa_rigid.ros.domain import free_domain

ROS = Path(__file__).parent / 'ros'
# held as long as the process lives
_held = ExitStack()
_domain = _held.enter_context(free_domain(None))
os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
os.environ['ROS_DOMAIN_ID'] = str(_domain)


def pytest_sessionstart(session):
    """No test may run an engine compiled from older sources; where several processes test, one compiles for all."""
    from hakoniwa_rigid import scene
    if session.config.getoption('numprocesses', None):
        scene.warmup()
    else:
        scene.drop_stale()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Where several processes test, one of them has all that starts nodes, one test after the other in their order: two
    demos at a time, with four nodes each, would be late for each other."""
    for item in items:
        if ROS in item.path.parents or item.get_closest_marker('ros'):
            item.add_marker(pytest.mark.xdist_group('ros'))


# a first call may compile for seconds, and CI must see the same cases as the desk
settings.register_profile('here', deadline=None, derandomize=True)
settings.load_profile('here')
