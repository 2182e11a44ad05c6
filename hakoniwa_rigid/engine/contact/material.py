"""What two surfaces do to each other: friction and restitution of a pair of bodies (interfaces.md, materials).

Every body has a row of `s.surface`; pairs of bodies that were given values of their own have one too, found by the
classes of the two bodies.  There NaN stands for what is combined from the bodies' rows.
"""
import math

from ..constants import IMPACTS_BEFORE_INELASTIC
from ..maths.jit import kernel
from ..maths.search import find
from ..maths.vec3 import dot, load3, sub
from ..model import layout as at


@kernel
def combine(rule, x, y):
    """One coefficient of a pair from those of its bodies."""
    if rule == at.MAX:
        return max(x, y)
    if rule == at.MIN:
        return min(x, y)
    if rule == at.AVERAGE:
        return 0.5 * (x + y)
    if rule == at.MULTIPLY:
        return x * y
    return math.sqrt(x * y)


@kernel
def own_surface(s, a, b):
    """Row of the surface that the pair of bodies a, b has of its own, or -1."""
    if len(s.special) == 0:
        return -1
    low, high = min(s.body[a, at.B_CLASS], s.body[b, at.B_CLASS]), max(s.body[a, at.B_CLASS], s.body[b, at.B_CLASS])
    k = find(s.special, low * len(s.body) + high)
    return len(s.body) + k if k >= 0 else -1


@kernel
def frictions(s, a, b):
    """(mu, rolling friction m, torsional friction m) of bodies a and b."""
    if s.par[at.F_SOLVER] == at.IMPULSE:
        return 0.0, 0.0, 0.0
    fa, fb, own = s.surface[a], s.surface[b], own_surface(s, a, b)
    mu = combine(s.par[at.F_COMBINE_MU], fa[at.S_MU], fb[at.S_MU])
    roll, torsion = max(fa[at.S_ROLL], fb[at.S_ROLL]), max(fa[at.S_TORSION], fb[at.S_TORSION])
    if own >= 0:
        f = s.surface[own]
        mu = mu if math.isnan(f[at.S_MU]) else f[at.S_MU]
        roll = roll if math.isnan(f[at.S_ROLL]) else f[at.S_ROLL]
        torsion = torsion if math.isnan(f[at.S_TORSION]) else f[at.S_TORSION]
    return mu, roll, torsion


@kernel
def _at_speed(s, row, speed):
    """e of one row of `surface` at an approach speed (m/s): linear between the points of its table, if it has one."""
    first, n = int(s.surface[row, at.S_TABLE]), int(s.surface[row, at.S_POINTS])
    if n == 0:
        return s.surface[row, at.S_E]
    if speed <= s.curve[first, 0]:
        return s.curve[first, 1]
    for k in range(first + 1, first + n):
        v0, v1 = s.curve[k - 1, 0], s.curve[k, 0]
        if speed <= v1:
            share = (speed - v0) / (v1 - v0)
            return (1.0 - share) * s.curve[k - 1, 1] + share * s.curve[k, 1]
    return s.curve[first + n - 1, 1]


@kernel
def restitution(s, a, b, speed):
    """e of bodies a and b that approach with `speed` (m/s)."""
    own = own_surface(s, a, b)
    if own >= 0 and not math.isnan(s.surface[own, at.S_E]):
        return _at_speed(s, own, speed)
    return combine(s.par[at.F_COMBINE_E], _at_speed(s, a, speed), _at_speed(s, b, speed))


@kernel
def slowest_bounce(s, ra, rb, r):
    """Approach speed (m/s) below which a row does not bounce: the threshold, or what the loads give it in a step.

    A slower bounce would be back within the step, which cannot show it: the body would hover on one impact per step.
    """
    loads = dot(load3(r, at.R_N), sub(load3(ra, at.W_EXT_A), load3(rb, at.W_EXT_A)))
    return max(s.par[at.F_THRESHOLD], loads * s.par[at.F_H])


@kernel
def elasticity(s, p, r, speed):
    """e of row r of near pair p that approaches with `speed` (m/s), 0 where it is too slow or the bodies too busy."""
    ra, rb = s.work[p[at.P_A]], s.work[p[at.P_B]]
    tired = max(ra[at.W_HITS], rb[at.W_HITS]) >= IMPACTS_BEFORE_INELASTIC
    if speed <= 0.0 or speed < slowest_bounce(s, ra, rb, r) or tired:
        return 0.0
    return restitution(s, p[at.P_A], p[at.P_B], speed)
