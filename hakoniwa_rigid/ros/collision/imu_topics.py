# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""sensor_msgs/Imu of drones with what contacts add: every tick, or added to every sample of the simulator's own Imu.
docs/crash_sensing.md. Where no drone asks for it, nothing of this is there."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from rclpy.serialization import deserialize_message

from hakoniwa_rigid.codec.message_fields import StampError, checked_ns, xyz, xyzw
from hakoniwa_rigid.scene import CollisionScene, ImuRecord, Tick
from hakoniwa_rigid.scene.inputs.failures import error_text
from hakoniwa_rigid.scene.inputs.limits import MOST_PLAIN
from hakoniwa_rigid.scene.parameters.settings import Settings, Values
from hakoniwa_rigid.scene.records import Ledger
from hakoniwa_rigid.scene.sensing.imu import FARTHEST
from hakoniwa_rigid.scene.sensing.imu_sum import ImuSample, ImuSum

from ..convert import set_stamp
from ..errors import StartError
from ..qos import FLEETS, STATES, advertise, advertise_for_a_while, never_called, poll_for_a_while, subscribe
from .polled_subscriptions import SingleTaker

if TYPE_CHECKING:
    from sensor_msgs.msg import Imu

__all__ = ['ImuTopics']

# an IMU that knows no orientation says so here
NO_ESTIMATE = -1.0
ORIGIN = (0.0, 0.0, 0.0)


@dataclass
class ImuTopic:
    """The Imu of one drone. message: filled again every tick where there is no simulator's to add to; heard: samples of
    that since the last tick, with the messages and their bytes."""

    name: str
    publisher: object
    message: Imu
    sum: ImuSum | None
    subscription: object = None
    heard: list[tuple[ImuSample, Imu, bytes]] = field(default_factory=list)


