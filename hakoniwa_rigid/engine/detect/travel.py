"""How fast and how far the surfaces of two bodies may come, and from how far on they touch."""

from ..constants import HELD_STEPS, LEAST_DRIFT, MOST_DRIFT, TOUCH, WIDEST_TOUCH
from ..maths import elementary, quat
from ..maths.jit import kernel
from ..maths.vec3 import add, cross, dot, load3, madd, norm, scale, sub, sym_mul
from ..model import layout as at


@kernel
def spin_speed(s, g, r):
    """Bound (m/s) on the speed of the shape's surface by rotation; none for a sphere about the centre of mass."""
    centred = s.geom[g, at.G_X] == s.geom[g, at.G_X + 1] == s.geom[g, at.G_X + 2] == 0.0
    if centred and s.geom_i[g, at.GI_TYPE] == at.SPHERE:
        return 0.0
    if s.geom[g, at.G_RADIUS] >= at.UNBOUNDED:
        return 0.0
    return norm(load3(r, at.W_W)) * s.geom[g, at.G_RADIUS]


@kernel
def on_mesh(s, m):
    """True for near pairs with a mesh.

    Its other triangles may close faster than the nearest: the speed along the nearest normal bounds nothing there.
    """
    p = s.pair_i[m]
    return s.geom_i[p[at.P_GA], at.GI_TYPE] == at.MESH or s.geom_i[p[at.P_GB], at.GI_TYPE] == at.MESH


@kernel
def thickness(s, m):
    """Least half side (m) of the shapes of near pair m that are no mesh."""
    p, least = s.pair_i[m], at.UNBOUNDED
    for f in range(at.P_GA, at.P_GB + 1):
        if s.geom_i[p[f], at.GI_TYPE] != at.MESH:
            least = min(least, half_thickness(s, p[f]))
    return least


@kernel
def half_thickness(s, g):
    """Least half side (m) of the box around shape g."""
    half = load3(s.geom[g], at.G_HALF)
    return min(half[0], min(half[1], half[2]))


@kernel
def turned(q, w, h):
    """Attitude q after h seconds at the rate w (rad/s, world)."""
    rate = norm(w)
    if rate == 0.0:
        return q
    axis = scale(w, elementary.sin(0.5 * rate * h) / rate)
    return quat.mul((elementary.cos(0.5 * rate * h), axis[0], axis[1], axis[2]), q)


@kernel
def turner(s, m):
    """Rate (rad/s, world) of the body of near pair m that nothing stops; 0 where there is none, and for meshes.

    What lies on such a body is carried round: its surface moves, but hardly as seen from there.
    """
    w = (0.0, 0.0, 0.0)
    if s.par[at.F_SOLVER] != at.SEQUENTIAL or s.par[at.F_PROFILE] != at.NO_PROFILE or on_mesh(s, m):
        return w
    for f in range(at.P_A, at.P_B + 1):
        r = s.work[s.pair_i[m, f]]
        if r[at.W_IM] == 0.0:
            w = add(w, load3(r, at.W_W))
    return w


@kernel
def seen_from(s, m, w):
    """Centre of mass (m) and velocity (m/s) of body b of near pair m against those of a, seen turning at rate w."""
    ra, rb = s.work[s.pair_i[m, at.P_A]], s.work[s.pair_i[m, at.P_B]]
    d = sub(load3(rb, at.W_X), load3(ra, at.W_X))
    return d, sub(sub(load3(rb, at.W_V), load3(ra, at.W_V)), cross(w, d))


@kernel
def set_touch(s, m, n):
    """How far apart surfaces with normal n count as touching, by how the bodies of near pair m are carried round."""
    h, w, drift = s.par[at.F_H], turner(s, m), 0.0
    if w[0] != 0.0 or w[1] != 0.0 or w[2] != 0.0:
        apart, v = seen_from(s, m, w)
        tilt = norm(madd(w, n, -dot(w, n)))
        # centripetal and Coriolis accelerations
        drift = min(max(tilt * (tilt * norm(apart) + 2.0 * norm(v)) * h, LEAST_DRIFT), MOST_DRIFT)
    s.pair_f[m, at.PF_DRIFT] = drift
    s.pair_f[m, at.PF_TOUCH] = TOUCH + min(0.5 * HELD_STEPS * HELD_STEPS * drift * h, WIDEST_TOUCH)


@kernel
def slow(s, m):
    """Speed (m/s) at which touching surfaces that are carried round may approach or slip."""
    return HELD_STEPS * s.pair_f[m, at.PF_DRIFT]


@kernel
def spin_growth(s, g, r):
    """Bound (m/s^2) on how fast spin_speed of the shape may grow, by torque and by precession.

    Moments of inertia differ by no more than the third one, so that a body turns its own rate by its square at most.
    """
    rate, w = spin_speed(s, g, r), load3(r, at.W_W)
    if rate == 0.0 and (s.geom_i[g, at.GI_TYPE] == at.SPHERE or s.geom[g, at.G_RADIUS] >= at.UNBOUNDED):
        return 0.0
    iw = (r[at.W_IW], r[at.W_IW + 1], r[at.W_IW + 2], r[at.W_IW + 3], r[at.W_IW + 4], r[at.W_IW + 5])
    return rate * norm(w) + norm(sym_mul(iw, load3(r, at.W_T))) * s.geom[g, at.G_RADIUS]


@kernel
def spin_reach(s, g, r, h):
    """Bound (m) on the travel of the shape's surface by rotation within h seconds: never more than its diameter."""
    return min(spin_speed(s, g, r) * h, 2.0 * s.geom[g, at.G_RADIUS])


@kernel
def surface_reach(s, m, h):
    """Bound (m) on the relative travel of the two surfaces of near pair m within h seconds."""
    p = s.pair_i[m]
    a, b = s.work[p[at.P_A]], s.work[p[at.P_B]]
    return a[at.W_REACH] + b[at.W_REACH] + spin_reach(s, p[at.P_GA], a, h) + spin_reach(s, p[at.P_GB], b, h)
