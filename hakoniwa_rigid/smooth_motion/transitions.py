# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What ends sliding, rolling and flight, and what follows: release, landing with its impact, slip and stick."""

from ..engine.constants import LEAST_DIVISOR, RESTITUTION_THRESHOLD
from ..engine.contact.coulomb import contact_impulse, most_friction, respond
from ..engine.maths import elementary
from ..engine.maths.jit import kernel
from ..engine.maths.quat import load4
from ..engine.maths.vec3 import add, cross, dot, load3, madd, norm, scale, store3, sub, sym_mul, tangents
from ..engine.two_body import resolve
from . import layout as L
from .floor_kernels import floor_rates, floor_shape
from .rows import STILL, answer, evaluate, inertias
from .schemes import project_state
from .search import from_sample, lowest
from .touch import touch

# friction of what rolls without slipping by decree, in an impact
ROUGH = 1e3
# m/s, and as a share of the slip at the beginning of the step: slips that are none
NO_SLIP, LITTLE = 1e-10, 1e-2
# parts of a step: where friction turns the slip in less than a step, the step is cut, down to one of these
PARTS = 64
# of an interval: to the last bit
HALVINGS = 60


@kernel
def _contact_frame(s, y, n):
    """(arm, t1, t2, K as nn, n1, n2, 11, 12, 22) of the contact in y."""
    _, inverse = inertias(s, load4(y, L.Y_Q))
    r = sub(load3(y, L.Y_S), load3(y, L.Y_X))
    t1, t2 = tangents(n)
    kn, k1, k2 = answer(s, inverse, r, n), answer(s, inverse, r, t1), answer(s, inverse, r, t2)
    return r, t1, t2, (dot(n, kn), dot(n, k1), dot(n, k2), dot(t1, k1), dot(t1, k2), dot(t2, k2))


@kernel
def slides_with_friction(s, state):
    return state == L.SLIDE and s.flag[L.I_MODE] == L.COULOMB and s.par[L.P_MU] > 0.0


@kernel
def follow_slip(s, floor, body, t, y):
    """Forces at y, with friction against the slip as it is.  Returns the status.
    Writes: s.drag, s.matrix, s.out, y."""
    status = evaluate(s, floor, body, t, y, L.SLIDE)
    slip = load3(s.out, L.O_SLIP)
    if status != L.OK or norm(slip) <= STILL:
        return status
    store3(s.drag, L.D_E, scale(slip, 1.0 / norm(slip)))
    s.drag[L.D_KEPT] = L.TURNS
    return evaluate(s, floor, body, t, y, L.SLIDE)


@kernel
def aim_friction(s, floor, body, t, h, shortest, y):
    """(status, length s of the next step, at most h) with friction, whose direction goes into s.drag.

    Friction turns the slip at a rate that grows as the slip gets less.  Steps are cut so that they can follow it, down
    to the shortest; below, the direction is one for the whole step, by Coulomb's law opposed to the final slip.
    Writes: s.drag, s.matrix, s.out, y."""
    status = follow_slip(s, floor, body, t, y)
    if status != L.OK:
        return status, h
    slip, n = load3(s.out, L.O_SLIP), load3(s.out, L.O_NORMAL)
    size = norm(slip)
    r, t1, t2, k = _contact_frame(s, y, n)
    patience = size / (s.par[L.P_MU] * max(s.out[L.O_N], 0.0) * (k[3] + k[5]) + LEAST_DIVISOR)
    if patience >= min(h, shortest):
        return L.OK, min(h, patience)
    h = min(h, shortest)
    status = evaluate(s, floor, body, t, y, L.ROLL)
    if status != L.OK:
        return status, h
    # per second what the slip gains without friction or floor, w = -K F of rolling
    _, inverse = inertias(s, load4(y, L.Y_Q))
    w = scale(answer(s, inverse, r, load3(s.out, L.O_FORCE)), -1.0)
    u, w = (0.0, dot(t1, slip), dot(t2, slip)), (dot(n, w), dot(t1, w), dot(t2, w))
    h, j, stops = _until_stop(s, k, u, w, h)
    friction = madd(scale(t1, j[1]), t2, j[2])
    if norm(friction) > 0.0:
        store3(s.drag, L.D_E, scale(friction, -1.0 / norm(friction)))
    s.drag[L.D_KEPT] = L.STOPS if stops else L.KEPT
    return L.OK, h


