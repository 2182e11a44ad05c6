"""A hashed grid of cells of many sizes: finds all bodies whose balls may meet, in time linear in their number.

Every body lives in the one cell that holds its centre, in the level whose cells (side 2^level m) are just wider than
its ball.  Balls that meet then lie in the same or neighbouring cells of the greater level of the two, so a drone beside
a stadium costs what two drones cost.  (Teschner et al., "Optimized spatial hashing for collision detection of
deformable objects", VMV 2003, with a hierarchy of levels.)  Rows are kept in the order of the hash buckets; nothing is
allocated.

The kernels take the few arrays that they read and are inlined: to hand on an array costs as much as to search a cell.
"""
import math

from ..maths.jit import inlined, kernel
from ..maths.vec3 import dot, load3, sub
from ..model import layout as at
from ..model.arrays import LEVELS

# times its radius: room of a ball in its cells, just less than with the longest skin that most bodies have
ROOM = 1.99
# level of the smallest cells, of side 1e-6 m; the largest, 63 levels on, measure 1e13 m
LOWEST = -20


@inlined
def _buckets(bucket):
    return len(bucket) - 2 * LEVELS - 1


@inlined
def _bodies_in(bucket, level, movers):
    """Number of bodies in a level of cells; of those that move, if movers is 1."""
    return bucket[_buckets(bucket) + 1 + movers * LEVELS + level - LOWEST]


@inlined
def _bucket_of(bucket, level, x, y, z):
    """Hash bucket of a cell."""
    return (x * 73856093 ^ y * 19349663 ^ z * 83492791 ^ level * 6542989) & (_buckets(bucket) - 1)


@inlined
def _cell_at(x, side):
    return int(math.floor(x / side))


@kernel
def _level_for(radius):
    """Level whose cells are at least as wide as the ball."""
    return min(max(math.frexp(2.0 * radius)[1], LOWEST), LOWEST + LEVELS - 1)


@inlined
def _level_of(anchor, i):
    """Level of body i: that of its ball, or of its ball with a skin of its radius, so that equal bodies share cells."""
    r = anchor[i, at.A_RADIUS]
    return _level_for(max(r + anchor[i, at.A_SKIN], ROOM * r if anchor[i, at.A_SKIN] > 0.0 else 0.0))


@kernel
def _fill(body, anchor, bucket):
    """Put all enabled bounded bodies into the cells, in order of bucket; returns their number."""
    for k in range(len(bucket)):
        bucket[k] = 0
    n = 0
    for i in range(len(body)):
        if body[i, at.B_ENABLED] == 0 or anchor[i, at.A_RADIUS] >= at.UNBOUNDED:
            body[i, at.C_HOME] = -1
            continue
        level = _level_of(anchor, i)
        side = math.ldexp(1.0, level)
        home = _bucket_of(bucket, level, _cell_at(anchor[i, at.A_X], side), _cell_at(anchor[i, at.A_X + 1], side),
                          _cell_at(anchor[i, at.A_X + 2], side))
        body[i, at.C_HOME] = home
        bucket[home + 1] += 1
        n += 1
    for k in range(1, _buckets(bucket) + 1):
        bucket[k] += bucket[k - 1]
    for i in range(len(body)):
        home = body[i, at.C_HOME]
        if home >= 0:
            _place(body, anchor, bucket, i, bucket[home])
            bucket[home] += 1
    # every start has moved to the next bucket's
    for k in range(_buckets(bucket), 0, -1):
        bucket[k] = bucket[k - 1]
    bucket[0] = 0
    return n


@inlined
def _place(body, anchor, bucket, i, k):
    """Row k of the grid is body i."""
    r = anchor[i, at.A_RADIUS] + anchor[i, at.A_SKIN]
    level = _level_of(anchor, i)
    side = math.ldexp(1.0, level)
    mover = 0 if body[i, at.B_KIND] == at.STATIC else 1
    c = body[k]
    c[at.C_BODY], c[at.C_LEVEL], c[at.C_MOVER] = i, level, mover
    for f in range(3):
        c[at.C_X + f] = _cell_at(anchor[i, at.A_X + f], side)
        anchor[k, at.A_BALL + f] = anchor[i, at.A_X + f]
    anchor[k, at.A_BALL + 3] = r
    bucket[_buckets(bucket) + 1 + level - LOWEST] += 1
    bucket[_buckets(bucket) + 1 + LEVELS + level - LOWEST] += mover


