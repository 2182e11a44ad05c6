# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A flight from what a node has published into a bag: corrected states, contacts, hands, markers."""
from __future__ import annotations

import argparse
import struct
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import numpy as np

from hakoniwa_rigid.brief import MOST_VALUE, cut
from hakoniwa_rigid.codec import cdr
from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.codec.motion_packer import ODOMETRY
from hakoniwa_rigid.replay.bag.reader import Bag, BagMessage
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.replay.inspection.drones import FLEET, HAND, drone_of
from hakoniwa_rigid.replay.published import BODY, CONSTRAINTS, CONTACTS, event_of
from hakoniwa_rigid.replay.topics import Names
from hakoniwa_rigid.scene.world_files.world_types import WorldConfig
from hakoniwa_rigid.static_page import hands
from hakoniwa_rigid.static_page.flight import Bones, Flight, Frame
from hakoniwa_rigid.static_page.touches import Change

MARKERS = 'visualization_msgs/msg/MarkerArray'
STATES, FLEET_STATES = 'odom_corrected', 'states_corrected'     # ends of names of topics
ARRAYS = ('positions', 'orientations', 'linear_velocities', 'angular_velocities')
HAND_TIMEOUT = 400_000_000  # ns after its last sample a hand is gone
TEXT = 4                    # bytes of a length in a message
MESSAGES_PER_REPORT = 1024


def state_topics(bag: Bag, names: Names) -> dict[str, str]:
    """Topics of corrected states by name, with their types: one of the whole fleet where there is one, else one of each
    drone."""
    full = {t.name: t.type for t in bag.topics if t.count}
    asked = names.resolve(f'fleet/{FLEET_STATES}')
    if full.get(asked) == FLEET:
        return {asked: FLEET}
    fleets = [name for name, kind in full.items() if kind == FLEET and name.endswith(FLEET_STATES)]
    if fleets:
        return {fleets[0]: FLEET}
    return {name: kind for name, kind in full.items() if kind == ODOMETRY and name.endswith(STATES)}


def fill(flight: Flight, bag: Bag, options: argparse.Namespace, world: WorldConfig,
         topics: dict[str, str], progress: Callable[[float], object]) -> None:
    """Read the stretch from --from to --to; topics: of the states.  BagError where a message of these is none."""
    reader = _Reader(flight, bag, world, topics)
    low, high = (None if s is None else bag.start_ns + round(s * NANOSECONDS) for s in (options.first, options.last))
    for number, message in enumerate(bag.messages(sorted(reader.takers), low, high)):
        try:
            reader.takers[message.topic](message)
        except BagError:
            raise
        except (AttributeError, IndexError, OverflowError, TypeError, ValueError, struct.error) as error:
            # cut short, damaged, or of a release whose messages had other fields
            raise BagError(f'{bag.path}: {message.topic}[{message.sequence}]: {cut(str(error), MOST_VALUE)}') from error
        if number % MESSAGES_PER_REPORT == 0:
            progress((message.stamp_ns - bag.start_ns) / NANOSECONDS)


