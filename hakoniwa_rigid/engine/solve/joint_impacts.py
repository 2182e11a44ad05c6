# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What constraints add to the impacts of their island (solve/impacts): cables that snap taut, and rows that hold.

A cable that has reached its length is a contact without friction: it reflects the speed at which it opens with its own
e.  What holds exactly takes part in every pass, and brings back velocities that disobey it: a body that was struck by
the user, an anchor that starts to move.
"""
import math

import numpy as np

from ..constants import IMPACTS_BEFORE_INELASTIC
from ..constraints.cables import TAUT_GAP, load_rate, slack_by
from ..constraints.limits import AT_LIMIT, INSTANT, takes_part
from ..constraints.log import break_joint, set_taut
from ..constraints.rows import MOST_ROWS, ROW_SIZE, fill, linear_count, row_velocity
from ..maths.jit import kernel
from ..maths.vec3 import add, dot, norm
from ..model import layout as L

# m/s: a gap that opens faster than this is slack
OPENING = 1e-9


@kernel
def _open_cable(s, k):
    """Gap rate of cable k before a pass, and e in it; returns its approach (m/s), and whether it bounces.
    Writes: s.joint, s.joint_i."""
    f, p = s.joint[k], s.joint_i[k]
    gap, opening = slack_by(s, k)
    f.rate_before, f.pass_restitution, p.takes_part = opening, 0.0, 1 if gap <= TAUT_GAP else 0
    if p.takes_part == 0 or p.slips != 0:
        return 0.0, False
    tired = max(s.work[p.body_a].impacts, s.work[p.body_b].impacts) >= IMPACTS_BEFORE_INELASTIC
    slowest = max(s.par.restitution_threshold, load_rate(s, k) * s.par.dt)
    fast = -opening >= slowest
    if fast and not tired:
        f.pass_restitution = f.restitution
    return -opening, fast


@kernel
def open_joints(s, approach, speed, fast):
    """As _open_rows of solve/impacts, of the constraints of the island in hand, on top of what contacts have.
    Writes: s.joint, s.joint_i."""
    table, of_rows = np.empty((MOST_ROWS, ROW_SIZE)), 0.0
    for n in range(s.count.island_joints):
        k = s.joint_island[n]
        p = s.joint_i[k]
        if p.kind == L.CABLE:
            of_cable, bounces = _open_cable(s, k)
            approach, fast, speed = max(approach, of_cable), fast or bounces, max(speed, of_cable)
            continue
        count = fill(s, k, table)
        for i in range(count):
            if takes_part(s, k, INSTANT, i >= linear_count(p.kind)):
                of_rows = max(of_rows, abs(row_velocity(s.work[p.body_a], s.work[p.body_b], table[i], L.W_V, L.W_W)))
    return max(approach, of_rows), max(speed, of_rows), fast


@kernel
def begin_joints(s):
    """Nothing has acted yet.  Writes: s.joint."""
    for n in range(s.count.island_joints):
        f = s.joint[s.joint_island[n]]
        f.impulse_sum = (0.0, 0.0, 0.0)
        f.moment_sum = (0.0, 0.0, 0.0)


@kernel
def let_cables_rest(s):
    """No cable bounces in the last pass.  Writes: s.joint."""
    for n in range(s.count.island_joints):
        s.joint[s.joint_island[n]].pass_restitution = 0.0


@kernel
def aim_joints(s, share):
    """Targets of a pass with e scaled by `share`; no impulses yet.  Writes: s.joint."""
    for n in range(s.count.island_joints):
        k = s.joint_island[n]
        f = s.joint[k]
        for i in range(MOST_ROWS):
            f[L.JT_P + i] = f[L.JT_TARGET + i] = 0.0
        if s.joint_i[k].kind == L.CABLE:
            f[L.JT_TARGET] = max(-share * f.pass_restitution * f.rate_before, 0.0)


@kernel
def cables_bounce(s):
    """True if a cable leaves the pass faster than slack."""
    for n in range(s.count.island_joints):
        if s.joint_i[s.joint_island[n]].kind == L.CABLE and s.joint[s.joint_island[n], L.JT_TARGET] > 0.0:
            return True
    return False


@kernel
def cables_work(s):
    """Change of kinetic energy (J) by the cables of a pass, and the size of its terms."""
    total, size = 0.0, 0.0
    for n in range(s.count.island_joints):
        k = s.joint_island[n]
        if s.joint_i[k].kind == L.CABLE and s.joint_i[k].takes_part == 1:
            j, before = s.joint[k, L.JT_P], s.joint[k].rate_before
            total += 0.5 * j * (before + slack_by(s, k)[1])
            size += j * abs(before)
    return total, size


@kernel
def _breaks(s, k):
    """Whether the instant breaks constraint k."""
    f = s.joint[k]
    return norm(f.impulse_sum) >= AT_LIMIT * f.break_impulse


@kernel
def end_joints(s, time):
    """What the impact was for the constraints, at `time` (s in the step): reactions, cables that are taut now or slack
    again, rows at their limit, constraints that it breaks.  Writes: s."""
    for n in range(s.count.island_joints):
        k = s.joint_island[n]
        f, p = s.joint[k], s.joint_i[k]
        f.snap = add(f.snap, f.impulse_sum)
        f.snap_moment = add(f.snap_moment, f.moment_sum)
        limit, turn = f.max_force * s.par.dt, f.max_torque * s.par.dt
        if limit < math.inf and norm(f.impulse_sum) >= AT_LIMIT * limit > 0.0:
            p.slips |= L.SLIPS
        if turn < math.inf and norm(f.moment_sum) >= AT_LIMIT * turn > 0.0:
            p.slips |= L.TURNS
        if dot(f.impulse_sum, f.impulse_sum) > 0.0 and _breaks(s, k):
            break_joint(s, k, time, L.BROKEN_BY_IMPULSE, f.impulse_sum)
        elif p.kind == L.CABLE and p.takes_part == 1 and dot(f.impulse_sum, f.impulse_sum) > 0.0:
            for side in range(2):
                r = s.work[p.body_a if side == 0 else p.body_b]
                r.impacts += 1.0 if r.inverse_mass > 0.0 else 0.0
            p.is_taut = 0       # a cable that snaps again is reported anew
            set_taut(s, k, 1, time, f.impulse_sum)
    forget_broken(s)


@kernel
def forget_broken(s):
    """Constraints that have broken leave the island in hand.  Writes: s.count, s.joint_island."""
    kept = 0
    for n in range(s.count.island_joints):
        if s.joint_i[s.joint_island[n]].in_force == 1:
            s.joint_island[kept] = s.joint_island[n]
            kept += 1
    s.count.island_joints = kept


@kernel
def note_cables(s, time):
    """Which cables of the island in hand are taut from `time` (s in the step) on: those at their length that do not
    slacken.  Writes: s.count, s.joint_i, s.joint_log."""
    for n in range(s.count.island_joints):
        k = s.joint_island[n]
        if s.joint_i[k].kind == L.CABLE:
            gap, opening = slack_by(s, k)
            taut = gap <= TAUT_GAP and opening <= OPENING
            set_taut(s, k, 1 if taut else 0, time, (0.0, 0.0, 0.0))

