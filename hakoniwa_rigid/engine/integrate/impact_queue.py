# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""When the pairs of a step touch: the time of the next event of each contact pair, and which comes first."""
import math

from ..constants import IMPACTS_PER_BODY, LATE_EVENTS
from ..constraints.bodies import is_active, next_joint
from ..contact.frame import relative_velocity
from ..contact.pending_impulses import runs
from ..detect.impact_time import time_of_impact, time_of_next_point
from ..maths.jit import kernel
from ..maths.vec3 import norm
from ..model import layout as L

# m/s: rows that separate faster than this have left each other
PARTING = 1e-9
# m: surfaces of a touching pair that travel less in a step are not searched for further impacts; the next step meets
# them
QUIET = 1e-7
# share of a step that is left where an interval ends with it, but for rounding
SAME_END = 1e-12


@kernel
def schedule(s, m, start, h):
    """Next event of contact pair m after `start`: its impact, or where it touches already, that of a further point.

    None for bodies at the cap of impacts, or in an infeasible island.  A touching pair keeps the earlier end of a slide
    that `solve_island` has set.  Writes: s."""
    p = s.pair_i[m]
    a, b = s.work[p.body_a], s.work[p.body_b]
    if p.touches == 0:
        s.pair_f[m].time_of_impact = math.inf
    if is_done(s, m) or p.late_events >= LATE_EVENTS:
        return
    if max(a.impacts, b.impacts) >= IMPACTS_PER_BODY:
        return
    if s.count.joints > 0:
        h = min(_known_until(s, p.body_a, h), _known_until(s, p.body_b, h))
    if p.touches == 0 or (s.pair_f[m].velocity_change == 0.0 and separating(s, m) and not runs(s, m)):
        s.pair_f[m].time_of_impact = min(s.pair_f[m].time_of_impact, time_of_impact(s, m, start, h))
    elif runs(s, m):
        return  # it is left to press in until its profile is over; the next step looks again
    elif _travel(s, m, h) > QUIET:
        s.pair_f[m].time_of_impact = min(s.pair_f[m].time_of_impact, time_of_next_point(s, m, start, h))


@kernel
def _known_until(s, i, h):
    """Time (s in the step) up to which the forces on body i were found: h, or where an interval of its constraints or
    contacts ends before.  It has an event there, after which its pairs are looked at again."""
    end, link, b = h, s.body[i].first_joint, s.body[i]
    if b.kind != L.DYNAMIC:
        return h
    while link > 0:
        k, _, link = next_joint(s, link)
        if is_active(s, k) and s.joint[k].span > 0.0:
            end = min(end, s.joint[k].start + s.joint[k].span)
    for n in range(b.first_adjacent, b.first_adjacent + b.adjacent_count):
        m = s.adjacent[n]
        if s.pair_i[m].touches == 1 and s.pair_f[m].rest_span > 0.0:
            end = min(end, s.pair_f[m].rest_start + s.pair_f[m].rest_span)
    return h if end > (1.0 - SAME_END) * h else end


@kernel
def _travel(s, m, h):
    """Bound (m) on the relative travel of the surfaces of touching pair m in h seconds, as its rest was solved."""
    p, total = s.pair_i[m], 0.0
    for side in range(2):
        r, g = s.work[p[L.P_A + side]], p[L.P_GA + side]
        fastest = max(norm(r.velocity), norm(r.predicted_velocity) if r.inverse_mass > 0.0 else 0.0)
        rate = max(norm(r.angular_velocity), norm(r.predicted_angular_velocity) if r.inverse_mass > 0.0 else 0.0)
        total += fastest + (rate * s.geom[g].radius if rate > 0.0 else 0.0)
    return total * h


@kernel
def separating(s, m):
    """True if every touching row of contact pair m separates."""
    p = s.pair_i[m]
    a, b = s.work[p.body_a], s.work[p.body_b]
    slowest = math.inf
    for c in range(p.point_count):
        r = s.row[L.POINTS * m + c]
        if r.is_midway == 1.0:
            # it says what is at the end of the interval
            slowest = min(slowest, r.normal_velocity_before if r.normal_impulse == 0.0 else 0.0)
        else:
            slowest = min(slowest, relative_velocity(a, b, r, L.W_V, L.W_W)[0])
    return slowest > PARTING


@kernel
def is_first(s, m, i):
    """True if body i of contact pair m is the one by which the pair is scheduled, of two in the island just
    collected."""
    a, b = s.pair_i[m].body_a, s.pair_i[m].body_b
    return i == a or s.body[a].kind != L.DYNAMIC or s.body[a].stamp != s.body[b].stamp


@kernel
def is_done(s, m):
    """True if a body of contact pair m has gone to the end of the step with its crowd."""
    return s.work[s.pair_i[m].body_a].is_done == 1.0 or s.work[s.pair_i[m].body_b].is_done == 1.0


@kernel
def earliest(s):
    """Contact pair with the smallest time of impact, the first of equals; -1 if none is left in this step."""
    best, when = -1, math.inf
    for m in range(s.count.contact_pairs):
        if s.pair_f[m].time_of_impact < when:
            best, when = m, s.pair_f[m].time_of_impact
    return best
