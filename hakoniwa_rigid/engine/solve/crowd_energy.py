"""The energy of a crowd: its impulses make none, what Newton's e or a warm start would add is scaled away; and what is
slow is calmed down."""

from ..constants import CREDITED, CROWD_DAMPING
from ..maths import elementary
from ..maths.jit import kernel
from ..maths.vec3 import add, dot, load3, norm, scale, store3, sub
from ..model import layout as at
from .common import apply, surface_speed
from .frame import relative_rate, relative_velocity
from .moments import has_moments, twist

# m/s: bodies that are slower are calmed down, in a small crowd if all are slower than the former
ALL_SLOW, SLOW = 0.2, 0.4
# share of the speed of its surface at which a body that goes down falls; one that rocks goes down by less
FALLING = 0.1


@kernel
def _energy(s, pairs):
    """Work of the impulses (J) if they are scaled by x: (a, b) of a x + b x^2; both in the frame of the movers."""
    a, b = 0.0, 0.0
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        ra, rb = s.work[p[at.P_A]], s.work[p[at.P_B]]
        for c in range(p[at.P_N]):
            r = s.row[at.POINTS * pairs[i] + c]
            j, u0 = load3(r, at.R_J), load3(r, at.R_FIRST)
            a += dot(j, u0)
            b += 0.5 * dot(j, sub(relative_velocity(ra, rb, r, at.W_V1, at.W_W1), u0))
            if has_moments(r):
                turn, w0 = load3(r, at.R_M), load3(r, at.R_SUM)
                a += dot(turn, w0)
                b += 0.5 * dot(turn, sub(relative_rate(ra, rb, r, at.W_W1), w0))
    return a, b


@kernel
def _scale(s, pairs, share):
    """All impulses to a share of what they are."""
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        ra, rb = s.work[p[at.P_A]], s.work[p[at.P_B]]
        for c in range(p[at.P_N]):
            r = s.row[at.POINTS * pairs[i] + c]
            j, turn = load3(r, at.R_J), load3(r, at.R_M)
            apply(ra, rb, r, scale(j, share - 1.0), at.W_V1, at.W_W1)
            store3(r, at.R_J, scale(j, share))
            if has_moments(r):
                twist(ra, rb, r, scale(turn, share - 1.0), at.W_W1)
                store3(r, at.R_M, scale(turn, share))


@kernel
def make_no_energy(s, pairs):
    """Scale the impulses down to the largest share that gives the bodies no kinetic energy.  True if it had to be."""
    a, b = _energy(s, pairs)
    if not a + b > 0.0:
        return False
    share = min(max(-a / b, 0.0), 1.0) if b > 0.0 else 0.0
    _scale(s, pairs, share)
    return True


@kernel
def calm_down(s, bodies, h):
    """Brake the slow bodies of a crowd that lies on what stands still; of a small one when all of them are slow.

    A load like others, from the velocities before: contacts are solved with it.  Rigid plates that stand on each
    other's edges rock for tens of seconds (Housner 1963); what real ones lose by that, and soft contacts, a step loses
    here; as do discs that rock on each other's rims.  What falls is not braked: a plate would topple, or slide down, at
    a crawl.
    """
    grounded, free, fastest = False, 0, 0.0
    for k in range(len(bodies)):
        r = s.work[bodies[k]]
        if r[at.W_IM] == 0.0:
            if norm(load3(r, at.W_V)) + norm(load3(r, at.W_W)) > 0.0:
                return
            grounded = True
        else:
            free, fastest = free + 1, max(fastest, surface_speed(s, bodies[k], at.W_V, at.W_W))
    if not grounded or (free <= CREDITED and fastest > ALL_SLOW):
        return
    lost, g = 1.0 - elementary.exp(-h / CROWD_DAMPING), load3(s.par, at.F_GX)
    for k in range(len(bodies)):
        r, speed = s.work[bodies[k]], surface_speed(s, bodies[k], at.W_V, at.W_W)
        falls = dot(load3(r, at.W_V), g) > FALLING * speed * norm(g)
        if r[at.W_IM] > 0.0 and not falls and speed <= SLOW:
            v, w = scale(load3(r, at.W_V), -lost), scale(load3(r, at.W_W), -lost)
            for column in (at.W_V1, at.W_BACK):
                store3(r, column, add(load3(r, column), v))
            for column in (at.W_W1, at.W_BACK + 3):
                store3(r, column, add(load3(r, column), w))
