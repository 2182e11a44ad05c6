# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Topics of drones and hands that come while the node runs: by ~/spawn, by the standard services, from a saved state,
or since their topic appeared (discovery.py).

They are opened between two ticks, after everything of a tick has been sent, for one newcomer at a time: making a dozen
endpoints takes DDS a few milliseconds.  What has left is closed before the next inputs are read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Protocol

from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.errors import SettingsError
from hakoniwa_rigid.scene.parameters.discovered import drone_values
from hakoniwa_rigid.scene.parameters.discovered_hands import hand_values
from hakoniwa_rigid.scene.parameters.presets import read_preset
from hakoniwa_rigid.scene.parameters.settings import Settings, Values
from hakoniwa_rigid.scene.records import Ledger

from ..errors import StartError
from .lockstep_ticks import check_source
from .recorder import Recorder
from .subscriptions import Inputs

__all__ = ['DronePart', 'SpawnedTopics']

# 'drone' or 'hand', and the number of its place
Where = tuple[str, int]


class DronePart(Protocol):
    """A part of the node that has something of its own for each drone."""

    def open_drone(self, name: str, values: Values) -> None:
        """A drone has come: values of its parameters.  StartError where it cannot have what they ask for."""

    def close_drone(self, name: str) -> None:
        """It has left."""


class SpawnedTopics:
    """Those of one configured node; `close` ends them.  parts: by name, what has something of its own for each drone;
    given: parameters by full names, which may be of drones and hands that are still to come."""

    def __init__(self, node, scene: CollisionScene, settings: Settings, inputs: Inputs,
                 parts: Mapping[str, DronePart], given: Mapping[str, Any], recorder: Recorder) -> None:
        self._node, self._scene, self._settings, self._inputs = node, scene, settings, inputs
        self._parts, self._given, self._recorder = parts, given, recorder
        self._preset = read_preset(settings.node['sim'])
        self._open: dict[str, Where] = {}   # by name
        self._opened: dict[str, list[str]] = {}     # the parts in which each is
        self._refused: set[str] = set()     # names of what is there and cannot have topics of its own
        self._topics: dict[str, list[str]] = {}     # full names of the topics that each is read from
        self._closed_at = self._opened_at = scene.roster
        self._ledger: Ledger = inputs.adapter.ledger

    def close(self) -> None:
        """Each part closes what it has opened."""
        self._open.clear()

    def close_left(self) -> None:
        """Before inputs are read: a place may have another drone by now."""
        if self._closed_at == self._scene.roster:
            return
        self._closed_at = self._scene.roster
        there = self._there()
        for name in [name for name, where in self._open.items() if there.get(name) != where]:
            self._close(name)
            self._ledger.forget(name)
        self._refused &= there.keys()

    def _there(self) -> dict[str, Where]:
        """What came and is to have topics of its own."""
        kinds = ('drone', 'hand') if self._settings.node['per_drone_topics'] else ('hand',)
        return {name: (kind, place) for kind in kinds for name, place in self._scene.spawned(kind).items()}

    @property
    def is_idle(self) -> bool:
        """Whether everything that came has its topics."""
        return self._opened_at == self._scene.roster

    def open_next(self) -> None:
        """Between two ticks: of a drone or a hand that has none yet."""
        if self._opened_at == self._scene.roster:
            return
        self.close_left()
        waiting = [(name, where) for name, where in self._there().items()
                   if name not in self._open and name not in self._refused]
        if len(waiting) <= 1:
            self._opened_at = self._scene.roster
        if waiting:
            self._try(*waiting[0])

    def _try(self, name: str, where: Where) -> None:
        try:
            self._open_newcomer(name, where)
        except (LookupError, SettingsError, StartError) as error:
            self._refused.add(name)
            self._ledger.note('not_opened', name, f'it has no topics of its own: {error}')

    def _values(self, name: str, kind: str) -> Values:
        """Of its parameters.  A hand has messages of the type that its topic has by now."""
        if kind == 'drone':
            values, node = drone_values(self._preset, self._given, name), self._settings.node
            if node['pace'] == 'lockstep':
                check_source(name, values['source'], values['stamp'] or node['stamp'])
            return values
        topic = hand_values(self._preset, self._given, name)['topic']
        types = dict(self._node.get_topic_names_and_types()).get(self._node.resolve_topic_name(topic), ())
        return hand_values(self._preset, self._given, name, types)

    def _open_newcomer(self, name: str, where: Where) -> None:
        kind, _ = where
        values = self._values(name, kind)
        resolve = self._node.resolve_topic_name
        asked = {resolve(topic) for topic in _topics_of(values)}
        taken = {topic: other for other, topics in (*self._first.items(), *self._topics.items()) for topic in topics}
        if both := sorted(asked & taken.keys()):
            raise StartError(f'{both[0]} is a topic of {taken[both[0]]}')
        topics = self._inputs.open_newcomer(name, values)
        self._open[name] = where
        self._topics[name] = sorted(asked)
        corrected = values.get('topic_odom_corrected', '')
        output = resolve(corrected) if corrected else ''
        self._recorder.connect(name, _plain(values), topics, output)
        self._opened[name] = []
        for what, part in self._parts.items() if kind == 'drone' else ():
            try:
                part.open_drone(name, values)
                self._opened[name].append(what)
            except StartError as error:
                self._ledger.note('not_opened', name, error)
        self._node.get_logger().info(f'{name} has come: it is read from {", ".join(at for *_, at in topics)}')

    @cached_property
    def _first(self) -> dict[str, list[str]]:
        """Full names of the topics of the drones and hands that are served from the start."""
        resolve = self._node.resolve_topic_name
        return {name: [resolve(topic) for topic in _topics_of(values)]
                for name, values in (*self._settings.drones.items(), *self._settings.hands.items())}

    def _close(self, name: str) -> None:
        """All of one newcomer; what fails leaves the others to be closed."""
        del self._open[name]
        self._topics.pop(name)
        run: Callable = self._node.guard.run
        for what in reversed(self._opened.pop(name)):
            run(what, self._parts[what].close_drone, name)
        run('inputs', self._inputs.close_newcomer, name)
        self._recorder.add('disconnect', name)


def _topics_of(values: Values) -> list[str]:
    """The topics that parameters name, used or not."""
    return [topic for key, value in values.items() if key.startswith('topic') and key != 'topic_set_state'
            for topic in value.split(',') if topic]


def _plain(values: Values) -> dict[str, Any]:
    """For JSON."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}
