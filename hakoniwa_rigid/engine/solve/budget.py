# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What the contacts of an island may cost in a step (work units), beyond which it is a crowd (docs/adr/0018-crowds.md).

Its budget depends on the bodies that are near each other; beyond it their bodies have credit, which comes back slowly.
"""
from ..constants import (
    AT_REST,
    BODY_BUDGET,
    CALM,
    CALM_HITS,
    CLOSE_BUDGET,
    CLOSE_PAIR_BUDGET,
    CREDIT,
    CREDIT_A_STEP,
    CREDITED,
    FEW,
    LEAST_BUDGET,
    LONE_BUDGET,
    LONE_PAIR_BUDGET,
    LONGEST_BUDGET,
    MOST_CREDIT,
    PAIR_BUDGET,
    PUSHED_PAIR_BUDGET,
    SETTLED_CREDIT,
    STRUCK_CREDIT,
)
from ..detect.clusters import cluster_of, cluster_size
from ..maths import elementary
from ..maths.jit import kernel
from ..maths.vec3 import norm
from ..model import layout as L


@kernel
def _pair_budget(near, pushed):
    """Work units for a pair of parts, where so many dynamic bodies are near each other; pushed: by a body of infinite
    mass, where there may be no solution."""
    if near > 1:
        return CLOSE_PAIR_BUDGET
    return PUSHED_PAIR_BUDGET if pushed else LONE_PAIR_BUDGET


@kernel
def budget_left(s, pairs, bodies, h):
    """What an island may still cost in this step, and what beyond that on credit (work units).  Writes: s.body."""
    free, near, spent, credit, calm, moving, settled, pushed = 0, 0, 0, 0, True, 0, False, False
    slow = max(CALM, 2.0 * s.par.dt * norm(s.par.gravity))
    for i in range(len(bodies)):
        r = s.work[bodies[i]]
        turn = norm(r.angular_velocity) * (s.anchor[bodies[i]].radius if r.inverse_mass > 0.0 else 0.0)
        speed = max(norm(r.velocity), turn)
        pushed = pushed or s.body[bodies[i]].kind == L.KINEMATIC
        calm, moving = calm and speed <= slow and r.impacts < CALM_HITS, moving + (speed > AT_REST)
        if r.inverse_mass > 0.0:
            spent = max(spent, s.body[cluster_of(s, bodies[i])].work_spent)
            free, near = free + 1, max(near, cluster_size(s, bodies[i]))
            credit += max(0, _credit(s, bodies[i]))
            settled = settled or s.body[bodies[i]].crowd_wait > 0
    near, met = max(free, near), max(near - 1, len(pairs))
    most = (CLOSE_BUDGET if near > 2 else LONE_BUDGET) + _pair_budget(near, pushed) * met
    if near > FEW:
        most = max(LEAST_BUDGET, most * FEW * FEW // (near * near))
    left = most + BODY_BUDGET * near + PAIR_BUDGET * met
    left = elementary.whole(left * min(max(1000.0 * s.par.dt, 1.0), LONGEST_BUDGET)) - spent
    share = elementary.square(min(1.0, CREDITED / near))
    credit = elementary.whole(credit / free * (share * share * share))
    if moving > 0 and (settled and near > 1 or near > CREDITED):
        credit = min(credit, CREDIT_A_STEP if settled else SETTLED_CREDIT)
    if near <= FEW and credit <= SETTLED_CREDIT:
        credit = min(credit, CREDIT_A_STEP)     # what has come back is not spent in one step
    if calm:
        return left, credit
    if moving > 1:
        return left, 0
    for i in range(len(bodies)):
        s.body[bodies[i]].credit_used = MOST_CREDIT
    return left, min(credit, STRUCK_CREDIT if near > 2 else CREDIT_A_STEP)


@kernel
def _credit(s, i):
    """What body i may cost beyond its budget (work units).  Writes: s.body."""
    b = s.body[i]
    back = CREDIT * (s.count.steps - b.credit_step)
    least = min(b.credit_used, MOST_CREDIT - SETTLED_CREDIT) if b.crowd_wait > 0 else 0
    b.credit_used = max(least, b.credit_used - back)
    b.credit_step = s.count.steps
    return MOST_CREDIT - b.credit_used


@kernel
def charge(s, bodies, work, on_credit):
    """What an island has cost: its cluster has so much less left; what went beyond the budget costs each body its
    credit.  Writes: s.body."""
    # little credit is spent once in a step; what has been put to rest on all of it may be hit yet
    last, counted = -1, work if on_credit <= CREDIT_A_STEP else work - on_credit
    for i in range(len(bodies)):
        if s.work[bodies[i]].inverse_mass > 0.0:
            root = cluster_of(s, bodies[i])
            s.body[root].work_spent += counted if root != last else 0
            s.body[bodies[i]].credit_used += on_credit
            last = root
