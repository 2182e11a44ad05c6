# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`make deb`: a Debian package, built, installed and tried in clean roots, with no network once all is fetched.

    python3 test/install/deb.py --suite trixie

The ROS packages that Debian does not have are stood in for by one package with the files of the wheels.  Wheels are of
CPython 3.11: in trixie, with 3.13, they build the package, and rclpy does not run; in bookworm the node runs, and
numba, NumPy and SciPy come from PyPI, as Debian's are too old there.  Roots stay in a folder; root and debootstrap
make them.
"""
from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import debian_files
from checks import Failed, Place, busy, call, checked, compiled_nothing, fresh, in_root, outside, readme
from with_colcon import NAME, ROOT, copy_tree

STAND_IN = 'hakoniwa-rigid-stand-in'
# of Debian, besides what the package asks for: to build; for bags
TOOLS = ('build-essential', 'debhelper', 'cmake', 'python3-dev', 'python3-numpy', 'python3-numpy-dev', 'python3-empy',
         'python3-lark', 'python3-catkin-pkg', 'python3-setuptools', 'lintian')
FOR_BAGS = ('python3-lz4', 'python3-ruamel.yaml', 'python3-typing-extensions')
# what rclpy has compiled parts for
WHEELS_PYTHON = '3.11'


class Suite(NamedTuple):
    """A Debian release: its Python; whether its numba, NumPy and SciPy are new enough, or PyPI's stand in for them."""

    python: str
    has_numba: bool


SUITES = {'trixie': Suite('3.13', True), 'bookworm': Suite('3.11', False)}


def package(folder: Path, ros: str, suite: str) -> Place:
    """Build the package and install it in a root of its own.  Failed where a step cannot be done here."""
    for missing, needed in ((os.geteuid() != 0, 'root: it makes and enters other systems'),
                            (not shutil.which('debootstrap'), 'debootstrap: apt-get install debootstrap'),
                            (sys.version_info[:2] != (3, 11), f'Python {WHEELS_PYTHON}: the wheels of ROS are for it')):
        if missing:
            raise Failed(f'make deb needs {needed}')
    folder.mkdir(parents=True, exist_ok=True)
    wheels = step('wheels of ROS', fetch_wheels, folder, ros)
    base = step(f'root of {suite}', base_root, folder, suite)
    build = step('root to build in', building_root, folder, base, suite)
    stand_in = step('stand-in for ROS packages', make_stand_in, folder, build, wheels, ros, suite)
    made = step('package, without a network', build_package, build, stand_in, ros, suite)
    print(f'  {made.name}: {made.stat().st_size / 1e6:.1f} MB', flush=True)
    step('lintian', lint, build, made)
    root = step('installed, without a network', install, folder, base, stand_in, made, ros, suite)
    prefix = f'/opt/ros/{ros}'
    return Place(Path('/usr/bin/python3'), Path(prefix, 'bin'), Path(prefix, 'lib', NAME), confined=True, root=root,
                 setup=f'{prefix}/setup.sh')


def step(what: str, action, *arguments):
    """What an action gives; says what it took."""
    begun, before = time.monotonic(), busy()
    try:
        found = action(*arguments)
    except Failed as reason:
        raise Failed(f'{what}: {reason}') from None
    print(f'{what:36s} {time.monotonic() - begun:6.0f} s {busy() - before:8.0f} s of processor time', flush=True)
    return found


def pip_of(folder: Path) -> Path:
    """The Python of an environment with pip and setuptools."""
    python = folder / 'pip/bin/python'
    if not python.exists():
        call([sys.executable, '-m', 'venv', folder / 'pip'])
    return python


def required(folder: Path, ros: str) -> list[str]:
    """Lines of setup.py: all that building, running and testing asks of PyPI."""
    lines = 'import with_colcon; print(*with_colcon.requirements(), sep="\\n")'
    return call([pip_of(folder), '-c', lines], {'HAKONIWA_RIGID_ROS': ros}, cwd=Path(__file__).parent).splitlines()


def fetch_wheels(folder: Path, ros: str) -> Path:
    """Wheels of ROS packages, unpacked: a prefix."""
    prefix = folder / f'wheels-{ros}'
    if not (prefix / 'made').exists():
        pip, fetched = [pip_of(folder), '-m', 'pip'], fresh(folder / f'fetched-{ros}')
        wanted = [line for line in required(folder, ros) if line.startswith('ros-')]
        call([*pip, 'download', '--quiet', '--dest', fetched, *wanted])
        call([*pip, 'install', '--quiet', '--no-deps', '--no-compile', '--ignore-installed', '--prefix', fresh(prefix),
              *fetched.glob('ros_*.whl')])
        (prefix / 'made').touch()
    return prefix


