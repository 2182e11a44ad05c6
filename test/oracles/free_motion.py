# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Free rigid-body motion by high-precision quadrature, and Euler's top in Jacobi elliptic functions."""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import ellipj

from oracles.rotations import matrix


def rotate(inertia, quat, angvel, time, torque=(0.0, 0.0, 0.0)):
    """Attitude and spin after `time` s under a constant world torque.

    State of the ODE is (q, L): q' = (0, w) ⊗ q / 2, L' = torque, w = R I^-1 R^T L, by DOP853 at rtol 1e-13.
    inertia (3,) or (3, 3) in body axes; angvel, torque (3,) world. Returns quat (4,), angvel (3,).
    """
    tensor = np.diag(inertia) if np.ndim(inertia) == 1 else np.asarray(inertia)
    inverse = np.linalg.inv(tensor)
    r0 = matrix(quat)
    momentum0 = r0 @ tensor @ r0.T @ np.asarray(angvel, dtype=float)
    torque = np.asarray(torque, dtype=float)

    def spin(q, t):
        r = matrix(q)
        return r @ (inverse @ (r.T @ (momentum0 + torque * t)))

    def rate(t, q):
        w = spin(q, t)
        return 0.5 * np.concatenate(([-w @ q[1:]], w * q[0] + np.cross(w, q[1:])))

    out = solve_ivp(rate, (0.0, time), np.asarray(quat, dtype=float), method='DOP853', rtol=1e-13, atol=1e-15)
    q = out.y[:, -1] / np.linalg.norm(out.y[:, -1])
    return q, spin(q, time)


def euler_top(moments, spin_body, time):
    """Body-frame spin (3,) of a torque-free top with I1 < I2 < I3 that starts with w2 = 0, w1 and w3 > 0
    (Landau-Lifshitz §37).

    Valid for |L|² > 2 T I2 (precession about axis 3).
    """
    i1, i2, i3 = moments
    w = np.asarray(spin_body, dtype=float)
    energy2, square = np.sum(moments * w * w), np.sum((moments * w) ** 2)
    assert w[1] == 0.0 and square > energy2 * i2
    tau = time * np.sqrt((i3 - i2) * (square - energy2 * i1) / (i1 * i2 * i3))
    m = (i2 - i1) * (energy2 * i3 - square) / ((i3 - i2) * (square - energy2 * i1))
    sn, cn, dn, _ = ellipj(tau, m)
    return np.array(
        [
            np.sqrt((energy2 * i3 - square) / (i1 * (i3 - i1))) * cn,
            np.sqrt((energy2 * i3 - square) / (i2 * (i3 - i2))) * sn,
            np.sqrt((square - energy2 * i1) / (i3 * (i3 - i1))) * dn,
        ]
    )


def parabola(pos, vel, accel, time):
    """Position and velocity (3,) after `time` under constant acceleration: x + v t + a t²/2, v + a t."""
    pos, vel, accel = (np.asarray(a, dtype=float) for a in (pos, vel, accel))
    return pos + vel * time + 0.5 * accel * time * time, vel + accel * time


def bouncing_height(height, gravity, restitution, time):
    """Clearance and vertical speed of a ball dropped from rest at clearance `height` (m) on a floor, at `time` s.

    Piecewise closed form: v_k = e^k sqrt(2 g h), flight times 2 v_k / g. Raises ValueError once the bounces have
    piled up.
    """
    start, speed = -np.sqrt(2.0 * height / gravity), np.sqrt(2.0 * gravity * height)
    while time - start > 2.0 * speed / gravity:
        start += 2.0 * speed / gravity
        speed *= restitution
        if speed < 1e-9:
            raise ValueError('the ball has come to rest')
    t = time - start
    return speed * t - 0.5 * gravity * t * t, speed - gravity * t
