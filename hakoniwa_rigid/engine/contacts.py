"""Contacts inside one step: islands that touch at its start, then every impact at its own time.

Bodies keep local times.  Between events a body moves under constant acceleration and torque: external loads plus the
resting forces of its island.  An impact brings its island to the instant, resolves it, solves the resting contacts for
the time that is left, and looks for the next impacts of the bodies involved.
"""
import math

from .constants import (
    AT_REST,
    BODY_BUDGET,
    CALM,
    CALM_HITS,
    CLOSE_BUDGET,
    CLOSE_PAIR_BUDGET,
    CREDIT,
    CREDIT_A_STEP,
    CREDIT_POWER,
    CREDITED,
    CRUSHED,
    FEW,
    IMPACTS_PER_BODY,
    LANES,
    LATE_EVENTS,
    LEAST_BUDGET,
    LONE_BUDGET,
    LONE_PAIR_BUDGET,
    LONGEST_BUDGET,
    MOST_CREDIT,
    NO_BUDGET,
    PAIR_BUDGET,
    PUSHED_PAIR_BUDGET,
    SETTLED_CREDIT,
    SHORTEST_REST,
    STRUCK_CREDIT,
)
from .detect.clusters import cluster_of, cluster_size, count_meetings
from .detect.contact_rows import evaluate
from .detect.impact_time import time_of_impact, time_of_next_row
from .events import earliest, log_impacts, log_resting
from .integrate.bodies import advance_in_contact, hold, scatter, unload
from .integrate.limits import limit_row
from .maths.jit import kernel, once
from .maths.vec3 import load3, norm, scale, store3
from .model import layout as at
from .solve.common import exhausted, relative_velocity
from .solve.crowd import enter_crowd, step_crowd, step_crowds
from .solve.deliveries import deliver_impacts, set_times
from .solve.flush import leave_one_manifold
from .solve.impacts import solve_impacts
from .solve.islands import begin_touch, collect, next_stamp
from .solve.profiles import come_back, foresee, runs
from .solve.recovery import recover_overlap
from .solve.resting import first_stop, has_stopped, load_torques, remember, shorten, solve_resting, warm_start

# s: impacts of one island this close in time are one: the order of rounding errors must not decide what a body does
# that lands on several parts at once
SAME_TIME = 1e-12
# s: the same where static shapes lie side by side: their tops are one only up to rounding
SAME_FLOOR = 1e-9
# m/s: rows that separate faster than this have left each other
PARTING = 1e-9
# m: surfaces of a touching pair that travel less in a step are not searched for further impacts; the next step meets
# them
QUIET = 1e-7


@kernel
def _is_crushed(s, bodies):
    """True if one of the bodies is; where it would stop sliding is no longer of interest."""
    crushed = False
    for i in range(len(bodies)):
        crushed = crushed or s.work[bodies[i], at.W_HITS] >= CRUSHED
    return crushed


@kernel
def _limit(s, bodies):
    """No hit leaves a body of an island faster than the world's limits."""
    for i in range(len(bodies)):
        limit_row(s, bodies[i])


@kernel
def settle(s, pairs, bodies, t, h):
    """Impacts of an island at time t, then its resting contacts until the end h of the step.

    Where a sliding contact stops before, the contacts are solved until then, and the island meets again at that time.
    """
    _put_aside(s, bodies)
    if len(s.beside) > 0:
        leave_one_manifold(s, pairs)
    if s.par[at.F_PROFILE] == at.NO_PROFILE:
        if solve_impacts(s, pairs, bodies):
            log_impacts(s, pairs, t)
            _limit(s, bodies)
            _put_aside(s, bodies)
    else:
        foresee(s, bodies, t, h)
        hit = solve_impacts(s, pairs, bodies)
        if hit:
            set_times(s, pairs)
            log_impacts(s, pairs, t)
        come_back(s, bodies)
        if hit:
            deliver_impacts(s, pairs, t, h)
            _limit(s, bodies)
            _put_aside(s, bodies)
    if exhausted(s):
        return
    for i in range(len(pairs)):
        s.pair_f[pairs[i], at.PF_TOI] = math.inf
    if h - t > SHORTEST_REST * h:
        solve_resting(s, pairs, bodies, t, h - t)
        share, first = first_stop(s, pairs)
        if share == 1.0 or _is_crushed(s, bodies) or exhausted(s):
            return
        shorten(s, pairs, share)
        s.pair_i[first, at.P_STOPS] += 1
        solve_resting(s, pairs, bodies, t, share * (h - t))
        if has_stopped(s, first):
            s.pair_f[first, at.PF_TOI] = t + share * (h - t)
        else:
            shorten(s, pairs, 1.0 / share)
            solve_resting(s, pairs, bodies, t, h - t)
        return
    for i in range(len(bodies)):
        unload(s.work[bodies[i]])
    for i in range(len(pairs)):
        s.pair_f[pairs[i], at.PF_SPAN] = 0.0


