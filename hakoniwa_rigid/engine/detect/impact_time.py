"""When a pair that is apart touches within the step: conservative advancement closed by Newton and regula falsi.

While the gap is large, time advances by gap / (bound on the closing speed), which cannot step over a contact (Mirtich
1996).  Close by, Newton's step gap / closing speed converges quadratically; a step too far brackets the root.
"""
import math

import numpy as np

from ..constants import APPROACH, TOI_GAP, TOI_MAX_EVALUATIONS, TOI_NEWTON_GAP, TOUCH
from ..integrate.bodies import pose_at
from ..maths.jit import kernel
from ..maths.vec3 import add, cross, dot, load3, norm, sub
from ..model import layout as at
from .manifold import least_gap
from .narrowphase import collide
from .near import spin_speed

# Share of the interval by which the search moves on at least while the surfaces separate: a graze may be missed by
# the depth gained in it, some 1e-7 m.
SHORTEST_ADVANCE = 1e-3
# Newton steps for one row, and the rows looked at
ROW_ITERATIONS = 12
MANY_ROWS = 8
# m: overlap in excess of that at the start which a further feature of a touching pair may reach before it is an event
NEW_OVERLAP = 1e-6


@kernel
def rows_at(s, m, t):
    """Manifold of near pair m at time t into s.manifold.

    Returns the number of rows, and per body its position (m), velocity (m/s) and rate (rad/s), world.
    """
    p = s.pair_i[m]
    xa, qa, va, wa = pose_at(s.work[p[at.P_A]], t)
    xb, qb, vb, wb = pose_at(s.work[p[at.P_B]], t)
    n = collide(s, p[at.P_GA], xa, qa, p[at.P_GB], xb, qb, p[at.P_SUB], s.pair_f[m, at.PF_REACH])
    return n, (xa, va, wa), (xb, vb, wb)


@kernel
def closing_speed(row, a, b):
    """Speed (m/s) at which the gap of a manifold row closes."""
    x = load3(row, at.M_X)
    u = sub(add(b[1], cross(b[2], sub(x, b[0]))), add(a[1], cross(a[2], sub(x, a[0]))))
    return -dot(u, load3(row, at.M_N))


@kernel
def gap_at(s, m, t):
    """Least gap (m) of near pair m at time t.

    With it the speed (m/s) at which it closes there, and that of the centres of mass along the normal.
    """
    n, a, b = rows_at(s, m, t)
    row = s.manifold[least_gap(s.manifold, n)]
    centres = sub(b[1], a[1])
    along = norm(centres) if on_mesh(s, m) else -dot(centres, load3(row, at.M_N))
    return row[at.M_GAP], closing_speed(row, a, b), along


@kernel
def on_mesh(s, m):
    """True for near pairs with a mesh.

    Its other triangles may close faster than the nearest: the speed along the nearest normal bounds nothing there.
    """
    p = s.pair_i[m]
    return s.geom_i[p[at.P_GA], at.GI_TYPE] == at.MESH or s.geom_i[p[at.P_GB], at.GI_TYPE] == at.MESH


@kernel
def _slack(s, m):
    """What the closing speed may exceed that of the centres by.

    From rotation of the surfaces (m/s), and from the acceleration of the centres (m/s^2).
    """
    p = s.pair_i[m]
    ra, rb = s.work[p[at.P_A]], s.work[p[at.P_B]]
    spin = spin_speed(s, p[at.P_GA], ra) + spin_speed(s, p[at.P_GB], rb)
    return spin, norm(sub(load3(rb, at.W_A), load3(ra, at.W_A)))


@kernel
def time_of_impact(s, m, start, end):
    """First time in (start, end] at which near pair m touches, or inf.

    Both bodies' rows must allow poses from `start` on.  A time at which the pair does not touch means that the search
    must be taken up there again.
    """
    if end <= start:
        return math.inf
    spin, a = _slack(s, m)
    t, low, low_gap, high, high_gap = start, start, math.inf, math.inf, 0.0
    leave = SHORTEST_ADVANCE * (end - start)
    for evaluation in range(TOI_MAX_EVALUATIONS):
        gap, closing, centres = gap_at(s, m, t)
        if abs(gap) <= TOI_GAP and closing > APPROACH:
            return min(max(t + gap / closing, start), end)
        if gap > 0.0:
            low, low_gap = t, gap
        elif low_gap == math.inf:
            # still at the contact that it comes from, unless another corner has come in meanwhile
            if closing > APPROACH:
                return t
            t, leave = t + leave, 2.0 * leave
            if t >= end:
                return math.inf
            continue
        else:
            high, high_gap = t, gap
        if high < math.inf:
            share = low_gap / (low_gap - high_gap) if evaluation % 4 else 0.5
            t = low + (high - low) * share
            if t <= low or t >= high:
                return high
            continue
        bound = centres + spin + a * (end - t)
        if bound * (end - t) < gap:
            return math.inf
        step = gap / bound
        if closing <= 0.0:
            step = max(step, SHORTEST_ADVANCE * (end - start))
        elif gap < TOI_NEWTON_GAP and closing > 1e-3 * bound:
            step = max(step, gap / closing)
        t = min(t + step, end)
    # out of evaluations (a fast spin close by): an event without contact there, from which the search goes on
    return t if start < t < end else math.inf


@kernel
def _time_of_feature(s, m, feature, t, start, end):
    """Newton's iteration on the gap of one manifold row, known by its feature.

    inf if the gap does not close by `end` or the row vanishes.
    """
    for _ in range(ROW_ITERATIONS):
        n, a, b = rows_at(s, m, t)
        k = 0
        while k < n and s.manifold[k, at.M_FEATURE] != feature:
            k += 1
        if k == n:
            return math.inf
        gap, closing = s.manifold[k, at.M_GAP], closing_speed(s.manifold[k], a, b)
        if abs(gap) <= TOI_GAP:
            return t
        if not closing > APPROACH:
            return math.inf
        t += gap / closing
        if t > end or t < start:
            return math.inf
    return math.inf


@kernel
def time_of_next_row(s, m, start, end):
    """When a further point of a touching pair closes its gap (the other corner of a rocking box), or inf."""
    n, a, b = rows_at(s, m, start)
    found, features, times = 0, np.empty(MANY_ROWS), np.empty(MANY_ROWS)
    for k in range(min(n, MANY_ROWS)):
        gap, closing = s.manifold[k, at.M_GAP], closing_speed(s.manifold[k], a, b)
        if gap > TOUCH and closing > APPROACH and start + 0.5 * gap / closing < end:
            features[found] = s.manifold[k, at.M_FEATURE]
            times[found] = start + min(gap / closing, end - start)
            found += 1
    first = math.inf
    for k in range(found):
        first = min(first, _time_of_feature(s, m, features[k], times[k], start, end))
    return min(first, _time_of_overlap(s, m, start, end))


@kernel
def _time_of_overlap(s, m, start, end):
    """When the overlap of a touching pair begins to grow, through a feature that was not in the manifold at the start.

    inf if it does not.
    """
    allowed = min(gap_at(s, m, start)[0], 0.0) - NEW_OVERLAP
    if gap_at(s, m, end)[0] > allowed:
        return math.inf
    low, high = start, end
    while high - low > SHORTEST_ADVANCE * (end - start):
        middle = 0.5 * (low + high)
        if gap_at(s, m, middle)[0] > allowed:
            low = middle
        else:
            high = middle
    return high
