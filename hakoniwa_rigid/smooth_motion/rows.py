# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The constraint B Omega + b = 0 and its multiplier, as accelerations and the floor's force (docs/smooth_floor.md).

lambda = -(B mu^-1 B^T)^-1 [B' Omega + b' + B mu^-1 (Phi - mu' Omega)].  Sliding has the row grad G^T [1, -r x], rolling
the three rows [1, -r x], r from the centre of mass to the contact.  With K = [1, -r x] mu^-1 [1, -r x]^T and w the
acceleration that the touching material would have relative to the floor's without a force there, rolling is F = -K^-1 w
and sliding F = N (n - mu e), N from the row along n; e is the direction of the slip, mu 0 if there is no friction.
"""
from ..engine.maths import quat
from ..engine.maths.jit import kernel
from ..engine.maths.quat import load4
from ..engine.maths.vec3 import add, cross, dot, load3, madd, norm, scale, store3, sub, sym_mul
from . import layout as L
from .body_kernels import body_shape
from .floor_kernels import floor_rates, floor_shape, velocity_change
from .touch import point_velocity, solve, touch

# m/s: a slip that has no direction of its own
STILL = 1e-12


@kernel
def inertias(s, q):
    """(I_w, I_w^-1) as (xx, xy, xz, yy, yz, zz)."""
    turned, moments = quat.mul(q, load4(s.par, L.P_FRAME)), load3(s.par, L.P_MOMENTS)
    inverse = (1.0 / moments[0], 1.0 / moments[1], 1.0 / moments[2])
    return quat.similarity(turned, moments), quat.similarity(turned, inverse)


@kernel
def answer(s, inverse, r, f):
    """K f: acceleration at the arm r that the force f there gives."""
    return madd(cross(sym_mul(inverse, cross(r, f)), r), f, 1.0 / s.par[L.P_MASS])


@kernel
def holding(s, inverse, r, w):
    """(whether there is one, the force f with K f = -w).  Writes: s.matrix."""
    a = s.matrix
    for c in range(3):
        e = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
        column = scale(answer(s, inverse, r, e), s.par[L.P_MASS])
        a[0, c], a[1, c], a[2, c] = column
        a[c, 3] = -w[c] * s.par[L.P_MASS]
    good = solve(a, 3)
    return good, (a[0, 3], a[1, 3], a[2, 3])


@kernel
def drag_direction(s, slip):
    """The slip's direction; the step's own where it is kept, or where the slip has none or has just turned round."""
    e, size = load3(s.drag, L.D_E), norm(slip)
    if s.drag[L.D_KEPT] != L.TURNS or size <= STILL or dot(slip, e) <= 0.0:
        return e
    return scale(slip, 1.0 / size)


@kernel
def _without(s, inertia, inverse, w):
    """Accelerations without the floor: (v', omega')."""
    free = madd(load3(s.par, L.P_GRAVITY), load3(s.load[0], 0), 1.0 / s.par[L.P_MASS])
    return free, sym_mul(inverse, sub(load3(s.load[1], 0), cross(w, sym_mul(inertia, w))))


@kernel
def evaluate(s, floor, body, t, y, state):
    """Status, and into s.out: accelerations, the floor's force and what belongs to it, at the state y.

    y's contact point is a guess that is made exact here; its velocity is found.  Writes: s.matrix, s.out, y."""
    x, q, v, w = load3(y, L.Y_X), quat.normalised(load4(y, L.Y_Q)), load3(y, L.Y_V), load3(y, L.Y_W)
    out = s.out
    inertia, inverse = inertias(s, q)
    a, alpha = _without(s, inertia, inverse, w)
    store3(out, L.O_A, a)
    store3(out, L.O_ALPHA, alpha)
    store3(out, L.O_FORCE, (0.0, 0.0, 0.0))
    out[L.O_N] = out[L.O_LAMBDA] = out[L.O_VIOLATION] = 0.0
    if state == L.FREE:
        return L.OK
    status, point, gap = touch(s, floor, body, t, x, q, load3(y, L.Y_S), y[L.Y_GAP])
    if status != L.OK:
        return status
    g, gradient, hessian = floor_shape(s.floor, floor, t, point)
    steep = norm(gradient)
    n = scale(gradient, 1.0 / steep)
    g_t, gradient_t, g_tt, u = floor_rates(s.floor, t, point, gradient, hessian)
    there = madd(point, n, gap)
    h, h_gradient, h_hessian = body_shape(s, body, x, q, there)
    h_steep = norm(h_gradient)
    r, r_body = sub(point, x), sub(there, x)
    good, dx = point_velocity(s, n, steep, hessian, scale(h_gradient, 1.0 / h_steep), h_steep, h_hessian, g_t,
                              gradient_t, v, w, r_body)
    if not good:
        return L.TOO_FLAT
    store3(y, L.Y_S, point)
    y[L.Y_GAP] = gap
    store3(y, L.Y_S_DOT, dx)
    material = add(v, cross(w, r))
    slip = sub(material, u)
    store3(out, L.O_NORMAL, n)
    out[L.O_STEEP] = steep
    store3(out, L.O_SLIP, madd(slip, n, -dot(n, slip)))
    # of the touching material without a force: B' Omega + B mu^-1 (Phi - mu' Omega)
    rest = add(add(a, cross(alpha, r)), cross(w, sub(dx, v)))
    if state == L.ROLL:
        out[L.O_VIOLATION] = norm(slip)
        good, force = holding(s, inverse, r, sub(rest, velocity_change(s.floor, t, point, dx)))
        if not good:
            return L.JAMMED
    else:
        out[L.O_VIOLATION] = abs(dot(n, material) + g_t / steep)
        e = (0.0, 0.0, 0.0)
        if s.flag[L.I_MODE] == L.COULOMB and s.par[L.P_MU] > 0.0:
            e = drag_direction(s, load3(out, L.O_SLIP))
        wanted = dot(gradient, rest) + dot(add(gradient_t, sym_mul(hessian, dx)), material) + g_tt + dot(gradient_t, dx)
        along = madd(n, e, -s.par[L.P_MU])
        ease = dot(n, answer(s, inverse, r, along))
        # friction that would press the body into the floor harder than it resists
        if not ease > 0.0:
            return L.JAMMED
        force = scale(along, -wanted / (steep * ease))
    out[L.O_N] = dot(n, force)
    out[L.O_LAMBDA] = out[L.O_N] / steep
    store3(out, L.O_FORCE, force)
    store3(out, L.O_A, madd(a, force, 1.0 / s.par[L.P_MASS]))
    store3(out, L.O_ALPHA, add(alpha, sym_mul(inverse, cross(r, force))))
    return L.OK
