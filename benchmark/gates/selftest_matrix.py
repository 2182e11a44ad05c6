# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The same bits on other processors, versions and systems: `make test-matrix`.

Every cell runs the parts of `hakoniwa-rigid selftest` in a process of its own, with kernels that were compiled for it,
and is compared with the hashes of the repository.  What a cell ran on is what its process says, not what was asked for.
A cell that cannot be had here is told as untested, with the reason.  With --write, what ran goes into the table of
docs/determinism.md.  Exit status: 0 where all that ran are the same, 1 where a bit differs or none ran.
"""
import argparse
import fcntl
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from functools import partial
from pathlib import Path
from typing import NamedTuple

from hakoniwa_rigid.law import LAW_VERSION
from hakoniwa_rigid.selftest_hashes import EXPECTED

from .selftest_places import ARM, ROOT, SUITE, Place, Untested, aarch64, debian, here, newest, oldest, venv

# arrays and events of a part that plain Python gives within seconds
BEGINNING = 3000
COLUMNS = ('cell', 'law, day', 'processor', 'C library', 'python', 'numba', 'numpy', 'scipy', 'result')
DOCUMENT = ROOT / 'docs' / 'determinism.md'
ILLEGAL = -4    # status of a process that met an instruction which its processor has not


class Cell(NamedTuple):
    """name: how it is chosen and told; place: makes its Python; variables: of its environment; brief: the beginnings of
    some parts only."""

    name: str
    place: Callable[[Path], Place] = here
    variables: dict[str, str] = {}
    brief: bool = False


def processor(name: str) -> dict[str, str]:
    """Compile for an x86-64 processor, with what that one has and no more."""
    return {'NUMBA_CPU_NAME': name, 'NUMBA_CPU_FEATURES': ''}


CELLS = (
    Cell('this machine'),
    Cell('plain Python', variables={'NUMBA_DISABLE_JIT': '1'}, brief=True),
    Cell('BLAS of Prescott', variables={'OPENBLAS_CORETYPE': 'Prescott'}),
    Cell('BLAS of Haswell', variables={'OPENBLAS_CORETYPE': 'Haswell'}),
    Cell('BLAS of SkylakeX', variables={'OPENBLAS_CORETYPE': 'SkylakeX'}),
    Cell('numpy without vectors', variables={'NPY_DISABLE_CPU_FEATURES': 'AVX2 FMA3 AVX512F AVX512_SKX X86_V3 X86_V4'}),
    Cell('C library without AVX2', variables={'GLIBC_TUNABLES': 'glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F,-FMA4'}),
    Cell('x86-64 v1', variables=processor('x86-64')),
    Cell('x86-64 v2', variables=processor('x86-64-v2')),
    Cell('x86-64 v3', variables=processor('x86-64-v3')),
    Cell('x86-64 v4', variables=processor('x86-64-v4')),
    Cell('oldest versions', lambda folder: venv(folder, 'oldest', oldest())),
    Cell('newest versions', lambda folder: venv(folder, 'newest', newest())),
    Cell('Debian 13', partial(debian, suite=SUITE, machine='amd64')),
    Cell('aarch64, plain Python', partial(debian, suite=SUITE, machine='arm64'), {'NUMBA_DISABLE_JIT': '1'}, True),
    Cell('aarch64', aarch64, ARM),
)


class Run(NamedTuple):
    """facts: what the process ran on; first, whole: part -> hash of its beginning, of all."""

    facts: dict[str, str]
    first: dict[str, str]
    whole: dict[str, str]


def run(cell: Cell, folder: Path) -> Run:
    """Untested where the cell cannot be had or its process fails."""
    place = cell.place(folder)
    # the ordinary build is the cache beside the sources: what else is compiled stays apart
    cache = {} if cell.place is here and not any(name.startswith('NUMBA_CPU') for name in cell.variables) else \
        {'NUMBA_CACHE_DIR': f'{place.caches}/{cell.name.replace(" ", "-").replace(",", "")}'}
    env = {**os.environ, **cache, **cell.variables, 'PYTHONPATH': os.pathsep.join([place.tree, *place.path])}
    command = [*place.python, f'{place.tree}/benchmark/gates/selftest_child.py', str(BEGINNING)]
    done = subprocess.run([*command, *(['--brief'] if cell.brief else [])], env=env, capture_output=True, text=True,
                          check=False)
    if done.returncode == ILLEGAL:
        raise Untested('this processor has not all instructions of that one')
    if done.returncode:
        last = done.stderr.strip().splitlines() or [f'status {done.returncode}']
        raise Untested(f'its process failed: {last[-1]}')
    facts, *parts = (json.loads(line) for line in done.stdout.splitlines())
    return Run(facts, {name: first for name, first, _ in parts}, {name: all_ for name, _, all_ in parts if all_})


def verdict(found: Run, reference: Run) -> tuple[bool, str]:
    """(same; in words).  Parts that ran to their end are compared with the repository, beginnings and the replay, of
    which it has no hash, with what this machine gave, the reference."""
    wrong = [name for name, sha in found.whole.items() if EXPECTED.get(name) != sha]
    begun = [name for name in found.first if name not in found.whole]
    wrong += [name for name in begun if reference.first.get(name) != found.first[name]]
    wrong += [name for name in EXPECTED if found.whole and name not in found.whole]
    what = ' and '.join([f'{len(found.whole)} parts', *begun]) if found.whole else f'{len(begun)} beginnings'
    return not wrong, f'of {what}, {len(wrong)} differ, first: {wrong[0]}' if wrong else f'same, {what}'


def row(cell: Cell, facts: dict[str, str], result: str) -> str:
    """A line of the table."""
    reported = {'cell': cell.name, 'result': result, **facts}
    if facts:
        reported['law, day'] = f'{LAW_VERSION}, {date.today():%Y-%m-%d}'
    if facts and facts['machine'] not in reported['processor']:
        reported['processor'] += f' ({facts["machine"]})'
    return '| ' + ' | '.join(reported.get(name, '') for name in COLUMNS) + ' |'


def enter(document: Path, cell: Cell, line: str) -> None:
    """Put a row into the document's table, in the place of the one of its cell."""
    lines, start = document.read_text(encoding='utf8').splitlines(), f'| {cell.name} |'
    places = [k for k, old in enumerate(lines) if old.startswith(start)]
    if len(places) != 1:
        raise SystemExit(f'{document}: must have one row of {cell.name}, has {len(places)}')
    lines[places[0]] = line
    document.write_text('\n'.join(lines) + '\n', encoding='utf8')


