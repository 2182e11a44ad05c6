# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Topics whose messages have no strings (fixed_kernel.py): none has to be learnt first, and no frame is named in them.

A compiled loop reads them; what is left for Python is whose clock a stamp is on, and where coordinates start.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...array_table import address_table
from ...codec.fixed_layout_kernel import (
    BODY_VELOCITY,
    MALFORMED,
    MOVING,
    NO_FRAME,
    NO_TIME,
    NOT_FINITE,
    ODOMETRY,
    OTHER,
    POSE,
    SCRATCH,
    STILL,
    TWIST,
    VEHICLE_ODOMETRY,
    WORLD_VELOCITY,
    read_fixed,
)
from ...codec.message_batch import MessageBatch
from ...codec.motion_columns import MOTION, OMEGA, POS, QUAT, VEL
from ...engine.maths.direct import Direct
from ...rotations import IDENTITY, Rigid
from .sources import Source

__all__ = ['BODY_VELOCITY', 'LAYOUTS', 'ODOMETRY', 'POSE', 'VEHICLE', 'WORLD_VELOCITY', 'FixedTopics', 'Motions']

VEHICLE = 'px4_msgs/msg/VehicleOdometry'
# the fields that messages must begin with, of types that are on no registry; what a bag defines is checked against it
LAYOUTS = {
    VEHICLE: 'uint64 timestamp, uint64 timestamp_sample, uint8 pose_frame, float32[3] position, float32[4] q, '
             'uint8 velocity_frame, float32[3] velocity, float32[3] angular_velocity, float32[3] position_variance, '
             'float32[3] orientation_variance, float32[3] velocity_variance, uint8 reset_counter, int8 quality',
}
FRAME_HINT = 'pose_frame of a VehicleOdometry must be 1 (NED) or 2 (FRD)'


class Motions(NamedTuple):
    """Samples in order of arrival, all with velocities or all without: rows of drones (K,), stamps (K,) ns, motions
    (K,13) in the world."""

    moving: bool
    drones: np.ndarray
    stamps: np.ndarray
    motions: np.ndarray


class FixedTopics:
    """`topics`: kind and source by number of the topic, of `all_topics` of the adapter and of `drones` drones;
    `arrived` gets the time (ns) at which the message in hand arrived, `failed` of a topic one message of which could
    not be read for an unexpected reason."""

    def __init__(self, topics: dict[int, tuple[int, Source]], all_topics: int, drones: int,
                 arrived: Callable[[int], object], failed: Callable[[int, Exception], object]) -> None:
        self._sources: dict[int, Source] = {}
        self._arrived, self._failed = arrived, failed
        # the kernel is given messages of any topic
        kinds, rows = np.zeros((2, all_topics), dtype=np.int64)
        self._kept = kinds, rows, np.zeros((drones, 6)), *np.zeros((2, drones), dtype=np.int64)
        for number, (kind, source) in topics.items():
            self.add(number, kind, source)
        self._scratch = np.zeros(SCRATCH, dtype=np.uint8)
        self._read = Direct(read_fixed)
        self._pieces: list[tuple[np.ndarray, ...]] = []
        self._make_room(max(len(topics), 1))

    def __contains__(self, number: int) -> bool:
        return number in self._sources

    def add(self, number: int, kind: int, source: Source) -> None:
        """Read another topic from now on."""
        self._sources[number] = source
        self._kept[0][number], self._kept[1][number] = kind, source.index
        self._kept[4][source.index] = 0

    def drop(self, number: int) -> None:
        """Read a topic no longer."""
        self._sources.pop(number, None)
        self._kept[0][number] = 0

    def _make_room(self, room: int) -> None:
        self._which, self._codes, self._stamps = np.zeros((3, room), dtype=np.int64)
        self._motions = np.zeros((room, MOTION))
        self._table = address_table((*self._kept, self._scratch, self._which, self._codes, self._stamps, self._motions))
        self._where = self._table.addresses, len(self._kept[0]), len(self._kept[2]), room

    def read(self, batch: MessageBatch, numbers: list[int]) -> list[int]:
        """Read those messages of these numbers that are of these topics; returns the others."""
        n = len(numbers)
        if n > len(self._which):
            self._make_room(2 * n)
        self._which[:n] = numbers
        self._read.call(*self._where, *batch.where, n)
        others, taken, drones, stamps = [], [], [], []
        for k, (code, stamp) in enumerate(zip(self._codes[:n].tolist(), self._stamps[:n].tolist(), strict=True)):
            if code == OTHER:
                others.append(numbers[k])
                continue
            topic = int(batch.topics[numbers[k]])
            source = self._sources[topic]
            self._arrived(int(batch.receptions[numbers[k]]))
            try:
                if code not in (MOVING, STILL):
                    self._note(source, code, batch, numbers[k])
                    continue
                stamp = source.time(stamp)
                if self._place(source, stamp, self._motions[k]):
                    taken.append(k)
                    drones.append(source.index)
                    stamps.append(stamp)
            except Exception as error:
                self._failed(topic, error)
        if taken:
            self._pieces.append((self._codes[taken] == MOVING, np.array(drones), np.array(stamps),
                                 self._motions[taken]))
        return others

    def _note(self, source: Source, code: int, batch: MessageBatch, number: int) -> None:
        """Count a message that gives no sample."""
        source.count()
        if code == NOT_FINITE:
            source.refuse('not_finite', f'velocity on {source.values["topic_velocity"]}')
        elif code == NO_FRAME:
            source.refuse('wrong_frame', FRAME_HINT)
        elif code == MALFORMED:
            least = 4 + (VEHICLE_ODOMETRY if source.values['source'] == 'px4' else TWIST)
            offset, length = int(batch.offsets[number]), int(batch.lengths[number])
            begin = batch.data[offset:offset + min(length, 2)].tobytes().hex()
            source.refuse('malformed', f'{length} bytes that begin with 0x{begin}, {least} of plain CDR expected')
        elif code == NO_TIME:
            source.refuse('out_of_range', f'stamp of a {VEHICLE}: must be below 2**31 s')

    def _place(self, source: Source, stamp: int, motion: np.ndarray) -> bool:
        """Carry a motion to where its coordinates start, and out of its frame; False where that is not known."""
        if source.start is None:
            source.refuse('no_reference', 'no VehicleLocalPosition with a global reference yet')
            return False
        if source.start:
            motion[POS:QUAT] += source.start
        place = source.place('', stamp)
        if place is None:
            return False
        if place is not IDENTITY:
            _carry(place, motion)
        return True

    def drain(self) -> list[Motions]:
        """What was read since, in runs of a kind."""
        pieces, self._pieces = self._pieces, []
        if not pieces:
            return []
        moving, drones, stamps, motions = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
        ends = [0, *(np.flatnonzero(moving[1:] != moving[:-1]) + 1).tolist(), len(moving)]
        return [Motions(bool(moving[a]), drones[a:b], stamps[a:b], motions[a:b])
                for a, b in zip(ends[:-1], ends[1:], strict=True)]

    def forget(self) -> None:
        """Drop what was read, and velocities that wait for their pose."""
        self._pieces.clear()
        self._kept[4][:] = 0


def _carry(place: Rigid, motion: np.ndarray) -> None:
    w, x, y, z = motion[QUAT:VEL].tolist()
    moved = place.motion(tuple(motion[POS:QUAT].tolist()), (x, y, z, w), tuple(motion[VEL:OMEGA].tolist()),
                         tuple(motion[OMEGA:].tolist()))
    position, (x, y, z, w), linear, angular = moved
    motion[:] = *position, w, x, y, z, *linear, *angular
