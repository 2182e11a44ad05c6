"""The entry from Python: steps with their events located in time, and questions about the contact."""
from ..constants import SHORTEST_REST
from ..maths.jit import entry, kernel
from ..maths.quat import load4
from ..maths.vec3 import load3, madd, norm, scale, store3
from . import layout as at
from .body_kernels import body_shape
from .floor_kernels import floor_shape
from .rows import evaluate
from .schemes import copy, energy, one_step, remember_energy, settle
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


@kernel
def _try(s, floor, body, t, h, state):
    """(status, event) of a step of h from s.y[0] to s.y[1]."""
    status = one_step(s, floor, body, t, h, state)
    if status != at.OK:
        return status, at.NOTHING
    return what_ends(s, floor, body, t + h, s.y[1], state)


@kernel
def _until_event(s, floor, body, t, h, state):
    """(status, event, time s) of the first event of a step that has one: bisection on the length of the step."""
    low, high = 0.0, h
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        status, event = _try(s, floor, body, t, middle, state)
        if status != at.OK:
            return status, event, middle
        if event == at.NOTHING:
            low = middle
        else:
            high = middle
    status, event = _try(s, floor, body, t, high, state)
    return status, event, high


@kernel
def _step(s, floor, body, t, h):
    """Status of one step of h, which s.y[0] and the state have taken if it is OK."""
    rest, events = h, 0
    while rest > 0.0:
        state, now, part = s.count[at.C_STATE], t + (h - rest), rest
        with_friction, stops = slides_with_friction(s, state), False
        if with_friction:
            status, part = aim_friction(s, floor, body, now, rest, h / PARTS, s.y[0])
            if status != at.OK:
                return status
            if events >= MOST_EVENTS or rest - part < SHORTEST_REST * h:
                part = rest
            stops = part < rest and s.drag[at.D_KEPT] == at.STOPS
        remember_energy(s, state)
        slip0 = norm(load3(s.out, at.O_SLIP))
        status, event = _try(s, floor, body, now, part, state)
        if status == at.OK and stops and event in (at.NOTHING, at.STICK):
            event = at.STICK
        elif status == at.OK and event != at.NOTHING and events < MOST_EVENTS:
            status, event, part = _until_event(s, floor, body, now, part, state)
        else:
            event = at.NOTHING
        if status != at.OK:
            return status
        copy(s.y[1], s.y[0])
        rest = rest - part if part < rest else 0.0
        if event == at.NOTHING:
            if with_friction and rest == 0.0:
                return follow_slip(s, floor, body, t + h, s.y[0])
            continue
        events, s.kept[at.K_KNOWN] = events + 1, 0.0
        log = s.event[s.count[at.C_EVENTS]]
        log[at.E_TIME], log[at.E_KIND] = t + (h - rest), event
        status, new = change(s, floor, body, t + (h - rest), s.y[0], state, event, slip0, log)
        if status != at.OK:
            return status
        s.count[at.C_STATE] = log[at.E_STATE] = new
        if event != at.STICK or new != state:       # a slip that found no hold is none
            s.count[at.C_EVENTS] += 1
    return at.OK


@kernel
def _check(s, floor, body, t, y):
    """Status of the contact in y: another contact, or curvatures that are no point's; s.result says where."""
    x, q, point = load3(y, at.Y_X), load4(y, at.Y_Q), load3(y, at.Y_S)
    _, gradient, hessian = floor_shape(s.floor, floor, t, point)
    steep = norm(gradient)
    n = scale(gradient, 1.0 / steep)
    h, h_gradient, h_hessian = body_shape(s, body, x, q, madd(point, n, y[at.Y_GAP]))
    h_steep = norm(h_gradient)
    b, f = curvatures(n, steep, hessian, scale(h_gradient, 1.0 / h_steep), h_steep, h_hessian)
    store3(s.result, at.R_POINT, point)
    s.result[at.R_BODY], s.result[at.R_FLOOR], s.result[at.R_GAP] = b, f, y[at.Y_GAP]
    if not b + f > 1e-9 * max(abs(b), 1.0 / s.par[at.P_SIZE]):
        return at.TOO_FLAT
    if s.flag[at.I_CONVEX] == 0:
        two, other, gap = touches_elsewhere(s, floor, body, t, x, q, point)
        if two:
            store3(s.result, at.R_POINT, other)
            s.result[at.R_GAP] = gap
            return at.TWO_CONTACTS
    return at.OK


