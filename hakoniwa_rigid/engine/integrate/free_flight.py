# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The free-flight pass: every body as if it met nothing in this step; contacts set right those that do.

Blocks take the vector pass; those with a body that turns very fast, and worlds with another integrator or storage of
the inertia, go body by body through their work rows.  Blocks do not know of each other: threads may share them.
"""
from ..constants import LANES
from ..maths.jit import kernel
from ..model import layout as L
from ..motion.bodies import advance, gather, scatter
from .blocks import fly_block, fly_block_in_parts, kick_block, most_parts


@kernel
def fly_free_bodies(s, h, first, last):
    """All enabled bodies of blocks first .. last - 1 that can move: those with H_FREE.
    Writes: s.anchor, s.block, s.count, s.work."""
    g = s.par.gravity
    plain = s.par.integrator == L.EXACT and s.par.inertia_storage == L.PRINCIPAL
    for block in range(first, last):
        b, torqued, fast = s.block[block], s.todo[L.DO_TORQUED, block] != 0, s.todo[L.DO_FAST, block]
        if fast == 2 or not plain:
            _fly_one_by_one(s, block, h)
            continue
        if torqued:
            kick_block(b, 0.5 * h)
        most = most_parts(b, h) if torqued or fast != 0 else 1.0
        if most == 1.0:
            fly_block(b, g, h)
        else:
            fly_block_in_parts(b, g, h, most)
        if torqued:
            kick_block(b, 0.5 * h)


@kernel
def _fly_one_by_one(s, block, h):
    """As fly_free_bodies, of one block; bodies near a contact, whose work rows are in use, are left to the contacts.
    Writes: s.anchor, s.block, s.count, s.work."""
    for k in range(LANES):
        i = block * LANES + k
        if s.block[block, L.H_FREE * LANES + k] == 0.0:
            continue
        if s.body[i].near == L.IN_CONTACT:
            s.block[block, L.H_FREE * LANES + k] = 0.0
        else:
            gather(s, i)
            advance(s.work[i], h)
            scatter(s, i)
