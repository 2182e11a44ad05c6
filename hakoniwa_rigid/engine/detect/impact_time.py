# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""When a pair that is apart touches within the step: conservative advancement closed by Newton and regula falsi.

While the gap is large, time advances by gap / (bound on the closing speed), which cannot step over a contact (Mirtich
1996).  Close by, Newton's step gap / closing speed converges quadratically; a step too far brackets the root.
"""
import math

import numpy as np

from ..constants import APPROACH, LEAST_DIVISOR, LOOK_WORK, TOI_GAP, TOI_MAX_EVALUATIONS, TOI_NEWTON_GAP, TOUCH
from ..maths import elementary, quat
from ..maths.jit import kernel
from ..maths.vec3 import add, cross, dot, load3, norm, scale, sub
from ..model import layout as L
from ..model.convex import radius_of
from ..motion.bodies import pose_at, turning_work
from ..shapes.kinds import HALFSPACE, MESH, TRIANGLE
from .manifold import least_gap
from .narrowphase import collide, core
from .pairs_mesh import NO_CONTACT
from .separating_plane import PARTS, apart_beside, apart_for, gap_seen_at, keeps_apart
from .support import support
from .travel import frame_rate, on_mesh, seen_from, spin_growth, spin_speed, thickness

NOTHING = (0.0, 0.0, 0.0)
# Share of the interval by which the search moves on at least while the surfaces separate, and m: it moves on farther
# where no corner can come in and leave again by more than this depth meanwhile.
# m/s^2: accelerations are taken for no less than this, else a body at rest would be searched in one leap.
SHORTEST_ADVANCE, GRAZE, LEAST_ACCELERATION = 1e-3, 1e-7, 1e-3
# share of the bound on the closing speed below which Newton's step may lead far astray, and the share of it in which a
# plane is then asked to separate the shapes
SLOW, ALMOST = 1e-3, 0.9
# Newton steps for one row, and the rows looked at
ROW_ITERATIONS = 12
MANY_ROWS = 8
# m: overlap in excess of that at the start which a further feature of a touching pair may reach before it is an event,
# and that of a pair with one point only, which is smooth: where it rolls, each event would be an inelastic impact
NEW_OVERLAP, SMOOTH = 1e-7, 1e-6
# the same grows by this power of two with each event of the pair in a step
MORE = 2
# m: travel of the surfaces by which a search for a convex pair moves on at least while they separate
TRAVEL = 1e-5
# times at which the rest of a step is looked at when the search has made no way (a corner hovers close by while another
# comes down), and rounds to close in on the first overlap found
LOOKS, CLOSING_ROUNDS = 16, 60
# look from which on the search for an overlap halves its interval: where Newton and regula falsi end at all they have
HALVING_FROM = 7


@kernel
def rows_at(s, m, t):
    """Manifold of contact pair m at time t into s.manifold.

    Returns the number of rows, and per body its position (m), velocity (m/s) and rate (rad/s), world.
    Writes: s.clip, s.convex, s.count, s.manifold."""
    p = s.pair_i[m]
    s.count.work += LOOK_WORK
    if s.count.joints > 0:  # a constraint can make its bodies spin to the limit within the step
        s.count.work += turning_work(s.work[p.body_a], t) + turning_work(s.work[p.body_b], t)
    xa, qa, va, wa = pose_at(s.work[p.body_a], t)
    xb, qb, vb, wb = pose_at(s.work[p.body_b], t)
    n = collide(s, p.shape_a, xa, qa, p.shape_b, xb, qb, p.patch, s.pair_f[m].reach)
    return n, (xa, va, wa), (xb, vb, wb)


@kernel
def closing_speed(row, a, b):
    """Speed (m/s) at which the gap of a manifold point closes; none where it is no contact."""
    if row[L.M_FEATURE] == NO_CONTACT:
        return 0.0
    x = load3(row, L.M_X)
    u = sub(add(b[1], cross(b[2], sub(x, b[0]))), add(a[1], cross(a[2], sub(x, a[0]))))
    return -dot(u, load3(row, L.M_N))


@kernel
def gap_at(s, m, t):
    """Least gap (m) of contact pair m at time t.

    With it the speed (m/s) at which it closes there, and that of the centres of mass along the normal, as seen from a
    body of infinite mass that turns; and the normal.  Writes: s.clip, s.convex, s.count, s.manifold."""
    n, a, b = rows_at(s, m, t)
    row = s.manifold[least_gap(s.manifold, n)]
    centres = sub(sub(b[1], a[1]), cross(frame_rate(s, m), sub(b[0], a[0])))
    along = norm(centres) if on_mesh(s, m) else -dot(centres, load3(row, L.M_N))
    return row[L.M_GAP], closing_speed(row, a, b), along, load3(row, L.M_N)


@kernel
def _slack_beside(s, m, g, r, w):
    """As _slack, where shape g of work row r meets a body that turns at rate w (rad/s), as seen from there."""
    d, v = seen_from(s, m, w)
    speed, a, spin = norm(w), norm(r.acceleration), norm(sub(r.angular_velocity, w)) * s.geom[g].radius
    # Coriolis and centripetal accelerations, and those of the rotation
    return spin, elementary.square(1.0 + speed * s.par.dt) * (
        a + speed * (2.0 * norm(v) + speed * norm(d) + spin) + spin_growth(s, g, r))


@kernel
def _slack(s, m):
    """What the closing speed may exceed that of the centres by.

    From rotation of the surfaces (m/s), and from the accelerations of the centres and of the rotation (m/s^2).
    """
    p = s.pair_i[m]
    ra, rb = s.work[p.body_a], s.work[p.body_b]
    w = frame_rate(s, m)
    if w[0] != 0.0 or w[1] != 0.0 or w[2] != 0.0:
        side = 0 if ra.inverse_mass > 0.0 else 1
        return _slack_beside(s, m, p[L.P_GA + side], s.work[p[L.P_A + side]], w)
    spin = spin_speed(s, p.shape_a, ra) + spin_speed(s, p.shape_b, rb)
    growth = spin_growth(s, p.shape_a, ra) + spin_growth(s, p.shape_b, rb)
    return spin, norm(sub(rb.acceleration, ra.acceleration)) + growth


@kernel
def _out_of_reach(s, m, start, end, spin, a):
    """True if contact pair m cannot touch in [start, end], by its last known gap and the speeds since and from now on.

    Keeps the book: PF_CLEAR (m), the least that the gap can be at PF_AT (s in the step), PF_SPEED (m/s), the fastest
    that it can close from then on.  Writes: s.pair_f."""
    p, f = s.pair_i[m], s.pair_f[m]
    ra, rb = s.work[p.body_a], s.work[p.body_b]
    f.least_gap -= f.closing_speed * (start - f.least_gap_time)
    # the rows may be as of an earlier time
    age = norm(ra.acceleration) * (start - ra.time) + norm(rb.acceleration) * (start - rb.time)
    since = min(ra.time, rb.time)
    f.closing_speed = norm(sub(rb.velocity, ra.velocity)) + age + spin + a * (end - since)
    f.least_gap_time = start
    return f.closing_speed * (end - start) < f.least_gap


@kernel
def _is_known(s, m, start):
    """True if the gap and the rows of contact pair m, not on a mesh, are those at time `start`."""
    p, f = s.pair_i[m], s.pair_f[m]
    ra, rb = s.work[p.body_a], s.work[p.body_b]
    return f.least_gap_time == ra.time == rb.time == start and not on_mesh(s, m)


@kernel
def _too_far(s, m, start, end, spin, a):
    """True if contact pair m cannot touch in [start, end] by its gap at `start`, where that is known already."""
    f = s.pair_f[m]
    if not _is_known(s, m, start) or f.least_gap <= TOI_GAP:
        return False
    centres = -dot(seen_from(s, m, frame_rate(s, m))[1], f.normal)
    return (centres + spin + a * (end - start)) * (end - start) < f.least_gap


@kernel
def _core(s, g, triangle):
    """Convex core of shape g; of a mesh, that of one of its triangles."""
    if s.geom_i[g].kind != MESH:
        return core(s, g)
    return TRIANGLE, NOTHING, s.geom_i[g].first_vertex + L.TRIANGLE_ROWS * triangle, 3


@kernel
def _height(s, g, r, n, t, triangle):
    """Centre of mass (m, world) of the body with work row r at time t, and how far shape g reaches from it along n."""
    x, q, _, _ = pose_at(r, t)
    f, shape = s.geom[g], _core(s, g, triangle)
    d = quat.rotate_back(q, n)
    top = support(s.convex, shape, quat.rotate_back(f.attitude, d), 0)[0]
    return x, dot(f.position, d) + dot(quat.rotate(f.attitude, top), d) + radius_of(shape)


@kernel
def _separation_along(s, m, n, t):
    """Gap (m) between contact pair m's shape and triangle at time t as seen along n: no more than their distance."""
    p = s.pair_i[m]
    xa, high = _height(s, p.shape_a, s.work[p.body_a], n, t, p.patch)
    xb, low = _height(s, p.shape_b, s.work[p.body_b], scale(n, -1.0), t, p.patch)
    return dot(n, sub(xb, xa)) - high - low


