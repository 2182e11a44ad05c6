# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The vector pass of free flight: eight bodies at a time, for the default integrator in principal axes.

Position and velocity are exact for constant force (docs/free_motion.md): x += v h + a h^2 / 2, v += a h.  Rotation is
half a kick of angular momentum, the torque-free rotation, half a kick.  The lane loop is straight-line code so that the
compiler turns it into vector instructions; nothing in it may branch or reduce over lanes.
"""
from ..constants import LANES
from ..maths.entries import wide
from ..maths.jit import kernel
from ..maths.lanes import blend, blend_lane3, load_lane3, load_lane4, store_lane3
from ..maths.vec3 import madd, scale
from ..model import layout as L
from ..motion.rotation import body_turn, kicked, substeps, turned


@kernel
def _move_block(b, g, h):
    """Position and velocity of the free lanes of one block after h seconds.  Writes: b."""
    wide()
    for k in range(LANES):
        on = b[L.H_FREE * LANES + k]
        x, v, f = load_lane3(b, L.H_X, k), load_lane3(b, L.H_V, k), load_lane3(b, L.H_F, k)
        a = madd(scale(f, b[L.H_IM * LANES + k]), g, b[L.H_G * LANES + k])
        blend_lane3(b, L.H_X, k, on, madd(madd(x, v, h), a, 0.5 * h * h))
        blend_lane3(b, L.H_V, k, on, madd(v, a, h))


@kernel
def fly_block(b, g, h):
    """Advance the free lanes of one block (BLOCK x 8,) by h seconds; no torque acts.  g gravity m/s^2.

    In three loops, whose working sets fit the registers.  Writes: b."""
    _move_block(b, g, h)
    wide()
    for k in range(LANES):
        r, end, square = body_turn(load_lane4(b, L.H_Q, k), load_lane3(b, L.H_W, k), load_lane3(b, L.H_C, k), h)
        store_lane3(b, L.H_TURN_R, k, r)
        store_lane3(b, L.H_TURN_END, k, end)
        b[L.H_TURN_W2 * LANES + k] = square
    for k in range(LANES):
        q, w = turned(load_lane4(b, L.H_Q, k), load_lane3(b, L.H_W, k), load_lane3(b, L.H_TURN_R, k),
                      load_lane3(b, L.H_TURN_END, k), b[L.H_TURN_W2 * LANES + k])
        on = b[L.H_FREE * LANES + k]
        blend(b, L.H_Q * LANES + k, on, q[0])
        blend_lane3(b, L.H_Q + 1, k, on, (q[1], q[2], q[3]))
        blend_lane3(b, L.H_W, k, on, w)


@kernel
def most_parts(b, h):
    """H_PARTS of one block: substeps of every lane's rotation in h seconds; the most of them.  Writes: b."""
    for k in range(LANES):
        b[L.H_PARTS * LANES + k] = substeps(load_lane3(b, L.H_W, k), h)
    most = 1.0
    for k in range(LANES):
        most = max(most, b[L.H_PARTS * LANES + k])
    return most


@kernel
def fly_block_in_parts(b, g, h, most):
    """As fly_block, the rotation of each lane in H_PARTS equal parts, of which there are `most` at most.

    The loops over the rotation repeat those of fly_block, whose lanes all take one part and need no division; a
    function of one lane that writes, called from both, keeps a loop scalar.  Writes: b."""
    _move_block(b, g, h)
    wide()
    for part in range(int(most)):
        for k in range(LANES):
            r, end, square = body_turn(load_lane4(b, L.H_Q, k), load_lane3(b, L.H_W, k), load_lane3(b, L.H_C, k),
                                       h / b[L.H_PARTS * LANES + k])
            store_lane3(b, L.H_TURN_R, k, r)
            store_lane3(b, L.H_TURN_END, k, end)
            b[L.H_TURN_W2 * LANES + k] = square
        for k in range(LANES):
            q, w = turned(load_lane4(b, L.H_Q, k), load_lane3(b, L.H_W, k), load_lane3(b, L.H_TURN_R, k),
                          load_lane3(b, L.H_TURN_END, k), b[L.H_TURN_W2 * LANES + k])
            on = b[L.H_FREE * LANES + k] if part < b[L.H_PARTS * LANES + k] else 0.0
            blend(b, L.H_Q * LANES + k, on, q[0])
            blend_lane3(b, L.H_Q + 1, k, on, (q[1], q[2], q[3]))
            blend_lane3(b, L.H_W, k, on, w)


@kernel
def kick_block(b, half):
    """Half a kick of angular momentum, torque x `half` s, on the free lanes.  Writes: b."""
    wide()
    for k in range(LANES):
        kick = scale(load_lane3(b, L.H_T, k), half)
        w = kicked(load_lane4(b, L.H_Q, k), load_lane3(b, L.H_W, k), load_lane3(b, L.H_J, k), kick)
        blend_lane3(b, L.H_W, k, b[L.H_FREE * LANES + k], w)
