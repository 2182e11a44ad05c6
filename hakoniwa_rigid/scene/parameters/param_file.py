# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Parameters from a file in the format of ROS, without ROS: what a node is given with --params-file.

    /**:
      ros__parameters:
        world: gym
        drones:
          d0: {authority: observe}

A key is a node's name with or without namespace, or a pattern; of equal parameters the last one holds.  Unlike a node,
which only warns, a replay refuses names that nothing declares: it has no console that shows a warning.
"""
from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from hakoniwa_rigid import yaml_text
from hakoniwa_rigid.brief import did_you_mean
from hakoniwa_rigid.files import read_bytes

from ..errors import SettingsError
from .params import Param, check, default_of, is_built_in
from .settings import Values

__all__ = ['GivenParameters', 'read_param_file']

NODE_NAMES = ('collision_node', '*', '**')
SECTION = 'ros__parameters'
PREFIXES_OF_ROS = ('qos_overrides.',)


class GivenParameters:
    """Values by full names, such as `drones.d0.source`; `where` they were given, for messages."""

    def __init__(self, given: Values, where: str = 'parameters') -> None:
        self.given, self.where = given, where
        self.values: Values = {}    # of everything declared, by full names
        self._known: set[str] = set()   # what may be given

    def declare(self, table: tuple[Param, ...], prefix: str = '', name: str = '') -> Values:
        """The values of a table's entries under a prefix.  Raises SettingsError."""
        values = {}
        for spec in table:
            full = prefix + spec.name
            listed = prefix + (spec.listed or spec.name)
            self._known |= {full, listed}
            full = full if full in self.given else listed
            if full in self.given and not _is_nothing(self.given[full], spec):
                values[spec.name] = check(full, spec, self.given[full])
            else:
                values[spec.name] = default_of(spec, name)
            self.values[prefix + spec.name] = values[spec.name]
        return values

    def check_unknown(self) -> None:
        """Raises SettingsError where something was given that nothing has declared."""
        unknown = [name for name in self.given if name not in self._known and not is_built_in(name)
                   and not name.startswith(PREFIXES_OF_ROS)]
        if unknown:
            hint = did_you_mean(unknown[0], self.values) or '; a typing error, or a drone that is not served?'
            raise SettingsError(f'{self.where}: unknown: {", ".join(f"parameter {name}" for name in unknown)}{hint}')


def read_param_file(path: str | Path) -> Values:
    """Parameters of the collision node in a file, by full names.  Raises SettingsError; OSError as open."""
    path = Path(path)
    try:
        root = yaml_text.compose(read_bytes(path, yaml_text.MOST_BYTES))
    except yaml_text.YamlError as error:
        raise SettingsError(f'{path}: {error}') from error
    if root is None:
        return {}
    nodes = [(key, section) for key, body in _items(root, str(path)) for word, section in _items(body, f'{path}: {key}')
             if word == SECTION]
    if not nodes:
        raise SettingsError(f'{path}: no {SECTION}; it must look like /**: {{{SECTION}: {{world: gym}}}}')
    ours = [section for key, section in nodes if key.rstrip('/').rpartition('/')[2] in NODE_NAMES]
    if not ours:
        names = ', '.join(key for key, _ in nodes)
        raise SettingsError(f'{path}: parameters of {names}, none of /** or collision_node')
    given: Values = {}
    for section in ours:
        _flatten(section, '', given, str(path))
    return given


def _flatten(node: yaml.Node, prefix: str, given: Values, where: str) -> None:
    for key, value in _items(node, f'{where}: {prefix.rstrip(".") or SECTION}'):
        if isinstance(value, yaml.MappingNode):
            _flatten(value, f'{prefix}{key}.', given, where)
        else:
            given[prefix + key] = yaml_text.value_of(value)


def _items(node: yaml.Node, where: str) -> list[tuple[str, yaml.Node]]:
    """Of a mapping, all: a file may name `drones` twice, as the list and as what holds the parameters of each."""
    if isinstance(node, yaml.ScalarNode) and yaml_text.value_of(node) is None:
        return []
    if not isinstance(node, yaml.MappingNode):
        raise SettingsError(f'{where}: must be a mapping of names to values')
    return [(str(key.value), value) for key, value in node.value]


def _is_nothing(value: Any, spec: Param) -> bool:
    """An empty list means the default of a list, whatever its type."""
    return value == [] and spec.default in ([], ())
