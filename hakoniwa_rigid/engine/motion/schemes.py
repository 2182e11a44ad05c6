# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The selectable integrators (docs/free_motion.md): how a work row moves and turns.

Each carries the angular momentum over the rotation, which is the gyroscopic term.  Both storages of the inertia
meet here only: `inertia_mul` and `inverse_mul` are all that knows them.

exact                Taylor-7 of the rate, sixth-order Magnus attitude: torque-free rotation to rounding; torque by half
                     kicks before and after (Strang), order 2
semi_implicit_euler  kick, then explicit Euler on q, order 1
rk4                  classical Runge-Kutta on (q, L), order 4
implicit_midpoint    structure-preserving, order 2: the midpoint rule for the momentum in the body, Cayley's rotation
                     for the attitude; keeps energy and angular momentum to rounding at any step (Austin,
                     Krishnaprasad, Wang, "Almost Poisson integration of rigid body systems", J. Comput. Phys. 107,
                     1993)
"""

import numpy as np

from ..constants import LONGEST_TURN, MIDPOINT_ITERATIONS, ROTATION_MAX_SUBSTEPS
from ..maths import elementary, quat
from ..maths.jit import kernel
from ..maths.vec3 import add, cross, dot, load3, load6, madd, norm, scale, sub, sym_mul
from ..model import layout as L
from .rotation import TINY, kicked, rotate_free, rotate_free_tensor

# relative, squared: a change of the momentum by Newton's iteration that is rounding
SETTLED_SQUARED = 1e-32


@kernel
def inertia_mul(r, a):
    """Inertia of work row r times a vector in its body frame (principal axes, or the user's with the full tensor)."""
    if r[L.W_STORAGE] == L.FULL:
        return sym_mul(load6(r, L.W_TENSOR + L.T_I), a)
    return a[0] / r[L.W_J], a[1] / r[L.W_J + 1], a[2] / r[L.W_J + 2]


@kernel
def inverse_mul(r, a):
    """Inverse inertia of work row r times a vector in its body frame; zero for bodies that are not dynamic.

    The product of tensor and stored inverse differs from 1 by rounding, the same way in every step: one step of
    refinement keeps the angular momentum from growing by 1e-16 a step.
    """
    if r[L.W_STORAGE] == L.FULL:
        inverse = load6(r, L.W_TENSOR + L.T_J)
        x = sym_mul(inverse, a)
        return add(x, sym_mul(inverse, sub(a, sym_mul(load6(r, L.W_TENSOR + L.T_I), x))))
    return a[0] * r[L.W_J], a[1] * r[L.W_J + 1], a[2] * r[L.W_J + 2]


@kernel
def carry(q, a):
    """q a q* with the length of a: plain rotations shorten by some 1e-17, always, which adds up over the steps."""
    b, square = quat.rotate(q, a), dot(a, a)
    return madd(b, b, 0.5 * (square - dot(b, b)) / (square + TINY))


@kernel
def momentum(r, q, w):
    """Angular momentum (N m s, world) at attitude q and rate w (rad/s, world)."""
    return carry(q, inertia_mul(r, carry(quat.conj(q), w)))


@kernel
def rate(r, q, angular_momentum):
    """Rate (rad/s, world) of an angular momentum (N m s, world) at attitude q."""
    return carry(q, inverse_mul(r, carry(quat.conj(q), angular_momentum)))


@kernel
def move(r, x, v, a, h):
    """Position (m) and velocity (m/s) after h seconds under the acceleration a (m/s^2)."""
    v1 = madd(v, a, h)
    if r[L.W_SCHEME] == L.SEMI_IMPLICIT_EULER:
        return madd(x, v1, h), v1
    return madd(madd(x, v, h), a, 0.5 * h * h), v1


@kernel
def turn(r, q, w, torque, h):
    """Attitude and rate (rad/s, world) after h seconds under a constant torque (N m, world)."""
    if r[L.W_SCHEME] == L.SEMI_IMPLICIT_EULER:
        return euler_turn(r, q, w, torque, h)
    if r[L.W_SCHEME] == L.RK4:
        n = substeps(w, h)
        for _ in range(n):
            q, w = rk4_turn(r, q, w, torque, h / n)
        return q, w
    half = scale(torque, 0.5 * h)
    w = _kicked(r, q, w, half)
    if r[L.W_SCHEME] == L.IMPLICIT_MIDPOINT:
        n = substeps(w, h)
        for _ in range(n):
            q, w = midpoint_turn(r, q, w, h / n)
    elif r[L.W_STORAGE] == L.FULL:
        q, w = rotate_free_tensor(q, w, load6(r, L.W_TENSOR + L.T_I), load6(r, L.W_TENSOR + L.T_J), h)
    else:
        q, w = rotate_free(q, w, load3(r, L.W_C), h)
    return q, _kicked(r, q, w, half)


@kernel
def _kicked(r, q, w, impulse):
    """World rate after an angular impulse (N m s, world)."""
    if impulse[0] == 0.0 and impulse[1] == 0.0 and impulse[2] == 0.0:
        return w
    if r[L.W_STORAGE] == L.FULL:
        return add(w, rate(r, q, impulse))
    return kicked(q, w, load3(r, L.W_J), impulse)


@kernel
def substeps(w, h):
    """Number of equal parts of a step in each of which the body turns by at most LONGEST_TURN."""
    return max(min(elementary.whole(np.ceil(norm(w) * h / LONGEST_TURN)), ROTATION_MAX_SUBSTEPS), 1)


@kernel
def spin(q, w):
    """dq/dt = (0, w) q / 2."""
    return quat.mul((0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]), q)


