"""Which triangles of a static mesh a ball may meet.

The tree lies in the rows of `vertex` from `root` on, two corners a box, in heap order; the last `leaves` boxes are its
leaves (see model.mesh_tree).
"""
from ..maths.jit import kernel
from ..model import layout as at


@kernel
def _misses(vertex, row, c, r):
    """True if the ball about c with radius r stays clear of the box whose corners begin at a row of the table."""
    d = 0.0
    for f in range(3):
        out = max(vertex[row, f] - c[f], c[f] - vertex[row + 1, f])
        if out > 0.0:
            d += out * out
    return not d <= r * r


@kernel
def next_leaf(vertex, root, leaves, box, c, r):
    """First leaf, from `box` on, that the ball meets, in the order of the triangles; -1 if none is left.

    c (m, mesh frame), r (m): the ball.  The walk goes through the heap-ordered tree depth first: a box that the ball
    misses is left with all below it.  Begin with box 0, or the leaf of a triangle; go on with `after` the last leaf.
    """
    while box >= 0:
        if _misses(vertex, root + 2 * box, c, r):
            box = after(box)
        elif box >= leaves - 1:
            return box
        else:
            box = 2 * box + 1
    return -1


@kernel
def after(box):
    """The next box, depth first, that is not below this one; -1 after the last."""
    while box > 0 and box % 2 == 0:
        box = (box - 1) // 2
    return box + 1 if box > 0 else -1


@kernel
def triangles_of(leaves, count, leaf):
    """First triangle of a leaf and the one after its last; count: triangles of the mesh."""
    first = (leaf - leaves + 1) * at.LEAF
    return first, min(first + at.LEAF, count)
