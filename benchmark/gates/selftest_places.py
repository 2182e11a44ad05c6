# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Where the selftest can run beside this installation: environments of other versions, other Debian roots, and one of
another machine, emulated, whose kernels are compiled here.

Each is made once in a folder and stays there.  `Untested` says why one cannot be had.
"""
import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
# what the selftest imports
NEEDED = ('numpy', 'scipy', 'numba', 'pyyaml', 'rosbags', 'tqdm')
# of wheels: the oldest C library that they may ask for
PLATFORMS = ('manylinux_2_28', 'manylinux_2_27', 'manylinux_2_17', 'manylinux2014')
# Debian's name of a machine: that of wheels
MACHINES = {'amd64': 'x86_64', 'arm64': 'aarch64'}
SUITE = 'trixie'
# any 64-bit ARM; of the last, what this machine has must not be among what kernels are known by
ARM = {'NUMBA_CPU_NAME': 'generic', 'NUMBA_CPU_FEATURES': '', 'NUMBA_ENABLE_AVX': '0'}
ARM_TRIPLE, ARM_CACHE = 'aarch64-unknown-linux-gnu', '/caches/aarch64'


class Untested(Exception):  # noqa: N818 -- no failure: a cell of the table
    """Something cannot be run here; the text says why."""


class Place(NamedTuple):
    """python: the command that starts its Python; tree, caches: folders as that Python sees them; path: its
    PYTHONPATH beside the tree."""

    python: tuple[str, ...]
    tree: str
    caches: str
    path: tuple[str, ...] = ()


def ranges() -> dict[str, str]:
    """The version ranges of setup.py of what is needed: {'numpy': '>=1.26,<3'}."""
    for node in ast.parse((ROOT / 'setup.py').read_text()).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == 'SCIENCE':
            lines = ast.literal_eval(node.value)
            return {name: line[len(name):] for name in NEEDED for line in lines if line.startswith(name + '>')}
    raise Untested('setup.py has no list SCIENCE')


def oldest() -> list[str]:
    """Requirements: of each range the oldest series, '~=1.26.0' of '>=1.26,<3'."""
    found = []
    for name, wanted in ranges().items():
        least = wanted.split(',')[0].removeprefix('>=')
        found.append(f'{name}~={least}' + '.0' * (2 - least.count('.')))
    return found


def newest() -> list[str]:
    """Requirements: the ranges themselves."""
    return [name + wanted for name, wanted in ranges().items()]


def here(folder: Path) -> Place:
    """This installation."""
    return Place((sys.executable,), str(ROOT), str(folder / 'caches'))


def venv(folder: Path, name: str, requirements: list[str]) -> Place:
    """A virtual environment of this Python with other versions."""
    place = folder / name
    if not _is_made(place / 'made', requirements):
        shutil.rmtree(place, ignore_errors=True)
        _run(sys.executable, '-m', 'venv', place)
        _run(place / 'bin/python', '-m', 'pip', 'install', '--quiet', '--only-binary', ':all:', *requirements)
        (place / 'made').write_text('\n'.join(requirements))
    return Place((str(place / 'bin/python'),), str(ROOT), str(folder / 'caches'))


def aarch64(folder: Path) -> Place:
    """An emulated root, with the kernels that this machine's ordinary build has, compiled for it by the same root of
    this machine (`selftest_cross`)."""
    signatures = [p for p in (ROOT / 'hakoniwa_rigid').rglob('__pycache__/*.nbi') if 'node_modules' not in p.parts]
    if not signatures:
        raise Untested('nothing to compile: the ordinary build has no kernels yet')
    here, there = debian(folder, SUITE, 'amd64'), debian(folder, SUITE, 'arm64')
    native, emulated = Path(here.python[1]), Path(there.python[1])
    shutil.rmtree(native / 'signatures', ignore_errors=True)
    (native / 'signatures').mkdir()
    for index in signatures:
        shutil.copy(index, native / 'signatures')
    _run(*here.python, f'{here.tree}/benchmark/gates/selftest_cross.py', ARM_TRIPLE, '/signatures', **ARM,
         NUMBA_CACHE_DIR=ARM_CACHE, PYTHONPATH=os.pathsep.join([here.tree, *here.path]))
    shutil.rmtree(emulated / ARM_CACHE[1:], ignore_errors=True)
    shutil.copytree(native / ARM_CACHE[1:], emulated / ARM_CACHE[1:])
    return there


def debian(folder: Path, suite: str, machine: str) -> Place:
    """The root of a Debian release, of another machine through an emulator, with its own Python and C library, and the
    newest versions that its Python can have."""
    place = folder / f'{suite}-{machine}'
    if not (place / 'made').exists():
        _make_root(place, suite, machine)
        (place / 'made').touch()
    if not _is_made(place / 'packages' / 'made', newest()):
        _fill_root(place, machine)
        (place / 'packages' / 'made').write_text('\n'.join(newest()))
    for name in ('hakoniwa_rigid', 'config', 'msg', 'benchmark/gates'):
        shutil.copytree(ROOT / name, place / 'tree' / name, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns('__pycache__', 'node_modules', 'dist'))
    shutil.copy(ROOT / 'package.xml', place / 'tree')    # by which a tree of sources is known
    return Place(('chroot', str(place), '/usr/bin/python3'), '/tree', '/caches', ('/packages',))


def _is_made(mark: Path, requirements: list[str]) -> bool:
    """Whether a place holds what is wanted of it today."""
    return mark.exists() and mark.read_text() == '\n'.join(requirements)


def _make_root(place: Path, suite: str, machine: str) -> None:
    if os.geteuid():
        raise Untested('a root of another Debian release can be made and entered by root only')
    if not shutil.which('debootstrap'):
        raise Untested('debootstrap is missing')
    native = subprocess.run(['dpkg', '--print-architecture'], capture_output=True, text=True).stdout.strip()
    if machine != native and not Path(f'/proc/sys/fs/binfmt_misc/qemu-{MACHINES[machine]}').exists():
        raise Untested(f'no emulator of {machine} is registered: qemu-user-static, binfmt-support')
    shutil.rmtree(place, ignore_errors=True)
    _run('debootstrap', f'--arch={machine}', '--variant=minbase', '--include=python3', suite, place)


def _fill_root(place: Path, machine: str) -> None:
    """The newest packages that the root's Python can have, brought by this machine's pip."""
    shutil.rmtree(place / 'packages', ignore_errors=True)
    version = _run('chroot', place, '/usr/bin/python3', '-c', 'import sys; print("%d.%d" % sys.version_info[:2])')
    platforms = [word for p in PLATFORMS for word in ('--platform', f'{p}_{MACHINES[machine]}')]
    _run(sys.executable, '-m', 'pip', 'install', '--quiet', '--target', place / 'packages', *platforms,
         '--python-version', version.strip(), '--only-binary', ':all:', *newest())


def _run(*command, **variables) -> str:
    """Output of a command, with these variables in its environment.  Untested with its last words where it fails."""
    done = subprocess.run([str(word) for word in command], env={**os.environ, **variables}, capture_output=True,
                          text=True, check=False)
    if done.returncode:
        words = (done.stderr.strip() or done.stdout.strip() or f'status {done.returncode}').splitlines()[-1]
        raise Untested(f'{Path(str(command[0])).name}: {words}')
    return done.stdout
