# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A case in a process of its own, which may hang, die or eat its memory: forked, so that nothing is compiled again."""
from __future__ import annotations

import faulthandler
import os
import resource
import select
import signal
import time

from . import cases
from .judging import BrokenPromiseError, Meter

# s of processor time, and of waiting, that a case may take in all
LIMIT, PATIENCE = 30, 60


def fate(case: dict) -> tuple[str, str]:
    """(name, text) of the failure of a case, empty where it passes."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _run(case, writer)
    os.close(writer)
    said, end = b'', time.monotonic() + PATIENCE
    while True:
        ready, _, _ = select.select([reader], [], [], max(0.0, end - time.monotonic()))
        piece = os.read(reader, 65536) if ready else b''
        if not piece:
            break
        said += piece
    os.close(reader)
    if not ready:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return ended_by(os.WTERMSIG(status)), ''
    name, _, text = said.decode(errors='replace').partition('\n')
    return name, text


def ended_by(number: int) -> str:
    """The name of a failure that no judge could tell of."""
    hung = number in (signal.SIGKILL, signal.SIGXCPU)
    return 'hangs' if hung else f'died of {signal.Signals(number).name}'


def _run(case: dict, writer: int) -> None:
    """In the child; does not return."""
    faulthandler.disable()      # who waits tells of it
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 1))
    try:
        cases.judge(case, Meter())
    except BrokenPromiseError as failed:
        os.write(writer, f'{failed.name}\n{failed.text}'.encode()[:60000])
    finally:
        os._exit(0)
