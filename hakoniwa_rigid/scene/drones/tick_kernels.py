# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Drones before and after the steps of a tick, compiled: loops over all drones."""
from __future__ import annotations

from ...array_table import bool_array, float_array, int_array
from ...codec.message_fields import NANOSECONDS
from ...codec.motion_columns import MOTION, OMEGA, VEL
from ...engine.constants import LANES
from ...engine.maths import elementary, quat
from ...engine.maths.entries import entry
from ...engine.maths.jit import inline, kernel
from ...engine.maths.vec3 import add, cross, load3, norm, scale, store3, sub
from ...engine.model import layout as L
from ...engine.model.motions import are_motions, read_motions, write_motions
from .authority import CORRECT, OBSERVE, SIMULATE
from .fleet_table import FLEET_END, GATE_AT, WRENCHES_AT, view_bounds, view_drones, view_gate
from .rows import (
    APPLY_TIME,
    DV,
    DW,
    DX,
    LED_TURN,
    OWN_ACCEL,
    OWN_TURN,
    PHI,
    SNAP,
    SNAP_TOUCHING,
    STOPPED,
    between,
    bounded,
    extrapolate,
    from_vector,
    is_applied,
    load_motion,
    nonzero,
    predict_reference,
    store_motion,
    store_offset,
    to_base,
    to_com,
    was_applied,
    with_offset,
    within,
)

# places in a table behind the arrays of the fleet: bodies (n,) of the engine, their motions (n,13), place and switch
# (n,) of `pre_step`; then six arrays of the engine
BODIES_AT = FLEET_END
ENGINE_AT = BODIES_AT + 4


@entry
def pull(d, rate, tau, h):
    """Mean acceleration over h of the critically damped return of d with rate per s; unbounded.  Numbers or arrays."""
    b = rate + d / tau
    rate_after = (rate - b * (h / tau)) * elementary.exp(-h / tau)
    return (rate_after - rate) / h


@kernel
def _pull3(d, first, rate, tau, h):
    return (pull(d[first], d[rate], tau, h), pull(d[first + 1], d[rate + 1], tau, h),
            pull(d[first + 2], d[rate + 2], tau, h))


@kernel
def _times_inertia(inertia, q, v):
    """I_world v for inertia (3,3) in body axes and v in the world."""
    b = quat.rotate(quat.conj(q), v)
    return quat.rotate(q, (inertia[0, 0] * b[0] + inertia[0, 1] * b[1] + inertia[0, 2] * b[2],
                       inertia[1, 0] * b[0] + inertia[1, 1] * b[1] + inertia[1, 2] * b[2],
                       inertia[2, 0] * b[0] + inertia[2, 1] * b[1] + inertia[2, 2] * b[2]))


@kernel
def _mean_drag(v, a, k, h):
    """Mean acceleration over h of linear drag -k v (k per s) beside a constant acceleration a: exact for the velocity
    at the end."""
    if k <= 0.0:
        return 0.0
    return (v * elementary.exp(-k * h) - a * elementary.expm1(-k * h) / k - v) / h - a


@inline
def _judge_jump(s, i, body, before, now, step, lately):
    """A new sample of a drone that is off its reference, `step` s after the last.  Changes the offset.

    Touching: the body stays.  Free: a jump of the reference by which the simulator applied our correction is subtracted
    from the offset, so that the exported drone does not jump.  Position, orientation and both velocities are judged
    apart; velocities by what they are now, since a reference may stop dead.  Writes: s.offset."""
    d = s.offset[i]
    if s.touched[i]:
        store_offset(d, between(load_motion(body), now))
        return
    jump = between(now, before)
    own = (OWN_ACCEL * step * step, OWN_TURN * step * step)
    # a reference that has stopped was thought to go on between the two samples, and since the last
    stopped = (norm(now[2]) < STOPPED * norm(before[2]), norm(now[3]) < STOPPED * norm(before[3]))
    for part in range(4):
        offset = load3(d, 3 * part)
        if part < 2:
            change = scale(jump[part + 2], 2.0 * step if stopped[part] else 0.0)
            ours = was_applied(jump[part], offset, own[part], lately, change)
        else:
            ours = is_applied(jump[part], offset)
        if ours:
            store3(d, 3 * part, sub(offset, jump[part]))


