# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Torque-free rotation of a rigid body over one step, to rounding.

Body frame = principal axes.  Euler's equations, dw/dt = c * (wy wz, wz wx, wx wy) with c = ((Iy-Iz)/Ix, ...), are
quadratic, so the Taylor coefficients of w follow from a short recurrence (order 7).  The attitude is exp of the
sixth-order Magnus series of those coefficients about the middle of the step (Blanes, Casas, Oteo, Ros, "The Magnus
expansion and some of its applications", Phys. Rep. 470, 2009).  The world angular momentum is then constant to
rounding, which is the gyroscopic term of docs/free_motion.md.
"""
import math

import numpy as np

from ..constants import ROTATION_MAX_SUBSTEPS, ROTATION_SUBSTEP
from ..maths import quat
from ..maths.jit import always_inline, kernel
from ..maths.vec3 import add, cross, dot, madd, scale, sub, sym_mul

# keeps a division by the length of a zero vector finite
TINY = 1e-300


@always_inline
def _twist(a, b):
    """Products of the Euler recurrence: (ay bz, az bx, ax by)."""
    return a[1] * b[2], a[2] * b[0], a[0] * b[1]


@always_inline
def _both(a, b):
    return a[1] * b[2] + b[1] * a[2], a[2] * b[0] + b[2] * a[0], a[0] * b[1] + b[0] * a[1]


@always_inline
def _times(c, s, a):
    return c[0] * s * a[0], c[1] * s * a[1], c[2] * s * a[2]


@always_inline
def taylor(w, c, h):
    """Coefficients W_n = w^(n) h^n / n!, n = 0..7, of the body rate.  w rad/s, c dimensionless, h s."""
    w1 = _times(c, h, _twist(w, w))
    w2 = _times(c, h / 2.0, _both(w, w1))
    w3 = _times(c, h / 3.0, add(_both(w, w2), _twist(w1, w1)))
    w4 = _times(c, h / 4.0, add(_both(w, w3), _both(w1, w2)))
    w5 = _times(c, h / 5.0, add(add(_both(w, w4), _both(w1, w3)), _twist(w2, w2)))
    w6 = _times(c, h / 6.0, add(add(_both(w, w5), _both(w1, w4)), _both(w2, w3)))
    w7 = _times(c, h / 7.0, add(add(_both(w, w6), _both(w1, w5)), add(_both(w2, w4), _twist(w3, w3))))
    return w, w1, w2, w3, w4, w5, w6, w7


@always_inline
def _magnus(s, h):
    """Rotation vector of the step in the body frame from the Taylor coefficients s.

    Bracket of body rates: R' = R [w]x transposes to a left equation with -[w]x, so [a, b] stands for -(a x b).
    """
    w0, w1, w2, w3, w4, w5, w6, _ = s
    a1 = madd(madd(madd(madd(madd(madd(w0, w1, 0.5), w2, 0.25), w3, 0.125), w4, 0.0625), w5, 0.03125), w6, 0.015625)
    a2 = madd(madd(madd(madd(add(w1, w2), w3, 0.75), w4, 0.5), w5, 0.3125), w6, 0.1875)
    a3 = madd(madd(madd(madd(w2, w3, 1.5), w4, 1.5), w5, 1.25), w6, 0.9375)
    a4 = madd(madd(madd(w3, w4, 2.0), w5, 2.5), w6, 2.5)
    a5 = madd(madd(w4, w5, 2.5), w6, 3.75)
    a1, a2, a3, a4, a5 = scale(a1, h), scale(a2, h), scale(a3, h), scale(a4, h), scale(a5, h)
    c = cross(a2, a1)
    x = madd(madd(madd(scale(a2, -1.0 / 12.0), a4, -1.0 / 80.0), cross(a3, a1), 1.0 / 360.0), cross(c, a1), 1.0 / 720.0)
    y = scale(sub(a3, c), 1.0 / 240.0)
    even = madd(madd(a1, a3, 1.0 / 12.0), a5, 1.0 / 80.0)
    return add(even, add(cross(x, a1), cross(y, a2)))


@always_inline
def _exp(r):
    """Unit quaternion of a rotation vector of at most a few hundredths of a radian."""
    x = 0.25 * dot(r, r)
    c = 1.0 - x * (0.5 - x * (1.0 / 24.0 - x * (1.0 / 720.0 - x / 40320.0)))
    s = 0.5 - x * (1.0 / 12.0 - x * (1.0 / 240.0 - x * (1.0 / 10080.0 - x / 725760.0)))
    return c, s * r[0], s * r[1], s * r[2]


@always_inline
def rotate_short(q, w, c, h):
    """One substep: attitude q and world rate w (rad/s) after h seconds without torque; |w| h <= ROTATION_SUBSTEP."""
    r, end, square = body_turn(q, w, c, h)
    return turned(q, w, r, end, square)


@always_inline
def body_turn(q, w, c, h):
    """First half of rotate_short: rotation vector (rad), rate at the end and squared rate at the start, in the body."""
    return _turn_of(taylor(quat.rotate_back(q, w), c, h), h)


@always_inline
def _turn_of(s, h):
    """As body_turn, from the Taylor coefficients of the body rate."""
    r = _magnus(s, h)
    end = add(add(add(add(s[7], s[6]), add(s[5], s[4])), add(add(s[3], s[2]), s[1])), s[0])
    return r, end, dot(s[0], s[0])


@always_inline
def turned(q, w, r, end, square):
    """Second half: attitude and world rate at the end of a step that began with q, w.

    Turning a vector to the body and back shortens it by some 1e-17 of its length, always: 1e-12 of the energy in 1e4
    steps.  What was lost on both ways is given back.
    """
    q1 = quat.renormalised(quat.mul(q, _exp(r)))
    w1 = quat.rotate(q1, end)
    lost = (dot(w, w) - square) + (dot(end, end) - dot(w1, w1))
    return q1, madd(w1, w1, 0.5 * lost / (dot(w, w) + TINY))


@kernel
def rotate_free(q, w, c, h):
    """As `rotate_short` for any rate: the step is cut so that each substep turns by at most ROTATION_SUBSTEP."""
    n = substeps(w, h)
    for _ in range(int(n)):
        q, w = rotate_short(q, w, c, h / n)
    return q, w


@always_inline
def substeps(w, h):
    """Number of substeps, a float: the vector pass counts in floats."""
    n = np.ceil(math.sqrt(dot(w, w)) * h / ROTATION_SUBSTEP)
    n = n if n > 1.0 else 1.0
    return n if n < ROTATION_MAX_SUBSTEPS else float(ROTATION_MAX_SUBSTEPS)


@kernel
def taylor_tensor(w, tensor, inverse, h):
    """As `taylor` for a full inertia tensor: coefficients of the momentum M' = M x w, and w = I^-1 M of each."""
    m0 = sym_mul(tensor, w)
    m1 = scale(cross(m0, w), h)
    w1 = sym_mul(inverse, m1)
    m2 = scale(add(cross(m0, w1), cross(m1, w)), h / 2.0)
    w2 = sym_mul(inverse, m2)
    m3 = scale(add(add(cross(m0, w2), cross(m1, w1)), cross(m2, w)), h / 3.0)
    w3 = sym_mul(inverse, m3)
    m4 = scale(add(add(cross(m0, w3), cross(m1, w2)), add(cross(m2, w1), cross(m3, w))), h / 4.0)
    w4 = sym_mul(inverse, m4)
    m5 = add(add(cross(m0, w4), cross(m1, w3)), add(add(cross(m2, w2), cross(m3, w1)), cross(m4, w)))
    m5 = scale(m5, h / 5.0)
    w5 = sym_mul(inverse, m5)
    m6 = add(add(add(cross(m0, w5), cross(m1, w4)), add(cross(m2, w3), cross(m3, w2))),
             add(cross(m4, w1), cross(m5, w)))
    m6 = scale(m6, h / 6.0)
    w6 = sym_mul(inverse, m6)
    m7 = add(add(add(cross(m0, w6), cross(m1, w5)), add(cross(m2, w4), cross(m3, w3))),
             add(add(cross(m4, w2), cross(m5, w1)), cross(m6, w)))
    return w, w1, w2, w3, w4, w5, w6, sym_mul(inverse, scale(m7, h / 7.0))


@kernel
def rotate_free_tensor(q, w, tensor, inverse, h):
    """As `rotate_free` with the inertia as a full tensor in the body frame, (xx, xy, xz, yy, yz, zz) kg m^2."""
    n = substeps(w, h)
    for _ in range(int(n)):
        r, end, square = _turn_of(taylor_tensor(quat.rotate_back(q, w), tensor, inverse, h / n), h / n)
        q, w = turned(q, w, r, end, square)
    return q, w


@always_inline
def kicked(q, w, j, impulse):
    """World rate after an angular impulse (N m s, world); j = inverse principal moments."""
    b = quat.rotate_back(q, impulse)
    return add(w, quat.rotate(q, (b[0] * j[0], b[1] * j[1], b[2] * j[2])))
