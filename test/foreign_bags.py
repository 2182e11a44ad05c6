# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bags as another recorder would write them: by rosbags alone, of every type that a replay takes.

Types of this package come from its .msg files, those of actuator_msgs from the text here; nothing of its code is used.
"""
from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

NS = 10**9
ACTUATORS = 'std_msgs/Header header\nfloat64[] position\nfloat64[] velocity\nfloat64[] normalized\n'
STORAGES = {'mcap': StoragePlugin.MCAP, 'sqlite3': StoragePlugin.SQLITE3}


class Said(NamedTuple):
    """One message of a bag: log time, ns; topic; type; the message."""

    stamp: int
    topic: str
    kind: str
    message: Any


def _store():
    """Types of Kilted, of this package and of actuator_msgs."""
    store = get_typestore(Stores.ROS2_KILTED)
    found = get_types_from_msg(ACTUATORS, 'actuator_msgs/msg/Actuators')
    for path in sorted((Path(__file__).parents[1] / 'msg').glob('*.msg')):
        found.update(get_types_from_msg(path.read_text(), f'hakoniwa_rigid/msg/{path.stem}'))
    store.register(found)
    return store


STORE = _store()
T = STORE.types


def vector(values, kind='Vector3'):
    return T[f'geometry_msgs/msg/{kind}'](*map(float, values))


def header(stamp: int, frame: str = 'world'):
    time = T['builtin_interfaces/msg/Time'](sec=stamp // NS, nanosec=stamp % NS)
    return T['std_msgs/msg/Header'](stamp=time, frame_id=frame)


def pose(position, orientation=(0, 0, 0, 1)):
    return T['geometry_msgs/msg/Pose'](vector(position, 'Point'), vector(orientation, 'Quaternion'))


def twist(linear, angular=(0, 0, 0)):
    return T['geometry_msgs/msg/Twist'](vector(linear), vector(angular))


def said(topic: str, stamp: int, kind: str, *, log: int | None = None, frame: str = 'world', **fields) -> Said:
    """A message with a header, all fields by name; log: log time where it is not the header's."""
    return Said(stamp if log is None else log, topic, kind, T[kind](header=header(stamp, frame), **fields))


def odom(topic, stamp, position, velocity=(0, 0, 0), orientation=(0, 0, 0, 1), **more) -> Said:
    """Velocity in the body."""
    zeros = np.zeros(36)
    return said(topic, stamp, 'nav_msgs/msg/Odometry', child_frame_id='base_link',
                pose=T['geometry_msgs/msg/PoseWithCovariance'](pose(position, orientation), zeros),
                twist=T['geometry_msgs/msg/TwistWithCovariance'](twist(velocity), zeros), **more)


def transforms(topic, stamp, *links: tuple, log: int | None = None) -> Said:
    """links: (parent, child, position, orientation xyzw)."""
    made = [T['geometry_msgs/msg/TransformStamped'](
        header(stamp, parent), child, T['geometry_msgs/msg/Transform'](vector(p), vector(q, 'Quaternion')))
        for parent, child, p, q in links]
    return Said(stamp if log is None else log, topic, 'tf2_msgs/msg/TFMessage',
                T['tf2_msgs/msg/TFMessage'](transforms=made))


def write(path: Path, messages: Iterable[Said], storage='mcap', version=9, compression=None) -> Path:
    """A bag of the messages in the order given; compression: None, 'file', 'message' or 'storage'."""
    writer = Writer(path, version=version, storage_plugin=STORAGES[storage])
    if compression:
        writer.set_compression(CompressionMode[compression.upper()], CompressionFormat.ZSTD)
    with writer:
        topics: dict[str, Any] = {}
        for m in messages:
            if m.topic not in topics:
                topics[m.topic] = writer.add_connection(m.topic, m.kind, typestore=STORE)
            data = m.message if isinstance(m.message, bytes) else STORE.serialize_cdr(m.message, m.kind)
            writer.write(topics[m.topic], m.stamp, data)
    return path
