# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""States written into the bytes of messages: compiled loops over all drones."""
from __future__ import annotations

import numpy as np

from ..engine.maths import quat
from ..engine.maths.elementary import plain
from ..engine.maths.entries import entry
from ..engine.maths.vec3 import load3

# doubles from the position to the twist: a pose and its covariance
TO_TWIST = 7 + 36


@entry
def write_odometry(table, pose_offset, sec, nanosec, rows, positions, xyzw, linear, angular, scratch):
    """Into table (K, size) uint8, a message a row whose doubles begin at byte pose_offset: the states at rows (K,) of
    positions (N, 3), quaternions (N, 4), linear velocities (N, 3) in the world and angular ones in the body; the twist
    is in the body.  scratch: 64 bytes.  Writes: table, scratch."""
    numbers, whole = scratch.view(np.float64), scratch.view(np.uint32)
    whole[0], whole[1] = np.uint32(sec), np.uint32(nanosec)
    for k in range(len(rows)):
        table[k, 4:12] = scratch[:8]
    twist_offset = pose_offset + 8 * TO_TWIST
    for k in range(len(rows)):
        i = rows[k]
        for c in range(3):
            numbers[c] = plain(positions[i, c])
        for c in range(4):
            numbers[3 + c] = plain(xyzw[i, c])
        table[k, pose_offset:pose_offset + 56] = scratch[:56]
        q = (xyzw[i, 3], xyzw[i, 0], xyzw[i, 1], xyzw[i, 2])
        v, w = quat.rotate_back(q, load3(linear[i], 0)), load3(angular[i], 0)
        for c in range(3):
            numbers[c], numbers[3 + c] = plain(v[c]), plain(w[c])
        table[k, twist_offset:twist_offset + 48] = scratch[:48]


@entry
def write_fleet(message, numbers, begins, sec, nanosec, positions, xyzw, linear, angular, flags):
    """Into the bytes of a FleetState: its stamp, and the arrays (N, 3), (N, 4), (N, 3), (N, 3) float64 and (N,) uint8,
    which begin at these places (5,): the first four among `numbers`, the same memory as float64, flags among the bytes.
    Writes: message, numbers."""
    for c in range(4):
        message[4 + c] = (sec >> (8 * c)) & 0xFF
        message[8 + c] = (nanosec >> (8 * c)) & 0xFF
    for k in range(len(flags)):
        for c in range(3):
            numbers[begins[0] + 3 * k + c] = plain(positions[k, c])
            numbers[begins[2] + 3 * k + c] = plain(linear[k, c])
            numbers[begins[3] + 3 * k + c] = plain(angular[k, c])
        for c in range(4):
            numbers[begins[1] + 4 * k + c] = plain(xyzw[k, c])
        message[begins[4] + k] = flags[k]
