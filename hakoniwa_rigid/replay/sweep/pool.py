# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Calls spread over processes, each of which may die without the others.

Not concurrent.futures: one dead process breaks a whole ProcessPoolExecutor, and it does not say whose call it was.
Here every process has a pipe and one call at a time.
"""
from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from tempfile import TemporaryDirectory

# one thread each: there is a process for every core
ONE_THREAD = ('NUMBA_NUM_THREADS', 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS')


class Died(str):
    """How a process ended during a call."""


def finished(function: Callable, arguments: Sequence, workers: int,
             first: Callable[[None], object] | None = None) -> Iterator[tuple[int, object]]:
    """(index of the argument, what the function gave or Died), as they come.

    ``first`` is called in one process before the others start.  Close the iterator to end all processes at once.
    """
    lanes: dict[Connection, _Lane] = {}
    todo = iter(enumerate(arguments))
    with _surroundings():
        try:
            for _ in range(min(workers, len(arguments))):
                lane = _Lane()
                lanes[lane.pipe] = lane
                if first is not None and len(lanes) == 1:
                    lane.give(first, None)
                    lane.take()
                _next(lane, function, todo)
            while busy := [pipe for pipe, lane in lanes.items() if lane.index is not None]:
                for pipe in wait(busy):
                    lane = lanes[pipe]
                    index, result = lane.index, lane.take()
                    if isinstance(result, Died):
                        del lanes[pipe]
                        lane = _Lane()
                        lanes[lane.pipe] = lane
                    _next(lane, function, todo)
                    yield index, result
        finally:
            for lane in lanes.values():
                lane.end()


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0))


def _next(lane: _Lane, function: Callable, todo: Iterator) -> None:
    lane.index, argument = next(todo, (None, None))
    if lane.index is not None:
        lane.give(function, argument)


class _Lane:
    """A process and the call it is at: ``index``, None for none.  Started with its first call."""

    def __init__(self) -> None:
        self.index: int | None = None
        context = get_context('spawn')
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        with _ignoring_interrupts():
            self._process.start()
        theirs.close()

    def give(self, function: Callable, argument: object) -> None:
        with suppress(OSError):     # died between two calls: take() tells
            self.pipe.send((function, argument))

    def take(self) -> object:
        try:
            return self.pipe.recv()
        except (EOFError, OSError):
            self._process.join()
            self.pipe.close()
            return Died(_how(self._process.exitcode))

    def end(self) -> None:
        self.pipe.close()
        if self.index is not None:
            self._process.kill()
        self._process.join()


def _serve(pipe: Connection) -> None:
    while True:
        try:
            function, argument = pipe.recv()
        except EOFError:    # the parent waits no more
            return
        pipe.send(function(argument))


def _how(code: int) -> str:
    if code >= 0:
        return f'the worker ended with exit code {code}'
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f'signal {-code}'
    hint = ': out of memory? try fewer --workers' if name == 'SIGKILL' else ''
    return f'the worker was killed by {name}{hint}'


@contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    """Processes started in here ignore Ctrl-C, which a terminal sends to all: the parent ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _surroundings() -> Iterator[None]:
    """What processes started in here inherit: one thread, and a folder for temporary files that goes with them, also
    where they are killed."""
    before = {name: os.environ.get(name) for name in (*ONE_THREAD, 'TMPDIR')}
    with TemporaryDirectory(prefix='hakoniwa_sweep_') as folder:
        os.environ.update({**dict.fromkeys(ONE_THREAD, '1'), 'TMPDIR': folder})
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
