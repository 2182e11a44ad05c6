"""The first compilation, on two cores.  As a program it compiles the step, for a process that compiles the rest."""
from __future__ import annotations

import os
import subprocess
import sys

from numba import config

from .engine import step
from .engine.maths import unit
from .engine.maths.shared_cache import SharedCache


def is_filled() -> bool:
    """Whether the step need not be compiled any more on this machine."""
    return bool(config.DISABLE_JIT) or SharedCache(step.run_compiled.py_func).is_filled


def compile_on_two_cores() -> None:
    """The first time on a machine: the step in a process of its own, what it calls by address in this one."""
    if (os.cpu_count() or 1) < 2 or is_filled():
        return
    # should it fail, the first step compiles here what is missing
    quiet = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, '-m', __name__], **quiet) as other:
        try:
            unit.link()
        except BaseException:
            other.kill()
            raise


def compile_step() -> None:
    """Compile the step and leave it on disk.  This process must not step afterwards."""
    unit.promise()
    step.load_step()


if __name__ == '__main__':
    compile_step()
