# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Everything the node says about states and contacts: corrected odometry, fleet arrays and contact events of a tick,
and what goes into simulators."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from nav_msgs.msg import Odometry

from hakoniwa_rigid.codec.cdr_writers import (
    ConstraintEventsWriter,
    ContactEventsWriter,
    OdometryWriter,
)
from hakoniwa_rigid.msg import ConstraintEventArray, ContactEventArray, FleetState, FleetWrench
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.drones.authority import OBSERVE
from hakoniwa_rigid.scene.fleet_messages import FleetMessages
from hakoniwa_rigid.scene.parameters.settings import Settings, Values
from hakoniwa_rigid.scene.records import Tick

from ..bulk import BulkPublisher, have_rcl
from ..convert import set_stamp
from ..qos import EVENTS, STATES, advertise, advertise_for_a_while
from .sim_outputs import SimOutputs
from .watch import Watch

__all__ = ['Outputs']


class Group(NamedTuple):
    """Drones whose messages are equally long: their rows in the scene's arrays, what publishes for each, and which of
    them are read: an unread message costs as much as a read one."""

    rows: np.ndarray
    publisher: BulkPublisher | SinglePublisher
    writer: OdometryWriter
    watch: Watch


class SinglePublisher:
    """What BulkPublisher does, one message at a time through rclpy."""

    def __init__(self, handles: list) -> None:
        self._publish = [handle.publish_raw for handle in handles]

    def publish(self, table: np.ndarray, on: np.ndarray, order: np.ndarray) -> int:
        """As BulkPublisher.publish."""
        for k in order[on[order]].tolist():
            self._publish[k](table[k].tobytes())
        return 0


def _group(frame: str, entries: list[tuple[int, object, str]]) -> Group:
    """Of drones whose messages are equally long: row, publisher and frame of each."""
    rows, publishers, children = zip(*entries, strict=True)
    handles = [publisher.handle for publisher in publishers]
    sender = BulkPublisher(handles) if have_rcl(handles) else SinglePublisher(handles)
    watch = Watch([publisher.get_subscription_count for publisher in publishers])
    return Group(np.array(rows), sender, OdometryWriter(frame, list(children)), watch)


