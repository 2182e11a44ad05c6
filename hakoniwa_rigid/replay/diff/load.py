# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Runs from files: ``load_run(path)`` reads a bag or a golden file."""
from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection
from hashlib import blake2b
from pathlib import Path

import numpy as np

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.law import LAW_KEY
from hakoniwa_rigid.replay.bag.reader import Bag, BagMessage
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.replay.published import BODY, CONSTRAINTS, CONTACTS, Event, event_of

from .golden_reader import read_golden
from .records import (
    CompareError,
    ConstraintChange,
    Run,
    TopicBytes,
    Trajectory,
    change_of,
    contacts_of,
    trajectory,
)
from .setup import Setup, setup_of

ODOMETRY, FLEET = 'nav_msgs/msg/Odometry', 'hakoniwa_rigid/msg/FleetState'
ENDINGS = {ODOMETRY: 'odom_corrected', FLEET: 'states_corrected'}   # of the names of topics with corrected states
GOLDEN_SUFFIXES = ('.yaml', '.yml')
DIGEST_BYTES = 16


def load_run(path: str | Path, topics: Collection[str] = ()) -> Run:
    """The run in a bag (folder, .mcap or .db3) or in a golden file (.yaml).

    topics: more topics with states, Odometry or FleetState, than those called ``…/odom_corrected`` and
    ``…/states_corrected``.  BagError or CompareError where it cannot be read.
    """
    path = Path(path)
    if path.suffix in GOLDEN_SUFFIXES and not path.is_dir():
        return read_golden(path)
    with Bag(path) as bag:
        wanted = {t.name: t.type for t in bag.topics if _is_wanted(t.name, t.type, topics)}
        if absent := sorted(set(topics) - set(wanted)):
            raise CompareError(f'{path}: topic {absent[0]}: not there, or no Odometry or FleetState; there is '
                               f'{", ".join(t.name for t in bag.topics) or "nothing"}')
        gathered = _Gathered()
        for message in bag.messages(topics=list(wanted)) if wanted else ():
            gathered.add(bag, message)
        return gathered.run(str(path), CONTACTS in wanted.values(), bag.warnings, law_of(bag),
                            setup_of(bag.metadata))


def law_of(bag: Bag) -> int | None:
    """Version of the law that made a bag, as its metadata say; None where they do not."""
    reported = bag.metadata.get(LAW_KEY, '')
    return int(reported) if re.fullmatch('[0-9]{1,9}', reported) else None


def _is_wanted(name: str, kind: str, topics: Collection[str]) -> bool:
    return kind in (CONTACTS, CONSTRAINTS) or (kind in ENDINGS and (name in topics or name.endswith(ENDINGS[kind])))


