# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The code of the documentation: Python runs, YAML is read, commands are such as the command line takes.

A block that cannot be looked at so says why: `<!-- not run: it needs a bag of yours -->` before it.  What
test_ten_minutes runs is not looked at here.
"""
from __future__ import annotations

import argparse
import re
import shlex
from pathlib import Path

import pytest
import yaml
from prose_lint import EXECUTED, Page, commands, language, styled

from hakoniwa_rigid import cli
from hakoniwa_rigid.scene.world_files import world_file

ROOT = Path(__file__).resolve().parents[2]
# keys that a world file has at its top
OF_WORLDS = {'name', 'gravity', 'dt', 'integrator', 'restitution_threshold', 'solver', 'penalty_stiffness', 'materials',
             'combine', 'pair_materials', 'contact', 'models', 'walls', 'objects', 'drones', 'hands', 'constraints',
             'filters', 'scene'}
# pages of other projects that sources name
OF_OTHERS = {'docs/apis.md', 'docs/spec.md'}
MAKEFILE = (ROOT / 'Makefile').read_text(encoding='utf8')
PAGES = [Page(path.relative_to(ROOT).as_posix(), path.read_text(encoding='utf8')) for path in styled(ROOT)]


def blocks(kind: str, pages=PAGES, name=language) -> list:
    """(page, block) of a language, those with a reason left out."""
    return [pytest.param(page, block, id=f'{page.name}:{block.line}')
            for page in pages for block in page.code if name(block) == kind and block.reason is None]


@pytest.mark.parametrize('page', [pytest.param(page, id=page.name) for page in PAGES
                                  if page.name not in EXECUTED
                                  and any(language(block) == 'python' for block in page.code)])
def test_python_runs(page, tmp_path, monkeypatch):
    """All blocks of a page in their order, each with the names of those before; the others compile."""
    monkeypatch.chdir(tmp_path)
    names = {'__name__': 'docs'}
    for block in page.code:
        if language(block) == 'python':
            code = compile('\n' * block.line + block.text, page.name, 'exec')
            if block.reason is None:
                exec(code, names)


@pytest.mark.parametrize('page, block', blocks('yaml'))
def test_yaml_is_read(page, block, tmp_path):
    """What has the keys of a world is read as one."""
    read = list(yaml.safe_load_all(block.text))
    assert read
    if isinstance(read[0], dict) and set(read[0]) <= OF_WORLDS:
        file = tmp_path / 'world.yaml'
        file.write_text(block.text, encoding='utf8')
        world_file.load(file)


@pytest.mark.parametrize('page, block', blocks('sh'))
def test_commands_are_such_as_are_taken(page, block):
    for command in commands(block.text):
        why = wrong(command)
        assert not why, f'{page.name}:{block.line}: {command}: {why}'


@pytest.mark.parametrize('page, block', blocks('text', name=lambda block: block.language))
def test_options_of_usage_lines(page, block):
    """`hakoniwa-rigid VERB IN [--option X]`: the verb has these options."""
    for command in commands(re.sub(r'\n {4,}', ' ', block.text)):
        words = command.split()
        if words[0] == 'hakoniwa-rigid' and len(words) > 1:
            assert set(re.findall(r'(?<![\w-])--?[a-z][a-z-]*', command)) <= options(words[1]), command


def options(verb: str) -> set[str]:
    """Of a command, and of those below it."""
    commands_of = next(action.choices for action in cli.parser()._actions
                       if isinstance(action, argparse._SubParsersAction))
    found, waiting = set(), [commands_of[verb]]
    while waiting:
        for action in waiting.pop()._actions:
            found.update(action.option_strings)
            if isinstance(action, argparse._SubParsersAction):
                waiting += action.choices.values()
    return found


def wrong(command: str) -> str:
    """What is wrong with a command; '' where nothing is, or where nothing is known of it."""
    words = shlex.split(re.sub(r'\s[<>]\s?\S+', '', command))
    if words[0].rpartition('/')[2] == 'hakoniwa-rigid':
        try:
            cli.parser().parse_args(words[1:])
        except SystemExit as ended:
            return 'the command line does not take it' if ended.code else ''
    elif words[0] == 'make':
        return ' '.join(word for word in words[1:] if not made(word))
    elif words[:3] == ['ros2', 'launch', 'hakoniwa_rigid']:
        return launched(words[3], words[4:])
    elif words[:3] == ['ros2', 'run', 'hakoniwa_rigid']:
        executables = re.search(r'foreach\(_module ([^)]*)\)', (ROOT / 'CMakeLists.txt').read_text())[1]
        return '' if re.search(rf'\b{words[3]}\b', executables) else 'no such executable'
    return ''


def made(word: str) -> bool:
    """Whether a word behind `make` is a target or sets what the Makefile uses."""
    name, given, _ = word.partition('=')
    used = re.search(rf'\$[({{]{name}\b', MAKEFILE) or name == 'PARENT'    # benchmark/gates/reference.py
    return bool(used) if given else bool(re.search(rf'^{re.escape(word)}:', MAKEFILE, re.MULTILINE))


def launched(file: str, arguments: list[str]) -> str:
    """Whether a launch file is there and knows these arguments; launch itself is in no wheel."""
    path = ROOT / 'launch' / file
    if not path.is_file():
        return 'no such launch file'
    known = path.read_text() + (ROOT / 'hakoniwa_rigid/ros/launch/launch_arguments.py').read_text()
    names = [argument.partition(':=')[0] for argument in arguments]
    return ' '.join(name for name in names if not re.search(rf"'{name}'|\b{name}=", known))


def test_pages_that_sources_name_are_there():
    sources = [path for folder in ('hakoniwa_rigid', 'test', 'benchmark', 'examples', 'launch', 'config', 'msg', 'srv')
               for path in (ROOT / folder).rglob('*')
               if path.suffix in ('.py', '.yaml', '.msg', '.srv', '.sh') and 'node_modules' not in path.parts]
    sources += [ROOT / name for name in ('Makefile', 'CMakeLists.txt', 'setup.py', 'pyproject.toml')]
    assert len(sources) > 500
    named = {(page, path.relative_to(ROOT).as_posix()) for path in sources
             for page in re.findall(r'\bdocs/[\w/-]+\.md\b', path.read_text(encoding='utf8'))}
    assert len(named) > 20
    assert {(page, path) for page, path in named if page not in OF_OTHERS and not (ROOT / page).is_file()
            and not path.endswith(('prose_lint.py', 'test_docs_code.py'))} == set()


@pytest.mark.parametrize('command', [
    'hakoniwa-rigid fly', 'hakoniwa-rigid diff --fly a b', 'make fly', 'make test FLY=1', 'ros2 run hakoniwa_rigid fly',
    'ros2 launch hakoniwa_rigid fly.launch.py', 'ros2 launch hakoniwa_rigid collision.launch.py fly:=1',
])
def test_a_wrong_command_is_found(command):
    assert wrong(command)