def chosen(words: list[str]) -> list[Cell]:
    """The cells that are called by one of the words, or else have it in their names, after this machine, which they are
    compared with."""
    names = [c.name.lower() for c in CELLS]
    meant = {name for word in map(str.lower, words) for name in ([word] if word in names else names) if word in name}
    return [c for c in CELLS if c is CELLS[0] or not words or c.name.lower() in meant]


def main(arguments=None, cells=None) -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--only', action='append', default=[], metavar='WORD', help='cells with this in their names')
    parser.add_argument('--folder', type=Path, default=Path(tempfile.gettempdir(), 'selftest-matrix'), metavar='DIR',
                        help='where environments, roots and compiled kernels stay for the next time')
    parser.add_argument('--write', action='store_true', help='put the rows of cells that ran into docs/determinism.md')
    options = parser.parse_args(arguments)
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with only_one(folder):
        return compare(cells or chosen(options.only), folder, options.write)


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """SystemExit where another matrix runs in the folder: it would change what this one runs."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise SystemExit(f'{folder}: another matrix runs there, and would change what this one runs') from None
    finally:
        os.close(opened)


def compare(cells: list[Cell], folder: Path, write: bool) -> int:
    """Print the table, and enter rows into the document where `write`; the exit status."""
    print('| ' + ' | '.join(COLUMNS) + ' |\n' + '|---' * len(COLUMNS) + '|', flush=True)
    same, reference = [], None
    for cell in cells:
        begun, facts = time.perf_counter(), {}
        try:
            found = run(cell, folder)
            facts = found.facts
            if reference is None:
                if cell is not cells[0]:
                    raise Untested('this machine, which it is compared with, did not run')
                reference = found
            fine, result = verdict(found, reference)
            same.append(fine)
        except Untested as reason:
            result = f'untested: {reason}'
        print(line := row(cell, facts, result), flush=True)
        if write and facts:
            enter(DOCUMENT, cell, line)
        print(f'  {cell.name}: {time.perf_counter() - begun:.0f} s', file=sys.stderr, flush=True)
    return 0 if same and all(same) else 1


if __name__ == '__main__':
    sys.exit(main())
