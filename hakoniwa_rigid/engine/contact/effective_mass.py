# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Geometry of one contact point: arms, contact frame, effective mass."""
from ..maths.jit import kernel
from ..maths.vec3 import cross, dot, sub, sym_mul, tangents
from ..model import layout as L


@kernel
def prepare(ra, rb, r):
    """Arms, contact frame and effective-mass matrix of a row (docs/solvers.md, part I).

    K = sum over the bodies of 1/m 1 - [r]x I^-1 [r]x, in the contact frame.  Writes: r."""
    prepare_along(ra, rb, r, tangents(r.normal))


@kernel
def prepare_along(ra, rb, r, across):
    """As prepare, with these two tangents.  Writes: r."""
    n, x, t1, t2 = r.normal, r.position, across[0], across[1]
    arm_a, arm_b = sub(x, ra.position), sub(x, rb.position)
    r.tangent_1 = t1
    r.tangent_2 = t2
    r.arm_a = arm_a
    r.arm_b = arm_b
    k = add_k(effective(ra, arm_a, n, t1, t2), effective(rb, arm_b, n, t1, t2))
    for f in range(6):
        r[L.R_K + f] = k[f]


@kernel
def add_k(p, q):
    return p[0] + q[0], p[1] + q[1], p[2] + q[2], p[3] + q[3], p[4] + q[4], p[5] + q[5]


@kernel
def effective(body, arm, n, t1, t2):
    """One body's part of K as (nn, n1, n2, 11, 12, 22)."""
    im = body.inverse_mass
    if im == 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    iw = (body[L.W_IW], body[L.W_IW + 1], body[L.W_IW + 2], body[L.W_IW + 3], body[L.W_IW + 4], body[L.W_IW + 5])
    cn, c1, c2 = cross(arm, n), cross(arm, t1), cross(arm, t2)
    jn, j1, j2 = sym_mul(iw, cn), sym_mul(iw, c1), sym_mul(iw, c2)
    return im + dot(cn, jn), dot(cn, j1), dot(cn, j2), im + dot(c1, j1), dot(c1, j2), im + dot(c2, j2)
