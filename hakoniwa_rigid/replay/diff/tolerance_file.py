# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Tolerances from a YAML file: contacts, trajectories and overrides, every key optional, unknown keys refused."""
from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

from hakoniwa_rigid.scene.errors import WorldFileError
from hakoniwa_rigid.scene.world_files.yaml_node import Node, read_yaml

from .records import CompareError
from .tolerances import ContactTolerance, Override, Tolerances, TrajectoryTolerance

ABOVE_ZERO = ('window', 'rpe_step', 'gap')


def read_tolerances(path: str | Path) -> Tolerances:
    """The tolerances of a file.  CompareError names the file, the key, the value and what would be right."""
    try:
        top = read_yaml(Path(path))
        result = Tolerances(_section(top, 'contacts', ContactTolerance), _section(top, 'trajectories',
                            TrajectoryTolerance), tuple(_override(node) for node in top.children('overrides')))
        top.done()
    except WorldFileError as error:
        raise CompareError(str(error)) from None
    return result


def _section(top: Node, key: str, kind: type):
    return replace(kind(), **dict(_changes(top.child(key), kind))) if top.has(key) else kind()


def _changes(node: Node, kind: type) -> tuple[tuple[str, float], ...]:
    """The keys that are given, checked."""
    given = []
    for field in fields(kind):
        if not node.has(field.name):
            continue
        if isinstance(field.default, bool):
            value = node.flag(field.name, field.default)
        elif isinstance(field.default, int):
            value = node.integer(field.name)
        elif field.name in ABOVE_ZERO:
            value = node.number(field.name, above=0.0)
        else:
            value = node.number(field.name, at_least=0.0)
        given.append((field.name, value))
    node.done()
    return tuple(given)


def _override(node: Node) -> Override:
    if node.has('pair'):
        pair = node.get('pair')
        if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(p, str) and p for p in pair)):
            raise node.error('pair', "must be two body names, * and ? allowed: [d0, 'wall_*']", pair)
        result = Override(_changes(node.child('contacts'), ContactTolerance), pair=(pair[0], pair[1]))
    elif node.has('drone') or node.has('topic'):
        result = Override(_changes(node.child('trajectories'), TrajectoryTolerance), node.text('drone', '*'),
                          node.text('topic', '*'))
    else:
        raise node.error('', 'must say for whom: `pair: [d0, wall]` with contacts, or `drone:` or `topic:` with '
                         'trajectories')
    node.done()
    return result
