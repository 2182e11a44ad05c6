# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Where body and floor touch: Newton's method on (12) of docs/smooth_floor.md, and how that point moves, (15).

Where they are apart, the unknowns are a point s of the floor and the gap d: G(s) = 0, H(s + d n) = 0, and the unit
normals there add up to zero.  With d = 0 this is (12).
"""
from ..engine.maths.jit import kernel
from ..engine.maths.vec3 import add, cross, dot, madd, norm, scale, sub, sym_mul, tangents
from . import layout as L
from .body_kernels import body_shape
from .floor_kernels import floor_shape

# Newton's method squares its error: of a change this small, in sizes of the body, what is left is rounding
CHANGE = 1e-9
ROUNDS = 60
# residual, in sizes and radians, below which more rounds are not asked to lower it
ROUNDED = 1e-12
# longest change in one round, in sizes of the body
LONGEST = 0.5
# a share of Newton's step below which it is not halved any more: the step is too short to be too long
LEAST_SHARE = 1e-3
# a pivot that small is none
SINGULAR = 1e-13


@kernel
def solve(a, n):
    """Gauss's elimination on rows of a (n, n + 1), in place; the solution is the last column.  False if singular.
    Writes: a."""
    for c in range(n):
        best = c
        for r in range(c + 1, n):
            if abs(a[r, c]) > abs(a[best, c]):
                best = r
        if not abs(a[best, c]) > SINGULAR:
            return False
        for j in range(n + 1):
            a[c, j], a[best, j] = a[best, j], a[c, j]
        for r in range(n):
            if r != c:
                f = a[r, c] / a[c, c]
                for j in range(c, n + 1):
                    a[r, j] -= f * a[c, j]
    for c in range(n):
        a[c, n] /= a[c, c]
    return True


@kernel
def turn(n, hessian, steep, v):
    """Change of a unit normal n along v: (1 - n n^T) Hessian v / |gradient|."""
    u = scale(sym_mul(hessian, v), 1.0 / steep)
    return madd(u, n, -dot(n, u))


@kernel
def _column(a, c, e, n, m, floor_turn, body_turn, t1, t2, g):
    """One column of Newton's matrix: e is the change of the point, g the change of G over |grad G|.  Writes: a."""
    a[0, c], a[1, c] = g, dot(m, e)
    both = add(floor_turn, body_turn)
    a[2, c], a[3, c] = dot(t1, both), dot(t2, both)


@kernel
def touch(s, floor, body, t, x, q, point, gap):
    """(status, point of the floor m, gap m) from a guess; world frame.  Writes: s.matrix."""
    size = s.par[L.P_SIZE]
    a, base, base_gap, step, step_gap, last, share = s.matrix, point, gap, (0.0, 0.0, 0.0), 0.0, 1e300, 1.0
    for _ in range(ROUNDS):
        value, gradient, hessian = floor_shape(s.floor, floor, t, point)
        steep = norm(gradient)
        n = scale(gradient, 1.0 / steep)
        h, h_gradient, h_hessian = body_shape(s, body, x, q, madd(point, n, gap))
        h_steep = norm(h_gradient)
        m = scale(h_gradient, 1.0 / h_steep)
        off = add(n, m)
        residual = max(abs(value) / (steep * size), abs(h) / (h_steep * size), norm(off))
        if not residual <= 1e100:
            return L.NO_CONTACT, point, gap
        if residual > last and residual > ROUNDED and share > LEAST_SHARE:
            share *= 0.5        # too far: Newton's direction, half the way
        else:
            t1, t2 = tangents(n)
            for c in range(3):
                e = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
                bend = turn(n, hessian, steep, e)
                moved = madd(e, bend, gap)
                _column(a, c, moved, n, m, bend, turn(m, h_hessian, h_steep, moved), t1, t2, n[c])
            _column(a, 3, n, n, m, (0.0, 0.0, 0.0), turn(m, h_hessian, h_steep, n), t1, t2, 0.0)
            a[0, 4], a[1, 4], a[2, 4], a[3, 4] = -value / steep, -h / h_steep, -dot(t1, off), -dot(t2, off)
            # lengths in sizes of the body: the pivots have no unit
            for c in range(4):
                a[2, c], a[3, c] = a[2, c] * size, a[3, c] * size
            a[2, 4], a[3, 4] = a[2, 4] * size, a[3, 4] * size
            if residual == 0.0:
                return L.OK, point, gap
            if not solve(a, 4):
                return L.TOO_FLAT, point, gap
            step, step_gap = (a[0, 4], a[1, 4], a[2, 4]), a[3, 4]
            base, base_gap, last = point, gap, residual
            longest = max(norm(step), abs(step_gap))
            share = min(1.0, LONGEST * size / longest) if longest > 0.0 else 1.0
        point, gap = madd(base, step, share), base_gap + share * step_gap
        if share == 1.0 and max(norm(step), abs(step_gap)) <= CHANGE * size:
            return (L.OK if dot(n, m) < 0.0 else L.NO_CONTACT), point, gap
    return L.NO_CONTACT, point, gap


@kernel
def point_velocity(s, n, steep, hessian, m, h_steep, h_hessian, g_t, gradient_t, v, w, arm):
    """(whether there is one, velocity of the contact point m/s): (15) with its signs, G over |grad G|.

    arm: from the centre of mass to the contact.  Writes: s.matrix."""
    a = s.matrix
    for c in range(3):
        e = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
        column = madd(scale(add(turn(n, hessian, steep, e), turn(m, h_hessian, h_steep, e)), s.par[L.P_SIZE]), n, n[c])
        a[0, c], a[1, c], a[2, c] = column
    floor_part = scale(madd(gradient_t, n, -dot(n, gradient_t)), 1.0 / steep)
    body_part = sub(cross(w, m), turn(m, h_hessian, h_steep, add(v, cross(w, arm))))
    right = madd(scale(add(floor_part, body_part), s.par[L.P_SIZE]), n, g_t / steep)
    a[0, 3], a[1, 3], a[2, 3] = -right[0], -right[1], -right[2]
    good = solve(a, 3)
    return good, (a[0, 3], a[1, 3], a[2, 3])


@kernel
def curvatures(n, steep, hessian, m, h_steep, h_hessian):
    """Curvatures (1/m) of body and floor along the direction in which they differ least.

    Positive where the surface bends away from the other one.  The body rests on a point where their sum is positive.
    """
    t1, t2 = tangents(n)
    f1, f2 = turn(n, hessian, steep, t1), turn(n, hessian, steep, t2)
    b1, b2 = turn(m, h_hessian, h_steep, t1), turn(m, h_hessian, h_steep, t2)
    xx, xy, yy = dot(t1, add(f1, b1)), dot(t1, add(f2, b2)), dot(t2, add(f2, b2))
    low = 0.5 * (xx + yy) - norm((0.5 * (xx - yy), xy, 0.0))
    # the eigenvector of the smaller eigenvalue, from the better row
    c, d = (xy, low - xx) if abs(low - xx) > abs(low - yy) else (low - yy, xy)
    length = norm((c, d, 0.0))
    c, d = (1.0, 0.0) if length == 0.0 else (c / length, d / length)
    e = madd(scale(t1, c), t2, d)
    return dot(e, madd(scale(b1, c), b2, d)), dot(e, madd(scale(f1, c), f2, d))
