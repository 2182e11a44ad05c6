"""Drones led into the steps of a tick and shown after them, compiled: loops over all drones."""
from __future__ import annotations

import math

import numpy as np

from ...array_table import bool_array, float_array, int_array
from ...codec.message_fields import NANOSECONDS
from ...codec.motion_columns import MOTION, OMEGA, VEL
from ...engine.constants import LANES
from ...engine.maths import quat
from ...engine.maths.jit import entry, kernel, once
from ...engine.maths.vec3 import add, cross, load3, norm, scale, store3, sub
from ...engine.model import layout as at
from ...engine.model.motions import are_motions, read_motions, write_motions
from .fleet_table import FLEET_END, GATE_AT, WRENCHES_AT, view_bounds, view_drones, view_gate
from .rows import (
    ADOPTION,
    CORRECT,
    DV,
    DW,
    DX,
    LED_TURN,
    OBSERVE,
    OWN_ACCEL,
    OWN_TURN,
    PHI,
    SIMULATE,
    SNAP,
    SNAP_TOUCHING,
    STOPPED,
    adopts,
    between,
    bounded,
    deflected,
    extrapolate,
    extrapolated_reference,
    from_vector,
    load_motion,
    nonzero,
    store_deflection,
    store_motion,
    taken_over,
    to_base,
    to_com,
    within,
)

# places in a table behind the arrays of the fleet: bodies (n,) of the engine, their motions (n,13), place and switch
# (n,) of `lead`; then six arrays of the engine
BODIES_AT = FLEET_END
ENGINE_AT = BODIES_AT + 4


@entry
def pull(d, rate, tau, h):
    """Mean acceleration over h of the critically damped return of d with rate per s; unbounded.  Numbers or arrays."""
    b = rate + d / tau
    rate_after = (rate - b * (h / tau)) * np.exp(-h / tau)
    return (rate_after - rate) / h


@kernel
def _pull3(d, at, rate_at, tau, h):
    return (pull(d[at], d[rate_at], tau, h), pull(d[at + 1], d[rate_at + 1], tau, h),
            pull(d[at + 2], d[rate_at + 2], tau, h))


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
    return (v * math.exp(-k * h) - a * math.expm1(-k * h) / k - v) / h - a


@once
def _follow(s, i, body, before, now, step, lately):
    """A new sample of a deflected drone, `step` s after the last.  Touching: the body stays.  Free: a jump of the plan
    that the source has from us is subtracted from the deflection, so that the drone shown does not jump; position,
    orientation and both velocities are judged apart; velocities by what they are now, since a plan may stop dead."""
    d = s.deflection[i]
    if s.touched[i]:
        store_deflection(d, between(load_motion(body), now))
        return
    jump = between(now, before)
    own = (OWN_ACCEL * step * step, OWN_TURN * step * step)
    # a plan that has stopped was thought to go on between the two samples, and since the last
    stopped = (norm(now[2]) < STOPPED * norm(before[2]), norm(now[3]) < STOPPED * norm(before[3]))
    for part in range(4):
        deflection = load3(d, 3 * part)
        if part < 2:
            change = scale(jump[part + 2], 2.0 * step if stopped[part] else 0.0)
            ours = taken_over(jump[part], deflection, own[part], lately, change)
        else:
            ours = adopts(jump[part], deflection)
        if ours:
            store3(d, 3 * part, sub(deflection, jump[part]))


@once
def _adopt(s, g, p, i, body, t0, present):
    """Make the newest sample of drone i the plan; body (13,) becomes where it belongs.  Returns whether it changed."""
    d, authority = s.deflection[i], s.authority[i]
    reset = present and (s.reset[i] or not s.enabled[i])
    fresh = reset or g.newest[i] != s.plan_stamp[i]
    if reset or not present or authority != CORRECT:
        d[:] = 0.0
    off = nonzero(d)
    if fresh:
        before = extrapolated_reference(s.plan[i], s.plan_stamp[i], s.com[i], t0, p.extrapolation)
        step = (g.newest[i] - s.plan_stamp[i]) / NANOSECONDS
        store_motion(s.plan[i], load_motion(s.sample[i]))
        s.plan_stamp[i] = g.newest[i]
        if off and present:
            _follow(s, i, body, before, extrapolated_reference(s.plan[i], s.plan_stamp[i], s.com[i], t0, p.extrapolation), step,
                    t0 - s.touch_stamp[i] < ADOPTION)
    if not present:
        return False
    if authority == SIMULATE:
        if reset:
            # at its sample, or at its start pose if only forces came
            store_motion(body, to_com(load_motion(s.sample[i] if g.known[i] else s.start[i]), load3(s.com[i], 0)))
        return reset
    if off and authority == CORRECT and (s.touched[i] or not fresh):
        return False
    now = extrapolated_reference(s.plan[i], s.plan_stamp[i], s.com[i], t0, p.extrapolation)
    store_motion(body, deflected(now, d) if off else now)
    return True


