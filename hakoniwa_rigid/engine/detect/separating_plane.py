# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Planes that keep two convex shapes apart while they move: far cheaper than looking for the time at which they touch.

A point at r from the centre of mass of a body that moves with v and turns with w is, seen along a unit vector n and but
for its acceleration, at n.(x + v t) + (n + t n x w).r after t seconds: so a shape then reaches as far as its support
along n + t n x w.  Where n itself turns, at a rate u, all is seen from there: w - u for w, and u x n.x t on top.  What
accelerations add is bounded by their bound times t^2 / 2.  The gap along n that is left for sure is concave in t: open
at both ends of an interval, it is open all the way.
"""
import math

from ..constants import LOOK_WORK, TOI_GAP, TOUCH
from ..maths import quat
from ..maths.jit import kernel
from ..maths.vec3 import add, cross, dot, madd, norm, scale, sub
from ..model import layout as L
from ..model.convex import radius_of
from ..motion.bodies import FAR_TURN, pose_at, turning_work
from ..shapes.kinds import HALFSPACE, HULL
from .narrowphase import core
from .support import support

# accelerations grow by no more than this share of what they may be at all while nothing turns by more than FAR_TURN
GROWTH = 0.1
# an interval and its halves, and so on, in which a plane may be shown to separate two shapes
PARTS = 7
# steps towards the nearest points of two shapes, and the share of their distance at which it is known well enough
ROUNDS, KNOWN = 12, 0.1
# times the travel by which a direction of an earlier step has to part two shapes.  What is found without it may be less
# than their distance: along the separating axes of boxes by a factor of sqrt(3).
OLD_DIRECTION = 1.75


@kernel
def _rate_change(r, q, w, u):
    """Change of the rate w (rad/s^2) of the body with work row r and attitude q without torque, seen turning at rate u.

    Of a body with a full tensor, a bound.
    """
    across = cross(u, w)
    if r.inertia_storage == L.FULL:
        return dot(w, w) + norm(across)
    p = quat.rotate_back(q, w)
    own = r[L.W_C] * p[1] * p[2], r[L.W_C + 1] * p[2] * p[0], r[L.W_C + 2] * p[0] * p[1]
    return norm(sub(quat.rotate(q, own), across))


@kernel
def _strays(s, g, r, q, w, u, t):
    """Bound (m) on how far accelerations take a point of shape g within t seconds, seen turning at rate u (rad/s).

    q, w: attitude and rate of its body now, r the body's work row.  Twice the half of torques and forces, for
    integrators of first order; inf where anything turns too far for accelerations to stay what they are.
    """
    alpha = norm(r.torque) * (r[L.W_IW] + r[L.W_IW + 3] + r[L.W_IW + 5])
    rate = norm(w) + norm(u) + alpha * t
    if rate * t > FAR_TURN:
        return math.inf
    relative = sub(w, u)
    spin = dot(relative, relative) + _rate_change(r, q, w, u) + 2.0 * alpha + GROWTH * (rate * rate + alpha)
    return (norm(r.acceleration) + 0.5 * spin * s.geom[g].radius) * t * t


@kernel
def _reach_along(s, g, r, q, w, n, u, t):
    """How far (m) shape g may reach from its body's centre of mass along n in t seconds; r, q, w as for _strays.

    n: unit vector that turns at rate u.  A half-space reaches as far as its surface, n being its normal, u = 0.
    """
    f, d = s.geom[g], quat.rotate_back(q, madd(n, cross(n, sub(w, u)), t))
    far = dot(f.position, d)
    if s.geom_i[g].kind == HALFSPACE:
        return far
    shape, d = core(s, g), quat.rotate_back(f.attitude, d)
    far += dot(support(s.convex, shape, d, 0)[0], d) + radius_of(shape) * norm(d)
    return far + (_strays(s, g, r, q, w, u, t) if t > 0.0 else 0.0)


@kernel
def _gap_along(s, m, a, b, n, u, t):
    """Gap (m) of contact pair m as seen along n in t seconds, at least; a, b: its bodies now, as pose_at gives them.

    n: unit vector (a -> b) now, which turns at rate u (rad/s).
    """
    p = s.pair_i[m]
    (xa, qa, va, wa), (xb, qb, vb, wb) = a, b
    gap, turn = dot(n, madd(xb, vb, t)) - dot(n, madd(xa, va, t)), norm(u)
    if turn > 0.0:
        apart, speed = sub(xb, xa), sub(vb, va)
        # Coriolis and centripetal acceleration
        toward = -dot(n, cross(u, sub(cross(u, apart), scale(speed, 2.0))))
        toward = max(toward, 0.0) + GROWTH * turn * (turn * norm(apart) + norm(speed))
        gap += (dot(cross(u, n), apart) - 0.5 * toward * t) * t
    return (gap - _reach_along(s, p.shape_a, s.work[p.body_a], qa, wa, n, u, t)
            - _reach_along(s, p.shape_b, s.work[p.body_b], qb, wb, scale(n, -1.0), u, t))


@kernel
def _gap_now(s, m, a, b, n):
    """As _gap_along, now."""
    return _gap_along(s, m, a, b, n, (0.0, 0.0, 0.0), 0.0)


@kernel
def gap_along(s, m, n):
    """Gap (m) of contact pair m at its bodies' present work rows as seen along the unit vector n (a -> b)."""
    p = s.pair_i[m]
    ra, rb = s.work[p.body_a], s.work[p.body_b]
    return _gap_now(s, m, pose_at(ra, ra.time), pose_at(rb, rb.time), n)


