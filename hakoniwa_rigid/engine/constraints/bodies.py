# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bodies under constraints: which take part in a step, how far they may travel, whom they may not collide with."""
from ..constants import CROWD_SPEED, LANES, LOOKED_AT, SURE
from ..maths.jit import kernel
from ..maths.vec3 import add, norm
from ..model import layout as L
from ..motion.states import is_idle, rate

# passes by which the reach of one body becomes that of its neighbours; times that reach
PASSES, WHIP = 2, 2.0


@kernel
def is_active(s, k):
    """True if constraint k holds and anything may move by it in this step."""
    p = s.joint_i[k]
    if p.in_force == 0 or s.body[p.body_a].enabled == 0 or s.body[p.body_b].enabled == 0:
        return False
    return not (is_idle(s, p.body_a) and is_idle(s, p.body_b))


@kernel
def next_joint(s, link):
    """Constraint of a link (B_JOINT, JI_NEXT_A, JI_NEXT_B), the body at its other end, and the next link."""
    k, side = (link - 1) // 2, (link - 1) % 2
    p = s.joint_i[k]
    return (k, p.body_a, p.next_b) if side == 1 else (k, p.body_b, p.next_a)


@kernel
def kept_apart(s, a, b):
    """True if a constraint between bodies a and b keeps them from colliding."""
    link = s.body[a].first_joint
    while link > 0:
        k, other, link = next_joint(s, link)
        if other == b and s.joint_i[k].in_force == 1 and s.joint_i[k].collides == 0:
            return True
    return False


@kernel
def widen_bounds(s, h, strayed, far):
    """Motion bounds of bodies under constraints, which may be pulled along by each other: whether any may leave its
    skin, and the farthest reach (m).  Writes: s.travel."""
    for turn in range(PASSES):
        for k in range(len(s.joint_i)):
            p = s.joint_i[k]
            if is_active(s, k):
                both = max(_reach(s, p.body_a, h, turn), _reach(s, p.body_b, h, turn))
                for i in (p.body_a, p.body_b):
                    if s.body[i].kind == L.DYNAMIC:
                        s.travel[L.V_REACH, i] = max(s.travel[L.V_REACH, i], both)
    for k in range(len(s.joint_i)):
        for f in range(L.JI_A, L.JI_B + 1):
            if is_active(s, k):
                i = s.joint_i[k, f]
                reach = s.travel[L.V_REACH, i]
                far, wanted = max(far, reach), s.travel[L.V_USED, i] + LOOKED_AT * reach + CROWD_SPEED * h + SURE
                if wanted > s.block[i // LANES, L.H_SKIN * LANES + i % LANES]:
                    strayed = 1.0
    return strayed, far


@kernel
def _reach(s, i, h, turn):
    """Bound (m) on what a point of body i may travel, and on what it may make others travel."""
    own = s.travel[L.V_REACH, i]
    if turn > 0 or s.body[i].kind == L.STATIC:
        return own
    return WHIP * (own + norm(rate(s, i)) * s.anchor[i].radius * h)


@kernel
def begin_joints_of_step(s):
    """Nothing has acted in this step yet.  Writes: s.joint, s.joint_i."""
    for k in range(len(s.joint_i)):
        s.joint_i[k].acted = 1 if is_active(s, k) else 0
        if s.joint_i[k].acted == 1:
            f = s.joint[k]
            f.span, f.time_of_taut, f.renewal, f.work_spent, s.joint_i[k].events = 0.0, L.NEVER, L.NEVER, 0.0, 0
            for c in range(L.JT_LOAD, L.JT_SNAP_T + 3):
                f[c] = 0.0


@kernel
def forget_totals(s):
    """A call of World.step begins, in which no constraint has given anything yet.  Writes: s.joint."""
    for k in range(len(s.joint)):
        for c in range(L.JT_TOTAL, L.JT_TOTAL_T + 3):
            s.joint[k, c] = 0.0


@kernel
def add_totals(s):
    """What constraints gave in this step to what they gave in the call; what holds sleepers goes on.
    Writes: s.joint."""
    for k in range(len(s.joint_i)):
        f, p = s.joint[k], s.joint_i[k]
        if p.acted == 1:
            f.total, f.total_moment = add(f.total, f.snap), add(f.total_moment, f.snap_moment)
        elif p.in_force == 0 or s.body[p.body_a].enabled == 0 or s.body[p.body_b].enabled == 0:
            continue
        f.total, f.total_moment = add(f.total, f.load), add(f.total_moment, f.load_moment)
