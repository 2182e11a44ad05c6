"""Numba's cache on disk, for several processes at once.

The index of a function says which data file holds which signature.  Numba reads it, takes the next free number, and
writes index and data one after the other: two processes that save different signatures at once take the same number,
and from then on one signature loads the machine code of the other, which reads its arguments as what they are not.
"""
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from numba.core.caching import FunctionCache


class SharedCache(FunctionCache):
    """Saves alone, loads while nobody saves."""

    def save_overload(self, sig, data):
        """As FunctionCache does."""
        os.makedirs(self.cache_path, exist_ok=True)
        with _locked(self.cache_path, fcntl.LOCK_EX):
            super().save_overload(sig, data)

    def load_overload(self, sig, target_context):
        """As FunctionCache does."""
        if not os.path.isdir(self.cache_path):
            return None
        with _locked(self.cache_path, fcntl.LOCK_SH):
            return super().load_overload(sig, target_context)


@contextmanager
def _locked(folder: str, how: int) -> Iterator[None]:
    # the folder itself is what is locked: no file to leave behind, and it ends with the process
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, how)
        yield
    finally:
        os.close(descriptor)
