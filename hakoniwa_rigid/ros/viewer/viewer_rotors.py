# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""How fast rotors turn, for the page: from motor speeds where a drone tells them, else from its thrust.

Thrust comes on ``<drone>/wrench`` or ``fleet/wrenches`` and is shared evenly; motor speeds on ``<drone>/motor_speed``
(actuator_msgs, if installed). The last message counts.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from geometry_msgs.msg import WrenchStamped
from rclpy.qos import QoSProfile

from hakoniwa_rigid.msg import FleetWrench
from hakoniwa_rigid.scene.inputs.limits import limits_of
from hakoniwa_rigid.scene.parameters.settings import Settings, topic_token
from hakoniwa_rigid.scene.world_files.world_types import DroneModel
from hakoniwa_rigid.web.scene_view import hover_speeds, turning

from ..qos import FLEETS, INPUT, never_called, poll_for_a_while

try:
    from actuator_msgs.msg import Actuators
except ImportError:  # not part of every ROS installation
    Actuators = None

__all__ = ['Rotors']

FORCE_Z = 32  # bytes from the end of a WrenchStamped


class Source(NamedTuple):
    """A subscription, what takes its messages, and whether it takes them as bytes."""

    subscription: Any
    take: Callable[[Any], None]
    raw: bool

    def empty(self) -> None:
        """Take what waits, as much as its queue holds at most."""
        take, kind = self.subscription.handle.take_message, self.subscription.msg_type
        for _ in range(self.subscription.qos_profile.depth):
            if (got := take(kind, self.raw)) is None:
                return
            self.take(got[0])


class Rotors:
    """The newest speeds of all drones that have a rotor table."""

    def __init__(self, settings: Settings) -> None:
        drones = [drone for drone in settings.world.drones if drone.name in settings.drones and drone.model.rotors]
        self._models: dict[str, DroneModel] = {drone.name: drone.model for drone in drones}
        self._topics = {name: settings.drones[name] for name in self._models}
        self._most_names = limits_of(settings).names
        self._thrusts: dict[str, float] = {}
        self._speeds: dict[str, list[float]] = {}
        self._sources: list[Source] = []

    def subscribe(self, node) -> list:
        """Subscriptions to whatever tells of rotors. No executor waits for them (node.polled): it would look at all of
        them, a hundred of a fleet, for every message of any topic."""
        self._sources = []

        def poll(kind: type, topic: str, profile: QoSProfile, take: Callable, raw: bool = False) -> None:
            subscription = poll_for_a_while(node, kind, topic, never_called, profile)
            self._sources.append(Source(subscription, take, raw))

        if self._models:
            poll(FleetWrench, 'fleet/wrenches', FLEETS, self._take_fleet)
        for name, values in self._topics.items():
            poll(WrenchStamped, values['topic_wrench'], INPUT, partial(self._take_wrench, name), raw=True)
            if Actuators is not None:
                topic = values['topic_motor_speed'] or f'{topic_token(name)}/motor_speed'
                poll(Actuators, topic, INPUT, partial(self._take_motors, name))
        made = [source.subscription for source in self._sources]
        node.polled.update(made)
        return made

    def message(self, now_ns: int) -> dict[str, Any] | None:
        """/rotors as of now; None where no message came."""
        for source in self._sources:
            source.empty()
        found = {name: hover_speeds(self._models[name], thrust) for name, thrust in self._thrusts.items()}
        found.update(self._speeds)
        return {'stamp_ns': str(now_ns), 'names': list(found), 'speeds': list(found.values())} if found else None

    def _take_wrench(self, name: str, data: bytes) -> None:
        if len(data) > 2 * FORCE_Z:
            thrust = struct.unpack_from('<d', data, len(data) - FORCE_Z)[0]
            if math.isfinite(thrust):   # the page reads JSON, which has no other numbers
                self._thrusts[name] = thrust

    def _take_fleet(self, msg: FleetWrench) -> None:
        if len(msg.forces) == 3 * len(msg.names) and len(msg.names) <= self._most_names:
            self._thrusts.update((n, thrust) for n, thrust in zip(msg.names, msg.forces[2::3], strict=True)
                                 if n in self._models and math.isfinite(thrust))

    def _take_motors(self, name: str, msg: Any) -> None:
        if len(msg.velocity) == len(self._models[name].rotors) and all(map(math.isfinite, msg.velocity)):
            self._speeds[name] = turning(self._models[name], msg.velocity)
