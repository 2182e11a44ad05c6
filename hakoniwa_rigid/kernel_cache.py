"""Compiled kernels on disk.  Numba checks only the file of the cached entry; this checks all files that it was
compiled from."""
from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from . import engine
from .engine import step


def drop_stale() -> int:
    """Delete the compiled engine if any engine source is newer.  Returns the number of files deleted; call before the
    first step."""
    return drop_older([step.run], Path(engine.__file__).parent.rglob('*.py'))


def drop_older(entries: Iterable, sources: Iterable[Path]) -> int:
    """Delete the compiled forms of jitted functions if any of the source files is newer.  Returns the number of files
    deleted."""
    newest = max(p.stat().st_mtime for p in sources)
    stale = []
    for entry in entries:
        stats = getattr(entry, 'stats', None)
        if stats is not None:  # NUMBA_DISABLE_JIT: nothing is compiled
            name = f'{Path(entry.py_func.__code__.co_filename).stem}.{entry.py_func.__qualname__}'
            stale += [p for p in Path(stats.cache_path).glob(f'{name}-*.nb?') if p.stat().st_mtime < newest]
    for p in stale:
        p.unlink(missing_ok=True)
    return len(stale)