@once
def _push(s, i, body, p, driven, h):
    """Force and torque on drone i, world: hover and pull of a led drone; thrust and drag of a simulated one.
    Directions are those of the middle of the tick."""
    _, q, v, w = load_motion(body)
    swift = norm(w) * h > LED_TURN
    q = quat.mul(from_vector(scale(w, 0.5 * h)), q)
    gravity, mass = load3(p.gravity, 0), s.mass[i]
    if s.authority[i] != SIMULATE:
        d, inertia = s.deflection[i], s.inertia[i]
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


@once
def _lead_all(s, g, wrench, p, bodies, body, t0, t1, force, torque, place, switch):
    """Lead the drones into the steps from t0 to t1: see `lead`."""
    h = (t1 - t0) / NANOSECONDS
    for i in range(len(bodies)):
        led, known = s.authority[i] != SIMULATE, g.known[i]
        present = known and abs(t0 - g.newest[i]) <= p.remove_ns and not s.frozen[i]
        driven = wrench.known[i] and abs(t0 - wrench.newest[i]) <= p.stale_ns
        s.stale[i] = not known or abs(t1 - g.newest[i]) > p.stale_ns
        if not led:
            present, s.stale[i] = (known or wrench.known[i]) and not s.frozen[i], not driven
        place[i] = _adopt(s, g, p, i, body[i], t0, present)
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
    return (float_array(t, k, (blocks, at.BLOCK * LANES)), float_array(t, k + 1, (count, 4)),
            int_array(t, k + 2, (count, at.BODY)), int_array(t, k + 3, (at.COUNTERS,)), float_array(t, k + 4, (count, 3)),
            float_array(t, k + 5, (count, 3)))


@entry
def lead(t, n, count, turned, t0, t1, alone):
    """Lead n drones of an engine with `count` bodies into the steps from t0 to t1, all arrays by the table t of their
    addresses: forces into the engine, and where nobody else moves, `alone`, motions too.

    Returns False where the latter are not written: not alone, or where bodies enter or leave, owe impacts over time or
    cannot be put there.  The table's body has them then, place (n,) says which of them changed, switch (n,) who entered
    or left.
    """
    block, axes, table, counts, force, torque = _view_engine(t, count)
    bodies, body = int_array(t, BODIES_AT, (n,)), float_array(t, BODIES_AT + 1, (n, MOTION))
    place, switch = bool_array(t, BODIES_AT + 2, (n,)), bool_array(t, BODIES_AT + 3, (n,))
    read_motions(block, axes, turned, bodies, body)
    _lead_all(view_drones(t, n), view_gate(t, GATE_AT, n), view_gate(t, WRENCHES_AT, n), view_bounds(t), bodies, body, t0, t1,
              force, torque, place, switch)
    if not alone or switch.any() or counts[at.N_PROFILES] > 0:
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
def follow(t, n, count, turned, t1, touched, kick_v, kick_w):
    """What to show at t1 of n drones of an engine with `count` bodies, arrays as in `lead`.  Of its bodies touched (B,)
    bool and kick_v, kick_w (B,3): velocity changes to show on observed drones."""
    engine, body = _view_engine(t, count), float_array(t, BODIES_AT + 1, (n, MOTION))
    bodies, s, p = int_array(t, BODIES_AT, (n,)), view_drones(t, n), view_bounds(t)
    read_motions(engine[0], engine[1], turned, bodies, body)
    for i in range(len(bodies)):
        b, d, shown, com = bodies[i], s.deflection[i], s.shown[i], load3(s.com[i], 0)
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
        base = extrapolate(load_motion(s.plan[i]), (t1 - s.plan_stamp[i]) / NANOSECONDS, p.extrapolation)
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
                store_deflection(d, left)
                store_motion(shown, to_base(load_motion(body[i]), com))


@entry
def show(t, n, touching, pos, xyzw, vel, turning, flags):
    """What is shown of n drones as fleet arrays: angular velocity in the body, flags with the bits of records.py;
    clears the marks of refused inputs and of what was limited.  Returns how many had a load cut."""
    cut = 0
    s, bodies = view_drones(t, n), int_array(t, BODIES_AT, (n,))
    for i in range(n):
        x, q, v, w = load_motion(s.shown[i])
        store3(pos[i], 0, x)
        xyzw[i, 0], xyzw[i, 1], xyzw[i, 2], xyzw[i, 3] = q[1], q[2], q[3], q[0]
        store3(vel[i], 0, v)
        store3(turning[i], 0, quat.rotate(quat.conj(q), w))
        flags[i] = (1 * touching[bodies[i]] + 2 * nonzero(s.deflection[i]) + 4 * s.stale[i] + 8 * s.rejected[i]
                    + 16 * s.limited[i] + 32 * s.frozen[i])
        cut += max(s.cut[i, 0], s.cut[i, 1]) > 0.0
        s.rejected[i] = s.limited[i] = False
    return cut


@entry
def hand_over(t, n, i, body, t_ns):
    """Drone i becomes `correct`: its deflection (from the plan at t) is where its body (13,) is."""
    s = view_drones(t, n)
    plan = extrapolated_reference(s.plan[i], s.plan_stamp[i], s.com[i], t_ns, view_bounds(t).extrapolation)
    store_deflection(s.deflection[i], between(load_motion(body), plan))
