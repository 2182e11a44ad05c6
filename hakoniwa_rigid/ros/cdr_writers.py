"""Outgoing messages as bytes that are serialised once; every tick only patches the numbers in them."""

from __future__ import annotations

import struct

import numpy as np
from nav_msgs.msg import Odometry
from rclpy.serialization import serialize_message

from hakoniwa_rigid.msg import FleetState

from . import convert
from .cdr import ENCAPSULATION, FleetReader

__all__ = ['FleetStateWriter', 'OdometryWriter']

STAMP = struct.Struct('<iI')
# bytes of an Odometry behind its strings: pose, its covariance, twist, its covariance
POSE, TWIST, ODOMETRY = 7 * 8, 6 * 8, 85 * 8


class OdometryWriter:
    """Odometry of K drones with one frame_id and equally long child_frame_ids (K): a table of bytes, a row each."""

    def __init__(self, frame_id: str, child_frame_ids: list[str]) -> None:
        rows = [bytes(_empty(frame_id, child)) for child in child_frame_ids]
        size = len(rows[0])
        if any(len(row) != size for row in rows):
            raise ValueError(f'child_frame_ids must be equally long in bytes, got {child_frame_ids}')
        texts = _end_of_texts(rows[0])
        pose = texts + -(texts - ENCAPSULATION) % 8
        fields = {
            'names': ['sec', 'nanosec', 'pose', 'twist'],
            'formats': ['<i4', '<u4', ('<f8', 7), ('<f8', 6)],
            'offsets': [ENCAPSULATION, ENCAPSULATION + 4, pose, pose + POSE + 36 * 8],
            'itemsize': size,
        }
        self._size = size
        self._table = np.frombuffer(bytearray(b''.join(rows)), np.dtype(fields))

    def write(
        self,
        ns: int,
        positions: np.ndarray,
        orientations: np.ndarray,
        linear_body: np.ndarray,
        angular_body: np.ndarray,
    ) -> list[bytes]:
        """The K messages: stamp ns, positions (K, 3) m, orientations (K, 4) xyzw, twists (K, 3) in the child frame."""
        table, size = self._table, self._size
        table['sec'], table['nanosec'] = divmod(ns, convert.NANOSECONDS)
        table['pose'][:, :3], table['pose'][:, 3:] = positions, orientations
        table['twist'][:, :3], table['twist'][:, 3:] = linear_body, angular_body
        whole = table.tobytes()
        return [whole[at : at + size] for at in range(0, len(whole), size)]


def _empty(frame_id: str, child_frame_id: str) -> bytes:
    msg = Odometry(child_frame_id=child_frame_id)
    msg.header.frame_id = frame_id
    return serialize_message(msg)


def _end_of_texts(data: bytes) -> int:
    """Where the two strings of an Odometry end: each is its length, aligned to 4, and its bytes."""
    at = ENCAPSULATION + 8
    for _ in range(2):
        at += -(at - ENCAPSULATION) % 4
        at += 4 + struct.unpack_from('<I', data, at)[0]
    return at


class FleetStateWriter:
    """FleetState of N drones in one buffer."""

    def __init__(self, frame_id: str, names: tuple[str, ...]) -> None:
        n = len(names)
        msg = FleetState(names=list(names))
        msg.header.frame_id = frame_id
        for field, width in FIELDS:
            setattr(msg, field, convert.doubles_of(np.zeros(width * n)))
        msg.flags = convert.bytes_of(np.zeros(n))
        self._buffer = bytearray(serialize_message(msg))
        whole = np.frombuffer(self._buffer, np.uint8)
        # the reader's arrays are views of the bytes: they say where the numbers belong
        arrays = FleetReader(tuple(field for field, _ in FIELDS)).read(self._buffer).arrays
        start = whole.__array_interface__['data'][0]
        begins = [a.__array_interface__['data'][0] - start if n else 0 for a in arrays]
        self._arrays = [
            np.frombuffer(self._buffer, '<f8', width * n, begin).reshape(n, width)
            for begin, (_, width) in zip(begins, FIELDS, strict=True)
        ]
        self._flags = whole[begins[-1] + 24 * n + 4 :][:n]

    def write(self, ns: int, states) -> bytes:
        """The message of a FleetArrays at stamp ns."""
        STAMP.pack_into(self._buffer, ENCAPSULATION, *divmod(ns, convert.NANOSECONDS))
        parts = (states.positions, states.orientations_xyzw, states.linear_velocities, states.angular_velocities)
        for target, values in zip(self._arrays, parts, strict=True):
            target[:] = values
        self._flags[:] = states.flags
        return bytes(self._buffer)


FIELDS = (('positions', 3), ('orientations', 4), ('linear_velocities', 3), ('angular_velocities', 3))