@inlined
def put_pair(pairs, n, i, j):
    """Pair n of the list, where there is room; returns the number of pairs then."""
    if n < pairs.shape[1]:
        pairs[0, n, 0], pairs[0, n, 1] = min(i, j), max(i, j)
    return n + 1


@inlined
def _try_cell(body, anchor, bucket, pairs, n, k, first, level, x, y, z):
    """Grid row k against the rows of one cell, from row `first` on.  One of two bodies must move."""
    home = _bucket_of(bucket, level, x, y, z)
    for j in range(max(bucket[home], first), bucket[home + 1]):
        c = body[j]
        if c[at.C_LEVEL] != level or c[at.C_X] != x or c[at.C_X + 1] != y or c[at.C_X + 2] != z:
            continue
        d, r = sub(load3(anchor[j], at.A_BALL), load3(anchor[k], at.A_BALL)), anchor[j, at.A_BALL + 3]
        r += anchor[k, at.A_BALL + 3]
        if dot(d, d) <= r * r and c[at.C_MOVER] + body[k, at.C_MOVER] > 0:
            n = put_pair(pairs, n, body[k, at.C_BODY], c[at.C_BODY])
    return n


@inlined
def _own_level(body, anchor, bucket, pairs, n, k):
    """Row k against the later rows of its cell and those of half the neighbours, so that a pair is met once."""
    c = body[k]
    level, x, y, z = c[at.C_LEVEL], c[at.C_X], c[at.C_X + 1], c[at.C_X + 2]
    n = _try_cell(body, anchor, bucket, pairs, n, k, k + 1, level, x, y, z)
    for dx in range(2):
        for dy in range(-1 if dx else 0, 2):
            for dz in range(-1 if dx or dy else 1, 2):
                n = _try_cell(body, anchor, bucket, pairs, n, k, 0, level, x + dx, y + dy, z + dz)
    return n


@kernel
def _greater_level(body, anchor, bucket, pairs, n, k, level):
    """Row k against the bodies of a level of greater cells: those cells that a ball there could reach out of."""
    side, c = math.ldexp(1.0, level), load3(anchor[k], at.A_BALL)
    r = anchor[k, at.A_BALL + 3] + 0.5 * side
    for x in range(_cell_at(c[0] - r, side), _cell_at(c[0] + r, side) + 1):
        for y in range(_cell_at(c[1] - r, side), _cell_at(c[1] + r, side) + 1):
            for z in range(_cell_at(c[2] - r, side), _cell_at(c[2] + r, side) + 1):
                n = _try_cell(body, anchor, bucket, pairs, n, k, 0, level, x, y, z)
    return n


@kernel
def bounded_pairs(body, anchor, bucket, pairs):
    """Pairs of enabled bounded bodies, one of them moving, whose balls meet; returns how many.

    Balls: about anchor A_X, radius A_RADIUS + A_SKIN (m).  Pairs beyond the room in pairs[0] are only counted.
    """
    rows, n, top = _fill(body, anchor, bucket), 0, LOWEST + LEVELS - 1
    while top > LOWEST and _bodies_in(bucket, top, 0) == 0:
        top -= 1
    for k in range(rows):
        mover, level = body[k, at.C_MOVER], body[k, at.C_LEVEL]
        # bodies that stand still meet nothing in a level where all do
        if _bodies_in(bucket, level, 1 - mover) > 0:
            n = _own_level(body, anchor, bucket, pairs, n, k)
        for other in range(level + 1, top + 1):
            if _bodies_in(bucket, other, 1 - mover) > 0:
                n = _greater_level(body, anchor, bucket, pairs, n, k, other)
    return n
