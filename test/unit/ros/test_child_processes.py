# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Child processes end by the gentlest signal that works, and say how they ended."""
import os
import signal
import time

import pytest

from hakoniwa_rigid.ros import child_processes
from hakoniwa_rigid.ros.child_processes import Children

OBEDIENT = """
import sys, time
try:
    print('ready', sys.argv[1:], flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    sys.exit(0)
"""
# ignores SIGINT, obeys SIGTERM
SLOW = 'import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); print("ready", flush=True); time.sleep(60)'
STUBBORN = ('import signal, time; [signal.signal(n, signal.SIG_IGN) for n in (signal.SIGINT, signal.SIGTERM)]; '
            'print("ready", flush=True); time.sleep(60)')


def be_patient(monkeypatch, obeyed):
    """A busy machine may take long over the signal that is obeyed; one that is ignored gets one second."""
    monkeypatch.setattr(child_processes, 'PATIENCE', tuple(
        (number, 120.0 if number == obeyed else 1.0) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)))


@pytest.fixture
def start(tmp_path, monkeypatch):
    """start(name, code): a child that runs code and has said 'ready'."""
    be_patient(monkeypatch, signal.SIGINT)
    with Children(tmp_path / 'logs', dict(os.environ) | {'PYTHONPATH': str(tmp_path)}) as children:
        def start(name, code, **parameters):
            (tmp_path / f'{name}.py').write_text(code)
            child = children.start(name, name, parameters)
            deadline = time.monotonic() + 120.0
            while 'ready' not in child.tail() and not child.ended():
                assert time.monotonic() < deadline
                time.sleep(0.01)
            return children, child
        yield start


@pytest.mark.parametrize(('code', 'expected'), [(OBEDIENT, 0), (SLOW, -signal.SIGTERM), (STUBBORN, -signal.SIGKILL)])
def test_each_child_ends_by_the_gentlest_signal_that_works(start, monkeypatch, code, expected):
    be_patient(monkeypatch, -expected if expected else signal.SIGINT)
    children, child = start('child', code)
    assert children.stop() == {'child': expected}
    assert child.ended()


def test_children_of_a_job_in_the_background_receive_sigint(start):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        children, _ = start('child', OBEDIENT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert children.stop() == {'child': 0}


def test_a_child_that_dies_is_noticed_with_its_last_words(start):
    children, child = start('child', 'print("ready"); raise SystemExit("no such world")')
    child.process.wait(120.0)
    assert children.dead() == [child]
    assert 'no such world' in child.tail()
    assert children.stop() == {'child': 1}


def test_parameters_are_handed_over_as_ros_arguments(start):
    _, child = start('child', OBEDIENT, wait_for_start=True, rate=200.0)
    assert "['--ros-args', '-p', 'wait_for_start:=true', '-p', 'rate:=200.0']" in child.tail()


def test_processor_time_is_measured(start):
    _, child = start('child', 'x = sum(range(10**7)); print("ready", flush=True)\nimport time; time.sleep(60)')
    assert child.cpu_seconds() > 0.05
    child.process.kill()
    child.process.wait(120.0)
    assert child.cpu_seconds() == 0.0