class Outputs:
    """The publishers of one configured node; `close` ends them. Messages are serialised once and patched every tick."""

    def __init__(self, node, scene: CollisionScene, settings: Settings) -> None:
        self._node, self._scene = node, scene
        self._publishers = []
        frame = settings.node['world_frame']
        self._events = self._advertise(ContactEventArray, 'contact_events', EVENTS)
        self._events_writer = ContactEventsWriter(frame)
        self._constraints = self._advertise(ConstraintEventArray, 'constraint_events', EVENTS)
        self._constraints_writer = ConstraintEventsWriter(frame)
        self._wrenches = None
        if settings.node['publish_constraint_wrenches']:
            self._wrenches = self._advertise(FleetWrench, 'fleet/constraint_wrenches', EVENTS)
        self._loaded = False    # whether the last message of those had drones
        self._fleet = self._advertise(FleetState, 'fleet/states_corrected', STATES)
        self._fleet_writer = FleetMessages(scene, frame)
        row = {name: i for i, name in enumerate(scene.drone_names)}
        sizes: dict[int, list[tuple[int, object, str]]] = {}
        for name, values in settings.drones.items() if settings.node['per_drone_topics'] else ():
            publisher = self._advertise(Odometry, values['topic_odom_corrected'], STATES)
            child = values['body_frame']
            sizes.setdefault(len(child.encode()), []).append((row[name], publisher, child))
        self.simulators = SimOutputs(node, scene, settings)
        # in the order of a tick: what a simulator waits for comes first, events before the states they explain
        self.parts: tuple[tuple[str, Callable[[Tick], None]], ...] = (
            ('simulators', self._publish_impacts), ('contact_events', self._publish_events),
            ('constraint_events', self._publish_constraints), ('constraint_wrenches', self._publish_wrenches),
            ('fleet/states_corrected', self._publish_fleet), ('odom_corrected', self._publish_odometry))
        self._frame = frame
        self._of_first = [_group(frame, entries) for entries in sizes.values()]
        self._of_come: dict[str, tuple[int, object, str]] = {}  # of drones that came: row, publisher, frame
        self._groups = self._of_first

    def open_drone(self, name: str, values: Values) -> None:
        """A drone came: publish its odometry."""
        publisher = advertise_for_a_while(self._node, Odometry, values['topic_odom_corrected'], STATES)
        self._of_come[name] = self._scene.drone_index[name], publisher, values['body_frame']
        self._gather()

    def close_drone(self, name: str) -> None:
        """It left."""
        _, publisher, _ = self._of_come.pop(name)
        self._gather()      # nothing publishes by it any more
        self._node.destroy_publisher(publisher)

    def _gather(self) -> None:
        sizes: dict[int, list[tuple[int, object, str]]] = {}
        for entry in self._of_come.values():
            sizes.setdefault(len(entry[2].encode()), []).append(entry)
        self._groups = [*self._of_first, *(_group(self._frame, entries) for entries in sizes.values())]

    def close(self) -> None:
        """Destroy the publishers."""
        self.simulators.close()
        for name in list(self._of_come):
            self.close_drone(name)
        for publisher in self._publishers:
            self._node.destroy_publisher(publisher)
        self._publishers.clear()

    def _advertise(self, kind: type, topic: str, qos):
        publisher = advertise(self._node, kind, topic, qos)
        self._publishers.append(publisher)
        return publisher

    def publish(self, tick: Tick) -> None:
        """Send one tick, all its parts."""
        for _, publish in self.parts:
            publish(tick)

    def _publish_impacts(self, tick: Tick) -> None:
        if self.simulators.asked:
            self.simulators.publish(tick)

    def _publish_events(self, tick: Tick) -> None:
        if tick.events:
            self._events.publish(self._events_writer.write(tick.stamp_ns, tick.events))

    def _publish_constraints(self, tick: Tick) -> None:
        if tick.constraint_events:
            self._constraints.publish(self._constraints_writer.write(tick.stamp_ns, tick.constraint_events))

    def _publish_wrenches(self, tick: Tick) -> None:
        """What constraints do to observed drones: in every tick in which some act, and once with none at the end."""
        loads = tick.constraint_loads
        if self._wrenches is None or (loads is None and not self._loaded):
            return
        msg, on = FleetWrench(), []
        if loads is not None:
            on = np.flatnonzero(self._scene.authorities()[loads.rows] == OBSERVE)
            names = self._scene.drone_names
            msg.names = [names[row] for row in loads.rows[on].tolist()]
            msg.forces, msg.torques = (array('d', rows[on].ravel().tolist()) for rows in (loads.forces, loads.torques))
        set_stamp(msg.header.stamp, tick.stamp_ns)
        if len(on) or self._loaded:
            self._wrenches.publish(msg)
        self._loaded = len(on) > 0

    def _publish_fleet(self, tick: Tick) -> None:
        if self._fleet.get_subscription_count():
            self._fleet.publish(self._fleet_writer.write(tick.stamp_ns, tick.states))

    def _publish_odometry(self, tick: Tick) -> None:
        if self._scene.roster:      # drones that have left have no topics
            self._present = np.array([bool(name) for name in tick.states.names])
        for group in self._groups:
            group.watch.look()
        if not any(group.watch.on.any() for group in self._groups):
            return
        # those whose samples have waited longest come first: the others' are late by less than a tick as it is
        stamps = self._scene.sample_stamps()
        for group in self._groups:
            group.writer.fill(tick.stamp_ns, tick.states, group.rows)
            order = np.argsort(stamps[group.rows], kind='stable')
            on = group.watch.on if self._scene.roster == 0 else group.watch.on & self._present[group.rows]
            group.publisher.publish(group.writer.table, on, order)
