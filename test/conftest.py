"""For every test: a ROS domain of its own that stays on this machine, set before anything imports rclpy.

`scenes` and `oracles` are importable from every test folder (pytest's pythonpath in pyproject.toml).
"""
import os
from contextlib import ExitStack

from hypothesis import settings

from hakoniwa_rigid.ros.domain import free_domain

# held as long as the process lives
_held = ExitStack()
_domain = _held.enter_context(free_domain(None))
os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
os.environ['ROS_DOMAIN_ID'] = str(_domain)


def pytest_sessionstart(session):
    """No test may run an engine compiled from older sources."""
    from hakoniwa_rigid import scene
    scene.drop_stale()


# a first call may compile for seconds, and CI must see the same cases as the desk
settings.register_profile('here', deadline=None, derandomize=True)
settings.load_profile('here')
