# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`make test-installs`: every way to install, each from nothing, with a table of what it took and what works.

    python3 test/install/installs.py --only wheel --ros kilted

What it makes lies in a folder that stays (`--folder`) and that other users can read; rows are made anew each time.  As
root, wheels run as a user without rights, in a network namespace that reaches no other machine, in a folder that nobody
can write to.  Compiling takes minutes a row.
"""
from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

from checks import HERE, Failed, Place, busy, call, checked, compiled_nothing, fresh, readme
from deb import package as debian_package
from with_colcon import NAME, ROOT, copy_tree, take_kernels
from with_colcon import environment as colcon_environment

COLUMNS = ('way', 'ROS', 'installed in', 'first engine step', 'compiled', 'selftest', 'import, replay', 'node ready in',
           'result')


def clone(folder: Path, ros: str) -> Place:
    """A clone of what is committed, in which nothing was run.  README's lines are those of Kilted."""
    tree, lines = fresh(folder), readme('From source')
    call(['sh', '-ec', lines[0].replace(REPOSITORY, str(ROOT))], cwd=tree)
    if REUSED:
        take_kernels(tree / NAME)
    call(['sh', '-ec', '\n'.join(lines[1:]).replace('.venv', VENVS[ros])], {'ROS': ros}, cwd=tree)
    venv = tree / NAME / VENVS[ros]
    return Place(venv / 'bin/python', venv / 'bin', venv / f'lib/{NAME}')


def wheel(folder: Path, ros: str) -> Place:
    """A prefix that nobody can write to."""
    tree = fresh(folder)
    copy_tree(tree / 'source')
    lines = readme('A wheel')
    if ros in GIVEN:
        (tree / 'source/dist' / ros).mkdir(parents=True)
        shutil.copy(GIVEN[ros], tree / 'source/dist' / ros)
        lines = lines[1:]
    # a Python that other users may start
    path = f'/usr/bin:{os.environ["PATH"]}' if same_python('/usr/bin/python3') else os.environ['PATH']
    call(['sh', '-ec', '\n'.join(lines).replace('kilted', ros)], {'HOME': str(tree), 'ROS': ros, 'PATH': path, **PIP},
         cwd=tree / 'source')
    prefix = tree / 'rigid'
    compiled_nothing(tree, prefix)
    has_all_kernels(next((tree / 'source/dist' / ros).glob('*.whl')))
    for made in [prefix, *prefix.rglob('*')]:
        if not made.is_symlink():
            made.chmod(made.stat().st_mode & ~0o222)
    return Place(prefix / 'bin/python', prefix / 'bin', prefix / f'lib/{NAME}', confined=True)


def has_all_kernels(file: Path) -> None:
    """That a wheel has the machine code that was asked for, and how large it is."""
    with zipfile.ZipFile(file) as archive:
        rooms = {name.split('/')[2] for name in archive.namelist() if name.startswith(f'{NAME}/kernels/')}
    missing = set(KERNELS.split()) - rooms
    if missing:
        raise Failed(f'{file.name}: no machine code for {", ".join(sorted(missing))}')
    print(f'  {file.name}: {file.stat().st_size / 1e6:.1f} MB', file=sys.stderr)


def colcon(folder: Path, ros: str) -> Place:
    """`colcon build` of what is committed, with machine code for others.  An environment of wheels stands in for a ROS
    installation, and for rosdep."""
    tree = fresh(folder)
    ros_venv = tree / 'ros'
    call([sys.executable, '-m', 'venv', ros_venv])
    needed = call([ros_venv / 'bin/python', '-c', 'import with_colcon as w; print(*w.requirements(()), sep="\\n")'],
                  {'HAKONIWA_RIGID_ROS': ros}, cwd=HERE).splitlines()
    call([ros_venv / 'bin/pip', 'install', '--quiet', *needed], PIP)
    lines = [line for line in readme('With ROS 2 installed') if not line.startswith(NOT_RUN)]
    library = 'lib/python{}.{}/site-packages'.format(*sys.version_info)
    # what the bootstrapper of the wheels would put there
    libraries = ':'.join(map(str, [ros_venv / 'lib', *ros_venv.glob(f'{library}/*.libs')]))
    env = {**colcon_environment(ros_venv), 'PYTHONPATH': str(ros_venv / library), 'LD_LIBRARY_PATH': libraries,
           'HOME': str(tree), **PIP, 'HAKONIWA_RIGID_KERNELS': KERNELS, 'ROS_DISTRO': ros}
    script = '\n'.join([*lines, 'env -0']).replace(REPOSITORY, str(ROOT))
    # what the shell has in its environment at the end is that of the user
    said = call(['bash', '-ec', script], env, cwd=tree).rpartition('\n')[2]
    user = dict(line.split('=', 1) for line in said.split('\0') if '=' in line)
    prefix = tree / 'ws/install' / NAME
    compiled_nothing(tree, prefix)
    return Place(tree / 'ws/venv/bin/python', prefix / 'bin', prefix / f'lib/{NAME}', user, confined=True)


