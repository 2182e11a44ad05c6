# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The whole motion of a torque-free rigid body, attitude included, in Jacobi elliptic functions (Landau-Lifshitz §37).

The body angular momentum has a closed form in time. With A the attitude relative to a frame whose z is L, and Q the
smallest turn that takes the body-frame direction l of L to z, A = Rz(alpha) Q(l), where

    alpha' = w3 + (I1 w1² + I2 w2²) / (|L| (1 + l3)),

a smooth periodic function of time that is integrated by Gauss-Legendre panels to rounding.
"""

import numpy as np
from scipy.special import ellipj, ellipk, ellipkinc, elliprf, elliprj

from oracles.rotations import conjugate, from_rotvec, matrix, multiply

NODES, WEIGHTS = np.polynomial.legendre.leggauss(20)
PANEL = 0.25  # longest panel in the argument of the elliptic functions, on which they are smooth at any modulus


def quaternion(r):
    """Unit quaternion (4,) of a proper rotation matrix (3, 3): the largest column of q qᵀ."""
    xx, yy, zz = np.diag(r)
    products = np.array([
        [1 + xx + yy + zz, r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]],
        [r[2, 1] - r[1, 2], 1 + xx - yy - zz, r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]],
        [r[0, 2] - r[2, 0], r[0, 1] + r[1, 0], 1 - xx + yy - zz, r[1, 2] + r[2, 1]],
        [r[1, 0] - r[0, 1], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], 1 - xx - yy + zz],
    ])
    q = products[:, np.argmax(np.diag(products))]
    return q / np.linalg.norm(q)


class EulerTop:
    """Torque-free motion from any start off the separatrix. inertia (3,) or (3, 3) in body axes, angvel (3,) world.

    `elements` are w1 = a cn, w2 = b sn, w3 = c dn of (rate t + start | m) in the solution's own frame, whose third axis
    is that principal axis about which L goes round, with w3 > 0.
    """

    def __init__(self, inertia, quat, angvel):
        tensor = np.diag(inertia) if np.ndim(inertia) == 1 else np.asarray(inertia)
        moments, axes = np.linalg.eigh(tensor)
        axes[:, 0] *= np.sign(np.linalg.det(axes))
        spin = axes.T @ matrix(quat).T @ np.asarray(angvel, dtype=float)
        # |L|² - 2 T I2 tells whether L goes round the axis of the largest or of the smallest moment
        if np.sum(moments * (moments - moments[1]) * spin**2) < 0:
            axes, moments, spin = axes[:, ::-1] * [1, -1, 1], moments[::-1], spin[::-1] * [1, -1, 1]
        if spin[2] < 0:
            axes, spin = axes * [1, -1, -1], spin * [1, -1, -1]
        self.moments = moments
        self._solve(spin)
        self.momentum = np.linalg.norm(moments * spin)  # |L|
        self.axes = quaternion(axes)  # solution frame -> body
        self.frame = multiply(multiply(quat, self.axes), conjugate(self._tilt(spin)))  # frame of L -> world

    def _solve(self, spin):
        """Amplitudes, rate, modulus and phase at t = 0; differences of moments keep their digits."""
        i1, i2, i3 = self.moments
        w1, w2, w3 = spin**2
        low = i1 * (i3 - i1) * w1 + i2 * (i3 - i2) * w2  # 2 T I3 - |L|²
        high = i2 * (i2 - i1) * w2 + i3 * (i3 - i1) * w3  # |L|² - 2 T I1
        self.sense = np.sign(i3 - i1)  # which way L goes round the third axis
        self.a, self.b = np.sqrt(low / (i1 * (i3 - i1))), self.sense * np.sqrt(low / (i2 * (i3 - i2)))
        self.c = np.sqrt(high / (i3 * (i3 - i1)))
        self.m = (i2 - i1) * low / ((i3 - i2) * high)
        if not self.m < 1.0:
            raise ValueError('the spin lies on the separatrix, which has no period')
        self.rate = np.sqrt((i3 - i2) * high / (i1 * i2 * i3))
        phase = np.arctan2(spin[1] / self.b, spin[0] / self.a) if low != 0 else 0.0
        self.start = ellipkinc(phase, self.m)

    @property
    def period(self):
        """Time after which w repeats itself in the body, s."""
        return 4 * ellipk(self.m) / self.rate

    def spin(self, time):
        """w (..., 3) in the solution's frame."""
        sn, cn, dn, _ = ellipj(self.rate * np.asarray(time) + self.start, self.m)
        return np.stack([self.a * cn, self.b * sn, self.c * dn], axis=-1)

    def _tilt(self, spin):
        """Q: the smallest turn from the direction of L in the solution's frame to z."""
        x, y, z = self.moments * spin / np.linalg.norm(self.moments * spin)
        q = np.array([1 + z, y, -x, 0.0])
        return q / np.linalg.norm(q)

    def alpha_rate(self, time):
        """alpha' as above, rad/s."""
        w, momentum = self.spin(time), self.momentum
        i1, i2, i3 = self.moments
        energy = i1 * w[..., 0] ** 2 + i2 * w[..., 1] ** 2
        return w[..., 2] + energy / (momentum + i3 * w[..., 2])

    def alpha(self, time):
        """Turn about L since t = 0, rad."""
        panels = int(np.ceil(abs(time) * self.rate / PANEL)) + 1
        width = time / panels
        nodes = width * (np.arange(panels)[:, None] + 0.5 * (1 + NODES))
        return 0.5 * width * np.sum(self.alpha_rate(nodes) @ WEIGHTS)

    def at(self, time):
        """Attitude quat (4,), body -> world, and angvel (3,) world."""
        spin = self.spin(time)
        turn = multiply(from_rotvec([0, 0, self.alpha(time)]), self._tilt(spin))
        quat = multiply(self.frame, turn)
        return multiply(quat, conjugate(self.axes)), matrix(quat) @ spin

    def turn_per_period(self):
        """alpha(period) in closed form, by the complete integral Π(n | m) in Carlson's form."""
        i1, _, i3 = self.moments
        momentum, z = self.momentum, i3 * self.c
        side = momentum**2 - z**2  # |L|² sin² of the smallest tilt, where sn = 0
        n = -(z**2) * self.m / side
        third = elliprf(0, 1 - self.m, 1) + n / 3 * elliprj(0, 1 - self.m, 1, 1 - n)
        excess = i1 * (i3 - i1) * self.a**2  # 2 T I3 - |L|²
        precession = momentum / i3 * (self.period + excess / side * 4 * third / self.rate)
        # alpha is the sum of two Euler angles, of which the one about the third axis goes back a turn per period
        return precession - self.sense * 2 * np.pi


def symmetric_top(side, axial, quat, angvel, time):
    """Attitude (4,) and angvel (3,) of a top with moments (side, side, axial) about its x, y, z: regular precession.

    Two uniform turns: |L|/side about L in the world, and (1 - axial/side) w3 about the body's z before it.
    """
    r = matrix(quat)
    spin = r.T @ np.asarray(angvel, dtype=float)
    momentum = r @ (np.array([side, side, axial]) * spin)
    own = from_rotvec([0.0, 0.0, (1.0 - axial / side) * spin[2] * time])
    turned = multiply(multiply(from_rotvec(momentum / side * time), quat), own)
    after = matrix(turned)
    return turned, after @ ((after.T @ momentum) / [side, side, axial])
