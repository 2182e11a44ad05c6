"""The first compilation, on two cores: the step in a process of its own, beside it all the rest."""
from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

from numba import config

from . import progress
from .engine import step
from .engine.maths import unit
from .engine.maths.shared_cache import SharedCache
from .engine.model import layout
from .engine.world import runner


def is_filled() -> bool:
    """Whether the step need not be compiled any more on this machine."""
    return bool(config.DISABLE_JIT) or SharedCache(step.run_compiled.py_func).is_filled


def what_is_missing() -> str:
    """The line that is true of what will be compiled from now on: minutes of it, or single kernels."""
    return progress.FEW if is_filled() else progress.WHAT


def compile_on_two_cores(rest: Callable[[], None]) -> None:
    """The first time on a machine: what the step calls by address is compiled in this process, everything else in two
    others, and left on disk.

    rest: a function of a module that compiles all but the step, in a process of its own.
    """
    if (os.cpu_count() or 1) < 2 or is_filled():
        return
    others = [_start(compile_step)]
    try:
        unit.link()
        others.append(_start(rest))
        # should one fail, the first call compiles here what is missing
        for other in others:
            other.wait()
    except BaseException:
        for other in others:
            other.kill()
            other.wait()
        raise


def _start(function: Callable[[], None]) -> subprocess.Popen:
    """A process that calls a function of a module."""
    code = f'from {function.__module__} import {function.__name__} as start; start()'
    return subprocess.Popen([sys.executable, '-c', code], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def compile_step() -> None:
    """Compile the step and leave it on disk.  This process must not step afterwards."""
    unit.promise()
    step.load_step()


class _Still:
    """In the place of engine.world.runner.Runner: steps that change nothing."""

    def __init__(self, threads: int) -> None:
        unit.link()

    def __call__(self, s, n: int, fresh: int) -> tuple[int, int]:
        return n, layout.OK


def stand_still() -> None:
    """From now on no world of this process moves: what lies around the step is compiled without it."""
    runner.Runner = _Still