@kernel
def _until_stop(s, k, u, w, h):
    """(time s, impulse, whether it stops) of Coulomb's law over h; shorter if friction stops the slip before: then the
    time after which it just does."""
    mu = s.par[L.P_MU]
    j = contact_impulse(k, madd(u, w, h), 0.0, mu)
    # a slip that begins is at the cone's edge, and may seem within
    if norm(u) <= STILL or not elementary.hypot(j[1], j[2]) < most_friction(mu, j[0]):
        return h, j, False
    low, high = 0.0, h
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        jm = contact_impulse(k, madd(u, w, middle), 0.0, mu)
        if elementary.hypot(jm[1], jm[2]) < most_friction(mu, jm[0]):
            high, j = middle, jm
        else:
            low = middle
    return high, j, True


@kernel
def _approach(s, floor, t, y, gradient, hessian):
    """(velocity of the touching material relative to the floor's, speed at which the gap closes), m/s."""
    point, v, w = load3(y, L.Y_S), load3(y, L.Y_V), load3(y, L.Y_W)
    g_t, _, _, u = floor_rates(s.floor, t, point, gradient, hessian)
    material = add(v, cross(w, sub(point, load3(y, L.Y_X))))
    return sub(material, u), -(dot(gradient, material) + g_t) / norm(gradient)


@kernel
def follow(s, floor, body, t, y):
    """Status; the nearest point of the floor and the gap in flight, from where they were; the samples help.
    Writes: s.matrix, s.near, y."""
    x, q = load3(y, L.Y_X), load4(y, L.Y_Q)
    status, point, gap = touch(s, floor, body, t, x, q, load3(y, L.Y_S), y[L.Y_GAP])
    if status != L.OK or s.flag[L.I_CONVEX] == 0:
        i = lowest(s, floor, t, x, q)
        other, p, d = from_sample(s, floor, body, t, x, q, i)
        if other == L.OK and (status != L.OK or d < gap):
            status, point, gap = other, p, d
        elif status != L.OK and s.near[i] > 0.0:
            # no point is the nearest: a ball in the middle of a bowl
            status, point, gap = L.OK, p, s.near[i]
    store3(y, L.Y_S, point)
    y[L.Y_GAP] = gap
    return status


@kernel
def what_ends(s, floor, body, t, y, state):
    """(status, event) at the end of a trial step, whose forces are in s.out.  Writes: s.matrix, s.near, y."""
    if state == L.FREE:
        status = follow(s, floor, body, t, y)
        if status != L.OK or y[L.Y_GAP] > 0.0:
            return status, L.NOTHING
        _, gradient, hessian = floor_shape(s.floor, floor, t, load3(y, L.Y_S))
        return L.OK, L.LAND if _approach(s, floor, t, y, gradient, hessian)[1] > 0.0 else L.NOTHING
    if s.flag[L.I_UNILATERAL] == 1 and s.out[L.O_N] < 0.0:
        return L.OK, L.RELEASE
    if slides_with_friction(s, state) and dot(load3(s.out, L.O_SLIP), load3(s.drag, L.D_E)) <= 0.0:
        return L.OK, L.STICK
    if state == L.ROLL and s.flag[L.I_MODE] == L.COULOMB and not _holds(s):
        return L.OK, L.SLIP
    return L.OK, L.NOTHING


@kernel
def _holds(s):
    """Whether the forces of rolling in s.out lie in the cone of friction."""
    force, n = load3(s.out, L.O_FORCE), load3(s.out, L.O_NORMAL)
    return norm(madd(force, n, -s.out[L.O_N])) <= s.par[L.P_MU] * s.out[L.O_N]


