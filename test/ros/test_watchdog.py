# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A tick that hangs is noticed from outside of it, /diagnostics has levels that a monitor can act on, and systemd hears
that the node lives."""

from __future__ import annotations

import re
import signal
import socket
import threading
from pathlib import Path

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from harness import RELIABLE, START, interrupt, odometry, values
from rig import NODE, Rig

pytestmark = [pytest.mark.ros, pytest.mark.slow]
HANGING = str(Path(__file__).with_name('hanging_node.py'))


def hang(bench, world, folder, monkeypatch, kind: str, seconds: float, *parameters: str):
    """A node, told to hang once it ticks; it, and what it says on /diagnostics."""
    file = folder / 'hang'
    for name, value in (('HANG', file), ('HANG_KIND', kind), ('HANG_SECONDS', seconds)):
        monkeypatch.setenv(name, str(value))
    node = bench.start(HANGING, f'world:={world}', 'diagnostics_rate:=10.0', *parameters)
    reports: list[DiagnosticArray] = []
    bench.node.create_subscription(DiagnosticArray, '/diagnostics', reports.append, RELIABLE)
    bench.until(lambda: reports or not node.alive, 'a report', START)
    assert node.alive, node.output
    file.touch()
    return node, reports


def hung(reports: list[DiagnosticArray]) -> list[DiagnosticStatus]:
    return [s for r in reports for s in r.status if s.level == DiagnosticStatus.ERROR and 'hangs' in s.message]


def test_a_tick_that_waits_is_told_while_it_does(bench, world, tmp_path, monkeypatch):
    node, reports = hang(bench, world, tmp_path, monkeypatch, 'python', 8.0, 'watchdog:=2.0')
    bench.until(lambda: any("in part 'scene'" in s.message for s in hung(reports)), 'an error on /diagnostics')
    assert {s.name for s in hung(reports)} == {'collision_node: timing'}
    bench.until(lambda: int(values(reports, 'timing').get('hangs', 0)) >= 1, 'the next report')
    bench.until(lambda: '_advance' in node.output, 'where it hung')
    assert interrupt(node) == 0, node.output


def test_a_kernel_that_never_ends_is_written_to_the_log(bench, world, tmp_path, monkeypatch):
    node, _ = hang(bench, world, tmp_path, monkeypatch, 'kernel', 6.0, 'watchdog:=1.0')
    bench.until(lambda: 'hanging_node.py' in node.output and '_advance' in node.output, 'where it hangs')
    bench.until(lambda: 'goes on after' in node.output, 'the node to go on')
    assert interrupt(node) == 0, node.output


def test_a_crash_writes_where_it_was(rig: Rig):
    """As of DDS or of a kernel: an abort in C."""
    rig.process.signal(signal.SIGABRT)
    assert rig.process.wait() == -signal.SIGABRT
    assert 'Fatal Python error: Aborted' in rig.process.output and 'executor.py' in rig.process.output


@pytest.mark.parametrize('kind', ['python', 'kernel'])
def test_a_tick_that_hangs_ends_the_process_where_that_is_wanted(bench, world, tmp_path, monkeypatch, kind):
    node, _ = hang(bench, world, tmp_path, monkeypatch, kind, 3600.0, 'watchdog:=8.0', 'watchdog_ends:=true')
    assert node.wait() == -signal.SIGALRM, node.output
    assert '_advance' in node.output


class Manager:
    """Hears what a service says."""

    def __init__(self, folder: Path, monkeypatch) -> None:
        self.words: list[str] = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(folder / 'notify'))
        monkeypatch.setenv('NOTIFY_SOCKET', str(folder / 'notify'))
        # a queue of such a socket is short: what is not read at once is refused
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            self.words.append(self._socket.recv(100).decode())


def test_systemd_hears_that_it_is_ready_and_lives(bench, world, tmp_path, monkeypatch):
    heard = Manager(tmp_path, monkeypatch)
    monkeypatch.setenv('WATCHDOG_USEC', '300000')
    node = bench.start(NODE, f'world:={world}')
    bench.until(lambda: heard.words.count('WATCHDOG=1') > 5, 'signs of life', START)
    assert heard.words[0] == 'READY=1'
    assert heard.words.count('READY=1') == 1
    node.signal(signal.SIGINT)
    bench.until(lambda: heard.words[-1] == 'STOPPING=1', 'the end')
    assert node.wait() == 0


def test_signs_of_life_are_sent_to_who_waits_for_them(bench, world, tmp_path, monkeypatch):
    heard = Manager(tmp_path, monkeypatch)
    monkeypatch.setenv('WATCHDOG_USEC', '300000')
    monkeypatch.setenv('WATCHDOG_PID', '1')     # another process is meant
    node = bench.start(NODE, f'world:={world}')
    bench.until(lambda: heard.words, 'READY', START)
    assert interrupt(node) == 0, node.output
    bench.until(lambda: 'STOPPING=1' in heard.words, 'the end')
    assert heard.words == ['READY=1', 'STOPPING=1']


def level(rig: Rig, name: str) -> tuple[bytes, str]:
    """Level and message of a status in the next report."""
    rig.report()
    status = next(s for s in rig.diagnostics[-1].status if s.name == f'collision_node: {name}')
    return status.level, status.message


def feed(rig: Rig, ticks: int, *names: str) -> None:
    for _ in range(ticks):
        for name in names:
            rig.bench.send(f'{name}/odom', odometry(rig.time.now, {'a': (-1, 0, 1), 'b': (1, 0, 1)}[name]))
        rig.go()


def test_levels(bench, world):
    rig = Rig(bench, world, 'watchdog:=0.0')
    feed(rig, 60, 'a', 'b')
    for name in ('timing', 'inputs', 'scene', 'drone a'):
        assert level(rig, name)[0] == DiagnosticStatus.OK, level(rig, name)
        feed(rig, 2, 'a', 'b')
    # nothing ever came of it
    assert level(rig, 'drone c') == (DiagnosticStatus.STALE, 'no sample yet from c/odom')
    # an input that was refused: until the next report
    rig.bench.send('a/odom', odometry(rig.time.now, (float('nan'), 0, 1)))
    feed(rig, 30, 'a', 'b')
    wrong = [s for r in rig.diagnostics for s in r.status if s.level == DiagnosticStatus.WARN]
    assert {s.name for s in wrong} == {'collision_node: inputs', 'collision_node: drone a'}
    feed(rig, 40, 'a', 'b')
    assert level(rig, 'drone a')[0] == DiagnosticStatus.OK
    # its simulator falls silent
    feed(rig, 300, 'b')
    found, said = level(rig, 'drone a')
    assert found == DiagnosticStatus.STALE
    assert re.match(r'no sample for [\d.]+ s from a/odom', said)
    feed(rig, 60, 'b')
    assert level(rig, 'drone b')[0] == DiagnosticStatus.OK
    # the clock jumps: the ticks between were missed
    rig.time.tick(5_000_000 * 1000)
    rig.report()
    missed = [s for r in rig.diagnostics for s in r.status
              if s.name == 'collision_node: timing' and 'missed' in s.message]
    assert missed[-1].level == DiagnosticStatus.ERROR
    feed(rig, 60, 'b')
    assert level(rig, 'timing')[0] == DiagnosticStatus.OK
