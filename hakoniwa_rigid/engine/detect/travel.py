# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""How fast and how far the surfaces of two bodies may come, and from how far on they touch."""

from ..constants import HELD_STEPS, LEAST_VELOCITY_CHANGE, MOST_VELOCITY_CHANGE, TOUCH, WIDEST_TOUCH
from ..maths import elementary, quat
from ..maths.jit import kernel
from ..maths.vec3 import add, cross, dot, madd, norm, scale, sub, sym_mul
from ..model import layout as L
from ..model.solvers import follows_turns
from ..shapes.kinds import MESH, SPHERE, UNBOUNDED


@kernel
def spin_speed(s, g, r):
    """Bound (m/s) on the speed of the shape's surface by rotation; none for a sphere about the centre of mass."""
    x = s.geom[g].position
    if x[0] == x[1] == x[2] == 0.0 and s.geom_i[g].kind == SPHERE:
        return 0.0
    if s.geom[g].radius >= UNBOUNDED:
        return 0.0
    return norm(r.angular_velocity) * s.geom[g].radius


@kernel
def on_mesh(s, m):
    """True for contact pairs with a mesh.

    Its other triangles may close faster than the nearest: the speed along the nearest normal bounds nothing there.
    """
    p = s.pair_i[m]
    return s.geom_i[p.shape_a].kind == MESH or s.geom_i[p.shape_b].kind == MESH


@kernel
def thickness(s, m):
    """Least half side (m) of the shapes of contact pair m that are no mesh."""
    p, least = s.pair_i[m], UNBOUNDED
    for f in range(L.P_GA, L.P_GB + 1):
        if s.geom_i[p[f]].kind != MESH:
            least = min(least, half_thickness(s, p[f]))
    return least


@kernel
def half_thickness(s, g):
    """Least half side (m) of the box around shape g."""
    half = s.geom[g].half_sides
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
def frame_rate(s, m):
    """Rate (rad/s, world) of the body of infinite mass of contact pair m; 0 where there is none, and for meshes.

    What lies on such a body is carried round: its surface moves, but hardly as seen from there.
    """
    w = (0.0, 0.0, 0.0)
    if not follows_turns(s) or s.par.contact_profile != L.NO_PROFILE or on_mesh(s, m):
        return w
    for f in range(L.P_A, L.P_B + 1):
        r = s.work[s.pair_i[m, f]]
        if r.inverse_mass == 0.0:
            w = add(w, r.angular_velocity)
    return w


@kernel
def seen_from(s, m, w):
    """Centre of mass (m) and velocity (m/s) of body b of contact pair m against those of a, seen turning at rate w."""
    ra, rb = s.work[s.pair_i[m].body_a], s.work[s.pair_i[m].body_b]
    d = sub(rb.position, ra.position)
    return d, sub(sub(rb.velocity, ra.velocity), cross(w, d))


@kernel
def set_touch(s, m, n):
    """How far apart surfaces with normal n count as touching, by how the bodies of contact pair m are carried round.
    Writes: s.pair_f."""
    h, w, change = s.par.dt, frame_rate(s, m), 0.0
    if w[0] != 0.0 or w[1] != 0.0 or w[2] != 0.0:
        apart, v = seen_from(s, m, w)
        tilt = norm(madd(w, n, -dot(w, n)))
        # centripetal and Coriolis accelerations
        change = min(max(tilt * (tilt * norm(apart) + 2.0 * norm(v)) * h, LEAST_VELOCITY_CHANGE), MOST_VELOCITY_CHANGE)
    s.pair_f[m].velocity_change = change
    s.pair_f[m].touch_gap = TOUCH + min(0.5 * HELD_STEPS * HELD_STEPS * change * h, WIDEST_TOUCH)


@kernel
def slow(s, m):
    """Speed (m/s) at which touching surfaces that are carried round may approach or slip."""
    return HELD_STEPS * s.pair_f[m].velocity_change


@kernel
def spin_growth(s, g, r):
    """Bound (m/s^2) on how fast spin_speed of the shape may grow, by torque and by precession.

    Moments of inertia differ by no more than the third one, so that a body turns its own rate by its square at most.
    """
    rate, w = spin_speed(s, g, r), r.angular_velocity
    if rate == 0.0 and (s.geom_i[g].kind == SPHERE or s.geom[g].radius >= UNBOUNDED):
        return 0.0
    iw = (r[L.W_IW], r[L.W_IW + 1], r[L.W_IW + 2], r[L.W_IW + 3], r[L.W_IW + 4], r[L.W_IW + 5])
    return rate * norm(w) + norm(sym_mul(iw, r.torque)) * s.geom[g].radius


@kernel
def spin_reach(s, g, r, h):
    """Bound (m) on the travel of the shape's surface by rotation within h seconds: never more than its diameter."""
    return min(spin_speed(s, g, r) * h, 2.0 * s.geom[g].radius)


@kernel
def reach_of_pair(s, a, b):
    """Bound (m) on the travel of bodies a and b together until they meet, the hits of others counted: what they make of
    each other comes after that."""
    f, g = s.anchor[a], s.anchor[b]
    own = f.reach_by_others if f.hit_by == b else f.reach_when_hit
    return own + (g.reach_by_others if g.hit_by == a else g.reach_when_hit)


@kernel
def surface_reach(s, m, h):
    """Bound (m) on the relative travel of the two surfaces of contact pair m within h seconds."""
    p = s.pair_i[m]
    a, b = s.work[p.body_a], s.work[p.body_b]
    return reach_of_pair(s, p.body_a, p.body_b) + spin_reach(s, p.shape_a, a, h) + spin_reach(s, p.shape_b, b, h)
