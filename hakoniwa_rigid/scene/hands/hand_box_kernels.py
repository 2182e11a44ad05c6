# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The boxes of a hand, moved through a tick, compiled: the palm between wrist and knuckles, and a pose with two axes.

A box goes from where its joints put it at the beginning of the tick to where they put it at the end, at constant
velocities: so the next tick finds it in place, whatever the joints do to each other.
"""
from __future__ import annotations

import math

from ...engine.maths.entries import entry
from ...engine.maths.jit import kernel
from ...engine.maths.vec3 import add, cross, dot, load3, madd, norm, scale, store3, sub
from ..drones.rows import difference, store_motion
from .hand_kernels import LONGEST

# m^2: wrist and knuckles that enclose less are on a line, not on a palm (a child's enclose 15 cm^2)
LEAST_AREA = 5e-4
# m, axes shorter than this have no direction
SHORTEST = 1e-6


@kernel
def _at(joints, speed, j, ahead):
    return madd(load3(joints[j], 0), load3(speed[j], 0), ahead)


@kernel
def _attitude(x, y, z):
    """The rotation, wxyz, whose columns are x, y, z (Shepperd 1978: the largest of the four is found first)."""
    trace = x[0] + y[1] + z[2]
    if trace > 0.0:
        q = (1.0 + trace, y[2] - z[1], z[0] - x[2], x[1] - y[0])
    elif x[0] >= y[1] and x[0] >= z[2]:
        q = (y[2] - z[1], 1.0 + x[0] - y[1] - z[2], x[1] + y[0], z[0] + x[2])
    elif y[1] >= z[2]:
        q = (z[0] - x[2], x[1] + y[0], 1.0 - x[0] + y[1] - z[2], y[2] + z[1])
    else:
        q = (x[1] - y[0], z[0] + x[2], y[2] + z[1], 1.0 - x[0] - y[1] + z[2])
    size = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return q[0] / size, q[1] / size, q[2] / size, q[3] / size


@kernel
def _span(low, high, x, r):
    return min(low, x - r), max(high, x + r)


@kernel
def _palm_at(outline, joints, speed, radii, ahead):
    """Centre (m), attitude, half length and half width of the palm `ahead` s on, and how far joints are off its plane;
    half length 0: they span none.  x points to the knuckles; z is normal to the sum of the triangles that the wrist
    makes with neighbouring knuckles."""
    zero, none = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
    wrist = _at(joints, speed, outline[0], ahead)
    area, fore, last = zero, zero, zero
    for k in range(1, len(outline)):
        arm = sub(_at(joints, speed, outline[k], ahead), wrist)
        area, fore, last = add(area, cross(last, arm)), add(fore, arm), arm
    size = norm(area)
    if not 0.5 * size >= LEAST_AREA:
        return wrist, none, 0.0, 0.0, 0.0
    z = scale(area, 1.0 / size)
    fore = madd(fore, z, -dot(fore, z))
    if norm(fore) < SHORTEST:
        return wrist, none, 0.0, 0.0, 0.0
    x = scale(fore, 1.0 / norm(fore))
    y = cross(z, x)
    low_x, high_x, low_y, high_y, low_z, high_z = math.inf, -math.inf, math.inf, -math.inf, math.inf, -math.inf
    for k in range(len(outline)):
        p, r = sub(_at(joints, speed, outline[k], ahead), wrist), radii[outline[k]]
        low_x, high_x = _span(low_x, high_x, dot(p, x), r)
        low_y, high_y = _span(low_y, high_y, dot(p, y), r)
        low_z, high_z = _span(low_z, high_z, dot(p, z), 0.0)
    middle = madd(madd(scale(x, 0.5 * (low_x + high_x)), y, 0.5 * (low_y + high_y)), z, 0.5 * (low_z + high_z))
    return (add(wrist, middle), _attitude(x, y, z), 0.5 * (high_x - low_x), 0.5 * (high_y - low_y),
            0.5 * (high_z - low_z))


@kernel
def _thickness(spanned, beside, bones, radii):
    """Half the thickness (m): the mean radius of the joints in the palm, and no less than that of the bones that go on
    from it, so that none stands out of a flat hand."""
    total, most = 0.0, 0.0
    for j in spanned:
        total += radii[j]
    for k in beside:
        most = max(most, 0.5 * (radii[bones[k, 0]] + radii[bones[k, 1]]))
    return max(total / len(spanned), most)


@kernel
def _store_way(motion, centre, q, centre_after, q_after, h):
    """The motion that leads from one pose to the other within h s.  Writes: motion."""
    v, w = scale(sub(centre_after, centre), 1.0 / h), scale(difference(q_after, q), 1.0 / h)
    store_motion(motion, (centre, q, v, w))


@entry
def move_palm(outline, spanned, beside, bones, valid, joints, speed, radii, h, motion, size):
    """Motion (13,) and full sides (3,) of the palm's box for joints (J,3) that move at speed (J,3) for h s.  Returns
    False where there is none: a joint of the outline is missing, or they do not lie on a palm.
    Writes: motion, size."""
    for j in outline:
        if not valid[j]:
            return False
    thick = _thickness(spanned, beside, bones, radii)
    centre, q, length, width, off = _palm_at(outline, joints, speed, radii, 0.0)
    centre_after, q_after, length_after, _, _ = _palm_at(outline, joints, speed, radii, h)
    if length == 0.0 or length_after == 0.0 or off > thick or max(length, width) > 0.5 * LONGEST:
        return False
    _store_way(motion, centre, q, centre_after, q_after, h)
    store3(size, 0, (2.0 * length, 2.0 * width, 2.0 * thick))
    return True


@kernel
def _axes_at(joints, speed, ahead):
    """Position and attitude of the pose whose centre, x and y are joints 0, 1, 2; and whether it has one."""
    centre = _at(joints, speed, 0, ahead)
    x, y = sub(_at(joints, speed, 1, ahead), centre), sub(_at(joints, speed, 2, ahead), centre)
    z = cross(x, y)
    if norm(x) < SHORTEST or norm(z) < SHORTEST * SHORTEST:
        return centre, (1.0, 0.0, 0.0, 0.0), False
    x, z = scale(x, 1.0 / norm(x)), scale(z, 1.0 / norm(z))
    return centre, _attitude(x, cross(z, x), z), True


@entry
def move_pose(valid, joints, speed, h, motion):
    """The motion (13,) of a pose tracked by its centre and two axes (3,3), for h s.  Returns whether there is one.
    Writes: motion."""
    if not (valid[0] and valid[1] and valid[2]):
        return False
    centre, q, there = _axes_at(joints, speed, 0.0)
    centre_after, q_after, still_there = _axes_at(joints, speed, h)
    _store_way(motion, centre, q, centre_after, q_after, h)
    return there and still_there
