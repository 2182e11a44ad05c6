# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Motion bounds, which open every step, eight bodies at a time: loads, the travel of each, what its skin has left.

It is what lets all the rest look at few bodies: a candidate pair whose bodies together have not used up the clearance
that they had when the list was built needs no second look (detect/contact_pairs).  The lane loop is straight-line code,
as in integrate/blocks."""
import math

from ..constants import CROWD_SPEED, LANES, LOOKED_AT, MAX_SPEED, ROTATION_SUBSTEP, SURE, VECTOR_SUBSTEPS
from ..maths.entries import wide
from ..maths.jit import always_inline, kernel
from ..maths.lanes import any_of_3, columns_of_3, copy_column, largest, load_lane3
from ..maths.vec3 import dot, madd, scale, sub
from ..model import layout as L
from ..motion.bodies import force_on, torque_on

# bits: it turns so fast that its rotation is cut into parts, or into too many for the vector pass; its load may be too
# large; its skin is used up; it is faster than the world's limits
TURNS_FAST, WHIRLS, OVERLOADED, STRAYED, TOO_FAST = 1, 2, 4, 8, 16


@kernel
def _load_one_by_one(s, block):
    """Copy the loads of one block's bodies into its lanes; says whether any torque acts.  Writes: s.block."""
    b, first, torqued = s.block[block], block * LANES, False
    for k in range(min(LANES, len(s.body) - first)):
        force, torque = force_on(s, first + k), torque_on(s, first + k)
        for f in range(3):
            b[(L.H_F + f) * LANES + k] = force[f]
            b[(L.H_T + f) * LANES + k] = torque[f]
            torqued |= torque[f] != 0.0
    return torqued


@always_inline
def load_forces(s, block, plain):
    """As _load_one_by_one; plain: only LOAD_F and LOAD_T act.  Writes: s.block."""
    row, column = 3 * LANES * block, LANES * L.BLOCK * block
    if not plain or LANES * (block + 1) > len(s.body):
        return _load_one_by_one(s, block)
    columns_of_3(s.load, 3 * L.LOAD_F * len(s.body) + row, s.block, column + LANES * L.H_F)
    torques = 3 * L.LOAD_T * len(s.body) + row
    torqued = any_of_3(s.load, torques)
    if torqued or s.todo[L.DO_TORQUED, block] != 0:    # there may be torques of the last step in the lanes
        columns_of_3(s.load, torques, s.block, column + LANES * L.H_T)
    return torqued


@kernel
def bound_block(b, g, h, most_v, most_w):
    """H_REACH and H_USED of one block (BLOCK x 8,); g gravity m/s^2, h s; limits of speed m/s, rad/s.  Returns the bits
    that any body sets.  Writes: b."""
    wide()
    found, limit, room = 0, ROTATION_SUBSTEP * ROTATION_SUBSTEP, CROWD_SPEED * h + SURE
    most_v, most_w = most_v * most_v, most_w * most_w
    for k in range(LANES):
        v, w, im = load_lane3(b, L.H_V, k), load_lane3(b, L.H_W, k), b[L.H_IM * LANES + k]
        f = load_lane3(b, L.H_F, k)
        a = madd(scale(f, im), g, b[L.H_G * LANES + k])
        d = sub(load_lane3(b, L.H_X, k), load_lane3(b, L.H_ANCHOR, k))
        # the sum of what a has along the axes is no less than its size, and costs no root
        push = abs(a[0]) + abs(a[1]) + abs(a[2])
        speed, rate = dot(v, v), dot(w, w)
        reach, used = math.sqrt(speed) * h + 0.5 * push * h * h, math.sqrt(dot(d, d))
        b[L.H_REACH * LANES + k] = reach
        b[L.H_USED * LANES + k] = used
        share, turn = im * (h / MAX_SPEED), rate * h * h
        found |= ((turn > 0.81 * limit) * TURNS_FAST | (turn > VECTOR_SUBSTEPS * VECTOR_SUBSTEPS * limit) * WHIRLS
                  | (not dot(f, f) * share * share <= 1.0) * OVERLOADED
                  | (not used + LOOKED_AT * reach + room <= b[L.H_SKIN * LANES + k]) * STRAYED
                  | (im > 0.0) * (not speed <= most_v) * TOO_FAST | (im > 0.0) * (not rate <= most_w) * TOO_FAST)
    return found


@kernel
def _bound_torques(b, h):
    """OVERLOADED if force and torque of a body of the block together may be too large, else 0."""
    wide()
    found = 0
    for k in range(LANES):
        f, t, j = load_lane3(b, L.H_F, k), load_lane3(b, L.H_T, k), load_lane3(b, L.H_J, k)
        share, turn = b[L.H_IM * LANES + k] * (h / MAX_SPEED), (j[0] + j[1] + j[2]) * (h / MAX_SPEED)
        found |= (not dot(f, f) * share * share + dot(t, t) * turn * turn <= 1.0) * OVERLOADED
    return found


@kernel
def motion_bounds(s, h, first, last):
    """Loads and bounds of the bodies in blocks first .. last - 1: (1 if a load may be too large, else 0; 1 if a skin is
    used up or a body too fast, else 0; m that the fastest body may travel in this step).
    Writes: s.block, s.todo, s.travel."""
    g = s.par.gravity
    plain = s.count.pushes == 0 and s.count.profiles == 0
    everywhere, far = 0, 0.0
    for block in range(first, last):
        torqued = load_forces(s, block, plain)
        b = s.block[block]
        found = bound_block(b, g, h, s.par.max_speed, s.par.max_angular_speed)
        copy_column(b, L.H_REACH * LANES, s.travel, (L.V_REACH * len(s.block) + block) * LANES)
        copy_column(b, L.H_USED * LANES, s.travel, (L.V_USED * len(s.block) + block) * LANES)
        if torqued:
            found |= _bound_torques(b, h)
        reach = largest(b, L.H_REACH * LANES)
        far = reach if reach > far else far
        everywhere |= found
        s.todo[L.DO_TORQUED, block] = torqued
        s.todo[L.DO_FAST, block] = (found & TURNS_FAST != 0) + (found & WHIRLS != 0)
    return 1.0 * (everywhere & OVERLOADED != 0), 1.0 * (everywhere & (STRAYED | TOO_FAST) != 0), far


@kernel
def find_bad_load(s, h):
    """Index of the first body whose force or torque is not finite or would change its speed by MAX_SPEED, or -1."""
    for i in range(len(s.body)):
        b, k = s.block[i // LANES], i % LANES
        j = load_lane3(b, L.H_J, k)
        push, turn = b[L.H_IM * LANES + k] * h / MAX_SPEED, max(j[0], max(j[1], j[2])) * h / MAX_SPEED
        force, torque = scale(force_on(s, i), push), scale(torque_on(s, i), turn)
        if not dot(force, force) + dot(torque, torque) <= 1.0:
            return i
    return -1


@kernel
def forget_pushes(s):
    """Forces and torques given for one step only have acted.  Writes: s.count, s.load."""
    if s.count.pushes == 0:
        return
    s.count.pushes = 0
    for k in range(L.PUSH_F, L.PUSH_T + 1):
        for i in range(len(s.body)):
            for f in range(3):
                s.load[k, i, f] = 0.0
