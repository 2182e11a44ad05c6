# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Signals reach the children of the fork server that run, and no process that has got the pid of one that has ended."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import fork_server
import pytest
from fork_server import Children, Forked, Server
from harness import WAIT, Process

WAITS = """
import signal, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))
print('ready', flush=True)
while True:
    signal.pause()
"""


@pytest.fixture
def kills(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """What this process has sent to pids, none of which gets it."""
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr(os, 'kill', lambda *pid_and_signal: sent.append(pid_and_signal))
    return sent


def started(folder: Path, text: str) -> Process:
    """A child of the server."""
    script = folder / 'script.py'
    script.write_text(text)
    process = Process([str(script)], 0, forked=True)
    assert isinstance(process._popen, Forked)
    end = time.monotonic() + WAIT
    while 'ready' not in process.lines:
        assert time.monotonic() < end, process.output
        time.sleep(0.01)
    return process


def test_a_pid_is_sent_signals_as_long_as_it_has_not_been_reaped(kills):
    children = Children()
    children.begun(0, 4242)
    children.signal(0, signal.SIGINT)
    assert children.reaped(4242) == 0
    children.signal(0, signal.SIGKILL)      # 4242 may be any process now
    children.begun(1, 4242)                 # of the server again, say
    children.signal(0, signal.SIGKILL)
    children.signal(1, signal.SIGTERM)
    assert kills == [(4242, signal.SIGINT), (4242, signal.SIGTERM)]
    assert children.reaped(17) is None


def test_the_server_sends_what_the_tests_ask_for(tmp_path, kills):
    asked, ended = started(tmp_path, WAITS), started(tmp_path, WAITS)
    asked.signal(signal.SIGTERM)
    assert asked.wait() == 3
    ended.kill()
    assert ended.wait() == -signal.SIGKILL
    asked.kill()        # it closes its output
    assert kills == []


def test_a_signal_to_a_child_that_has_ended_is_no_error(tmp_path):
    process = started(tmp_path, "print('ready', flush=True)")
    forked = process._popen
    assert process.wait() == 0
    forked.send_signal(signal.SIGTERM)
    forked._server.signal(forked._child, signal.SIGTERM)    # what is asked before its end is heard of
    assert process.wait() == 0
    process.kill()


def test_children_of_a_server_that_has_ended_have_ended(kills):
    server = Server(('true',))
    server._process.wait(WAIT)
    read, write = os.pipe()
    os.close(write)
    child = Forked(server, 0, os.getpid(), read)
    server.signal(0, signal.SIGKILL)
    child.kill()
    assert child.wait(WAIT) == -signal.SIGKILL
    child.stdout.close()
    with pytest.raises(ConnectionError):
        server.start(['-m', 'this'], {}, None)
    assert kills == []


def test_a_server_that_does_not_answer_is_not_waited_for_longer_than_a_bound(monkeypatch):
    monkeypatch.setattr(fork_server, 'ANSWERED', 0.2)
    server = Server(('sh', '-c', 'exec sleep 1000'))
    try:
        with pytest.raises(TimeoutError, match='not answered in 0.2 s'):
            server.start(['-m', 'this'], {}, None)
        with pytest.raises(TimeoutError, match='not answered in 0.2 s'):
            server.signal(0, signal.SIGTERM)
    finally:
        server._process.kill()
        server._process.wait(WAIT)
