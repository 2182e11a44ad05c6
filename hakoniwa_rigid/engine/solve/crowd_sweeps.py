# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The rows of a crowd: Gauss-Seidel sweeps over them, and where these are slow a solve of all of them together."""
import numpy as np

from ..constants import CREDITED, CROWD_ROW_WORK, NO_BUDGET
from ..contact.coulomb import cut
from ..contact.frame import has_moments, relative_velocity
from ..maths.jit import always_inline, kernel
from ..maths.vec3 import load3, store3
from ..model import layout as L
from .common import apply
from .island_solve import INEXACT, is_driven
from .moments import solve_moments
from .together import solve_together

# share of what ends the sweeps by which a row must change its bodies for their other rows to be solved again
STIRRED = 0.25


@always_inline
def _solve_row(ra, rb, r, cap):
    """One step of a row towards its laws: the normal exactly, friction by a step that the cone cuts.

    Both lower the energy that is left, whatever the rest does.  Returns the change of its velocity (m/s).
    Writes: ra, rb, r."""
    u0, u1, u2 = relative_velocity(ra, rb, r, L.W_V1, L.W_W1)
    j0, j1, j2 = r.impulse
    push = min(max(0.0, j0 + (r.target_velocity - u0) * r.normal_mass), cap)
    if push == 0.0 and j0 == 0.0:
        return 0.0      # half of the rows are contacts ahead that are not reached
    d0, soft = push - j0, r.tangent_mass
    t1, t2 = j1 - (u1 + r[L.R_K + 1] * d0) * soft, j2 - (u2 + r[L.R_K + 2] * d0) * soft
    t1, t2 = cut(r.friction, push, t1, t2)
    d1, d2 = t1 - j1, t2 - j2
    if d0 == 0.0 and d1 == 0.0 and d2 == 0.0:
        return 0.0
    r.impulse = (push, t1, t2)
    apply(ra, rb, r, (d0, d1, d2), L.W_V1, L.W_W1)
    return max(r.normal_inverse_mass * abs(d0), r.tangent_inverse_mass * max(abs(d1), abs(d2)))


@kernel
def _sweep(s, pairs, k, since, quiet, everything):
    """Sweep number k over the rows that press, or over everything; the largest change of a velocity (m/s).

    Pairs are passed over whose bodies no row has changed by more than `quiet` (m/s) since sweep `since`.
    Writes: s.count, s.row, s.work."""
    worst = 0.0
    for i in range(len(pairs)):
        m = pairs[len(pairs) - 1 - i if k % 2 == 0 else i]
        p = s.pair_i[m]
        ra, rb = s.work[p.body_a], s.work[p.body_b]
        if max(ra.stirred_in, rb.stirred_in) < since:
            continue
        change = 0.0
        for c in range(p.point_count):
            r = s.row[L.POINTS * m + c]
            if r.is_twin == 1.0 or not (everything or r.normal_impulse > 0.0):
                continue
            s.count.work += CROWD_ROW_WORK
            change = max(change, _solve_row(ra, rb, r, s.par.crowd_impulse_cap))
            if has_moments(r):
                solve_moments(ra, rb, r, L.W_W1)
                change = max(change, 2.0 * quiet)
        if change > quiet:
            ra.stirred_in = k if ra.inverse_mass > 0.0 else 0.0
            rb.stirred_in = k if rb.inverse_mass > 0.0 else 0.0
        worst = max(worst, change)
    return worst


@kernel
def sweep_all(s, pairs, bodies, most, enough):
    """Sweeps to and fro, until one over everything changes no velocity by `enough` (m/s); the largest change (m/s) of
    the last.  In large crowds every fourth is one over everything: many contacts ahead are never reached.  Where
    nothing changes any more there is nothing to do: in a heap at rest of which one body rocks, only that is solved.
    Writes: s.count, s.row, s.work."""
    change, last = 0.0, 0
    for i in range(len(bodies)):
        s.work[bodies[i]].stirred_in = 0.0
    for k in range(1, most + 1):
        everything = len(bodies) <= CREDITED or k % 4 == 1 or change <= enough
        change = _sweep(s, pairs, k, last if everything else k - 1, STIRRED * enough, everything)
        s.count.sweeps += 1
        if everything:
            last = k
            if change <= enough:
                break
    return change


@kernel
def is_capped(s, pairs):
    """True if a row has the largest impulse there is: bodies are squeezed, and there is no solution."""
    for i in range(len(pairs)):
        for c in range(s.pair_i[pairs[i]].point_count):
            if s.row[L.POINTS * pairs[i] + c].normal_impulse >= s.par.crowd_impulse_cap > 0.0:
                return True
    return False


@kernel
def _keep(s, pairs, bodies, impulses, velocities):
    """Impulses of the rows (pairs, POINTS, 6) and velocities of the bodies (bodies, 6) to go back to.
    Writes: impulses, velocities."""
    for i in range(len(pairs)):
        for c in range(s.pair_i[pairs[i]].point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            store3(impulses[i, c], 0, r.impulse)
            store3(impulses[i, c], 3, r.moment)
    for k in range(len(bodies)):
        store3(velocities[k], 0, s.work[bodies[k]].predicted_velocity)
        store3(velocities[k], 3, s.work[bodies[k]].predicted_angular_velocity)


@kernel
def _go_back(s, pairs, bodies, impulses, velocities):
    """To what was kept.  Writes: s.row, s.work."""
    for i in range(len(pairs)):
        for c in range(s.pair_i[pairs[i]].point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            r.impulse, r.moment = load3(impulses[i, c], 0), load3(impulses[i, c], 3)
    for k in range(len(bodies)):
        r = s.work[bodies[k]]
        if r.inverse_mass > 0.0:
            r.predicted_velocity, r.predicted_angular_velocity = load3(velocities[k], 0), load3(velocities[k], 3)


@kernel
def solve_all(s, pairs, bodies, most, enough, free):
    """Sweeps, and where they are slow all rows together, for `free` work units; the largest change (m/s) of the last
    sweep, and the work units left.

    Bodies that hold each other from two sides have impulses that all but cancel, without bound: what sweeps have found
    is better then.  Writes: s.body, s.count, s.row, s.work."""
    change = sweep_all(s, pairs, bodies, most, enough)
    # what bodies of infinite mass press between them has no solution, or one without bound
    if change > enough and free > 0 and not is_driven(s, bodies):
        impulses, velocities = np.empty((len(pairs), L.POINTS, 6)), np.empty((len(bodies), 6))
        _keep(s, pairs, bodies, impulses, velocities)
        before = s.count.work
        s.count.work_limit = before + free
        solved = solve_together(s, pairs, bodies, L.W_V1, L.W_W1, enough, enough, INEXACT)
        s.count.work_limit, free = NO_BUDGET, free - (s.count.work - before)
        if solved and is_capped(s, pairs):
            _go_back(s, pairs, bodies, impulses, velocities)
            free = 0
        elif solved:
            change = sweep_all(s, pairs, bodies, 2, enough)
    return change, free
