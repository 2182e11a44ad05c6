# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The rigid motion that comes closest to what the joints of a hand do, compiled."""
from __future__ import annotations

import numpy as np

from ...engine.maths.jit import kernel
from ...engine.maths.vec3 import add, cross, load3, madd, norm, scale, sub, sym_mul

# how often joints are weighed anew by how far they go along with the hand
REWEIGHTED = 3
# m^2: keeps joints on a line or on one spot from turning
SLENDER = 1e-6


@kernel
def _solve(m, b):
    """x of m x = b, m symmetric positive (xx, xy, xz, yy, yz, zz), by its inverse."""
    xx, xy, xz, yy, yz, zz = m
    a, d, g = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    inverse = (a, d, g, xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy)
    return scale(sym_mul(inverse, b), 1.0 / (xx * a + xy * d + xz * g))


@kernel
def rigid(places, values, on):
    """Centre of places (J,3), and the mean and the turning that, as a rigid motion about the centre, come closest to
    the values (J,3) there; of joints `on` only."""
    return _weighted(places, values, on, on)


@kernel
def rigid_of_most(places, values, on, spread):
    """The same, of those joints that move together: fingers that open or close by themselves, by more than `spread`,
    hardly count (reweighted least squares with Cauchy's weights: Holland and Welsch 1977)."""
    weights = np.ones(len(on))
    centre, mean, turn = _weighted(places, values, on, weights)
    for _ in range(REWEIGHTED):
        for j in range(len(on)):
            if on[j]:
                whole = add(mean, cross(turn, sub(load3(places[j], 0), centre)))
                off = norm(sub(load3(values[j], 0), whole)) / spread
                weights[j] = 1.0 / (1.0 + off * off)
        centre, mean, turn = _weighted(places, values, on, weights)
    return centre, mean, turn


@kernel
def _weighted(places, values, on, weights):
    """The rigid motion nearest to values, in the mean of weights (J,) > 0 of the joints `on`; a bool weighs 1."""
    total, centre, mean = 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for j in range(len(on)):
        if on[j]:
            total += weights[j]
            centre, mean = madd(centre, load3(places[j], 0), weights[j]), madd(mean, load3(values[j], 0), weights[j])
    if total == 0.0:
        return centre, mean, mean
    centre, mean = scale(centre, 1.0 / total), scale(mean, 1.0 / total)
    xx = yy = zz = total * SLENDER
    xy = xz = yz = 0.0
    torque = (0.0, 0.0, 0.0)
    for j in range(len(on)):
        if on[j]:
            w, r = weights[j], sub(load3(places[j], 0), centre)
            torque = madd(torque, cross(r, load3(values[j], 0)), w)
            xx, yy = xx + w * (r[1] * r[1] + r[2] * r[2]), yy + w * (r[2] * r[2] + r[0] * r[0])
            zz = zz + w * (r[0] * r[0] + r[1] * r[1])
            xy, xz, yz = xy - w * (r[0] * r[1]), xz - w * (r[0] * r[2]), yz - w * (r[1] * r[2])
    return centre, mean, _solve((xx, xy, xz, yy, yz, zz), torque)
