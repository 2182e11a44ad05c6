# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""One step of a body on a surface, by three schemes, and the projection that keeps drift at rounding.

Each scheme takes s.y[0] to s.y[1].  The contact point is found anew at every stage, from where (15) says it will be.
"""
import math

from ..engine.maths import quat
from ..engine.maths.jit import kernel
from ..engine.maths.quat import load4, store4
from ..engine.maths.vec3 import add, cross, dot, load3, madd, norm, scale, store3, sub, sym_mul
from . import layout as L
from .floor_kernels import floor_rates, floor_shape
from .rows import answer, evaluate, holding, inertias
from .touch import touch

MIDPOINT_ROUNDS = 60
# relative change of a round of the midpoint rule that is none
SETTLED = 1e-15
# closing rounds of the projection: the first leaves the square of what was off
PROJECTIONS = 2
# relative to its terms: errors of the energy that are rounding; share of the kinetic energy beyond which an error is
# more than a scheme's
ENERGY_ROUNDING, MOST_ENERGY = 4e-15, 0.01


@kernel
def copy(a, b):
    """b = a, row by row; numba takes seconds to compile a slice.  Writes: b."""
    for i in range(len(a)):
        b[i] = a[i]


@kernel
def _slope(s, y, k):
    """Rate of the moving part of y into k, from the accelerations in s.out.  Writes: k."""
    w, q = load3(y, L.Y_W), load4(y, L.Y_Q)
    store3(k, L.Y_X, load3(y, L.Y_V))
    store4(k, L.Y_Q, quat.mul((0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]), q))
    store3(k, L.Y_V, load3(s.out, L.O_A))
    store3(k, L.Y_W, load3(s.out, L.O_ALPHA))


@kernel
def _guess(start, y, h):
    """Where the contact will be after h.  Writes: y."""
    store3(y, L.Y_S, madd(load3(start, L.Y_S), load3(start, L.Y_S_DOT), h))
    y[L.Y_GAP] = start[L.Y_GAP]
    store3(y, L.Y_S_DOT, load3(start, L.Y_S_DOT))


@kernel
def _advance(start, k, h, y):
    """y = start + h k.  Writes: y."""
    for i in range(L.MOVING):
        y[i] = start[i] + h * k[i]
    _guess(start, y, h)


@kernel
def _classical(s, floor, body, t, h, state, start):
    """One step of the classical Runge-Kutta scheme, in place.  Writes: s.k, s.matrix, s.out, s.y, start."""
    y, k, total = s.y[2], s.k[0], s.k[1]
    for i in range(L.MOVING):
        k[i] = total[i] = 0.0
    for stage in range(4):
        c = 0.0 if stage == 0 else h if stage == 3 else 0.5 * h
        _advance(start, k, c, y)
        status = evaluate(s, floor, body, t + c, y, state)
        if status != L.OK:
            return status
        if stage == 0:
            for i in range(L.Y_S, L.STATE):
                start[i] = y[i]
        _slope(s, y, k)
        weight = 1.0 / 6.0 if stage == 0 or stage == 3 else 1.0 / 3.0
        for i in range(L.MOVING):
            total[i] += weight * k[i]
    _advance(start, total, h, start)
    return L.OK


@kernel
def _rk4(s, floor, body, t, h, state):
    """The step in two halves: a sixteenth of the error for twice the work.  Writes: s.k, s.matrix, s.out, s.y."""
    copy(s.y[0], s.y[1])
    for half in range(2):
        status = _classical(s, floor, body, t + 0.5 * h * half, 0.5 * h, state, s.y[1])
        if status != L.OK:
            return status
    return L.OK


@kernel
def _midpoint(s, floor, body, t, h, state):
    """y1 = y0 + h f((y0 + y1) / 2), by iteration.  Writes: s.k, s.matrix, s.out, s.y."""
    start, end, y, k, middle = s.y[0], s.y[1], s.y[2], s.k[0], s.k[1]
    for i in range(L.MOVING):
        middle[i] = 0.0
    for _ in range(MIDPOINT_ROUNDS):
        _advance(start, middle, 0.5 * h, y)
        status = evaluate(s, floor, body, t + 0.5 * h, y, state)
        if status != L.OK:
            return status
        _slope(s, y, k)
        change, size = 0.0, 0.0
        for i in range(L.MOVING):
            change = max(change, abs(k[i] - middle[i]))
            size = max(size, abs(k[i]))
            middle[i] = k[i]
        if change <= SETTLED * size:
            break
    _advance(start, middle, h, end)
    return L.OK


@kernel
def _euler(s, floor, body, t, h, state):
    """Velocities with the accelerations of now, then the pose with the new velocities.
    Writes: s.k, s.matrix, s.out, s.y."""
    start, end, y, k = s.y[0], s.y[1], s.y[2], s.k[0]
    copy(start, y)
    status = evaluate(s, floor, body, t, y, state)
    if status != L.OK:
        return status
    _slope(s, y, k)
    for i in range(L.Y_V, L.MOVING):
        y[i] += h * k[i]
    _slope(s, y, k)
    for i in range(L.Y_V):
        y[i] += h * k[i]
    copy(y, end)
    _guess(start, end, h)
    return L.OK


@kernel
def project_position(s, floor, body, t, y):
    """Move the body along the floor's normal until it touches.  Writes: s.matrix, y."""
    for _ in range(PROJECTIONS):
        x, q = load3(y, L.Y_X), load4(y, L.Y_Q)
        status, point, gap = touch(s, floor, body, t, x, q, load3(y, L.Y_S), y[L.Y_GAP])
        if status != L.OK:
            return status
        _, gradient, _ = floor_shape(s.floor, floor, t, point)
        store3(y, L.Y_X, madd(x, gradient, -gap / norm(gradient)))
        store3(y, L.Y_S, point)
        y[L.Y_GAP] = 0.0
    return L.OK


