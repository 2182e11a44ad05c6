# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The scalar pass: bodies near a contact keep a row of their own (`work`) and a local time inside the step."""
from ..constants import LANES
from ..maths import elementary, quat
from ..maths.jit import kernel
from ..maths.lanes import load_lane3
from ..maths.vec3 import add, dot, load6, madd, norm, scale, sub, sym_mul
from ..model import layout as L
from .limits import limit_row
from .schemes import move, turn

# rad
FAR_TURN = 0.05
# work units of a rotation by a radian, and the most that is counted, rad
UNITS_PER_RAD, MOST_RAD = 80.0, 1000.0


@kernel
def force_on(s, i):
    """All force (N, world) on body i in this step: the user's, and that of impacts over time."""
    f = (s.load[L.LOAD_F, i, 0] + s.load[L.PUSH_F, i, 0], s.load[L.LOAD_F, i, 1] + s.load[L.PUSH_F, i, 1],
         s.load[L.LOAD_F, i, 2] + s.load[L.PUSH_F, i, 2])
    return add(f, s.pending[i].force) if s.count.profiles > 0 else f


@kernel
def torque_on(s, i):
    """All torque (N m, world) on body i in this step, as force_on."""
    t = (s.load[L.LOAD_T, i, 0] + s.load[L.PUSH_T, i, 0], s.load[L.LOAD_T, i, 1] + s.load[L.PUSH_T, i, 1],
         s.load[L.LOAD_T, i, 2] + s.load[L.PUSH_T, i, 2])
    return add(t, s.pending[i].torque) if s.count.profiles > 0 else t