class ImuTopics:
    """Those of one configured node; `close` ends them. StartError where a parameter is wrong. ledger: what counts
    samples that cannot be used."""

    def __init__(self, node, scene: CollisionScene, settings: Settings, ledger: Ledger) -> None:
        self._node, self._scene, self._ledger, self._kind = node, scene, ledger, None
        self._topics: dict[str, ImuTopic] = {}
        self._places: dict[str, tuple[float, float, float]] = {}
        for name, values in settings.drones.items():
            self._add(name, values, advertise, partial(subscribe, raw=True))
        self._gather()

    def open_drone(self, name: str, values: Values) -> None:
        """A drone came.  StartError where a parameter is wrong."""
        if self._add(name, values, advertise_for_a_while, poll_for_a_while):
            self._gather()

    def close_drone(self, name: str) -> None:
        """It left."""
        topic = self._topics.pop(name, None)
        if topic is not None:
            del self._places[name]
            self._gather()
            self._end(topic)

    def _add(self, name: str, values: Values, announce, listen) -> bool:
        """Whether the drone has an Imu; announce and listen open its topics."""
        place = _place(name, values)
        if place is None:
            return False
        from sensor_msgs.msg import Imu

        self._kind, message = Imu, Imu()
        message.header.frame_id = values['body_frame']
        publisher, subscription = announce(self._node, Imu, values['topic_imu'], STATES), None
        if values['topic_imu_in']:
            subscription = listen(self._node, Imu, values['topic_imu_in'], never_called, FLEETS)
            self._node.polled.add(subscription)
        into = None if subscription is None else ImuSum()
        self._topics[name], self._places[name] = ImuTopic(name, publisher, message, into, subscription), place
        return True

    def _gather(self) -> None:
        """After some came or left."""
        self._hearing = [topic for topic in self._topics.values() if topic.sum is not None]
        self._subscriptions = [topic.subscription for topic in self._hearing]
        depths = [max(s.qos_profile.depth, 1) for s in self._subscriptions]
        self._taker = SingleTaker(self._subscriptions, depths)
        self._all = np.ones(len(depths), dtype=bool)
        there = self._scene.drone_index     # those of the world file may have left
        self._scene.watch_imus({name: place for name, place in self._places.items() if name in there})

    def _end(self, topic: ImuTopic) -> None:
        if topic.subscription is not None:
            self._node.destroy_subscription(topic.subscription)
            self._node.polled.discard(topic.subscription)
        self._node.destroy_publisher(topic.publisher)

    def close(self) -> None:
        """Destroy publishers and subscriptions."""
        for topic in self._topics.values():
            self._end(topic)
        self._topics.clear()

    def forget(self) -> None:
        """Drop what waits: the scene starts anew."""
        for _ in self._taker.take(self._all):
            pass
        for topic in self._hearing:
            topic.sum = ImuSum()

    def publish(self, tick: Tick) -> None:
        """Send what was measured in a tick."""
        if not self._topics:
            return
        measured = {imu.drone: imu for imu in tick.imus}
        self._hear()
        for topic in self._topics.values():
            found = measured.get(topic.name)
            if topic.sum is not None:
                self._publish_sum(topic, found)
            elif found is not None:
                _fill(topic.message, tick.stamp_ns, found)
                topic.publisher.publish(topic.message)

    def _publish_sum(self, topic: ImuTopic, found: ImuRecord | None) -> None:
        """The simulator's samples, each with its header and covariances."""
        topic.sum.add(found)
        heard, topic.heard = topic.heard, []
        samples = topic.sum.samples([sample for sample, _, _ in heard])
        for (before, message, data), sample in zip(heard, samples, strict=True):
            if sample is before:
                topic.publisher.publish(data)
                continue
            _put(message, sample, message.orientation_covariance[0] != NO_ESTIMATE)
            topic.publisher.publish(message)

    def _hear(self) -> None:
        """Read what simulators have sent: of each at most as much as its queue holds."""
        for piece in self._taker.take(self._all):
            topic, data = self._hearing[int(piece.topics[0])], piece.data.tobytes()
            sample = self._read(topic, data)
            if sample is not None:
                topic.heard.append(sample)
        for k in np.flatnonzero(self._taker.lost).tolist():
            self._ledger.note('overflow', self._hearing[k].name, f'{int(self._taker.lost[k])} older samples of '
                              f'{self._subscriptions[k].topic_name} were dropped')

    def _read(self, topic: ImuTopic, data: bytes) -> tuple[ImuSample, Imu, bytes] | None:
        """A sample; None where it cannot be used, which is counted."""
        if len(data) > MOST_PLAIN:
            self._ledger.note('too_large', topic.name, f'an Imu of {len(data)} bytes, at most {MOST_PLAIN} are taken')
            return None
        try:
            message = deserialize_message(data, self._kind)
            stamp = checked_ns(message.header.stamp)
        except StampError as error:
            self._ledger.note('out_of_range', topic.name, error)
            return None
        except Exception as error:  # rclpy has a type of its own for this, without a public name
            self._ledger.note('malformed', topic.name, error_text(error))
            return None
        vectors = xyzw(message.orientation), xyz(message.angular_velocity), xyz(message.linear_acceleration)
        if not all(map(math.isfinite, sum(vectors, ()))):
            self._ledger.note('not_finite', topic.name, f'an Imu of {vectors}')
            return None
        return ImuSample(stamp, *vectors), message, data


def _place(name: str, values: Values) -> tuple[float, float, float] | None:
    """Where the IMU of a drone is, None where it has none. StartError."""
    place, prefix = values['imu_position'] or ORIGIN, f'parameter drones.{name}'
    if max(map(abs, place)) > FARTHEST:
        raise StartError(f'{prefix}.imu_position: must be at most {FARTHEST:g} m from base_link, got {list(place)}')
    if values['topic_imu_in'] and not values['topic_imu']:
        raise StartError(f'{prefix}.topic_imu_in: needs topic_imu, got {values["topic_imu_in"]!r} and no topic_imu')
    if values['topic_imu'] and values['topic_imu'] == values['topic_imu_in']:
        raise StartError(f'{prefix}.topic_imu: must be another than topic_imu_in, got {values["topic_imu"]!r}')
    return tuple(place) if values['topic_imu'] else None


def _fill(message: Imu, stamp_ns: int, measured: ImuRecord) -> None:
    """A message of what was measured."""
    set_stamp(message.header.stamp, stamp_ns)
    _put(message, ImuSample(stamp_ns, measured.orientation_xyzw, measured.angular_velocity,
                            measured.linear_acceleration), True)


def _put(message: Imu, sample: ImuSample, has_orientation: bool) -> None:
    if has_orientation:
        q = message.orientation
        q.x, q.y, q.z, q.w = sample.orientation_xyzw
    for vector, values in ((message.angular_velocity, sample.angular_velocity),
                           (message.linear_acceleration, sample.linear_acceleration)):
        vector.x, vector.y, vector.z = values