@kernel
def _is_triangle(s, m):
    """True for contact pairs of a shape and a patch of one triangle."""
    p = s.pair_i[m]
    mesh = p.shape_a if s.geom_i[p.shape_a].kind == MESH else p.shape_b
    if s.geom_i[mesh].kind != MESH:
        return False
    patch = s.convex.vertex[s.geom_i[mesh].first_vertex + L.TRIANGLE_ROWS * p.patch + L.TRI_PATCH]
    return patch[1] - patch[0] == 1.0


@kernel
def _separation_at(s, m, side, t):
    """As _separation_along, along the normal of when the rows were sought, turned with body `side` since; 2: with
    neither."""
    if side == 2:
        return _separation_along(s, m, s.pair_f[m].normal, t)
    q = pose_at(s.work[s.pair_i[m, L.P_A + side]], t)[1]
    return _separation_along(s, m, quat.rotate(q, load3(s.pair_f[m], L.PF_NA + 3 * side)), t)


@kernel
def _keeps_apart(s, m, side, start, end, leap):
    """True if one plane (`side` as for _separation_at) separates a shape and a triangle from start to end."""
    gap, t = _separation_at(s, m, side, start), start
    for _ in range(LOOKS):
        if not gap > (0.0 if t > start else -GRAZE):
            return False
        if t == end:
            return True
        t = min(t + max(leap, gap / s.pair_f[m].closing_speed), end)
        gap = _separation_at(s, m, side, t)
    return False


