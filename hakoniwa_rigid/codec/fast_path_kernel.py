# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Messages like the last one of their topic, read straight out of their bytes: a compiled loop over all of a tick."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..array_table import byte_array, float_array, int_array
from ..engine.maths import quat
from ..engine.maths.entries import entry
from ..engine.maths.jit import kernel
from ..engine.maths.vec3 import load3, store3
from .message_fields import NANOSECONDS
from .motion_columns import MOTION, OMEGA, POS, QUAT, VEL

# bytes of a message before its strings: encapsulation and stamp
HEAD = 12
# what the fast path reads of a topic: nothing, a pose with velocities in the body, a pose, a force and a torque
UNKNOWN, MOVING, STILL, FORCES = range(4)
# bytes of strings that are compared; topics with more take the slow path
TEXTS = 252
# bytes: the largest piece of a message that is looked at at once
SCRATCH = 64
# doubles: a pose and its covariance; a twist; a wrench
POSE, COVARIANCE, TWIST = 7, 36, 6


class Learned(NamedTuple):
    """Of each topic: kind; row of its drone; source that it counts for; texts, the bytes of its strings, to byte `end`
    of a message; offset, where the doubles begin; size, bytes that there must be; follower, the topic whose messages
    must not overtake what is not read of this one (its own, but for twists: the poses')."""

    kind: np.ndarray
    row: np.ndarray
    source: np.ndarray
    texts: np.ndarray
    end: np.ndarray
    offset: np.ndarray
    size: np.ndarray
    follower: np.ndarray


class Rows(NamedTuple):
    """What was read, one kind in each: drones, stamps ns, numbers."""

    drone: np.ndarray
    stamp: np.ndarray
    numbers: np.ndarray


@kernel
def _view_learned(t, topics):
    one = (topics,)
    return Learned(int_array(t, 0, one), int_array(t, 1, one), int_array(t, 2, one), byte_array(t, 3, (topics, TEXTS)),
                 int_array(t, 4, one), int_array(t, 5, one), int_array(t, 6, one), int_array(t, 7, one))


@kernel
def _view_rows(t, k, room):
    return Rows(int_array(t, k, (room,)), int_array(t, k + 1, (room,)), float_array(t, k + 2, (room, MOTION)))


@kernel
def view_messages(m, size, count):
    """Of a MessageBatch of `count` messages in `size` bytes: data, offsets, lengths, topics; receptions behind."""
    return (byte_array(m, 0, (size,)), int_array(m, 1, (count,)), int_array(m, 2, (count,)), int_array(m, 3, (count,)))


@kernel
def _alike(learned, s, data, offset, length):
    """Whether the bytes are little-endian plain CDR with the strings of topic s."""
    if length < learned.size[s] or data[offset] != 0 or data[offset + 1] != 1:
        return False
    same = True
    for k in range(learned.end[s] - HEAD):
        same &= data[offset + HEAD + k] == learned.texts[s, k]
    return same


@kernel
def _store_pose(row, doubles):
    """Writes: row."""
    for c in range(3):
        row[POS + c] = doubles[c]
        row[QUAT + 1 + c] = doubles[3 + c]
    row[QUAT] = doubles[6]


@kernel
def _store_twist(row, doubles):
    """From the body into the world.  Writes: row."""
    q = quat.load4(row, QUAT)
    store3(row, VEL, quat.rotate(q, load3(doubles, 0)))
    store3(row, OMEGA, quat.rotate(q, load3(doubles, 3)))


@kernel
def _stamp(times):
    """ns, of the first two of these uint32; 0 where they are no time, which the slow path looks at."""
    sec, nanosec = np.int64(np.int32(times[0])), np.int64(times[1])
    return sec * NANOSECONDS + nanosec if nanosec < NANOSECONDS else 0


@kernel
def lies_in(offset, length, size):
    """Whether a message lies within the bytes of its MessageBatch: what a file says of itself may be wrong."""
    return offset >= 0 and length >= 0 and length <= size - offset


