# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""YAML of strangers: text, numbers, true and false, null, lists and mappings, within limits that cost little to check.

No dates, no other types, no merged mappings.  Aliases may be used; what they stand for counts every time.
"""
from __future__ import annotations

import re
from typing import Any

import yaml

from .brief import MOST_VALUE, brief, cut

# bytes of a file: PyYAML without libyaml reads some 100 kB a second; a world of 1000 walls has 200 kB
MOST_BYTES = 8 << 20
# mappings and lists inside each other; worlds need 8
MOST_DEPTH = 40
# values, those of aliases counted wherever they stand
MOST_NODES = 500_000
# what libyaml says of more than its own limit, 1000 (since 0.2.6)
LIBYAML_TOO_DEEP = 'maximum nesting depth'
# letters of a number; Python refuses more than 4300
MOST_NUMBER = 1000

NEWLINE = '\n'
TAG = 'tag:yaml.org,2002:'
SCALARS = {TAG + kind: kind for kind in ('str', 'int', 'float', 'bool', 'null')}
TEXT = TAG + 'str'


class YamlError(ValueError):
    """What is wrong, with its line."""


# where PyYAML was built with libyaml, ten times faster
_Base = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)


class Loader(_Base):
    """safe_load without dates, that reads 1e-3 as a number (YAML 1.1 takes it for text)."""

    yaml_implicit_resolvers = {letter: [(tag, pattern) for tag, pattern in known if tag in SCALARS]
                               for letter, known in yaml.SafeLoader.yaml_implicit_resolvers.items()}


Loader.add_implicit_resolver(TAG + 'float', re.compile(r'^[-+]?[0-9][0-9_]*(\.[0-9_]*)?[eE][-+]?[0-9]+$'),
                             list('-+0123456789'))


def compose(data: bytes) -> yaml.Node | None:
    """The nodes of a text, checked; None of an empty one.  YamlError."""
    return _compose(data)[1]


def load(data: bytes) -> Any:
    """The values of a text; keys of mappings are texts, each given once.  YamlError."""
    loader, root = _compose(data)
    return None if root is None else construct(loader, root, {})


def value_of(node: yaml.Node) -> Any:
    """The value of a node that compose gave."""
    return construct(Loader(''), node, {})


def construct(loader: Loader, node: yaml.Node, made: dict[int, Any]) -> Any:
    """The value of a checked node; nodes that were `made` already, by id, are not made again."""
    if id(node) not in made:
        made[id(node)] = _made(loader, node, made)
    return made[id(node)]


def _made(loader: Loader, node: yaml.Node, made: dict[int, Any]) -> Any:
    if isinstance(node, yaml.SequenceNode):
        return [construct(loader, item, made) for item in node.value]
    if isinstance(node, yaml.ScalarNode):
        return _scalar(loader, node)
    found: dict[str, Any] = {}
    for key_node, value in node.value:
        key = construct(loader, key_node, made)
        if not isinstance(key, str):
            raise _wrong(key_node, f'keys must be text, got {brief(key)}')
        if key in found:
            raise _wrong(key_node, f'key {brief(key)} is given twice')
        found[key] = construct(loader, value, made)
    return found


def _scalar(loader: Loader, node: yaml.ScalarNode) -> Any:
    if node.tag == TEXT:
        return node.value
    # a tag that was written, such as !!bool foo, must be that of the text
    if loader.resolve(yaml.ScalarNode, node.value, (True, False)) == node.tag:
        try:
            return loader.construct_object(node)
        except (ValueError, OverflowError):     # 0x_
            pass
    raise _wrong(node, f'{brief(node.value)} is no {SCALARS[node.tag]}')


def _compose(data: bytes) -> tuple[Loader, yaml.Node | None]:
    if len(data) > MOST_BYTES:
        raise YamlError(f'is too large: {len(data)} bytes, at most {MOST_BYTES} are read')
    try:
        text = data.decode('utf-8-sig')
    except UnicodeDecodeError as error:
        raise YamlError(f'is not UTF-8 text: {error.reason} at byte {error.start}') from None
    try:
        _check_depth(text)
        loader = Loader(text)
        root = loader.get_single_node()
    except yaml.YAMLError as error:
        mark = getattr(error, 'problem_mark', None)
        # libyaml counts the end of the text as a line
        where = f'line {min(mark.line, text.count(NEWLINE)) + 1}: ' if mark else ''
        problem = getattr(error, 'problem', None) or getattr(error, 'reason', None) or 'cannot be read'
        raise YamlError(f'{where}is no YAML: {cut(problem, MOST_VALUE)}') from None
    except ValueError as error:     # an escape such as "\UFFFFFFFF" that is no letter
        if isinstance(error, YamlError):
            raise
        raise YamlError(f'is no YAML: {cut(str(error), MOST_VALUE)}') from None
    if root is not None:
        _check(root, {}, 0)
    return loader, root


def _check_depth(text: str) -> None:
    """Before the nodes are made: that goes down by calls, and where libyaml makes them, one too deep is no exception
    but the end of the process."""
    depth = 0
    try:
        for event in yaml.parse(text, Loader=Loader):
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > MOST_DEPTH:
                    raise _too_deep(event.start_mark)
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
    except yaml.YAMLError as error:
        # its scanner runs ahead of the events
        if LIBYAML_TOO_DEEP in str(getattr(error, 'problem', '') or ''):
            raise _too_deep(error.problem_mark) from None
        raise


def _check(node: yaml.Node, counted: dict[int, tuple[int, int]], above: int) -> tuple[int, int]:
    """(values, depth) of a node; counted: those of nodes by id, (0, 0) while they are being counted."""
    if id(node) in counted:
        if counted[id(node)] == (0, 0):
            raise _wrong(node, 'must not contain itself')
        return counted[id(node)]
    counted[id(node)] = (0, 0)
    size, depth = 1, 1
    if isinstance(node, yaml.ScalarNode):
        if node.tag not in SCALARS:
            raise _wrong(node, 'is no YAML of texts, numbers, '
                         f'true, false and null: type {brief(node.tag.removeprefix(TAG))}')
        if node.tag != TEXT and len(node.value) > MOST_NUMBER:
            raise _wrong(node, f'a number must have at most {MOST_NUMBER} letters, got {len(node.value)}')
    else:
        if node.tag != TAG + ('map' if isinstance(node, yaml.MappingNode) else 'seq'):
            raise _wrong(node, f'is no YAML of lists and mappings: type {brief(node.tag.removeprefix(TAG))}')
        items = [x for pair in node.value for x in pair] if isinstance(node, yaml.MappingNode) else node.value
        for item in items:
            more, deep = _check(item, counted, above + 1)
            size, depth = size + more, max(depth, deep + 1)
    if size > MOST_NODES or depth + above > MOST_DEPTH + 1:
        raise _wrong(node, f'holds too much: at most {MOST_NODES} values, {MOST_DEPTH} deep, are read')
    counted[id(node)] = size, depth
    return size, depth


def _too_deep(mark: yaml.Mark) -> YamlError:
    return YamlError(f'line {mark.line + 1}: must not be nested more than {MOST_DEPTH} deep')


def _wrong(at: yaml.Node | yaml.Event, message: str) -> YamlError:
    return YamlError(f'line {at.start_mark.line + 1}: {message}')