def base_root(folder: Path, suite: str) -> Path:
    """A root with what the package asks of Debian, and what stands in for the rest of it."""
    plain, root = folder / f'plain-{suite}', folder / f'base-{suite}'
    if not (plain / 'made').exists():
        shutil.rmtree(plain, ignore_errors=True)
        call(['debootstrap', '--variant=minbase', suite, plain])
        (plain / 'made').touch()
    if not (root / 'made-to-use').exists():
        copied(plain, root)
        named = [*debian_files.names(debian_files.RUN, ''), *FOR_BAGS]
        apt(root, [name for name in named if name.startswith('python3-') and name not in too_old(suite)])
        bring(folder, root, suite)
        (root / 'made-to-use').touch()
    return root


def too_old(suite: str) -> tuple[str, ...]:
    """Packages of the release for which PyPI stands in."""
    return () if SUITES[suite].has_numba else ('python3-numba', 'python3-numpy', 'python3-numpy-dev', 'python3-scipy')


def bring(folder: Path, root: Path, suite: str) -> None:
    """What Debian does not have, or has too old: where pip of a root would put it."""
    wanted = [line for line in required(folder, 'kilted') if re.match('rosbags|backports.zstd', line)]
    if too_old(suite):
        wanted += [line for line in required(folder, 'kilted') if re.match('numpy|numba|scipy', line)] + ['llvmlite']
    version = SUITES[suite].python
    target = root / f'usr/local/lib/python{version}/dist-packages'
    # all of their dependencies are named: pip would bring others beside those of Debian
    call([pip_of(folder), '-m', 'pip', 'install', '--quiet', '--no-deps', '--no-compile', '--python-version', version,
          '--only-binary', ':all:', '--target', target, *[line.split(';')[0] for line in wanted]])


def apt(root: Path, names: list[str]) -> None:
    """Install packages of Debian into a root, without what they only recommend."""
    quiet = {'DEBIAN_FRONTEND': 'noninteractive', 'LC_ALL': 'C.UTF-8'}
    call([*in_root(root, '/', network=True), 'apt-get', '-qq', 'update'], quiet)
    call([*in_root(root, '/', network=True), 'apt-get', '-qq', 'install', '--no-install-recommends', *names], quiet)


def copied(base: Path, root: Path) -> Path:
    """A root like another."""
    shutil.rmtree(root, ignore_errors=True)
    call(['cp', '-a', base, root])
    return root


def building_root(folder: Path, base: Path, suite: str) -> Path:
    """The base, with a compiler and what the generators of messages need."""
    root = folder / f'build-{suite}'
    if not (root / 'made-to-build').exists():
        copied(base, root)
        apt(root, [name for name in TOOLS if name not in too_old(suite)])
        (root / 'made-to-build').touch()
    return root


def make_stand_in(folder: Path, build: Path, wheels: Path, ros: str, suite: str) -> Path:
    """A package with the files of the wheels, below the prefix of the distribution, and the names of its packages."""
    tree, version = fresh(folder / f'stand-in-{suite}'), SUITES[suite].python
    prefix = tree / 'opt/ros' / ros
    prefix.parent.mkdir(parents=True)
    shutil.copytree(wheels, prefix, symlinks=True)
    if version != WHEELS_PYTHON:
        (prefix / f'lib/python{WHEELS_PYTHON}').rename(prefix / f'lib/python{version}')
        # libraries of wheels find others below the old name
        (prefix / f'lib/python{WHEELS_PYTHON}').symlink_to(f'python{version}')
    # what the bootstrapper of the wheels would put on the path of libraries
    for library in prefix.glob(f'lib/python{version}/site-packages/*.libs/*'):
        if not (prefix / 'lib' / library.name).exists():
            (prefix / 'lib' / library.name).symlink_to(library.relative_to(prefix / 'lib'))
    (prefix / 'setup.sh').write_text(SETUP.format(ros=ros, python=version))
    provided = {*debian_files.names(debian_files.BUILD, ros), *debian_files.names(debian_files.RUN, ros)}
    fastcdr = debian_files.debian_name('fastcdr', ros)
    provided = {name for name in provided if name.startswith('ros-')} | {fastcdr, *too_old(suite)}
    (tree / 'DEBIAN').mkdir()
    (tree / 'DEBIAN/control').write_text(
        f'Package: {STAND_IN}\nVersion: 1\nArchitecture: amd64\nMaintainer: nobody <nobody@localhost>\n'
        f'Provides: {", ".join(sorted(provided))}\nDescription: wheels in the place of packages\n')
    # which package a library belongs to, of those that have a version in their name and are linked with
    (tree / 'DEBIAN/shlibs').write_text(f'libfastcdr 2 {fastcdr}\n')
    file = build / 'stand-in.deb'
    call(['dpkg-deb', '-Znone', '--root-owner-group', '--build', tree, file])
    shutil.rmtree(tree)
    return file


