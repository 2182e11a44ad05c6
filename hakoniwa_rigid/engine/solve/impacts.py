"""Impacts: all approaching contacts of an island at one instant, by Newton's restitution with Coulomb friction.

One contact is the two-body formula of physics.md section 3 with the exact friction law.  Several contacts are solved
together to convergence, u_n' = -e u_n where an impulse acts.  If the kinetic energy would rise (Kane's paradox), e of
the island is lowered to the largest share that keeps it; the rows report the e' used.
"""
import math

from ..constants import APPROACH, ENERGY_BISECTIONS, ENERGY_TOLERANCE, IMPACTS_BEFORE_INELASTIC
from ..maths.jit import kernel
from ..maths.vec3 import dot, load3, store3
from ..model import layout as at
from ..surface import restitution
from .common import relative_velocity, speed_scale
from .frame import relative_rate
from .island_solve import solve_island
from .moments import has_moments
from .pair_by_pair import solve_pair_by_pair
from .resting import NO_MATTER


@kernel
def _open_rows(s, pairs):
    """Velocities before the impact, e after threshold and Zeno cap.  Returns the fastest approach and speed (m/s)."""
    approach, speed = 0.0, 0.0
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        ra, rb = s.work[p[at.P_A]], s.work[p[at.P_B]]
        tired = max(ra[at.W_HITS], rb[at.W_HITS]) >= IMPACTS_BEFORE_INELASTIC
        for c in range(p[at.P_N]):
            r = s.row[at.POINTS * pairs[i] + c]
            u = relative_velocity(ra, rb, r, at.W_V, at.W_W)
            store3(r, at.R_U0, u)
            store3(r, at.R_J, (0.0, 0.0, 0.0))
            store3(r, at.R_M, (0.0, 0.0, 0.0))
            r[at.R_ON] = r[at.R_TIME] = 0.0
            if -u[0] >= s.par[at.F_THRESHOLD] and not tired:
                r[at.R_ON] = restitution(s, p[at.P_A], p[at.P_B], max(-u[0], 0.0))
            if -u[0] > approach:
                approach = -u[0]
            speed = max(speed, max(abs(u[0]), max(abs(u[1]), abs(u[2]))))
    return approach, speed


@kernel
def _set_targets(s, pairs, share):
    for i in range(len(pairs)):
        for c in range(s.pair_i[pairs[i], at.P_N]):
            r = s.row[at.POINTS * pairs[i] + c]
            r[at.R_TARGET] = max(0.0, -share * r[at.R_ON] * r[at.R_U0]) if r[at.R_TWIN] == 0.0 else -NO_MATTER


@kernel
def _solve(s, pairs, bodies, share, speed):
    """Start from the velocities before the impact (kept in W_V1, W_W1) and solve with e scaled by `share`."""
    for i in range(len(bodies)):
        r = s.work[bodies[i]]
        store3(r, at.W_V, load3(r, at.W_V1))
        store3(r, at.W_W, load3(r, at.W_W1))
    for i in range(len(pairs)):
        for c in range(s.pair_i[pairs[i], at.P_N]):
            store3(s.row[at.POINTS * pairs[i] + c], at.R_J, (0.0, 0.0, 0.0))
            store3(s.row[at.POINTS * pairs[i] + c], at.R_M, (0.0, 0.0, 0.0))
    _set_targets(s, pairs, share)
    solve_island(s, pairs, bodies, at.W_V, at.W_W, speed)


@kernel
def _bounces(s, pairs):
    for i in range(len(pairs)):
        for c in range(s.pair_i[pairs[i], at.P_N]):
            if s.row[at.POINTS * pairs[i] + c, at.R_TARGET] > 0.0:
                return True
    return False


@kernel
def _work_done(s, pairs):
    """Change of kinetic energy (J), sum of J.(u + u')/2 in the frame of the heavy bodies, and the size of its terms."""
    total, size = 0.0, 0.0
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        ra, rb = s.work[p[at.P_A]], s.work[p[at.P_B]]
        for c in range(p[at.P_N]):
            r = s.row[at.POINTS * pairs[i] + c]
            u1 = relative_velocity(ra, rb, r, at.W_V, at.W_W)
            u0, j = load3(r, at.R_U0), load3(r, at.R_J)
            total += 0.5 * (dot(j, u0) + dot(j, u1))
            size += math.sqrt(dot(j, j) * dot(u0, u0))
            if has_moments(r):
                m, w = load3(r, at.R_M), relative_rate(ra, rb, r, at.W_W1)
                total += 0.5 * (dot(m, w) + dot(m, relative_rate(ra, rb, r, at.W_W)))
                size += math.sqrt(dot(m, m) * dot(w, w))
    return total, size


@kernel
def _largest_share(s, pairs, bodies, speed):
    """Largest share of e that creates no energy: bisection, the last solve has it."""
    low, high = 0.0, 1.0
    for _ in range(ENERGY_BISECTIONS):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        _solve(s, pairs, bodies, middle, speed)
        gain, _ = _work_done(s, pairs)
        if gain > 0.0:
            high = middle
        else:
            low = middle
    _solve(s, pairs, bodies, low, speed)
    return low


@kernel
def solve_impacts(s, pairs, bodies):
    """Resolve the approaching contacts of an island now.

    True if any contact approached; the rows keep J, the velocity before, e'.
    """
    approach, speed = _open_rows(s, pairs)
    if approach <= APPROACH:
        return False
    speed += speed_scale(s, bodies, at.W_V, at.W_W)
    for i in range(len(bodies)):
        r = s.work[bodies[i]]
        store3(r, at.W_V1, load3(r, at.W_V))
        store3(r, at.W_W1, load3(r, at.W_W))
    share = 1.0
    if s.par[at.F_SOLVER] == at.IMPULSE:
        solve_pair_by_pair(s, pairs)
    else:
        _solve(s, pairs, bodies, 1.0, speed)
        gain, size = _work_done(s, pairs)
        if gain > ENERGY_TOLERANCE * size and _bounces(s, pairs):
            share = _largest_share(s, pairs, bodies, speed)
            s.count[at.N_LOWERED] += 1
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        hit = False
        for c in range(p[at.P_N]):
            r = s.row[at.POINTS * pairs[i] + c]
            r[at.R_ON] *= share
            hit = hit or r[at.R_J] > 0.0
        if hit:
            p[at.P_HIT] = 1
            s.count[at.N_IMPACTS] += 1
            for f in range(at.P_A, at.P_B + 1):
                s.work[p[f], at.W_HITS] += 1.0 if s.work[p[f], at.W_IM] > 0.0 else 0.0
                if s.work[p[f], at.W_HITS] == IMPACTS_BEFORE_INELASTIC:
                    s.count[at.N_CAPPED] += 1
    return True
