# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A node ends also where DDS does not let it go: at a full core, with Python's lock held."""

from __future__ import annotations

import subprocess
import sys

import pytest

from hakoniwa_rigid.ros.executor import CRASHED

pytestmark = pytest.mark.ros
NODE = """
import os, re, signal, sys
from rclpy.node import Node
from hakoniwa_rigid.ros import executor

class Stuck(Node):
    def __init__(self):
        super().__init__('stuck')
        self.create_timer(0.01, self.end)

    def end(self):
        if sys.argv[1] == 'fail':
            raise ValueError('on purpose')
        os.kill(os.getpid(), signal.SIGINT)

    def destroy_node(self):
        print('leaving', flush=True)
        re.match('(a+)+$', 40 * 'a' + 'b')      # years, with the lock held

sys.exit(executor.run(Stuck))
"""


@pytest.mark.parametrize(('how', 'code'), [('asked', 0), ('fail', CRASHED)])
def test_a_node_that_cannot_leave_ends(how, code):
    run = subprocess.run([sys.executable, '-c', NODE, how], capture_output=True, text=True, timeout=300, check=False)
    assert 'leaving' in run.stdout
    assert run.returncode == code, run.stderr
    assert ('on purpose' in run.stderr) == (how == 'fail')


def test_who_leaves_in_time_goes_on():
    text = """
from hakoniwa_rigid.ros.leaving import ends_all_the_same
with ends_all_the_same(3, 1):
    pass
sum(range(10**8))
"""
    assert subprocess.run([sys.executable, '-c', text], timeout=300, check=False).returncode == 0
