# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What of the kernels is there, in the package or in the user's cache, and the first compilation where they are not: on
two cores, the step in a process of its own, beside it all the rest."""
from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import llvmlite
import numba
import numpy as np
from numba import config

from . import progress
from .engine import step
from .engine.maths import unit
from .engine.maths.baselines import runnable
from .engine.maths.shared_cache import KERNELS, SharedCache
from .engine.model import layout
from .engine.world import runner

# machine code that came with the package, and what it was made with
SHIPPED = Path(__file__).parent / KERNELS
MADE_WITH = 'made_with.json'
# gc's thresholds while numba compiles: it makes much, and throws little away, which takes 7 % of its time to find out
COLLECT_LESS = 100_000, 20, 100
# the kernel that takes as long to compile as all others
STEP = f'{step.__name__}.{step.run_compiled.__name__}'


def is_filled() -> bool:
    """Whether the step need not be compiled any more on this machine."""
    return bool(config.DISABLE_JIT) or SharedCache(step.run_compiled.py_func).is_filled


def what_is_missing() -> str:
    """The line that is true of what will be compiled from now on: minutes of it, and why, or single kernels."""
    if is_filled():
        return progress.FEW
    lost = '' if SharedCache(step.run_compiled.py_func).keeps else progress.LOST
    return f'{_why_not_shipped()}{progress.WHAT}{lost}'


def versions() -> dict[str, str]:
    """What machine code depends on beside sources and processor: it is found where all of these are equal."""
    return {'Python': '{}.{}'.format(*sys.version_info), 'numba': numba.__version__,
            'llvmlite': llvmlite.__version__, 'NumPy': np.__version__.split('.')[0]}


def _why_not_shipped() -> str:
    """Why what came with the package does not serve, as the beginning of a line; nothing where nothing came."""
    try:
        made_with = json.loads((SHIPPED / MADE_WITH).read_text())
    except FileNotFoundError:
        return ''
    came = f'the package has machine code for {", ".join(sorted(p.name for p in SHIPPED.iterdir() if p.is_dir()))}'
    if not any((SHIPPED / name).is_dir() for name in runnable()):
        return f'{came}, not for this processor: '
    other = [f'{name} {made_with.get(name)}, here is {version}' for name, version in versions().items()
             if made_with.get(name) != version]
    return f'{came} and {"; ".join(other)}: ' if other else f'{came} and other sources or flags: '


def compile_on_two_cores(rest: Callable[[], None]) -> None:
    """The first time on a machine: one process compiles the step, another what the step calls by address and everything
    else; they leave it on disk.

    rest: a function of a module that compiles all but the step, in a process of its own.
    """
    if (os.cpu_count() or 1) < 2 or is_filled():
        return
    others = [_start(compile_step), _start(rest)]
    try:
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
    code = (f'import gc; gc.set_threshold(*{COLLECT_LESS}); '
            f'from {function.__module__} import {function.__name__} as start; start()')
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
