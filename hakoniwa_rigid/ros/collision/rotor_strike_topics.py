# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`<drone>/rotor_strikes`: the contact events of the rotors of drones whose shapes have discs that are named so, and a
line in the log for every rotor that stops. docs/crash_sensing.md."""

from __future__ import annotations

from hakoniwa_rigid.codec.cdr_writers import ContactEventsWriter
from hakoniwa_rigid.msg import ContactEventArray
from hakoniwa_rigid.scene import CollisionScene, ContactEventRecord, Tick
from hakoniwa_rigid.scene.parameters.settings import Settings, Values
from hakoniwa_rigid.scene.world_files.rotor_parts import has_rotor, is_rotor

from ..qos import EVENTS, advertise, advertise_for_a_while

__all__ = ['RotorStrikeTopics']


class RotorStrikeTopics:
    """Those of one configured node; `close` ends them."""

    def __init__(self, node, scene: CollisionScene, settings: Settings) -> None:
        self._node, self._scene, self._log = node, scene, node.get_logger()
        self._writer = ContactEventsWriter(settings.node['world_frame'])
        shapes = {drone.name: drone.model for drone in settings.world.drones}
        self._publishers = {
            name: advertise(node, ContactEventArray, values['topic_rotor_strikes'], EVENTS)
            for name, values in settings.drones.items()
            if settings.node['per_drone_topics'] and values['topic_rotor_strikes'] and has_rotor(shapes[name])
        }

    def open_drone(self, name: str, values: Values) -> None:
        """A drone came."""
        model = next(drone.model for drone in self._scene.config.drones if drone.name == name)
        if values['topic_rotor_strikes'] and has_rotor(model):
            self._publishers[name] = advertise_for_a_while(self._node, ContactEventArray,
                                                           values['topic_rotor_strikes'], EVENTS)

    def close_drone(self, name: str) -> None:
        """It left."""
        if name in self._publishers:
            self._node.destroy_publisher(self._publishers.pop(name))

    def close(self) -> None:
        """Destroy the publishers."""
        for publisher in self._publishers.values():
            self._node.destroy_publisher(publisher)
        self._publishers.clear()

    def publish(self, tick: Tick) -> None:
        """Tell what hit rotors in a tick."""
        for stop in tick.rotor_stops:   # each rotor once, until a reset
            self._log.warning(f'{stop.drone}: rotor {stop.rotor} ({stop.part}) was hit by {stop.impulse:.3g} N s and '
                              'gives no thrust until a reset')
        if tick.events and self._publishers:
            for name, publisher in self._publishers.items():
                hits = [event for event in tick.events if _hits_rotor(event, name)]
                if hits:
                    publisher.publish(self._writer.write(tick.stamp_ns, hits))


def _hits_rotor(event: ContactEventRecord, drone: str) -> bool:
    """Whether an event is of a rotor of the drone."""
    return (event.body_a == drone and is_rotor(event.part_a)) or (event.body_b == drone and is_rotor(event.part_b))
