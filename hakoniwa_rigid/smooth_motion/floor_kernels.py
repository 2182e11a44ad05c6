# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Floors G(t, x) <= 0 as numbers: G, its gradient and Hessian, their rates, and how the floor's material moves.

A floor's own frame may move: X goes to c(t) + R(t) (X - centre).  Hessians as (xx, xy, xz, yy, yz, zz).
"""

from ..engine.maths import elementary
from ..engine.maths.entries import entry
from ..engine.maths.jit import kernel
from ..engine.maths.quat import rotate, rotate_back, similarity_tensor
from ..engine.maths.vec3 import add, cross, dot, load3, madd, norm, scale, store3, sub, sym_mul
from . import layout as L

# in radii: nearer to its centre or axis than this a sphere or cylinder has no normal of its own
LEAST_ARM = 1e-12


@kernel
def _round(side, radius, arm, across):
    """Distance from a centre or axis: `arm` from it to the point, `across` the projector on the arm's space."""
    length = max(norm(arm), LEAST_ARM * radius)
    n = scale(arm, 1.0 / length)
    s = side / length
    hessian = (s * (across[0] - n[0] * n[0]), s * (across[1] - n[0] * n[1]), s * (across[2] - n[0] * n[2]),
               s * (across[3] - n[1] * n[1]), s * (across[4] - n[1] * n[2]), s * (across[5] - n[2] * n[2]))
    return side * (length - radius), scale(n, side), hessian


@kernel
def _wave(p, t, x):
    """A sin and A cos of the phase."""
    phase = p[L.F_P + 1] * x[0] + p[L.F_P + 2] * x[1] + p[L.F_P + 3] - p[L.F_P + 4] * t
    return p[L.F_P] * elementary.sin(phase), p[L.F_P] * elementary.cos(phase)


