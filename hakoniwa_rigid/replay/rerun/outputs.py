# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a replay writes: the inputs as they are in the bag, corrected states and events of every tick."""
from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from hakoniwa_rigid.codec.cdr_writers import (
    ConstraintEventsWriter,
    ContactEventsWriter,
    OdometryWriter,
)
from hakoniwa_rigid.codec.motion_packer import ODOMETRY
from hakoniwa_rigid.replay.bag.feed import FeedMessage
from hakoniwa_rigid.replay.bag.reader import BagMessage, TopicInfo
from hakoniwa_rigid.replay.bag.writer import BagWriter, Qos
from hakoniwa_rigid.replay.topics import Names
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.fleet_messages import FleetMessages
from hakoniwa_rigid.scene.parameters.settings import Settings
from hakoniwa_rigid.scene.records import Tick

EVENTS, FLEET = 'hakoniwa_rigid/msg/ContactEventArray', 'hakoniwa_rigid/msg/FleetState'
CONSTRAINTS = 'hakoniwa_rigid/msg/ConstraintEventArray'
STATES = ('fleet', 'drone', 'both')
# as the node offers its topics
EVENTS_QOS, STATES_QOS = Qos(depth=1000), Qos(depth=10)


class Outputs:
    """The topics of one replay in a bag; messages have the log time of their tick."""

    def __init__(self, bag: BagWriter, scene: CollisionScene, settings: Settings, names: Names,
                 copied: Iterable[TopicInfo], states: str) -> None:
        """``states``: one of STATES."""
        self._bag, self._write = bag, bag.write
        self._copied = {t.name: bag.topic(t.name, t.type, t.definition or None, t.qos) for t in copied}
        frame = settings.node['world_frame']
        self._events = bag.topic(names.resolve('contact_events'), EVENTS, qos=EVENTS_QOS)
        self._events_writer = ContactEventsWriter(frame)
        self._constraints_name, self._constraints = names.resolve('constraint_events'), -1
        self._constraints_writer = ConstraintEventsWriter(frame)
        fleet = names.resolve('fleet/states_corrected')
        self._fleet = bag.topic(fleet, FLEET, qos=STATES_QOS) if states in ('fleet', 'both') else None
        self._fleet_writer = FleetMessages(scene, frame)
        self._groups = self._drones(scene, settings, names, frame, states != 'fleet')
        self._scene, self._frame, self._wanted = scene, frame, states != 'fleet'
        self._come: dict[str, tuple] = {}   # groups of drones that came

    def _drones(self, scene, settings: Settings, names: Names, frame: str, wanted: bool) -> list[tuple]:
        """(rows in the scene, topics, writer) of the drones whose messages are equally long."""
        row = {name: i for i, name in enumerate(scene.drone_names)}
        self._topics: dict[str, int] = {}   # by full names, those of drones that came
        sizes: dict[int, list[tuple[int, int, str]]] = {}
        for name, values in settings.drones.items():
            topic = names.resolve(values['topic_odom_corrected'])
            if wanted:
                child = values['body_frame']
                sizes.setdefault(len(child.encode()), []).append(
                    (row[name], self._bag.topic(topic, ODOMETRY, qos=STATES_QOS), child))
        groups = []
        for entries in sizes.values():
            rows, topics, children = zip(*entries, strict=True)
            groups.append((np.array(rows), topics, OdometryWriter(frame, list(children))))
        return groups

    def open(self, name: str, topic: str, child: str) -> None:
        """A drone that came has a topic of its own; child: its frame."""
        if self._wanted and topic:
            number = self._topics.get(topic)
            if number is None:
                number = self._topics[topic] = self._bag.topic(topic, ODOMETRY, qos=STATES_QOS)
            row = np.array([self._scene.drone_index[name]])
            self._come[name] = row, (number,), OdometryWriter(self._frame, [child])

    def close(self, name: str) -> None:
        """It has left."""
        self._come.pop(name, None)

    def copy(self, messages: Iterable[FeedMessage | BagMessage]) -> None:
        """Inputs, byte for byte."""
        for message in messages:
            self._write(self._copied[message.topic], message.stamp_ns, message.data)

    def write(self, now: int, tick: Tick) -> None:
        """One tick at log time ``now``; events come before the states they explain."""
        if tick.events:
            self._write(self._events, now, self._events_writer.write(tick.stamp_ns, tick.events))
        if tick.constraint_events:
            if self._constraints < 0:   # a scene without constraints has no such topic
                self._constraints = self._bag.topic(self._constraints_name, CONSTRAINTS, qos=EVENTS_QOS)
            self._write(self._constraints, now, self._constraints_writer.write(tick.stamp_ns, tick.constraint_events))
        if self._fleet is not None:
            self._write(self._fleet, now, self._fleet_writer.write(tick.stamp_ns, tick.states))
        for rows, topics, writer in (*self._groups, *self._come.values()):
            writer.fill(tick.stamp_ns, tick.states, rows)
            for row, topic, data in zip(rows.tolist(), topics, writer.messages(), strict=True):
                if tick.states.names[row]:      # else it has left
                    self._write(topic, now, data)
