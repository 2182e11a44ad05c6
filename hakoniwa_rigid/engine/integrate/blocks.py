"""The free-flight pass: every body that meets nothing in this step, eight at a time.

Position and velocity are exact for constant force (physics.md section 2): x += v h + a h^2 / 2, v += a h.  Rotation is
half a kick of angular momentum, the torque-free rotation, half a kick.  The lane loop is straight-line code so that the
compiler turns it into vector instructions; nothing in it may branch or reduce over lanes.
"""
import numpy as np

from ..constants import LANES, ROTATION_SUBSTEP
from ..maths import quat
from ..maths.jit import inlined, kernel
from ..maths.vec3 import add, dot, load3, madd, scale
from ..model import layout as at
from .rotation import rotate_free, rotate_short
from .schemes import euler_move, euler_turn

# rad^2, squared turn in a step above which a lane, free or not, keeps its block out of the vector pass: far above, the
# series overflows, and `blend` would make NaN of 0 x inf
WILD = 1.0


@inlined
def kicked(q, w, j, impulse):
    """World rate after an angular impulse (N m s, world); j = inverse principal moments."""
    b = quat.rotate_back(q, impulse)
    return add(w, quat.rotate(q, (b[0] * j[0], b[1] * j[1], b[2] * j[2])))


@inlined
def load_lane3(block, f, k):
    return block[f * LANES + k], block[(f + 1) * LANES + k], block[(f + 2) * LANES + k]


@inlined
def load_lane4(block, f, k):
    return block[f * LANES + k], block[(f + 1) * LANES + k], block[(f + 2) * LANES + k], block[(f + 3) * LANES + k]


@inlined
def blend(block, i, on, a):
    """Element i becomes a where on = 1 and stays where on = 0.

    Products with 1 and 0 are exact; a branch would stop vectorising.
    """
    block[i] = on * a + (1.0 - on) * block[i]


@inlined
def blend_lane3(block, f, k, on, a):
    blend(block, f * LANES + k, on, a[0])
    blend(block, (f + 1) * LANES + k, on, a[1])
    blend(block, (f + 2) * LANES + k, on, a[2])


@kernel
def fly_block(b, g, h):
    """Advance the free lanes of one block (BLOCK x 8,) by h seconds; no torque acts.  g gravity m/s^2."""
    for k in range(LANES):
        on = b[at.H_FREE * LANES + k]
        x, v, f = load_lane3(b, at.H_X, k), load_lane3(b, at.H_V, k), load_lane3(b, at.H_F, k)
        a = madd(scale(f, b[at.H_IM * LANES + k]), g, b[at.H_G * LANES + k])
        blend_lane3(b, at.H_X, k, on, madd(madd(x, v, h), a, 0.5 * h * h))
        blend_lane3(b, at.H_V, k, on, madd(v, a, h))
        q, w = rotate_short(load_lane4(b, at.H_Q, k), load_lane3(b, at.H_W, k), load_lane3(b, at.H_C, k), h)
        blend(b, at.H_Q * LANES + k, on, q[0])
        blend_lane3(b, at.H_Q + 1, k, on, (q[1], q[2], q[3]))
        blend_lane3(b, at.H_W, k, on, w)


@kernel
def kick_block(b, half):
    """Half a kick of angular momentum, torque x `half` s, on the free lanes."""
    for k in range(LANES):
        kick = scale(load_lane3(b, at.H_T, k), half)
        w = kicked(load_lane4(b, at.H_Q, k), load_lane3(b, at.H_W, k), load_lane3(b, at.H_J, k), kick)
        blend_lane3(b, at.H_W, k, b[at.H_FREE * LANES + k], w)


@kernel
def _load_forces(s, block):
    """Copy the users' (N, 3) arrays of one block into its lanes; says whether any torque acts."""
    b, first, n = s.block[block], block * LANES, len(s.body)
    torqued = False
    for k in range(min(LANES, n - first)):
        for f in range(3):
            b[(at.H_F + f) * LANES + k] = s.force[first + k, f]
            b[(at.H_T + f) * LANES + k] = s.torque[first + k, f]
            torqued = torqued or s.torque[first + k, f] != 0.0
    return torqued


@kernel
def _mark_free(s, block, h):
    """Set the free lanes of a block; returns their number, and how many lanes turn too fast for the vector pass."""
    b, first, n = s.block[block], block * LANES, len(s.body)
    some, fast = 0, 0
    for k in range(min(LANES, n - first)):
        i = first + k
        body = s.body[i]
        on = body[at.B_NEAR] != at.IN_CONTACT and body[at.B_ENABLED] == 1 and body[at.B_KIND] != at.STATIC
        b[at.H_FREE * LANES + k] = 1.0 if on else 0.0
        w = load_lane3(b, at.H_W, k)
        turn2 = dot(w, w) * h * h
        some += on
        fast += turn2 > WILD or (on and turn2 > 0.81 * ROTATION_SUBSTEP * ROTATION_SUBSTEP)
    return some, fast


@kernel
def fly_free_bodies(s, h):
    """All enabled bodies that can move and are not near a contact (B_NEAR is not IN_CONTACT)."""
    g = load3(s.par, at.F_GX)
    euler = s.par[at.F_EULER] == 1.0
    for block in range(len(s.block)):
        some, fast = _mark_free(s, block, h)
        if some == 0:
            continue
        torqued = _load_forces(s, block)
        b = s.block[block]
        if fast > 0 or euler:
            for k in range(LANES):
                if b[at.H_FREE * LANES + k] == 1.0:
                    _fly_lane(b, k, g, h, euler)
            continue
        if torqued:
            kick_block(b, 0.5 * h)
        fly_block(b, g, h)
        if torqued:
            kick_block(b, 0.5 * h)


@kernel
def _fly_lane(b, k, g, h, euler):
    """One lane by itself: it turns too fast for a single substep, or the world asks for semi-implicit Euler."""
    x, v = load_lane3(b, at.H_X, k), load_lane3(b, at.H_V, k)
    q, w = load_lane4(b, at.H_Q, k), load_lane3(b, at.H_W, k)
    c, j = load_lane3(b, at.H_C, k), load_lane3(b, at.H_J, k)
    a = madd(scale(load_lane3(b, at.H_F, k), b[at.H_IM * LANES + k]), g, b[at.H_G * LANES + k])
    kick = scale(load_lane3(b, at.H_T, k), h)
    if euler:
        x, v = euler_move(x, v, a, h)
        q, w = euler_turn(q, kicked(q, w, j, kick), j, h)
    else:
        x, v = madd(madd(x, v, h), a, 0.5 * h * h), madd(v, a, h)
        q, w = rotate_free(q, kicked(q, w, j, scale(kick, 0.5)), c, h)
        w = kicked(q, w, j, scale(kick, 0.5))
    for i in range(3):
        b[(at.H_X + i) * LANES + k], b[(at.H_V + i) * LANES + k], b[(at.H_W + i) * LANES + k] = x[i], v[i], w[i]
    for i in range(4):
        b[(at.H_Q + i) * LANES + k] = q[i]


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