@kernel
def own_shape(p, custom, t, x):
    """(G, gradient, Hessian) in the floor's own frame."""
    kind, flat = p[L.F_KIND], (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if kind == L.PLANE:
        n = load3(p, L.F_P)
        return dot(n, x) - p[L.F_P + 3], n, flat
    if kind == L.SPHERE:
        return _round(p[L.F_P + 1], p[L.F_P], sub(x, load3(p, L.F_P + 2)), (1.0, 0.0, 0.0, 1.0, 0.0, 1.0))
    if kind == L.CYLINDER:
        a, arm = load3(p, L.F_P + 2), sub(x, load3(p, L.F_P + 5))
        across = (1.0 - a[0] * a[0], -a[0] * a[1], -a[0] * a[2], 1.0 - a[1] * a[1], -a[1] * a[2], 1.0 - a[2] * a[2])
        return _round(p[L.F_P + 1], p[L.F_P], madd(arm, a, -dot(a, arm)), across)
    if kind == L.PARABOLOID:
        kx, ky = p[L.F_P], p[L.F_P + 1]
        return (x[2] - 0.5 * (kx * x[0] * x[0] + ky * x[1] * x[1]), (-kx * x[0], -ky * x[1], 1.0),
                (-kx, 0.0, 0.0, -ky, 0.0, 0.0))
    if kind == L.SINE:
        s, c = _wave(p, t, x)
        kx, ky = p[L.F_P + 1], p[L.F_P + 2]
        return x[2] - s, (-kx * c, -ky * c, 1.0), (kx * kx * s, kx * ky * s, 0.0, ky * ky * s, 0.0, 0.0)
    g, gx, gy, gz, xx, yy, zz, xy, xz, yz = custom(0.0, x[0], x[1], x[2])
    return g, (gx, gy, gz), (xx, xy, xz, yy, yz, zz)


@kernel
def _own_rates(p, t, x):
    """(G_t, grad G_t, G_tt, material velocity, its rate, strain): velocity gradient = (0, 0, strain)^T."""
    zero = (0.0, 0.0, 0.0)
    if p[L.F_KIND] == L.SINE and p[L.F_P + 4] != 0.0:
        s, c = _wave(p, t, x)
        rate, k = p[L.F_P + 4], (p[L.F_P + 1], p[L.F_P + 2], 0.0)
        tilt = scale(k, rate * s)
        return (rate * c, scale(tilt, -1.0), rate * rate * s, (0.0, 0.0, -rate * c), (0.0, 0.0, -rate * rate * s), tilt)
    if p[L.F_KIND] == L.CUSTOM:
        return 0.0, zero, 0.0, load3(p, L.F_P), zero, zero
    return 0.0, zero, 0.0, zero, zero, zero


@kernel
def _frame(p, t):
    """(c, c', c'', quaternion, rate, rate') of the floor's frame: where `centre` is, and the turn about it."""
    s, w = load3(p, L.F_SWAY), p[L.F_SWAY_RATE]
    c = madd(madd(load3(p, L.F_CENTRE), load3(p, L.F_VELOCITY), t), s, elementary.sin(w * t))
    speed = madd(load3(p, L.F_VELOCITY), s, w * elementary.cos(w * t))
    axis, tilt, f = load3(p, L.F_AXIS), p[L.F_TILT], p[L.F_TILT_RATE]
    half = 0.5 * (p[L.F_ANGLE] + p[L.F_RATE] * t + tilt * elementary.sin(f * t))
    sine = elementary.sin(half)
    return (c, speed, scale(s, -w * w * elementary.sin(w * t)),
            (elementary.cos(half), axis[0] * sine, axis[1] * sine, axis[2] * sine),
            scale(axis, p[L.F_RATE] + tilt * f * elementary.cos(f * t)),
            scale(axis, -tilt * f * f * elementary.sin(f * t)))


@kernel
def floor_shape(p, custom, t, x):
    """(G, gradient, Hessian) at a point of the world."""
    if p[L.F_MOVES] == 0.0:
        return own_shape(p, custom, t, x)
    c, _, _, q, _, _ = _frame(p, t)
    g, gradient, hessian = own_shape(p, custom, t, add(rotate_back(q, sub(x, c)), load3(p, L.F_CENTRE)))
    return g, rotate(q, gradient), similarity_tensor(q, hessian)


@kernel
def floor_rates(p, t, x, gradient, hessian):
    """(G_t, grad G_t, G_tt, material velocity) at a point of the world.

    The frame carries G with the velocity field w: G_t = G0_t - grad G . w, and so on for the others.
    """
    if p[L.F_MOVES] == 0.0:
        g_t, gradient_t, g_tt, u, _, _ = _own_rates(p, t, x)
        return g_t, gradient_t, g_tt, u
    c, speed, acceleration, q, spin, spin_rate = _frame(p, t)
    arm = sub(x, c)
    w = add(speed, cross(spin, arm))
    w_t = add(acceleration, sub(cross(spin_rate, arm), cross(spin, speed)))
    own_t, own_gradient_t, own_tt, own_u, _, _ = _own_rates(p, t, add(rotate_back(q, arm), load3(p, L.F_CENTRE)))
    own_gradient_t = rotate(q, own_gradient_t)
    gradient_t = add(sub(cross(spin, gradient), sym_mul(hessian, w)), own_gradient_t)
    g_tt = own_tt - dot(own_gradient_t, w) - dot(gradient_t, w) - dot(gradient, w_t)
    return own_t - dot(gradient, w), gradient_t, g_tt, add(w, rotate(q, own_u))


@kernel
def velocity_change(p, t, x, dx):
    """d/dt of the material velocity along a path: u_t + (grad u) dx."""
    if p[L.F_MOVES] == 0.0:
        _, _, _, _, u_t, strain = _own_rates(p, t, x)
        return u_t[0], u_t[1], u_t[2] + dot(strain, dx)
    c, speed, acceleration, q, spin, spin_rate = _frame(p, t)
    arm = sub(x, c)
    w = add(speed, cross(spin, arm))
    _, _, _, u, u_t, strain = _own_rates(p, t, add(rotate_back(q, arm), load3(p, L.F_CENTRE)))
    own = rotate(q, (u_t[0], u_t[1], u_t[2] + dot(strain, rotate_back(q, sub(dx, w)))))
    carried = add(cross(spin_rate, arm), cross(spin, sub(dx, speed)))
    return add(add(acceleration, carried), add(cross(spin, rotate(q, u)), own))


@entry
def floor_at(p, custom, t, x, out):
    """All of it at a point, into out: G, gradient, Hessian, G_t, its gradient, G_tt, u, u_t, columns of grad u.
    Writes: out."""
    point = load3(x, 0)
    out[0], gradient, hessian = floor_shape(p, custom, t, point)
    store3(out, 1, gradient)
    for i in range(6):
        out[4 + i] = hessian[i]
    out[10], gradient_t, out[14], u = floor_rates(p, t, point, gradient, hessian)
    store3(out, 11, gradient_t)
    store3(out, 15, u)
    still = velocity_change(p, t, point, (0.0, 0.0, 0.0))
    store3(out, 18, still)
    store3(out, 21, sub(velocity_change(p, t, point, (1.0, 0.0, 0.0)), still))
    store3(out, 24, sub(velocity_change(p, t, point, (0.0, 1.0, 0.0)), still))
    store3(out, 27, sub(velocity_change(p, t, point, (0.0, 0.0, 1.0)), still))
