# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Motions of many bodies in and out of the blocks in one compiled call: what a scene does twice in every tick."""
import math

import numpy as np

from ..constants import LANES, MAX_COORDINATE, MAX_SPEED, UNIT_TOLERANCE
from ..errors import EngineError
from ..maths import quat
from ..maths.entries import entry
from ..maths.jit import kernel
from ..maths.lanes import rows_of_3, rows_of_4, rows_of_7, rows_of_13
from . import layout as L

# numbers of a motion: position m, attitude wxyz, velocity m/s, angular velocity rad/s; at the centre of mass, world
POS, QUAT, VEL, OMEGA = L.H_X, L.H_Q, L.H_V, L.H_W


def as_motions(motions, count):
    """(count, 13) numbers; EngineError where they are not."""
    try:
        m = np.ascontiguousarray(motions, np.float64)
    except (TypeError, ValueError):
        raise EngineError(f'set_motions: must be numbers of shape {(count, L.STATE)}, got {motions!r}') from None
    if m.shape != (count, L.STATE):
        raise EngineError(f'set_motions: must have shape {(count, L.STATE)}, got {m.shape}')
    return m


@entry
def read_motions(block, axes, turned, bodies, out):
    """Motions of bodies (K,) into out (K, 13). turned: principal axes are not the bodies' own, axes (N, 4) has them.
    Writes: out."""
    for k in range(len(bodies)):
        i = bodies[k]
        b, lane = i // LANES, i % LANES
        for c in range(L.STATE):
            out[k, c] = block[b, c * LANES + lane]
        if turned:
            quat.store4(out[k], QUAT, quat.mul(quat.load4(out[k], QUAT), quat.conj(quat.load4(axes[i], 0))))


@kernel
def _length(m):
    w, x, y, z = m[QUAT], m[QUAT + 1], m[QUAT + 2], m[QUAT + 3]
    return math.sqrt(w * w + x * x + y * y + z * z)


@entry
def are_motions(body, bodies, motions):
    """Whether all of these can be written: bodies that move, finite numbers within limits, unit attitudes."""
    good = True
    for k in range(len(bodies)):
        i = bodies[k]
        if not (0 <= i < len(body)) or body[i, L.B_KIND] == L.STATIC:
            return False
        m = motions[k]
        for c in range(3):
            good &= abs(m[POS + c]) <= MAX_COORDINATE
            good &= abs(m[VEL + c]) <= MAX_SPEED
            good &= abs(m[OMEGA + c]) <= MAX_SPEED
        good &= abs(_length(m) - 1.0) <= UNIT_TOLERANCE
    return good


@entry
def write_motions(block, axes, turned, bodies, motions):
    """Motions (K, 13) of bodies (K,) into the blocks; attitudes are normalised where they are not exact.
    Writes: block."""
    for k in range(len(bodies)):
        i, m = bodies[k], motions[k]
        b, lane = i // LANES, i % LANES
        # divided by exactly 1 it keeps its bits
        length = _length(m)
        q = m[QUAT] / length, m[QUAT + 1] / length, m[QUAT + 2] / length, m[QUAT + 3] / length
        if turned:
            q = quat.mul(q, quat.load4(axes[i], 0))
        for c in range(3):
            block[b, (POS + c) * LANES + lane] = m[POS + c]
            block[b, (VEL + c) * LANES + lane] = m[VEL + c]
            block[b, (OMEGA + c) * LANES + lane] = m[OMEGA + c]
        for c in range(4):
            block[b, (QUAT + c) * LANES + lane] = q[c]


@entry
def read_columns(block, first, out):
    """Columns of the blocks from `first` on, lane by lane, into out (N, columns).  Writes: out."""
    width = out.shape[1]
    for b in range(len(out) // LANES):
        start, i = (b * L.BLOCK + first) * LANES, b * LANES * width
        if width == 3:
            rows_of_3(block, start, out, i)
        elif width == 4:
            rows_of_4(block, start, out, i)
        elif width == 7:
            rows_of_7(block, start, out, i)
        else:
            rows_of_13(block, start, out, i)
    for i in range(len(out) // LANES * LANES, len(out)):
        for c in range(width):
            out[i, c] = block[i // LANES, (first + c) * LANES + i % LANES]
