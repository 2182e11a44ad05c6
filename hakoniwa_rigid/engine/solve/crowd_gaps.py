# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What sweeps and scaled impulses leave of approaches in a crowd: no surface goes far into another, none through."""
from ..constants import CROWD_ROW_WORK, LONG_TURN
from ..contact.frame import relative_velocity
from ..detect.travel import half_thickness
from ..maths.jit import kernel
from ..maths.vec3 import dot, madd, norm, scale
from ..model import layout as L
from .common import apply

# m by which surfaces may come closer in a step than their gap; sweeps until they do not
LEFT_OF_WAY, GAP_SWEEPS = 5e-4, 16


@kernel
def _closes_too_fast(s, pairs, h):
    """True if two surfaces would be deeper in each other in h seconds than they are, by more than LEFT_OF_WAY."""
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        for c in range(p.point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            u, _, _ = relative_velocity(s.work[p.body_a], s.work[p.body_b], r, L.W_V1, L.W_W1)
            if max(r.gap, 0.0) + u * h < -LEFT_OF_WAY:
                return True
    return False


@kernel
def _stop(s, m, h):
    """Impulses along the normals of contact pair m that leave no approach beyond its gap.  Writes: s.count, s.row,
    s.work."""
    p = s.pair_i[m]
    ra, rb = s.work[p.body_a], s.work[p.body_b]
    s.count.work += CROWD_ROW_WORK * p.point_count
    for c in range(p.point_count):
        r = s.row[L.POINTS * m + c]
        u, _, _ = relative_velocity(ra, rb, r, L.W_V1, L.W_W1)
        more = min((-max(r.gap, 0.0) / h - u) * r.normal_mass, s.par.crowd_impulse_cap - r.normal_impulse)
        if more > 0.0:
            r.normal_impulse += more
            apply(ra, rb, r, (more, 0.0, 0.0), L.W_V1, L.W_W1)


@kernel
def _keep_middle(s, m, i, out, h):
    """The middle of body i of contact pair m does not get closer to the static one than its gap and its thickness let
    it.  out: 1 where normals point to body i, else -1.  Writes: s.row, s.work."""
    r, g = s.work[i], s.pair_i[m].shape_b if out > 0.0 else s.pair_i[m].shape_a
    for c in range(s.pair_i[m].point_count):
        row = s.row[L.POINTS * m + c]
        n, arm = scale(row.normal, out), row.arm_b if out > 0.0 else row.arm_a
        gap = max(row.gap, 0.0)
        # points lie in the middle of their gap
        room = gap + max(0.0, -dot(n, arm) - 0.5 * gap - half_thickness(s, g))
        short = -room / h - dot(n, r.predicted_velocity)
        if short > 0.0:
            r.predicted_velocity = madd(r.predicted_velocity, n, short)
            row.normal_impulse += short / r.inverse_mass


@kernel
def _keep_middles(s, pairs, h):
    """What turns by more than LONG_TURN in the step: the velocity that its contact points have at its start says
    nothing of where they are at its end, and the whole body may go through a wall while they leave it.
    Writes: s.row, s.work."""
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        for side in range(2):
            k, other = (p.body_b, p.body_a) if side == 1 else (p.body_a, p.body_b)
            if s.body[other].kind == L.STATIC and norm(s.work[k].predicted_angular_velocity) * h > LONG_TURN:
                _keep_middle(s, pairs[i], k, 2.0 * side - 1.0, h)


@kernel
def keep_gaps(s, pairs, h):
    """Where surfaces still close far too fast, stop them: light bodies between heavy ones, that sweeps do not get to
    the end of, and approaches that are left because impulses were scaled.

    Each impulse pushes along a normal against an approach: it takes energy, keeps momentum, and leaves its row in the
    cone.  What stands still has the last word.  Writes: s.count, s.row, s.work."""
    if _closes_too_fast(s, pairs, h):
        for k in range(GAP_SWEEPS):
            for i in range(len(pairs)):
                _stop(s, pairs[i if k % 2 == 0 else len(pairs) - 1 - i], h)
        for i in range(len(pairs)):
            p = s.pair_i[pairs[i]]
            if s.body[p.body_a].kind == L.STATIC or s.body[p.body_b].kind == L.STATIC:
                _stop(s, pairs[i], h)
    _keep_middles(s, pairs, h)
