# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`drones: auto`: drones come when their topic appears, and leave when nothing is sent on it any more.

The graph is asked between two ticks, after everything of a tick has been sent, once in discovery_period; a look that
took long is followed by a longer pause, so that looking takes no more than a hundredth of the time.  At most one drone
comes or leaves between two ticks.  Whatever appears, no more than the spare places of the world are taken, and what is
remembered of names has bounds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import NamedTuple

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.scene import CollisionScene, SpawnError
from hakoniwa_rigid.scene.errors import SettingsError
from hakoniwa_rigid.scene.parameters.discovered import AUTO, DroneTopicRules, Models
from hakoniwa_rigid.scene.parameters.presets import read_preset
from hakoniwa_rigid.scene.parameters.settings import Settings, Values
from hakoniwa_rigid.scene.read_settings import models_to_come, origin_of
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig

from ..errors import StartError
from .recorder import Recorder
from .spawning import add, remove
from .subscriptions import Inputs

__all__ = ['Discovery', 'NoDiscovery', 'open_discovery']

# part of the time that looking may take
SHARE = 0.01
# topics that fit which are asked for a publisher at a look
MOST_ASKED = 64
# lines on who came and left that /diagnostics has
MOST_TOLD = 8


class Place(NamedTuple):
    """What a drone came by: the full names of its topics; `where`, the topic or frame that appeared."""

    topics: tuple[str, ...]
    where: str


class NoDiscovery:
    """Where the parameter drones does not ask for it."""

    def close(self) -> None:
        """Nothing."""

    def look(self, stamp: int) -> None:
        """Between two ticks; stamp: ns, of the last."""

    def forget(self) -> None:
        """The scene began anew, or its time."""

    def summary(self) -> dict[str, object]:
        """For /diagnostics."""
        return {}