@kernel
def _record(s, t):
    row, y = s.trace[s.count[at.C_ROWS]], s.y[0]
    row[at.T_TIME] = t
    for i in range(at.MOVING):
        row[at.T_Y + i] = y[i]
    store3(row, at.T_POINT, load3(y, at.Y_S))
    store3(row, at.T_FORCE, load3(s.out, at.O_FORCE))
    row[at.T_STATE], row[at.T_ENERGY] = s.count[at.C_STATE], energy(s, y)
    s.count[at.C_ROWS] += 1


@kernel
def _steps(s, floor, body, start, n, every):
    """(steps done, status); a row of the trace after each `every` steps."""
    h = s.par[at.P_H]
    for done in range(n):
        if s.count[at.C_EVENTS] + MOST_EVENTS >= len(s.event):
            return done, at.LOG_FULL
        t = start + s.count[at.C_STEPS] * h
        copy(s.y[0], s.y[3])
        state, events = s.count[at.C_STATE], s.count[at.C_EVENTS]
        status = _step(s, floor, body, t, h)
        if status == at.OK and s.count[at.C_STATE] != at.FREE:
            status = _check(s, floor, body, t + h, s.y[0])
        if status != at.OK:     # as before the step
            copy(s.y[3], s.y[0])
            s.count[at.C_STATE], s.count[at.C_EVENTS] = state, events
            return done, status
        s.count[at.C_STEPS] += 1
        if every > 0 and s.count[at.C_STEPS] % every == 0:
            _record(s, start + s.count[at.C_STEPS] * h)
    return n, at.OK


@kernel
def _find(s, floor, body, t, touching):
    """Status; the contact from nowhere, into s.y[0] and s.result: point of the body, curvatures, gap."""
    y = s.y[0]
    status, point, gap = nearest(s, floor, body, t, load3(y, at.Y_X), load4(y, at.Y_Q), touching)
    store3(y, at.Y_S, point)
    y[at.Y_GAP] = gap
    if status == at.NO_CONTACT:
        return status
    checked = _check(s, floor, body, t, y)
    _, gradient, _ = floor_shape(s.floor, floor, t, point)
    s.result[at.R_GAP] = gap
    if checked != at.TWO_CONTACTS or not touching:
        store3(s.result, at.R_POINT, madd(point, gradient, gap / norm(gradient)))
    return at.TOO_FLAT if status == at.TOO_FLAT else checked


@kernel
def _begin(s, floor, body, t):
    """Status; the state that the body starts in, and its forces."""
    y = s.y[0]
    state = s.count[at.C_STATE]
    if state == at.FREE:
        return follow(s, floor, body, t, y)
    status = settle(s, floor, body, t, y, state)
    if status == at.OK:
        status, state = start_state(s, floor, body, t, y)
    s.count[at.C_STATE] = state
    if status == at.OK:
        status = settle(s, floor, body, t, y, state)
    if status == at.OK and slides_with_friction(s, state):
        return follow_slip(s, floor, body, t, y)
    if status == at.OK:
        status = evaluate(s, floor, body, t, y, state)
    return status


@kernel
def _inspect(s, floor, body, t):
    """Gap and velocity that are left over into s.result; energy."""
    y, state = s.y[0], s.count[at.C_STATE]
    copy(y, s.y[1])
    status = evaluate(s, floor, body, t, s.y[1], state)
    s.result[at.R_LEFT], s.result[at.R_LEFT + 1] = s.y[1, at.Y_GAP], s.out[at.O_VIOLATION]
    s.result[at.R_ENERGY] = energy(s, y)
    return status


@entry
def run(s, floor, body, task, start, n, every):
    """(steps done, status) of a task; time: s at step 0."""
    if task == at.STEP:
        return _steps(s, floor, body, start, n, every)
    t = start + s.count[at.C_STEPS] * s.par[at.P_H]
    if task == at.NEAREST or task == at.TOUCHING:
        return 0, _find(s, floor, body, t, task == at.TOUCHING)
    if task == at.START:
        return 0, _begin(s, floor, body, t)
    return 0, _inspect(s, floor, body, t)
