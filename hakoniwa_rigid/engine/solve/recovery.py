# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Overlap recovery: positions only, never velocities, so that it adds no kinetic energy.

Pseudo-displacements along the normals remove a share of each overlap per step, at a bounded speed (nonlinear
Gauss-Seidel on positions; after the split-impulse idea, applied to poses only).
"""
from ..constants import (
    LANES,
    NO_MATTER,
    RECOVERY_PATIENCE,
    RECOVERY_RATE,
    RECOVERY_SPEED,
    RECOVERY_SWEEPS,
    SLOP,
    UNEVEN,
)
from ..contact.frame import relative_velocity
from ..contact.pending_impulses import presses
from ..detect.clusters import cluster_of
from ..maths import quat
from ..maths.jit import kernel
from ..maths.vec3 import add, cross, dot, madd, norm, scale, sub, sym_mul
from ..model import layout as L
from ..motion.bodies import angular_momentum
from .interlocked import part_interlocked
from .island_solve import STATIC_SWEEPS, is_pushed
from .joint_recovery import hold_displacements

# m: what the sweeps push farther than this into something static is pushed out again
INTO_STATIC = 1e-7


@kernel
def _shift(body, arm, p):
    """Writes: body."""
    im = body.inverse_mass
    if im == 0.0:
        return
    iw = (body[L.W_IW], body[L.W_IW + 1], body[L.W_IW + 2], body[L.W_IW + 3], body[L.W_IW + 4], body[L.W_IW + 5])
    body.shift = madd(body.shift, p, im)
    body.turn = add(body.turn, sym_mul(iw, cross(arm, p)))


@kernel
def _pushed_apart(ra, rb, r):
    """How far (m) the points of a row have been pushed apart."""
    db = add(rb.shift, cross(rb.turn, r.arm_b))
    da = add(ra.shift, cross(ra.turn, r.arm_a))
    return dot(sub(db, da), r.normal)


@kernel
def _push_row(ra, rb, r, wanted):
    """Raise the accumulated push of one row until its points part by `wanted` (m), or lower it to no less than zero.
    Writes: ra, rb, r."""
    n, arm_a, arm_b = r.normal, r.arm_a, r.arm_b
    push = max(0.0, r.normal_impulse + (wanted - _pushed_apart(ra, rb, r)) / r.normal_inverse_mass)
    if push == r.normal_impulse:
        return
    p = scale(n, push - r.normal_impulse)
    r.normal_impulse = push
    _shift(rb, arm_b, p)
    _shift(ra, arm_a, scale(p, -1.0))


@kernel
def _slow_down(body, radius, most):
    """No point of a body is moved by more than `most` (m), however many push it.  Writes: body."""
    size = norm(body.shift) + norm(body.turn) * radius
    if size > most:
        body.shift = scale(body.shift, most / size)
        body.turn = scale(body.turn, most / size)


@kernel
def _displace(s, i):
    """Move body i, and account for what that gives it.

    Energy (J): in gravity, and by its rotation about axes that turn.  Angular momentum about the origin (kg m^2/s).
    Writes: s.par, s.work."""
    body = s.work[i]
    if body.inverse_mass == 0.0:
        return
    _slow_down(body, s.anchor[i].radius, RECOVERY_SPEED * s.par.dt)
    w, dx, before = body.angular_velocity, body.shift, angular_momentum(body)
    _move(body)
    gained = sub(angular_momentum(body), before)
    weight = scale(s.par.gravity, s.block[i // LANES, L.H_G * LANES + i % LANES] / body.inverse_mass)
    s.par.recovery_work += 0.5 * dot(gained, w) - dot(weight, dx)
    orbital = scale(cross(dx, body.velocity), 1.0 / body.inverse_mass)
    s.par.recovery_angular_momentum = add(s.par.recovery_angular_momentum, add(gained, orbital))


@kernel
def _move(body):
    """Writes: body."""
    body.position = add(body.position, body.shift)
    d, q = body.turn, body.attitude
    if dot(d, d) > 0.0:
        spin = quat.mul((1.0, 0.5 * d[0], 0.5 * d[1], 0.5 * d[2]), q)
        body.attitude = quat.normalised(spin)


@kernel
def _is_pressed(s):
    """True if recovery pushes bodies out of a moving one of infinite mass."""
    for m in range(s.count.contact_pairs):
        if s.pair_i[m].touches == 1 and is_pushed(s, m):
            for k in range(L.POINTS * m, L.POINTS * m + s.pair_i[m].point_count):
                if s.row[k].target_velocity > 0.0:
                    return True
    return False


@kernel
def _let_static_win(s):
    """What is pushed out of a hand is not pushed into a wall: all other rows have the last word.
    Writes: s.row, s.work."""
    for _ in range(STATIC_SWEEPS):
        for m in range(s.count.contact_pairs):
            p = s.pair_i[m]
            if p.touches == 0 or is_pushed(s, m):
                continue
            for k in range(L.POINTS * m, L.POINTS * m + p.point_count):
                wanted = s.row[k].target_velocity
                if wanted > -NO_MATTER:
                    wanted = wanted if wanted > 0.0 else -max(s.row[k].gap, 0.0)
                    _push_row(s.work[p.body_a], s.work[p.body_b], s.row[k], wanted)


@kernel
def _weigh(s):
    """Least and greatest 1/mass (1/kg) of each cluster, in W_BACK and behind of its first body.
    Writes: s.body, s.work."""
    for k in range(2):
        for m in range(s.count.contact_pairs):
            for f in range(L.P_A, L.P_B + 1):
                i = s.pair_i[m, f]
                if s.body[i].kind == L.DYNAMIC:
                    first, im = s.work[cluster_of(s, i)], s.work[i].inverse_mass
                    first[L.W_BACK] = min(first[L.W_BACK], im) if k == 1 else im
                    first[L.W_BACK + 1] = max(first[L.W_BACK + 1], im) if k == 1 else im


@kernel
def _lies_uneven(s, m):
    """True for contact pairs of something static and a body in a cluster of very different masses.  Writes: s.body."""
    p = s.pair_i[m]
    kind_a, kind_b = s.body[p.body_a].kind, s.body[p.body_b].kind
    if kind_a + kind_b != L.STATIC + L.DYNAMIC or kind_a == kind_b:
        return False
    first = s.work[cluster_of(s, p.body_a if kind_a == L.DYNAMIC else p.body_b)]
    return first[L.W_BACK + 1] > UNEVEN * first[L.W_BACK]


@kernel
def _stay_out_of_static(s):
    """What lies on something static is not pushed into it by what is much heavier: those rows have the last word, as
    far as any is pushed in.  A few sweeps get nowhere where a light body carries heavy ones, step after step.
    Writes: s.body, s.row, s.work."""
    _weigh(s)
    for _ in range(STATIC_SWEEPS):
        worst = 0.0
        for m in range(s.count.contact_pairs):
            p = s.pair_i[m]
            if p.touches == 0 or not _lies_uneven(s, m):
                continue
            ra, rb = s.work[p.body_a], s.work[p.body_b]
            for k in range(L.POINTS * m, L.POINTS * m + p.point_count):
                r = s.row[k]
                into = -_pushed_apart(ra, rb, r) - max(r.gap, 0.0)
                if into > INTO_STATIC:
                    worst = max(worst, into)
                    _push_row(ra, rb, r, -max(r.gap, 0.0))
        if worst == 0.0:
            return


@kernel
def recover_overlap(s, h):
    """Part overlapping shapes a little.

    Every row has a say: what is pushed out takes along what lies on it.  A gap that opened between them would close at
    once, by an impact: a pile would be shaken by its own recovery, for ever. Uses R_J of the rows as the push (kg m):
    call after the impulses were logged.  Writes: s."""
    deepest = 0.0
    for m in range(s.count.contact_pairs):
        p = s.pair_i[m]
        ra, rb = s.work[p.body_a], s.work[p.body_b]
        pressed = s.count.profiles > 0 and presses(s, m)
        for c in range(p.point_count if p.touches == 1 else 0):
            r = s.row[L.POINTS * m + c]
            if p.looks_ahead == 1:
                gap = r.gap + relative_velocity(ra, rb, r, L.W_V, L.W_W)[0] * h
                out = min(-RECOVERY_RATE * (gap + s.pair_f[m].overlap_slop), RECOVERY_SPEED * h)
                r.target_velocity = out if out > 0.0 else -max(gap, 0.0)
                r.normal_impulse = 0.0
                deepest = max(deepest, r.target_velocity)
                continue
            separating = max(0.0, relative_velocity(ra, rb, r, L.W_V, L.W_W)[0])
            left = r.depth - separating * max(h, RECOVERY_PATIENCE) - SLOP
            # a contact over time presses in and comes out by itself
            out = 0.0 if pressed else min(RECOVERY_RATE * left, RECOVERY_SPEED * h)
            r.target_velocity = out if out > 0.0 else -max(r.gap, 0.0)
            r.normal_impulse = 0.0
            deepest = max(deepest, r.target_velocity)
    if deepest <= 0.0:
        return
    part_interlocked(s)
    for _ in range(RECOVERY_SWEEPS):
        for m in range(s.count.contact_pairs):
            p = s.pair_i[m]
            for c in range(p.point_count if p.touches == 1 else 0):
                r = s.row[L.POINTS * m + c]
                _push_row(s.work[p.body_a], s.work[p.body_b], r, r.target_velocity)
    if _is_pressed(s):
        _let_static_win(s)
    else:
        _stay_out_of_static(s)
    if s.count.joints > 0:
        hold_displacements(s)
    for i in s.close[:s.count.close_bodies]:
        _displace(s, i)
    s.par.recovered += deepest
