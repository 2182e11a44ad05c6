# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""An island with constraints: its contacts, cables and limits solved together with what holds exactly.

Rows without limits are eliminated by a direct solve (joint_factor): chains, loops and loads of any mass ratio cost no
sweeps, and what is redundant does no harm.  What has a law of its own is solved on the responses of the mechanism
(limited_rows).  An island with too many such rows is swept instead, with a direct solve of the rest after every sweep;
one whose direct solve takes too long is swept as a whole.  What an island has left of its budget ends all of them.
"""
import numpy as np
from numba import carray, float64, int64, types

from ..constants import LARGEST_FACTOR, NO_MATTER, PRODUCTS, ROW_WORK
from ..constraints.limits import largest_force, largest_torque, softness, takes_part
from ..constraints.rows import (
    ROW_SIZE,
    angular_count,
    fill_angular,
    fill_linear,
    linear_count,
    push_row,
    row_velocity,
)
from ..contact.frame import has_moments, relative_velocity
from ..maths.checked import BY_ADDRESS
from ..maths.handle import address_of
from ..maths.jit import kernel
from ..maths.unit import unit
from ..maths.vec3 import cross, load3, store3
from ..model import layout as L
from ..model.handle import arrays_at
from .common import apply, exhausted, sweep
from .joint_factor import (
    COUPLING,
    REFINEMENTS,
    RESPONSE,
    approximate,
    assemble,
    coupling,
    envelope,
    factorise,
    respond_rows,
    solve_rows,
)
from .limited_rows import BALL, CONTACT, I_COUNT, I_FIRST, I_KIND, ITEM, PULL, settle, solve_item
from .moments import solve_moments

_I = types.CPointer(int64)
# rows with a law of their own beyond which an island is swept, and the sweeps then
MOST_DENSE, SWEEPS = 300, 100
# rounds of both; share of what impulses cause that is rounding
ROUNDS, ROUNDING = 30, 1e-13
# share of what is left where the laws contradict each other that a round may leave; rounds without progress, by this
# share, after which all is given up
HALVED, PATIENCE, GAIN = 0.5, 3, 0.9
# rows whose direct solve is no larger than LARGEST_FACTOR in any case
SURELY_NARROW = 390
# multiplications that a row costs in a sweep by velocities
SWEPT = 400
# columns of `owner` of a row of a constraint: the constraint, and which of its rows
OWNER, PLACE = 0, 1


@kernel
def _ends(s, a, b, out):
    """Writes: out."""
    out[0] = a if s.work[a].inverse_mass > 0.0 else -1
    out[1] = b if s.work[b].inverse_mass > 0.0 else -1


@kernel
def _block(s, k, mode, angular, swept):
    """Number of rows of force, or of torque, of constraint k in a solve, and whether they have a law of their own, as
    all have in an island that is swept."""
    kind = s.joint_i[k].kind
    count = angular_count(kind) if angular else linear_count(kind)
    if count == 0 or not takes_part(s, k, mode, angular):
        return 0, False
    limited = (largest_torque(s, k, mode) if angular else largest_force(s, k, mode)) < np.inf
    return count, swept or kind == L.CABLE or limited


@kernel
def _is_wide(s, mode):
    """Whether a direct solve of what holds exactly takes too long, as of hundreds of constraints between few bodies."""
    held, _, _ = _count(s, mode, False)
    if held <= SURELY_NARROW:
        return False
    ends, first, e = np.empty((held, 2), np.int64), np.empty(held, np.int64), 0
    for n in range(s.count.island_joints):
        k = s.joint_island[n]
        for angular in (False, True):
            count, own_law = _block(s, k, mode, angular, False)
            for _ in range(0 if own_law else count):
                _ends(s, s.joint_i[k].body_a, s.joint_i[k].body_b, ends[e])
                e += 1
    return envelope(ends, first)[1] > LARGEST_FACTOR


@kernel
def _count(s, mode, swept):
    """Numbers of rows of constraints that hold exactly, and of those with a law of their own, and of their items."""
    exact, limited, items = 0, 0, 0
    for n in range(s.count.island_joints):
        k = s.joint_island[n]
        for angular in (False, True):
            count, own_law = _block(s, k, mode, angular, swept)
            if own_law:
                limited, items = limited + count, items + 1
            else:
                exact += count
    return exact, limited, items


@kernel
def _fill_block(s, k, angular, table, ends, owner, first):
    """Rows of force or of torque of constraint k from row `first` of a table on; returns the row after.
    Writes: table, ends, owner."""
    kind, p = s.joint_i[k].kind, s.joint_i[k]
    count, place = angular_count(kind) if angular else linear_count(kind), linear_count(kind) if angular else 0
    if angular:
        fill_angular(s, k, table, first)
    else:
        fill_linear(s, k, table, first)
    for i in range(count):
        _ends(s, p.body_a, p.body_b, ends[first + i])
        owner[first + i, OWNER], owner[first + i, PLACE] = k, place + i
    return first + count


@kernel
def _fill(s, mode, swept, exact, exact_ends, exact_owner, limited, ends, owner, items, laws):
    """Rows of the constraints of the island in hand; returns the numbers of limited rows and of items.
    Writes: exact, exact_ends, exact_owner, limited, ends, owner, items, laws."""
    e, q, i = 0, 0, 0
    for n in range(s.count.island_joints):
        k = s.joint_island[n]
        for angular in (False, True):
            count, own_law = _block(s, k, mode, angular, swept)
            if own_law:
                kind = PULL if s.joint_i[k].kind == L.CABLE else BALL
                items[i, I_KIND], items[i, I_FIRST], items[i, I_COUNT] = kind, q, count
                laws[i] = largest_torque(s, k, mode) if angular else largest_force(s, k, mode)
                i += 1
                q = _fill_block(s, k, angular, limited, ends, owner, q)
            elif count > 0:
                e = _fill_block(s, k, angular, exact, exact_ends, exact_owner, e)
    return q, i


@kernel
def _fill_contacts(s, pairs, limited, ends, items, laws, target, q, i):
    """Rows of contact points behind those of the constraints.  Writes: limited, ends, items, laws, target."""
    for n in range(len(pairs)):
        p = s.pair_i[pairs[n]]
        for c in range(p.point_count):
            r = s.row[L.POINTS * pairs[n] + c]
            if not r.target_velocity > -NO_MATTER:
                continue
            items[i, I_KIND], items[i, I_FIRST], items[i, I_COUNT], laws[i] = CONTACT, q, 3, r.friction
            i += 1
            for axis in range(3):
                d = load3(r, L.R_N + 3 * axis)
                store3(limited[q], 0, d)
                store3(limited[q], 3, cross(r.arm_a, d))
                store3(limited[q], 6, cross(r.arm_b, d))
                _ends(s, p.body_a, p.body_b, ends[q])
                target[q] = r.target_velocity if axis == 0 else 0.0
                q += 1


@kernel
def _acting(s, pairs):
    """Number of contact points that take part, and whether any has moments."""
    n, moments = 0, False
    for i in range(len(pairs)):
        for c in range(s.pair_i[pairs[i]].point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            if r.target_velocity > -NO_MATTER:
                n, moments = n + 1, moments or has_moments(r)
    return n, moments


@kernel
def _read(s, pairs, limited, owner, rows, mode, u, j, v, w):
    """Velocities and impulses of the limited rows, `rows` of them of constraints, as they are.  Writes: u, j."""
    for q in range(rows):
        k = owner[q, OWNER]
        p = s.joint_i[k]
        j[q] = s.joint[k, L.JT_P + owner[q, PLACE]]
        u[q] = row_velocity(s.work[p.body_a], s.work[p.body_b], limited[q], v, w) + softness(s, k, mode) * j[q]
    q = rows
    for n in range(len(pairs)):
        p = s.pair_i[pairs[n]]
        for c in range(p.point_count):
            r = s.row[L.POINTS * pairs[n] + c]
            if r.target_velocity > -NO_MATTER:
                store3(u, q, relative_velocity(s.work[p.body_a], s.work[p.body_b], r, v, w))
                store3(j, q, r.impulse)
                q += 3


@kernel
def _give(s, pairs, limited, owner, rows, new, old, v, w):
    """Impulses of the limited rows, and what their change makes of the velocities.
    Writes: s.joint, s.row, s.work."""
    for q in range(rows):
        k, change = owner[q, OWNER], new[q] - old[q]
        p = s.joint_i[k]
        s.joint[k, L.JT_P + owner[q, PLACE]] = new[q]
        push_row(s.work[p.body_a], s.work[p.body_b], limited[q], change, v, w)
    q = rows
    for n in range(len(pairs)):
        p = s.pair_i[pairs[n]]
        for c in range(p.point_count):
            r = s.row[L.POINTS * pairs[n] + c]
            if r.target_velocity > -NO_MATTER:
                change = (new[q] - old[q], new[q + 1] - old[q + 1], new[q + 2] - old[q + 2])
                if change[0] != 0.0 or change[1] != 0.0 or change[2] != 0.0:
                    r.impulse = load3(new, q)
                    apply(s.work[p.body_a], s.work[p.body_b], r, change, v, w)
                q += 3


@kernel
def _hold(s, table, owner, mode, soft, a, first, low, b, x, v, w):
    """Bring the rows that hold exactly to their targets.  Returns the largest change of velocity that this is.
    Writes: s.joint, s.work, b, x."""
    worst = 0.0
    for e in range(len(table)):
        k, place = owner[e, OWNER], owner[e, PLACE]
        p = s.joint_i[k]
        b[e] = s.joint[k, L.JT_TARGET + place] - soft[e] * s.joint[k, L.JT_P + place] - row_velocity(
            s.work[p.body_a], s.work[p.body_b], table[e], v, w)
        worst = max(worst, abs(b[e]))
    if worst == 0.0:
        return worst
    solve_rows(a, first, low, b, x)
    for e in range(len(table)):
        k = owner[e, OWNER]
        p = s.joint_i[k]
        s.joint[k, L.JT_P + owner[e, PLACE]] += x[e]
        push_row(s.work[p.body_a], s.work[p.body_b], table[e], x[e], v, w)
    return worst


@kernel
def _reduce(limited, ends, out, soft, exact, exact_ends, exact_out, low, first, w):
    """Responses (n, n) of the limited rows to each other, all that holds exactly held.  Writes: w."""
    size, held = len(limited), len(exact)
    p, y = np.zeros((size, held)), np.empty((size, held))
    for q in range(size):
        for e in range(held):
            p[q, e] = coupling(limited[q], ends[q], exact_out[e], exact_ends[e])
        approximate(low, first, p[q], y[q])
    for q in range(size):
        for m in range(q + 1):
            total = coupling(limited[q], ends[q], out[m], ends[m])
            for e in range(held):
                total -= y[q, e] * p[m, e]
            w[q, m] = w[m, q] = total
        w[q, q] += soft[q]


@kernel
def _twist(s, pairs, w):
    """Rolling and torsional friction; returns the largest change of a rate.  Writes: s.row, s.work."""
    worst = 0.0
    for n in range(len(pairs)):
        p = s.pair_i[pairs[n]]
        for c in range(p.point_count):
            r = s.row[L.POINTS * pairs[n] + c]
            if has_moments(r) and r.target_velocity > -NO_MATTER:
                worst = max(worst, solve_moments(s.work[p.body_a], s.work[p.body_b], r, w))
    return worst


@kernel
def _largest_response(response, impulses):
    """Largest velocity (m/s) that the impulse of one row causes of its own."""
    largest = 0.0
    for q in range(len(impulses)):
        largest = max(largest, abs(impulses[q]) * response[q, q])
    return largest


@kernel
def _solve_rows(s, pairs, v, w, tolerance, mode):
    """Impulses of the constraints of the island in hand (s.joint_island) and of its contacts, from what they are.

    v, w: columns of the work rows with the velocities, which they change; tolerance: m/s that may be left. mode: what
    the solve is for (constraints/limits).  True if it converged.  Writes: s."""
    swept = _is_wide(s, mode)
    held, rows, count = _count(s, mode, swept)
    points, moments = _acting(s, pairs)
    size = rows + 3 * points
    dense = size <= MOST_DENSE
    exact, exact_ends, exact_owner = np.empty((held, ROW_SIZE)), np.empty((held, 2), np.int64), np.empty(
        (held, 2), np.int64)
    limited, ends = np.empty((size, ROW_SIZE)), np.empty((size, 2), np.int64)
    owner, items, laws = np.empty((rows, 2), np.int64), np.empty((count + points, 3), np.int64), np.empty(
        count + points)
    target, soft = np.zeros(size), np.zeros(size)
    q, i = _fill(s, mode, swept, exact, exact_ends, exact_owner, limited, ends, owner, items, laws)
    _fill_contacts(s, pairs, limited, ends, items, laws, target, q, i)
    for q in range(rows):
        target[q] = s.joint[owner[q, OWNER], L.JT_TARGET + owner[q, PLACE]]
        soft[q] = softness(s, owner[q, OWNER], mode)
    exact_out, exact_soft = np.empty((held, RESPONSE)), np.empty(held)
    a, low, first = np.empty((held, held)), np.empty((held, held)), np.empty(held, np.int64)
    b, x = np.empty(held), np.empty(held)
    for e in range(held):
        exact_soft[e] = softness(s, exact_owner[e, OWNER], mode)
    respond_rows(s, exact, exact_ends, exact_out)
    length, _ = envelope(exact_ends, first)
    assemble(exact, exact_ends, exact_out, exact_soft, a, first)
    direct = (2 * REFINEMENTS * length + SWEPT * held) // PRODUCTS
    s.count.work += (factorise(a, first, low) + COUPLING * length) // PRODUCTS + ROW_WORK * (held + size) + 2 * direct
    _hold(s, exact, exact_owner, mode, exact_soft, a, first, low, b, x, v, w)
    _hold(s, exact, exact_owner, mode, exact_soft, a, first, low, b, x, v, w)
    if size == 0:
        return True
    if not dense:
        return _sweep_joined(s, pairs, limited, ends, owner, rows, count, items, laws, target, soft, exact,
                             exact_owner, exact_soft, a, first, low, b, x, v, w, mode, tolerance, direct)
    out, response = np.empty((size, RESPONSE)), np.empty((size, size))
    respond_rows(s, limited, ends, out)
    _reduce(limited, ends, out, soft, exact, exact_ends, exact_out, low, first, response)
    s.count.work += size * (COUPLING * (size // 2 + held) + length + held * (size // 2)) // PRODUCTS
    u, new, old = np.empty(size), np.empty(size), np.empty(size)
    least, before, idle = np.inf, np.inf, 0
    for _ in range(ROUNDS):
        _read(s, pairs, limited, owner, rows, mode, u, new, v, w)
        old[:] = new
        s.count.sweeps += 1
        enough = max(tolerance, ROUNDING * _largest_response(response, new))
        most = PRODUCTS * max(0, s.count.work_limit - s.count.work)
        change, left, cost = settle(response, u, new, items, laws, target, enough, most)
        s.count.work += (cost + 2 * SWEPT * size) // PRODUCTS + direct
        _give(s, pairs, limited, owner, rows, new, old, v, w)
        change = max(change, _hold(s, exact, exact_owner, mode, exact_soft, a, first, low, b, x, v, w))
        if moments:
            change = max(change, _twist(s, pairs, w))
        if change <= enough:
            s.par.last_residual = max(s.par.last_residual, left)
            return True
        # where laws or rows contradict each other, further rounds only cost
        idle = 0 if change < GAIN * least else idle + 1
        if idle >= PATIENCE or left > enough and not left < HALVED * before or exhausted(s):
            break
        least, before = min(least, change), left if left > enough else before
    s.par.last_residual = max(s.par.last_residual, left)
    return False


@kernel
def _sweep_items(s, limited, owner, own, items, laws, target, soft, v, w):
    """One sweep over constraints with laws of their own, by velocities; own (n, 3): the responses of the rows of each.
    Returns the largest change of velocity.  Writes: s.joint, s.work."""
    worst, x, old, u = 0.0, np.zeros(3), np.empty(3), np.empty(3)
    for i in range(len(items)):
        f, n = items[i, I_FIRST], items[i, I_COUNT]
        k = owner[f, OWNER]
        ra, rb = s.work[s.joint_i[k].body_a], s.work[s.joint_i[k].body_b]
        for c in range(n):
            x[c] = old[c] = s.joint[k, L.JT_P + owner[f + c, PLACE]]
        for c in range(n):
            u[c] = row_velocity(ra, rb, limited[f + c], v, w) + soft[f + c] * old[c]
            for m in range(n):
                u[c] -= own[f + c, m] * old[m]
        solve_item(items[i, I_KIND], own[f:f + n, :n], n, u, target[f:f + n], laws[i], x)
        for c in range(n):
            change = x[c] - old[c]
            if change != 0.0 and np.isfinite(change):
                s.joint[k, L.JT_P + owner[f + c, PLACE]] = x[c]
                push_row(ra, rb, limited[f + c], change, v, w)
                worst = max(worst, abs(change) * own[f + c, c])
    return worst


@kernel
def _sweep_joined(s, pairs, limited, ends, owner, rows, count, items, laws, target, soft, exact, exact_owner,
                  exact_soft, a, first, low, b, x, v, w, mode, tolerance, direct):
    """As solve_joined, for islands with too many rows: a sweep over contacts, one over constraints with laws of their
    own, then what holds exactly, in turns.  direct: work units of that.  Writes: s, b, x."""
    out, own, change = np.empty((rows, RESPONSE)), np.empty((rows, 3)), np.inf
    respond_rows(s, limited[:rows], ends[:rows], out)
    for i in range(count):
        f, n = items[i, I_FIRST], items[i, I_COUNT]
        for c in range(n):
            for m in range(n):
                own[f + c, m] = coupling(limited[f + c], ends[f + c], out[f + m], ends[f + m])
            own[f + c, c] += soft[f + c]
    s.count.work += 3 * COUPLING * rows // PRODUCTS
    for _ in range(SWEEPS):
        change = sweep(s, pairs, v, w)
        s.count.sweeps += 1
        s.count.work += (ITEM * count + SWEPT * rows) // PRODUCTS + direct
        change = max(change, _sweep_items(s, limited, owner, own, items[:count], laws, target, soft, v, w))
        change = max(change, _hold(s, exact, exact_owner, mode, exact_soft, a, first, low, b, x, v, w))
        if change <= tolerance or exhausted(s):
            break
    s.par.last_residual = max(s.par.last_residual, change)
    return change <= tolerance


@unit(int64(_I, _I, int64, int64, int64, float64, int64))
def _joined(table, pairs, count, v, w, tolerance, mode):
    return _solve_rows(arrays_at(carray(table, (1,))), carray(pairs, (count,)), v, w, tolerance, mode)


@kernel
def _by_address(s, pairs, v, w, tolerance, mode):
    """As _solve_rows."""
    return _joined(address_of(s), pairs.ctypes, len(pairs), v, w, tolerance, mode) != 0


solve_joined = _by_address if BY_ADDRESS else _solve_rows