@entry
def read_fast(t, known, sources, room, m, size, count, first, last):
    """Read the messages of a MessageBatch from number `first` to the one before `last`.

    t: addresses of the arrays of Learned for `known` topics; scratch; received, newest (sources,), messages and stamp;
    counts (3,); other (room,); Rows of `room` for what is moving, still, a force.

    Changed: rows of each kind go behind the counts that are there, and are counted.  Messages that are not like the
    learned one are left: their numbers k go to `other`, and of their topics and the followers all that come after them.
    Returns how many were left.  Writes: t."""
    data, offsets, lengths, topics = view_messages(m, size, count)
    learned, scratch = _view_learned(t, known), byte_array(t, 8, (SCRATCH,))
    received, newest, counts = int_array(t, 9, (sources,)), int_array(t, 10, (sources,)), int_array(t, 11, (3,))
    other, moving, still, forces = (int_array(t, 12, (room,)), _view_rows(t, 13, room), _view_rows(t, 16, room),
                                    _view_rows(t, 19, room))
    left = 0
    doubles, times = scratch.view(np.float64), scratch.view(np.uint32)
    for k in range(first, last):
        s, offset = topics[k], offsets[k]
        stamp = 0
        if s < 0 or s >= known or not lies_in(offset, lengths[k], size):
            other[left] = k
            left += 1
            continue
        kind = learned.kind[s]
        if kind != UNKNOWN and _alike(learned, s, data, offset, lengths[k]):
            scratch[:8] = data[offset + 4:offset + HEAD]
            stamp = _stamp(times)
        if stamp == 0:
            learned.kind[s] = learned.kind[learned.follower[s]] = UNKNOWN     # what comes after it has to wait for it
            other[left] = k
            left += 1
            continue
        source = learned.source[s]
        received[source] += 1
        newest[source] = stamp
        rows = moving if kind == MOVING else still if kind == STILL else forces
        n = counts[kind - 1]
        counts[kind - 1] = n + 1
        rows.drone[n], rows.stamp[n] = learned.row[s], stamp
        begin = offset + learned.offset[s]
        if kind == FORCES:
            scratch[:8 * TWIST] = data[begin:begin + 8 * TWIST]
            rows.numbers[n, :TWIST] = doubles[:TWIST]
            continue
        scratch[:8 * POSE] = data[begin:begin + 8 * POSE]
        _store_pose(rows.numbers[n], doubles)
        if kind == MOVING:
            begin += 8 * (POSE + COVARIANCE)
            scratch[:8 * TWIST] = data[begin:begin + 8 * TWIST]
            _store_twist(rows.numbers[n], doubles)
        else:
            rows.numbers[n, VEL:] = 0.0
    return left


@entry
def read_fleet(t, length, spans, n, sources, source, m, size, count, k):
    """Message k of a MessageBatch, if it is a FleetState like an earlier one.

    t: addresses of its bytes (length,), of spans (spans,2) from which byte to which they must be equal, begins (4,),
    scratch, stamps (n,), motions (n,13), and of received and newest (sources,), of which it counts for one.

    Into stamps, ns, and motions, in the world: positions, orientations xyzw, linear velocities in the world and angular
    ones in the body begin at these bytes of a message.  Returns the stamp; 0: another message, or one without.
    Writes: t."""
    example, fixed, begins = byte_array(t, 0, (length,)), int_array(t, 1, (spans, 2)), int_array(t, 2, (4,))
    scratch, stamps, motions = byte_array(t, 3, (SCRATCH,)), int_array(t, 4, (n,)), float_array(t, 5, (n, MOTION))
    received, newest = int_array(t, 6, (sources,)), int_array(t, 7, (sources,))
    data, offsets, lengths, _ = view_messages(m, size, count)
    first, same = offsets[k], lengths[k] >= length and lies_in(offsets[k], lengths[k], size)
    for p in range(spans if same else 0):
        for c in range(fixed[p, 0], fixed[p, 1]):
            same &= data[first + c] == example[c]
    if not same:
        return 0
    doubles, times = scratch.view(np.float64), scratch.view(np.uint32)
    scratch[:8] = data[first + 4:first + HEAD]
    stamp = _stamp(times)
    if stamp == 0:
        return 0
    received[source] += 1
    newest[source] = stamp
    for i in range(n):
        stamps[i] = stamp
        row, offset = motions[i], first + begins[0] + 24 * i
        scratch[:24] = data[offset:offset + 24]
        offset = first + begins[1] + 32 * i
        scratch[24:56] = data[offset:offset + 32]
        _store_pose(row, doubles)
        offset = first + begins[2] + 24 * i
        scratch[:24] = data[offset:offset + 24]
        offset = first + begins[3] + 24 * i
        scratch[24:48] = data[offset:offset + 24]
        store3(row, VEL, load3(doubles, 0))
        store3(row, OMEGA, quat.rotate(quat.load4(row, QUAT), load3(doubles, 3)))
    return stamp
