# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bags for tests: odometry whose bytes are known, written by rosbags (the independent writer) or by the package."""
from __future__ import annotations

import random
from pathlib import Path

import numpy as np
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

ODOMETRY = 'nav_msgs/msg/Odometry'
STORE = get_typestore(Stores.ROS2_KILTED)
OLD_TABLES = (    # of the first version of rosbag2
    'CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT, serialization_format TEXT);'
    'CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB);')
STORAGES = {'mcap': StoragePlugin.MCAP, 'sqlite3': StoragePlugin.SQLITE3}


def odometry(stamp_ns, position, *, velocity=(0, 0, 0), spin=(0, 0, 0), orientation=(0, 0, 0, 1), frame='world',
             child='base_link') -> bytes:
    """The bytes of an Odometry, made by rosbags; twist in the child frame."""
    t = STORE.types
    vector, point, quaternion = (t[f'geometry_msgs/msg/{name}'] for name in ('Vector3', 'Point', 'Quaternion'))
    time = t['builtin_interfaces/msg/Time'](sec=stamp_ns // 10**9, nanosec=stamp_ns % 10**9)
    zeros = np.zeros(36)
    pose = t['geometry_msgs/msg/Pose'](position=point(*map(float, position)),
                                       orientation=quaternion(*map(float, orientation)))
    twist = t['geometry_msgs/msg/Twist'](linear=vector(*map(float, velocity)), angular=vector(*map(float, spin)))
    message = t[ODOMETRY](
        header=t['std_msgs/msg/Header'](stamp=time, frame_id=frame), child_frame_id=child,
        pose=t['geometry_msgs/msg/PoseWithCovariance'](pose=pose, covariance=zeros),
        twist=t['geometry_msgs/msg/TwistWithCovariance'](twist=twist, covariance=zeros))
    return bytes(STORE.serialize_cdr(message, ODOMETRY))


def written_by_rosbags(path: Path, messages, storage='mcap', compression=None) -> Path:
    """A bag of (topic, stamp_ns, data), all Odometry; ``compression``: None, 'file', 'message' or 'storage'."""
    writer = Writer(path, version=9, storage_plugin=STORAGES[storage])
    if compression:
        writer.set_compression(CompressionMode[compression.upper()], CompressionFormat.ZSTD)
    with writer:
        topics = {name: writer.add_connection(name, ODOMETRY, typestore=STORE)
                  for name in dict.fromkeys(topic for topic, _, _ in messages)}
        for topic, stamp, data in messages:
            writer.write(topics[topic], stamp, data)
    return path


def flight(number=300, drones=3, seed=1):
    """(topic, stamp_ns, data): a few drones, each 10 ms; data of several lengths, all different."""
    chance = random.Random(seed)
    found = []
    for k in range(number):
        for d in range(drones):
            found.append((f'/d{d}/odom', k * 10_000_000 + 1000 * d,
                          odometry(k * 10_000_000, (k, d, chance.random()), frame='world' * chance.randint(1, 3))))
    return found