@kernel
def _put_aside(s, bodies):
    """Velocities to go back to."""
    for i in range(len(bodies)):
        r = s.work[bodies[i]]
        store3(r, at.W_BACK, load3(r, at.W_V))
        store3(r, at.W_BACK + 3, load3(r, at.W_W))


@kernel
def _pair_budget(near, pushed):
    """Work units for a pair of parts, where so many dynamic bodies are near each other; pushed: by what nothing stops,
    where there may be no solution."""
    if near > 1:
        return CLOSE_PAIR_BUDGET
    return PUSHED_PAIR_BUDGET if pushed else LONE_PAIR_BUDGET


@kernel
def _left(s, pairs, bodies, h):
    """What an island may still cost in this step, and what beyond that on credit (work units)."""
    free, near, spent, credit, calm, moving, settled, pushed = 0, 0, 0, 0, True, 0, False, False
    slow = max(CALM, 2.0 * s.par[at.F_H] * norm(load3(s.par, at.F_GX)))
    for i in range(len(bodies)):
        r = s.work[bodies[i]]
        turn = norm(load3(r, at.W_W)) * (s.anchor[bodies[i], at.A_RADIUS] if r[at.W_IM] > 0.0 else 0.0)
        speed = max(norm(load3(r, at.W_V)), turn)
        pushed = pushed or s.body[bodies[i], at.B_KIND] == at.KINEMATIC
        calm, moving = calm and speed <= slow and r[at.W_HITS] < CALM_HITS, moving + (speed > AT_REST)
        if r[at.W_IM] > 0.0:
            spent = max(spent, s.body[cluster_of(s, bodies[i]), at.B_SPENT])
            free, near = free + 1, max(near, cluster_size(s, bodies[i]))
            credit += max(0, _credit(s, bodies[i]))
            settled = settled or s.body[bodies[i], at.B_WAIT] > 0
    near, met = max(free, near), max(near - 1, len(pairs))
    most = (CLOSE_BUDGET if near > 2 else LONE_BUDGET) + _pair_budget(near, pushed) * met
    if near > FEW:
        most = max(LEAST_BUDGET, most * FEW * FEW // (near * near))
    left = most + BODY_BUDGET * near + PAIR_BUDGET * met
    left = int(left * min(max(1000.0 * s.par[at.F_H], 1.0), LONGEST_BUDGET)) - spent
    credit = int(credit / free * min(1.0, CREDITED / near) ** CREDIT_POWER)
    if near > 1 and settled and moving > 0:
        credit = min(credit, CREDIT_A_STEP)
    if calm:
        return left, credit
    if moving > 1:
        return left, 0
    for i in range(len(bodies)):
        s.body[bodies[i], at.B_USED] = MOST_CREDIT
    return left, min(credit, STRUCK_CREDIT)


@kernel
def _credit(s, i):
    """What body i may cost beyond its budget (work units)."""
    b = s.body[i]
    back = CREDIT * (s.count[at.N_STEPS] - b[at.B_PAID])
    least = min(b[at.B_USED], MOST_CREDIT - SETTLED_CREDIT) if b[at.B_WAIT] > 0 else 0
    b[at.B_USED] = max(least, b[at.B_USED] - back)
    b[at.B_PAID] = s.count[at.N_STEPS]
    return MOST_CREDIT - b[at.B_USED]


@kernel
def _charge(s, bodies, work, on_credit):
    """What an island has cost: its cluster has so much less left; what went beyond the budget costs each body its
    credit."""
    last = -1
    for i in range(len(bodies)):
        if s.work[bodies[i], at.W_IM] > 0.0:
            root = cluster_of(s, bodies[i])
            s.body[root, at.B_SPENT] += work - on_credit if root != last else 0
            s.body[bodies[i], at.B_USED] += on_credit
            last = root


@kernel
def settle_within(s, pairs, bodies, t, h):
    """settle, at what it may cost.  False if that was too little: then the island has gone to the end of the step as a
    crowd."""
    (left, credit), before = _left(s, pairs, bodies, h), s.count[at.N_WORK]
    if left + credit > 0:
        s.count[at.N_BUDGET] = before + left + credit
        settle(s, pairs, bodies, t, h)
        over = exhausted(s)
        s.count[at.N_BUDGET] = NO_BUDGET
        work = s.count[at.N_WORK] - before
        _charge(s, bodies, work, max(0, work - max(left, 0)) if credit > 0 else 0)
        if not over:
            return True
        for i in range(len(bodies)):
            r = s.work[bodies[i]]
            store3(r, at.W_V, load3(r, at.W_BACK))
            store3(r, at.W_W, load3(r, at.W_BACK + 3))
    enter_crowd(s, bodies, h)
    for i in range(len(pairs)):     # their books are closed
        s.pair_f[pairs[i], at.PF_SPAN] = 0.0
    # s.island, where the bodies are listed, is used again from here on
    for i in bodies.copy():
        if s.work[i, at.W_IM] > 0.0 and s.work[i, at.W_DONE] == 0.0:
            step_crowd(s, i, t, h, True)
    return False


@kernel
def _take_over(s, bodies):
    """Bodies of an island move by their work rows: what free flight made of them does not count."""
    for i in range(len(bodies)):
        s.block[bodies[i] // LANES, at.H_FREE * LANES + bodies[i] % LANES] = 0.0


@kernel
def _is_done(s, m):
    """True if a body of near pair m has gone to the end of the step with its crowd."""
    return s.work[s.pair_i[m, at.P_A], at.W_DONE] == 1.0 or s.work[s.pair_i[m, at.P_B], at.W_DONE] == 1.0


@once
def settle_touching(s, h):
    """All islands that touch at the start of the step."""
    first, row = s.count[at.N_STAMP] + 1, 0
    for m in range(s.count[at.N_NEAR]):
        if s.pair_i[m, at.P_TOUCH] == 1 and not _is_done(s, m):
            row = warm_start(s, m, h, row)
    for m in range(s.count[at.N_NEAR]):
        if s.pair_i[m, at.P_TOUCH] == 1 and s.pair_i[m, at.P_SEEN] < first and not _is_done(s, m):
            pairs, bodies = collect(s, m, next_stamp(s), -math.inf)
            _take_over(s, bodies)
            settle_within(s, pairs, bodies, 0.0, h)


@kernel
def schedule(s, m, start, h):
    """Next event of near pair m after `start`: its impact, or where it touches already, that of a further point.

    None for bodies at the cap of impacts, or crushed.  A touching pair keeps the earlier end of a slide that `settle`
    has set.
    """
    p = s.pair_i[m]
    a, b = s.work[p[at.P_A]], s.work[p[at.P_B]]
    if p[at.P_TOUCH] == 0:
        s.pair_f[m, at.PF_TOI] = math.inf
    if _is_done(s, m) or p[at.P_LATE] >= LATE_EVENTS:
        return
    if max(a[at.W_HITS], b[at.W_HITS]) >= IMPACTS_PER_BODY:
        return
    if p[at.P_TOUCH] == 0 or (s.pair_f[m, at.PF_DRIFT] == 0.0 and parting(s, m) and not runs(s, m)):
        s.pair_f[m, at.PF_TOI] = min(s.pair_f[m, at.PF_TOI], time_of_impact(s, m, start, h))
    elif runs(s, m):
        return  # it is left to press in until its profile is over; the next step looks again
    elif _travel(s, m, h) > QUIET:
        s.pair_f[m, at.PF_TOI] = min(s.pair_f[m, at.PF_TOI], time_of_next_row(s, m, start, h))


@kernel
def _travel(s, m, h):
    """Bound (m) on the relative travel of the surfaces of touching pair m in h seconds, as its rest was solved."""
    p, total = s.pair_i[m], 0.0
    for side in range(2):
        r, g = s.work[p[at.P_A + side]], p[at.P_GA + side]
        fastest = max(norm(load3(r, at.W_V)), norm(load3(r, at.W_V1)) if r[at.W_IM] > 0.0 else 0.0)
        rate = max(norm(load3(r, at.W_W)), norm(load3(r, at.W_W1)) if r[at.W_IM] > 0.0 else 0.0)
        total += fastest + (rate * s.geom[g, at.G_RADIUS] if rate > 0.0 else 0.0)
    return total * h


@kernel
def parting(s, m):
    """True if every touching row of near pair m separates."""
    p = s.pair_i[m]
    a, b = s.work[p[at.P_A]], s.work[p[at.P_B]]
    slowest = math.inf
    for c in range(p[at.P_N]):
        r = s.row[at.POINTS * m + c]
        if r[at.R_TURNED] == 1.0:
            # it says what is at the end of the interval
            slowest = min(slowest, r[at.R_U0] if r[at.R_J] == 0.0 else 0.0)
        else:
            slowest = min(slowest, relative_velocity(a, b, r, at.W_V, at.W_W)[0])
    return slowest > PARTING


@kernel
def renew(s, m, t, h):
    """Close the books of a pair's resting interval at time t, and find its contact rows anew."""
    log_resting(s, m, t)
    old, span = s.pair_i[m, at.P_N], s.pair_f[m, at.PF_SPAN]
    keep = s.row[at.POINTS * m:at.POINTS * m + at.POINTS]
    feature = (keep[0, at.R_FEATURE], keep[1, at.R_FEATURE], keep[2, at.R_FEATURE], keep[3, at.R_FEATURE])
    impulse = (load3(keep[0], at.R_J), load3(keep[1], at.R_J), load3(keep[2], at.R_J), load3(keep[3], at.R_J))
    evaluate(s, m)
    if span <= 0.0:
        return
    for c in range(s.pair_i[m, at.P_N]):
        for k in range(old):
            if keep[c, at.R_FEATURE] == feature[k]:
                store3(keep[c], at.R_KEEP, scale(impulse[k], (h - t) / span))


@kernel
def _is_first(s, m, i):
    """True if body i of near pair m is the one by which the pair is scheduled, of two in the island just collected."""
    a, b = s.pair_i[m, at.P_A], s.pair_i[m, at.P_B]
    return i == a or s.body[a, at.B_KIND] != at.DYNAMIC or s.body[a, at.B_SEEN] != s.body[b, at.B_SEEN]


@once
def meet(s, m, h):
    """The event of near pair m at its time, an impact or the end of a slide.

    Brings its island there, settles it, and reschedules the pairs of its bodies.
    """
    t = s.pair_f[m, at.PF_TOI]
    s.pair_f[m, at.PF_TOI] = math.inf
    if s.pair_i[m, at.P_TOUCH] == 0:
        begin_touch(s, m)
    else:
        s.pair_i[m, at.P_LATE] += 1
    s.count[at.N_EVENTS] += 1
    pairs, bodies = collect(s, m, next_stamp(s), t + (SAME_TIME if len(s.beside) == 0 else SAME_FLOOR))
    _take_over(s, bodies)
    load_torques(s, pairs, bodies, t)
    for i in range(len(bodies)):
        s.par[at.F_GIVEN] += advance_in_contact(s.work[bodies[i]], t)
    for i in range(len(pairs)):
        renew(s, pairs[i], t, h)
    if not settle_within(s, pairs, bodies, t, h):
        return
    before = s.count[at.N_WORK]
    s.count[at.N_WORK] += 1
    for i in range(len(bodies)):
        b = s.body[bodies[i]]
        if b[at.B_KIND] != at.DYNAMIC:
            continue
        for k in range(b[at.B_ADJ], b[at.B_ADJ] + b[at.B_NADJ]):
            if _is_first(s, s.adjacent[k], bodies[i]):
                schedule(s, s.adjacent[k], t, h)
    _charge(s, bodies, s.count[at.N_WORK] - before, 0)


@kernel
def _met(s):
    """Keep in `close` the bodies that free flight has not moved, but for static ones; returns them, ascending."""
    n = 0
    for i in s.close[:s.count[at.N_CLOSE]]:
        if s.block[i // LANES, at.H_FREE * LANES + i % LANES] == 0.0 and s.body[i, at.B_KIND] != at.STATIC:
            s.close[n] = i
            n += 1
    s.count[at.N_CLOSE] = n
    return s.close[:n]


@once
def step_near_bodies(s, h):
    """Advance every body that is in contact within the step of h seconds; others have flown."""
    s.par[at.F_GIVEN] = 0.0
    s.count[at.N_BUDGET] = NO_BUDGET
    count_meetings(s)
    step_crowds(s, h)
    settle_touching(s, h)
    for m in range(s.count[at.N_NEAR]):
        schedule(s, m, 0.0, h)
    for _ in range(IMPACTS_PER_BODY * s.count[at.N_NEAR]):
        m = earliest(s)
        if m < 0:
            break
        if _is_done(s, m):
            s.pair_f[m, at.PF_TOI] = math.inf
        else:
            meet(s, m, h)
    met = _met(s)
    for i in met:
        if IMPACTS_PER_BODY <= s.work[i, at.W_HITS] < CRUSHED:
            # nobody looks out for it any more: it waits where it is for the next step
            s.par[at.F_GIVEN] += hold(s.work[i], h)
        s.par[at.F_GIVEN] += advance_in_contact(s.work[i], h)
    for m in range(s.count[at.N_NEAR]):
        if s.pair_i[m, at.P_TOUCH] == 1:
            log_resting(s, m, h)
    s.par[at.F_CONTACT_WORK] += max(0.0, s.par[at.F_GIVEN])
    remember(s)
    recover_overlap(s, h)
    for i in met:
        scatter(s, i)
