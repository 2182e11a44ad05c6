# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The contact frame (n, t1, t2) of a row: velocities of b minus a in it, and back to world."""
from ..maths.jit import kernel
from ..maths.vec3 import add, cross, dot, load3, madd, scale, sub
from ..model import layout as L


@kernel
def relative_velocity(ra, rb, r, v, w):
    """Velocity of b minus a at the contact (m/s, contact frame); v, w: columns of the work rows to read.

    Of a row taken in mid-interval (detect/midpoint): at the end of it.
    """
    vb = add(load3(rb, v), cross(load3(rb, w), r.arm_b))
    va = add(load3(ra, v), cross(load3(ra, w), r.arm_a))
    u = sub(vb, va)
    return (dot(u, r.normal) + r.normal_velocity_bias, dot(u, r.tangent_1) + r[L.R_BIAS + 1],
            dot(u, r.tangent_2) + r[L.R_BIAS + 2])


@kernel
def to_world(r, j):
    """Contact-frame vector to world."""
    return madd(madd(scale(r.normal, j[0]), r.tangent_1, j[1]), r.tangent_2, j[2])


@kernel
def relative_rate(ra, rb, r, w):
    """Rate of b minus a (rad/s), contact frame."""
    u = sub(load3(rb, w), load3(ra, w))
    return dot(u, r.normal), dot(u, r.tangent_1), dot(u, r.tangent_2)


@kernel
def has_moments(r):
    """True if a row resists the rates of its bodies: rolling or torsional friction."""
    return r.rolling_length > 0.0 or r.torsion_length > 0.0
