# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bones of a tracked hand moved through a tick, compiled."""
from __future__ import annotations

import math

from ...engine.maths import quat
from ...engine.maths.entries import entry
from ...engine.maths.jit import kernel
from ...engine.maths.vec3 import add, cross, dot, load3, madd, norm, scale, store3, sub
from ..drones.rows import store_motion

# m, bones shorter than this (and the sphere) get a capsule of this length: a capsule needs one
SHORTEST = 1e-5
# m, joints further apart are not of one hand, whatever their tracker says
LONGEST = 1.0
# 1 + cosine of the angle to z: a bone that points down as nearly as rounding can tell
DOWN = 1e-9


@kernel
def _along(bone, length):
    """The shortest rotation that takes z to a bone; straight down, any half turn about a horizontal axis."""
    if length <= SHORTEST:
        return 1.0, 0.0, 0.0, 0.0
    w, x, y = 1.0 + bone[2] / length, -bone[1] / length, bone[0] / length
    size = math.sqrt(w * w + x * x + y * y)
    return (0.0, 1.0, 0.0, 0.0) if w < DOWN else (w / size, x / size, y / size, 0.0)


@entry
def move_bones(bones, valid, joints, speed, spin, radii, h, states, sizes, on):
    """Motions (B,13) and sizes (B,2: radius, length) of the capsules between joints (J,3) that move at speed (J,3) for
    h s and are then moved on; on (B,) bool: bones with both joints, not absurdly far apart.  spin (3,): rate (rad/s) of
    the palm, with which bones turn about their own axes.  Writes: joints, states, sizes, on."""
    for k in range(len(bones)):
        i, j = bones[k, 0], bones[k, 1]
        on[k] = valid[i] and valid[j]
        if not on[k]:
            continue
        a, b, va, vb = load3(joints[i], 0), load3(joints[j], 0), load3(speed[i], 0), load3(speed[j], 0)
        along, apart = sub(b, a), sub(vb, va)
        length = norm(along)
        if length > LONGEST:
            on[k] = False
            continue
        turn = (0.0, 0.0, 0.0)
        if length > SHORTEST:
            # mid-tick direction for the turning rate: second order, so that the bone arrives where its joints do
            half = madd(along, apart, 0.5 * h)
            size = max(dot(half, half), SHORTEST * SHORTEST)
            turn = scale(madd(cross(half, apart), half, dot(half, load3(spin, 0))), 1.0 / size)
        store_motion(states[k], (scale(add(a, b), 0.5), _along(along, length), scale(add(va, vb), 0.5), turn))
        sizes[k, 0], sizes[k, 1] = 0.5 * (radii[i] + radii[j]), max(length, SHORTEST)
    for j in range(len(joints)):
        store3(joints[j], 0, madd(load3(joints[j], 0), load3(speed[j], 0), h))


@entry
def show_bones(bones, there, joints, radii, offset, rows):
    """The capsules between joints (J,3) that are there (B,) into rows (B,9): centre, moved by offset (B,3), orientation
    xyzw, radius, length; NaN for the others.  there changes: a hand of which newer samples came has no bones until it
    moves.  Writes: there, rows."""
    for k in range(len(bones)):
        i, j = bones[k, 0], bones[k, 1]
        a, b = load3(joints[i], 0), load3(joints[j], 0)
        along = sub(b, a)
        length = norm(along)
        there[k] &= length < math.inf
        if not there[k]:
            rows[k, :] = math.nan
            continue
        w, x, y, z = _along(along, length)
        store3(rows[k], 0, madd(load3(offset[k], 0), add(a, b), 0.5))
        quat.store4(rows[k], 3, (x, y, z, w))
        rows[k, 7], rows[k, 8] = 0.5 * (radii[i] + radii[j]), length
