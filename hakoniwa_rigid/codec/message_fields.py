# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Fields of messages to plain numbers.  Whatever has the attributes of the ROS message will do.

Positions m and velocities m/s, quaternions x, y, z, w (as in geometry_msgs), rotating body FLU into the world.  Stamps
are integer nanoseconds.
"""
from __future__ import annotations

import numpy as np

__all__ = ['LATEST', 'StampError', 'checked_ns', 'checked_us', 'hand_arrays', 'pose_arrays', 'stamp_ns',
           'xyz', 'xyzw']

NANOSECONDS = 1_000_000_000
# ns: a stamp of ROS has 31 bits of seconds, until 2038; no difference of two of them leaves the int64
LATEST = 2**31 * NANOSECONDS
Triple = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


class StampError(ValueError):
    """A stamp that is no time."""


def stamp_ns(stamp) -> int:
    """builtin_interfaces/Time to ns."""
    return stamp.sec * NANOSECONDS + stamp.nanosec


def checked_ns(stamp) -> int:
    """The same of a header that was heard.  StampError where it is none: what is before zero is a time, and stale."""
    sec, nanosec = stamp.sec, stamp.nanosec
    if abs(sec) > LATEST // NANOSECONDS or not 0 <= nanosec < NANOSECONDS:
        raise StampError(f'stamp {sec} s {nanosec} ns: must have 32 bits of seconds and less than 1e9 ns')
    return sec * NANOSECONDS + nanosec


def checked_us(stamp: int) -> int:
    """A time in us to ns.  StampError where it is none."""
    if not 0 <= stamp < LATEST // 1000:
        raise StampError(f'stamp {stamp} us: must be from 0 to {LATEST // 1000} us')
    return 1000 * int(stamp)


def xyz(v) -> Triple:
    """Point or Vector3 to a tuple."""
    return v.x, v.y, v.z


def xyzw(q) -> Quaternion:
    """geometry_msgs/Quaternion to a tuple x, y, z, w."""
    return q.x, q.y, q.z, q.w


def pose_arrays(poses) -> tuple[np.ndarray, np.ndarray]:
    """A sequence of J geometry_msgs/Pose to positions (J, 3) and orientations (J, 4) x, y, z, w."""
    rows = np.array([(*xyz(p.position), *xyzw(p.orientation)) for p in poses], dtype=np.float64).reshape(-1, 7)
    return rows[:, :3], rows[:, 3:]


def hand_arrays(msg) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, np.ndarray | None]:
    """HandJoints to positions (J, 3), orientations (J, 4), radii (J,) m, is_valid (J,); the last two None if empty."""
    positions, orientations = pose_arrays(msg.poses)
    radii = np.array(msg.radii, dtype=np.float64) if len(msg.radii) else None
    is_valid = np.array(msg.is_valid, dtype=np.bool_) if len(msg.is_valid) else None
    return positions, orientations, radii, is_valid