@kernel
def project_velocity(s, floor, t, y, state):
    """The smallest change, in kinetic energy, after which the constraint holds; False if rolling has none.
    Writes: s.matrix, y."""
    x, q, v, w, point = (load3(y, L.Y_X), load4(y, L.Y_Q), load3(y, L.Y_V), load3(y, L.Y_W), load3(y, L.Y_S))
    _, gradient, hessian = floor_shape(s.floor, floor, t, point)
    g_t, _, _, u = floor_rates(s.floor, t, point, gradient, hessian)
    _, inverse = inertias(s, q)
    r = sub(point, x)
    material = add(v, cross(w, r))
    if state == L.ROLL:
        good, impulse = holding(s, inverse, r, sub(material, u))
    else:
        off = dot(gradient, material) + g_t
        impulse, good = scale(gradient, -off / dot(gradient, answer(s, inverse, r, gradient))), True
    store3(y, L.Y_V, madd(v, impulse, 1.0 / s.par[L.P_MASS]))
    store3(y, L.Y_W, add(w, sym_mul(inverse, cross(r, impulse))))
    return good


@kernel
def project_state(s, floor, body, t, y, state):
    """Unit attitude; on the floor, position and velocity projected on the constraint.  Returns the status.
    Writes: s.matrix, y."""
    store4(y, L.Y_Q, quat.normalised(load4(y, L.Y_Q)))
    if state == L.FREE:
        return L.OK
    status = project_position(s, floor, body, t, y)
    if status == L.OK and not project_velocity(s, floor, t, y, state):
        return L.JAMMED
    return status


@kernel
def _kinetic(s, y):
    v, w = load3(y, L.Y_V), load3(y, L.Y_W)
    inertia, _ = inertias(s, load4(y, L.Y_Q))
    return 0.5 * (s.par[L.P_MASS] * dot(v, v) + dot(w, sym_mul(inertia, w)))


@kernel
def _all_energy(s, y):
    """J, with the potential of the given force too."""
    pull = madd(load3(s.load[0], 0), load3(s.par, L.P_GRAVITY), s.par[L.P_MASS])
    return _kinetic(s, y) - dot(pull, load3(y, L.Y_X)), norm(pull)


@kernel
def _keeps_energy(s, state):
    """Whether the floor does no work, and the forces have a potential."""
    sliding = state == L.SLIDE and (s.flag[L.I_MODE] == L.SLIDE or s.par[L.P_MU] == 0.0)
    return (s.flag[L.I_RESTS] == 1 and s.flag[L.I_SCHEME] != L.EULER and (sliding or state == L.ROLL)
            and norm(load3(s.load[1], 0)) == 0.0)


@kernel
def remember_energy(s, state):
    """Note the energy before a step, unless it is still what was noted under this force.  Writes: s.kept."""
    force = load3(s.load[0], 0)
    if not _keeps_energy(s, state):
        s.kept[L.K_KNOWN] = 0.0
    elif s.kept[L.K_KNOWN] == 0.0 or norm(sub(force, load3(s.kept, L.K_FORCE))) > 0.0:
        s.kept[L.K_KNOWN] = 1.0
        s.kept[L.K_ENERGY], _ = _all_energy(s, s.y[0])
        store3(s.kept, L.K_FORCE, force)


@kernel
def _project_energy(s, y):
    """The speed that the energy asks for, where it is off by more than rounding of heights.

    The velocities keep their direction, in which the constraint holds too.  Rounding is left: to set it right would
    shake a body that hardly moves.  Writes: y."""
    now, pull = _all_energy(s, y)
    kinetic, off = _kinetic(s, y), now - s.kept[L.K_ENERGY]
    least = ENERGY_ROUNDING * (kinetic + pull * (norm(load3(y, L.Y_X)) + s.par[L.P_SIZE]))
    if least < abs(off) <= MOST_ENERGY * kinetic:
        share = math.sqrt(1.0 - off / kinetic)
        store3(y, L.Y_V, scale(load3(y, L.Y_V), share))
        store3(y, L.Y_W, scale(load3(y, L.Y_W), share))


@kernel
def one_step(s, floor, body, t, h, state):
    """s.y[0] to s.y[1], projected, and s.out at its end.  Returns the status.  Writes: s.k, s.matrix, s.out, s.y."""
    if s.flag[L.I_SCHEME] == L.RK4:
        status = _rk4(s, floor, body, t, h, state)
    elif s.flag[L.I_SCHEME] == L.MIDPOINT:
        status = _midpoint(s, floor, body, t, h, state)
    else:
        status = _euler(s, floor, body, t, h, state)
    if status != L.OK:
        return status
    status = project_state(s, floor, body, t + h, s.y[1], state)
    if status != L.OK:
        return status
    if s.kept[L.K_KNOWN] == 1.0:
        _project_energy(s, s.y[1])
    return evaluate(s, floor, body, t + h, s.y[1], state)


@kernel
def energy(s, y):
    """Kinetic and gravity's potential energy, J."""
    return _kinetic(s, y) - s.par[L.P_MASS] * dot(load3(s.par, L.P_GRAVITY), load3(y, L.Y_X))
