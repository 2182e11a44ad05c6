# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Where the paths of an island with constraints end: Newton's step with the rows of the end.

With the rows of the start alone (constraints/intervals.aim) what a solve leaves is the turn of the rows in the interval
times the spread of the masses: of light links under a heavy load that is more than it was.
"""
import numpy as np

from ..constants import LARGEST_FACTOR, PRODUCTS
from ..constraints.intervals import aim, end_errors, is_held
from ..constraints.limits import INTERVAL, softness
from ..constraints.rows import MOST_ROWS, ROW_SIZE, fill, linear_count
from ..maths.jit import kernel
from ..model import layout as L
from ..motion.bodies import pose_at
from .joint_factor import COUPLING, RESPONSE, assemble, coupling, envelope, factorise_uneven, respond_rows, solve_uneven


@kernel
def _fill_at_end(s, k, end, table):
    """As fill, at the poses that the bodies of constraint k have at time `end` (s in the step).
    Writes: s.work, table."""
    ra, rb = s.work[s.joint_i[k].body_a], s.work[s.joint_i[k].body_b]
    here = ra.position, ra.attitude, rb.position, rb.attitude
    xa, qa, _, _ = pose_at(ra, end)
    xb, qb, _, _ = pose_at(rb, end)
    ra.position, ra.attitude, rb.position, rb.attitude = xa, qa, xb, qb
    fill(s, k, table)
    ra.position, ra.attitude, rb.position, rb.attitude = here


@kernel
def aim_by_end(s, end):
    """As constraints/intervals.aim, by the responses of the rows as they are at time `end` (s in the step), unless that
    takes too long.  Writes: s.count, s.joint, s.work."""
    most = MOST_ROWS * s.count.island_joints
    start, stop, error = np.empty((MOST_ROWS, ROW_SIZE)), np.empty((MOST_ROWS, ROW_SIZE)), np.empty(MOST_ROWS)
    rows, later, soft = np.empty((most, ROW_SIZE)), np.empty((most, ROW_SIZE)), np.empty(most)
    ends, owner, wanted = np.empty((most, 2), np.int64), np.empty((most, 2), np.int64), np.empty(most)
    n, worst = 0, 0.0
    for j in range(s.count.island_joints):
        k = s.joint_island[j]
        p = s.joint_i[k]
        end_errors(s, k, end, error)
        count = fill(s, k, start)
        _fill_at_end(s, k, end, stop)
        for i in range(count):
            if is_held(s, k, i >= linear_count(p.kind), error[i]):
                rows[n], later[n], soft[n] = start[i], stop[i], softness(s, k, INTERVAL)
                owner[n, 0], owner[n, 1] = k, i
                ends[n, 0] = p.body_a if s.work[p.body_a].inverse_mass > 0.0 else -1
                ends[n, 1] = p.body_b if s.work[p.body_b].inverse_mass > 0.0 else -1
                wanted[n] = -2.0 / s.joint[k].span * error[i]
                worst = max(worst, abs(error[i]))
                n += 1
    rows, later, ends, wanted = rows[:n], later[:n], ends[:n], wanted[:n]
    first = np.empty(n, np.int64)
    length, products = envelope(ends, first)
    if products > LARGEST_FACTOR:
        return aim(s, end)
    out, a, b, low = np.empty((n, RESPONSE)), np.empty((n, n)), np.empty((n, n)), np.empty((n, n))
    x = np.empty(n)
    respond_rows(s, rows, ends, out)
    assemble(rows, ends, out, soft, a, first)
    for i in range(n):
        for j in range(first[i], i + 1):
            b[i, j] = coupling(later[i], ends[i], out[j], ends[j])
            b[j, i] = coupling(later[j], ends[j], out[i], ends[i])
        b[i, i] += soft[i]
    s.count.work += (factorise_uneven(b, first, low) + 3 * COUPLING * length) // PRODUCTS
    solve_uneven(b, first, low, wanted, x)
    for i in range(n):
        for j in range(first[i], i + 1):
            s.joint[owner[i, 0], L.JT_TARGET + owner[i, 1]] += a[i, j] * x[j]
            if j < i:
                s.joint[owner[j, 0], L.JT_TARGET + owner[j, 1]] += a[i, j] * x[i]
    return worst
