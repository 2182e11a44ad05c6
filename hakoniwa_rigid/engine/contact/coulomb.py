# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Coulomb's law: friction of at most mu times the normal impulse, opposed to the final slip.

The cone, what solvers that iterate do to come to it, and one contact exactly, which is unilateral and has restitution
as a target.

Physics.md section 3.  Contact frame (n, t1, t2); u = velocity of b minus a; J = impulse on b; u' = u + K J with K
symmetric positive definite (nn, n1, n2, 11, 12, 22).  General K: normal and tangential parts are coupled, nothing is
neglected.
"""
import math

from ..maths import elementary
from ..maths.branches import rarely
from ..maths.jit import kernel

# change of the slip direction (tangent of the angle) at which it is accepted, and share of the step before below which
# Newton's method is trusted to be quadratic: then it is accepted where the next step would be smaller than that
EXACT, QUADRATIC = 1e-15, 1e-6
# steps of Newton's method from the guess, and the largest (tangent of the angle)
STEPS, LARGEST = 12, 0.5
# sectors of the circle in which roots are sought where that fails; cosine, sine and tangent of their width, 7.5 degrees
SECTORS, COS, SIN, TAN = 48, 0.9914448613738104, 0.13052619222005157, 0.13165249758739583
# steps of the search within a sector
HALVINGS = 64
# what a contact does
STICKS, SLIPS = 1, 2


# ---- the cone

@kernel
def most_friction(mu, push):
    """Friction (N s) that a normal impulse (N s) allows."""
    return mu * push


@kernel
def is_within(mu, push, size):
    """True if friction of this size (N s) is no more than a normal impulse (N s) allows: the contact sticks."""
    return size <= mu * push


@kernel
def cut(mu, push, t1, t2):
    """Friction (t1, t2) shortened to what a normal impulse allows."""
    square, most = t1 * t1 + t2 * t2, mu * push
    if rarely(square > most * most):
        share = most / math.sqrt(square)
        return t1 * share, t2 * share
    return t1, t2


@kernel
def target_shift(mu, slip):
    """By how much (m/s) a slip (m/s) raises the normal target, for projections to be the law (De Saxce and Feng 1998).
    """
    return mu * slip


@kernel
def project(z0, z1, z2, mu):
    """The nearest impulse within the cone, and its parts: (p, what it does, |t|); 0, STICKS inside, SLIPS on the edge.
    """
    t = math.sqrt(z1 * z1 + z2 * z2)
    if mu * t <= -z0:
        return 0.0, 0.0, 0.0, 0, t
    if t <= mu * z0:
        return z0, z1, z2, STICKS, t
    n = (z0 + mu * t) / (1.0 + mu * mu)
    if mu == 0.0:
        return n, 0.0, 0.0, SLIPS, t
    return n, mu * n * z1 / t, mu * n * z2 / t, SLIPS, t


@kernel
def project_slope(z0, z1, z2, mu, rho, d):
    """Derivative of `project`, times rho, into d (6, 6), which is 0; returns what the contact does.  Writes: d."""
    p0, _, _, kind, t = project(z0, z1, z2, mu)
    if kind == STICKS:
        d[0, 0] = d[1, 1] = d[2, 2] = rho
    elif kind == SLIPS:
        d[0, 0] = rho / (1.0 + mu * mu)
        if mu > 0.0:
            c, s, across = z1 / t, z2 / t, rho * mu * p0 / t
            along = mu * mu * d[0, 0]
            d[0, 1] = d[1, 0] = mu * c * d[0, 0]
            d[0, 2] = d[2, 0] = mu * s * d[0, 0]
            d[1, 1], d[2, 2] = along * c * c + across * s * s, along * s * s + across * c * c
            d[1, 2] = d[2, 1] = (along - across) * c * s
    return kind


@kernel
def project_in_turn(z0, z1, z2, mu):
    """The normal impulse made no pull, then friction shortened to what it allows."""
    push = max(z0, 0.0)
    slip = math.sqrt(z1 * z1 + z2 * z2)
    share = mu * push / slip if slip > mu * push else 1.0
    return push, share * z1, share * z2


@kernel
def project_in_turn_slope(z0, z1, z2, mu, d):
    """Derivative (3, 3) of `project_in_turn`, into d.  Writes: d."""
    d[:] = 0.0
    if z0 <= 0.0:
        return
    d[0, 0] = 1.0
    slip = math.sqrt(z1 * z1 + z2 * z2)
    if slip <= mu * z0:
        d[1, 1] = d[2, 2] = 1.0
        return
    c, s, across = z1 / slip, z2 / slip, mu * z0 / slip
    d[1, 0], d[2, 0] = mu * c, mu * s
    d[1, 1], d[2, 2] = across * s * s, across * c * c
    d[1, 2] = d[2, 1] = -across * c * s


# ---- one contact


@kernel
def respond(k, j):
    """K J"""
    return (k[0] * j[0] + k[1] * j[1] + k[2] * j[2],
            k[1] * j[0] + k[3] * j[1] + k[4] * j[2],
            k[2] * j[0] + k[4] * j[1] + k[5] * j[2])


@kernel
def stick(k, u, target):
    """Impulse after which the normal velocity is `target` and the slip is zero: Cholesky of K.

    Raises no error: K is positive definite for any body of positive mass; a rank-deficient K gives non-finite values.
    """
    l00 = math.sqrt(k[0])
    l10, l20 = k[1] / l00, k[2] / l00
    l11 = math.sqrt(k[3] - l10 * l10)
    l21 = (k[4] - l20 * l10) / l11
    l22 = math.sqrt(k[5] - l20 * l20 - l21 * l21)
    y0 = (target - u[0]) / l00
    y1 = (-u[1] - l10 * y0) / l11
    y2 = (-u[2] - l20 * y0 - l21 * y1) / l22
    z2 = y2 / l22
    z1 = (y1 - l21 * z2) / l11
    return (y0 - l10 * z1 - l20 * z2) / l00, z1, z2


@kernel
def _slip_state(k, u, gain, mu, c, s):
    """At slip direction t = (c, s): (misalignment t x w, w . t, denominator, slope of the misalignment by the angle).

    w is the final slip times the denominator D = K_nn - mu k.t; the law holds where w is parallel to t and D > 0.
    """
    kt = k[1] * c + k[2] * s
    kd = -k[1] * s + k[2] * c
    d = k[0] - mu * kt
    m1, m2 = k[3] * c + k[4] * s, k[4] * c + k[5] * s
    w1 = d * u[1] + gain * (k[1] - mu * m1)
    w2 = d * u[2] + gain * (k[2] - mu * m2)
    v1 = -mu * kd * u[1] - gain * mu * (-k[3] * s + k[4] * c)
    v2 = -mu * kd * u[2] - gain * mu * (-k[4] * s + k[5] * c)
    return c * w2 - s * w1, c * w1 + s * w2, d, c * v2 - s * v1 - (c * w1 + s * w2)


@kernel
def _turned(c, s, x):
    """Direction (c, s) turned by the angle whose tangent is x."""
    size = math.sqrt(1.0 + x * x)
    return (c - s * x) / size, (s + c * x) / size


@kernel
def _refine(k, u, gain, mu, c, s, sign):
    """Root of the misalignment in the sector that begins at direction (c, s), where it has this sign: Newton's method
    between bounds, which are halved where it leaves them or is slow."""
    low, high, x, last = 0.0, TAN, 0.5 * TAN, TAN
    for _ in range(HALVINGS):
        c1, s1 = _turned(c, s, x)
        f, _, _, slope = _slip_state(k, u, gain, mu, c1, s1)
        low, high = (x, high) if (f > 0.0) == sign else (low, x)
        step = -f * (1.0 + x * x) / slope if slope != 0.0 else math.inf
        if not low < x + step < high or abs(step) > 0.5 * last:
            step = 0.5 * (low + high) - x
        last = abs(step)
        x += step
        if last <= 0.1 * EXACT:
            break
    return _turned(c, s, x)


@kernel
def _newton(k, u, gain, mu, c, s):
    """Newton's method for the slip direction from (c, s); (0, 0) where it fails."""
    last = 0.0
    for _ in range(STEPS):
        f, along, d, slope = _slip_state(k, u, gain, mu, c, s)
        if slope == 0.0:
            break
        step = f / slope
        size = abs(step)
        if size > LARGEST:
            break
        c, s = _turned(c, s, -step)
        if size <= EXACT or size <= QUADRATIC * last and size * elementary.square(size / last) <= EXACT:
            if along >= 0.0 and d > 0.0:
                return c, s
            break
        last = size
    return 0.0, 0.0


