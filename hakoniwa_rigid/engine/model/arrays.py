# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The arrays of a world as one NamedTuple, the only argument of most kernels."""
from typing import NamedTuple

import numpy as np

from ..constants import LANES
from . import layout as L
from .convex import Convex

# bytes
LINE = 64
# levels of cells in the grid of the broadphase
LEVELS = 64


class Arrays(NamedTuple):
    """All memory of a world; see `layout` for the columns.  N bodies, G shapes."""

    block: np.ndarray       # (blocks, BLOCK x 8) float64
    todo: np.ndarray        # (TODO, blocks) int64
    body: np.ndarray        # (N, BODY) int64
    travel: np.ndarray      # (TRAVEL, blocks x 8) float64
    close: np.ndarray       # (N,) int64
    load: np.ndarray        # (LOADS, N, 3) float64 N and N m, world
    tensor: np.ndarray      # (N, TENSOR) float64 kg m^2 and its inverse; no rows where all bodies are in principal axes
    geom: np.ndarray        # (G, GEOM) float64
    geom_i: np.ndarray      # (G, GEOM_I) int64
    beside: np.ndarray      # (B, BESIDE) float64
    excluded: np.ndarray    # (E,) int64 sorted keys a * N + b of body pairs that never collide
    anchor: np.ndarray      # (N, ANCHOR) float64
    material: np.ndarray    # (N + E, MATERIAL) float64
    curve: np.ndarray       # (C, 2) float64 speed m/s, e
    special: np.ndarray     # (E,) int64 sorted keys of pairs of classes with a material of their own
    pending: np.ndarray     # (N, PENDING) float64
    profile: np.ndarray     # (Y, PROFILE) float64, in the order of their impacts
    convex: Convex          # tables of hulls, triangles, trees of meshes; scratch of the general narrow phase
    bucket: np.ndarray      # (a power of two + 1 + 2 LEVELS,) int64 first grid row of each bucket; then the number of
                            # bodies in each level of the grid, and of those that move
    ball: np.ndarray        # (BALL, N + HALF) float64
    cell: np.ndarray        # (N, CELL) int64
    pairs: np.ndarray       # (2, P, 2) int64 candidate pairs of bodies, sorted; second half: room to sort
    clear: np.ndarray       # (P, CLEAR) float64
    work: np.ndarray        # (N, WORK) float64
    pair_i: np.ndarray      # (M, PAIR_I) int64
    pair_f: np.ndarray      # (M, PAIR_F) float64
    row: np.ndarray         # (4M, ROW) float64
    adjacent: np.ndarray    # (2M,) int64 contact pairs of each body
    island: np.ndarray      # (M + N, ) int64 pairs (first M) and bodies of the island in hand
    cache: np.ndarray       # (2, M, CACHE) float64
    last: np.ndarray        # (4M, LAST) float64
    still: np.ndarray       # (N, STILL) float64
    rest: np.ndarray        # (8M, REST) float64
    manifold: np.ndarray    # (16, MANIFOLD) float64 scratch
    clip: np.ndarray        # (2, 16, 4) float64 scratch
    out: np.ndarray         # (R, OUT) float64
    joint: np.ndarray       # (J, JOINT) float64
    joint_i: np.ndarray     # (J, JOINT_I) int64
    joint_island: np.ndarray    # (2J,) int64
    joint_log: np.ndarray   # (K, JOINT_LOG) float64
    count: np.ndarray       # (COUNTERS,) int64
    par: np.ndarray         # (PARAMETERS,) float64


def blocks_for(n):
    return (n + LANES - 1) // LANES


def in_lines(a):
    """A copy of array a that begins where a line of the processor's cache does: registers are then filled from one."""
    room = np.empty(a.nbytes + LINE, np.uint8)
    first = -room.ctypes.data % LINE
    out = room[first:first + a.nbytes].view(a.dtype).reshape(a.shape)
    out[...] = a
    return out


def joint_buffers(n):
    """Arrays of n constraints, none of them in force."""
    return dict(joint=np.zeros((n, L.JOINT)), joint_i=np.zeros((n, L.JOINT_I), np.int64),
                joint_island=np.zeros(2 * n, np.int64))


def near_buffers(m, n):
    """Buffers that grow with the number m of contact pairs."""
    return dict(pair_i=np.zeros((m, L.PAIR_I), np.int64), pair_f=np.zeros((m, L.PAIR_F)),
                row=np.zeros((L.POINTS * m, L.ROW)), adjacent=np.zeros(2 * m, np.int64),
                island=np.zeros(m + n, np.int64))
