# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A hashed grid of cells of many sizes: finds all bodies whose balls may meet, in time linear in their number.

Every body lives in the one cell that holds its centre, in the level whose cells (side 2^level m) are just wider than
its ball.  Balls that meet then lie in the same or neighbouring cells of the greater level of the two, so a drone beside
a stadium costs what two drones cost.  (Teschner et al., "Optimized spatial hashing for collision detection of
deformable objects", VMV 2003, with a hierarchy of levels.)  What is hashed is where a row of cells along x begins; the
cells of a row follow each other, so that three of them are one run of bodies, and five runs the half of a body's
neighbourhood that it searches.  Nothing is allocated.

The kernels take the few arrays that they read and are inlined: to hand on an array costs as much as to search a cell.
"""
import math

import numpy as np

from ..maths import elementary
from ..maths.jit import always_inline, kernel
from ..maths.lanes import HALF, any_ball_overlaps
from ..maths.vec3 import dot, sub
from ..model import layout as L
from ..model.arrays import LEVELS
from ..shapes.kinds import UNBOUNDED

# times its radius: room of a ball in its cells, just less than with the longest skin that most bodies have
ROOM = 1.99
# level of the smallest cells, of side 1e-6 m; the largest, 63 levels on, measure 1e13 m
LOWEST = -20


@always_inline
def _buckets(bucket):
    return len(bucket) - 2 * LEVELS - 1


@always_inline
def _bodies_in(bucket, level, movers):
    """Number of bodies in a level of cells; of those that move, if movers is 1."""
    return bucket[_buckets(bucket) + 1 + movers * LEVELS + level - LOWEST]


@always_inline
def rows_of(bucket):
    """Number of bodies in the grid."""
    return bucket[_buckets(bucket)]


@always_inline
def _row(level, y, z):
    """Bucket, but for whole turns round the table, of the cell at x = 0."""
    return y * 19349663 ^ z * 83492791 ^ level * 6542989


@always_inline
def _cell_at(x, per):
    """per: cells in a metre, exactly: a power of two."""
    return elementary.whole(np.floor(x * per))


@always_inline
def _centre(ball, k):
    """Centre (m) of the ball of grid row k."""
    return ball[L.A_BALL, k], ball[L.A_BALL + 1, k], ball[L.A_BALL + 2, k]


@always_inline
def _cell_of(ball, k, per):
    """Cell that holds the centre of grid row k."""
    c = _centre(ball, k)
    return _cell_at(c[0], per), _cell_at(c[1], per), _cell_at(c[2], per)


@always_inline
def _level_for(r, skin, level, per):
    """Level of the cells for a ball with its skin, or with one of its radius, so that equal bodies share cells; and the
    number of cells in a metre.  level, per: those of another body, which are mostly the same."""
    wide = 2.0 * max(r + skin, ROOM * r if skin > 0.0 else 0.0)
    if not (wide * per >= 0.5 and wide * per < 1.0):
        level = min(max(math.frexp(wide)[1], LOWEST), LOWEST + LEVELS - 1)
        per = math.ldexp(1.0, -level)
    return level, per


@kernel
def _count(body, anchor, cell, bucket):
    """Bucket of every enabled bounded body, and into each bucket where it begins, one place further on.
    Writes: cell, bucket."""
    level, per = 0, 1.0
    for k in range(len(bucket)):
        bucket[k] = 0
    for i in range(len(body)):
        if body[i, L.B_ENABLED] == 0 or anchor[i, L.A_RADIUS] >= UNBOUNDED:
            cell[i, L.C_HOME] = -1
            continue
        level, per = _level_for(anchor[i, L.A_RADIUS], anchor[i, L.A_SKIN], level, per)
        row = _row(level, _cell_at(anchor[i, L.A_X + 1], per), _cell_at(anchor[i, L.A_X + 2], per))
        home = (row + _cell_at(anchor[i, L.A_X], per)) & (_buckets(bucket) - 1)
        cell[i, L.C_HOME] = home
        bucket[home + 1] += 1
    for k in range(1, _buckets(bucket) + 1):
        bucket[k] += bucket[k - 1]


@kernel
def _fill(body, anchor, ball, cell, bucket):
    """Put all enabled bounded bodies into the cells, in order of bucket.  Writes: ball, cell, bucket."""
    _count(body, anchor, cell, bucket)
    level, per = 0, 1.0
    for i in range(len(body)):
        home = cell[i, L.C_HOME]
        if home < 0:
            continue
        k, mover = bucket[home], 0 if body[i, L.B_KIND] == L.STATIC else 1
        bucket[home] += 1
        level, per = _level_for(anchor[i, L.A_RADIUS], anchor[i, L.A_SKIN], level, per)
        cell[k, L.C_BODY], cell[k, L.C_LEVEL], cell[k, L.C_MOVER] = i, level, mover
        for f in range(3):
            ball[L.A_BALL + f, k] = anchor[i, L.A_X + f]
        ball[L.A_BALL + 3, k] = anchor[i, L.A_RADIUS] + anchor[i, L.A_SKIN]
        bucket[_buckets(bucket) + 1 + level - LOWEST] += 1
        bucket[_buckets(bucket) + 1 + LEVELS + level - LOWEST] += mover
    # every start has moved to the next bucket's
    for k in range(_buckets(bucket), 0, -1):
        bucket[k] = bucket[k - 1]
    bucket[0] = 0


@always_inline
def put_pair(pairs, n, i, j):
    """Pair n of the list, where there is room; returns the number of pairs then.  Writes: pairs."""
    if n < pairs.shape[1]:
        pairs[0, n, 0], pairs[0, n, 1] = min(i, j), max(i, j)
    return n + 1


@always_inline
def _lies_in(ball, cell, j, level, per, cells):
    """Whether grid row j lies in these cells: (first x, last x, y, z)."""
    x, y, z = _cell_of(ball, j, per)
    return cell[j, L.C_LEVEL] == level and cells[0] <= x and x <= cells[1] and y == cells[2] and z == cells[3]


@always_inline
def _overlaps_ball(ball, j, c, r):
    """Whether the ball of grid row j meets that about c with radius r (m)."""
    d, far = sub(_centre(ball, j), c), ball[L.A_BALL + 3, j] + r
    return dot(d, d) <= far * far


@always_inline
def _try_cells(ball, cell, bucket, pairs, n, k, first, level, per, cells):
    """Grid row k against the rows, from `first` on, in a few cells of one row.  One of two bodies must move.
    Writes: pairs."""
    start = (_row(level, cells[2], cells[3]) + cells[0]) & (_buckets(bucket) - 1)
    stop = start + cells[1] - cells[0] + 1
    c, r, mover = _centre(ball, k), ball[L.A_BALL + 3, k], cell[k, L.C_MOVER]
    # what lies beyond the end of the table is at its beginning
    while stop > 0:
        j, end = max(bucket[start], first), bucket[min(stop, _buckets(bucket))]
        while True:
            # that a cell holds a body cannot be predicted, that none is near mostly can
            if any_ball_overlaps(ball, j, end - j, c[0], c[1], c[2], r):
                for i in range(j, min(j + HALF, end)):
                    # other cells share the bucket
                    if _overlaps_ball(ball, i, c, r) and _lies_in(ball, cell, i, level, per, cells) and (
                            mover + cell[i, L.C_MOVER] > 0):
                        n = put_pair(pairs, n, cell[k, L.C_BODY], cell[i, L.C_BODY])
            j += HALF
            if j >= end:
                break
        start, stop, first = 0, stop - _buckets(bucket), 0
    return n


@always_inline
def _own_level(ball, cell, bucket, pairs, n, k, per):
    """Row k against the later rows of its cell and those of half the neighbours, so that a pair is met once.
    Writes: pairs."""
    level, (x, y, z) = cell[k, L.C_LEVEL], _cell_of(ball, k, per)
    n = _try_cells(ball, cell, bucket, pairs, n, k, k + 1, level, per, (x, x + 1, y, z))
    for other in range(4):
        dy, dz = (0, 1) if other == 3 else (1, other - 1)
        n = _try_cells(ball, cell, bucket, pairs, n, k, 0, level, per, (x - 1, x + 1, y + dy, z + dz))
    return n


@kernel
def _greater_level(ball, cell, bucket, pairs, n, k, level):
    """Row k against the bodies of a level of greater cells: those cells that a ball there could reach out of.
    Writes: pairs."""
    per, c = math.ldexp(1.0, -level), _centre(ball, k)
    r = ball[L.A_BALL + 3, k] + 0.5 / per
    first, last = _cell_at(c[0] - r, per), _cell_at(c[0] + r, per)
    for y in range(_cell_at(c[1] - r, per), _cell_at(c[1] + r, per) + 1):
        for z in range(_cell_at(c[2] - r, per), _cell_at(c[2] + r, per) + 1):
            n = _try_cells(ball, cell, bucket, pairs, n, k, 0, level, per, (first, last, y, z))
    return n


@kernel
def bounded_pairs(body, anchor, ball, cell, bucket, pairs):
    """Pairs of enabled bounded bodies, one of them moving, whose balls meet; returns how many.

    Balls: about anchor A_X, radius A_RADIUS + A_SKIN (m).  Pairs beyond the room in pairs[0] are only counted.
    Writes: ball, cell, bucket, pairs."""
    _fill(body, anchor, ball, cell, bucket)
    n, top, level, per = 0, LOWEST + LEVELS - 1, 0, 1.0
    while top > LOWEST and _bodies_in(bucket, top, 0) == 0:
        top -= 1
    for k in range(rows_of(bucket)):
        mover = cell[k, L.C_MOVER]
        if cell[k, L.C_LEVEL] != level:
            level = cell[k, L.C_LEVEL]
            per = math.ldexp(1.0, -int(level))
        # bodies that stand still meet nothing in a level where all do
        if _bodies_in(bucket, level, 1 - mover) > 0:
            n = _own_level(ball, cell, bucket, pairs, n, k, per)
        for other in range(level + 1, top + 1):
            if _bodies_in(bucket, other, 1 - mover) > 0:
                n = _greater_level(ball, cell, bucket, pairs, n, k, other)
    return n
