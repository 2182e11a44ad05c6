# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bodies H(X) <= 0 as numbers: H, its gradient and Hessian (xx, xy, xz, yy, yz, zz) in the shape's frame and in world.
"""
import math

from ..engine.maths import elementary
from ..engine.maths.jit import kernel
from ..engine.maths.quat import rotate, rotate_back, similarity_tensor
from ..engine.maths.vec3 import add, load3, sub
from . import layout as L

# |x/a|^p + |y/b|^p below which a point counts as on the axis z: its powers would leave the range of a double
ON_AXIS = 1e-150


@kernel
def _power(x, a, p):
    """|x/a|^p and its two derivatives."""
    u = abs(x) / a
    value, first, second = elementary.powers(u, p)
    return value, math.copysign(p * first / a, x), p * (p - 1.0) * second / (a * a)


@kernel
def _superquadric(p, x):
    e1, e2 = p[L.B_EXPONENTS], p[L.B_EXPONENTS + 1]
    fx, dx, ddx = _power(x[0], p[L.B_AXES], 2.0 / e2)
    fy, dy, ddy = _power(x[1], p[L.B_AXES + 1], 2.0 / e2)
    fz, dz, ddz = _power(x[2], p[L.B_AXES + 2], 2.0 / e1)
    k, u = e2 / e1, fx + fy
    if k == 1.0:
        return u + fz - 1.0, (dx, dy, dz), (ddx, 0.0, 0.0, ddy, 0.0, ddz)
    if u < ON_AXIS:
        return fz - 1.0, (0.0, 0.0, dz), (0.0, 0.0, 0.0, 0.0, 0.0, ddz)
    first = k * elementary.power(u, k - 1.0)
    second = (k - 1.0) * first / u
    return (elementary.power(u, k) + fz - 1.0, (first * dx, first * dy, dz),
            (second * dx * dx + first * ddx, second * dx * dy, 0.0, second * dy * dy + first * ddy, 0.0, ddz))


@kernel
def own_body(p, custom, x):
    """(H, gradient, Hessian) in the shape's frame."""
    if p[L.B_KIND] == L.ELLIPSOID:
        a, b, c = load3(p, L.B_AXES)
        u, v, w = x[0] / a, x[1] / b, x[2] / c
        return (u * u + v * v + w * w - 1.0, (2.0 * u / a, 2.0 * v / b, 2.0 * w / c),
                (2.0 / (a * a), 0.0, 0.0, 2.0 / (b * b), 0.0, 2.0 / (c * c)))
    if p[L.B_KIND] == L.SUPERQUADRIC:
        return _superquadric(p, x)
    h, hx, hy, hz, xx, yy, zz, xy, xz, yz = custom(0.0, x[0], x[1], x[2])
    return h, (hx, hy, hz), (xx, xy, xz, yy, yz, zz)


@kernel
def body_shape(s, custom, x, q, point):
    """(H, gradient, Hessian) at a point of the world, of the body with centre of mass x and attitude q."""
    own = add(rotate_back(q, sub(point, x)), load3(s.par, L.P_COM))
    h, gradient, hessian = own_body(s.body, custom, own)
    return h, rotate(q, gradient), similarity_tensor(q, hessian)
