# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Machine code that comes with a package: `python -m hakoniwa_rigid.kernel_build x86-64-v3 x86-64-v4`.

It is compiled for baselines of processors and put into `kernels/` of this package, which must be writable.  Whoever
builds a wheel or a distribution's package calls this (CMakeLists.txt, option KERNELS).  Minutes for each.

The first baseline is one that this processor can run: its kernels are compiled by running them, as `hakoniwa-rigid
warmup` does.  For the others the same kernels are compiled for the same types, and not run.

Whoever builds several packages of the same sources names a folder in HAKONIWA_RIGID_KERNELS_KEPT: what is compiled is
kept there, and taken from there where sources, versions and baselines are the same.
"""
from __future__ import annotations

import argparse
import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from numba import config
from numba.core.caching import IndexDataCacheFile, _CacheLocator
from numba.core.dispatcher import Dispatcher
from numba.core.serialize import dumps

from . import kernel_cache
from .engine.maths import unit
from .engine.maths.baselines import BASELINES, runnable
from .engine.maths.shared_cache import SharedCache, stamp

PACKAGE = Path(__file__).parent
ROOM = __package__


def main(arguments: list[str] | None = None) -> int:
    """The exit status; where it is not 0 no machine code is left."""
    parser = argparse.ArgumentParser(prog=f'python -m {__spec__.name}', description=__doc__.splitlines()[0])
    parser.add_argument('baselines', nargs='+', choices=sorted(BASELINES), metavar='BASELINE',
                        help=' or '.join(sorted(BASELINES)))
    baselines = parser.parse_args(arguments).baselines
    first = next((name for name in runnable() if name in baselines), None)
    if first is None:
        print(f'error: {", ".join(baselines)}: this processor can run none of them, and one has to be run',
              file=sys.stderr)
        return 1
    place = kernel_cache.SHIPPED
    shutil.rmtree(place, ignore_errors=True)    # what lies there would be taken instead of compiled
    kept = _kept(baselines)
    try:
        if kept and all(_is_whole(kept / name) for name in baselines):
            shutil.copytree(kept, place)
        else:
            _compile(first, baselines, place)
            (place / kernel_cache.MADE_WITH).write_text(json.dumps(kernel_cache.versions(), indent=1) + '\n')
            _keep_for_others(place, kept)
        missing = [name for name in baselines if not _is_whole(place / name)]
        if missing:
            raise OSError(f'not all kernels were written for {", ".join(missing)}')
    except (subprocess.CalledProcessError, OSError) as error:
        shutil.rmtree(place, ignore_errors=True)
        print(f'error: no machine code in {place}: {error}', file=sys.stderr)
        return 1
    for name in baselines:
        files = [path for path in (place / name).rglob('*') if path.is_file()]
        print(f'{name}: {len(files)} files, {sum(path.stat().st_size for path in files) / 1e6:.1f} MB in {place}')
    return 0


def _compile(first: str, baselines: list[str], place: Path) -> None:
    """Compile for all baselines into folders of `place`; OSError where one of them has other kernels."""
    with tempfile.TemporaryDirectory() as work:
        caches = {name: Path(work, name) for name in baselines}
        types = Path(work, 'types')
        _run(first, caches[first], ['-m', f'{ROOM}.cli', 'warmup'])
        _run(first, caches[first], _calling('write_types', types))
        for name in set(baselines) - {first}:
            step = _start(name, caches[name], ['-c', f'from {ROOM} import kernel_cache as k; k.compile_step()'])
            _run(name, caches[name], _calling('compile_like', types))
            if step.wait():
                raise subprocess.CalledProcessError(step.returncode, 'compile_step')
        written = {name: _keep(caches[name], place / name) for name in baselines}
    different = set.union(*written.values()) - set.intersection(*written.values())
    if different:
        raise OSError(f'not compiled for all of {", ".join(baselines)}: {", ".join(sorted(different))}')


def _kept(baselines: list[str]) -> Path | None:
    """Where machine code for these baselines and of these versions is kept for other builds, if it is to be kept."""
    folder = os.environ.get('HAKONIWA_RIGID_KERNELS_KEPT')
    return Path(folder, '-'.join([*kernel_cache.versions().values(), *sorted(baselines)])) if folder else None


def _keep_for_others(place: Path, kept: Path | None) -> None:
    if kept:
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(place, kept)


def _is_whole(folder: Path) -> bool:
    """Whether the step and all else in a folder were compiled from the sources that are here."""
    indexes = list(folder.rglob('*.nbi'))
    step = '.'.join(kernel_cache.STEP.split('.')[-2:])
    return any(path.name.startswith(f'{step}-') for path in indexes) and all(
        _is_fresh(path, PACKAGE / path.parent.relative_to(folder) / f'{path.name.split(".")[0]}.py')
        for path in indexes)


def _is_fresh(index: Path, source: Path) -> bool:
    """Whether machine code is there of a source as it is now."""
    if not source.is_file():
        return False
    found = IndexDataCacheFile(str(index.parent), index.stem, stamp(str(source)))._load_index()
    return bool(found) and all((index.parent / name).is_file() for name in found.values())


def _start(baseline: str, cache: Path, code: list) -> subprocess.Popen:
    """A process that compiles for a baseline, into a folder of its own."""
    env = {**os.environ, 'NUMBA_CPU_NAME': baseline, 'NUMBA_CPU_FEATURES': '', 'NUMBA_CACHE_DIR': str(cache),
           'PYTHONDONTWRITEBYTECODE': '1'}
    return subprocess.Popen([sys.executable, *code], env=env)


def _run(baseline: str, cache: Path, code: list) -> None:
    process = _start(baseline, cache, code)
    if process.wait():
        raise subprocess.CalledProcessError(process.returncode, code)


def _calling(function: str, file: Path) -> list:
    return ['-c', f'from {__spec__.name} import {function} as call; call({str(file)!r})']


def write_types(file: str) -> None:
    """Which kernels there are in this process's cache, for which arguments: by module, then by name."""
    found = {}
    for folder, compiled in _folders(Path(config.CACHE_DIR)):
        for module in {index.name.split('.')[0] for index in compiled.glob('*.nbi')}:
            name = '.'.join([ROOM, *folder.relative_to(PACKAGE).parts, module])
            found[name] = {entry: SharedCache(kernel.py_func).signatures for entry, kernel in _entries(name)}
    Path(file).write_bytes(dumps(found))