# what colcon writes for a workspace, in three lines
SETUP = """export AMENT_PREFIX_PATH=/opt/ros/{ros} ROS_DISTRO={ros} ROS_VERSION=2
export PYTHONPATH=/opt/ros/{ros}/lib/python{python}/site-packages LD_LIBRARY_PATH=/opt/ros/{ros}/lib
export CMAKE_PREFIX_PATH=/opt/ros/{ros} PATH=/opt/ros/{ros}/bin:$PATH
"""


BUILDING = {'DEB_BUILD_OPTIONS': 'noautodbgsym', 'HAKONIWA_RIGID_KERNELS_KEPT': '/kernels-kept',
            'LC_ALL': 'C.UTF-8'}


def build_package(build: Path, stand_in: Path, ros: str, suite: str) -> Path:
    """The package's file."""
    call([*in_root(build, '/'), 'dpkg', '--install', f'/{stand_in.name}'])
    source = fresh(build / 'work/source')
    copy_tree(source)
    debian_files.write(source / 'debian', ros, suite, os.environ.get('KERNELS', debian_files.KERNELS))
    kept, inside = os.environ.get('HAKONIWA_RIGID_KERNELS_KEPT'), build / 'kernels-kept'
    if kept and Path(kept).is_dir():
        shutil.copytree(kept, inside, dirs_exist_ok=True)
    with (build / 'work/log.txt').open('w') as log:
        command = [*in_root(build, '/work/source'), 'dpkg-buildpackage', '-b', '-uc']
        done = subprocess.run([str(word) for word in command], env={**outside(), **BUILDING}, stdout=log,
                              stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        raise Failed(f'dpkg-buildpackage: exit code {done.returncode}, see {log.name}')
    if kept:
        shutil.copytree(inside, kept, dirs_exist_ok=True)
    return next((build / 'work').glob(f'{debian_files.debian_name(NAME, ros)}_*.deb'))


def lint(build: Path, made: Path) -> None:
    """Lintian's complaints.  Failed where one of them is an error, or lintian is not there."""
    command = [*in_root(build, '/work'), 'lintian', '--allow-root', '--suppress-tags', ','.join(OF_ROS), made.name]
    said = subprocess.run([str(word) for word in command], env=outside(), text=True, capture_output=True, check=False)
    for line in said.stdout.splitlines():
        print(f'  {line}', flush=True)
    if said.returncode:
        raise Failed('it has errors' if 'E: ' in said.stdout else said.stderr.strip() or 'no word')


# what is so in every package of a ROS distribution: where it lies; that it has the compiled modules; what generators of
# messages make
OF_ROS = ('dir-or-file-in-opt', 'package-installs-python-pycache-dir', 'library-not-linked-against-libc')


def install(folder: Path, base: Path, stand_in: Path, made: Path, ros: str, suite: str) -> Path:
    """A root in which the lines of README.md were run, and nothing else."""
    root = copied(base, folder / f'user-{suite}')
    shutil.copy(stand_in, root)
    call([*in_root(root, '/'), 'dpkg', '--install', f'/{stand_in.name}'])
    for place in root / 'home/dist/deb', ROOT / 'dist/deb':
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy(made, place)
    lines = [line for line in readme('A Debian package') if not line.startswith('make deb')]
    call([*in_root(root, '/home'), 'sh', '-ec', '\n'.join(lines).replace('kilted', ros)],
         {'DEBIAN_FRONTEND': 'noninteractive', 'HOME': '/root', 'LC_ALL': 'C.UTF-8'})
    compiled_nothing(root / 'root', root / 'opt')
    return root


def tried(place: Place, suite: str) -> dict[str, str]:
    """What works in the root, for a user without rights, a home or a network."""
    skipped = {} if SUITES[suite].python == WHEELS_PYTHON else {
        'node ready in': f'rclpy has no wheel for Python {SUITES[suite].python}'}
    with tempfile.TemporaryDirectory(dir=place.root / 'tmp') as work:
        os.chmod(work, 0o777)
        return checked(place, Path(work), skipped)


def main() -> int:
    """Exit code 0 where the package was built and what can be tried works."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument('--suite', choices=SUITES, default='trixie')
    asked.add_argument('--ros', choices=('kilted', 'jazzy'), default='kilted')
    asked.add_argument('--folder', type=Path, default=Path(tempfile.gettempdir(), 'hakoniwa-deb'))
    options = asked.parse_args()
    try:
        place = package(options.folder.resolve(), options.ros, options.suite)
        cells = step('tried', tried, place, options.suite)
    except Failed as reason:
        print(f'error: {reason}', file=sys.stderr)
        return 1
    for name, said in cells.items():
        print(f'  {name}: {said}')
    return int(cells['result'] != 'ok')


if __name__ == '__main__':
    sys.exit(main())