@kernel
def _slip_or_stick(s, floor, body, t, y, little):
    """(status, SLIDE or ROLL): sticks where there is no more slip than `little` and friction holds it.
    Writes: s.matrix, s.out, y."""
    status = evaluate(s, floor, body, t, y, L.ROLL)
    if status != L.OK:
        return status, L.SLIDE
    holds = s.par[L.P_MU] > 0.0 and norm(load3(s.out, L.O_SLIP)) <= little and _holds(s)
    return L.OK, L.ROLL if holds else L.SLIDE


@kernel
def start_state(s, floor, body, t, y):
    """(status, state) of a body on the floor, by its mode.  Writes: s.matrix, s.out, y."""
    if s.flag[L.I_MODE] != L.COULOMB:
        return L.OK, s.flag[L.I_MODE]
    return _slip_or_stick(s, floor, body, t, y, NO_SLIP)


@kernel
def _land(s, floor, body, t, y, log):
    """(status, state) after the impact on the floor's material (docs/solvers.md, part I), which goes into the log.
    Writes: s.matrix, s.out, y, log."""
    x, q, point = load3(y, L.Y_X), load4(y, L.Y_Q), load3(y, L.Y_S)
    _, gradient, hessian = floor_shape(s.floor, floor, t, point)
    n = scale(gradient, 1.0 / norm(gradient))
    store3(y, L.Y_X, madd(x, n, -y[L.Y_GAP]))
    y[L.Y_GAP] = 0.0
    u, approach = _approach(s, floor, t, y, gradient, hessian)
    r, t1, t2, k = _contact_frame(s, y, n)
    u = (-approach, dot(t1, u), dot(t2, u))
    mode = s.flag[L.I_MODE]
    mu = 0.0 if mode == L.SLIDE else ROUGH if mode == L.ROLL else s.par[L.P_MU]
    bounces = s.par[L.P_E] * approach >= RESTITUTION_THRESHOLD
    j, _, _ = resolve(k, u, s.par[L.P_E] if bounces else 0.0, mu)
    if bounces and u[0] + respond(k, j)[0] < RESTITUTION_THRESHOLD:     # friction has taken the bounce
        bounces = False
        j, _, _ = resolve(k, u, 0.0, mu)
    impulse = madd(madd(scale(n, j[0]), t1, j[1]), t2, j[2])
    _, inverse = inertias(s, q)
    store3(y, L.Y_V, madd(load3(y, L.Y_V), impulse, 1.0 / s.par[L.P_MASS]))
    store3(y, L.Y_W, add(load3(y, L.Y_W), sym_mul(inverse, cross(r, impulse))))
    store3(log, L.E_IMPULSE, impulse)
    if bounces:
        return L.OK, L.FREE
    return start_state(s, floor, body, t, y)


@kernel
def change(s, floor, body, t, y, state, kind, slip0, log):
    """(status, state) after an event; y and s.out are made those of the new state.  log: a row of the events.
    Writes: s.matrix, s.out, y, log."""
    store3(log, L.E_POINT, load3(y, L.Y_S))
    store3(log, L.E_SLIP, load3(s.out, L.O_SLIP))
    store3(log, L.E_IMPULSE, (0.0, 0.0, 0.0))
    _, gradient, _ = floor_shape(s.floor, floor, t, load3(y, L.Y_S))
    store3(log, L.E_NORMAL, scale(gradient, 1.0 / norm(gradient)))
    status, new = L.OK, L.FREE
    if kind == L.LAND:
        status, new = _land(s, floor, body, t, y, log)
    elif kind == L.SLIP:
        new = L.SLIDE
    elif kind == L.STICK:
        status, new = _slip_or_stick(s, floor, body, t, y, max(NO_SLIP, LITTLE * slip0))
    if status == L.OK:
        status = project_state(s, floor, body, t, y, new)
    if status == L.OK:
        status = evaluate(s, floor, body, t, y, new)
    return status, new
