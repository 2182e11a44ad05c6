"""For every test: a ROS domain of its own that stays on this machine, set before anything imports rclpy.

`scenes` and `oracles` are importable from every test folder (pytest's pythonpath in pyproject.toml).
"""
import fcntl
import os
import tempfile
from pathlib import Path

from hypothesis import settings

# DDS derives its ports from the domain; up to 101 they stay below the ports that Linux hands out at random
DOMAINS = range(1, 102)


def claim_domain():
    """(domain, open lock file): a domain that no other test process of this machine uses while the file stays open."""
    for domain in DOMAINS:
        # kept open as long as the process lives: that is the lock
        lock = open(Path(tempfile.gettempdir()) / f'hakoniwa_rigid_domain_{domain}_{os.getuid()}.lock', 'w')  # noqa: SIM115
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            continue
        return domain, lock
    raise RuntimeError(f'all ROS domains {DOMAINS.start}..{DOMAINS.stop - 1} are used by other test runs')


_domain, _lock = claim_domain()
os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
os.environ['ROS_DOMAIN_ID'] = str(_domain)


def pytest_sessionstart(session):
    """No test may run an engine compiled from older sources."""
    from hakoniwa_rigid import scene
    scene.drop_stale()


# a first call may compile for seconds, and CI must see the same cases as the desk
settings.register_profile('here', deadline=None, derandomize=True)
settings.load_profile('here')
