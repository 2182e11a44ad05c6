"""The same bits on other processors, versions and systems: `make test-matrix`.

Every cell runs the parts of `hakoniwa-rigid selftest` in a process of its own, with kernels that were compiled for it,
and is compared with the hashes of the repository.  What a cell ran on is what its process says, not what was asked for.
A cell that cannot be had here is told as untested, with the reason.  Exit status: 0 where all that ran are the same, 1
where a bit differs or none ran.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from hakoniwa_rigid.selftest_hashes import EXPECTED

from .selftest_places import Place, Untested, debian, here, newest, oldest, venv

# arrays and events of a part that plain Python gives within seconds
BEGINNING = 3000
COLUMNS = ('cell', 'processor', 'C library', 'python', 'numba', 'numpy', 'scipy', 'result')
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
    Cell('Debian 13', partial(debian, suite='trixie', machine='amd64')),
    Cell('aarch64, plain Python', partial(debian, suite='trixie', machine='arm64'), {'NUMBA_DISABLE_JIT': '1'}, True),
    Cell('aarch64', partial(debian, suite='trixie', machine='arm64')),
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


def verdict(found: Run, reference: Run | None) -> tuple[bool, str]:
    """(same; in words).  reference: this machine's, whose beginnings those of a brief cell are compared with."""
    if found.whole:
        of, wrong = len(EXPECTED), [name for name in EXPECTED if found.whole.get(name) != EXPECTED[name]]
        what = 'parts'
    elif reference is None:
        raise Untested('nothing to compare the beginnings with: this machine did not run')
    else:
        of, wrong = len(found.first), [name for name, h in found.first.items() if reference.first.get(name) != h]
        what = 'beginnings'
    return not wrong, f'{len(wrong)} of {of} {what} differ, first: {wrong[0]}' if wrong else f'same, {of} {what}'


def row(cell: Cell, facts: dict[str, str], result: str) -> str:
    """A line of the table."""
    reported = {'cell': cell.name, 'result': result, **facts}
    if facts and facts['machine'] not in reported['processor']:
        reported['processor'] += f' ({facts["machine"]})'
    return '| ' + ' | '.join(reported.get(name, '') for name in COLUMNS) + ' |'


def chosen(words: list[str]) -> list[Cell]:
    """The cells with one of the words in their names, and this machine, which brief ones are compared with."""
    cells = [c for c in CELLS if not words or any(word.lower() in c.name.lower() for word in words)]
    return cells if not cells or cells[0] is CELLS[0] or not any(c.brief for c in cells) else [CELLS[0], *cells]


def main(arguments=None, cells=None) -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--only', action='append', default=[], metavar='WORD', help='cells with this in their names')
    parser.add_argument('--folder', type=Path, default=Path(tempfile.gettempdir(), 'selftest-matrix'), metavar='DIR',
                        help='where environments, roots and compiled kernels stay for the next time')
    options = parser.parse_args(arguments)
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    print('| ' + ' | '.join(COLUMNS) + ' |\n' + '|---' * len(COLUMNS) + '|', flush=True)
    same, reference = [], None
    for cell in cells or chosen(options.only):
        begun, facts = time.perf_counter(), {}
        try:
            found = run(cell, folder)
            facts = found.facts
            reference = reference or found
            fine, result = verdict(found, reference)
            same.append(fine)
        except Untested as reason:
            result = f'untested: {reason}'
        print(row(cell, facts, result), flush=True)
        print(f'  {cell.name}: {time.perf_counter() - begun:.0f} s', file=sys.stderr, flush=True)
    return 0 if same and all(same) else 1


if __name__ == '__main__':
    sys.exit(main())
