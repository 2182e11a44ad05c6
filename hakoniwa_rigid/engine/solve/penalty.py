"""The model `penalty`: a spring and a damper at every contact point (seed 002).

Normal force k d - c u_n on the depth d, never pulling; a tangential spring that is remembered from step to step, with
its own damper, bounded by mu times the normal force (Cundall and Strack 1979).  The damper gives a single hit the
pair's restitution.  All loads of a body in contact act as impulses at the beginning of a step, after which it moves on
without (symplectic Euler: the energy of a spring stays bounded); World.stable_dt is the longest step that is stable.
"""
import math

from ..constants import PENALTY_POINTS, PENALTY_RATE
from ..events import log_resting
from ..integrate.bodies import advance, scatter
from ..integrate.limits import limit_row
from ..maths import elementary
from ..maths.jit import kernel, once
from ..maths.vec3 import load3, load6, madd, store3, sym_mul
from ..model import layout as at
from ..surface import restitution
from .common import apply
from .frame import relative_velocity
from .moments import has_moments, solve_moments
from .resting import remember, warm_start

# share of the normal stiffness: sphere on plane then swings in both directions at one rate
TANGENTIAL = 2.0 / 7.0
NEWTON = 8
AXES = 3


@kernel
def damping_ratio(e):
    """Damping of a spring that leaves with e times its speed where it begins to pull (Schwager and Poeschel 2007).

    With the ratio sin a, e = exp(-(pi - 2 a) tan a); from critical damping on, e stays at exp(-2).
    """
    if e >= 1.0:
        return 0.0
    if e <= elementary.exp(-2.0):
        return 1.0
    # g cot g = -ln e / 2 with g = pi / 2 - a
    wanted = -0.5 * elementary.log(e)
    g = math.sqrt(3.0 * (1.0 - wanted))
    for _ in range(NEWTON):
        sine, cosine = elementary.sincos(g)
        cot = cosine / sine
        g -= (g * cot - wanted) / (cot - g * (1.0 + cot * cot))
    return elementary.cos(g)


@kernel
def _count_points(s):
    """Contact points of every body near a contact, in B_SLOT."""
    for m in range(s.count[at.N_NEAR]):
        s.body[s.pair_i[m, at.P_A], at.B_SLOT] = s.body[s.pair_i[m, at.P_B], at.B_SLOT] = 0
    for m in range(s.count[at.N_NEAR]):
        p = s.pair_i[m]
        for f in range(at.P_A, at.P_B + 1):
            s.body[p[f], at.B_SLOT] += p[at.P_N] if s.work[p[f], at.W_IM] > 0.0 else 0


@kernel
def _spring(s, p, r, h):
    """Impulse (N s, contact frame) of one row over a step of h seconds; that of its springs alone stays in R_KEEP."""
    points = max(s.body[p[at.P_A], at.B_SLOT], s.body[p[at.P_B], at.B_SLOT])
    k = s.par[at.F_PENALTY] if s.par[at.F_PENALTY] > 0.0 else PENALTY_RATE * PENALTY_RATE / r[at.R_K]
    k *= min(1.0, PENALTY_POINTS / points)
    u = load3(r, at.R_U0)
    across = max(r[at.R_K + 3], r[at.R_K + 5])
    kt = k * min(TANGENTIAL, r[at.R_K] / across)
    c = 2.0 * damping_ratio(restitution(s, p[at.P_A], p[at.P_B], max(-u[0], 0.0))) * math.sqrt(k / r[at.R_K])
    ct = 2.0 * math.sqrt(kt / across)
    # all points and axes together stop the body within a step at most: then springs alone bound the step
    c, ct = c / max(1.0, AXES * h * c * r[at.R_K] * points), ct / max(1.0, AXES * h * ct * across * points)
    push = h * max(k * r[at.R_DEPTH] - c * u[0], 0.0)
    t1, t2 = r[at.R_KEEP + 1] - kt * u[1] * h * h, r[at.R_KEEP + 2] - kt * u[2] * h * h
    j1, j2 = t1 - h * ct * u[1], t2 - h * ct * u[2]
    size, most = elementary.hypot(j1, j2), r[at.R_MU] * push
    if size > most:
        j1, j2 = j1 * most / size, j2 * most / size
    if elementary.hypot(t1, t2) > most:
        share = most / elementary.hypot(t1, t2)
        t1, t2 = share * t1, share * t2
    store3(r, at.R_KEEP, (h * k * r[at.R_DEPTH], t1, t2))
    return push, j1, j2