@kernel
def gather(s, i):
    """Fill the work row of body i from its block: state at the start of the step, external acceleration and torque.
    Writes: s.work."""
    block, k, r = s.block[i // LANES], i % LANES, s.work[i]
    for f in range(L.STATE):
        r[L.W_X + f] = block[f * LANES + k]
    r.inverse_mass = block[L.H_IM * LANES + k]
    r.inverse_moments = load_lane3(block, L.H_J, k)
    r.euler_coefficients = load_lane3(block, L.H_C, k)
    dynamic = 1.0 if r.inverse_mass > 0.0 else 0.0
    # bodies that are not dynamic turn at their own rate: 'exact' with no inertia
    r.integrator, r.inertia_storage = s.par.integrator * dynamic, s.par.inertia_storage * dynamic
    if r.inertia_storage == L.FULL:
        for f in range(L.TENSOR):
            r[L.W_TENSOR + f] = s.tensor[i, f]
    update_inertia(r)
    a = scale(s.par.gravity, block[L.H_G * LANES + k])
    r.external_acceleration = madd(a, force_on(s, i), r.inverse_mass)
    r.external_torque = scale(torque_on(s, i), dynamic)
    unload(r)
    r.time = 0.0
    r.impacts = r.is_done = 0.0
    for f in range(6):
        r[L.W_DX + f] = 0.0


@kernel
def unload(r):
    """Only external loads act from now on.  Writes: r."""
    r.acceleration = r.external_acceleration
    r.torque = r.external_torque


@kernel
def update_inertia(r):
    """Writes: r."""
    q = r.attitude
    if r.inertia_storage == L.FULL:
        iw = quat.similarity_tensor(q, load6(r, L.W_TENSOR + L.T_J))
    else:
        iw = quat.similarity(q, r.inverse_moments)
    for f in range(6):
        r[L.W_IW + f] = iw[f]


@kernel
def angular_momentum(r):
    """About the centre of mass (kg m^2/s, world)."""
    q, w = r.attitude, r.angular_velocity
    if r.inertia_storage == L.FULL:
        return sym_mul(quat.similarity_tensor(q, load6(r, L.W_TENSOR + L.T_I)), w)
    p, j = quat.rotate_back(q, w), r.inverse_moments
    # what does not turn has inverse moments of 0
    return quat.rotate(q, (p[0] / j[0] if j[0] > 0.0 else 0.0, p[1] / j[1] if j[1] > 0.0 else 0.0,
                           p[2] / j[2] if j[2] > 0.0 else 0.0))


@kernel
def pose_at(r, t):
    """Position (m), attitude and velocities of a work row at time t (s in the step), without changing it."""
    h = t - r.time
    x, q, v, w = r.position, r.attitude, r.velocity, r.angular_velocity
    if h == 0.0 or (r.inverse_mass == 0.0 and dot(v, v) == 0.0 and dot(w, w) == 0.0):
        return x, q, v, w
    x, v = move(r, x, v, r.acceleration, h)
    q, w = turn(r, q, w, r.torque, h)
    return x, q, v, w


@kernel
def turning_work(r, t):
    """Work units that the rotation of a work row to time t (s in the step) costs: many where it spins fast."""
    h = t - r.time
    rate = norm(r.angular_velocity) + norm(sym_mul(r.inverse_inertia, r.torque)) * h
    return elementary.whole(UNITS_PER_RAD * min(rate * h, MOST_RAD)) if r.inverse_mass > 0.0 else 0


@kernel
def advance(r, t):
    """Move a work row to time t.  Writes: r."""
    if t == r.time:
        return
    x, q, v, w = pose_at(r, t)
    r.position = x
    r.attitude = q
    r.velocity = v
    r.angular_velocity = w
    r.time = t
    update_inertia(r)


@kernel
def _kinetic(r):
    """Energy (J) of a dynamic body's motion."""
    v = r.velocity
    return 0.5 * dot(v, v) / r.inverse_mass + 0.5 * dot(r.angular_velocity, angular_momentum(r))


@kernel
def advance_in_contact(r, t):
    """advance, and the energy (J) that the contacts gave the body: its gain less the work of the external loads.

    Part of it is the integrator's error, in which torques and the gyroscopic term are split.  Writes: r."""
    push, twist = sub(r.acceleration, r.external_acceleration), sub(r.torque, r.external_torque)
    if r.inverse_mass == 0.0 or dot(push, push) + dot(twist, twist) == 0.0:
        advance(r, t)
        return 0.0
    h, x, w = t - r.time, r.position, r.angular_velocity
    before = 0.5 * dot(w, angular_momentum(r))
    advance(r, t)
    turning = 0.5 * dot(r.angular_velocity, angular_momentum(r)) - before
    loads = 0.5 * h * dot(r.external_torque, add(w, r.angular_velocity))
    return dot(push, sub(r.position, x)) / r.inverse_mass + turning - loads


@kernel
def hold(r, t):
    """Take a work row to time t where it is; returns the energy (J) that this gives it.

    Contact forces act, as their opposites do on other bodies.  External forces act where they slow the body down (what
    rests on a table stays at rest); where they would speed it up, that would be energy without a way.  Writes: r."""
    h = t - r.time
    r.time = t
    if r.inverse_mass == 0.0:
        return 0.0
    before = _kinetic(r)
    v = madd(r.velocity, sub(r.acceleration, r.external_acceleration), h)
    loaded = madd(v, r.external_acceleration, h)
    r.velocity = loaded if dot(loaded, loaded) < dot(v, v) else v
    torque = sub(r.torque, r.external_torque)
    r.angular_velocity = madd(r.angular_velocity, sym_mul(r.inverse_inertia, torque), h)
    return _kinetic(r) - before


@kernel
def turns_far(r, h):
    """True if a body turns so far in h seconds that arms and normals of now say little about the velocity then."""
    return dot(r.angular_velocity, r.angular_velocity) * h * h > FAR_TURN * FAR_TURN


@kernel
def is_uniform(r):
    """True if a body turns about all axes alike: it does not precess, and its inertia in the world stays."""
    return r[L.W_J] == r[L.W_J + 1] == r[L.W_J + 2]


@kernel
def predict(r, h, midway):
    """Velocities h seconds ahead under the external loads alone, into W_V1 and W_W1.

    Where the body turns far, without its precession, unless its contacts are taken midway: with the arms of now that
    would be an approach that is none.  Writes: r."""
    w, torque = r.angular_velocity, r.external_torque
    r.predicted_velocity = madd(r.velocity, r.external_acceleration, h)
    if dot(w, w) == 0.0 and dot(torque, torque) == 0.0:
        r.predicted_angular_velocity = w
    elif turns_far(r, h) and (not midway or is_uniform(r)):
        iw = (r[L.W_IW], r[L.W_IW + 1], r[L.W_IW + 2], r[L.W_IW + 3], r[L.W_IW + 4], r[L.W_IW + 5])
        r.predicted_angular_velocity = madd(w, sym_mul(iw, torque), h)
    else:
        r.predicted_angular_velocity = turn(r, r.attitude, w, torque, h)[1]


@kernel
def scatter(s, i):
    """Write the work row of body i back to its block, within the limits of speed.
    Writes: s.anchor, s.block, s.count, s.work."""
    limit_row(s, i)
    block, k, r = s.block[i // LANES], i % LANES, s.work[i]
    for f in range(L.STATE):
        block[f * LANES + k] = r[L.W_X + f]
