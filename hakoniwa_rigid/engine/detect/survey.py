"""The survey that opens every step, eight bodies at a time: loads, how far each may travel, what its skin has left.

It is what lets all the rest look at few bodies: a candidate pair whose bodies together have not used up the clearance
that they had when the list was built needs no second look (detect/near).  The lane loop is straight-line code, as in
integrate/blocks.
"""
import math

from ..constants import LANES, MAX_SPEED, ROTATION_SUBSTEP, VECTOR_SUBSTEPS
from ..integrate.blocks import load_lane3
from ..integrate.bodies import force_on, torque_on
from ..maths.jit import inlined, kernel, wide
from ..maths.vec3 import dot, load3, madd, scale, sub
from ..model import layout as at


@kernel
def load_forces(s, block):
    """Copy the loads of one block's bodies into its lanes; says whether any torque acts."""
    b, first, torqued = s.block[block], block * LANES, False
    lanes = min(LANES, len(s.body) - first)
    if lanes == LANES and s.count[at.N_PUSHED] == 0 and s.count[at.N_PROFILES] == 0:
        some = s.todo[at.DO_TORQUED, block]     # there may be torques of the last step in the lanes
        torque, force = s.load[at.LOAD_T], s.load[at.LOAD_F]
        for k in range(LANES):
            some |= (torque[first + k, 0] != 0.0) | (torque[first + k, 1] != 0.0) | (torque[first + k, 2] != 0.0)
        if some == 0:
            for k in range(LANES):
                b[at.H_F * LANES + k] = force[first + k, 0]
                b[(at.H_F + 1) * LANES + k] = force[first + k, 1]
                b[(at.H_F + 2) * LANES + k] = force[first + k, 2]
            return False
    for k in range(lanes):
        force, torque = force_on(s, first + k), torque_on(s, first + k)
        for f in range(3):
            b[(at.H_F + f) * LANES + k] = force[f]
            b[(at.H_T + f) * LANES + k] = torque[f]
            torqued |= torque[f] != 0.0
    return torqued


@kernel
def survey_block(b, g, h):
    """H_REACH, H_USED, H_OVER, H_LOAD, H_TURN of one block (BLOCK x 8,); g gravity m/s^2, h s."""
    wide()
    for k in range(LANES):
        v, w, im = load_lane3(b, at.H_V, k), load_lane3(b, at.H_W, k), b[at.H_IM * LANES + k]
        f, t, j = load_lane3(b, at.H_F, k), load_lane3(b, at.H_T, k), load_lane3(b, at.H_J, k)
        a = madd(scale(f, im), g, b[at.H_G * LANES + k])
        d = sub(load_lane3(b, at.H_X, k), load_lane3(b, at.H_ANCHOR, k))
        # the sum of what a has along the axes is no less than its size, and costs no root
        push = abs(a[0]) + abs(a[1]) + abs(a[2])
        reach, used = math.sqrt(dot(v, v)) * h + 0.5 * push * h * h, math.sqrt(dot(d, d))
        b[at.H_REACH * LANES + k] = reach
        b[at.H_USED * LANES + k] = used
        b[at.H_OVER * LANES + k] = used + reach - b[at.H_SKIN * LANES + k]
        share, turn = im * h / MAX_SPEED, (j[0] + j[1] + j[2]) * h / MAX_SPEED
        b[at.H_LOAD * LANES + k] = dot(f, f) * share * share + dot(t, t) * turn * turn
        b[at.H_TURN * LANES + k] = dot(w, w) * h * h


@inlined
def _larger(a, b):
    return a if a > b else b


@inlined
def _largest(b, f):
    """Of the eight lanes of column f."""
    i = f * LANES
    low = _larger(_larger(b[i], b[i + 1]), _larger(b[i + 2], b[i + 3]))
    return _larger(low, _larger(_larger(b[i + 4], b[i + 5]), _larger(b[i + 6], b[i + 7])))


@inlined
def _sum(b, f):
    i = f * LANES
    return (b[i] + b[i + 1]) + (b[i + 2] + b[i + 3]) + ((b[i + 4] + b[i + 5]) + (b[i + 6] + b[i + 7]))


@kernel
def survey(s, h, first, last):
    """Loads and bounds of the bodies in blocks first .. last - 1: (NaN or > 1 if a load may be too large, m by which a
    skin is used up or less than 0, m that the fastest body may travel in this step)."""
    g = load3(s.par, at.F_GX)
    load, over, far = 0.0, -math.inf, 0.0
    for block in range(first, last):
        torqued = load_forces(s, block)
        b = s.block[block]
        survey_block(b, g, h)
        load += _sum(b, at.H_LOAD)
        over, far = _larger(_largest(b, at.H_OVER), over), _larger(_largest(b, at.H_REACH), far)
        turn = _largest(b, at.H_TURN) / (ROTATION_SUBSTEP * ROTATION_SUBSTEP)
        s.todo[at.DO_TORQUED, block] = torqued
        s.todo[at.DO_FAST, block] = (turn > 0.81) + (turn > VECTOR_SUBSTEPS * VECTOR_SUBSTEPS)
    return load, over, far


@kernel
def find_bad_load(s, h):
    """Index of the first body whose force or torque is not finite or would change its speed by MAX_SPEED, or -1."""
    for i in range(len(s.body)):
        b, k = s.block[i // LANES], i % LANES
        j = load_lane3(b, at.H_J, k)
        push, turn = b[at.H_IM * LANES + k] * h / MAX_SPEED, max(j[0], max(j[1], j[2])) * h / MAX_SPEED
        force, torque = scale(force_on(s, i), push), scale(torque_on(s, i), turn)
        if not dot(force, force) + dot(torque, torque) <= 1.0:
            return i
    return -1


@kernel
def forget_pushes(s):
    """Forces and torques given for one step only have acted."""
    if s.count[at.N_PUSHED] == 0:
        return
    s.count[at.N_PUSHED] = 0
    for k in range(at.PUSH_F, at.PUSH_T + 1):
        for i in range(len(s.body)):
            for f in range(3):
                s.load[k, i, f] = 0.0
