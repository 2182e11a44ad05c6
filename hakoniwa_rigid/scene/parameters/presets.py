# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Presets: what a simulator calls its topics and means by its messages, as defaults of the parameters.

A preset is a file of config/sims: `node`, `drone` and `hand` hold parameters by their names, `unnumbered` those of
`drone` that differ for a drone without a number, or with number 0.  In strings {drone} is the drone's name, {hand} the
hand's, in topics with _ for what ROS forbids there; {number} is the number at the end of the name, {stem} what stands
before it.  What a user gives
goes before the preset, and the preset before the built-in default.
"""
from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hakoniwa_rigid import yaml_text
from hakoniwa_rigid.brief import brief, did_you_mean
from hakoniwa_rigid.files import read_bytes
from hakoniwa_rigid.paths import preset_file

from ..errors import SettingsError
from .params import DRONE, HAND, NODE, SIM, Param, ParameterSource, check
from .settings import Values, topic_token

__all__ = ['Preset', 'declare_node', 'is_numbered', 'read_preset']

SECTIONS = {'node': NODE, 'drone': DRONE, 'unnumbered': DRONE, 'hand': HAND}
NUMBER = re.compile('[0-9]+$')
PLACE = re.compile(r'\{(.*?)\}')


@dataclass(frozen=True)
class Preset:
    """Values by section and name of the parameter; `where` they stand, for messages."""

    where: str = ''
    sections: Mapping[str, Values] = field(default_factory=dict)

    def node(self, table: tuple[Param, ...] = NODE) -> tuple[Param, ...]:
        """The table with the preset's values as defaults."""
        return self._over(table, ('node',), {})

    def drone(self, name: str) -> tuple[Param, ...]:
        """The parameters of a drone."""
        words = _words('drone', name)
        sections = ('drone',) if is_numbered(name) else ('unnumbered', 'drone')
        return self._over(DRONE, sections, words)

    def hand(self, name: str) -> tuple[Param, ...]:
        """The parameters of a hand."""
        return self._over(HAND, ('hand',), _words('hand', name))

    def _over(self, table: tuple[Param, ...], sections: tuple[str, ...], words: dict[str, str]) -> tuple[Param, ...]:
        """The first section that has a parameter counts."""
        return tuple(next((self._changed(spec, section, values[spec.name], words) for section in sections
                           if spec.name in (values := self.sections.get(section, {}))), spec) for spec in table)

    def _changed(self, spec: Param, section: str, value: Any, words: dict[str, str]) -> Param:
        full = f'{section}.{spec.name}'
        if spec.name.startswith('topic'):
            words = {key: word if key == 'number' else topic_token(word) for key, word in words.items()}
        filled = _filled(value, words, f'{self.where}: {full}')
        try:
            return replace(spec, default=check(full, spec, filled))
        except SettingsError as error:
            raise SettingsError(f'{self.where}: {error}') from error


def is_numbered(name: str) -> bool:
    """Whether there is a number at its end, other than 0."""
    found = NUMBER.search(name)
    return bool(found) and found[0].strip('0') != ''


def _words(kind: str, name: str) -> dict[str, str]:
    """What may stand in braces for a 'drone' or 'hand'; the number without leading zeros, empty where there is none."""
    found = NUMBER.search(name)
    return {kind: name, 'number': str(int(found[0])) if found else '', 'stem': NUMBER.sub('', name)}


def _filled(value: Any, words: dict[str, str], where: str) -> Any:
    if isinstance(value, list):
        return [_filled(item, words, where) for item in value]
    if not isinstance(value, str):
        return value
    for word in PLACE.findall(value):
        if word not in words:
            known = ', '.join(f'{{{w}}}' for w in words) or 'none'
            raise SettingsError(f'{where}: {{{word}}} in {value!r} is not known; known here: {known}')
    return PLACE.sub(lambda found: words[found[1]], value)


def read_preset(sim: str) -> Preset:
    """The preset of a simulator by its name, or a file; that of '' is empty.  SettingsError says what is wrong."""
    if not sim:
        return Preset()
    try:
        path = preset_file(sim)
        top = yaml_text.load(read_bytes(path, yaml_text.MOST_BYTES)) or {}
    except OSError as error:
        raise SettingsError(f'parameter sim: no preset {sim!r}: {error}') from error
    except yaml_text.YamlError as error:
        raise SettingsError(f'parameter sim: {path}: {error}') from error
    _check_keys(top, set(SECTIONS), str(path))
    for section, values in top.items():
        known = {spec.name for spec in SECTIONS[section]} - {SIM.name}
        _check_keys(values or {}, known, f'{path}: {section}')
    return Preset(str(path), {section: values or {} for section, values in top.items()})


def _check_keys(node: Any, known: set[str], where: str) -> None:
    if not isinstance(node, dict):
        raise SettingsError(f'{where}: must be a mapping of names to values, got {brief(node)}')
    for key in node:
        if key not in known:
            raise SettingsError(f'{where}: {key} is unknown{did_you_mean(str(key), known)}')


def declare_node(parameters: ParameterSource, table: tuple[Param, ...] = NODE) -> Values:
    """The values of the node's own parameters, the preset's among their defaults.  Raises as ParameterSource.declare,
    and SettingsError where there is no such preset."""
    preset = read_preset(parameters.declare((SIM,))[SIM.name])
    return parameters.declare(preset.node(table))