@inline
def _take_reference(s, g, p, i, body, t0, present):
    """Make the newest sample of drone i its reference.  Changes body (13,) where it belongs elsewhere, and then returns
    True.  Writes: s.offset, s.reference, s.reference_stamp, body."""
    d, authority = s.offset[i], s.authority[i]
    reset = present and (s.reset[i] or not s.enabled[i])
    fresh = reset or g.newest[i] != s.reference_stamp[i]
    if reset or not present or authority != CORRECT:
        d[:] = 0.0
    off = nonzero(d)
    if fresh:
        before = predict_reference(s.reference[i], s.reference_stamp[i], s.com[i], t0, p.extrapolation)
        step = (g.newest[i] - s.reference_stamp[i]) / NANOSECONDS
        store_motion(s.reference[i], load_motion(s.sample[i]))
        s.reference_stamp[i] = g.newest[i]
        if off and present:
            after = predict_reference(s.reference[i], s.reference_stamp[i], s.com[i], t0, p.extrapolation)
            _judge_jump(s, i, body, before, after, step, t0 - s.touch_stamp[i] < APPLY_TIME)
    if not present:
        return False
    if authority == SIMULATE:
        if reset:
            # at its sample, or at its start pose if only forces came
            store_motion(body, to_com(load_motion(s.sample[i] if g.known[i] else s.start[i]), load3(s.com[i], 0)))
        return reset
    if off and authority == CORRECT and (s.touched[i] or not fresh):
        return False
    now = predict_reference(s.reference[i], s.reference_stamp[i], s.com[i], t0, p.extrapolation)
    store_motion(body, with_offset(now, d) if off else now)
    return True


@inline
def _push(s, i, body, p, driven, h):
    """Force and torque on drone i, world: hover and pull of a controlled drone; thrust and drag of a simulated one.
    Directions are those of the middle of the tick."""
    _, q, v, w = load_motion(body)
    swift = norm(w) * h > LED_TURN
    q = quat.mul(from_vector(scale(w, 0.5 * h)), q)
    gravity, mass = load3(p.gravity, 0), s.mass[i]
    if s.authority[i] != SIMULATE:
        d, inertia = s.offset[i], s.inertia[i]
        accel = torque = (0.0, 0.0, 0.0)
        if nonzero(d):
            accel = bounded(_pull3(d, DX, DV, p.tau, h), s.most_pull[i])
            torque = bounded(_times_inertia(inertia, q, _pull3(d, PHI, DW, p.tau, h)), s.most_torque[i])
        accel = sub(accel, gravity)
        # omega x (I omega) keeps omega constant
        return scale(accel, mass), torque if swift else add(torque, cross(w, _times_inertia(inertia, q, w)))
    zero = (0.0, 0.0, 0.0)
    force, torque = load3(s.force[i], 0), load3(s.torque[i], 0)
    if s.by_rotors[i]:
        force, torque = load3(s.rotor_force[i], 0), load3(s.rotor_torque[i], 0)
    outer, twist = (quat.rotate(q, force), quat.rotate(q, torque)) if driven else (zero, zero)
    a, k = add(scale(outer, 1.0 / mass), gravity), s.drag[i] / mass
    drag = (_mean_drag(v[0], a[0], k, h), _mean_drag(v[1], a[1], k, h), _mean_drag(v[2], a[2], k, h))
    return add(outer, scale(drag, mass)), twist


@inline
def _pre_step_all(s, g, wrench, p, bodies, body, t0, t1, force, torque, place, switch):
    """Prepare the drones for the steps from t0 to t1: see `pre_step`.
    Writes: s, body, force, torque, place, switch."""
    h = (t1 - t0) / NANOSECONDS
    for i in range(len(bodies)):
        controlled, known = s.authority[i] != SIMULATE, g.known[i]
        present = known and abs(t0 - g.newest[i]) <= p.remove_ns and not s.frozen[i]
        driven = wrench.known[i] and abs(t0 - wrench.newest[i]) <= p.stale_ns
        s.stale[i] = not known or abs(t1 - g.newest[i]) > p.stale_ns
        if not controlled:
            present, s.stale[i] = (known or wrench.known[i]) and not s.frozen[i], not driven
        place[i] = _take_reference(s, g, p, i, body[i], t0, present)
        switch[i] = present != s.enabled[i]
        s.enabled[i] = present
        s.reset[i] = False
        f, t = _push(s, i, body[i], p, driven, h)
        f, cut_f = within(f, s.most_load[i, 0])
        t, cut_t = within(t, s.most_load[i, 1])
        if max(cut_f, cut_t) > 0.0:
            s.cut[i, 0], s.cut[i, 1], s.limited[i] = max(s.cut[i, 0], cut_f), max(s.cut[i, 1], cut_t), True
        store3(force[bodies[i]], 0, f)
        store3(torque[bodies[i]], 0, t)


@kernel
def _view_engine(t, count):
    """Block, axes, table of bodies, counts, force and torque of the engine, which has so many bodies."""
    blocks, k = (count + LANES - 1) // LANES, ENGINE_AT
    return (float_array(t, k, (blocks, L.BLOCK * LANES)), float_array(t, k + 1, (count, 4)),
            int_array(t, k + 2, (count, L.BODY)), int_array(t, k + 3, (L.COUNTERS,)),
            float_array(t, k + 4, (count, 3)), float_array(t, k + 5, (count, 3)))