class _Gathered:
    """Messages taken in one by one, arrays made of them at the end."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.changes: list[ConstraintChange] = []
        self.poses: dict[tuple[str, str], tuple[list, list, list]] = defaultdict(lambda: ([], [], []))
        self.frames: dict[str, set[str]] = defaultdict(set)          # by topic
        self.stamps: dict[str, list[int]] = defaultdict(list)        # by topic
        self.digests: dict[str, bytearray] = defaultdict(bytearray)  # by topic
        self.fleets: dict[tuple[str, tuple[str, ...]], tuple[list, list, list]] = defaultdict(lambda: ([], [], []))
        self.unstamped = 0

    def add(self, bag: Bag, message: BagMessage) -> None:
        """One message of one of the four types; BagError where it is none."""
        decoded = bag.decode(message)
        stamp = _ns(decoded.header.stamp)
        if stamp == 0 and message.stamp_ns != 0 and message.type not in (CONTACTS, CONSTRAINTS):
            stamp, self.unstamped = message.stamp_ns, self.unstamped + 1
        self.stamps[message.topic].append(stamp)
        self.digests[message.topic] += blake2b(message.data, digest_size=DIGEST_BYTES).digest()
        if message.type == CONTACTS:
            self.events += [event_of(e, _ns(e.header.stamp)) for e in decoded.events]
            return
        if message.type == CONSTRAINTS:
            self.changes += [_change(e) for e in decoded.events]
            return
        self.frames[message.topic].add(decoded.header.frame_id)
        if message.type == ODOMETRY:
            self._odometry(message.topic, stamp, decoded)
        else:
            self._fleet(f'{bag.path}: {message.topic}[{message.sequence}]', message.topic, stamp, decoded)

    def _odometry(self, topic: str, stamp: int, decoded) -> None:
        child, pose = decoded.child_frame_id, decoded.pose.pose
        named = child.removesuffix(BODY) if child.endswith(BODY) else ''
        drone = named or topic.strip('/').rpartition('/')[0] or topic.strip('/')
        p, q = pose.position, pose.orientation
        stamps, positions, orientations = self.poses[topic, drone]
        stamps.append(stamp)
        positions.append((p.x, p.y, p.z))
        orientations.append((q.x, q.y, q.z, q.w))

    def _fleet(self, where: str, topic: str, stamp: int, decoded) -> None:
        n = len(decoded.names)
        if len(decoded.positions) != 3 * n or len(decoded.orientations) != 4 * n:
            raise BagError(f'{where}: {n} names need {3 * n} positions and {4 * n} orientations, got '
                           f'{len(decoded.positions)} and {len(decoded.orientations)}')
        stamps, positions, orientations = self.fleets[topic, tuple(decoded.names)]
        stamps.append(stamp)
        positions.append(decoded.positions)
        orientations.append(decoded.orientations)

    def run(self, name: str, has_contacts: bool, warnings: list[str], law: int | None, setup: Setup) -> Run:
        """What was gathered."""
        notes = list(warnings)
        if self.unstamped:
            notes.append(f'{self.unstamped} states without a stamp: their time of recording was taken')
        trajectories = self._trajectories()
        notes += [f'{t.drone}: {int((~t.finite).sum())} of {len(t.stamps)} samples are no pose (NaN, or a quaternion '
                  'of length 0)' for t in trajectories if not t.finite.all()]
        kept = {topic: np.frombuffer(bytes(d), dtype=np.uint8).reshape(-1, DIGEST_BYTES)
                for topic, d in sorted(self.digests.items())}
        return Run(name, trajectories, contacts_of(self.events) if has_contacts else None, tuple(notes),
                   tuple(TopicBytes(topic, np.array(self.stamps[topic], dtype=np.int64), d)
                         for topic, d in kept.items()), law=law, constraints=tuple(self.changes), setup=setup)

    def _trajectories(self) -> tuple[Trajectory, ...]:
        parts: dict[tuple[str, str], list] = defaultdict(list)     # (stamps, positions, orientations) by drone, topic
        for (topic, drone), rows in self.poses.items():
            parts[drone, topic].append(rows)
        for (topic, names), (stamps, positions, orientations) in self.fleets.items():
            x = np.array(positions).reshape(len(stamps), len(names), 3)
            q = np.array(orientations).reshape(len(stamps), len(names), 4)
            for k, drone in enumerate(names):
                parts[drone, topic].append((stamps, x[:, k], q[:, k]))
        found = []
        for (drone, topic), rows in sorted(parts.items(), key=lambda item: item[0]):
            stamps, positions, orientations = (np.concatenate(columns) for columns in zip(*rows, strict=True))
            found.append(trajectory(drone, stamps, positions, orientations, topic, ' / '.join(sorted(
                self.frames[topic]))))
        return tuple(found)


def _ns(stamp) -> int:
    return stamp.sec * NANOSECONDS + stamp.nanosec


def _change(e) -> ConstraintChange:
    vectors = ((v.x, v.y, v.z) for v in (e.impulse, e.force))
    return change_of(e.name, int(e.phase), int(e.kind), e.body_a, e.body_b, _ns(e.header.stamp), *vectors)
