"""A convex shape against one patch of a static mesh: the triangles near it, as one manifold.

A box that lands flat on a floor of many triangles gets the contact points of the floor, not of each triangle.
"""
from ..maths import quat
from ..maths.jit import kernel
from ..maths.vec3 import dot, load3, sub
from ..model import layout as at
from .general import collide_general
from .manifold import least_gap, put, reduce_to_four
from .mesh_query import after, next_leaf, triangles_of
from .support import triangle_normal

# 1 - cosine below which a normal counts as that of the patch, and m^2, below which two contact points are one
FACING = 1e-9
SAME_POINT = 1e-18
# features of the rows of a triangle are folded into 2^40 and told apart by the number of the triangle
FOLD, TRIANGLES = 2.0 ** 40, 4096
# rows of the manifold scratch: those kept so far, and those of the triangle in hand
KEPT, ROWS = 12, 4


@kernel
def _add(m, n, k, triangle, face, reach):
    """Row k of the triangle's rows to the n rows kept, if within reach (m).  Returns the number kept.

    The best of those that lean is kept apart in row 0.  A leaning row stands for the edge or corner of a patch; it
    counts only where it is nearer than all flat rows.
    """
    row = m[k]
    if not row[at.M_GAP] <= reach:
        return n
    flat = dot(load3(row, at.M_N), face) >= 1.0 - FACING
    for i in range(1, n):
        d = sub(load3(m[i], at.M_X), load3(row, at.M_X))
        if flat and dot(d, d) <= SAME_POINT:
            return n
    if not flat and not row[at.M_GAP] < m[0, at.M_GAP]:
        return n
    i = n if flat else 0
    feature = (row[at.M_FEATURE] % FOLD) * TRIANGLES + triangle % TRIANGLES
    put(m, i, load3(row, at.M_X), load3(row, at.M_N), row[at.M_GAP], feature)
    return n + 1 if flat else n


@kernel
def _settle(m, n):
    """Final rows from the leaning row 0 and the flat rows 1 .. n - 1; returns their number."""
    if n == 1:
        return 1
    lean = m[0, at.M_GAP]
    for f in range(at.MANIFOLD):
        m[0, f], m[n - 1, f] = m[n - 1, f], m[0, f]
    flat = n - 1
    if not lean < m[least_gap(m, flat), at.M_GAP]:
        return reduce_to_four(m, flat)
    for f in range(at.MANIFOLD):
        m[0, f] = m[flat, f]
    return 1


@kernel
def collide_patch(g, m, mesh, first, xg, qg, extent, core, xo, qo, reach):
    """Manifold of the patch of a mesh that begins with triangle `first` and a convex shape, normals mesh -> shape.

    g: Convex, m: manifold; mesh: row of `geom_i`; extent (m): of the shape about its origin, core: its core; poses of
    both shapes' frames; reach (m): triangles farther off are left out.  Where none is nearer, one row with that gap.
    Returns the number of rows, at least 1.
    """
    base, count = mesh[at.GI_FIRST], mesh[at.GI_COUNT]
    root, leaves = mesh[at.GI_ROOT], mesh[at.GI_LEAVES]
    centre, radius = quat.rotate_back(qg, sub(xo, xg)), extent + reach
    face = quat.rotate(qg, triangle_normal(g, base + at.TRIANGLE_ROWS * first))
    put(m, 0, xo, face, reach, 0.0)
    n = 1
    end = int(g.vertex[base + at.TRIANGLE_ROWS * first + 4, 1])
    leaf = next_leaf(g.vertex, root, leaves, leaves - 1 + first // at.LEAF, centre, radius)
    while leaf >= 0:
        low, high = triangles_of(leaves, count, leaf)
        if low >= end:
            break
        for triangle in range(max(low, first), min(high, end)):
            row = base + at.TRIANGLE_ROWS * triangle
            tri = (at.TRIANGLE, load3(g.vertex[row + 3], 0), row, 3)
            found = collide_general(g, m[KEPT:], tri, xg, qg, core, xo, qo)
            for k in range(KEPT, KEPT + found):
                n = _add(m, n, k, triangle, face, reach)
            if n > KEPT - ROWS:
                n = _thin(m, n)
        leaf = next_leaf(g.vertex, root, leaves, after(leaf), centre, radius)
    return _settle(m, n)


@kernel
def _thin(m, n):
    """Flat rows 1 .. n - 1 down to four; row 0 stays."""
    return 1 + reduce_to_four(m[1:], n - 1)
