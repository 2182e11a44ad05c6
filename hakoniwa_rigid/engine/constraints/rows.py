# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The scalar rows of a constraint: direction, arms, and what its bodies' poses leave of it.

Row k of a table (n, ROW_SIZE) has the direction d of a force (0 for a row of torque) and the torques about the centres
of mass of a and b that a unit impulse makes; b takes them, a their opposites.  All in the world.  `ball`, `hinge` and
`fixed` have three rows of force at the anchor of b along the axes of the world, and behind them two or three of torque;
`distance`, `cable` and `spring` one along the line of their anchors, for a cable from b to a: its impulse pulls, and
its velocity is that at which the gap to its length opens.
"""
import numpy as np

from ..maths import quat
from ..maths.jit import kernel
from ..maths.vec3 import add, cross, dot, load3, madd, norm, scale, store3, sub, sym_mul
from ..model import layout as L

T_D, T_A, T_B = 0, 3, 6
ROW_SIZE = 9
# most rows of a constraint
MOST_ROWS = 6
# m: anchors closer together than this have no line
SHORTEST = 1e-9


@kernel
def is_line(kind):
    """True for constraints with one row, along the line of their anchors."""
    return kind >= L.DISTANCE


@kernel
def linear_count(kind):
    """Number of rows of force."""
    return 1 if is_line(kind) else 3


@kernel
def angular_count(kind):
    """Number of rows of torque."""
    return 3 if kind == L.FIXED else 2 if kind == L.HINGE else 0


@kernel
def anchors(s, k, xa, qa, xb, qb):
    """Anchors (m, world) of constraint k at poses of its bodies."""
    f = s.joint[k]
    return add(xa, quat.rotate(qa, f.anchor_a)), add(xb, quat.rotate(qb, f.anchor_b))


@kernel
def line(s, k, xa, qa, xb, qb):
    """Direction of the row of a constraint along a line, and the distance (m) of its anchors."""
    pa, pb = anchors(s, k, xa, qa, xb, qb)
    d = sub(pb, pa)
    length = norm(d)
    if length < SHORTEST:
        return (0.0, 0.0, 1.0), length
    return scale(d, (-1.0 if s.joint_i[k].kind == L.CABLE else 1.0) / length), length


@kernel
def fill_linear(s, k, table, first):
    """Rows of force of constraint k at the present poses into a table.  Writes: table."""
    ra, rb, kind = s.work[s.joint_i[k].body_a], s.work[s.joint_i[k].body_b], s.joint_i[k].kind
    pa, pb = anchors(s, k, ra.position, ra.attitude, rb.position, rb.attitude)
    if is_line(kind):
        d, _ = line(s, k, ra.position, ra.attitude, rb.position, rb.attitude)
        _store(table[first], d, cross(sub(pa, ra.position), d), cross(sub(pb, rb.position), d))
        return
    arm_a, arm_b = sub(pb, ra.position), sub(pb, rb.position)
    for axis in range(3):
        d = (1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0)
        _store(table[first + axis], d, cross(arm_a, d), cross(arm_b, d))


@kernel
def _store(row, d, a, b):
    """Writes: row."""
    store3(row, T_D, d)
    store3(row, T_A, a)
    store3(row, T_B, b)


@kernel
def fill_angular(s, k, table, first):
    """Rows of torque of constraint k at the present poses into a table.  Writes: table."""
    ra, kind, nothing = s.work[s.joint_i[k].body_a], s.joint_i[k].kind, (0.0, 0.0, 0.0)
    if kind == L.FIXED:
        for axis in range(3):
            d = (1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0)
            _store(table[first + axis], nothing, d, d)
    elif kind == L.HINGE:
        one, other = _across(s, k, ra.attitude)
        _store(table[first], nothing, one, one)
        _store(table[first + 1], nothing, other, other)


@kernel
def _across(s, k, qa):
    """Two directions across the axis of a hinge, world."""
    one = quat.rotate(qa, s.joint[k].across)
    return one, cross(quat.rotate(qa, s.joint[k].axis_a), one)


@kernel
def errors(s, k, xa, qa, xb, qb, out):
    """What poses leave of the rows of constraint k: m, rad; of a cable the gap to its length (m).  Writes: out."""
    f, kind = s.joint[k], s.joint_i[k].kind
    if is_line(kind):
        _, length = line(s, k, xa, qa, xb, qb)
        out[0] = f.length - length if kind == L.CABLE else length - f.length
        return
    pa, pb = anchors(s, k, xa, qa, xb, qb)
    store3(out, 0, sub(pb, pa))
    if kind == L.FIXED:
        turn = quat.mul(qb, quat.conj(quat.mul(qa, f.relative_attitude)))
        store3(out, 3, scale((turn[1], turn[2], turn[3]), 2.0 if turn[0] >= 0.0 else -2.0))
    elif kind == L.HINGE:
        tilt = cross(quat.rotate(qa, f.axis_a), quat.rotate(qb, f.axis_b))
        one, other = _across(s, k, qa)
        out[3], out[4] = dot(tilt, one), dot(tilt, other)


@kernel
def row_velocity(ra, rb, row, v, w):
    """Velocity of b minus a in a row (m/s, rad/s); v, w: columns of the work rows to read."""
    return (dot(load3(row, T_D), sub(load3(rb, v), load3(ra, v)))
            + dot(load3(row, T_B), load3(rb, w)) - dot(load3(row, T_A), load3(ra, w)))


@kernel
def push(body, p, angular, v, w):
    """Add an impulse (N s) and an angular impulse about the centre of mass (N m s), world, to columns v, w of a work
    row.  Writes: body."""
    im = body.inverse_mass
    if im > 0.0:
        store3(body, v, madd(load3(body, v), p, im))
        store3(body, w, add(load3(body, w), sym_mul(body.inverse_inertia, angular)))


@kernel
def push_row(ra, rb, row, p, v, w):
    """Impulse p of a row on b, its opposite on a.  Writes: ra, rb."""
    d = load3(row, T_D)
    push(rb, scale(d, p), scale(load3(row, T_B), p), v, w)
    push(ra, scale(d, -p), scale(load3(row, T_A), -p), v, w)


@kernel
def impulses_of(s, k, table):
    """What the impulses of the rows of constraint k (JT_P), which are in table (6, ROW_SIZE), are in the world: impulse
    on b, angular impulse on b and on a (its opposite) about their centres of mass, moment on b."""
    f, kind = s.joint[k], s.joint_i[k].kind
    count, p, a, b, moment = linear_count(kind), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(count + angular_count(kind)):
        size = f[L.JT_P + i]
        p = madd(p, load3(table[i], T_D), size)
        a, b = madd(a, load3(table[i], T_A), size), madd(b, load3(table[i], T_B), size)
        if i >= count:
            moment = madd(moment, load3(table[i], T_B), size)
    return p, b, a, moment


@kernel
def fill(s, k, table):
    """All rows of constraint k into a table (6, ROW_SIZE); returns how many.  Writes: table."""
    kind = s.joint_i[k].kind
    fill_linear(s, k, table, 0)
    fill_angular(s, k, table, linear_count(kind))
    return linear_count(kind) + angular_count(kind)


@kernel
def add_impulses(s, linear, angular):
    """Add the impulses that the rows of the island's constraints have now to columns `linear` and `angular` of theirs
    (N s, N m s, world).  Writes: s.joint."""
    table = np.empty((MOST_ROWS, ROW_SIZE))
    for n in range(s.count.island_joints):
        k = s.joint_island[n]
        fill(s, k, table)
        p, _, _, moment = impulses_of(s, k, table)
        store3(s.joint[k], linear, add(load3(s.joint[k], linear), p))
        store3(s.joint[k], angular, add(load3(s.joint[k], angular), moment))
