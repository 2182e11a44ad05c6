# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a world has to remember to take its last steps back: far less than World.save, and only until the next.

Candidate pairs and what is known of them are not kept, they are found anew; shapes are not, they may not change
between.
"""
from ..model import layout as L

__all__ = ['arrays_of', 'checkpoint', 'enabled', 'go_back_to', 'near_bodies']


def arrays_of(world):
    """The arrays that the world's kernels work on: another object when they have grown, or were restored."""
    return world._s


def checkpoint(s):
    """Those of a world's arrays s that hold what the future depends on, and the marks of a step that the next one
    clears.  Loads are not among them: whoever takes steps again gives them anew."""
    running = (s.pending, s.profile) if s.par[L.F_PROFILE] != L.NO_PROFILE else ()
    known = s.cache, s.last, s.still, s.rest, s.joint, s.joint_i
    return s.block, s.body, s.todo, s.close, s.travel, s.anchor, *known, s.count, s.par, *running


def go_back_to(world, s):
    """The world works on arrays s again, which it had before and whose `checkpoint` has its old contents."""
    world._s = s
    s.count[L.N_STALE_LIST] = 1


def near_bodies(world):
    """(M, 2) bodies that were near each other in the last step."""
    s = world._s
    return s.pair_i[:s.count[L.N_CONTACT_PAIRS], L.P_A:L.P_B + 1].copy()


def enabled(world):
    """(N,) bool: bodies that take part."""
    return world._s.body[:, L.B_ENABLED] == 1
