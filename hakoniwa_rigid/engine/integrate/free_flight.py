"""The free-flight pass: every body that meets nothing in this step.

Blocks whose bodies all turn slowly take the vector pass; the others, and worlds with another integrator or storage of
the inertia, go body by body through their work rows.
"""
from ..constants import LANES
from ..maths.jit import kernel
from ..maths.vec3 import load3
from ..model import layout as at
from .blocks import fly_block, kick_block
from .bodies import advance, gather, scatter


@kernel
def fly_free_bodies(s, h):
    """All enabled bodies that can move and are not near a contact: those with H_FREE."""
    g = load3(s.par, at.F_GX)
    plain = s.par[at.F_SCHEME] == at.EXACT and s.par[at.F_STORAGE] == at.PRINCIPAL
    for block in range(len(s.block)):
        if s.todo[at.DO_FAST, block] != 0 or not plain:
            _fly_one_by_one(s, block, h)
            continue
        b, torqued = s.block[block], s.todo[at.DO_TORQUED, block] != 0
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
