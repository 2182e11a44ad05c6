# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A line on the terminal while kernels are compiled: once on a machine that takes minutes, and must not look dead.

`reporting` and `shown` have two lines for it, WHAT and FEW; `kernel_cache.what_is_missing` says which of them is true.
"""
from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from numba.core import event

TEXT = '{desc}: {n_fmt} kernels, {elapsed}'
WHAT = 'compiling the engine, once on this machine, some minutes'
LOST = ' (and at every start: no folder for it can be written to)'
FEW = 'compiling single kernels; the engine is there'
TICK = 1.0      # s between two looks at the clock
_lines: list[_Line] = []    # the one that is there


class _Line(event.Listener):
    """Comes with the first kernel that is compiled; what is loaded from the cache does not count."""

    def __init__(self, file: TextIO | None, what: str) -> None:
        self._file, self._what, self._bar, self._ended = file, what, None, threading.Event()

    def on_start(self, _event: event.Event) -> None:
        if self._bar is None:
            from tqdm import tqdm  # late: mostly there is nothing to compile
            # none where the output is no terminal; one that does not tell its size counts as 80 by 24
            size = shutil.get_terminal_size()
            self._bar = tqdm(desc=self._what, bar_format=TEXT, file=self._file, disable=None, leave=False,
                             ncols=size.columns, nrows=size.lines)
            if not self._bar.disable:
                threading.Thread(target=self._tick, daemon=True).start()

    def on_end(self, _event: event.Event) -> None:
        self._bar.update()

    def _tick(self) -> None:
        # a large kernel is optimised for half a minute
        while not self._ended.wait(TICK):
            self._bar.refresh()

    def close(self) -> None:
        self._ended.set()
        if self._bar is not None:
            self._bar.close()


class _Once(event.Listener):
    """Says one line with the first kernel that is compiled."""

    def __init__(self, say: Callable[[str], object], what: str) -> None:
        self._say, self._what, self._said = say, what, False

    def on_start(self, _event: event.Event) -> None:
        if not self._said:
            self._said = True
            self._say(self._what)

    def on_end(self, _event: event.Event) -> None:
        pass


@contextmanager
def reporting(say: Callable[[str], object], what: str = WHAT) -> Iterator[None]:
    """While this lasts, `say` gets the line `what` once, if and when kernels are compiled; for logs."""
    with event.install_listener('numba:compile', _Once(say, what)):
        yield


@contextmanager
def shown(file: TextIO | None = None, what: str = WHAT) -> Iterator[None]:
    """While this lasts, the line `what` says that kernels are compiled, how many, for how long; on stderr or `file`.

    Inside another one it does nothing: one line is enough.
    """
    if _lines:
        yield
        return
    line = _Line(file, what)
    _lines.append(line)
    try:
        with event.install_listener('numba:compile', line):
            yield
    finally:
        _lines.remove(line)
        line.close()