@kernel
def slip_direction(k, u, gain, mu, c, s):
    """Direction of the final slip: Newton from the guess (c, s); where it fails, a scan of the circle for the nearest
    root, to both sides in turn; the guess where there is none."""
    c1, s1 = _newton(k, u, gain, mu, c, s)
    if c1 != 0.0 or s1 != 0.0:
        return c1, s1
    found = best = (c, s)
    nearest = -2.0
    up = down = (c, s)
    sign_up = sign_down = _slip_state(k, u, gain, mu, c, s)[0] > 0.0
    for i in range(SECTORS):
        if i % 2 == 0:
            if nearest > -2.0:
                break   # others are farther away
            first, sign = up, sign_up
            up = (up[0] * COS - up[1] * SIN, up[1] * COS + up[0] * SIN)
            sign_up = _slip_state(k, u, gain, mu, up[0], up[1])[0] > 0.0
            other = sign_up
        else:
            other = sign_down
            down = (down[0] * COS + down[1] * SIN, down[1] * COS - down[0] * SIN)
            sign_down = _slip_state(k, u, gain, mu, down[0], down[1])[0] > 0.0
            first, sign = down, sign_down
        if sign == other:
            continue
        found = _refine(k, u, gain, mu, first[0], first[1], sign)
        _, along, d, _ = _slip_state(k, u, gain, mu, found[0], found[1])
        near = c * found[0] + s * found[1]
        if along >= 0.0 and d > 0.0 and near > nearest:
            best, nearest = found, near
    return best


