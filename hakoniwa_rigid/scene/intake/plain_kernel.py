"""Messages like the last one of their topic, read straight out of their bytes: a compiled loop over all of a tick."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...engine.maths import quat
from ...engine.maths.borrow import borrowed
from ...engine.maths.jit import entry, kernel
from ...engine.maths.vec3 import load3, store3
from ..rows import NS, OMEGA, POS, QUAT, VEL

# bytes of a message before its strings: encapsulation and stamp
HEAD = 12
# what a topic's plain messages are: none known, a pose with velocities in the body, a pose, a force and a torque
UNKNOWN, MOVING, STILL, FORCES = range(4)
# doubles: a pose and its covariance; a twist; a wrench
POSE, COVARIANCE, TWIST = 7, 36, 6


class Plain(NamedTuple):
    """Of each topic: kind; row of its drone; source that it counts for; texts, the bytes of its strings, to byte `end`
    of a message; at, where the doubles begin; size, bytes that there must be; follower, the topic whose messages must
    not overtake what is not plain of this one (its own, but for twists: the poses')."""

    kind: np.ndarray
    row: np.ndarray
    source: np.ndarray
    texts: np.ndarray
    end: np.ndarray
    at: np.ndarray
    size: np.ndarray
    follower: np.ndarray


class Rows(NamedTuple):
    """What was read, one kind in each: drones, stamps ns, numbers."""

    drone: np.ndarray
    stamp: np.ndarray
    numbers: np.ndarray


@kernel
def _plain_of(p):
    return Plain(borrowed(p[0]), borrowed(p[1]), borrowed(p[2]), borrowed(p[3]), borrowed(p[4]), borrowed(p[5]),
                 borrowed(p[6]), borrowed(p[7]))


@kernel
def _alike(plain, s, data, at, length):
    """Whether the bytes are little-endian plain CDR with the strings of topic s."""
    if length < plain.size[s] or data[at] != 0 or data[at + 1] != 1:
        return False
    same = True
    for k in range(plain.end[s] - HEAD):
        same &= data[at + HEAD + k] == plain.texts[s, k]
    return same


@kernel
def _store_pose(row, doubles):
    for c in range(3):
        row[POS + c] = doubles[c]
        row[QUAT + 1 + c] = doubles[3 + c]
    row[QUAT] = doubles[6]


@kernel
def _store_twist(row, doubles):
    """From the body into the world."""
    q = quat.load4(row, QUAT)
    store3(row, VEL, quat.rotate(q, load3(doubles, 0)))
    store3(row, OMEGA, quat.rotate(q, load3(doubles, 3)))


@entry
def read_plain(plain, data, offsets, lengths, topics, scratch, received, newest, moving, still, forces, counts, other):
    """Read messages (K,), which lie in data at offsets, of topics (K,).

    Rows of each kind go behind the `counts` (3,) that are there, and are counted; messages that are not plain are left:
    their numbers k go to `other`, and of their topics and the followers all that come after them.  received, newest
    (source): messages and stamp.
    Returns how many were left.
    """
    plain, moving, still, forces = _plain_of(plain), Rows(*moving), Rows(*still), Rows(*forces)
    left = 0
    doubles, times = scratch.view(np.float64), scratch.view(np.uint32)
    for k in range(len(topics)):
        s, at = topics[k], offsets[k]
        kind = plain.kind[s]
        stamp = 0
        if kind != UNKNOWN and _alike(plain, s, data, at, lengths[k]):
            scratch[:8] = data[at + 4:at + HEAD]
            stamp = np.int64(np.int32(times[0])) * NS + np.int64(times[1])
        if stamp == 0:
            plain.kind[s] = plain.kind[plain.follower[s]] = UNKNOWN     # what comes after it has to wait for it
            other[left] = k
            left += 1
            continue
        source = plain.source[s]
        received[source] += 1
        newest[source] = stamp
        rows = moving if kind == MOVING else still if kind == STILL else forces
        n = counts[kind - 1]
        counts[kind - 1] = n + 1
        rows.drone[n], rows.stamp[n] = plain.row[s], stamp
        first = at + plain.at[s]
        if kind == FORCES:
            scratch[:8 * TWIST] = data[first:first + 8 * TWIST]
            rows.numbers[n, :TWIST] = doubles[:TWIST]
            continue
        scratch[:8 * POSE] = data[first:first + 8 * POSE]
        _store_pose(rows.numbers[n], doubles)
        if kind == MOVING:
            first += 8 * (POSE + COVARIANCE)
            scratch[:8 * TWIST] = data[first:first + 8 * TWIST]
            _store_twist(rows.numbers[n], doubles)
        else:
            rows.numbers[n, VEL:] = 0.0
    return left
