# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Messages without strings, read straight out of their bytes: a compiled loop over all of a tick.

VehicleOdometry of PX4 (px4_msgs): a pose in NED or in a local frame FRD of any heading, velocities in either or in the
body FRD.  The local frame FRD becomes FLU of the same heading.  And Twists of Hakoniwa: a pose (m; roll, pitch, yaw,
Z-Y-X), and a velocity in the body or in the world, the angular one in the body.
"""
from __future__ import annotations

import math

import numpy as np

from ..array_table import byte_array, float_array, int_array
from ..engine.maths import elementary, quat
from ..engine.maths.entries import entry
from ..engine.maths.jit import kernel
from ..engine.maths.vec3 import load3, store3
from .fast_path_kernel import lies_in, view_messages
from .motion_columns import MOTION, OMEGA, POS, VEL

# what a topic is
NONE, ODOMETRY, POSE, BODY_VELOCITY, WORLD_VELOCITY = range(5)
# what became of a message: none of these topics; a pose with velocities; a pose; a velocity; not read, for a reason
OTHER, MOVING, STILL, STORED, MALFORMED, NO_FRAME, NOT_FINITE, NO_TIME = range(8)
# bytes behind the encapsulation: of a Twist; of a VehicleOdometry, whose writers may pad it
TWIST, VEHICLE_ODOMETRY, PADDING = 48, 114, 8
# bytes of a VehicleOdometry: where frames stand, and the single-precision numbers from the first one on
TIME_SAMPLE, POSE_FRAME, VELOCITY_FRAME, SINGLES = 8, 16, 48, 60
# of a pose and of a velocity; BODY: only of a velocity
NED, FRD, BODY = 1, 2, 3
# ns; a velocity that arrived this much before or after its pose is not used with it
TWIST_AGE = 100_000_000
SCRATCH = 64
HALF = math.sqrt(0.5)
# us from which on a stamp is no time: 2**31 s, as of headers (numbers.LATEST)
LATEST_US = 2**31 * 1_000_000


@kernel
def _load(scratch, data, offset, size, width, swapped):
    """Bytes of numbers of `width` bytes each.  Writes: scratch."""
    if swapped:
        for k in range(size):
            scratch[k] = data[offset + k + width - 1 - 2 * (k % width)]
    else:
        scratch[:size] = data[offset:offset + size]


@kernel
def _microseconds(data, offset, swapped):
    """A uint64 in us as ns; -1 where it is no time."""
    total = np.int64(0)
    for k in range(8):
        if total >= LATEST_US:
            return np.int64(-1)
        total = total * 256 + np.int64(data[offset + (k if swapped else 7 - k)])
    return total * 1000 if total < LATEST_US else np.int64(-1)


@kernel
def _finite(v):
    return math.isfinite(v[0]) and math.isfinite(v[1]) and math.isfinite(v[2])


@kernel
def _flipped(v):
    """FRD to FLU, and back."""
    return v[0], -v[1], -v[2]


@kernel
def _vehicle_odometry(row, singles, frame, velocity_frame):
    """Into a motion (13,): MOVING or STILL, or why not.  singles: from pose_frame to angular_velocity.  Writes: row."""
    x = (float(singles[1]), float(singles[2]), float(singles[3]))
    a, b, c, d = float(singles[4]), float(singles[5]), float(singles[6]), float(singles[7])
    if frame == NED:
        store3(row, POS, (x[1], x[0], -x[2]))
        q = (HALF * (a + d), HALF * (b + c), HALF * (b - c), HALF * (a - d))
    elif frame == FRD:
        store3(row, POS, _flipped(x))
        q = (a, b, -c, -d)
    else:
        return NO_FRAME
    quat.store4(row, POS + 3, q)
    v = (float(singles[9]), float(singles[10]), float(singles[11]))
    w = (float(singles[12]), float(singles[13]), float(singles[14]))
    # a local frame's heading is not known: velocities there do not go with a pose in NED, nor the other way round
    if not (_finite(v) and _finite(w)) or (velocity_frame != BODY and velocity_frame != frame):
        store3(row, VEL, (0.0, 0.0, 0.0))
        store3(row, OMEGA, (0.0, 0.0, 0.0))
        return STILL
    if velocity_frame == BODY:
        v = quat.rotate(q, _flipped(v))
    else:
        v = (v[1], v[0], -v[2]) if frame == NED else _flipped(v)
    store3(row, VEL, v)
    store3(row, OMEGA, quat.rotate(q, _flipped(w)))
    return MOVING


@kernel
def _from_rpy(angles):
    """R = Rz(yaw) Ry(pitch) Rx(roll); no number where an angle is none."""
    if not abs(angles[0]) + abs(angles[1]) + abs(angles[2]) < math.inf:
        return math.nan, math.nan, math.nan, math.nan
    r, p, y = 0.5 * angles[0], 0.5 * angles[1], 0.5 * angles[2]
    sr, cr = elementary.sincos(r)
    sp, cp = elementary.sincos(p)
    sy, cy = elementary.sincos(y)
    return (cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy)


@kernel
def _twist_pose(row, doubles, twist, kind):
    """Into a motion; twist (6,) is what kind of velocity, or NONE.  Writes: row."""
    q = _from_rpy(load3(doubles, 3))
    store3(row, POS, load3(doubles, 0))
    quat.store4(row, POS + 3, q)
    if kind == NONE:
        store3(row, VEL, (0.0, 0.0, 0.0))
        store3(row, OMEGA, (0.0, 0.0, 0.0))
        return STILL
    v = load3(twist, 0)
    store3(row, VEL, v if kind == WORLD_VELOCITY else quat.rotate(q, v))
    store3(row, OMEGA, quat.rotate(q, load3(twist, 3)))
    return MOVING


@entry
def read_fixed(t, known, drones, room, m, size, count, n):
    """Read the messages of a MessageBatch whose numbers are the first n of `which`.

    t: addresses of kind, row (known,) of topics; twists (drones,6), their arrival (drones,) ns and kind; scratch;
    which, codes, stamps (room,), motions (room,13).

    Changed: twists with their arrival and kind; codes, what became of each; stamps, where there is one, its own time in
    ns; motions, where it is a pose, position, quaternion, velocities, in the world.  Writes: t."""
    kinds, rows = int_array(t, 0, (known,)), int_array(t, 1, (known,))
    twists, arrived = float_array(t, 2, (drones, 6)), int_array(t, 3, (drones,))
    twist_kinds = int_array(t, 4, (drones,))
    scratch, which, codes = byte_array(t, 5, (SCRATCH,)), int_array(t, 6, (room,)), int_array(t, 7, (room,))
    stamps, motions = int_array(t, 8, (room,)), float_array(t, 9, (room, MOTION))
    data, offsets, lengths, topics = view_messages(m, size, count)
    receptions = int_array(m, 4, (count,))
    doubles, singles = scratch.view(np.float64), scratch.view(np.float32)
    for k in range(n):
        number = which[k]
        s, offset = topics[number], offsets[number] + 4
        codes[k], stamps[k] = OTHER, 0
        if s < 0 or s >= known or kinds[s] == NONE:
            continue
        kind, length = kinds[s], lengths[number] - 4
        if not lies_in(offset - 4, lengths[number], size):
            codes[k] = MALFORMED
            continue
        least = VEHICLE_ODOMETRY if kind == ODOMETRY else TWIST
        form = data[offset - 3] if length >= least and data[offset - 4] == 0 else 255
        # plain CDR of both byte orders; where doubles begin is the same for both alignments
        if length > least + PADDING or (form != 0 and form != 1 and form != 6 and form != 7):
            codes[k] = MALFORMED
            continue
        i, swapped = rows[s], form == 0 or form == 6
        if kind == ODOMETRY:
            stamp = _microseconds(data, offset + TIME_SAMPLE, swapped)
            stamps[k] = stamp if stamp != 0 else _microseconds(data, offset, swapped)
            if stamps[k] < 0:
                codes[k] = NO_TIME
                continue
            _load(scratch, data, offset + POSE_FRAME, SINGLES, 4, swapped)
            codes[k] = _vehicle_odometry(motions[k], singles, data[offset + POSE_FRAME], data[offset + VELOCITY_FRAME])
            continue
        _load(scratch, data, offset, TWIST, 8, swapped)
        if kind == POSE:
            near = abs(receptions[number] - arrived[i]) <= TWIST_AGE
            codes[k] = _twist_pose(motions[k], doubles, twists[i], twist_kinds[i] if near else NONE)
        elif _finite(load3(doubles, 0)) and _finite(load3(doubles, 3)):
            twists[i, :] = doubles[:6]
            arrived[i], twist_kinds[i], codes[k] = receptions[number], kind, STORED
        else:
            twist_kinds[i], codes[k] = NONE, NOT_FINITE
