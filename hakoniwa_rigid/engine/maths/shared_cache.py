"""Numba's cache on disk: for several processes at once, and for exactly the sources that it was compiled from.

The index of a function says which data file holds which signature.  Numba reads it, takes the next free number, and
writes index and data one after the other: two processes that save different signatures at once take the same number,
and from then on one signature loads the machine code of the other, which reads its arguments as what they are not.

Numba takes an index for fresh where size and time of the function's own file are as they were.  But a kernel holds the
code of all kernels below it, and an install may keep old times.  So the stamp of an index is a hash of all files that
the function's module imports, directly or not, and of what compiled them (docs/adr/0016-kernel-files.md).
"""
import fcntl
import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache

import llvmlite
import numpy as np
from numba import config
from numba.core.caching import FunctionCache
from numba.core.registry import cpu_target

# from a.b import c, d / import a.b as c, anywhere in a file; a line of a docstring that looks like one does no harm
_IMPORT = re.compile(r'^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+(?:\(([^)]*)\)|([^\n#]*))|import[ \t]+([^\n#]*))',
                     re.MULTILINE)
# what changes the machine code of equal sources, beside the processor, which is in the key of every signature
_FLAGS = ('BOUNDSCHECK', 'OPT', 'LOOP_VECTORIZE', 'SLP_VECTORIZE', 'DEBUGINFO_DEFAULT', 'ENABLE_AVX')


class SharedCache(FunctionCache):
    """Saves alone, loads while no process saves, and finds nothing that was compiled from other sources."""

    def __init__(self, function):
        super().__init__(function)
        self._cache_file._source_stamp = stamp(function.__code__.co_filename)

    def save_overload(self, sig, data):
        """As FunctionCache does."""
        os.makedirs(self.cache_path, exist_ok=True)
        with _locked(self.cache_path, fcntl.LOCK_EX):
            self._drop_others()
            super().save_overload(sig, data)

    def load_overload(self, sig, target_context):
        """As FunctionCache does."""
        if not os.path.isdir(self.cache_path):
            return None
        with _locked(self.cache_path, fcntl.LOCK_SH):
            return super().load_overload(sig, target_context)

    @property
    def is_filled(self):
        """Whether there is anything from these sources for this processor."""
        here = cpu_target.target_context.codegen().magic_tuple()
        return any(machine == here for _signature, machine, _code in self._cache_file._load_index())

    def _drop_others(self):
        """What was compiled from other sources, or where the function stood in another line: it would pile up, and a
        process that dies between index and data would leave an index of today with data of yesterday."""
        if self._cache_file._load_index():
            return
        start = self._impl.filename_base.rpartition('-')[0] + '-'
        for name in os.listdir(self.cache_path):
            if name.startswith(start) and name.endswith(('.nbi', '.nbc')):
                with suppress(FileNotFoundError):
                    os.unlink(os.path.join(self.cache_path, name))


@cache
def stamp(file: str) -> str:
    """A hash of a source file and of all that it imports from its package, and of what compiles it; of its folder where
    it is in no package."""
    hashed = hashlib.sha256(f'{llvmlite.__version__} {np.__version__}'.encode())
    for flag in _FLAGS:
        hashed.update(f'{flag}={getattr(config, flag, None)}'.encode())
    file = os.path.realpath(file)
    root = _root(file)
    for path in sorted(_closure(file, root)):
        hashed.update(f'\0{os.path.relpath(path, root)}\0'.encode() + _source(path)[0])
    return hashed.hexdigest()


def _root(file: str) -> str:
    """The folder that the package of a file lies in."""
    folder = os.path.dirname(file)
    while os.path.isfile(os.path.join(folder, '__init__.py')):
        folder = os.path.dirname(folder)
    return folder


def _closure(file: str, root: str) -> set[str]:
    """The file and what it imports, directly or not."""
    found, waiting = {file}, [file]
    while waiting:
        for path in _imported(waiting.pop(), root):
            if path not in found:
                found.add(path)
                waiting.append(path)
    return found


@cache
def _imported(file: str, root: str) -> tuple[str, ...]:
    """The files below `root` that a file names in its imports."""
    found = []
    for source, in_brackets, in_line, modules in _source(file)[1]:
        if modules:
            for name in modules.split(','):
                found += _files(root, name.split(' as ')[0].strip().split('.'))
            continue
        above = len(source) - len(source.lstrip('.'))
        folder = root
        if above:
            folder = file
            for _ in range(above):
                folder = os.path.dirname(folder)
        path = [part for part in source.lstrip('.').split('.') if part]
        named = _files(folder, path)
        found += named
        if named == [f'{os.path.join(folder, *path)}.py']:
            continue    # names in a module are no modules
        for name in (in_brackets or in_line).replace('\\', ' ').split(','):
            # a module, or a name in one
            if name := name.split('#')[0].strip().split(' as ')[0].strip():
                found += _files(folder, [*path, name])
    return tuple(found)


def _files(folder: str, path: list[str]) -> list[str]:
    """The source of a module or package."""
    place = os.path.join(folder, *path)
    return [p for p in (f'{place}.py', os.path.join(place, '__init__.py')) if os.path.isfile(p)]


@cache
def _source(file: str) -> tuple[bytes, list[tuple[str, str, str, str]]]:
    """(hash, imports) of a source file."""
    with os.fdopen(os.open(file, os.O_RDONLY), 'rb') as opened:
        data = opened.read()
    return hashlib.sha256(data).digest(), _IMPORT.findall(data.decode(errors='replace'))


@contextmanager
def _locked(folder: str, how: int) -> Iterator[None]:
    # the folder itself is what is locked: no file to leave behind, and it ends with the process
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, how)
        yield
    finally:
        os.close(descriptor)
