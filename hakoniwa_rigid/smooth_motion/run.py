# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The entry from Python: steps with their events located in time, and questions about the contact."""
from ..engine.constants import SHORTEST_REST
from ..engine.maths.entries import entry
from ..engine.maths.jit import kernel
from ..engine.maths.quat import load4
from ..engine.maths.vec3 import load3, madd, norm, scale, store3
from . import layout as L
from .body_kernels import body_shape
from .floor_kernels import floor_shape
from .rows import evaluate
from .schemes import copy, energy, one_step, project_state, remember_energy
from .search import nearest, touches_elsewhere
from .touch import curvatures
from .transitions import (
    HALVINGS,
    PARTS,
    aim_friction,
    change,
    follow,
    follow_slip,
    slides_with_friction,
    start_state,
    what_ends,
)

# events in one step, after which its rest goes by without any
MOST_EVENTS = 32
# of the body's curvature: what is left of both where a surface follows the other too closely for one point of contact
LEAST_CURVATURE = 1e-9


@kernel
def _try(s, floor, body, t, h, state):
    """(status, event) of a step of h from s.y[0] to s.y[1].  Writes: s."""
    status = one_step(s, floor, body, t, h, state)
    if status != L.OK:
        return status, L.NOTHING
    return what_ends(s, floor, body, t + h, s.y[1], state)


@kernel
def _until_event(s, floor, body, t, h, state):
    """(status, event, time s) of the first event of a step that has one: bisection on the length of the step.
    Writes: s."""
    low, high = 0.0, h
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        status, event = _try(s, floor, body, t, middle, state)
        if status != L.OK:
            return status, event, middle
        if event == L.NOTHING:
            low = middle
        else:
            high = middle
    status, event = _try(s, floor, body, t, high, state)
    return status, event, high


@kernel
def _step(s, floor, body, t, h):
    """Status of one step of h, which s.y[0] and the state have taken if it is OK.  Writes: s."""
    rest, events = h, 0
    while rest > 0.0:
        state, now, part = s.count[L.C_STATE], t + (h - rest), rest
        with_friction, stops = slides_with_friction(s, state), False
        if with_friction:
            status, part = aim_friction(s, floor, body, now, rest, h / PARTS, s.y[0])
            if status != L.OK:
                return status
            if events >= MOST_EVENTS or rest - part < SHORTEST_REST * h:
                part = rest
            stops = part < rest and s.drag[L.D_KEPT] == L.STOPS
        remember_energy(s, state)
        slip0 = norm(load3(s.out, L.O_SLIP))
        status, event = _try(s, floor, body, now, part, state)
        if status == L.OK and stops and event in (L.NOTHING, L.STICK):
            event = L.STICK
        elif status == L.OK and event != L.NOTHING and events < MOST_EVENTS:
            status, event, part = _until_event(s, floor, body, now, part, state)
        else:
            event = L.NOTHING
        if status != L.OK:
            return status
        copy(s.y[1], s.y[0])
        rest = rest - part if part < rest else 0.0
        if event == L.NOTHING:
            if with_friction and rest == 0.0:
                return follow_slip(s, floor, body, t + h, s.y[0])
            continue
        events, s.kept[L.K_KNOWN] = events + 1, 0.0
        log = s.event[s.count[L.C_EVENTS]]
        log[L.E_TIME], log[L.E_KIND] = t + (h - rest), event
        status, new = change(s, floor, body, t + (h - rest), s.y[0], state, event, slip0, log)
        if status != L.OK:
            return status
        s.count[L.C_STATE] = log[L.E_STATE] = new
        if event != L.STICK or new != state:       # a slip that found no hold is none
            s.count[L.C_EVENTS] += 1
    return L.OK


@kernel
def _check(s, floor, body, t, y):
    """Status of the contact in y: another contact, or curvatures that are no point's; s.result says where.
    Writes: s.matrix, s.near, s.result."""
    x, q, point = load3(y, L.Y_X), load4(y, L.Y_Q), load3(y, L.Y_S)
    _, gradient, hessian = floor_shape(s.floor, floor, t, point)
    steep = norm(gradient)
    n = scale(gradient, 1.0 / steep)
    h, h_gradient, h_hessian = body_shape(s, body, x, q, madd(point, n, y[L.Y_GAP]))
    h_steep = norm(h_gradient)
    b, f = curvatures(n, steep, hessian, scale(h_gradient, 1.0 / h_steep), h_steep, h_hessian)
    store3(s.result, L.R_POINT, point)
    s.result[L.R_BODY], s.result[L.R_FLOOR], s.result[L.R_GAP] = b, f, y[L.Y_GAP]
    if not b + f > LEAST_CURVATURE * max(abs(b), 1.0 / s.par[L.P_SIZE]):
        return L.TOO_FLAT
    if s.flag[L.I_CONVEX] == 0:
        two, other, gap = touches_elsewhere(s, floor, body, t, x, q, point)
        if two:
            store3(s.result, L.R_POINT, other)
            s.result[L.R_GAP] = gap
            return L.TWO_CONTACTS
    return L.OK