def compile_like(file: str) -> None:
    """Compile all kernels but the step, none of which is run, for the arguments that `write_types` found."""
    from .ros import bulk
    from .smooth_motion import custom
    found = pickle.loads(Path(file).read_bytes())
    unit.link()
    custom.no_function()
    bulk.warm_up()
    for module, types in found.items():
        for name, kernel in _entries(module):
            for signature in types[name]:
                if f'{module}.{name}' != kernel_cache.STEP:
                    kernel.compile(signature)


def _entries(module: str) -> Iterator[tuple[str, Dispatcher]]:
    """(name, kernel) of all of a module that are called from Python and cached."""
    for value in vars(import_module(module)).values():
        if isinstance(value, Dispatcher) and value.__module__ == module and isinstance(value._cache, SharedCache):
            yield value.__qualname__, value


def _keep(cache: Path, place: Path) -> set[str]:
    """Take files out of numba's folders, one a folder of sources, into such as the sources have; their names."""
    kept = set()
    for folder, compiled in _folders(cache):
        for file in compiled.glob('*.nb[ic]'):
            target = place / folder.relative_to(PACKAGE) / file.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
            kept.add(str(target.relative_to(place)))
    return kept


def _folders(cache: Path) -> Iterator[tuple[Path, Path]]:
    """(folder of sources, what numba has put into a cache for it)."""
    for folder in [PACKAGE, *(path for path in PACKAGE.rglob('*') if path.is_dir())]:
        yield folder, cache / _CacheLocator.get_suitable_cache_subpath(str(folder / 'any.py'))


if __name__ == '__main__':
    sys.exit(main())