@kernel
def _stays_apart(s, m, start, end, a):
    """True if a plane separates a shape and a triangle from start to end: one that stands still or turns with a body.

    A tenth of what a search costs, and most of the triangles around a body that lies on rough ground need no more.
    Between two looks at one plane no corner gets deeper than by _leap, where it turns with Coriolis' acceleration.
    """
    if not _is_triangle(s, m):
        return False
    p = s.pair_i[m]
    rate = norm(s.work[p.body_a].angular_velocity) + norm(s.work[p.body_b].angular_velocity)
    leap = _leap(a + rate * s.pair_f[m].closing_speed, end - start)
    return (_keeps_apart(s, m, 2, start, end, leap) or _keeps_apart(s, m, 1, start, end, leap)
            or _keeps_apart(s, m, 0, start, end, leap))


@kernel
def _normal_at(s, m, t):
    """Normal of the least gap of contact pair m at time t (s in the step), or 0 where it is not apart then.
    Writes: s.clip, s.convex, s.count, s.manifold."""
    row = s.manifold[least_gap(s.manifold, rows_at(s, m, t)[0])]
    return load3(row, L.M_N) if row[L.M_GAP] > TOI_GAP else NOTHING


@kernel
def _has_plane(s, m):
    """True for contact pairs with a half-space."""
    p = s.pair_i[m]
    return s.geom_i[p.shape_a].kind == HALFSPACE or s.geom_i[p.shape_b].kind == HALFSPACE


@kernel
def _leap(a, interval):
    """Least advance (s) of a search over an interval (s) while the surfaces separate.

    Between two times at which a corner is outside it gets in no deeper than A t^2 / 8, where t is the time between and
    A bounds its acceleration: that of the centres and of the rotation, a (m/s^2), and the centripetal one, less than a.
    """
    return max(math.sqrt(8.0 * GRAZE / (2.0 * a + LEAST_ACCELERATION)), SHORTEST_ADVANCE * interval)


@kernel
def _looks_for_planes(evaluation):
    """True for 0, 1, 2, 4, 8, ..: where planes have not helped they are tried again, less and less often."""
    return evaluation & (evaluation - 1) == 0


