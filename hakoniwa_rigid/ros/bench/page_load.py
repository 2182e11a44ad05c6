# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The floods of `bench page`: how soon the page answers an honest client while hostile ones flood its socket, and how
long the callbacks of the server's loop take.  The answer to a ping comes from the loop, so its time bounds what the
loop is late by; the processor time of a callback is what is ours of that."""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from hakoniwa_rigid.paths import config_file

from ..child_processes import Child, Children
from ..domain import free_domain
from ..errors import StartError
from .timed_viewer import TIMES, read_times, worst_of

__all__ = ['LOOP_BAR', 'address_of', 'clients', 'run']

LOOP_BAR = 0.05  # s
READY = 600.0  # s
WARM_UP = 3.0  # s until the hostile ones have come
PACKAGE = 'hakoniwa_rigid.ros'


def address_of(viewer: Child) -> int:
    """The port of a viewer's page, once it is there. StartError."""
    end = time.monotonic() + READY
    while not (found := re.search(r'page: https?://localhost:(\d+)/', viewer.log.read_text(errors='replace'))):
        if viewer.ended() or time.monotonic() > end:
            raise StartError(f'the viewer did not start; it said:\n{viewer.tail()}')
        time.sleep(0.05)
    return int(found[1])


def clients(port: int, kind: str, count: int, output: Path) -> subprocess.Popen:
    """Clients in a process of their own, which writes to `output`."""
    command = [sys.executable, '-m', f'{PACKAGE}.bench.page_clients', str(port), kind, str(count), '1']
    with open(output, 'wb') as file:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.DEVNULL,
                                start_new_session=True)


def _answered(output: Path) -> None:
    """Wait for the first answer. StartError where none comes."""
    end = time.monotonic() + READY
    while not output.stat().st_size:
        if time.monotonic() > end:
            raise StartError('the page answers no ping')
        time.sleep(0.05)


def run(options: argparse.Namespace) -> int:
    """`hakoniwa-rigid bench page`; the exit code is 1 where the page did not start, or no push was measured."""
    if options.pushes > 0:
        from .page_pushes import run as pushes
        if code := pushes(options):
            return code
    return _floods(options) if options.hostile > 0 else 0


def _floods(options: argparse.Namespace) -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    others: list[subprocess.Popen] = []
    with free_domain(options.domain) as domain, tempfile.TemporaryDirectory() as folder:
        os.environ['ROS_DOMAIN_ID'] = str(domain)
        timed, world = Path(folder, 'loop'), config_file('worlds', 'demo_room.yaml')
        os.environ[TIMES] = str(timed)
        with Children(Path(folder, 'logs'), dict(os.environ)) as children:
            try:
                children.start('collision_node', f'{PACKAGE}.collision.collision_node', {'world': world})
                viewer = children.start('viewer', f'{PACKAGE}.bench.timed_viewer', {
                    'world': world, 'port': 0, 'max_clients': max(16, options.hostile + 1)})
                port, rows = address_of(viewer), []
                for hostile in (0, options.hostile):
                    output = Path(folder, f'pings_{hostile}')
                    honest = clients(port, 'honest', 1, output)
                    others.append(honest)
                    _answered(output)
                    if hostile:
                        others.append(clients(port, 'hostile', hostile, Path(folder, 'hostile')))
                        time.sleep(WARM_UP)
                    before, callbacks = len(output.read_text().split()), len(read_times(timed))
                    time.sleep(options.seconds)
                    honest.kill()
                    honest.wait()
                    answers = np.array([float(x) for x in output.read_text().split()[before:]])
                    rows.append((hostile, answers, read_times(timed)[callbacks:]))
                longest = worst_of(timed)
            except (StartError, OSError, ValueError) as error:
                sys.stderr.write(f'error: {error}\n')
                return 1
            except KeyboardInterrupt:
                return 130
            finally:
                for other in others:
                    other.kill()
                    other.wait()
    for hostile, answers, callbacks in rows:
        sys.stdout.write(f'{hostile} hostile clients\n')
        for what, times in (('answers to pings, by the clock', answers), ('callbacks, by the clock', callbacks[:, 0]),
                            ('callbacks, processor time', callbacks[:, 1])):
            sys.stdout.write(_line(what, times))
    sys.stdout.write(f'the longest callback, in processor time: {longest}\n')
    return 0


def _line(what: str, times: np.ndarray) -> str:
    """Times, s."""
    if not len(times):
        return f'  none    {what}\n'
    p50, p99, most = np.percentile(times, (50, 99, 100)) * 1e3
    above = int((times > LOOP_BAR).sum())
    word = 'kept  ' if not above else 'BROKEN'
    return (f'  {word}  {what}: {len(times)}, p50 {p50:.2f}, p99 {p99:.2f}, at most {most:.1f} ms, {above} above the '
            f'bar of {1e3 * LOOP_BAR:g} ms\n')
