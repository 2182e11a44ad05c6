# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The energy of a crowd: its impulses make none, what Newton's e or a warm start would add is scaled away; and what is
slow is calmed down."""

from ..constants import CREDITED, CROWD_DAMPING, CROWD_TIME, MOST_DAMPED
from ..contact.frame import has_moments, relative_rate, relative_velocity
from ..maths import elementary
from ..maths.jit import kernel
from ..maths.vec3 import add, dot, load3, norm, scale, store3, sub
from ..model import layout as L
from .common import apply, surface_speed
from .moments import twist

# m/s: bodies that are slower are calmed down, in a small crowd if all are slower than the former
ALL_SLOW, SLOW = 0.2, 0.4
# share of the speed of its surface at which a body of a small crowd goes down that falls; one that rocks goes down by
# less
FALLING = 0.1


@kernel
def _energy(s, pairs):
    """Work of the impulses (J) if they are scaled by x: (a, b) of a x + b x^2; both in the frame of the movers."""
    a, b = 0.0, 0.0
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        ra, rb = s.work[p.body_a], s.work[p.body_b]
        for c in range(p.point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            j, u0 = r.impulse, r.first_velocity
            a += dot(j, u0)
            b += 0.5 * dot(j, sub(relative_velocity(ra, rb, r, L.W_V1, L.W_W1), u0))
            if has_moments(r):
                turn, w0 = r.moment, r.impulse_sum
                a += dot(turn, w0)
                b += 0.5 * dot(turn, sub(relative_rate(ra, rb, r, L.W_W1), w0))
    return a, b


@kernel
def _scale(s, pairs, share):
    """All impulses to a share of what they are.  Writes: s.row, s.work."""
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        ra, rb = s.work[p.body_a], s.work[p.body_b]
        for c in range(p.point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            j, turn = r.impulse, r.moment
            apply(ra, rb, r, scale(j, share - 1.0), L.W_V1, L.W_W1)
            r.impulse = scale(j, share)
            if has_moments(r):
                twist(ra, rb, r, scale(turn, share - 1.0), L.W_W1)
                r.moment = scale(turn, share)


@kernel
def make_no_energy(s, pairs):
    """Scale the impulses down to the largest share that gives the bodies no kinetic energy.  True if it had to be.
    Writes: s.row, s.work."""
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
    here; as do discs that rock on each other's rims: the more, the longer a crowd of many has been one.  What topples
    or slides down is not braked, it would do so at a crawl: in a crowd of many what becomes faster, in a small one what
    goes down, for a stack sways for long if it is braked half of the time.  Writes: s.still, s.work."""
    grounded, free, fastest, wait = False, 0, 0.0, 0
    for k in range(len(bodies)):
        r = s.work[bodies[k]]
        if r.inverse_mass == 0.0:
            if norm(r.velocity) + norm(r.angular_velocity) > 0.0:
                return
            grounded = True
        else:
            free, fastest = free + 1, max(fastest, surface_speed(s, bodies[k], L.W_V, L.W_W))
            wait = max(wait, s.body[bodies[k]].crowd_wait)
    if not grounded or (free <= CREDITED and fastest > ALL_SLOW):
        return
    many, g = free > CREDITED, s.par.gravity
    often = min(wait // (elementary.whole(CROWD_TIME / s.par.dt) + 1), MOST_DAMPED) if many else 1.0
    lost = 1.0 - elementary.exp(-max(often, 1.0) * h / CROWD_DAMPING)
    for k in range(len(bodies)):
        r, e, speed = s.work[bodies[k]], s.still[bodies[k]], surface_speed(s, bodies[k], L.W_V, L.W_W)
        goes = speed > e.surface_speed if many else dot(r.velocity, g) > FALLING * speed * norm(g)
        e.surface_speed = speed
        if r.inverse_mass > 0.0 and speed <= SLOW and not goes:
            v, w = scale(r.velocity, -lost), scale(r.angular_velocity, -lost)
            for column in (L.W_V1, L.W_BACK):
                store3(r, column, add(load3(r, column), v))
            for column in (L.W_W1, L.W_BACK + 3):
                store3(r, column, add(load3(r, column), w))
