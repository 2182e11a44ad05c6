# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`drones: auto` and `hands: auto` for a bag without a journal: all topics that fit are known from its beginning, so
what they make is named like any other; it takes part from its first sample on."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from hakoniwa_rigid.replay.bag.reader import TopicInfo
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.replay.topics import Names
from hakoniwa_rigid.scene.parameters.discovered import AUTO, DroneTopicRules
from hakoniwa_rigid.scene.parameters.discovered_hands import HandTopicRules
from hakoniwa_rigid.scene.parameters.param_file import GivenParameters
from hakoniwa_rigid.scene.parameters.presets import read_preset
from hakoniwa_rigid.scene.parameters.settings import Values

__all__ = ['with_found']


def with_found(values: Values, given: GivenParameters, there: Iterable[TopicInfo], names: Names,
               notes: list[str]) -> Values:
    """The node's own parameters, with the names of what is found beside auto; notes: lines that say so are added.
    SettingsError; BagError where what has no topics is to be found."""
    groups = {'drones': _drones, 'hands': _hands}
    for group, find in groups.items():
        if AUTO in values[group]:
            known, most = values[group], values[f'spare_{group}']
            found = [name for name in dict.fromkeys(find(values, given, there, names.resolve)) if name not in known]
            notes.append(f'{group}: auto: in the bag are {", ".join(found[:most]) or "none"}')
            if found[most:]:
                notes.append(f'{group}: auto: {len(found) - most} more are left out; spare_{group} takes more')
            values = {**values, group: [*known, *found[:most]]}
    return values


def _drones(values: Values, given: GivenParameters, there: Iterable[TopicInfo],
            resolve: Callable[[str], str]) -> Iterator[str]:
    rules = DroneTopicRules(read_preset(values['sim']), given.given, values, resolve)
    if rules.source == 'tf':
        raise BagError(f'parameter drones: {AUTO}: those that only /tf tells of are not looked for in a bag: name them')
    for topic in sorted(there, key=lambda topic: topic.name):
        name = rules.drone_of(topic.name)
        if name and topic.type == rules.type_of(topic.name):
            yield name


def _hands(values: Values, given: GivenParameters, there: Iterable[TopicInfo],
           resolve: Callable[[str], str]) -> Iterator[str]:
    rules = HandTopicRules(read_preset(values['sim']), given.given, values, resolve)
    for topic in sorted(there, key=lambda topic: topic.name):
        name = rules.hand_of(topic.name)
        if name and topic.type in rules.types_of(name):
            # like a node, which reads the type that the topic has
            given.given.setdefault(f'hands.{name}.type', rules.values_of(name, [topic.type])['type'])
            yield name