@kernel
def time_of_impact(s, m, start, end):
    """First time in (start, end] at which contact pair m touches, or inf.

    Both bodies' rows must allow poses from `start` on.  Writes: s."""
    if end <= start:
        return math.inf
    spin, a = _slack(s, m)
    mesh, plane = on_mesh(s, m), _has_plane(s, m)
    normal = s.pair_f[m].normal
    if not mesh and (_too_far(s, m, start, end, spin, a) or keeps_apart(s, m, normal, NOTHING, start, end)):
        return math.inf
    after = NOTHING if mesh or plane else _normal_at(s, m, end)
    if apart_for(s, m, normal, after, start, end, 1) > 0.0:
        return math.inf
    if mesh and (_out_of_reach(s, m, start, end, spin, a) or _stays_apart(s, m, start, end, a)):
        return math.inf
    # of a patch of many triangles another one may be ahead
    leap = SHORTEST_ADVANCE * (end - start)
    if _is_triangle(s, m):
        closing = 10.0 * s.pair_f[m].closing_speed + LEAST_DIVISOR
        leap = max(leap, min(_leap(a, end - start), thickness(s, m) / closing))
    leave = leap
    speed = norm(seen_from(s, m, frame_rate(s, m))[1]) + spin + a * (end - start)
    if plane:
        leap = max(leap, _leap(a, end - start))     # nothing passes through it
    elif not mesh:
        leap = max(leap, min(_leap(a, end - start), TRAVEL / (speed + LEAST_DIVISOR)))
    t, low, low_gap, high, high_gap, behind = start, start, math.inf, math.inf, 0.0, False
    for evaluation in range(TOI_MAX_EVALUATIONS):
        gap, closing, centres, normal = gap_at(s, m, t)
        hidden = closing == 0.0 and gap > 0.0 and not mesh
        if evaluation == 0:
            s.pair_f[m].least_gap = gap
        if abs(gap) <= TOI_GAP and closing > APPROACH:
            return min(max(t + gap / closing, start), end)
        if gap > 0.0 and not (behind and not hidden and gap <= TOUCH):
            low, low_gap, behind = t, gap, hidden
        elif low_gap == math.inf:
            # still at the contact that it comes from, unless another corner has come in meanwhile
            if closing > APPROACH:
                return t
            t, leave = t + leave, 2.0 * leave
            if t >= end:
                return _time_of_overlap(s, m, s.pair_f[m].least_gap, s.pair_f[m].least_gap, start, end)
            continue
        else:
            high, high_gap = t, gap
        if high < math.inf and behind:
            # the gap jumps where the surfaces come out from behind a seam, and they touch there
            if speed * (high - low) <= GRAZE:
                return high
            t = 0.5 * (low + high)
            continue
        if high < math.inf:
            way = s.pair_f[m].closing_speed * (high - low) if mesh else math.inf
            if low_gap - high_gap <= 2.0 * way + TOI_GAP:
                t = _between(t, gap, closing if mesh else 0.0, (low, low_gap), (high, high_gap), evaluation)
            elif way > GRAZE:
                t = 0.5 * (low + high)
            else:
                return high     # the gap jumps there: the contact passes from one triangle to its neighbour
            if t <= low or t >= high:
                return high
            continue
        bound = centres + spin + a * (end - t)
        if bound * (end - t) < gap:
            return math.inf
        step = gap / bound
        if closing <= 0.0:
            sure = apart_for(s, m, normal, after, t, end, PARTS) if _looks_for_planes(evaluation) else 0.0
            # what a seam hides has no speed: what comes behind it is not passed in a sixteenth of a step
            step = max(step, max((end - start) / LOOKS if hidden else leap, sure))
        elif gap < TOI_NEWTON_GAP:
            newton = gap / closing
            if closing > SLOW * bound:
                step = max(step, newton)
            else:
                sure = 0.0
                if not mesh and _looks_for_planes(evaluation):
                    sure = apart_beside(s, m, normal, t, min(t + ALMOST * newton, end))
                step = max(step, max(min(newton, leap), sure))
        t = min(t + step, end)
    return _first_overlap(s, m, t, end)


@kernel
def _between(t, gap, closing, low, high, evaluation):
    """The next time to try between low and high, (s, m) each: Newton's from time t, or regula falsi, or the middle."""
    if closing > APPROACH and evaluation % 4 and low[0] < t + gap / closing < high[0]:
        return t + gap / closing
    share = low[1] / (low[1] - high[1]) if evaluation % 4 or closing > APPROACH and evaluation % 8 else 0.5
    return low[0] + (high[0] - low[0]) * share


