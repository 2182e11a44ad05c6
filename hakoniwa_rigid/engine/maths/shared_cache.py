# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Numba's cache on disk: for several processes at once, and for exactly the sources that it was compiled from.

The index of a function says which data file holds which signature.  Numba reads it, takes the next free number, and
writes index and data one after the other: two processes that save different signatures at once take the same number,
and from then on one signature loads the machine code of the other, which reads its arguments as what they are not.

Numba takes an index for fresh where size and time of the function's own file are as they were.  But a kernel holds the
code of all kernels below it, and an install may keep old times.  So the stamp of an index is a hash of all files that
the function's module imports, directly or not, and of what compiled them (docs/adr/0016-kernel-files.md).

Machine code may also come with the package (`baselines`): it is looked at first, by the same stamp, and never written.
"""
import fcntl
import hashlib
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache

import llvmlite
import numpy as np
from llvmlite import binding as llvm
from numba import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator
from numba.core.registry import cpu_target

from .baselines import runnable
from .callees import set_all

# from a.b import c, d / import a.b as c, anywhere in a file; a line of a docstring that looks like one does no harm
_IMPORT = re.compile(r'^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+(?:\(([^)]*)\)|([^\n#]*))|import[ \t]+([^\n#]*))',
                     re.MULTILINE)
# what changes the machine code of equal sources, beside the processor, which is in the key of every signature
_FLAGS = ('BOUNDSCHECK', 'OPT', 'LOOP_VECTORIZE', 'SLP_VECTORIZE', 'DEBUGINFO_DEFAULT', 'ENABLE_AVX')


# the folder of a package that holds the machine code that came with it
KERNELS = 'kernels'


class SharedCache(FunctionCache):
    """Saves alone, loads while no process saves, and finds nothing that was compiled from other sources."""

    def __init__(self, function):
        super().__init__(function)
        file = function.__code__.co_filename
        made_from = self._cache_file._source_stamp = stamp(file)
        self._baseline, folder = shipped(os.path.dirname(file))
        # functions that close over something would share the name of one file
        has_kernels = folder is not None and function.__closure__ is None
        self._shipped = IndexDataCacheFile(folder, self._impl.filename_base, made_from) if has_kernels else None

    def save_overload(self, sig, data):
        """As FunctionCache does, for every function that was compiled."""
        set_all(data)
        if not self.keeps:
            return
        os.makedirs(self.cache_path, exist_ok=True)
        with _locked(self.cache_path, fcntl.LOCK_EX):
            self._drop_others()
            super().save_overload(sig, data)

    def load_overload(self, sig, target_context):
        """As FunctionCache does; what came with the package goes first."""
        if self._shipped is not None:
            target_context.refresh()
            wanted = self._as_shipped(target_context.codegen().magic_tuple())
            # the bytecode, which numba adds to a key, is another one in another release of the same Python
            for (signature, machine, _code), name in self._shipped._load_index().items():
                if signature == sig and machine == wanted:
                    return self._impl.rebuild(target_context, self._shipped._load_data(name))
        if not os.path.isdir(self.cache_path):
            return None
        with _locked(self.cache_path, fcntl.LOCK_SH):
            return super().load_overload(sig, target_context)

    @property
    def keeps(self):
        """Whether what is compiled is there for the next process."""
        return not isinstance(self._impl.locator, _Nowhere)

    @property
    def is_filled(self):
        """Whether there is anything from these sources for this processor."""
        here = cpu_target.target_context.codegen().magic_tuple()
        return _has(self._cache_file, here) or _has(self._shipped, self._as_shipped(here))

    @property
    def signatures(self):
        """Types of the arguments of all that is in the cache, for whatever processor."""
        return [signature for signature, _machine, _code in self._cache_file._load_index()]

    def _as_shipped(self, machine):
        """The part of a key that names the processor; the system's part is this one's."""
        return machine[0], self._baseline, ''

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


class _Nowhere(_CacheLocator):
    """The last resort: no folder can be written to.  What was compiled is lost with the process."""

    def __init__(self, line: int) -> None:
        self._line = line

    def get_cache_path(self):
        """A folder that does not exist."""
        return os.path.join(os.sep, 'nonexistent')

    def get_source_stamp(self):
        """SharedCache has its own."""

    def get_disambiguator(self):
        """As the other locators have it."""
        return str(self._line)

    @classmethod
    def from_function(cls, py_func, _py_file):
        """As the other locators have it."""
        return cls(py_func.__code__.co_firstlineno)


class _Entries(CompileResultCacheImpl):
    """What is written of a compiled function, and where to.

    A function that others link in keeps LLVM's code beside its machine code.  numba reads all of that at every load:
    half the time, and two thirds of the memory, of a process that calls functions and compiles none.
    """

    _locator_classes = (*CompileResultCacheImpl._locator_classes, _Nowhere)

    def reduce(self, cres):
        """(LLVM's code, all else with the names of what that code defines in its place); without the sources, and the
        folders that they lay in, that numba adds for the reader."""
        (name, kind, (machine_code, bitcode)), *others = super().reduce(cres._replace(type_annotation=''))
        library = name, kind, (machine_code, _names_of(cres.library._get_module_for_linking()))
        return zlib.compress(bitcode), (library, *others)

    def rebuild(self, target_context, payload):
        """As CompileResultCacheImpl does; LLVM's code is read where it is linked."""
        bitcode, others = payload
        result = super().rebuild(target_context, others)

        def module_for_linking():
            result.library._shared_module = module = llvm.parse_bitcode(zlib.decompress(bitcode))
            del result.library._get_module_for_linking      # from now on as numba has it
            return module
        result.library._get_module_for_linking = module_for_linking
        return result


def _names_of(module) -> bytes:
    """LLVM's code of a module that defines the same names, and does nothing."""
    functions = [f'define void @"{f.name}"() {{ ret void }}' for f in module.functions if not f.is_declaration]
    variables = [f'@"{v.name}" = global i8 0' for v in module.global_variables if not v.is_declaration]
    return llvm.parse_assembly('\n'.join([*functions, *variables])).as_bitcode()


SharedCache._impl_class = _Entries


def _has(file: IndexDataCacheFile | None, machine: tuple) -> bool:
    return file is not None and any(other == machine for _signature, other, _code in file._load_index())


@cache
def shipped(folder: str) -> tuple[str | None, str | None]:
    """(baseline, folder) of the machine code that came with the package of a folder of sources and that this processor
    can run, the best there is; (None, None) where there is none."""
    folder = os.path.realpath(folder)
    root = _root(os.path.join(folder, ''))
    package, *rooms = os.path.relpath(folder, root).split(os.sep)
    place = os.path.join(root, package, KERNELS)
    baseline = next((name for name in runnable() if os.path.isdir(os.path.join(place, name))), None)
    return (baseline, os.path.join(place, baseline, *rooms)) if baseline else (None, None)


@cache
def stamp(file: str) -> str:
    """A hash of a source file and of all that it imports from its package, and of what compiles it; of its folder where
    it is in no package."""
    # machine code does not call NumPy; what is pickled with it, and rules of types, are those of its major version
    hashed = hashlib.sha256(f'{llvmlite.__version__} {np.__version__.split(".")[0]}'.encode())
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
    """The file and what it imports, directly or not; of a file in a package, what lies in that: beside it may be
    others, as in site-packages, which are known by their versions."""
    package, *rest = os.path.relpath(file, root).split(os.sep)
    within = os.path.join(root, package, '') if rest else root
    found, waiting = {file}, [file]
    while waiting:
        for path in _imported(waiting.pop(), root):
            if path not in found and path.startswith(within):
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
