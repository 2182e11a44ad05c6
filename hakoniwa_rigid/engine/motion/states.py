# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Where a body is at the start of the step, and whether it moves: free, asleep, or solved with its crowd."""
from ..constants import LANES
from ..maths.jit import kernel
from ..maths.lanes import load_lane3, load_lane4
from ..model import layout as L


@kernel
def position(s, i):
    return load_lane3(s.block[i // LANES], L.H_X, i % LANES)


@kernel
def attitude(s, i):
    return load_lane4(s.block[i // LANES], L.H_Q, i % LANES)


@kernel
def rate(s, i):
    return load_lane3(s.block[i // LANES], L.H_W, i % LANES)


@kernel
def may_fly(s, i):
    """Whether body i moves at all."""
    return s.body[i].enabled == 1 and s.body[i].kind != L.STATIC and s.body[i].sleeping_island == 0


@kernel
def is_idle(s, i):
    """True for bodies that stand still whatever comes: static ones, and those asleep."""
    return s.body[i].kind == L.STATIC or s.body[i].sleeping_island > 0


@kernel
def in_crowd(s, i):
    """1 where body i is solved with its crowd in this step."""
    return 1 if s.body[i].crowd_until > s.count.steps else 0