@kernel
def impulse_near(k, u, target, mu, j):
    """As contact_impulse, from an impulse j that is not far from it: its slip, if it slips, is tried first.  In the
    sweeps over many contacts the last one's is nearly right, and the scan of the circle, which costs ten times as much,
    is rarely needed."""
    gain = target - u[0]
    if not gain > 0.0:
        return 0.0, 0.0, 0.0
    if mu == 0.0:
        return gain / k[0], 0.0, 0.0
    sticking = stick(k, u, target)
    t = math.sqrt(sticking[1] * sticking[1] + sticking[2] * sticking[2])
    if sticking[0] > 0.0 and is_within(mu, sticking[0], t):
        return sticking
    c, s, size = 0.0, 0.0, math.sqrt(j[1] * j[1] + j[2] * j[2])
    if size > 0.0:
        c, s = _newton(k, u, gain, mu, -j[1] / size, -j[2] / size)
    if c == 0.0 and s == 0.0:
        c, s = -sticking[1], -sticking[2]
        if t == 0.0:
            c, s, t = u[1], u[2], math.sqrt(u[1] * u[1] + u[2] * u[2])
        c, s = (c / t, s / t) if t > 0.0 else (1.0, 0.0)
        c, s = slip_direction(k, u, gain, mu, c, s)
    d = k[0] - mu * (k[1] * c + k[2] * s)
    if not d > 0.0:
        return gain / k[0], 0.0, 0.0
    jn = gain / d
    return jn, -mu * jn * c, -mu * jn * s


@kernel
def contact_impulse(k, u, target, mu):
    """Impulse (N s, on b) of one contact.

    k (6,) 1/kg, u (3,) m/s before, target m/s: the normal velocity to reach (-e u_n for an impact, 0 at rest), mu.
    No impulse where the contact already separates at `target` or faster.  Otherwise stick if its impulse lies in the
    cone, else the impulse on the cone's edge that is opposed to the final slip.
    """
    return impulse_near(k, u, target, mu, (0.0, 0.0, 0.0))
