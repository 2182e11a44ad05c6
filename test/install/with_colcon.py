# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`make test-colcon`: a copy of this tree is built, installed and tested by colcon, in a plain venv with ROS 2 wheels.

    python3 test/install/with_colcon.py --symlink-install

What it makes lies in build/colcon; the venv stays there for the next time.  A ROS installation is not asked: what
setup.py and pyproject.toml require is installed, and the wheels stand in the place of /opt/ros.  Nodes are heard on
this machine only.
"""
from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

import tomllib

ROOT = Path(__file__).resolve().parents[2]
NAME = 'hakoniwa_rigid'
EXTRAS = ('demo', 'web', 'test', 'sweep')
COLCON = ['colcon-common-extensions']
LIST = 'import with_colcon; print(*with_colcon.requirements(), sep="\\n")'
# what a shell of this machine may have set for another Python or another ROS
CLEARED = ('AMENT_PREFIX_PATH', 'CMAKE_PREFIX_PATH', 'COLCON_PREFIX_PATH', 'LD_LIBRARY_PATH', 'PYTHONPATH',
           'MAKEFLAGS', 'MAKELEVEL', 'PIP_COMPILE', 'PYTHONDONTWRITEBYTECODE', '_ROS_WHEELS_BOOTSTRAP_COMPLETE')


def requirements(extras: tuple[str, ...] = EXTRAS) -> list[str]:
    """All that building, running and testing the package takes from PyPI; `extras`: those of setup.py."""
    import setuptools
    said = {}
    with mock.patch.object(setuptools, 'setup', said.update):
        exec(compile((ROOT / 'setup.py').read_text(), ROOT / 'setup.py', 'exec'), {'__file__': ROOT / 'setup.py'})
    build = tomllib.loads((ROOT / 'pyproject.toml').read_text())['build-system']['requires']
    more = [line for name in extras for line in said['extras_require'][name]]
    return [*said['install_requires'], *more, *build, *said['setup_requires'], *COLCON]


def environment(venv: Path) -> dict[str, str]:
    """Of a shell in which the venv is active and a setup.bash of its prefix was sourced."""
    env = {name: value for name, value in os.environ.items() if name not in CLEARED}
    return dict(env, VIRTUAL_ENV=str(venv), PATH=f'{venv / "bin"}:{env["PATH"]}', AMENT_PREFIX_PATH=str(venv),
                CMAKE_PREFIX_PATH=str(venv), ROS_AUTOMATIC_DISCOVERY_RANGE='LOCALHOST', CMAKE_GENERATOR='Ninja')


def copy_tree(target: Path, page: bool = True) -> None:
    """What git knows of this tree or would take; the page, too, where it is built."""
    listed = subprocess.run(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout
    built = (ROOT / NAME / 'web/dist').rglob('*') if page else ()
    for path in [*(ROOT / name for name in listed.split('\0') if name), *built]:
        if path.is_file():
            copied = target / path.relative_to(ROOT)
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copied)


def take_kernels(library: Path) -> None:
    """Machine code that `make` has compiled of the same sources, into a folder with the package: numba takes it where
    it is of exactly these."""
    for path in (ROOT / NAME).rglob('__pycache__/*.nb[ic]'):
        copied = library / path.relative_to(ROOT)
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copied)


class Steps:
    """Commands, one after the other, with what each took."""

    def __init__(self, log: Path) -> None:
        self._log, self.failed = log, False

    def run(self, what: str, command: list, **how) -> None:
        """Say what it took and whether it went well; its words go to the log."""
        begun, before = time.perf_counter(), busy()
        with self._log.open('a') as log:
            code = subprocess.run([str(word) for word in command], stdout=log, stderr=subprocess.STDOUT, check=False,
                                  **how).returncode
        took, cores = time.perf_counter() - begun, busy() - before
        self.failed |= code != 0
        print(f'{what:36s} {took:6.0f} s {cores:8.0f} s of processor time  '
              f'{f"FAILED: exit code {code}, see {self._log}" if code else "ok"}', flush=True)


def busy() -> float:
    """s that cores were busy with ended child processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def verdict(build: Path) -> str:
    """In numbers, from the report of pytest."""
    reports = list(build.glob(f'{NAME}/test_results/{NAME}/*.xml'))
    if not reports:
        return 'no report'
    suite = ElementTree.parse(reports[0]).getroot()
    suite = suite if suite.tag == 'testsuite' else suite[0]
    return ', '.join(f'{suite.get(name)} {name}' for name in ('tests', 'failures', 'errors', 'skipped'))


def main() -> int:
    """Exit code 0 where all went well."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument('--symlink-install', action='store_true', help='as developers build')
    asked.add_argument('--fresh', action='store_true', help='compile all kernels, minutes, where this tree has them')
    asked.add_argument('--build-only', action='store_true', help='without colcon test')
    options = asked.parse_args()
    top = ROOT / 'build/colcon'
    venv, log = top / f'venv-{os.environ.get("HAKONIWA_RIGID_ROS") or "kilted"}', top / 'log.txt'
    top.mkdir(parents=True, exist_ok=True)
    log.unlink(missing_ok=True)
    steps, env = Steps(log), environment(venv)
    if not (venv / 'bin/python').exists():
        steps.run('venv', [sys.executable, '-m', 'venv', venv])
    # the venv has setuptools, whatever Python runs this
    listed = subprocess.run([venv / 'bin/python', '-c', LIST], cwd=Path(__file__).parent, check=True,
                            capture_output=True, text=True).stdout
    steps.run('wheels', [venv / 'bin/pip', 'install', '--quiet', *listed.splitlines()])
    ways = ['--symlink-install'] if options.symlink_install else []
    workspace = top / ('linked' if ways else 'copied')
    shutil.rmtree(workspace, ignore_errors=True)
    copy_tree(workspace / 'src' / NAME)
    if not options.fresh:
        take_kernels(workspace / 'install' / NAME / 'lib/python{}.{}/site-packages'.format(*sys.version_info))
    steps.run(' '.join(['colcon build', *ways]), ['colcon', 'build', *ways], cwd=workspace, env=env)
    if not options.build_only and not steps.failed:
        steps.run('colcon test', ['colcon', 'test', '--return-code-on-test-failure', '--event-handlers',
                                 'console_direct+'], cwd=workspace, env=env)
        print(verdict(workspace / 'build'))
    return int(steps.failed)


if __name__ == '__main__':
    sys.exit(main())
