"""When the pairs of a step meet: the time of the next event of each near pair, and which comes first."""
import math

from ..constants import IMPACTS_PER_BODY, LATE_EVENTS
from ..contact.frame import relative_velocity
from ..contact.pending_impulses import runs
from ..detect.impact_time import time_of_impact, time_of_next_row
from ..maths.jit import kernel
from ..maths.vec3 import load3, norm
from ..model import layout as L

# m/s: rows that separate faster than this have left each other
PARTING = 1e-9
# m: surfaces of a touching pair that travel less in a step are not searched for further impacts; the next step meets
# them
QUIET = 1e-7


@kernel
def schedule(s, m, start, h):
    """Next event of near pair m after `start`: its impact, or where it touches already, that of a further point.

    None for bodies at the cap of impacts, or crushed.  A touching pair keeps the earlier end of a slide that `settle`
    has set.
    """
    p = s.pair_i[m]
    a, b = s.work[p[L.P_A]], s.work[p[L.P_B]]
    if p[L.P_TOUCH] == 0:
        s.pair_f[m, L.PF_TOI] = math.inf
    if is_done(s, m) or p[L.P_LATE] >= LATE_EVENTS:
        return
    if max(a[L.W_HITS], b[L.W_HITS]) >= IMPACTS_PER_BODY:
        return
    if p[L.P_TOUCH] == 0 or (s.pair_f[m, L.PF_DRIFT] == 0.0 and parting(s, m) and not runs(s, m)):
        s.pair_f[m, L.PF_TOI] = min(s.pair_f[m, L.PF_TOI], time_of_impact(s, m, start, h))
    elif runs(s, m):
        return  # it is left to press in until its profile is over; the next step looks again
    elif _travel(s, m, h) > QUIET:
        s.pair_f[m, L.PF_TOI] = min(s.pair_f[m, L.PF_TOI], time_of_next_row(s, m, start, h))


@kernel
def _travel(s, m, h):
    """Bound (m) on the relative travel of the surfaces of touching pair m in h seconds, as its rest was solved."""
    p, total = s.pair_i[m], 0.0
    for side in range(2):
        r, g = s.work[p[L.P_A + side]], p[L.P_GA + side]
        fastest = max(norm(load3(r, L.W_V)), norm(load3(r, L.W_V1)) if r[L.W_IM] > 0.0 else 0.0)
        rate = max(norm(load3(r, L.W_W)), norm(load3(r, L.W_W1)) if r[L.W_IM] > 0.0 else 0.0)
        total += fastest + (rate * s.geom[g, L.G_RADIUS] if rate > 0.0 else 0.0)
    return total * h


@kernel
def parting(s, m):
    """True if every touching row of near pair m separates."""
    p = s.pair_i[m]
    a, b = s.work[p[L.P_A]], s.work[p[L.P_B]]
    slowest = math.inf
    for c in range(p[L.P_N]):
        r = s.row[L.POINTS * m + c]
        if r[L.R_TURNED] == 1.0:
            # it says what is at the end of the interval
            slowest = min(slowest, r[L.R_U0] if r[L.R_J] == 0.0 else 0.0)
        else:
            slowest = min(slowest, relative_velocity(a, b, r, L.W_V, L.W_W)[0])
    return slowest > PARTING


@kernel
def is_first(s, m, i):
    """True if body i of near pair m is the one by which the pair is scheduled, of two in the island just collected."""
    a, b = s.pair_i[m, L.P_A], s.pair_i[m, L.P_B]
    return i == a or s.body[a, L.B_KIND] != L.DYNAMIC or s.body[a, L.B_SEEN] != s.body[b, L.B_SEEN]


@kernel
def is_done(s, m):
    """True if a body of near pair m has gone to the end of the step with its crowd."""
    return s.work[s.pair_i[m, L.P_A], L.W_DONE] == 1.0 or s.work[s.pair_i[m, L.P_B], L.W_DONE] == 1.0


@kernel
def earliest(s):
    """Near pair with the smallest time of impact, the first of equals; -1 if none is left in this step."""
    best, when = -1, math.inf
    for m in range(s.count[L.N_NEAR]):
        if s.pair_f[m, L.PF_TOI] < when:
            best, when = m, s.pair_f[m, L.PF_TOI]
    return best