def deb(folder: Path, ros: str) -> Place:
    """A package for the Debian whose Python is that of the wheels, so that the node runs."""
    return debian_package(folder, ros, 'bookworm')


# what stands in README.md for an address, and the line that needs a network of its own
REPOSITORY, NOT_RUN = '<this repository>', 'rosdep install'
VENVS = {'kilted': '.venv', 'jazzy': '.venv-jazzy'}
# processors that machine code is made for
KERNELS = os.environ.get('KERNELS') or 'x86-64-v3 x86-64-v4'
# beside a home of its own, so that wheels are fetched once
PIP = {'PIP_CACHE_DIR': os.environ.get('PIP_CACHE_DIR', os.path.expanduser('~/.cache/pip'))}
# wheels that were built before, by distribution; whether clones take the kernels of this tree
GIVEN: dict[str, Path] = {}
REUSED: list[bool] = []
WAYS: dict[str, Callable[[Path, str], Place]] = {'wheel': wheel, 'deb': deb, 'colcon': colcon, 'clone': clone}


def same_python(python: str) -> bool:
    """Whether it has the version of this one, and what a virtual environment needs."""
    code = 'import ensurepip, sys, venv; sys.exit(sys.version_info[:2] != ({}, {}))'.format(*sys.version_info)
    if not Path(python).exists():
        return False
    return subprocess.run([python, '-c', code], capture_output=True, check=False).returncode == 0


def judged(way: str, ros: str, folder: Path) -> dict[str, str]:
    """The cells of a row."""
    cells, begun, before = {'way': way, 'ROS': ros}, time.monotonic(), busy()
    try:
        place = WAYS[way](folder / f'{way}-{ros}', ros)
        cells['installed in'] = f'{time.monotonic() - begun:.0f} s ({busy() - before:.0f} s)'
        with tempfile.TemporaryDirectory(dir=place.root / 'tmp' if place.root else folder) as work:
            os.chmod(work, 0o777)
            cells |= checked(place, Path(work))
    except Failed as reason:
        cells['result'] = f'FAILED: {reason}'
    return cells


def main() -> int:
    """Exit code 0 where all went well."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument('--only', action='append', choices=WAYS, help='rows of this way; may be repeated')
    asked.add_argument('--ros', action='append', choices=('kilted', 'jazzy'), help='of this distribution')
    asked.add_argument('--folder', type=Path, default=Path(tempfile.gettempdir(), 'hakoniwa-installs'))
    asked.add_argument('--wheel', type=Path, help='do not build the wheel of the one distribution that --ros names')
    asked.add_argument('--reuse', action='store_true', help='clones take the kernels that this tree has')
    options = asked.parse_args()
    REUSED[:] = [True] if options.reuse else []
    if options.wheel:
        if len(options.ros or ()) != 1:
            asked.error('--wheel: needs one --ros')
        GIVEN[options.ros[0]] = options.wheel.resolve()
    options.folder.mkdir(parents=True, exist_ok=True)
    options.folder.chmod(0o755)
    print('| ' + ' | '.join(COLUMNS) + ' |\n' + '|---' * len(COLUMNS) + '|', flush=True)
    fine = True
    for way in options.only or WAYS:
        for ros in options.ros or ('kilted', 'jazzy'):
            cells = judged(way, ros, options.folder.resolve())
            print('| ' + ' | '.join(cells.get(name, '') for name in COLUMNS) + ' |', flush=True)
            fine &= cells['result'] == 'ok'
    return 0 if fine else 1


if __name__ == '__main__':
    sys.exit(main())
