"""The scalar pass: bodies near a contact keep a row of their own (`work`) and a local time inside the step."""
from ..constants import LANES
from ..maths import quat
from ..maths.jit import kernel
from ..maths.vec3 import dot, load3, madd, scale, store3
from ..model import layout as at
from .blocks import kicked, load_lane3
from .rotation import rotate_free
from .schemes import euler_move, euler_turn


@kernel
def gather(s, i):
    """Fill the work row of body i from its block: state at the start of the step, external acceleration and torque."""
    block, k, r = s.block[i // LANES], i % LANES, s.work[i]
    for f in range(at.STATE):
        r[at.W_X + f] = block[f * LANES + k]
    r[at.W_IM] = block[at.H_IM * LANES + k]
    store3(r, at.W_J, load_lane3(block, at.H_J, k))
    store3(r, at.W_C, load_lane3(block, at.H_C, k))
    update_inertia(r)
    a = scale(load3(s.par, at.F_GX), block[at.H_G * LANES + k])
    store3(r, at.W_EXT_A, madd(a, load3(s.force[i], 0), r[at.W_IM]))
    dynamic = 1.0 if r[at.W_IM] > 0.0 else 0.0
    store3(r, at.W_EXT_T, scale(load3(s.torque[i], 0), dynamic))
    unload(r)
    r[at.W_EULER] = s.par[at.F_EULER]
    r[at.W_TIME] = 0.0
    r[at.W_HITS] = 0.0
    for f in range(6):
        r[at.W_DX + f] = 0.0


@kernel
def unload(r):
    """Only external loads act from now on."""
    store3(r, at.W_A, load3(r, at.W_EXT_A))
    store3(r, at.W_T, load3(r, at.W_EXT_T))


@kernel
def update_inertia(r):
    iw = quat.similarity(quat.load4(r, at.W_Q), load3(r, at.W_J))
    for f in range(6):
        r[at.W_IW + f] = iw[f]


@kernel
def pose_at(r, t):
    """Position (m), attitude and velocities of a work row at time t (s in the step), without changing it."""
    h = t - r[at.W_TIME]
    x, q, v, w = load3(r, at.W_X), quat.load4(r, at.W_Q), load3(r, at.W_V), load3(r, at.W_W)
    if h == 0.0 or (r[at.W_IM] == 0.0 and dot(v, v) == 0.0 and dot(w, w) == 0.0):
        return x, q, v, w
    a, j = load3(r, at.W_A), load3(r, at.W_J)
    if r[at.W_EULER] == 1.0:
        x, v = euler_move(x, v, a, h)
        q, w = euler_turn(q, kicked(q, w, j, scale(load3(r, at.W_T), h)), j, h)
        return x, q, v, w
    half = scale(load3(r, at.W_T), 0.5 * h)
    q1, w1 = rotate_free(q, kicked(q, w, j, half), load3(r, at.W_C), h)
    return madd(madd(x, v, h), a, 0.5 * h * h), q1, madd(v, a, h), kicked(q1, w1, j, half)


@kernel
def advance(r, t):
    """Move a work row to time t."""
    if t == r[at.W_TIME]:
        return
    x, q, v, w = pose_at(r, t)
    store3(r, at.W_X, x)
    quat.store4(r, at.W_Q, q)
    store3(r, at.W_V, v)
    store3(r, at.W_W, w)
    r[at.W_TIME] = t
    update_inertia(r)


@kernel
def predict(r, h):
    """Velocities h seconds ahead under the external loads alone, into W_V1 and W_W1."""
    store3(r, at.W_V1, madd(load3(r, at.W_V), load3(r, at.W_EXT_A), h))
    q, w = quat.load4(r, at.W_Q), load3(r, at.W_W)
    kick = scale(load3(r, at.W_EXT_T), 0.5 * h)
    j = load3(r, at.W_J)
    if r[at.W_EULER] == 1.0:
        store3(r, at.W_W1, euler_turn(q, kicked(q, w, j, scale(kick, 2.0)), j, h)[1])
        return
    q1, w1 = rotate_free(q, kicked(q, w, j, kick), load3(r, at.W_C), h)
    store3(r, at.W_W1, kicked(q1, w1, j, kick))


@kernel
def scatter(s, i):
    """Write the work row of body i back to its block."""
    block, k, r = s.block[i // LANES], i % LANES, s.work[i]
    for f in range(at.STATE):
        block[f * LANES + k] = r[at.W_X + f]
