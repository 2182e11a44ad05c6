# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Resting contacts as they are in the middle of their interval: arms and normals by which bodies that roll are held.

With those of its start a rim that rolls is held a way of second order off, and meets the floor anew in every step.
Velocities of a row are those at the end of the interval all the same: its bias is what the way there makes of them.
With J the row's Jacobian, J_mid V_1 + (J_mid - J_0) V_0 >= 0 says that surfaces that touch at first have at the mean of
both velocities, not come into each other.  What impulses give is their work at that mean, which is never positive.
"""
from ..constants import LEAST_VELOCITY_CHANGE
from ..contact.effective_mass import prepare, prepare_along
from ..contact.frame import relative_velocity
from ..maths.jit import kernel
from ..maths.vec3 import cross, dot, load3, madd, norm, scale, store3, sub, tangents
from ..model import layout as L
from ..model.solvers import follows_turns
from ..motion.bodies import is_uniform
from .narrowphase import collide
from .travel import on_mesh, spin_speed, turned

# rad: where bodies turn less in an interval what that makes of velocities is no approach (1e-10 m/s at 0.1 m, 1 ms);
# where they turn more, half an interval says little.  Least cosine between both normals, and both first tangents
STEADY, FARTHEST, SAME_SIDE = 1e-6, 0.25, 0.9


@kernel
def _halfway(r, h):
    """Position (m) and attitude of a work row in the middle of the next h seconds, from its velocities now (W_V, W_W)
    and then (W_V1, W_W1)."""
    v, w = r.velocity, r.angular_velocity
    if r.inverse_mass > 0.0:
        v = madd(scale(v, 0.75), r.predicted_velocity, 0.25)
        w = madd(scale(w, 0.75), r.predicted_angular_velocity, 0.25)
    return madd(r.position, v, 0.5 * h), turned(r.attitude, w, 0.5 * h)


@kernel
def turn_back(s, m):
    """Rows of contact pair m as they are at the start of their interval, where its bodies are.  Writes: s.row."""
    p = s.pair_i[m]
    for c in range(L.POINTS * m, L.POINTS * m + p.point_count):
        r = s.row[c]
        if r.is_midway == 1.0:
            r.position = r.start_position
            r.normal = load3(r, L.R_START + 3)
            r.velocity_bias = (0.0, 0.0, 0.0)
            r.is_midway = 0.0
            prepare(s.work[p.body_a], s.work[p.body_b], r)


@kernel
def _rate(s, g, r):
    """Rate (rad/s) of work row r as far as anything of shape g is elsewhere by it; 0 for uniform spheres."""
    return norm(r.angular_velocity) if not is_uniform(r) or spin_speed(s, g, r) > 0.0 else 0.0


@kernel
def _fastest(s, m):
    """Rate (rad/s) of the body of contact pair m that turns faster."""
    p = s.pair_i[m]
    return max(_rate(s, p.shape_a, s.work[p.body_a]), _rate(s, p.shape_b, s.work[p.body_b]))


@kernel
def _turns(s, m, h):
    """True if the contacts of contact pair m move along its bodies in h seconds by how these turn, and not too far."""
    if not follows_turns(s) or s.par.contact_profile != L.NO_PROFILE or on_mesh(s, m):
        return False
    if s.pair_f[m].velocity_change > LEAST_VELOCITY_CHANGE:      # carried round, to a tolerance of its own
        return False
    return STEADY < _fastest(s, m) * h < FARTHEST


@kernel
def way_error(s, m):
    """Times R_BIAS, what a step before may have left of the velocity of a row of contact pair m: the next term of its
    way, by the turn of the bodies in a step."""
    h = s.par.dt
    return _fastest(s, m) * h * h / s.pair_f[m].rest_span


@kernel
def _same(s, n, r):
    """Which of the n rows of the scratch is contact point r later on; -1 if none is."""
    for k in range(n):
        row = s.manifold[k]
        if row[L.M_FEATURE] == r.feature and dot(load3(row, L.M_N), r.normal) > SAME_SIDE:
            return k
    return -1


@kernel
def turn_on(s, m, h):
    """Rows of contact pair m as they are in the middle of the next h seconds, all of them or none; returns how many.
    Writes: s."""
    p = s.pair_i[m]
    if p.point_count == 0 or not _turns(s, m, h):
        return 0
    ra, rb = s.work[p.body_a], s.work[p.body_b]
    (xa, qa), (xb, qb) = _halfway(ra, h), _halfway(rb, h)
    n = collide(s, p.shape_a, xa, qa, p.shape_b, xb, qb, p.patch, s.pair_f[m].reach)
    first = L.POINTS * m
    for c in range(first, first + p.point_count):
        if _same(s, n, s.row[c]) < 0:
            return 0
    for c in range(first, first + p.point_count):
        _turn(ra, rb, s.row[c], s.manifold[_same(s, n, s.row[c])], xa, xb)
    return p.point_count


@kernel
def _tangents(r, n):
    """Tangents to the normal n in mid-interval; those of row r, turned with its normal, where the choice of axes jumps:
    velocities and rates before, friction and bias have their components along both alike."""
    t1, t2 = tangents(n)
    if dot(t1, r.tangent_1) < SAME_SIDE:
        t1 = madd(r.tangent_1, n, -dot(r.tangent_1, n))
        t1 = scale(t1, 1.0 / norm(t1))
        t2 = cross(n, t1)
    return t1, t2


@kernel
def _turn(ra, rb, r, row, xa, xb):
    """Contact point r as row `row` of the scratch has it where its bodies are at xa and xb (m) in mid-interval.

    Overlap that is there by the forces that are yet to be found is none: the bodies are moved apart by it.
    Writes: ra, rb, r."""
    n, over = load3(row, L.M_N), min(row[L.M_GAP] - r.gap, 0.0)
    xa, xb = madd(xa, n, 0.5 * over), madd(xb, n, -0.5 * over)
    r.start_position = r.position
    store3(r, L.R_START + 3, r.normal)
    before = relative_velocity(ra, rb, r, L.W_V, L.W_W)
    here, across = (ra.position, rb.position), _tangents(r, n)
    r.position = load3(row, L.M_X)
    r.normal = n
    ra.position = xa
    rb.position = xb
    prepare_along(ra, rb, r, across)
    ra.position = here[0]
    rb.position = here[1]
    r.velocity_bias = (0.0, 0.0, 0.0)
    r.velocity_bias = sub(relative_velocity(ra, rb, r, L.W_V, L.W_W), before)
    r.is_midway = 1.0
