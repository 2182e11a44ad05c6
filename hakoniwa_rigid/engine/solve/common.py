# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What every contact solver does: velocity of a row, applying an impulse, one Gauss-Seidel sweep over an island."""
from ..constants import APPROACH, LEFT_TO_REST, ROW_WORK, STILL
from ..contact.coulomb import impulse_near, respond
from ..contact.frame import has_moments, relative_velocity, to_world
from ..maths.jit import always_inline, kernel
from ..maths.vec3 import add, cross, load3, madd, norm, scale, store3, sub, sym_mul
from ..model import layout as L
from .moments import solve_moments


@kernel
def faint(s):
    """Speed (m/s) below which touching surfaces neither approach nor part: what a solve may leave."""
    return max(APPROACH, LEFT_TO_REST * STILL * s.par.dt)


@kernel
def exhausted(s):
    """True if what is being solved has cost what it may."""
    return s.count.work > s.count.work_limit


@kernel
def surface_speed(s, i, v, w):
    """Bound on the speed of body i's surface, from two columns of its work row: a velocity and a rate, or ways."""
    r = s.work[i]
    return norm(load3(r, v)) + norm(load3(r, w)) * s.anchor[i].radius


@kernel
def kick(body, arm, p, v, w):
    """Add the impulse p (N s, world) at `arm` from the centre of mass to the velocity columns v, w of a work row.
    Writes: body."""
    im = body.inverse_mass
    if im == 0.0:
        return
    iw = (body[L.W_IW], body[L.W_IW + 1], body[L.W_IW + 2], body[L.W_IW + 3], body[L.W_IW + 4], body[L.W_IW + 5])
    store3(body, v, madd(load3(body, v), p, im))
    store3(body, w, add(load3(body, w), sym_mul(iw, cross(arm, p))))


@always_inline
def apply(ra, rb, r, j, v, w):
    """Impulse j (contact frame) on b, its opposite on a.  Writes: ra, rb."""
    p = to_world(r, j)
    kick(rb, r.arm_b, p, v, w)
    kick(ra, r.arm_a, scale(p, -1.0), v, w)


@kernel
def stiffness(r):
    return r.normal_inverse_mass, r[L.R_K + 1], r[L.R_K + 2], r[L.R_K + 3], r[L.R_K + 4], r[L.R_K + 5]


@kernel
def solve_row(ra, rb, r, v, w, cap):
    """Solve one row exactly, all others held, its impulse at most `cap` (N s).

    Returns the change of its velocity (m/s).  Writes: ra, rb, r."""
    k, j = stiffness(r), r.impulse
    u = sub(relative_velocity(ra, rb, r, v, w), respond(k, j))
    new = impulse_near(k, u, r.target_velocity, r.friction, j)
    if new[0] > cap:
        new = scale(new, cap / new[0])
    change = sub(new, j)
    if change[0] == 0.0 and change[1] == 0.0 and change[2] == 0.0:
        return 0.0
    r.impulse = new
    apply(ra, rb, r, change, v, w)
    d = respond(k, change)
    return max(abs(d[0]), max(abs(d[1]), abs(d[2])))


@kernel
def sweep(s, pairs, v, w):
    """One Gauss-Seidel sweep over the rows of the pairs; returns the largest change of velocity (m/s).
    Writes: s.count, s.row, s.work."""
    worst = 0.0
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        ra, rb = s.work[p.body_a], s.work[p.body_b]
        s.count.work += ROW_WORK * p.point_count
        for c in range(p.point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            worst = max(worst, solve_row(ra, rb, r, v, w, s.par.impulse_cap))
            if has_moments(r):
                worst = max(worst, solve_moments(ra, rb, r, w))
    return worst


@kernel
def speed_scale(s, bodies, v, w):
    """Largest component (m/s, rad/s) of the bodies' velocities: what rounding is relative to."""
    speed = 0.0
    for i in range(len(bodies)):
        r = s.work[bodies[i]]
        for f in range(3):
            speed = max(speed, max(abs(r[v + f]), abs(r[w + f])))
    return speed
