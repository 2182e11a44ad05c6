"""When a pair that is apart touches within the step: conservative advancement closed by Newton and regula falsi.

While the gap is large, time advances by gap / (bound on the closing speed), which cannot step over a contact (Mirtich 1996).
Close by, Newton's step gap / closing speed converges quadratically; a step too far brackets the root.
"""
import math

from ..constants import TOI_GAP, TOI_MAX_EVALUATIONS, TOI_NEWTON_GAP
from ..integrate.bodies import pose_at
from ..maths.jit import kernel
from ..maths.vec3 import add, cross, dot, load3, norm, sub
from ..model import layout as at
from .manifold import least_gap
from .near import spin_reach
from .narrowphase import collide

# Share of the interval by which the search moves on at least while the surfaces separate: a graze may be missed by
# the depth gained in it, some 1e-7 m.
SHORTEST_ADVANCE = 1e-3


@kernel
def gap_at(s, m, t):
    """Least gap (m) of near pair m at time t, and the speed (m/s) at which it closes there; the rows stay in s.manifold."""
    p = s.pair_i[m]
    xa, qa, va, wa = pose_at(s.work[p[at.P_A]], t)
    xb, qb, vb, wb = pose_at(s.work[p[at.P_B]], t)
    n = collide(s, p[at.P_GA], xa, qa, p[at.P_GB], xb, qb)
    k = least_gap(s.manifold, n)
    point, normal = load3(s.manifold[k], at.M_X), load3(s.manifold[k], at.M_N)
    u = sub(add(vb, cross(wb, sub(point, xb))), add(va, cross(wa, sub(point, xa))))
    return s.manifold[k, at.M_GAP], -dot(u, normal), -dot(sub(vb, va), normal)


@kernel
def _slack(s, m, h):
    """What the closing speed may grow by within h seconds: (m/s) from rotation of the surfaces, from acceleration."""
    p = s.pair_i[m]
    ra, rb = s.work[p[at.P_A]], s.work[p[at.P_B]]
    spin = (spin_reach(s, p[at.P_GA], ra, h) + spin_reach(s, p[at.P_GB], rb, h)) / h
    return spin, norm(sub(load3(rb, at.W_A), load3(ra, at.W_A)))


@kernel
def time_of_impact(s, m, start, end):
    """First time in (start, end] at which near pair m touches, or inf.  Both bodies' rows must allow poses from `start` on."""
    if end <= start:
        return math.inf
    spin, a = _slack(s, m, end - start)
    t, low, low_gap, high, high_gap = start, start, math.inf, math.inf, 0.0
    for evaluation in range(TOI_MAX_EVALUATIONS):
        gap, closing, centres = gap_at(s, m, t)
        if abs(gap) <= TOI_GAP and closing > 0.0:
            return min(max(t + gap / closing, start), end)
        if gap > 0.0:
            low, low_gap = t, gap
        elif low_gap == math.inf:
            return math.inf
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
    return math.inf
