"""Resting contacts as they are in the middle of their interval: arms and normals by which bodies that roll are held.

With those of its start a rim that rolls is held a way of second order off, and meets the floor anew in every step.
Velocities of a row are those at the end of the interval all the same: its bias is what the way there makes of them.
With J the row's Jacobian, J_mid V_1 + (J_mid - J_0) V_0 >= 0 says that surfaces that touch at first have at the mean of
both velocities, not come into each other.  What impulses give is their work at that mean, which is never positive.
"""
from ..constants import LEAST_DRIFT
from ..contact.effective_mass import prepare
from ..contact.frame import relative_velocity
from ..maths import quat
from ..maths.jit import kernel
from ..maths.vec3 import dot, load3, madd, norm, scale, store3, sub
from ..model import layout as L
from ..motion.bodies import is_uniform
from .narrowphase import collide
from .travel import on_mesh, spin_speed, turned

# rad: where bodies turn less in an interval what that makes of velocities is no approach (1e-10 m/s at 0.1 m, 1 ms);
# where they turn more, half an interval says little.  Least cosine between both normals
STEADY, FARTHEST, SAME_SIDE = 1e-6, 0.25, 0.9


@kernel
def _halfway(r, h):
    """Position (m) and attitude of a work row in the middle of the next h seconds, from its velocities now (W_V, W_W)
    and then (W_V1, W_W1)."""
    v, w = load3(r, L.W_V), load3(r, L.W_W)
    if r[L.W_IM] > 0.0:
        v, w = madd(scale(v, 0.75), load3(r, L.W_V1), 0.25), madd(scale(w, 0.75), load3(r, L.W_W1), 0.25)
    return madd(load3(r, L.W_X), v, 0.5 * h), turned(quat.load4(r, L.W_Q), w, 0.5 * h)


@kernel
def turn_back(s, m):
    """Rows of near pair m as they are at the start of their interval, where its bodies are."""
    p = s.pair_i[m]
    for c in range(L.POINTS * m, L.POINTS * m + p[L.P_N]):
        r = s.row[c]
        if r[L.R_TURNED] == 1.0:
            store3(r, L.R_X, load3(r, L.R_START))
            store3(r, L.R_N, load3(r, L.R_START + 3))
            store3(r, L.R_BIAS, (0.0, 0.0, 0.0))
            r[L.R_TURNED] = 0.0
            prepare(s.work[p[L.P_A]], s.work[p[L.P_B]], r)


@kernel
def _rate(s, g, r):
    """Rate (rad/s) of work row r as far as anything of shape g is elsewhere by it; 0 for uniform spheres."""
    return norm(load3(r, L.W_W)) if not is_uniform(r) or spin_speed(s, g, r) > 0.0 else 0.0


@kernel
def _fastest(s, m):
    """Rate (rad/s) of the body of near pair m that turns faster."""
    p = s.pair_i[m]
    return max(_rate(s, p[L.P_GA], s.work[p[L.P_A]]), _rate(s, p[L.P_GB], s.work[p[L.P_B]]))


@kernel
def _turns(s, m, h):
    """True if the contacts of near pair m move along its bodies in h seconds by how these turn, and not too far."""
    if s.par[L.F_SOLVER] != L.SEQUENTIAL or s.par[L.F_PROFILE] != L.NO_PROFILE or on_mesh(s, m):
        return False
    if s.pair_f[m, L.PF_DRIFT] > LEAST_DRIFT:      # carried round, to a tolerance of its own
        return False
    return STEADY < _fastest(s, m) * h < FARTHEST


@kernel
def way_error(s, m):
    """Times R_BIAS, what a step before may have left of the velocity of a row of near pair m: the next term of its way,
    by the turn of the bodies in a step."""
    h = s.par[L.F_H]
    return _fastest(s, m) * h * h / s.pair_f[m, L.PF_SPAN]


@kernel
def _same(s, n, r):
    """Which of the n rows of the scratch is contact row r later on; -1 if none is."""
    for k in range(n):
        row = s.manifold[k]
        if row[L.M_FEATURE] == r[L.R_FEATURE] and dot(load3(row, L.M_N), load3(r, L.R_N)) > SAME_SIDE:
            return k
    return -1


@kernel
def turn_on(s, m, h):
    """Rows of near pair m as they are in the middle of the next h seconds, all of them or none; returns how many."""
    p = s.pair_i[m]
    if p[L.P_N] == 0 or not _turns(s, m, h):
        return 0
    ra, rb = s.work[p[L.P_A]], s.work[p[L.P_B]]
    (xa, qa), (xb, qb) = _halfway(ra, h), _halfway(rb, h)
    n = collide(s, p[L.P_GA], xa, qa, p[L.P_GB], xb, qb, p[L.P_SUB], s.pair_f[m, L.PF_REACH])
    first = L.POINTS * m
    for c in range(first, first + p[L.P_N]):
        if _same(s, n, s.row[c]) < 0:
            return 0
    for c in range(first, first + p[L.P_N]):
        _turn(ra, rb, s.row[c], s.manifold[_same(s, n, s.row[c])], xa, xb)
    return p[L.P_N]


@kernel
def _turn(ra, rb, r, row, xa, xb):
    """Contact row r as row `row` of the scratch has it where its bodies are at xa and xb (m) in mid-interval.

    Overlap that is there by the forces that are yet to be found is none: the bodies are moved apart by it.
    """
    n, over = load3(row, L.M_N), min(row[L.M_GAP] - r[L.R_GAP], 0.0)
    xa, xb = madd(xa, n, 0.5 * over), madd(xb, n, -0.5 * over)
    store3(r, L.R_START, load3(r, L.R_X))
    store3(r, L.R_START + 3, load3(r, L.R_N))
    before = relative_velocity(ra, rb, r, L.W_V, L.W_W)
    here = load3(ra, L.W_X), load3(rb, L.W_X)
    store3(r, L.R_X, load3(row, L.M_X))
    store3(r, L.R_N, n)
    store3(ra, L.W_X, xa)
    store3(rb, L.W_X, xb)
    prepare(ra, rb, r)
    store3(ra, L.W_X, here[0])
    store3(rb, L.W_X, here[1])
    store3(r, L.R_BIAS, (0.0, 0.0, 0.0))
    store3(r, L.R_BIAS, sub(relative_velocity(ra, rb, r, L.W_V, L.W_W), before))
    r[L.R_TURNED] = 1.0
