"""The free-flight pass: every body that meets nothing in this step, eight at a time.

Position and velocity are exact for constant force (physics.md section 2): x += v h + a h^2 / 2, v += a h.  Rotation is half
a kick of angular momentum, the torque-free rotation, half a kick.  The lane loop is straight-line code so that the compiler
turns it into vector instructions; nothing in it may branch or reduce over lanes.
"""
import numpy as np

from ..constants import LANES, ROTATION_SUBSTEP
from ..maths import quat
from ..maths.jit import kernel
from ..maths.vec3 import load3, madd, scale
from ..model import layout as at
from .rotation import rotate_free, rotate_short
from .schemes import euler_move, euler_turn


@kernel
def kicked(q, w, j, impulse):
    """World rate after an angular impulse (N m s, world); j = inverse principal moments."""
    b = quat.rotate_back(q, impulse)
    return madd(w, quat.rotate(q, (b[0] * j[0], b[1] * j[1], b[2] * j[2])), 1.0)


@kernel
def fly_block(hot, cold, free, load, torqued, g, h):
    """Advance the lanes with free = 1 of one block.

    hot (HOT, 8), cold (COLD, 8), free (8,) 0 or 1, load (6, 8) force N and torque N m in world, g gravity m/s^2.
    """
    for k in range(LANES):
        im, gs, on = cold[at.K_IM, k], cold[at.K_G, k], free[k]
        for i in range(3):
            a = im * load[i, k] + gs * g[i]
            v = hot[at.H_V + i, k]
            hot[at.H_X + i, k] += on * (v * h + 0.5 * a * h * h)
            hot[at.H_V + i, k] = v + on * (a * h)
    for k in range(LANES):
        q = (hot[at.H_Q, k], hot[at.H_Q + 1, k], hot[at.H_Q + 2, k], hot[at.H_Q + 3, k])
        w = (hot[at.H_W, k], hot[at.H_W + 1, k], hot[at.H_W + 2, k])
        c = (cold[at.K_C, k], cold[at.K_C + 1, k], cold[at.K_C + 2, k])
        if torqued:
            j = (cold[at.K_J, k], cold[at.K_J + 1, k], cold[at.K_J + 2, k])
            half = (0.5 * h * load[3, k], 0.5 * h * load[4, k], 0.5 * h * load[5, k])
            q1, w1 = rotate_short(q, kicked(q, w, j, half), c, h)
            w1 = kicked(q1, w1, j, half)
        else:
            q1, w1 = rotate_short(q, w, c, h)
        still = free[k] == 0.0
        for i in range(4):
            hot[at.H_Q + i, k] = q[i] if still else q1[i]
        for i in range(3):
            hot[at.H_W + i, k] = w[i] if still else w1[i]


@kernel
def load_lane3(block, f, k):
    return block[f, k], block[f + 1, k], block[f + 2, k]


@kernel
def load_lane4(block, f, k):
    return block[f, k], block[f + 1, k], block[f + 2, k], block[f + 3, k]


@kernel
def _load_forces(s, block, load):
    """Copy the users' (N, 3) arrays of one block into lanes; says whether any torque acts."""
    n = len(s.body)
    torqued = False
    for k in range(LANES):
        i = block * LANES + k
        for f in range(3):
            load[f, k] = s.force[i, f] if i < n else 0.0
            load[3 + f, k] = s.torque[i, f] if i < n else 0.0
            torqued = torqued or load[3 + f, k] != 0.0
    return torqued


@kernel
def fly_free_bodies(s, h):
    """All bodies that are not near a contact (B_NEAR is not IN_CONTACT) and enabled."""
    n = len(s.body)
    g = load3(s.par, at.F_GX)
    load, free = np.empty((6, LANES)), np.empty(LANES)
    for block in range(len(s.hot)):
        torqued = _load_forces(s, block, load)
        hot, cold = s.hot[block], s.cold[block]
        some, fast = 0, 0
        for k in range(LANES):
            i = block * LANES + k
            on = i < n and s.body[i, at.B_NEAR] != at.IN_CONTACT and s.body[i, at.B_ENABLED] == 1 and s.body[i, at.B_KIND] != at.STATIC
            w = load_lane3(hot, at.H_W, k)
            quick = (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * h * h > 0.81 * ROTATION_SUBSTEP * ROTATION_SUBSTEP
            free[k] = 1.0 if on else 0.0
            some += on
            fast += on and quick
        if some == 0:
            continue
        if fast == 0 and s.par[at.F_EULER] == 0.0:
            fly_block(hot, cold, free, load, torqued, g, h)
            continue
        for k in range(LANES):
            if free[k] == 1.0:
                _fly_lane(hot, cold, load, k, g, h, s.par[at.F_EULER] == 1.0)


@kernel
def _fly_lane(hot, cold, load, k, g, h, euler):
    """One lane by itself: it turns too fast for a single substep, or the world asks for semi-implicit Euler."""
    x, v = load_lane3(hot, at.H_X, k), load_lane3(hot, at.H_V, k)
    q, w = load_lane4(hot, at.H_Q, k), load_lane3(hot, at.H_W, k)
    c, j = load_lane3(cold, at.K_C, k), load_lane3(cold, at.K_J, k)
    a = madd(scale(load_lane3(load, 0, k), cold[at.K_IM, k]), g, cold[at.K_G, k])
    kick = scale(load_lane3(load, 3, k), h)
    if euler:
        x, v = euler_move(x, v, a, h)
        q, w = euler_turn(q, kicked(q, w, j, kick), j, h)
    else:
        x, v = madd(madd(x, v, h), a, 0.5 * h * h), madd(v, a, h)
        q, w = rotate_free(q, kicked(q, w, j, scale(kick, 0.5)), c, h)
        w = kicked(q, w, j, scale(kick, 0.5))
    for i in range(3):
        hot[at.H_X + i, k], hot[at.H_V + i, k], hot[at.H_W + i, k] = x[i], v[i], w[i]
    for i in range(4):
        hot[at.H_Q + i, k] = q[i]


@kernel
def find_bad_force(s):
    """Index of the first body whose force or torque is not finite, or -1."""
    total = 0.0
    for i in range(len(s.force)):
        for f in range(3):
            total += 0.0 * s.force[i, f] + 0.0 * s.torque[i, f]
    if total == 0.0:
        return -1
    for i in range(len(s.force)):
        for f in range(3):
            if not (np.isfinite(s.force[i, f]) and np.isfinite(s.torque[i, f])):
                return i
    return -1


