# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Tracked hands (HandJoints) in bags, as arrays."""
from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from hakoniwa_rigid.replay.bag.reader import Bag, BagMessage
from hakoniwa_rigid.replay.bag.types import typestore
from hakoniwa_rigid.replay.bag.writer import BagWriter
from hakoniwa_rigid.replay.errors import BagError

TYPE = 'hakoniwa_rigid/msg/HandJoints'
SECOND = 10**9


class HandTrack(NamedTuple):
    """All samples of a hand: T of J joints."""

    hand: str
    frame: str
    names: tuple[str, ...]       # J or none
    stamps_ns: np.ndarray        # (T,) int64, capture
    positions: np.ndarray        # (T,J,3) m in ``frame``
    orientations: np.ndarray     # (T,J,4) xyzw
    radii: np.ndarray            # (J,) float32, m, or none
    is_valid: np.ndarray         # (T,J) bool


def read_hands(path: str | Path) -> list[HandTrack]:
    """The hands of a bag, in the order of their topics. BagError names bag, topic and message where there is none, or
    where a hand changes its joints, radii or frame."""
    with Bag(path) as bag:
        found: dict[str, list] = {topic.name: [] for topic in bag.topics if topic.type == TYPE and topic.count}
        if not found:
            raise BagError(f'{path}: holds no {TYPE}; its topics: {", ".join(t.name for t in bag.topics) or "none"}')
        for message in bag.messages(topics=list(found)):
            found[message.topic].append((message, bag.decode(message)))
    return [_track(path, name, messages) for name, messages in found.items()]


def _track(path: str | Path, topic: str, messages: list[tuple[BagMessage, object]]) -> HandTrack:
    first = messages[0][1]
    same = _constants(first)
    for message, msg in messages:
        for key, value in _constants(msg).items():
            if value != same[key]:
                raise BagError(f'{path}: {topic}[{message.sequence}]: {key} changes from {same[key]} to {value}; a '
                               'recorded hand keeps it')
    poses = np.array([[[p.position.x, p.position.y, p.position.z, p.orientation.x, p.orientation.y, p.orientation.z,
                        p.orientation.w] for p in msg.poses] for _, msg in messages]).reshape(len(messages), -1, 7)
    # a joint without a number is a missing joint, whatever its flag says
    is_valid = np.isfinite(poses).all(axis=2)
    if len(first.is_valid):
        is_valid &= np.array([msg.is_valid for _, msg in messages], dtype=bool)
    hand = first.hand or topic.rpartition('/')[2]
    return HandTrack(hand, first.header.frame_id, tuple(first.names), np.array([_stamp(*pair) for pair in messages]),
                     poses[:, :, :3], poses[:, :, 3:], np.array(first.radii, dtype=np.float32), is_valid)


def _constants(msg) -> dict[str, object]:
    """What is written once in a recording."""
    return {'hand': msg.hand, 'frame_id': msg.header.frame_id, 'names': list(msg.names), 'radii': list(msg.radii),
            'number of poses': len(msg.poses), 'number of is_valid': len(msg.is_valid)}


def _stamp(message: BagMessage, msg) -> int:
    """Capture time, ns; when it was received where the header has none."""
    return msg.header.stamp.sec * SECOND + msg.header.stamp.nanosec or message.stamp_ns


def write_hands(path: str | Path, tracks: list[HandTrack]) -> None:
    """A bag of hands on ``/hands/<name>``, received as soon as captured; equal tracks give equal bytes."""
    rows = sorted((int(stamp), n, k) for n, track in enumerate(tracks) for k, stamp in enumerate(track.stamps_ns))
    with BagWriter(path) as bag:
        numbers = [bag.topic(f'/hands/{track.hand}', TYPE) for track in tracks]
        for stamp, n, k in rows:
            bag.write(numbers[n], stamp, _message(tracks[n], stamp, k))


def _message(track: HandTrack, stamp: int, k: int) -> bytes:
    store = typestore()
    types = store.types
    point, quaternion, pose, time, header = (types[name] for name in (
        'geometry_msgs/msg/Point', 'geometry_msgs/msg/Quaternion', 'geometry_msgs/msg/Pose',
        'builtin_interfaces/msg/Time', 'std_msgs/msg/Header'))
    poses = [pose(position=point(*p), orientation=quaternion(*q))
             for p, q in zip(track.positions[k].tolist(), track.orientations[k].tolist(), strict=True)]
    sec, nanosec = divmod(stamp, SECOND)
    msg = types[TYPE](header=header(stamp=time(sec=sec, nanosec=nanosec), frame_id=track.frame), hand=track.hand,
                      names=list(track.names), poses=poses, radii=np.asarray(track.radii, dtype=np.float32),
                      is_valid=np.asarray(track.is_valid[k], dtype=bool))
    return bytes(store.serialize_cdr(msg, TYPE))
