# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The storeys of the house, kept by tests: who imports whom, what the engine must not do, how long a file may be."""
import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import licence_lines
import pytest

import hakoniwa_rigid

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / 'hakoniwa_rigid'
MODULES = sorted(SOURCE.rglob('*.py'))
FOLDERS = ('test', 'launch', 'examples', 'benchmark')
PYTHON = MODULES + sorted(p for d in FOLDERS for p in (ROOT / d).rglob('*.py'))
MAX_LINES = 500
ROS = re.compile(r'^(rclpy|ament_\w+|launch\w*|\w+_msgs|std_srvs|\w+_interfaces|hakoniwa_rigid\.msg)(\.|$)')
# names whose call reads or writes the world outside, or hidden state
FORBIDDEN_CALLS = {'print', 'open', 'input', 'exec', 'eval', 'breakpoint'}


def short(path):
    return str(path.relative_to(ROOT))


def imports(path):
    """(line, full module name) of every import of a file, also of those inside functions."""
    package = path.relative_to(ROOT).with_suffix('').parts[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            name = '.'.join([*base, *([node.module] if node.module else [])])
            yield node.lineno, name
            yield from ((node.lineno, f'{name}.{alias.name}') for alias in node.names)


def dotted(node):
    """``np.random.rand`` of an attribute chain, else ''."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return '.'.join([node.id, *parts[::-1]]) if isinstance(node, ast.Name) else ''


def test_import_contracts():
    """The contracts of pyproject.toml hold; the report names each broken import."""
    pytest.importorskip('importlinter', reason='import-linter is not installed: no rosdep key has it, pip does')
    code = 'from importlinter.cli import lint_imports_command as run; run(["--no-cache"])'
    run = subprocess.run([sys.executable, '-c', code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_ros_is_imported_only_at_its_edge():
    outside = [p for p in MODULES if SOURCE / 'ros' not in p.parents]
    bad = [f'{short(path)}:{line}: imports {name}' for path in outside for line, name in imports(path)
           if ROS.match(name)]
    assert not bad, '\n'.join(bad)


def test_engine_reaches_nothing_outside():
    """No print, no files, no random state: time step and seed are arguments."""
    pure = {SOURCE / 'engine', SOURCE / 'smooth_motion'}
    bad = [f'{short(path)}:{line}: {what}' for path in MODULES if pure & set(path.parents)
           for line, what in reaches_out(path)]
    assert not bad, '\n'.join(bad)


def reaches_out(path):
    """(line, what) of every forbidden call or name of a file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN_CALLS:
            yield node.lineno, f'calls {node.func.id}'
        if isinstance(node, ast.Attribute) and dotted(node).startswith(('np.random', 'numpy.random')):
            yield node.lineno, f'uses {dotted(node)}'


@pytest.mark.parametrize('package', ['engine', 'scene'])
def test_packages_have_all_the_names_that_they_promise(package):
    """They are imported when they are asked for; what is not there is an AttributeError."""
    room = importlib.import_module(f'hakoniwa_rigid.{package}')
    assert all(getattr(room, name) is not None for name in room.__all__)
    assert set(room.__all__) >= {name for name in dir(room) if not name.startswith('_')}
    with pytest.raises(AttributeError, match='no_such_name'):
        room.no_such_name  # noqa: B018 - asked for


@pytest.mark.parametrize('module', ['scene.read_settings', 'ros.viewer.viewer_node', 'ros.hands.hand_bridge',
                                    'ros.demo.demo'])
def test_who_only_reads_a_world_loads_no_numba(module):
    """90 MB in every process of a demo that computes nothing (ADR 36)."""
    code = (f'import sys, hakoniwa_rigid.{module}\n'
            'from hakoniwa_rigid.paths import world_file\n'
            'from hakoniwa_rigid.scene.world_files.world_file import load\n'
            'load(world_file("demo_room"))\n'
            'sys.exit("numba" in sys.modules)')
    assert subprocess.run([sys.executable, '-c', code]).returncode == 0


def test_files_stay_readable():
    lengths = {short(path): sum(licence_lines.LINE not in line for line in path.read_text().splitlines())
               for path in PYTHON}
    bad = [f'{name}: {count} lines, at most {MAX_LINES}: split it by idea' for name, count in lengths.items()
           if count > MAX_LINES]
    assert not bad, '\n'.join(bad)


def test_test_files_have_names_of_their_own():
    """Folders of tests are no packages: pytest imports a file by its name alone."""
    names = [p.name for p in PYTHON if p.name.startswith('test_') and ROOT / 'test' in p.parents]
    assert sorted(n for n in names if names.count(n) > 1) == []


def test_every_folder_says_what_lives_there():
    bad = []
    for init in sorted({p.parent / '__init__.py' for p in MODULES}):
        if not init.is_file():
            bad.append(f'{short(init)}: missing')
        elif not re.search(r'\b(not|no|nothing|never)\b', ast.get_docstring(ast.parse(init.read_text())) or '', re.I):
            bad.append(f'{short(init)}: its docstring must say what lives here, and what must not')
    assert not bad, '\n'.join(bad)


def test_one_version():
    """package.xml is where the version is kept; setup.py reads it from there."""
    assert f'<version>{hakoniwa_rigid.__version__}</version>' in (ROOT / 'package.xml').read_text()
