# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What made a run, its world file and parameters, and in which keys two of them differ: the likely cause."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hakoniwa_rigid import yaml_text
from hakoniwa_rigid.brief import MOST_VALUE, brief, cut
from hakoniwa_rigid.engine import EngineError
from hakoniwa_rigid.scene.world_files.world_file import parse
from hakoniwa_rigid.scene.world_files.world_writer import write
from hakoniwa_rigid.scene.world_files.yaml_node import Node

# metadata of a bag, as replay and the node's recordings write them
WORLD_KEY, PARAMETERS_KEY = 'hakoniwa_rigid.world', 'hakoniwa_rigid.parameters'
WORLD, PARAMETERS = 'world file', 'parameter'       # where a key stands
NOT_GIVEN = 'not given'
# parameters that change no pose and no contact; `world` is a path, the text of the file is compared
IDLE = {'autostart', 'diagnostics_rate', 'entity_bounds', 'files_folder', 'markers_rate', 'per_drone_topics',
        'publish_contacts', 'publish_constraint_wrenches', 'publish_tf', 'realtime_priority', 'save_world_path',
        'simulation_interfaces', 'world'}
IDLE_BEGINNINGS = ('record', 'state_', 'topic_', 'watchdog')
# letters of a text that is compared; a world of 1000 walls has 200,000
MOST_TEXT = 1 << 20
# what a world file always has that world_writer wrote
WHOLE = {'name', 'gravity', 'dt', 'integrator', 'restitution_threshold', 'scene', 'filters', 'models', 'walls',
         'objects', 'drones', 'hands'}
COSMETIC = {'color', 'colour', 'description', 'name'}   # last words of keys that change no number


@dataclass(frozen=True)
class Setup:
    """The text of the world file, '' where it is not known; parameters by full names, those that change no number and
    those that are empty left out."""

    world: str = ''
    parameters: Mapping[str, Any] = field(default_factory=dict)


class Change(NamedTuple):
    """A key that is not the same in both: 'world file' or 'parameter', its path, both values as short texts."""

    source: str
    key: str
    expected: str
    actual: str

    def __str__(self) -> str:
        what = self.key if self.source == WORLD else f'{self.source} {self.key}'
        return f'{what} differs (expected {self.expected}, actual {self.actual})'


def setup_of(metadata: Mapping[str, str]) -> Setup:
    """What the metadata of a bag say; what cannot be read is left out."""
    return Setup(metadata.get(WORLD_KEY, ''), active(_parsed(metadata.get(PARAMETERS_KEY, ''))))


def active(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Those that are not empty and may change a number."""
    return {name: value for name, value in parameters.items() if value not in ('', [], False, None)
            and name not in IDLE and not name.rpartition('.')[2].startswith(IDLE_BEGINNINGS)}


def changes_of(expected: Setup, actual: Setup, names: Iterable[str] = ()) -> tuple[Change, ...]:
    """The keys that differ, where both sides are known.  First those of the bodies `names` and of what they are made
    of, last those that change no number."""
    found: list[Change] = []
    texts = [side.world.strip() for side in (expected, actual)]
    worlds = [_parsed(text) for text in texts] if texts[0] != texts[1] else [{}, {}]
    # one that is not known, or cannot be read, says nothing
    if all(worlds):
        if _is_whole(worlds[0]) != _is_whole(worlds[1]):    # a recording has it in the words of the node
            worlds = [_whole(world) or world for world in worlds]
        both = [Change(WORLD, *change) for change in _changes('', *worlds)]
        # where one names files that are not here, only single values compare
        found += both if _is_whole(worlds[0]) == _is_whole(worlds[1]) else [c for c in both if _is_single(c)]
    if expected.parameters and actual.parameters:
        found += [Change(PARAMETERS, *change) for change in _changes('', expected.parameters, actual.parameters)]
    related = _related(worlds[0], set(names))
    return tuple(sorted(found, key=lambda change: _rank(change.key.split('.'), related)))


def _is_whole(world: Mapping[str, Any]) -> bool:
    return world.keys() >= WHOLE


def _whole(world: dict[str, Any]) -> dict[str, Any]:
    """A world file in the words of the node's recordings, with everything in it; {} where it is none, or what it names
    is not here."""
    try:
        return world if _is_whole(world) else _parsed(write(parse(Node(world, 'world', ''))))
    except (ValueError, EngineError, OSError):
        return {}


def _is_single(change: Change) -> bool:
    return NOT_GIVEN not in (change.expected, change.actual) and not (change.expected + change.actual).count('[')


def _rank(words: list[str], related: set[str]) -> int:
    return 2 if words[-1] in COSMETIC else 0 if related.intersection(words) else 1


def _parsed(text: str) -> dict[str, Any]:
    if len(text) > MOST_TEXT:
        return {}
    try:
        value = yaml_text.load(text.encode('utf-8', 'replace'))
    except yaml_text.YamlError:
        return {}
    return value if isinstance(value, dict) else {}


def _changes(path: str, one: Any, two: Any) -> Iterator[tuple[str, str, str]]:
    """(path, expected, actual) of what differs, in the order of the first file."""
    one, two = _by_name(one), _by_name(two)
    if isinstance(one, Mapping) and isinstance(two, Mapping):
        for key in [*one, *(key for key in two if key not in one)]:
            below = f'{path}.{key}' if path else str(key)
            if key in one and key in two:
                yield from _changes(below, one[key], two[key])
            else:
                yield cut(below, MOST_VALUE), *(_short(side[key]) if key in side else NOT_GIVEN for side in (one, two))
    elif not _same(one, two):
        yield cut(path, MOST_VALUE), _short(one), _short(two)


def _by_name(value: Any) -> Any:
    """A list of mappings that each have a name of their own, as a mapping by name; anything else as it is."""
    if not isinstance(value, list) or not value:
        return value
    names = [item.get('name') if isinstance(item, dict) else None for item in value]
    if not all(isinstance(name, str) for name in names) or len(set(names)) != len(names):
        return value
    return dict(zip(names, value, strict=True))


def _same(one: Any, two: Any) -> bool:
    """1 is 1.0, true is not 1, NaN is NaN."""
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(_same, one, two))
    if isinstance(one, bool) or isinstance(two, bool):
        return one is two
    return one == two or (one != one and two != two)


def _short(value: Any) -> str:
    return cut(value, MOST_VALUE) if isinstance(value, str) else brief(value)


def _related(world: Mapping[str, Any], names: set[str]) -> set[str]:
    """The names, and the words in the entries that they name: their models and materials, and the materials of those
    models."""
    found = set(names)
    for _ in range(2):
        for section in map(_by_name, world.values()):
            if isinstance(section, dict):
                found |= {word for key in found & set(section) for word in _words(section[key])}
    return found


def _words(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _words(item)
