"""The model `impulse`: the frictionless two-body formula of the Hakoniwa article, one pair of bodies after the other.

A pair that meets in several points (a box lands flat) gets one impulse, shared out among its approaching points in
proportion to their approach speeds: for one point, and for points with one normal, that is the article's formula at the
mean point.  Pairs take turns in the order of their indices until none approaches.
"""
from ..constants import APPROACH, IMPULSE_ROUNDS, INELASTIC_ROUNDS
from ..contact.frame import relative_velocity
from ..contact.material import elasticity
from ..maths.jit import kernel
from ..maths.vec3 import add, cross, dot, load3, load6, madd, scale, sub, sym_mul
from ..model import layout as L
from .common import apply


@kernel
def _same_bodies(s, m, other):
    return s.pair_i[m, L.P_A] == s.pair_i[other, L.P_A] and s.pair_i[m, L.P_B] == s.pair_i[other, L.P_B]


@kernel
def _approach(s, pairs, first, end):
    """Of the rows of near pairs first .. end - 1 of the island: keep their approach speeds in R_TARGET; their sum."""
    total = 0.0
    for i in range(first, end):
        p = s.pair_i[pairs[i]]
        for c in range(p[L.P_N]):
            r = s.row[L.POINTS * pairs[i] + c]
            u = relative_velocity(s.work[p[L.P_A]], s.work[p[L.P_B]], r, L.W_V, L.W_W)[0]
            r[L.R_TARGET] = -u if -u > APPROACH and r[L.R_TWIN] == 0.0 else 0.0
            total += r[L.R_TARGET]
    return total


@kernel
def _compliance(r, push, turn):
    """Part of one body (work row r) in the compliance (1/kg) of an impulse and the moment that it has."""
    if r[L.W_IM] == 0.0:
        return 0.0
    return r[L.W_IM] * dot(push, push) + dot(turn, sym_mul(load6(r, L.W_IW), turn))


@kernel
def _bounce(s, pairs, first, end, total, elastic):
    """One impulse on a pair of bodies whose rows approach, with `total` the sum of their speeds (m/s).

    elastic: 0 to let nothing bounce.
    """
    p = s.pair_i[pairs[first]]
    ra, rb = s.work[p[L.P_A]], s.work[p[L.P_B]]
    push, turn_a, turn_b, speed, e = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, 0.0
    for i in range(first, end):
        for c in range(s.pair_i[pairs[i], L.P_N]):
            r = s.row[L.POINTS * pairs[i] + c]
            share, n = r[L.R_TARGET] / total, load3(r, L.R_N)
            push = madd(push, n, share)
            turn_a = sub(turn_a, scale(cross(load3(r, L.R_RA), n), share))
            turn_b = add(turn_b, scale(cross(load3(r, L.R_RB), n), share))
            speed += share * r[L.R_TARGET]
            if share > 0.0:
                r[L.R_ON] = elastic * elasticity(s, p, r, r[L.R_TARGET])
                e += share * r[L.R_ON]
    size = (1.0 + e) * speed / (_compliance(ra, push, turn_a) + _compliance(rb, push, turn_b))
    for i in range(first, end):
        for c in range(s.pair_i[pairs[i], L.P_N]):
            r = s.row[L.POINTS * pairs[i] + c]
            j = size * r[L.R_TARGET] / total
            if j > 0.0:
                r[L.R_J] += j
                apply(ra, rb, r, (j, 0.0, 0.0), L.W_V, L.W_W)


@kernel
def solve_pair_by_pair(s, pairs):
    """Impulses of an island, near pairs ascending; the rows keep them in R_J."""
    for k in range(IMPULSE_ROUNDS + INELASTIC_ROUNDS):
        quiet, first = True, 0
        while first < len(pairs):
            end = first + 1
            while end < len(pairs) and _same_bodies(s, pairs[first], pairs[end]):
                end += 1
            total = _approach(s, pairs, first, end)
            if total > 0.0:
                quiet = False
                _bounce(s, pairs, first, end, total, 1.0 if k < IMPULSE_ROUNDS else 0.0)
            first = end
        if quiet:
            return
