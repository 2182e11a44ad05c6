"""Everything the node says about states and contacts: corrected odometry, fleet arrays and contact events of a tick."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from nav_msgs.msg import Odometry

from hakoniwa_rigid.msg import ContactEventArray, FleetState
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.records import Tick

from . import convert
from .cdr_writers import FleetStateWriter, OdometryWriter
from .qos import EVENTS, STATES, advertise
from .settings import Settings
from .watch import Watch

__all__ = ['Outputs']


class Group(NamedTuple):
    """Drones whose messages are equally long: their rows in the scene's arrays, what publishes for each, and which of
    them are read: a message nobody reads costs as much as one that is."""

    rows: np.ndarray
    publish: list[Callable[[bytes], None]]
    writer: OdometryWriter
    watch: Watch


class Outputs:
    """The publishers of one configured node; `close` ends them. Messages are serialised once and patched every tick."""

    def __init__(self, node, scene: CollisionScene, settings: Settings) -> None:
        self._node = node
        self._publishers = []
        frame = settings.node['world_frame']
        self._frame = frame
        self._events = self._advertise(ContactEventArray, 'contact_events', EVENTS)
        self._fleet = self._advertise(FleetState, 'fleet/states_corrected', STATES)
        self._fleet_writer = FleetStateWriter(frame, scene.drone_names)
        row = {name: i for i, name in enumerate(scene.drone_names)}
        sizes: dict[int, list[tuple[int, object, str]]] = {}
        for name, values in settings.drones.items() if settings.node['per_drone_topics'] else ():
            publisher = self._advertise(Odometry, values['topic_odom_corrected'], STATES)
            child = values['body_frame']
            sizes.setdefault(len(child.encode()), []).append((row[name], publisher, child))
        self._groups = []
        for entries in sizes.values():
            rows, publishers, children = zip(*entries, strict=True)
            watch = Watch()
            for publisher in publishers:
                watch.add(publisher.get_subscription_count)
            writer = OdometryWriter(frame, list(children))
            self._groups.append(Group(np.array(rows), [p.handle.publish_raw for p in publishers], writer, watch))

    def close(self) -> None:
        """Destroy the publishers."""
        for publisher in self._publishers:
            self._node.destroy_publisher(publisher)
        self._publishers.clear()

    def _advertise(self, kind: type, topic: str, qos):
        publisher = advertise(self._node, kind, topic, qos)
        self._publishers.append(publisher)
        return publisher

    def publish(self, tick: Tick) -> None:
        """Send one tick. Events come before the states they explain."""
        if tick.events:
            self._publish_events(tick)
        self._publish_fleet(tick)
        self._publish_odometry(tick)

    def _publish_events(self, tick: Tick) -> None:
        msg = ContactEventArray(events=[convert.contact_event(record, self._frame) for record in tick.events])
        msg.header.frame_id = self._frame
        convert.set_stamp(msg.header.stamp, tick.stamp_ns)
        self._events.publish(msg)

    def _publish_fleet(self, tick: Tick) -> None:
        if self._fleet.get_subscription_count():
            self._fleet.publish(self._fleet_writer.write(tick.stamp_ns, tick.states))

    def _publish_odometry(self, tick: Tick) -> None:
        for group in self._groups:
            group.watch.look()
        if not any(any(group.watch.on) for group in self._groups):
            return
        states = tick.states
        linear = convert.rotate_back_many(states.orientations_xyzw, states.linear_velocities)
        arrays = (states.positions, states.orientations_xyzw, linear, states.angular_velocities)
        for group in self._groups:
            messages = group.writer.write(tick.stamp_ns, *(a[group.rows] for a in arrays))
            for publish, message, on in zip(group.publish, messages, group.watch.on, strict=True):
                if on:
                    publish(message)
