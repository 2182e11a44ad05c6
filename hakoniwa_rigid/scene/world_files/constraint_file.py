# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Constraints of world files, and of `attach` while a scene runs: the same keys, with the engine's names and limits.

What needs the poses of the bodies, how far apart anchors are say, is for the engine (bodies, constraints).
"""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

from ...engine.constants import MAX_COORDINATE
from ...engine.model.solvers import solvers_with_constraints
from .world_types import CONSTRAINT_KINDS, MOST_CONSTRAINTS, ConstraintConfig, WorldConfig
from .yaml_node import Node

# N, N m, N s, N/m, N s/m, as in the engine; letters of a name
MOST_LOAD, MOST_NAME = 1e15, 255
# keys that mean something to these kinds only
ONLY = {'axis': ('hinge',), 'length': ('distance', 'cable', 'spring'), 'restitution': ('cable',),
        'stiffness': ('spring',), 'damping': ('spring',), 'max_torque': ('fixed', 'hinge')}
NEEDED = ('axis', 'stiffness')

__all__ = ['constraint_of', 'holds_constraints', 'read_constraint', 'read_constraints', 'write_constraint']


def holds_constraints(config: WorldConfig) -> bool:
    """Whether its solver holds bodies together."""
    return config.solver in solvers_with_constraints() and config.contact is None


def read_constraints(top: Node) -> tuple[ConstraintConfig, ...]:
    """`constraints:` of a world file."""
    nodes = top.children('constraints')
    if len(nodes) > MOST_CONSTRAINTS:
        raise top.error('constraints', f'must be at most {MOST_CONSTRAINTS}', len(nodes))
    return tuple(read_constraint(node) for node in nodes)


def read_constraint(node: Node) -> ConstraintConfig:
    """One constraint.  WorldFileError names key and value."""
    kind = node.text('kind', one_of=CONSTRAINT_KINDS)
    values = {name: node.text(name, at_most=MOST_NAME) for name in ('name', 'body_a', 'body_b')}
    for key in ('anchor_a', 'anchor_b', 'axis'):
        if _given(node, key, kind):
            values[key] = node.vector(key)
            for k, x in enumerate(values[key]):
                if abs(x) > MAX_COORDINATE:
                    raise node.error(f'{key}[{k}]', f'must be within +-{MAX_COORDINATE:g} m', x)
    limits = {'length': {'above': 0.0, 'at_most': MAX_COORDINATE}, 'restitution': {'at_least': 0.0, 'at_most': 1.0},
              'stiffness': {'above': 0.0, 'at_most': MOST_LOAD}, 'gap': {'at_least': 0.0, 'at_most': 1.0}}
    loads = ('damping', 'max_force', 'max_torque', 'break_force', 'break_impulse')
    for key in (*limits, *loads):
        if _given(node, key, kind):
            values[key] = node.number(key, **limits.get(key, {'at_least': 0.0, 'at_most': MOST_LOAD}))
    if node.has('collide'):
        values['collide'] = node.flag('collide', False)
    node.done()
    if values['body_a'] == values['body_b']:
        raise node.error('body_b', 'must be another body than body_a', values['body_b'])
    return ConstraintConfig(kind=kind, **values)


def _given(node: Node, key: str, kind: str) -> bool:
    """Whether a key is to be read; one that means nothing to the kind is left unasked, and so an error."""
    if kind not in ONLY.get(key, CONSTRAINT_KINDS):
        return False
    return node.has(key) or key in NEEDED


def constraint_of(values: dict[str, object], source: str) -> ConstraintConfig:
    """The constraint of arguments by the keys of world files; None: not given.  WorldFileError, with `source` in the
    place of a file."""
    return read_constraint(Node({key: plain(value) for key, value in values.items() if value is not None}, source, ''))


def plain(value: object) -> object:
    """Numbers and arrays of numpy, and tuples, as a YAML file has them."""
    value = value.tolist() if hasattr(value, 'tolist') else value
    if isinstance(value, dict):
        return {key: plain(x) for key, x in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return [plain(x) for x in value]
    return value


def write_constraint(c: ConstraintConfig) -> dict[str, object]:
    """For a file: what differs from the default."""
    values = {f.name: getattr(c, f.name) for f in fields(c)}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()
            if value != getattr(ConstraintConfig, key, None)}
