# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What may come by itself: drones (`drones: auto`) and hands (`hands: auto`), each with the topics that make one, its
name, and what it is in the scene.  When they come and leave: discovery.py."""

from __future__ import annotations

from collections.abc import Container
from typing import Protocol

from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.inputs.sources import Source
from hakoniwa_rigid.scene.parameters.discovered import AUTO, DroneTopicRules, Models
from hakoniwa_rigid.scene.parameters.discovered_hands import HandModels, HandTopicRules
from hakoniwa_rigid.scene.parameters.presets import read_preset
from hakoniwa_rigid.scene.parameters.settings import Settings, Values
from hakoniwa_rigid.scene.places import Body
from hakoniwa_rigid.scene.read_settings import models_to_come, origin_of
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig

from ..errors import StartError
from .lockstep_ticks import check_source
from .subscriptions import Inputs

__all__ = ['DroneNewcomers', 'HandNewcomers', 'Newcomers', 'asked_for']


class Newcomers(Protocol):
    """kind: 'drone' or 'hand'; most: so many may have come at a time; by_tf: whether frames of /tf make one, too."""

    kind: str
    most: int
    by_tf: bool

    def name_of(self, topic: str) -> str:
        """The name of what a topic makes; '' for none."""

    def name_in(self, frame: str) -> str:
        """The same of a frame of /tf."""

    def types_of(self, name: str, topic: str) -> tuple[str, ...]:
        """Types of which that topic has to have one."""

    def topics_of(self, name: str) -> list[str]:
        """Full names of the topics of which a publisher keeps it."""

    def config_of(self, name: str) -> Body:
        """What comes under a name.  SettingsError."""

    @property
    def there(self) -> Container[str]:
        """Names of all of this kind, whichever way they came."""

    def source_of(self, name: str) -> Source | None:
        """What it is read from."""


class DroneNewcomers:
    """See Newcomers."""

    kind = 'drone'

    def __init__(self, node, scene: CollisionScene, settings: Settings, inputs: Inputs, given: Values) -> None:
        """given: parameters by full names.  StartError, SettingsError where it cannot be."""
        values = settings.node
        if not values['per_drone_topics']:
            raise StartError(f'parameter drones: {AUTO}: needs per_drone_topics: true')
        self._scene, self._values, self._inputs = scene, values, inputs
        self.most = settings.world.spare.drones
        self._rules = DroneTopicRules(read_preset(values['sim']), given, values, node.resolve_topic_name)
        if values['pace'] == 'lockstep':
            check_source('<name>', self._rules.source, self._rules.stamp or values['stamp'])
        self._models = Models(values)
        self._by_name = models_to_come(values, settings.world)
        self.by_tf = self._rules.source in ('tf', 'pose_or_tf')
        self.name_of, self.name_in = self._rules.drone_of, self._rules.drone_in

    def types_of(self, name: str, topic: str) -> tuple[str, ...]:
        """See Newcomers."""
        return self._rules.type_of(topic),

    def topics_of(self, name: str) -> list[str]:
        """See Newcomers."""
        return self._rules.topics_of(self._rules.values_of(name))

    def config_of(self, name: str) -> Body:
        """See Newcomers."""
        values = self._rules.values_of(name)
        authority = values['authority'] or self._values['default_authority'] or 'correct'
        return DroneConfig(name, self._by_name[self._models.of(name)], origin=origin_of(name, values),
                           authority=authority)

    @property
    def there(self) -> Container[str]:
        """See Newcomers."""
        return self._scene.drone_index

    def source_of(self, name: str) -> Source | None:
        """See Newcomers."""
        return self._inputs.adapter.drones.get(name)


class HandNewcomers:
    """See Newcomers."""

    kind, by_tf = 'hand', False

    def __init__(self, node, scene: CollisionScene, settings: Settings, inputs: Inputs, given: Values) -> None:
        """given: parameters by full names.  SettingsError where it cannot be."""
        values = settings.node
        self._scene, self._inputs = scene, inputs
        self.most = settings.world.spare.hands
        self._rules = HandTopicRules(read_preset(values['sim']), given, values, node.resolve_topic_name)
        self._models = HandModels(values, settings.world.hands)
        self._models.check_that_they_come()
        self.name_of, self.config_of = self._rules.hand_of, self._models.of

    def name_in(self, frame: str) -> str:
        """See Newcomers."""
        return ''

    def types_of(self, name: str, topic: str) -> tuple[str, ...]:
        """See Newcomers."""
        return self._rules.types_of(name)

    def topics_of(self, name: str) -> list[str]:
        """See Newcomers."""
        return [self._rules.topic_of(name)]

    @property
    def there(self) -> Container[str]:
        """See Newcomers."""
        return self._scene.hand_names

    def source_of(self, name: str) -> Source | None:
        """See Newcomers."""
        return self._inputs.adapter.hand_sources.get(name)


def asked_for(node, scene: CollisionScene, settings: Settings, inputs: Inputs, given: Values) -> list[Newcomers]:
    """What the parameters drones and hands ask for.  StartError, SettingsError."""
    kinds = {'drones': DroneNewcomers, 'hands': HandNewcomers}
    return [made(node, scene, settings, inputs, given) for group, made in kinds.items()
            if AUTO in settings.node[group]]
