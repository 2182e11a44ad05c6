# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Outgoing messages as bytes that are serialised once; every tick only patches the numbers in them."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from .cdr import ENCAPSULATION, FleetReader
from .constraint_event import CONSTRAINT_EVENT
from .contact_event import CONTACT_EVENT
from .event_schema import EventSchema
from .message_fields import NANOSECONDS
from .state_kernel import write_fleet, write_odometry

__all__ = ['FIELDS', 'ConstraintEventsWriter', 'ContactEventsWriter', 'EventsWriter', 'FleetStateWriter',
           'OdometryWriter']

# little-endian plain CDR (XCDR1), what ROS 2 sends
PLAIN = b'\0\1\0\0'
STAMP = struct.Struct('<iI')
# bytes of an Odometry behind its strings: pose, twist, and a covariance of each
ODOMETRY = 8 * (7 + 36 + 6 + 36)


class OdometryWriter:
    """Odometry of K drones with one frame_id and equally long child_frame_ids (K): a table of bytes, a row each."""

    def __init__(self, frame_id: str, child_frame_ids: list[str]) -> None:
        heads = [_padded(_head(frame_id) + _text(child, len(_head(frame_id))), 8) for child in child_frame_ids]
        pose = len(heads[0])
        if any(len(head) != pose for head in heads):
            raise ValueError(f'child_frame_ids must be equally long in bytes, got {child_frame_ids}')
        self._size, self._pose = pose + ODOMETRY, pose
        self._bytes = bytearray(b''.join(head + bytes(ODOMETRY) for head in heads))
        self._scratch = np.zeros(64, dtype=np.uint8)

    @property
    def table(self) -> np.ndarray:
        """The messages (K, size) uint8, as last filled; their memory stays where it is."""
        return np.frombuffer(self._bytes, np.uint8).reshape(-1, self._size)

    def fill(self, ns: int, states, rows: np.ndarray) -> None:
        """Write the rows (K,) of a FleetArrays at stamp ns; the twist is in the child frame, as the message demands."""
        write_odometry(self.table, self._pose, *divmod(ns, NANOSECONDS), rows, states.positions,
                       states.orientations_xyzw, states.linear_velocities, states.angular_velocities, self._scratch)

    def messages(self) -> list[bytes]:
        """The K messages as last filled."""
        whole, size = bytes(self._bytes), self._size
        return [whole[offset : offset + size] for offset in range(0, len(whole), size)]


def _padded(data: bytes, alignment: int) -> bytes:
    """With zeros up to where something with this alignment may begin."""
    return data + bytes(-(len(data) - ENCAPSULATION) % alignment)


def _text(text: str, offset: int) -> bytes:
    """A string that begins at byte `offset` of a message: padding, length, bytes, zero."""
    raw = text.encode() + b'\0'
    return bytes(-(offset - ENCAPSULATION) % 4) + struct.pack('<I', len(raw)) + raw


def _head(frame_id: str) -> bytes:
    """Encapsulation and std_msgs/Header at time 0."""
    start = PLAIN + STAMP.pack(0, 0)
    return start + _text(frame_id, len(start))


class FleetStateWriter:
    """FleetState of N drones in one buffer."""

    def __init__(self, frame_id: str, names: tuple[str, ...]) -> None:
        n = len(names)
        data = bytearray(_padded(_head(frame_id), 4) + struct.pack('<I', n))
        for name in names:
            data += _text(name, len(data))
        for _, width in FIELDS:
            data = _padded(data, 4) + struct.pack('<I', width * n)
            data = _padded(data, 8) + bytes(8 * width * n) if n else data
        # DDS fills a message up to four bytes: done here, it is the same wherever it is looked at
        data = _padded(_padded(data, 4) + struct.pack('<I', n) + bytes(n), 4)
        # numbers are aligned behind the encapsulation; where it ends, a double may begin
        memory = np.zeros(-(-(len(data) + ENCAPSULATION) // 8), dtype=np.float64)
        self._message = memory.view(np.uint8)[ENCAPSULATION:ENCAPSULATION + len(data)]
        self._message[:] = np.frombuffer(data, np.uint8)
        # the reader knows where the arrays begin
        begins = FleetReader(tuple(field for field, _ in FIELDS)).read(bytes(data)).begins
        flags = begins[-1] + 24 * n + 4
        self._begins = np.array([*((b + ENCAPSULATION) // 8 for b in begins), flags], dtype=np.int64)
        self._numbers = memory

    def write(self, ns: int, states) -> bytes:
        """The message of a FleetArrays at stamp ns."""
        write_fleet(self._message, self._numbers, self._begins, *divmod(ns, NANOSECONDS), states.positions,
                    states.orientations_xyzw, states.linear_velocities, states.angular_velocities, states.flags)
        return self._message.tobytes()


class EventsWriter:
    """An array message of the events of a tick, by the schema of theirs."""

    def __init__(self, frame_id: str, schema: EventSchema) -> None:
        self._frame_id, self._schema = frame_id, schema
        self._numbers = struct.Struct(f'<{schema.packed}')

    def write(self, ns: int, events: Sequence) -> bytes:
        """The message of these records at stamp ns."""
        data = bytearray(_head(self._frame_id))
        STAMP.pack_into(data, ENCAPSULATION, *divmod(ns, NANOSECONDS))
        data = bytearray(_padded(data, 4)) + struct.pack('<I', len(events))
        for event in events:
            self._add(data, event)
        return bytes(data)

    def _add(self, data: bytearray, e) -> None:
        _pad(data, 4)
        data += STAMP.pack(*divmod(e.stamp_ns, NANOSECONDS)) + _text(self._frame_id, ENCAPSULATION)
        _pad(data, 8)
        data += struct.pack('<QBB', e.id, e.phase, e.kind)
        for name in self._schema.names:
            data += _text(getattr(e, name), len(data))
        _pad(data, 8)
        data += self._numbers.pack(*self._schema.numbers_of(e))


class ContactEventsWriter(EventsWriter):
    """ContactEventArray of the events of a tick."""

    def __init__(self, frame_id: str) -> None:
        super().__init__(frame_id, CONTACT_EVENT)


class ConstraintEventsWriter(EventsWriter):
    """ConstraintEventArray of the constraint events of a tick."""

    def __init__(self, frame_id: str) -> None:
        super().__init__(frame_id, CONSTRAINT_EVENT)


def _pad(data: bytearray, alignment: int) -> None:
    """Zeros up to where something with this alignment may begin."""
    data += bytes(-(len(data) - ENCAPSULATION) % alignment)


FIELDS = (('positions', 3), ('orientations', 4), ('linear_velocities', 3), ('angular_velocities', 3))
