"""Where the selftest can run beside this installation: environments of other versions, and other Debian roots.

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
NEEDED = ('numpy', 'scipy', 'numba', 'pyyaml', 'tqdm')
# of wheels: the oldest C library that they may ask for
PLATFORMS = ('manylinux_2_28', 'manylinux_2_27', 'manylinux_2_17', 'manylinux2014')
MIRROR = 'http://deb.debian.org/debian'
# Debian's name of a machine: that of wheels
MACHINES = {'amd64': 'x86_64', 'arm64': 'aarch64'}


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
    if not (place / 'made').exists():
        shutil.rmtree(place, ignore_errors=True)
        _run(sys.executable, '-m', 'venv', place)
        _run(place / 'bin/python', '-m', 'pip', 'install', '--quiet', '--only-binary', ':all:', *requirements)
        (place / 'made').touch()
    return Place((str(place / 'bin/python'),), str(ROOT), str(folder / 'caches'))


def debian(folder: Path, suite: str, machine: str) -> Place:
    """The root of a Debian release, of another machine through an emulator, with its own Python and C library, and the
    newest versions that its Python can have."""
    place = folder / f'{suite}-{machine}'
    if not (place / 'made').exists():
        _make_root(place, suite, machine)
        (place / 'made').touch()
    for name in ('hakoniwa_rigid', 'config', 'benchmark/gates'):
        shutil.copytree(ROOT / name, place / 'tree' / name, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns('__pycache__', 'node_modules', 'dist'))
    return Place(('chroot', str(place), '/usr/bin/python3'), '/tree', '/caches', ('/packages',))


def _make_root(place: Path, suite: str, machine: str) -> None:
    if os.geteuid():
        raise Untested('a root of another Debian release can be made and entered by root only')
    if not shutil.which('debootstrap'):
        raise Untested('debootstrap is missing')
    native = subprocess.run(['dpkg', '--print-architecture'], capture_output=True, text=True).stdout.strip()
    if machine != native and not Path(f'/proc/sys/fs/binfmt_misc/qemu-{MACHINES[machine]}').exists():
        raise Untested(f'no emulator of {machine} is registered: qemu-user-static, binfmt-support')
    shutil.rmtree(place, ignore_errors=True)
    _run('debootstrap', f'--arch={machine}', '--variant=minbase', '--include=python3', suite, place, MIRROR)
    version = _run('chroot', place, '/usr/bin/python3', '-c', 'import sys; print("%d.%d" % sys.version_info[:2])')
    platforms = [word for p in PLATFORMS for word in ('--platform', f'{p}_{MACHINES[machine]}')]
    _run(sys.executable, '-m', 'pip', 'install', '--quiet', '--target', place / 'packages', *platforms,
         '--python-version', version.strip(), '--only-binary', ':all:', *newest())


def _run(*command) -> str:
    """Output of a command.  Untested with its last words where it fails."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode:
        words = (done.stderr.strip() or done.stdout.strip() or f'status {done.returncode}').splitlines()[-1]
        raise Untested(f'{Path(str(command[0])).name}: {words}')
    return done.stdout
