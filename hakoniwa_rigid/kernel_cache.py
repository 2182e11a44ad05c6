"""Compiled kernels on disk.  Numba checks only the file of the cached entry; this checks all files that it was
compiled from."""
from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from numba.core.caching import FunctionCache

from . import engine
from .engine import ask, step, two_body
from .engine.maths.unit import functions as units
from .engine.model import motions

ENTRIES = (step.run_compiled, ask.clearance, ask.first_hit, ask.nearest, two_body.resolve, motions.read_motions,
           motions.are_motions, motions.write_motions)


def drop_stale() -> int:
    """Delete the compiled engine if any engine source is newer.  Returns the number of files deleted; call before the
    first step."""
    return drop_older([*ENTRIES, *units], Path(engine.__file__).parent.rglob('*.py'))


def drop_older(entries: Iterable, sources: Iterable[Path]) -> int:
    """Delete the compiled forms of entries and units if any of the source files is newer.  Returns the number of files
    deleted."""
    newest = max(p.stat().st_mtime for p in sources)
    stale = []
    for entry in entries:
        function = getattr(entry, 'py_func', entry)
        name = f'{Path(function.__code__.co_filename).stem}.{function.__qualname__}'
        folder = Path(FunctionCache(function).cache_path)
        stale += [p for p in folder.glob(f'{name}-*.nb?') if p.stat().st_mtime < newest]
    for p in stale:
        p.unlink(missing_ok=True)
    return len(stale)