@kernel
def _find_forces(s, h):
    """Impulses of all rows from the velocities at the beginning of the step."""
    row = 0
    for m in range(s.count[at.N_NEAR]):
        p = s.pair_i[m]
        if p[at.P_TOUCH] == 0:
            continue
        row = warm_start(s, m, h, row)
        s.pair_f[m, at.PF_SINCE], s.pair_f[m, at.PF_SPAN] = 0.0, h
        for c in range(p[at.P_N]):
            r = s.row[at.POINTS * m + c]
            store3(r, at.R_U0, relative_velocity(s.work[p[at.P_A]], s.work[p[at.P_B]], r, at.W_V, at.W_W))
            store3(r, at.R_J, (0.0, 0.0, 0.0) if r[at.R_TWIN] == 1.0 else _spring(s, p, r, h))


@kernel
def _apply_forces(s):
    for m in range(s.count[at.N_NEAR]):
        p = s.pair_i[m]
        ra, rb = s.work[p[at.P_A]], s.work[p[at.P_B]]
        for c in range(p[at.P_N] if p[at.P_TOUCH] == 1 else 0):
            r = s.row[at.POINTS * m + c]
            apply(ra, rb, r, load3(r, at.R_J), at.W_V, at.W_W)
    for m in range(s.count[at.N_NEAR]):
        p = s.pair_i[m]
        for c in range(p[at.P_N] if p[at.P_TOUCH] == 1 else 0):
            r = s.row[at.POINTS * m + c]
            if has_moments(r):
                solve_moments(s.work[p[at.P_A]], s.work[p[at.P_B]], r, at.W_W)


@kernel
def _fly(s, i, h):
    """Body i over the step, its contact impulses applied: in contact with its other loads at once, else exactly."""
    r = s.work[i]
    if r[at.W_IM] > 0.0 and s.body[i, at.B_SLOT] > 0:
        store3(r, at.W_V, madd(load3(r, at.W_V), load3(r, at.W_EXT_A), h))
        turn = sym_mul(load6(r, at.W_IW), load3(r, at.W_EXT_T))
        store3(r, at.W_W, madd(load3(r, at.W_W), turn, h))
        store3(r, at.W_A, (0.0, 0.0, 0.0))
        store3(r, at.W_T, (0.0, 0.0, 0.0))
    limit_row(s, i)
    advance(r, h)


@kernel
def _log_and_remember(s, h):
    for m in range(s.count[at.N_NEAR]):
        p = s.pair_i[m]
        if p[at.P_TOUCH] == 1:
            log_resting(s, m, h)
        for c in range(p[at.P_N] if p[at.P_TOUCH] == 1 else 0):
            r = s.row[at.POINTS * m + c]
            store3(r, at.R_J, load3(r, at.R_KEEP))
    remember(s)


@once
def step_by_penalty(s, h):
    """Advance every body near a contact by one step of h seconds."""
    _count_points(s)
    _find_forces(s, h)
    _apply_forces(s)
    for i in range(len(s.body)):
        if s.body[i, at.B_NEAR] == at.IN_CONTACT:
            _fly(s, i, h)
    _log_and_remember(s, h)
    for i in range(len(s.body)):
        if s.body[i, at.B_NEAR] == at.IN_CONTACT:
            scatter(s, i)
