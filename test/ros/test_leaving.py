# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A node ends also where DDS does not let it go: at a full core, with Python's lock held."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

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


# signalled while an executor takes up its publishers and subscriptions, the `sys.argv[1]`th of them
EARLY = """
import os, sys
from rclpy.event_handler import EventHandler
from rclpy.node import Node
from std_msgs.msg import String
from hakoniwa_rigid.ros import executor

add, count = EventHandler.add_to_wait_set, 0

def add_with_a_signal(self, wait_set):
    global count
    count += 1
    if count == int(sys.argv[1]):
        os.kill(os.getpid(), int(sys.argv[2]))
    return add(self, wait_set)

EventHandler.add_to_wait_set = add_with_a_signal

class Busy(Node):
    def __init__(self):
        super().__init__('busy')
        self.heard = [self.create_subscription(String, f'heard_{i}', print, 1) for i in range(3)]

    def destroy_node(self):
        print('context:', self.context.ok())
        super().destroy_node()

sys.exit(executor.run(Busy))
"""


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize('which', [1, 2, 4])
def test_a_signal_while_the_executor_takes_up_what_the_node_has(which, number):
    words = [sys.executable, '-c', EARLY, str(which), str(int(number))]
    run = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, 'context: False\n', '')


# it waits for nothing but its end
IDLE = """
import sys
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from hakoniwa_rigid.ros import executor

class Idle(Node):
    def __init__(self):
        super().__init__('idle')
        print('ready', flush=True)

kinds = [SingleThreadedExecutor] if sys.argv[1] == 'one thread' else []
sys.exit(executor.run(Idle, None, *kinds))
"""


@pytest.mark.parametrize('kind', ['events', 'one thread'])
@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize('delay', [0.0, 0.3])
def test_a_node_without_work_ends(kind, number, delay):
    with subprocess.Popen([sys.executable, '-c', IDLE, kind], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        assert process.stdout.readline() == 'ready\n'
        time.sleep(delay)
        process.send_signal(number)
        assert process.communicate(timeout=60) == ('', '')
    assert process.returncode == 0
