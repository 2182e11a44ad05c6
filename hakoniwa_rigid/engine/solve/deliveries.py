"""From the impacts of an island at one instant to their profiles over time: one for every near pair that was hit."""
from ..contact.force_profile import duration_of
from ..contact.frame import to_world
from ..contact.pending_impulses import deliver
from ..maths.jit import kernel
from ..maths.vec3 import add, cross, load3, madd, norm, scale, sub
from ..model import layout as L

# m/s: a Hertz contact that is carried along by a hit elsewhere approaches at no speed; it has this one
SLOWEST = 1e-3
# approach speed times duration, in half sides of both bodies: they press in by half of it at most
DEEPEST = 1.6


@kernel
def _half_side(s, g):
    """Least half side (m) of shape g; none for a mesh, which has a surface only."""
    if s.geom_i[g, L.GI_TYPE] == L.MESH:
        return 0.0
    return min(s.geom[g, L.G_HALF], min(s.geom[g, L.G_HALF + 1], s.geom[g, L.G_HALF + 2]))


@kernel
def set_times(s, pairs):
    """R_TIME of the rows that were hit: the same for all of a near pair, from its row with the largest impulse.

    Shortened where the bodies would press in as far as their middles meet: beyond, the way out is on the other side.
    """
    kind, stiffness = int(s.par[L.F_PROFILE]), s.par[L.F_STIFFNESS]
    for i in range(len(pairs)):
        first, n = L.POINTS * pairs[i], s.pair_i[pairs[i], L.P_N]
        best, duration = 0, s.par[L.F_CONTACT_TIME]
        for c in range(n):
            if s.row[first + c, L.R_J] > s.row[first + best, L.R_J]:
                best = c
        if n == 0 or not s.row[first + best, L.R_J] > 0.0:
            continue
        if stiffness > 0.0:
            r = s.row[first + best]
            duration = duration_of(kind, stiffness, 1.0 / r[L.R_K], max(-r[L.R_U0], SLOWEST))
        room = DEEPEST * (_half_side(s, s.pair_i[pairs[i], L.P_GA]) + _half_side(s, s.pair_i[pairs[i], L.P_GB]))
        fastest = -s.row[first, L.R_U0]
        for c in range(1, n):
            fastest = max(fastest, -s.row[first + c, L.R_U0])
        if fastest * duration > room:
            duration = room / fastest
        for c in range(n):
            s.row[first + c, L.R_TIME] = duration


@kernel
def deliver_impacts(s, pairs, t, h):
    """Start the profiles of the rows that were hit at time t of the step of h seconds."""
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        normal = (0.0, 0.0, 0.0)
        total, turn_a, turn_b, duration = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
        for c in range(p[L.P_N]):
            r = s.row[L.POINTS * pairs[i] + c]
            if not r[L.R_J] > 0.0:
                continue
            j, moment = to_world(r, load3(r, L.R_J)), to_world(r, load3(r, L.R_M))
            total, duration, normal = add(total, j), r[L.R_TIME], madd(normal, load3(r, L.R_N), r[L.R_J])
            turn_a = sub(turn_a, add(cross(load3(r, L.R_RA), j), moment))
            turn_b = add(turn_b, add(cross(load3(r, L.R_RB), j), moment))
        if duration > 0.0:
            normal = scale(normal, 1.0 / norm(normal))
            deliver(s, pairs[i], normal, total, turn_a, turn_b, duration, t, h)
