"""The compiled engine on disk.  Numba checks only the file of the cached entry; this checks all files that it was compiled from."""
from __future__ import annotations

from pathlib import Path

from . import engine
from .engine import step


def drop_stale() -> int:
    """Delete the compiled engine if any engine source is newer.  Returns the number of files deleted; call before the first step."""
    stats = getattr(step.run, 'stats', None)
    if stats is None:  # NUMBA_DISABLE_JIT: nothing is compiled
        return 0
    sources = max(p.stat().st_mtime for p in Path(engine.__file__).parent.rglob('*.py'))
    stale = [p for p in Path(stats.cache_path).glob('step.run-*.nb?') if p.stat().st_mtime < sources]
    for p in stale:
        p.unlink(missing_ok=True)
    return len(stale)
