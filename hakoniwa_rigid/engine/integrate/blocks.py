"""The vector pass of free flight: eight bodies at a time, for the default integrator in principal axes.

Position and velocity are exact for constant force (physics.md section 2): x += v h + a h^2 / 2, v += a h.  Rotation is
half a kick of angular momentum, the torque-free rotation, half a kick.  The lane loop is straight-line code so that the
compiler turns it into vector instructions; nothing in it may branch or reduce over lanes.
"""
from ..constants import LANES
from ..maths import quat
from ..maths.jit import inlined, kernel
from ..maths.vec3 import add, madd, scale
from ..model import layout as at
from .rotation import rotate_short


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
    """Element i becomes a where on = 1 and stays where on = 0: a choice of two known values, which is no branch."""
    old = block[i]
    block[i] = a if on > 0.0 else old


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
