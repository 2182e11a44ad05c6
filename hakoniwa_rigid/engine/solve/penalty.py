# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The model `penalty`: a spring and a damper at every contact point (Yoshimoto, Rigid Body Simulation, 2017).

Normal force k d - c u_n on the depth d, never pulling; a tangential spring that is remembered from step to step, with
its own damper, bounded by mu times the normal force (Cundall and Strack 1979).  The damper gives a single hit the
pair's restitution.  All loads of a body in contact act as impulses at the beginning of a step, after which it moves on
without (symplectic Euler: the energy of a spring stays bounded); World.stable_dt is the longest step that is stable.
"""
import math

from ..constants import PENALTY_POINTS, PENALTY_RATE
from ..contact.coulomb import most_friction
from ..contact.frame import has_moments, relative_rate, relative_velocity
from ..contact.log import log_resting
from ..contact.material import restitution
from ..maths import elementary
from ..maths.jit import inline, kernel
from ..maths.vec3 import madd, sym_mul
from ..model import layout as L
from ..motion.bodies import advance, scatter
from ..motion.limits import limit_row
from .common import apply
from .moments import solve_moments
from .warm_start import remember, warm_start

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
    """Contact points of every body near a contact, in B_SLOT.  Writes: s.body."""
    for m in range(s.count.contact_pairs):
        s.body[s.pair_i[m].body_a].slot = s.body[s.pair_i[m].body_b].slot = 0
    for m in range(s.count.contact_pairs):
        p = s.pair_i[m]
        for f in range(L.P_A, L.P_B + 1):
            s.body[p[f]].slot += p.point_count if s.work[p[f]].inverse_mass > 0.0 else 0


@kernel
def _spring(s, p, r, h):
    """Impulse (N s, contact frame) of one row over a step of h seconds; that of its springs alone stays in R_WARM.
    Writes: r."""
    points = max(s.body[p.body_a].slot, s.body[p.body_b].slot)
    own = PENALTY_RATE * PENALTY_RATE / r.normal_inverse_mass
    k = s.par.penalty_stiffness if s.par.penalty_stiffness > 0.0 else own
    k *= min(1.0, PENALTY_POINTS / points)
    u = r.velocity_before
    across = max(r[L.R_K + 3], r[L.R_K + 5])
    kt = k * min(TANGENTIAL, r.normal_inverse_mass / across)
    c = 2.0 * damping_ratio(restitution(s, p.body_a, p.body_b, max(-u[0], 0.0))) * math.sqrt(k / r.normal_inverse_mass)
    ct = 2.0 * math.sqrt(kt / across)
    # all points and axes together stop the body within a step at most: then springs alone bound the step
    c, ct = c / max(1.0, AXES * h * c * r.normal_inverse_mass * points), ct / max(1.0, AXES * h * ct * across * points)
    push = h * max(k * r.depth - c * u[0], 0.0)
    t1, t2 = r[L.R_WARM + 1] - kt * u[1] * h * h, r[L.R_WARM + 2] - kt * u[2] * h * h
    j1, j2 = t1 - h * ct * u[1], t2 - h * ct * u[2]
    size, most = elementary.hypot(j1, j2), most_friction(r.friction, push)
    if size > most:
        j1, j2 = j1 * most / size, j2 * most / size
    if elementary.hypot(t1, t2) > most:
        share = most / elementary.hypot(t1, t2)
        t1, t2 = share * t1, share * t2
    r.warm_start_impulse = (h * k * r.depth, t1, t2)
    return push, j1, j2


@kernel
def _find_forces(s, h):
    """Impulses of all rows from the velocities at the beginning of the step.  Writes: s.pair_f, s.row."""
    row = 0
    for m in range(s.count.contact_pairs):
        p = s.pair_i[m]
        if p.touches == 0:
            continue
        row = warm_start(s, m, h, row)
        s.pair_f[m].rest_start, s.pair_f[m].rest_span = 0.0, h
        for c in range(p.point_count):
            r = s.row[L.POINTS * m + c]
            r.velocity_before = relative_velocity(s.work[p.body_a], s.work[p.body_b], r, L.W_V, L.W_W)
            r.rate_before = relative_rate(s.work[p.body_a], s.work[p.body_b], r, L.W_W)
            r.impulse = (0.0, 0.0, 0.0) if r.is_twin == 1.0 else _spring(s, p, r, h)


@kernel
def _apply_forces(s):
    """Writes: s.row, s.work."""
    for m in range(s.count.contact_pairs):
        p = s.pair_i[m]
        ra, rb = s.work[p.body_a], s.work[p.body_b]
        for c in range(p.point_count if p.touches == 1 else 0):
            r = s.row[L.POINTS * m + c]
            apply(ra, rb, r, r.impulse, L.W_V, L.W_W)
    for m in range(s.count.contact_pairs):
        p = s.pair_i[m]
        for c in range(p.point_count if p.touches == 1 else 0):
            r = s.row[L.POINTS * m + c]
            if has_moments(r):
                solve_moments(s.work[p.body_a], s.work[p.body_b], r, L.W_W)


@kernel
def _fly(s, i, h):
    """Body i over the step, its contact impulses applied: in contact with its other loads at once, else exactly.
    Writes: s.anchor, s.count, s.work."""
    r = s.work[i]
    if r.inverse_mass > 0.0 and s.body[i].slot > 0:
        r.velocity = madd(r.velocity, r.external_acceleration, h)
        turn = sym_mul(r.inverse_inertia, r.external_torque)
        r.angular_velocity = madd(r.angular_velocity, turn, h)
        r.acceleration = (0.0, 0.0, 0.0)
        r.torque = (0.0, 0.0, 0.0)
    limit_row(s, i)
    advance(r, h)


@kernel
def _log_and_remember(s, h):
    """Writes: s."""
    for m in range(s.count.contact_pairs):
        p = s.pair_i[m]
        if p.touches == 1:
            log_resting(s, m, h)
        for c in range(p.point_count if p.touches == 1 else 0):
            r = s.row[L.POINTS * m + c]
            r.impulse = r.warm_start_impulse
    remember(s)


@inline
def step_by_penalty(s, h):
    """Advance every body near a contact by one step of h seconds.  Writes: s."""
    _count_points(s)
    _find_forces(s, h)
    _apply_forces(s)
    for i in range(len(s.body)):
        if s.body[i].near == L.IN_CONTACT:
            _fly(s, i, h)
    _log_and_remember(s, h)
    for i in range(len(s.body)):
        if s.body[i].near == L.IN_CONTACT:
            scatter(s, i)
