# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What happened to constraints in a step: rows of their log, and constraints that are no more."""
from ..maths.jit import kernel
from ..model import layout as L

# rows of the log that must be free per constraint before a step starts; others are counted as lost
ROWS_PER_JOINT = 40


@kernel
def log_joint(s, k, time, phase, amount):
    """A row of the log: constraint, time (s in the step), what happened, force (N) or impulse (N s) on b.
    Writes: s.count, s.joint_log."""
    if s.count.joint_rows >= len(s.joint_log):
        s.count.lost_log_rows += 1
        return
    row = s.joint_log[s.count.joint_rows]
    row[L.JL_JOINT], row[L.JL_STEP], row[L.JL_TIME], row[L.JL_PHASE] = k, s.count.steps, time, phase
    for f in range(3):
        row[L.JL_F + f] = amount[f]
    s.count.joint_rows += 1


@kernel
def break_joint(s, k, time, phase, amount):
    """Constraint k holds no longer; bodies that it kept from colliding may do so again.
    Writes: s.count, s.joint_i, s.joint_log."""
    s.joint_i[k].in_force = 0
    s.count.joints -= 1
    s.count.list_is_stale = 1
    log_joint(s, k, time, phase, amount)


@kernel
def set_taut(s, k, taut, time, amount):
    """Cable k is taut from now on, or slack.  Writes: s.count, s.joint_i, s.joint_log."""
    if s.joint_i[k].is_taut != taut:
        s.joint_i[k].is_taut = taut
        log_joint(s, k, time, L.TAUT if taut == 1 else L.SLACK, amount)
