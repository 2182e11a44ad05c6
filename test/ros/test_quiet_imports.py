# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Ctrl-C while a node's modules are imported ends it without a word."""
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tested import PACKAGES

ROOT = Path(__file__).resolve().parents[2]
START = 'import sys; from hakoniwa_rigid.ros.start import start; sys.exit(start({!r}))'
# says when the imports begin
REPORTED = """
import importlib, sys
from hakoniwa_rigid.ros.start import start
begin = importlib.import_module
def told(name):
    importlib.import_module = begin
    print('importing', flush=True)
    return begin(name)
importlib.import_module = told
sys.exit(start({!r}))
"""
# s
PATIENCE = 120.0
# as a module that imports for long, and catches what it should not
SLOW = """
import time
print('importing', flush=True)
try:
    time.sleep(60)
except BaseException:
    print('caught', flush=True)
    raise
"""


@pytest.fixture
def started():
    """Starts a module's main; what a test that failed has left is killed: a later test would have its nodes, too."""
    processes = []

    def start(folder, module, code=START, **options):
        env = {**os.environ, 'PYTHONPATH': os.pathsep.join([str(folder), PACKAGES, os.environ.get('PYTHONPATH', '')])}
        processes.append(subprocess.Popen([sys.executable, '-c', code.format(module)], env=env, text=True,
                                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.wait()


def test_ctrl_c_during_imports_is_quiet(started, tmp_path):
    (tmp_path / 'slow.py').write_text(SLOW)
    process = started(tmp_path, 'slow')
    assert process.stdout.readline() == 'importing\n'
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=PATIENCE) == ('', '')
    assert process.returncode == 0


def test_main_is_called_with_ctrl_c_as_python_has_it(started, tmp_path):
    (tmp_path / 'quick.py').write_text('import signal\n'
                                       'def main():\n'
                                       '    return 7 if signal.getsignal(signal.SIGINT) == signal.default_int_handler'
                                       ' else 1\n')
    process = started(tmp_path, 'quick')
    assert process.communicate(timeout=PATIENCE) == ('', '')
    assert process.returncode == 7


def test_what_is_ignored_stays_ignored(started, tmp_path):
    (tmp_path / 'ignoring.py').write_text('import signal\n'
                                      'assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN\n'
                                      'def main():\n'
                                      '    return 7 if signal.getsignal(signal.SIGINT) == signal.SIG_IGN else 1\n')
    process = started(tmp_path, 'ignoring', preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    assert process.communicate(timeout=PATIENCE) == ('', '')
    assert process.returncode == 7


@pytest.mark.parametrize('delay', [0.0, 0.3, 0.6, 0.9])
@pytest.mark.ros
def test_a_node_that_is_interrupted_early_leaves_no_traceback(started, tmp_path, delay):
    """So long after its imports have begun; Python itself takes any time to come to them."""
    process = started(tmp_path, 'hakoniwa_rigid.ros.collision.collision_node', REPORTED)
    assert process.stdout.readline() == 'importing\n'
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
    assert 'Traceback' not in said
    assert process.returncode == 0


# its Ctrl-C comes out of C++ as another error, before rclpy has shut its context down
TURNED = """
import os, signal, time, rclpy
from hakoniwa_rigid.ros.executor import run
rclpy.ok = lambda *_, **__: True
def make():
    try:
        os.kill(os.getpid(), signal.SIGINT)
        # not signal.pause(): where a thread of DDS takes the signal, this one would wait for ever
        while True:
            time.sleep(0.01)
    except KeyboardInterrupt:
        raise RuntimeError('Unable to convert call argument') from None
def main():
    return run(make)
"""


@pytest.mark.ros
def test_ctrl_c_that_comes_out_as_another_error_is_quiet(started, tmp_path):
    (tmp_path / 'turned.py').write_text(TURNED)
    process = started(tmp_path, 'turned')
    assert process.communicate(timeout=PATIENCE) == ('', '')
    assert process.returncode == 0


# its parts take long to close
SLOW_END = """
import time
from hakoniwa_rigid.ros.executor import run
from rclpy.node import Node
class Slow(Node):
    def __init__(self):
        super().__init__('slow')
        self.timer = self.create_timer(0.01, self.tell)
    def tell(self):
        self.timer.cancel()
        print('ready', flush=True)
    def destroy_node(self):
        super().destroy_node()
        print('closed', flush=True)
        time.sleep(0.5)
def main():
    return run(Slow)
"""


@pytest.mark.ros
@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_changes_nothing(started, tmp_path, number):
    """Wherever it comes: while the node closes, while the process ends."""
    (tmp_path / 'closing.py').write_text(SLOW_END)
    process = started(tmp_path, 'closing')
    assert process.stdout.readline() == 'ready\n'
    process.send_signal(number)
    assert process.stdout.readline() == 'closed\n'
    while process.poll() is None:
        process.send_signal(number)
        time.sleep(0.001)
    assert process.communicate(timeout=PATIENCE) == ('', '')
    assert process.returncode == 0


def test_installed_scripts_start_so():
    made = (ROOT / 'CMakeLists.txt').read_text()
    assert "sys.exit(start('${module}'))" in made
