# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Records topics into a rosbag2 bag (mcap): the raw CDR bytes as they came over DDS, never decoded.

The bag is written beside its final place and renamed when it is complete, so a bag that exists is whole. Message
times are the times of reception in ROS time. Written by rosbags (Apache-2.0), readable by ``ros2 bag``, Foxglove and
rosbags.
"""
from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosbags.interfaces import Qos, QosDurability, QosHistory, QosLiveliness, QosReliability, QosTime
from rosbags.rosbag2 import StoragePlugin, Writer

from hakoniwa_rigid.replay.bag.types import type_name, typestore


class Topic(NamedTuple):
    """A topic to record."""

    name: str              # absolute, for example '/d0/odom'
    type: type             # message class
    qos: QoSProfile        # as its publisher offers it


def recorded_qos(qos: QoSProfile) -> Qos:
    """The offered quality of service as the bag's metadata stores it."""
    reliable = qos.reliability == ReliabilityPolicy.RELIABLE
    latched = qos.durability == DurabilityPolicy.TRANSIENT_LOCAL
    unset = QosTime(sec=0, nsec=0)
    return Qos(history=QosHistory.KEEP_LAST, depth=qos.depth,
               reliability=QosReliability.RELIABLE if reliable else QosReliability.BEST_EFFORT,
               durability=QosDurability.TRANSIENT_LOCAL if latched else QosDurability.VOLATILE,
               deadline=unset, lifespan=unset, liveliness=QosLiveliness.AUTOMATIC, liveliness_lease_duration=unset,
               avoid_ros_namespace_conventions=False)


class BagRecorder:
    """Subscribes to ``topics`` with ``node`` at once, counting messages; writes them from ``start`` to ``finish``.

    ``listen``: topic -> what is called with the bytes of every message that was written; ``metadata``: of the bag.
    """

    def __init__(self, node: Node, path: Path, topics: list[Topic], listen: dict[str, Callable[[bytes], None]],
                 metadata: dict[str, str] | None = None) -> None:
        self.node = node
        self.listen = listen
        self.path = path
        self.counts: Counter[str] = Counter()    # messages received since the beginning, by topic
        self.recording = False
        self.part = path.parent / '.partial' / path.name
        shutil.rmtree(self.part.parent, ignore_errors=True)
        store = typestore()
        self.writer = Writer(self.part, version=9, storage_plugin=StoragePlugin.MCAP)
        self.writer.open()
        for key, value in (metadata or {}).items():
            self.writer.set_custom_data(key, value)
        for topic in topics:
            connection = self.writer.add_connection(topic.name, type_name(topic.type), typestore=store,
                                                    offered_qos_profiles=[recorded_qos(topic.qos)])
            # a reader that asks for more than the writer offers gets nothing, so the reader asks for the same; its
            # queue is longer, because a recorder must not lose what a busy second has held up
            qos = QoSProfile(depth=max(topic.qos.depth, 200), reliability=topic.qos.reliability,
                             durability=topic.qos.durability)
            node.create_subscription(topic.type, topic.name, self._writer_of(topic.name, connection), qos, raw=True)

    def _writer_of(self, name: str, connection):
        def on_message(data: bytes) -> None:
            self.counts[name] += 1
            if self.recording:
                self.writer.write(connection, self.node.get_clock().now().nanoseconds, data)
                if name in self.listen:
                    self.listen[name](data)
        return on_message

    def start(self) -> None:
        """Write every message from now on."""
        self.recording = True

    def finish(self) -> Path:
        """Close the bag, put it in its place (replacing an older bag there) and return its folder."""
        self.recording = False
        self.writer.close()
        if (self.path / 'metadata.yaml').is_file():
            shutil.rmtree(self.path)
        self.part.rename(self.path)
        self.part.parent.rmdir()
        return self.path

    def abandon(self) -> None:
        """Give up: leave no half-written bag behind."""
        self.recording = False
        self.writer.abort()
        shutil.rmtree(self.part.parent, ignore_errors=True)
