# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Starts nodes as processes of their own, watches them and ends them: SIGINT, then SIGTERM, then SIGKILL."""
from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# how long a node may take to obey each signal, s; numba and DDS need up to a second to leave cleanly on a busy machine
PATIENCE = ((signal.SIGINT, 10.0), (signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0))
CLOCK_TICKS = os.sysconf('SC_CLK_TCK')
PAGE = os.sysconf('SC_PAGE_SIZE')


def _restore_sigint() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@dataclass
class Child:
    """One running node; its output goes to ``log``."""

    name: str
    process: subprocess.Popen
    log: Path

    def ended(self) -> bool:
        """The process is gone."""
        return self.process.poll() is not None

    def cpu_seconds(self) -> float:
        """Processor time so far, s; 0 where the system has no /proc or the process is gone."""
        try:
            fields = Path(f'/proc/{self.process.pid}/stat').read_text().rpartition(')')[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS

    def rss(self) -> float:
        """Memory in use now, MB (1e6 bytes); 0 where the system has no /proc or the process is gone."""
        try:
            return int(Path(f'/proc/{self.process.pid}/statm').read_text().split()[1]) * PAGE / 1e6
        except OSError:
            return 0.0

    def tail(self, lines: int = 12) -> str:
        """The end of its output."""
        try:
            return '\n'.join(self.log.read_text(errors='replace').splitlines()[-lines:])
        except OSError as error:
            return str(error)


class Children:
    """A group of nodes, ended together; use as a context manager."""

    def __init__(self, logs: Path, environment: dict[str, str]) -> None:
        self.logs = logs
        self.environment = environment
        self.children: list[Child] = []
        logs.mkdir(parents=True, exist_ok=True)

    def __enter__(self) -> Children:
        return self

    def __exit__(self, *_exception) -> None:
        self.stop()

    def start(self, name: str, module: str, parameters: dict[str, object], files: Sequence[Path] = ()) -> Child:
        """Start ``python -m module`` with ROS parameters, files of them first, in its own session: Ctrl-C reaches it
        through ``stop``."""
        command = [sys.executable, '-m', module, '--ros-args']
        command += [word for file in files for word in ('--params-file', str(file))]
        for key, value in parameters.items():
            command += ['-p', f'{key}:={str(value).lower() if isinstance(value, bool) else value}']
        log = self.logs / f'{name}.log'
        # what a script starts with & ignores SIGINT, and so would all that it starts
        ignores_sigint = signal.getsignal(signal.SIGINT) == signal.SIG_IGN
        with open(log, 'wb') as output:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                       env=self.environment, start_new_session=True,
                                       preexec_fn=_restore_sigint if ignores_sigint else None)
        self.children.append(Child(name, process, log))
        return self.children[-1]

    def dead(self) -> list[Child]:
        """Those that ended by themselves."""
        return [child for child in self.children if child.ended()]

    def stop(self) -> dict[str, int]:
        """End all that still run; returns every exit code by name (negative: the signal that killed it)."""
        for number, patience in PATIENCE:
            running = [child for child in self.children if not child.ended()]
            for child in running:
                child.process.send_signal(number)
            deadline = time.monotonic() + patience
            while running and time.monotonic() < deadline:
                running = [child for child in running if not child.ended()]
                time.sleep(0.02)
        return {child.name: child.process.returncode for child in self.children}
