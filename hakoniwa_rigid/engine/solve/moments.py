# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Rolling and torsional friction: moments of a contact that oppose the bodies' relative rotation.

The moment about the normal is at most torsional friction (m) times the normal impulse, the moment across it at most
rolling friction (m) times the normal impulse.  Within these bounds the moment stops the rotation; on the bound it is
opposed to the rotation that is left, so that it never feeds energy in.
"""
import math

from ..contact.frame import relative_rate, to_world
from ..maths.jit import kernel
from ..maths.vec3 import add, dot, load3, norm, store3, sub, sym_mul
from ..model import layout as L

# Newton steps for the size of the rotation left; it converges from below in a handful
STEPS = 40
# relative: a moment beyond its bound by this is on it
ON_BOUND = 1e-15


@kernel
def twist(ra, rb, r, m, w):
    """Angular impulse m (contact frame, N m s) on b, its opposite on a, into the rate columns w of the work rows.
    Writes: ra, rb."""
    p = to_world(r, m)
    if rb.inverse_mass > 0.0:
        store3(rb, w, add(load3(rb, w), sym_mul(rb.inverse_inertia, p)))
    if ra.inverse_mass > 0.0:
        store3(ra, w, sub(load3(ra, w), sym_mul(ra.inverse_inertia, p)))


@kernel
def _turned_by(ra, rb, n):
    """Change of the relative rate by a unit angular impulse about the world axis n."""
    y = (0.0, 0.0, 0.0)
    if rb.inverse_mass > 0.0:
        y = add(y, sym_mul(rb.inverse_inertia, n))
    if ra.inverse_mass > 0.0:
        y = add(y, sym_mul(ra.inverse_inertia, n))
    return y


@kernel
def _within(k11, k12, k22, u1, u2, bound):
    """Moment m with |m| <= bound that stops the rate u + K m, or leaves a rate opposed to m with |m| = bound.

    (K + c 1) m = -u with the smallest c >= 0: Newton on 1 / |m(c)|, which is concave (More and Sorensen 1983).
    """
    if bound <= 0.0:
        return 0.0, 0.0
    c = 0.0
    for _ in range(STEPS):
        a, d = k11 + c, k22 + c
        det = a * d - k12 * k12
        m1, m2 = (-d * u1 + k12 * u2) / det, (k12 * u1 - a * u2) / det
        size = math.sqrt(m1 * m1 + m2 * m2)
        if size <= bound * (1.0 + ON_BOUND):
            break
        q = (d * m1 * m1 - 2.0 * k12 * m1 * m2 + a * m2 * m2) / det
        step = size * size / q * (size - bound) / bound
        if c + step == c:
            break
        c += step
    if c > 0.0:
        m1, m2 = m1 * bound / size, m2 * bound / size
    return m1, m2


@kernel
def solve_moments(ra, rb, r, w):
    """Solve the moments of one row, all others held; returns the change of its relative rate (rad/s).
    Writes: ra, rb, r."""
    push, worst = max(r.normal_impulse, 0.0), 0.0
    if push == 0.0 and r[L.R_M] == 0.0 and r[L.R_M + 1] == 0.0 and r[L.R_M + 2] == 0.0:
        return 0.0
    if r.torsion_length > 0.0:
        y, u = _turned_by(ra, rb, r.normal), relative_rate(ra, rb, r, w)
        k, bound = dot(y, r.normal), r.torsion_length * push
        change = min(max(r[L.R_M] - u[0] / k, -bound), bound) - r[L.R_M]
        r[L.R_M] += change
        twist(ra, rb, r, (change, 0.0, 0.0), w)
        worst = abs(k * change)
    if r.rolling_length > 0.0:
        y1, y2 = _turned_by(ra, rb, r.tangent_1), _turned_by(ra, rb, r.tangent_2)
        k11, k12, k22 = dot(y1, r.tangent_1), dot(y1, r.tangent_2), dot(y2, r.tangent_2)
        u, m1, m2 = relative_rate(ra, rb, r, w), r[L.R_M + 1], r[L.R_M + 2]
        u1, u2 = u[1] - k11 * m1 - k12 * m2, u[2] - k12 * m1 - k22 * m2
        n1, n2 = _within(k11, k12, k22, u1, u2, r.rolling_length * push)
        r[L.R_M + 1], r[L.R_M + 2] = n1, n2
        d = (0.0, n1 - m1, n2 - m2)
        twist(ra, rb, r, d, w)
        worst = max(worst, norm((0.0, k11 * d[1] + k12 * d[2], k12 * d[1] + k22 * d[2])))
    return worst
