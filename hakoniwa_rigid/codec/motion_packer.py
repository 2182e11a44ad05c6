# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Odometry and PoseStamped as CDR bytes, written without a ROS message: little endian, covariances zero."""
from __future__ import annotations

import struct
from typing import NamedTuple

from ..rotations import rotate_xyzw
from .cdr import CdrError

ODOMETRY = 'nav_msgs/msg/Odometry'
POSE = 'geometry_msgs/msg/PoseStamped'
ENCAPSULATION = b'\0\1\0\0'
COVARIANCE = '288x'
MAX_STAMP = (1 << 31) * 10**9 - 1    # ns; builtin_interfaces/Time has 31 bits of seconds


class Motion(NamedTuple):
    """The state of a drone at a stamp."""

    stamp_ns: int
    position: tuple[float, float, float]              # m, world
    orientation: tuple[float, float, float, float]    # x, y, z, w, body (FLU) to world, unit length
    linear: tuple[float, float, float] | None         # m/s, world
    angular: tuple[float, float, float] | None        # rad/s, body (FLU)


class Packer:
    """Packs the motions of one drone; Odometry where they have velocities, else PoseStamped."""

    def __init__(self, frame: str, child: str | None) -> None:
        """``child``: child_frame_id, None for PoseStamped."""
        self.type = POSE if child is None else ODOMETRY
        texts = b''
        for text in (frame,) if child is None else (frame, child):
            raw = text.encode() + b'\0'
            texts += b'\0' * (-len(texts) % 4) + struct.pack('<I', len(raw)) + raw
        # the stamp takes 8 bytes, so doubles are aligned as the texts are
        texts += b'\0' * (-len(texts) % 8)
        self.texts = texts
        doubles = '7d' if child is None else f'7d{COVARIANCE}6d{COVARIANCE}'
        self.layout = struct.Struct(f'<4siI{len(texts)}s{doubles}')

    def pack(self, motion: Motion) -> bytes:
        """The message; linear velocity is turned into the child frame, as Odometry wants it.
        CdrError for a stamp that a message has no room for."""
        if not 0 <= motion.stamp_ns <= MAX_STAMP:
            raise CdrError(f'stamp: must be from 0 to {MAX_STAMP / 1e9:.0f} s, got {motion.stamp_ns / 1e9}')
        stamp = divmod(motion.stamp_ns, 10**9)
        values = (*motion.position, *motion.orientation)
        if self.type == ODOMETRY:
            x, y, z, w = motion.orientation
            values += (*rotate_xyzw((-x, -y, -z, w), motion.linear), *motion.angular)
        return self.layout.pack(ENCAPSULATION, *stamp, self.texts, *values)