@entry
def pre_step(t, n, count, turned, t0, t1, alone):
    """Prepare n drones of an engine with `count` bodies for the steps from t0 to t1, all arrays by the table t of their
    addresses.  Changed: forces of the engine, and where nothing else is moved from outside, `alone`, motions too.

    Returns False where the latter are not written: not alone, or where bodies enter or leave, have impacts over time or
    cannot be put there.  The table's body has them then, place (n,) says which of them changed, switch (n,) who entered
    or left.  Writes: t."""
    block, axes, table, counts, force, torque = _view_engine(t, count)
    bodies, body = int_array(t, BODIES_AT, (n,)), float_array(t, BODIES_AT + 1, (n, MOTION))
    place, switch = bool_array(t, BODIES_AT + 2, (n,)), bool_array(t, BODIES_AT + 3, (n,))
    read_motions(block, axes, turned, bodies, body)
    _pre_step_all(view_drones(t, n), view_gate(t, GATE_AT, n), view_gate(t, WRENCHES_AT, n), view_bounds(t), bodies,
                  body, t0, t1, force, torque, place, switch)
    if not alone or switch.any() or counts[L.N_PROFILES] > 0:
        return False
    moved, motions = (bodies, body) if place.all() else (bodies[place], body[place])
    if not are_motions(table, moved, motions):
        return False
    write_motions(block, axes, turned, moved, motions)
    return True


@kernel
def _below(d, limits):
    return norm(d[0]) < limits[0] and norm(d[1]) < limits[1] and norm(d[2]) < limits[2] and norm(d[3]) < limits[3]


@entry
def post_step(t, n, count, turned, t1, touched, kick_v, kick_w):
    """What to export at t1 of n drones of an engine with `count` bodies, arrays as in `pre_step`.

    Of its bodies touched (B,) bool and kick_v, kick_w (B,3): velocity changes to show on observed drones.
    Writes: t."""
    engine, body = _view_engine(t, count), float_array(t, BODIES_AT + 1, (n, MOTION))
    bodies, s, p = int_array(t, BODIES_AT, (n,)), view_drones(t, n), view_bounds(t)
    read_motions(engine[0], engine[1], turned, bodies, body)
    for i in range(len(bodies)):
        b, d, shown, com = bodies[i], s.offset[i], s.shown[i], load3(s.com[i], 0)
        s.touched[i] = touched[b]
        if touched[b]:
            s.touch_stamp[i] = t1
        if not s.enabled[i]:
            # out of the scene: it stands still where it was last shown
            shown[VEL:] = 0.0
            continue
        if s.authority[i] == SIMULATE:
            store_motion(shown, to_base(load_motion(body[i]), com))
            continue
        base = extrapolate(load_motion(s.reference[i]), (t1 - s.reference_stamp[i]) / NANOSECONDS, p.extrapolation)
        store_motion(shown, base)
        if s.authority[i] == OBSERVE:
            # the changes are those of the centre of mass, what is shown is base_link
            kick = load3(kick_w[b], 0)
            store3(shown, VEL, add(load3(shown, VEL), sub(load3(kick_v[b], 0), cross(kick, quat.rotate(base[1], com)))))
            store3(shown, OMEGA, add(load3(shown, OMEGA), kick))
        elif touched[b] or nonzero(d):
            left = between(load_motion(body[i]), to_com(base, com))
            if _below(left, SNAP_TOUCHING if touched[b] else SNAP):
                d[:] = 0.0
            else:
                store_offset(d, left)
                store_motion(shown, to_base(load_motion(body[i]), com))


@entry
def export_states(t, n, touching, pos, xyzw, vel, turning, flags):
    """The exported states of n drones as fleet arrays: angular velocity in the body, flags with the bits of records.py;
    clears the marks of refused inputs and of what was limited.  Returns how many had a load cut.
    Writes: t.limited, t.rejected, pos, xyzw, vel, turning, flags."""
    cut = 0
    s, bodies = view_drones(t, n), int_array(t, BODIES_AT, (n,))
    for i in range(n):
        x, q, v, w = load_motion(s.shown[i])
        store3(pos[i], 0, x)
        xyzw[i, 0], xyzw[i, 1], xyzw[i, 2], xyzw[i, 3] = q[1], q[2], q[3], q[0]
        store3(vel[i], 0, v)
        store3(turning[i], 0, quat.rotate(quat.conj(q), w))
        flags[i] = (1 * touching[bodies[i]] + 2 * nonzero(s.offset[i]) + 4 * s.stale[i] + 8 * s.rejected[i]
                    + 16 * s.limited[i] + 32 * s.frozen[i])
        cut += max(s.cut[i, 0], s.cut[i, 1]) > 0.0
        s.rejected[i] = s.limited[i] = False
    return cut


@entry
def become_correct(t, n, i, body, t_ns):
    """Drone i becomes `correct`: its offset (from the reference at t) is where its body (13,) is.  Writes: t.offset."""
    s = view_drones(t, n)
    reference = predict_reference(s.reference[i], s.reference_stamp[i], s.com[i], t_ns, view_bounds(t).extrapolation)
    store_offset(s.offset[i], between(load_motion(body), reference))