@kernel
def along(q, k, h):
    """q + h k."""
    return q[0] + h * k[0], q[1] + h * k[1], q[2] + h * k[2], q[3] + h * k[3]


@kernel
def euler_turn(r, q, w, torque, h):
    """Kick, explicit Euler on q, then the rate from the angular momentum with the new attitude."""
    w = add(w, rate(r, q, scale(torque, h)))
    q1 = quat.normalised(along(q, spin(q, w), h))
    return q1, rate(r, q1, momentum(r, q, w))


@kernel
def _slope(r, q, angular_momentum):
    return spin(q, rate(r, quat.normalised(q), angular_momentum))


@kernel
def rk4_turn(r, q, w, torque, h):
    """Classical Runge-Kutta on dq/dt = (0, I_w^-1 L) q / 2; L grows linearly and is exact."""
    start = momentum(r, q, w)
    middle, end = madd(start, torque, 0.5 * h), madd(start, torque, h)
    k1 = _slope(r, q, start)
    k2 = _slope(r, along(q, k1, 0.5 * h), middle)
    k3 = _slope(r, along(q, k2, 0.5 * h), middle)
    k4 = _slope(r, along(q, k3, h), end)
    q1 = along(along(along(along(q, k1, h / 6.0), k2, h / 3.0), k3, h / 3.0), k4, h / 6.0)
    q1 = quat.normalised(q1)
    return q1, rate(r, q1, end)


@kernel
def midpoint_turn(r, q, w, h):
    """Torque-free: M1 - M0 = h M x I^-1 M with M = (M0 + M1) / 2 in the body, by Newton; q1 = q cay(h I^-1 M)."""
    kept = momentum(r, q, w)
    m0 = carry(quat.conj(q), kept)
    m = m0
    for _ in range(MIDPOINT_ITERATIONS):
        u = inverse_mul(r, m)
        d = _solve3(_newton_column(r, m, u, (1.0, 0.0, 0.0), h), _newton_column(r, m, u, (0.0, 1.0, 0.0), h),
                    _newton_column(r, m, u, (0.0, 0.0, 1.0), h), madd(sub(m, m0), cross(m, u), -0.5 * h))
        m = sub(m, d)
        if dot(d, d) <= SETTLED_SQUARED * dot(m, m):
            break
    u = scale(inverse_mul(r, m), 0.5 * h)
    q1 = quat.renormalised(quat.mul(q, quat.normalised((1.0, u[0], u[1], u[2]))))
    return q1, rate(r, q1, kept)


@kernel
def _newton_column(r, m, u, e, h):
    """Derivative of M - M0 - h/2 M x I^-1 M along e, where u = I^-1 M."""
    return madd(e, add(cross(e, u), cross(m, inverse_mul(r, e))), -0.5 * h)


@kernel
def _solve3(a, b, c, y):
    """x with x0 a + x1 b + x2 c = y (Cramer)."""
    bc = cross(b, c)
    s = 1.0 / dot(a, bc)
    return dot(y, bc) * s, dot(y, cross(c, a)) * s, dot(y, cross(a, b)) * s
