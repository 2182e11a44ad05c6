# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Pages of the site that are made from the sources: messages, parameters, commands, the public API, the gallery.

Sphinx runs this (docs/conf.py); each function returns the text of a page in MyST Markdown.
"""
from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHOWN = 12      # lines of an example in the gallery
# what examples draw (gallery_pictures.py)
GALLERY = ROOT / 'docs/generated/pictures'
# pictures that show what an example does, where it has not drawn its own
PICTURES = {'01_mass_of_a_mesh': 'bracket_mass', '02_tumbling_racket': 'tumbling', '06_listen_to_contacts': 'demo',
            '15_authority': 'authority', '20_rattleback': 'rattleback', '22_slung_load': 'slung_load',
            '26_hands_that_hold': 'hands_hold'}
PUBLIC = ('hakoniwa_rigid.engine', 'hakoniwa_rigid.scene', 'hakoniwa_rigid.testing', 'hakoniwa_rigid.lockstep')


def messages() -> str:
    """Every message and service as it is in the sources: each field has its unit and its frame there."""
    lines = ['# Messages and services', '',
             'This page has every message and service of the package, with the comments '
             'of the sources.', '']
    for folder in ('msg', 'srv'):
        for path in sorted((ROOT / folder).glob(f'*.{folder}')):
            lines += [f'## {path.stem}', '', f'`hakoniwa_rigid/{folder}/{path.stem}`', '', '```text',
                      path.read_text(encoding='utf8').rstrip(), '```', '']
    return '\n'.join(lines)


def parameters() -> str:
    """The tables that the nodes declare."""
    from hakoniwa_rigid.scene.parameters import params
    tables = (('Of the node', '', params.NODE), ('Of each drone', 'drones.<name>.', params.DRONE),
              ('Of each hand', 'hands.<name>.', params.HAND))
    lines = ['# Parameters of collision_node', '',
             'This page has every parameter, from the table that the node declares. '
             '`ros2 param describe` says the same.', '']
    for title, prefix, table in tables:
        lines += [f'## {title}', '', '| name | default | range | what |', '|---|---|---|---|']
        lines += [f'| `{prefix}{p.name}` | `{p.default!r}` | {_range(p)} | {_cell(p.description)} |' for p in table]
        lines.append('')
    return '\n'.join(lines)


def _range(p) -> str:
    if p.choices:
        return ', '.join(f'`{choice!r}`' for choice in p.choices)
    return '' if p.low is None and p.high is None else f'{"" if p.low is None else p.low} to {p.high}'


def _cell(text: str) -> str:
    return re.sub(r'([<|*_])', r'\\\1', text)


def commands() -> str:
    """The help of every verb."""
    from hakoniwa_rigid.cli import parser
    lines = ['# Commands', '', 'This page has the help of `hakoniwa-rigid` and of each of its verbs.', '']
    for name, one in _parsers('hakoniwa-rigid', parser()):
        lines += [f'## {name}', '', '```text', one.format_help().rstrip(), '```', '']
    return '\n'.join(lines)


def _parsers(name: str, one: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    yield name, one
    for action in one._actions:
        if isinstance(action, argparse._SubParsersAction):
            for verb, below in action.choices.items():
                yield from _parsers(f'{name} {verb}', below)


def api() -> str:
    """What programs import: names, signatures, docstrings."""
    lines = ['# API reference', '', 'This page has what the public modules export.', '']
    for module in PUBLIC:
        lines += [f'## {module}', '', '```{eval-rst}', f'.. automodule:: {module}', '   :members:',
                  '   :imported-members:', '   :undoc-members:', '```', '']
    return '\n'.join(lines)


def examples() -> list[Path]:
    """In the order of their numbers."""
    return sorted((ROOT / 'examples').glob('[0-9]*.py'))


def gallery() -> str:
    """Every example: what it is, its picture where there is one, its first lines."""
    lines = ['# Gallery', '',
             'This page shows every script of `examples/`: run one with `python examples/NAME.py`.', '']
    for path in examples():
        text = path.read_text(encoding='utf8')
        title = path.stem.split('_', 1)[1].replace('_', ' ').capitalize()
        body = text.splitlines()[_code_starts(text):][:SHOWN]
        own, kept = GALLERY / f'{path.stem}.png', ROOT / 'docs/images' / f'{PICTURES.get(path.stem, path.stem)}.png'
        picture, where = (own, 'pictures') if own.exists() else (kept, '../images')
        lines += [f'## {title}', '', ' '.join((ast.get_docstring(ast.parse(text)) or '').split()), '']
        lines += [f'![{title}]({where}/{picture.name})', ''] if picture.exists() else []
        lines += ['```python', *body, '```', '', f'[{path.name}](../../examples/{path.name})', '']
    return '\n'.join(lines)


def _code_starts(text: str) -> int:
    """The line of the first function or statement behind the imports."""
    for node in ast.parse(text).body:
        if not isinstance(node, (ast.Import, ast.ImportFrom, ast.Expr)):
            return node.lineno - 1
    return 0


PAGES = {'messages': messages, 'parameters': parameters, 'commands': commands, 'api': api, 'gallery': gallery}


def write_all(folder: Path) -> None:
    """Make them anew; those that did not change keep their time."""
    folder.mkdir(exist_ok=True)
    for name, make in PAGES.items():
        path, text = folder / f'{name}.md', make()
        if not path.exists() or path.read_text(encoding='utf8') != text:
            path.write_text(text, encoding='utf8')
