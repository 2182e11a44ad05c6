"""Compiled kernels on disk.  Numba checks only the file of the cached entry; this checks all files that it was
compiled from.  As a program it compiles the step, for a process that compiles the rest."""
from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from numba import config
from numba.core.caching import FunctionCache

from . import engine
from .engine import ask, step, two_body
from .engine.bilateral import custom, floor_kernels
from .engine.bilateral.run import run
from .engine.maths import unit
from .engine.maths.unit import functions as units
from .engine.model import motions

ENTRIES = (step.run_compiled, step.survey_some, step.fly_some, ask.clearance, ask.first_hit, ask.nearest,
           two_body.resolve, motions.read_motions, motions.read_columns, motions.are_motions, motions.write_motions,
           run, floor_kernels.floor_at, custom.nothing)


def drop_stale() -> int:
    """Delete the compiled engine if any engine source is newer.  Returns the number of files deleted; call before the
    first step."""
    return drop_older([*ENTRIES, *units], Path(engine.__file__).parent.rglob('*.py'))


def drop_older(entries: Iterable, sources: Iterable[Path]) -> int:
    """Delete the compiled forms of entries and units if any of the source files is newer.  Returns the number of files
    deleted."""
    newest = max(p.stat().st_mtime for p in sources)
    stale = [p for entry in entries for p in _files(entry) if p.stat().st_mtime < newest]
    for p in stale:
        p.unlink(missing_ok=True)
    return len(stale)


def compile_on_two_cores() -> None:
    """The first time on a machine: the step in a process of its own, what it calls by address in this one."""
    if config.DISABLE_JIT or (os.cpu_count() or 1) < 2 or any(_files(step.run_compiled)):
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


def _files(entry) -> Iterable[Path]:
    """The compiled forms of an entry or unit."""
    function = getattr(entry, 'py_func', entry)
    name = f'{Path(function.__code__.co_filename).stem}.{function.__qualname__}'
    return Path(FunctionCache(function).cache_path).glob(f'{name}-*.nb?')


if __name__ == '__main__':
    compile_step()