@kernel
def _first_overlap(s, m, start, end):
    """Time of impact of a pair that is apart at `start`, from the first of some times at which it overlaps; or inf.
    Writes: s.clip, s.convex, s.count, s.manifold."""
    low, high = start, start
    for k in range(1, LOOKS + 1):
        low, high = high, start + (end - start) * k / LOOKS
        if gap_at(s, m, high)[0] < 0.0:
            break
    else:
        return math.inf
    for _ in range(CLOSING_ROUNDS):
        middle = 0.5 * (low + high)
        gap, closing, _, _ = gap_at(s, m, middle)
        if abs(gap) <= TOI_GAP and closing > APPROACH:
            return middle
        if gap > 0.0:
            low = middle
        else:
            high = middle
    return high


@kernel
def _time_of_feature(s, m, feature, t, start, end):
    """Newton's iteration on the gap of one manifold point, known by its feature.

    inf if the gap does not close by `end` or the row vanishes.  Writes: s.clip, s.convex, s.count, s.manifold."""
    for _ in range(ROW_ITERATIONS):
        n, a, b = rows_at(s, m, t)
        k = 0
        while k < n and s.manifold[k, L.M_FEATURE] != feature:
            k += 1
        if k == n:
            return math.inf
        gap, closing = s.manifold[k, L.M_GAP], closing_speed(s.manifold[k], a, b)
        if abs(gap) <= TOI_GAP:
            return t
        if not closing > APPROACH:
            return math.inf
        t += gap / closing
        if t > end or t < start:
            return math.inf
    return math.inf


@kernel
def time_of_next_point(s, m, start, end):
    """When a further point of a touching pair closes its gap (the other corner of a rocking box), or inf.
    Writes: s.clip, s.convex, s.count, s.manifold."""
    n, least, first = s.pair_i[m].manifold_count, s.pair_f[m].least_gap, math.inf
    if not (_is_known(s, m, start) and n == s.pair_i[m].point_count):   # else all touch, there is no further one
        n, a, b = rows_at(s, m, start)
        least = s.manifold[least_gap(s.manifold, n), L.M_GAP]
        found, features, times = 0, np.empty(MANY_ROWS), np.empty(MANY_ROWS)
        for k in range(min(n, MANY_ROWS)):
            gap, closing = s.manifold[k, L.M_GAP], closing_speed(s.manifold[k], a, b)
            if gap > s.pair_f[m].touch_gap and closing > APPROACH and start + 0.5 * gap / closing < end:
                features[found] = s.manifold[k, L.M_FEATURE]
                times[found] = start + min(gap / closing, end - start)
                found += 1
        for k in range(found):
            first = min(first, _time_of_feature(s, m, features[k], times[k], start, end))
    # exact, unlike a power: times 2**MORE with each event
    late = MORE * s.pair_i[m].late_events
    more = math.ldexp(SMOOTH if n == 1 else NEW_OVERLAP, int(late))
    allowed = min(least, 0.0) - more - (s.pair_f[m].touch_gap - TOUCH)
    return min(first, _time_of_overlap(s, m, least, allowed, start, end))


@kernel
def _time_of_overlap(s, m, least, allowed, start, end):
    """When the gap of a touching pair falls from `least` (m) at the start below `allowed` (m), through a feature that
    was not in the manifold at the start or has left since.  inf if it does not.
    Writes: s.clip, s.convex, s.count, s.manifold."""
    if not on_mesh(s, m) and gap_seen_at(s, m, s.pair_f[m].normal, end) > allowed:
        return math.inf
    gap, closing, _, _ = gap_at(s, m, end)
    if gap > allowed:
        return math.inf
    width = SHORTEST_ADVANCE * (end - start)
    t, low, low_gap, high, high_gap = end, start, max(least, allowed) - allowed, end, gap - allowed
    for evaluation in range(1, TOI_MAX_EVALUATIONS):
        if high - low <= width:
            break
        if evaluation < HALVING_FROM:
            # half a width beyond: where it is good already the interval closes
            beyond = 0.5 * width if gap > allowed else -0.5 * width
            t = _between(t, gap - allowed, closing, (low, low_gap), (high, high_gap), evaluation) + beyond
            t = min(max(t, low + 0.5 * width), high - 0.5 * width)
        else:
            t = 0.5 * (low + high)
        if not low < t < high:
            break   # the interval is a rounding long, at the end of a step
        gap, closing, _, _ = gap_at(s, m, t)
        if gap > allowed:
            low, low_gap = t, gap - allowed
        else:
            high, high_gap = t, gap - allowed
    return high