class Discovery(NoDiscovery):
    """That of one configured node.  StartError, SettingsError where it cannot be."""

    def __init__(self, node, scene: CollisionScene, settings: Settings, inputs: Inputs, recorder: Recorder,
                 given: Values, clock: Callable[[], float] = monotonic) -> None:
        """given: parameters by full names.  clock: s, steady."""
        values = settings.node
        if values['pace'] == 'lockstep':
            raise StartError(f'parameter drones: {AUTO}: pace: lockstep waits for drones that it knows: name them')
        if not values['per_drone_topics']:
            raise StartError(f'parameter drones: {AUTO}: needs per_drone_topics: true')
        self._node, self._scene, self._settings, self._inputs = node, scene, settings, inputs
        self._recorder, self._clock, self._ledger = recorder, clock, inputs.adapter.ledger
        self._rules = DroneTopicRules(read_preset(values['sim']), given, values, node.resolve_topic_name)
        self._models = Models(values)
        self._by_name = models_to_come(values, settings.world)
        self._timeout = round(values['leave_timeout'] * NANOSECONDS)
        self._next = -1.0   # s of the clock, of the next look
        self._came: dict[str, Place] = {}
        self._alive: dict[str, tuple[int, int]] = {}    # stamp (ns) at which a drone was last alive; messages till then
        self._fitting: dict[str, str] = {}  # the topics that there are: names of drones, '' for others
        self._frames: dict[str, int] = {}   # of /tf, that fit: the newest time that was seen, ns
        self._asked = 0     # of those that fit, the first that the next look asks for
        self._waiting: dict[str, str] = {}  # names, and the topic or frame of each
        self._leaving: deque[tuple[str, str]] = deque()     # and why
        self._told: deque[str] = deque(maxlen=MOST_TOLD)
        self._counts = {'came': 0, 'left': 0}
        self._by_tf = self._rules.source in ('tf', 'pose_or_tf')
        if self._by_tf:
            inputs.listen_tf()

    def summary(self) -> dict[str, object]:
        """See NoDiscovery."""
        lines = {f'newcomers {k}': line for k, line in enumerate(reversed(self._told))}
        return {'discovered': len(self._came), **{f'discovered {key}': n for key, n in self._counts.items()}, **lines}

    def forget(self) -> None:
        """See NoDiscovery."""
        self._alive.clear()

    def look(self, stamp: int) -> None:
        """See NoDiscovery."""
        if self._leaving:
            self._leave(*self._leaving.popleft())
        elif self._waiting:
            name = next(iter(self._waiting))
            self._come(name, self._waiting.pop(name))
        elif (now := self._clock()) >= self._next:
            self._look(stamp)
            spent = self._clock() - now
            self._next = now + max(self._settings.node['discovery_period'], spent / SHARE)

    def _look(self, stamp: int) -> None:
        there, known = self._scene.drone_index, self._fitting
        # some may have been removed by a service
        self._came = {name: place for name, place in self._came.items() if name in there}
        self._alive = {name: seen for name, seen in self._alive.items() if name in self._came}
        topics = dict(self._node.get_topic_names_and_types())
        self._fitting = {topic: known[topic] if topic in known else self._rules.drone_of(topic) for topic in topics}
        fitting = [(topic, name) for topic, name in self._fitting.items() if name and name not in there]
        self._asked = self._asked if self._asked < len(fitting) else 0
        for topic, name in fitting[self._asked:self._asked + MOST_ASKED]:
            self._consider(topic, name, topics[topic])
        self._asked += MOST_ASKED
        if self._by_tf:
            self._consider_frames()
        for name, place in self._came.items():
            self._check(name, place, stamp)

    def _consider(self, topic: str, name: str, kinds: list[str]) -> None:
        """A topic that fits, of a drone that is not there."""
        wanted = self._rules.type_of(topic)
        if not self._node.count_publishers(topic):
            return
        if wanted in kinds:
            self._wait(name, topic)
        else:
            self._ledger.note('wrong_type', name, f'{topic} is {", ".join(kinds)[:100]}, a drone is {wanted}')

    def _consider_frames(self) -> None:
        """Those of /tf that were heard of since the last look."""
        before, self._frames = self._frames, {}
        for frame, newest in self._inputs.adapter.frames.moving_in_world():
            name = self._rules.drone_in(frame)
            if name:
                self._frames[frame] = newest
                if before.get(frame) != newest and name not in self._scene.drone_index:
                    self._wait(name, f'/tf: {frame}')

    def _wait(self, name: str, where: str) -> None:
        if not self._scene.is_free_name(name):
            self._ledger.note('name_in_use', name, f'{where}: a wall, an object or a hand is called so')
        elif len(self._waiting) < self._scene.free_drone_places:
            self._waiting.setdefault(name, where)
        elif name not in self._waiting:
            self._ledger.note('no_place', name, f'{where}: all {self._settings.world.spare.drones} places for drones '
                              'that come are taken; spare_drones makes more')

    def _check(self, name: str, place: Place, stamp: int) -> None:
        """Whether a drone that came is still there."""
        source = self._inputs.adapter.drones.get(name)
        received = source.received if source is not None else 0
        seen = self._alive.get(name)
        if seen is None or received != seen[1] or stamp < seen[0] or any(
                map(self._node.count_publishers, place.topics)):
            self._alive[name] = stamp, received
        elif stamp - seen[0] >= self._timeout:
            seconds = (stamp - seen[0]) / NANOSECONDS
            self._leaving.append((name, f'no publisher of {place.where} and no sample for {seconds:.3g} s'))

    def _come(self, name: str, where: str) -> None:
        values = self._rules.values_of(name)
        authority = values['authority'] or self._settings.node['default_authority'] or 'correct'
        try:
            config = DroneConfig(name, self._by_name[self._models.of(name)], origin=origin_of(name, values),
                                 authority=authority)
            add(self._scene, self._recorder, 'drone', config)
        except (SettingsError, SpawnError) as error:    # a service was faster, say
            self._ledger.note('not_opened', name, error)
            return
        self._came[name] = Place(tuple(self._rules.topics_of(values)), where)
        self._tell('came', f'{name} came: {where}')

    def _leave(self, name: str, why: str) -> None:
        if self._came.pop(name, None) is not None and name in self._scene.drone_index:
            remove(self._scene, self._recorder, name)
            self._tell('left', f'{name} left: {why}')

    def _tell(self, what: str, line: str) -> None:
        self._counts[what] += 1
        self._told.append(line)
        self._node.get_logger().info(line)


def open_discovery(node, scene: CollisionScene, settings: Settings, inputs: Inputs, recorder: Recorder,
                   given: Values) -> NoDiscovery:
    """What the parameter drones asks for."""
    is_asked = AUTO in settings.node['drones']
    return Discovery(node, scene, settings, inputs, recorder, given) if is_asked else NoDiscovery()