@kernel
def _record(s, t):
    """Writes: s.count, s.trace."""
    row, y = s.trace[s.count[L.C_ROWS]], s.y[0]
    row[L.T_TIME] = t
    for i in range(L.MOVING):
        row[L.T_Y + i] = y[i]
    store3(row, L.T_POINT, load3(y, L.Y_S))
    store3(row, L.T_FORCE, load3(s.out, L.O_FORCE))
    row[L.T_STATE], row[L.T_ENERGY] = s.count[L.C_STATE], energy(s, y)
    s.count[L.C_ROWS] += 1


@kernel
def _steps(s, floor, body, start, n, every):
    """(steps done, status); a row of the trace after each `every` steps.  Writes: s."""
    h = s.par[L.P_H]
    for done in range(n):
        if s.count[L.C_EVENTS] + MOST_EVENTS >= len(s.event):
            return done, L.LOG_FULL
        t = start + s.count[L.C_STEPS] * h
        copy(s.y[0], s.y[3])
        state, events = s.count[L.C_STATE], s.count[L.C_EVENTS]
        status = _step(s, floor, body, t, h)
        if status == L.OK and s.count[L.C_STATE] != L.FREE:
            status = _check(s, floor, body, t + h, s.y[0])
        if status != L.OK:     # as before the step
            copy(s.y[3], s.y[0])
            s.count[L.C_STATE], s.count[L.C_EVENTS] = state, events
            return done, status
        s.count[L.C_STEPS] += 1
        if every > 0 and s.count[L.C_STEPS] % every == 0:
            _record(s, start + s.count[L.C_STEPS] * h)
    return n, L.OK


@kernel
def _find(s, floor, body, t, touching):
    """Status; the contact from nowhere, into s.y[0] and s.result: point of the body, curvatures, gap.
    Writes: s.matrix, s.near, s.result, s.y."""
    y = s.y[0]
    status, point, gap = nearest(s, floor, body, t, load3(y, L.Y_X), load4(y, L.Y_Q), touching)
    store3(y, L.Y_S, point)
    y[L.Y_GAP] = gap
    if status == L.NO_CONTACT:
        return status
    checked = _check(s, floor, body, t, y)
    _, gradient, _ = floor_shape(s.floor, floor, t, point)
    s.result[L.R_GAP] = gap
    if checked != L.TWO_CONTACTS or not touching:
        store3(s.result, L.R_POINT, madd(point, gradient, gap / norm(gradient)))
    return L.TOO_FLAT if status == L.TOO_FLAT else checked


@kernel
def _begin(s, floor, body, t):
    """Status; the state that the body starts in, and its forces.  Writes: s."""
    y = s.y[0]
    state = s.count[L.C_STATE]
    if state == L.FREE:
        return follow(s, floor, body, t, y)
    status = project_state(s, floor, body, t, y, state)
    if status == L.OK:
        status, state = start_state(s, floor, body, t, y)
    s.count[L.C_STATE] = state
    if status == L.OK:
        status = project_state(s, floor, body, t, y, state)
    if status == L.OK and slides_with_friction(s, state):
        return follow_slip(s, floor, body, t, y)
    if status == L.OK:
        status = evaluate(s, floor, body, t, y, state)
    return status


@kernel
def _inspect(s, floor, body, t):
    """Gap and velocity that are left over into s.result; energy.  Writes: s.matrix, s.out, s.result, s.y."""
    y, state = s.y[0], s.count[L.C_STATE]
    copy(y, s.y[1])
    status = evaluate(s, floor, body, t, s.y[1], state)
    s.result[L.R_LEFT], s.result[L.R_LEFT + 1] = s.y[1, L.Y_GAP], s.out[L.O_VIOLATION]
    s.result[L.R_ENERGY] = energy(s, y)
    return status


@entry
def run(s, floor, body, task, start, n, every):
    """(steps done, status) of a task; time: s at step 0.  Writes: s."""
    if task == L.STEP:
        return _steps(s, floor, body, start, n, every)
    t = start + s.count[L.C_STEPS] * s.par[L.P_H]
    if task == L.NEAREST or task == L.TOUCHING:
        return 0, _find(s, floor, body, t, task == L.TOUCHING)
    if task == L.START:
        return 0, _begin(s, floor, body, t)
    return 0, _inspect(s, floor, body, t)