class _Reader:
    """The newest of everything; states make frames of it.  takers: what takes the messages of a topic."""

    def __init__(self, flight: Flight, bag: Bag, world: WorldConfig, topics: dict[str, str]) -> None:
        self._flight, self._bag = flight, bag
        self._poses: dict[str, tuple[Any, Any]] = {}
        self._flags: dict[str, int] = {}
        self._objects: dict[str, tuple[Any, Any]] = {}
        self._names = {k: body.name for k, body in enumerate(world.objects)}
        self._hands: dict[str, tuple[int, Bones]] = {}
        self._lines, self._loaded = np.zeros((0, 6)), np.zeros(0, dtype=bool)
        self._fleet, self._odometry = cdr.FleetReader(ARRAYS), cdr.SampleReader(cdr.ODOMETRY)
        kinds = {CONTACTS: self._take_contacts, CONSTRAINTS: self._take_constraints, HAND: self._take_hand,
                 MARKERS: self._take_markers}
        self.takers = {t.name: kinds[t.type] for t in bag.topics if t.type in kinds and t.count}
        self.takers |= {name: self._take_fleet if kind == FLEET else self._take_drone
                        for name, kind in topics.items()}

    def _take_fleet(self, message: BagMessage) -> None:
        fleet = self._fleet.read(message.data)
        positions, turns = fleet.arrays[0].reshape(-1, 3), fleet.arrays[1].reshape(-1, 4)
        if not len(fleet.names) == len(positions) == len(turns):
            raise ValueError(f'{len(fleet.names)} names, {len(positions)} positions, {len(turns)} orientations')
        stamp = _stamp(fleet.header.stamp, message)
        if not self._flight.is_due(stamp):
            return
        self._poses = dict(zip(fleet.names, zip(positions.copy(), turns.copy(), strict=True), strict=True))
        begin = fleet.begins[-1] + fleet.arrays[-1].nbytes + TEXT
        flags = message.data[begin:begin + len(fleet.names)]
        self._flags = dict(zip(fleet.names, flags, strict=False))
        self._flight.add(stamp, self._frame(stamp))

    def _take_drone(self, message: BagMessage) -> None:
        sample = self._odometry.read(message.data)
        child = sample.child_frame_id
        name = child.removesuffix(BODY) if child.endswith(BODY) else drone_of(message.topic)
        self._poses[name] = sample.values[:3], sample.values[3:7]
        stamp = _stamp(sample.header.stamp, message)
        if self._flight.is_due(stamp):
            self._flight.add(stamp, self._frame(stamp))

    def _frame(self, stamp: int) -> Frame:
        there = {name: bones for name, (at, bones) in self._hands.items() if abs(stamp - at) < HAND_TIMEOUT}
        return Frame(dict(self._poses), self._flags, dict(self._objects), there, self._lines, self._loaded)

    def _take_contacts(self, message: BagMessage) -> None:
        for e in self._bag.decode(message).events:
            self._flight.touches.add(event_of(e, _stamp(e.header.stamp, message)))

    def _take_constraints(self, message: BagMessage) -> None:
        for e in self._bag.decode(message).events:
            self._flight.touches.change(Change(_stamp(e.header.stamp, message), e.phase, e.name, e.body_a, e.body_b))

    def _take_hand(self, message: BagMessage) -> None:
        hand = self._bag.decode(message)
        positions = np.array([(p.position.x, p.position.y, p.position.z) for p in hand.poses]).reshape(-1, 3)
        bones = hands.of_joints(positions, np.asarray(hand.radii, dtype=float), np.asarray(hand.is_valid, dtype=bool))
        if bones is not None:
            name = hand.hand or message.topic.rpartition('/')[2]
            self._hands[name] = _stamp(hand.header.stamp, message), bones

    def _take_markers(self, message: BagMessage) -> None:
        """Free objects, one marker each in the order of the world file, and constraints, a list of lines."""
        for marker in self._bag.decode(message).markers:
            if marker.ns == 'objects' and marker.id in self._names:
                p, q = marker.pose.position, marker.pose.orientation
                self._objects[self._names[marker.id]] = (p.x, p.y, p.z), (q.x, q.y, q.z, q.w)
            elif marker.ns == 'constraints':
                ends = [(p.x, p.y, p.z) for p in marker.points]
                self._lines = np.array([(*a, *b) for a, b in _pairs(ends)]).reshape(-1, 6)
                colours = [colour.g < 0.5 for colour in marker.colors[:2 * len(self._lines):2]]
                self._loaded = np.array(colours + [False] * (len(self._lines) - len(colours)), dtype=bool)


def _pairs(ends: list[tuple]) -> Iterable[tuple]:
    """The first with the second, the third with the fourth."""
    return list(pairwise(ends))[::2]


def _stamp(stamp: Any, message: BagMessage) -> int:
    """ns; of the log where the header has none."""
    return stamp.sec * NANOSECONDS + stamp.nanosec or message.stamp_ns
