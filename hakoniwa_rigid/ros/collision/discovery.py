# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`drones: auto`, `hands: auto`: drones and hands come when their topic appears, and leave when nothing is sent on it
any more.

The graph is asked between two ticks, after everything of a tick has been sent, once in discovery_period; a look that
took long is followed by a longer pause, so that looking takes no more than a hundredth of the time.  At most one comes
or leaves between two ticks.  Whatever appears, no more than the spare places of the world are taken, and what is
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
from hakoniwa_rigid.scene.parameters.settings import Settings, Values

from .newcomers import Newcomers, asked_for
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
# how /diagnostics counts them
WORDS = {'drone': 'discovered', 'hand': 'discovered hands'}


class Place(NamedTuple):
    """What a drone or hand came by: the full names of its topics; `where`, the topic or frame that appeared."""

    of: Newcomers
    topics: tuple[str, ...]
    where: str


class NoDiscovery:
    """Where neither drones nor hands come by themselves."""

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
    """That of one configured node."""

    def __init__(self, node, scene: CollisionScene, settings: Settings, inputs: Inputs, recorder: Recorder,
                 kinds: list[Newcomers], clock: Callable[[], float] = monotonic) -> None:
        """clock: s, steady.  StartError where it cannot be."""
        self._node, self._scene, self._values, self._inputs = node, scene, settings.node, inputs
        self._recorder, self._kinds, self._clock, self._ledger = recorder, kinds, clock, inputs.adapter.ledger
        self._next = -1.0   # s of the clock, of the next look
        self._came: dict[str, Place] = {}
        # when one was last alive: stamp (ns), time of the clock (s); messages till then
        self._alive: dict[str, tuple[int, float, int]] = {}
        self._fitting: dict[str, tuple[Newcomers, str] | None] = {}  # the topics that there are: what each makes
        self._frames: dict[str, int] = {}   # of /tf, that fit: the newest time that was seen, ns
        self._asked = 0     # of those that fit, the first that the next look asks for
        self._waiting: dict[str, tuple[Newcomers, str]] = {}    # by name; the topic or frame of each
        self._leaving: deque[tuple[str, str]] = deque()     # and why
        self._told: deque[str] = deque(maxlen=MOST_TOLD)
        self._counts = {kind.kind: {'came': 0, 'left': 0} for kind in kinds}
        if any(kind.by_tf for kind in kinds):
            inputs.listen_tf()

    def summary(self) -> dict[str, object]:
        """See NoDiscovery."""
        lines = {f'newcomers {k}': line for k, line in enumerate(reversed(self._told))}
        found: dict[str, object] = {}
        for kind, counts in self._counts.items():
            what = WORDS[kind]
            found[what] = sum(place.of.kind == kind for place in self._came.values())
            found |= {f'{what} {key}': n for key, n in counts.items()}
        return {**found, **lines}

    def forget(self) -> None:
        """See NoDiscovery."""
        self._alive.clear()

    def look(self, stamp: int) -> None:
        """See NoDiscovery.  The time of the clock counts, as publishers are found in it, however fast the scene's time
        goes; and that of the scene, which may pause; not in lockstep, where it may wait for what has gone."""
        if self._leaving:
            self._leave(*self._leaving.popleft())
        elif self._waiting:
            name = next(iter(self._waiting))
            self._come(name, *self._waiting.pop(name))
        elif (now := self._clock()) >= self._next:
            self._look(stamp)
            spent = self._clock() - now
            self._next = now + max(self._values['discovery_period'], spent / SHARE)

    def _look(self, stamp: int) -> None:
        known = self._fitting
        # some may have been removed by a service
        self._came = {name: place for name, place in self._came.items() if name in place.of.there}
        self._alive = {name: seen for name, seen in self._alive.items() if name in self._came}
        topics = dict(self._node.get_topic_names_and_types())
        self._fitting = {topic: known[topic] if topic in known else self._made_by(topic) for topic in topics}
        fitting = [(topic, *made) for topic, made in self._fitting.items() if made and made[1] not in made[0].there]
        self._asked = self._asked if self._asked < len(fitting) else 0
        for topic, kind, name in fitting[self._asked:self._asked + MOST_ASKED]:
            self._consider(topic, kind, name, topics[topic])
        self._asked += MOST_ASKED
        for kind in self._kinds:
            if kind.by_tf:
                self._consider_frames(kind)
        for name, place in self._came.items():
            self._check(name, place, stamp)

    def _made_by(self, topic: str) -> tuple[Newcomers, str] | None:
        return next(((kind, name) for kind in self._kinds if (name := kind.name_of(topic))), None)

    def _consider(self, topic: str, kind: Newcomers, name: str, types: list[str]) -> None:
        """A topic that fits, of what is not there."""
        wanted = kind.types_of(name, topic)
        if not self._node.count_publishers(topic):
            return
        if not set(wanted).isdisjoint(types):
            self._wait(kind, name, topic)
        else:
            self._ledger.note('wrong_type', name, f'{topic} is {", ".join(types)[:100]}, a {kind.kind} is '
                              f'{" or ".join(wanted)}')

    def _consider_frames(self, kind: Newcomers) -> None:
        """Those of /tf that were heard of since the last look."""
        before, self._frames = self._frames, {}
        for frame, newest in self._inputs.adapter.frames.moving_in_world():
            name = kind.name_in(frame)
            if name:
                self._frames[frame] = newest
                if before.get(frame) != newest and name not in kind.there:
                    self._wait(kind, name, f'/tf: {frame}')

    def _wait(self, kind: Newcomers, name: str, where: str) -> None:
        if not self._scene.is_free_name(name):
            self._ledger.note('name_in_use', name, f'{where}: another body of the scene is called so')
        elif sum(of is kind for of, _ in self._waiting.values()) < self._scene.free_places(kind.kind):
            self._waiting.setdefault(name, (kind, where))
        elif name not in self._waiting:
            self._ledger.note('no_place', name, f'{where}: all {kind.most} places for {kind.kind}s that come are '
                              f'taken; spare_{kind.kind}s makes more')

    def _check(self, name: str, place: Place, stamp: int) -> None:
        """Whether what came is still there."""
        source = place.of.source_of(name)
        received = source.received if source is not None else 0
        seen = self._alive.get(name)
        now = self._clock()
        if seen is None or received != seen[2] or stamp < seen[0] or any(
                map(self._node.count_publishers, place.topics)):
            self._alive[name] = stamp, now, received
            return
        seconds = now - seen[1]
        if self._values['pace'] != 'lockstep':
            seconds = min(seconds, (stamp - seen[0]) / NANOSECONDS)
        if seconds >= self._values['leave_timeout']:
            self._leaving.append((name, f'no publisher of {place.where} and no sample for {seconds:.3g} s'))

    def _come(self, name: str, kind: Newcomers, where: str) -> None:
        try:
            add(self._scene, self._recorder, kind.kind, kind.config_of(name))
        except (SettingsError, SpawnError) as error:    # a service was faster, say
            self._ledger.note('not_opened', name, error)
            return
        self._came[name] = Place(kind, tuple(kind.topics_of(name)), where)
        self._tell(kind, 'came', f'{name} came: {where}')

    def _leave(self, name: str, why: str) -> None:
        place = self._came.pop(name, None)
        if place is not None and name in place.of.there:
            remove(self._scene, self._recorder, name)
            self._tell(place.of, 'left', f'{name} left: {why}')

    def _tell(self, kind: Newcomers, what: str, line: str) -> None:
        self._counts[kind.kind][what] += 1
        self._told.append(line)
        self._node.get_logger().info(line)


def open_discovery(node, scene: CollisionScene, settings: Settings, inputs: Inputs, recorder: Recorder,
                   given: Values) -> NoDiscovery:
    """What the parameters drones and hands ask for.  given: parameters by full names.  StartError, SettingsError where
    it cannot be."""
    kinds = asked_for(node, scene, settings, inputs, given)
    return Discovery(node, scene, settings, inputs, recorder, kinds) if kinds else NoDiscovery()
