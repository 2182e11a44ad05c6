"""The free-flight pass: every body that meets nothing in this step.

Blocks whose bodies all turn slowly take the vector pass; the others, and worlds with another integrator or storage of
the inertia, go body by body through their work rows.
"""
from ..constants import LANES, MAX_SPEED, ROTATION_SUBSTEP
from ..maths.jit import kernel
from ..maths.vec3 import dot, load3, scale
from ..model import layout as at
from .blocks import fly_block, kick_block, load_lane3
from .bodies import advance, force_on, gather, scatter, torque_on

# rad^2, squared turn in a step above which a lane, free or not, keeps its block out of the vector pass: far above, the
# series overflows, and `blend` would make NaN of 0 x inf
WILD = 1.0


@kernel
def _load_forces(s, block):
    """Copy the loads of one block's bodies into its lanes; says whether any torque acts."""
    b, first, n = s.block[block], block * LANES, len(s.body)
    torqued = False
    for k in range(min(LANES, n - first)):
        force, torque = force_on(s, first + k), torque_on(s, first + k)
        for f in range(3):
            b[(at.H_F + f) * LANES + k] = force[f]
            b[(at.H_T + f) * LANES + k] = torque[f]
            torqued = torqued or torque[f] != 0.0
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
    plain = s.par[at.F_SCHEME] == at.EXACT and s.par[at.F_STORAGE] == at.PRINCIPAL
    for block in range(len(s.block)):
        some, fast = _mark_free(s, block, h)
        if some == 0:
            continue
        if fast > 0 or not plain:
            _fly_one_by_one(s, block, h)
            continue
        torqued = _load_forces(s, block)
        b = s.block[block]
        if torqued:
            kick_block(b, 0.5 * h)
        fly_block(b, g, h)
        if torqued:
            kick_block(b, 0.5 * h)


@kernel
def _fly_one_by_one(s, block, h):
    for k in range(LANES):
        if s.block[block, at.H_FREE * LANES + k] == 1.0:
            i = block * LANES + k
            gather(s, i)
            advance(s.work[i], h)
            scatter(s, i)


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
