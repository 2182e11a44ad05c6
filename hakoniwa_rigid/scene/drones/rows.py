# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What the compiled parts of the scene share: the arrays of the drones, and motions and offsets as tuples.

One row per drone: 13 numbers pos, quat wxyz, vel, omega (world frame), 12 of an offset from the reference.  Every
function is about one row, so a result depends on its own row only.  Named tuples go to entries as plain ones: numba
takes those over in a third of the time.
"""
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...codec.message_fields import NANOSECONDS
from ...codec.motion_columns import OMEGA, POS, QUAT, VEL
from ...engine.maths import elementary, quat
from ...engine.maths.borrow import borrowed
from ...engine.maths.jit import kernel
from ...engine.maths.vec3 import add, cross, dot, load3, norm, scale, store3, sub

# columns of an offset
DX, PHI, DV, DW, OFFSET = 0, 3, 6, 9, 12
# what became of a sample; up to TELEPORT it was taken
OK, RESTARTED, TELEPORT, BACKWARDS, REPEATED, STALE, NOT_FINITE, OUT_OF_RANGE, NON_UNIT = range(9)

# quaternions this far from unit length are refused; closer ones are normalised unless exact to rounding (bits are kept)
UNIT_TOLERANCE = 1e-2
UNIT_ROUNDING = 1e-12
# m and -: larger finite coordinates are refused as absurd; the engine's own limit lies above
MOST_COORDINATE, MOST_QUATERNION = 5e5, 2.0
# ns, 73 years: stamps of ROS, whole seconds in 32 bits, end before, and differences of two such fit into 64 bits
MOST_STAMP = 1 << 61
# rad: a drone that turns further in a call of the engine is not kept at its rate by a torque, whose direction is that
# of the middle of the call; it tumbles as a free body
LED_TURN = 1.0
# rad. Below this angle sin(x)/x and its inverse are taken as 1: the error, x^2/6, is below rounding.
SMALL_ANGLE = 1e-8
# m, rad, m/s, rad/s: smaller offsets in free flight end, and the drone is at its reference to the bit.  A step of this
# size cannot be seen; without an end the exponential would keep every drone flagged for ever.
SNAP = (1e-4, 1e-4, 1e-4, 1e-3)
# the same while touching: only rounding is dropped, or a drone sinking slowly would creep into what it rests on
SNAP_TOUCHING = (1e-10, 1e-10, 1e-10, 1e-10)
# share of the offset by which a jump of the reference may miss it and still mean that the simulator applied it; the
# least share of it that means so in part: what is taken for the drone's own motion is then seen as a smaller jump
APPLIED, IN_PART = 0.5, 0.25
# ns: a simulator may apply our correction this long after the touch that caused it
APPLY_TIME = 2 * NANOSECONDS
# ns: the time over which poses are differenced is at least SHORT_BASE, and a quarter of the interval before, though no
# more than LONG_BASE is asked for.  Shorter, and the noise of a tracker whose stamps come in pairs is a velocity that
# throws a resting drone off its floor; longer, and even streams of 500 Hz and jittering ones of 200 Hz are smoothed.
SHORT_BASE, LONG_BASE = 1_500_000, 4_000_000
# steps from pose to pose by which stamps are judged: the most, and the least; the stream is even and its stamps are not
# where steps differ less than half as much as speeds, and by less than a quarter of their length
STEPS, LEAST_STEPS, STEADIER, STEADY = 16, 6, 0.5, 0.25
# ns: the stamp of a touch that never was
NEVER = -(1 << 62)
# share of its speed before below which a reference has stopped
STOPPED = 0.05
# m/s^2, rad/s^2: no drone of this kind changes its motion faster by itself (3 g).  Too small, and a wild flight just
# after a touch is shown smoothed over the time constant; too large, and a correction applied late is shown as a jump.
OWN_ACCEL, OWN_TURN = 30.0, 300.0


def least_base(interval):
    """The least time (ns) over which a pose is differenced that came after two which were `interval` (ns) apart."""
    return min(max(interval // 4, SHORT_BASE), LONG_BASE)


class Gate(NamedTuple):
    """Stamps of n streams: known (n,) bool; newest, back_stamp (n,) int64 ns; back_count (n,) int64; limits (4,)
    int64: restart bound (ns), samples for a restart, for a small one, stale timeout (ns)."""

    known: np.ndarray
    newest: np.ndarray
    back_stamp: np.ndarray
    back_count: np.ndarray
    limits: np.ndarray


class Drones(NamedTuple):
    """Arrays of n drones, changed in place: motions (n,13) at base_link, offset (n,12) at the centre of mass,
    origin (n,7) pose of the input frame, inertia (n,3,3) in body axes, wrenches (n,3) body FLU."""

    authority: np.ndarray
    mass: np.ndarray
    com: np.ndarray
    drag: np.ndarray
    inertia: np.ndarray
    most_pull: np.ndarray
    most_torque: np.ndarray
    origin: np.ndarray
    start: np.ndarray
    sample: np.ndarray
    reference: np.ndarray
    reference_stamp: np.ndarray
    shown: np.ndarray
    offset: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    rotor_force: np.ndarray
    rotor_torque: np.ndarray
    by_rotors: np.ndarray
    reset: np.ndarray           # the next tick must start the drone afresh from its sample
    rejected: np.ndarray        # an input was refused since the last tick
    enabled: np.ndarray
    stale: np.ndarray
    touched: np.ndarray
    touch_stamp: np.ndarray     # (n,) int64 ns: the end of the last tick with a contact
    held: np.ndarray            # the last sample's velocity is an older one: its pose jumped
    most_load: np.ndarray       # (n,2) N, N m: what would bring it from rest to its limits of speed in one step
    cut: np.ndarray             # (n,2) N, N m: the load that was cut down to that in this tick, 0: none
    limited: np.ndarray         # its state or load was held within its range since the last tick
    frozen: np.ndarray          # it stands still, out of contact, because its island failed


class Inbox(NamedTuple):
    """The arrays of Drones that inputs go to (compiling takes time for every array passed), and what only they need."""

    origin: np.ndarray
    sample: np.ndarray
    offset: np.ndarray
    reset: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    by_rotors: np.ndarray
    touch_stamp: np.ndarray
    held: np.ndarray
    most_load: np.ndarray
    base: np.ndarray            # (n,2,7) poses that the next sample may be differenced against, the older first
    base_stamp: np.ndarray      # (n,2) int64 ns
    steps: np.ndarray           # (n,STEPS,5) m, s and intervals from a pose to the next, a ring
    step_count: np.ndarray      # (n,) int64, since the last new beginning


class Bounds(NamedTuple):
    """SceneParams as numbers: ns and s, m, m/s, rad/s; gravity (3,) m/s^2; has_origin: any origin is not the world."""

    remove_ns: int
    stale_ns: int
    remove: float
    teleport: float
    max_speed: float
    max_rate: float
    extrapolation: float
    tau: float
    linear: float               # m/s and rad/s: no drone is taken to be faster
    angular: float
    gravity: np.ndarray
    has_origin: bool


@kernel
def gate_of(s):
    """Gate of a plain tuple, uncounted: numba counts references to arrays at every call of a kernel."""
    return Gate(borrowed(s[0]), borrowed(s[1]), borrowed(s[2]), borrowed(s[3]), borrowed(s[4]))


@kernel
def bounded(a, most):
    """a, scaled down to length `most` if longer."""
    length = norm(a)
    return a if length <= most else scale(a, most / length)


@kernel
def within(a, most):
    """a, scaled down to length `most` if longer, zero if not finite; its length, or 0 where it was not longer."""
    length = norm(a)
    if length <= most:
        return a, 0.0
    return (scale(a, most / length), length) if length < math.inf else ((0.0, 0.0, 0.0), math.inf)


@kernel
def from_vector(phi):
    """The rotation by |phi| rad about phi."""
    angle = norm(phi)
    half = 0.5 * angle
    share = 0.5 if angle < SMALL_ANGLE else elementary.sin(half) / angle
    return elementary.cos(half), phi[0] * share, phi[1] * share, phi[2] * share


@kernel
def difference(q_to, q_from):
    """The world-frame rotation vector that takes q_from to q_to, rad, of length <= pi."""
    q = quat.mul(q_to, quat.conj(q_from))
    sign = -1.0 if q[0] < 0.0 else 1.0
    v = (sign * q[1], sign * q[2], sign * q[3])
    sine = norm(v)
    return scale(v, 2.0 if sine < SMALL_ANGLE else 2.0 * elementary.atan2(sine, sign * q[0]) / sine)


@kernel
def load_motion(row):
    """pos, quat, vel, omega of a row."""
    return load3(row, POS), quat.load4(row, QUAT), load3(row, VEL), load3(row, OMEGA)


@kernel
def store_motion(row, m):
    """Into a row.  Writes: row."""
    x, q, v, w = m
    store3(row, POS, x)
    quat.store4(row, QUAT, q)
    store3(row, VEL, v)
    store3(row, OMEGA, w)


@kernel
def extrapolate(m, age, most):
    """After age s at constant velocities.  Beyond `most` s (either way) it stands still at the pose of `most`.  Age 0
    gives the same bits back."""
    x, q, v, w = m
    h = min(max(age, -most), most)
    if h != 0.0:
        x, q = add(x, scale(v, h)), quat.mul(from_vector(scale(w, h)), q)
    if abs(age) > most:
        v = w = (0.0, 0.0, 0.0)
    return x, q, v, w


@kernel
def to_com(m, com):
    """From base_link to the centre of mass: x + R com, v + omega x R com."""
    x, q, v, w = m
    arm = quat.rotate(q, com)
    return add(x, arm), q, add(v, cross(w, arm)), w


@kernel
def to_base(m, com):
    """From the centre of mass to base_link."""
    x, q, v, w = m
    arm = quat.rotate(q, com)
    return sub(x, arm), q, sub(v, cross(w, arm)), w


@kernel
def predict_reference(reference, stamp, com, t_ns, most):
    """The reference of a drone, a row (13,) with its stamp, at a time, at the centre of mass com (3,)."""
    return to_com(extrapolate(load_motion(reference), (t_ns - stamp) / NANOSECONDS, most), load3(com, 0))


@kernel
def with_offset(m, d):
    """Reference plus offset."""
    x, q, v, w = m
    return (add(x, load3(d, DX)), quat.mul(from_vector(load3(d, PHI)), q), add(v, load3(d, DV)),
            add(w, load3(d, DW)))


@kernel
def between(body, reference):
    """The offset of the body from the reference: four vectors."""
    return (sub(body[0], reference[0]), difference(body[1], reference[1]), sub(body[2], reference[2]),
            sub(body[3], reference[3]))


@kernel
def store_offset(row, d):
    """Into a row.  Writes: row."""
    for k in range(4):
        store3(row, 3 * k, d[k])


@kernel
def nonzero(row):
    """Whether there is an offset."""
    return row.any()


@kernel
def is_applied(jump, d):
    """Whether a jump of the reference means that the simulator applied the offset, wholly or in part."""
    size = norm(d)
    if size == 0.0:
        return False
    share = dot(jump, d) / (size * size)
    return IN_PART < share < 1.0 + APPLIED and norm(sub(jump, scale(d, share))) < APPLIED * share * size


@kernel
def _unexplained(jump, change):
    """Size of what is left of a jump of the reference's place by the part of `change` that comes nearest to it."""
    size = dot(change, change)
    share = min(max(dot(jump, change) / size, 0.0), 1.0) if size > 0.0 else 0.0
    return norm(sub(jump, scale(change, share)))


@kernel
def was_applied(jump, d, own, lately, change):
    """Whether a jump of the reference's pose comes from our corrections: the simulator applied the offset d as it is,
    or, up to APPLY_TIME after a touch, it jumps further than the drone itself can (`own`): it applied what d was.

    change: what another velocity since the last sample makes of the place; a reference that stops dead has applied
    nothing.
    """
    return (lately and _unexplained(jump, change) > own) or is_applied(jump, d)
