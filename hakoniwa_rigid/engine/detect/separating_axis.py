# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Separating axis: one direction along which bodies or shapes are apart is the cheapest proof that they do not touch.

Most pairs need no other.

The direction is the normal of the least gap when the pair was last looked at closely; of a half-space its own.  A shape
reaches along it no farther than the box around it (a cylinder no farther than itself) and no farther than its ball.
"""
import math

from ..maths import quat
from ..maths.jit import kernel
from ..maths.vec3 import add, dot, scale, sub
from ..motion.states import attitude, position
from ..shapes.kinds import CYLINDER, HALFSPACE


@kernel
def _shape_reach(s, g, d):
    """How far (m) shape g reaches from its body's centre of mass along the unit vector d of the body, at most."""
    f = s.geom[g]
    e, half = quat.rotate_back(f.attitude, d), f.half_sides
    if s.geom_i[g].kind == CYLINDER:
        far = math.sqrt(e[0] * e[0] + e[1] * e[1]) * half[0] + abs(e[2]) * half[2]
    else:
        far = min(abs(e[0]) * half[0] + abs(e[1]) * half[1] + abs(e[2]) * half[2], f.extent)
    return dot(f.position, d) + far


@kernel
def _reach(s, b, first, end, n):
    """How far (m) shapes first .. end - 1 of body b reach from its centre of mass along the unit vector n, at most."""
    d, far = quat.rotate_back(attitude(s, b), n), -math.inf
    for g in range(first, end):
        far = max(far, _shape_reach(s, g, d))
    return far


@kernel
def over(s, plane, b, first, end):
    """m between half-space `plane` and shapes first .. end - 1 of body b, at least; no more than rounding less for
    spheres, boxes and cylinders."""
    fixed, f = s.geom_i[plane].body, s.geom[plane]
    q = attitude(s, fixed)
    n = quat.rotate(quat.mul(q, f.attitude), f.dimensions)
    origin = add(position(s, fixed), quat.rotate(q, f.position))
    return dot(n, sub(position(s, b), origin)) - _reach(s, b, first, end, scale(n, -1.0))


@kernel
def separated(s, a, b, n, travel):
    """True if two lots of shapes are apart by more than `travel` m along n (unit, a -> b; 0: no direction is known).

    a, b: (body, its first shape, the one after the last).
    """
    ta, tb = s.geom_i[a[1]].kind, s.geom_i[b[1]].kind
    if tb == HALFSPACE:
        return over(s, b[1], a[0], a[1], a[2]) > travel
    if ta == HALFSPACE:
        return over(s, a[1], b[0], b[1], b[2]) > travel
    if n[0] == n[1] == n[2] == 0.0:
        return False
    d = dot(n, sub(position(s, b[0]), position(s, a[0])))
    return d - _reach(s, a[0], a[1], a[2], n) - _reach(s, b[0], b[1], b[2], scale(n, -1.0)) > travel