@kernel
def gap_between(s, m, xa, qa, xb, qb, n):
    """As gap_along, with the bodies at xa, xb (m) and with principal-frame attitudes qa, qb."""
    still = 0.0, 0.0, 0.0
    return _gap_now(s, m, (xa, qa, still, still), (xb, qb, still, still), n)


@kernel
def gap_seen_at(s, m, n, t):
    """As gap_along, at time t (s in the step)."""
    p = s.pair_i[m]
    return _gap_now(s, m, pose_at(s.work[p.body_a], t), pose_at(s.work[p.body_b], t), n)


@kernel
def _is_open(s, m, a, b, n):
    """True if contact pair m is apart as seen along n now; a, b as for _gap_along."""
    return _gap_now(s, m, a, b, n) > -TOUCH


@kernel
def _ends_open(s, m, a, b, n, u, t):
    """As _is_open, in t seconds, while n turns at rate u (rad/s).  Writes: s.count."""
    s.count.work += LOOK_WORK
    return _gap_along(s, m, a, b, n, u, t) > TOI_GAP


@kernel
def _poses(s, m, t):
    """Both bodies of contact pair m at time t (s in the step), as pose_at gives them.  Writes: s.count."""
    p = s.pair_i[m]
    if s.count.joints > 0:
        s.count.work += turning_work(s.work[p.body_a], t) + turning_work(s.work[p.body_b], t)
    return pose_at(s.work[p.body_a], t), pose_at(s.work[p.body_b], t)


@kernel
def keeps_apart(s, m, n, u, start, end):
    """True if a plane separates the convex shapes of contact pair m from start to end (s in the step).

    n: its unit normal (a -> b) at the start; it turns at rate u (rad/s).  Writes: s.count."""
    a, b = _poses(s, m, start)
    return _ends_open(s, m, a, b, n, u, end - start) and _is_open(s, m, a, b, n)


@kernel
def _turn(s, m, before, after, interval):
    """Rate (rad/s) at which a plane between the bodies of contact pair m turns from one normal to another in `interval`
    s.

    About the normal it turns as they do: two that hang together hardly move as seen from there.
    """
    ra, rb = s.work[s.pair_i[m].body_a], s.work[s.pair_i[m].body_b]
    about = 0.0
    if ra.inverse_mass > 0.0 and rb.inverse_mass > 0.0:
        about = 0.5 * dot(before, add(ra.angular_velocity, rb.angular_velocity))
    return madd(scale(cross(before, after), 1.0 / interval), before, about)


@kernel
def apart_for(s, m, before, after, start, end, parts):
    """Seconds from `start` on in which a plane is sure to separate the shapes of contact pair m, or 0 if none is known
    to.

    Its normal is `before` at the start and would be `after` at the end; end - start is tried, then its half, and so on.
    Writes: s.count."""
    if dot(before, after) <= 0.0:
        return 0.0
    a, b = _poses(s, m, start)
    turn, part = _turn(s, m, before, after, end - start), end - start
    for _ in range(parts):
        if _ends_open(s, m, a, b, before, turn, part):
            return part if _is_open(s, m, a, b, before) else 0.0
        part *= 0.5
    return 0.0


@kernel
def apart_beside(s, m, n, start, end):
    """As apart_for, by planes that turn with one of the bodies: n (unit, a -> b, now) is normal to a face of it.
    Writes: s.count."""
    (a, b), part = _poses(s, m, start), end - start
    for _ in range(PARTS):
        if _ends_open(s, m, a, b, n, a[3], part) or _ends_open(s, m, a, b, n, b[3], part):
            return part if _is_open(s, m, a, b, n) else 0.0
        part *= 0.5
    return 0.0


@kernel
def _top(s, g, x, q, n):
    """Point (world) of the core of shape g, whose pose is x, q, farthest along n."""
    return add(x, quat.rotate(q, support(s.convex, core(s, g), quat.rotate_back(q, n), 0)[0]))


@kernel
def widest_gap(s, m, far):
    """(gap, n, known): m between the convex shapes of contact pair m as seen along a unit vector n (a -> b).

    Not much less than their distance, or more than `far`, where a few steps show that: of Gilbert (1966), each to the
    point nearest to the origin on the way to the next support point of b minus a.
    known: the gap is more than `far`, or they are no farther apart than OLD_DIRECTION times that for sure.
    """
    p = s.pair_i[m]
    (xa, qa), (xb, qb) = pose_of(s, p.shape_a, s.work[p.body_a]), pose_of(s, p.shape_b, s.work[p.body_b])
    round_off = radius_of(core(s, p.shape_a)) + radius_of(core(s, p.shape_b))
    v, best, found, length = sub(xb, xa), -math.inf, (0.0, 0.0, 0.0), 0.0
    # the middle of the box around a hull may lie outside it: how near the shapes are is not known from there
    centred = s.geom_i[p.shape_a].kind != HULL and s.geom_i[p.shape_b].kind != HULL
    for _ in range(ROUNDS):
        length = norm(v)
        if not length > round_off:
            break
        n = scale(v, 1.0 / length)
        w = sub(_top(s, p.shape_b, xb, qb, scale(n, -1.0)), _top(s, p.shape_a, xa, qa, n))
        gap = dot(n, w) - round_off
        if gap > best:
            best, found = gap, n
        way = sub(w, v)
        if best > far or length - round_off - best <= KNOWN * best or not dot(v, way) < 0.0:
            break
        v = madd(v, way, min(-dot(v, way) / dot(way, way), 1.0))
    return best, found, best > far or centred and length - round_off <= OLD_DIRECTION * far


@kernel
def pose_of(s, g, r):
    """Position (m) and attitude of shape g of the body with work row r."""
    f, q = s.geom[g], r.attitude
    return add(r.position, quat.rotate(q, f.position)), quat.mul(q, f.attitude)
