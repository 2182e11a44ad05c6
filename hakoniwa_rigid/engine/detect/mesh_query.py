# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Which triangles of a static mesh a convex shape may meet.

The tree lies in the rows of `vertex` from GI_ROOT on, two corners a box, in heap order; the last GI_LEAVES boxes are
its leaves (see model.mesh_tree).  A probe is the box around the shape in the mesh's frame: (centre, half sides of the
axis-aligned box, the shape's own half axes, reach), m.
"""
from ..maths import quat
from ..maths.jit import kernel
from ..maths.vec3 import cross, dot, load3, norm, scale, sub
from ..model import layout as L

# relative to the sizes: boxes and triangles apart by less may touch but for rounding
ROUNDING = 1e-12


@kernel
def probe_of(xg, qg, xo, qo, half, reach):
    """Probe of a shape with half sides `half` (m) and pose xo, qo for a mesh with pose xg, qg; reach (m) around it."""
    a = quat.axes(quat.mul(quat.conj(qg), qo))
    a = scale(a[0], half[0]), scale(a[1], half[1]), scale(a[2], half[2])
    side = (abs(a[0][0]) + abs(a[1][0]) + abs(a[2][0]) + reach, abs(a[0][1]) + abs(a[1][1]) + abs(a[2][1]) + reach,
            abs(a[0][2]) + abs(a[1][2]) + abs(a[2][2]) + reach)
    return quat.rotate_back(qg, sub(xo, xg)), side, a, reach


@kernel
def _misses(vertex, row, probe):
    """True if the probe's box stays clear of the box whose corners begin at a row of the table."""
    c, h, low, high = probe[0], probe[1], vertex[row], vertex[row + 1]
    return (low[0] > c[0] + h[0] or high[0] < c[0] - h[0] or low[1] > c[1] + h[1] or high[1] < c[1] - h[1]
            or low[2] > c[2] + h[2] or high[2] < c[2] - h[2])


@kernel
def _looks_at(vertex, row, probe):
    """False if the probe lies wholly behind the plane of a triangle, or farther in front of it than its reach."""
    c, _, a, reach = probe
    n = load3(vertex[row + L.TRI_NORMAL], 0)
    d, r = dot(n, sub(c, load3(vertex[row], 0))), abs(dot(n, a[0])) + abs(dot(n, a[1])) + abs(dot(n, a[2]))
    return -r <= d <= r + reach


@kernel
def _parts(axis, v, a, reach):
    """Whether a triangle with corners v lies beyond the box about the origin with half axes a, and its reach, on axis.
    """
    x, y, z = dot(axis, v[0]), dot(axis, v[1]), dot(axis, v[2])
    r = abs(dot(axis, a[0])) + abs(dot(axis, a[1])) + abs(dot(axis, a[2])) + reach * norm(axis)
    r += ROUNDING * (r + abs(x))
    return min(x, min(y, z)) > r or max(x, max(y, z)) < -r


@kernel
def _part_across(axis, v, a, reach):
    """As _parts, for the cross products of an edge of the box, along `axis`, with those of the triangle."""
    return (_parts(cross(axis, sub(v[1], v[0])), v, a, reach) or _parts(cross(axis, sub(v[2], v[1])), v, a, reach)
            or _parts(cross(axis, sub(v[0], v[2])), v, a, reach))


@kernel
def _apart(vertex, row, probe):
    """True if an axis of the shape's own box, or one across an edge of it and one of the triangle, separates the two.

    With the planes of the other tests these are all that can (Gottschalk, Lin, Manocha 1996).
    """
    c, _, a, reach = probe
    v = sub(load3(vertex[row], 0), c), sub(load3(vertex[row + 1], 0), c), sub(load3(vertex[row + 2], 0), c)
    if _parts(a[0], v, a, reach) or _parts(a[1], v, a, reach) or _parts(a[2], v, a, reach):
        return True
    return _part_across(a[0], v, a, reach) or _part_across(a[1], v, a, reach) or _part_across(a[2], v, a, reach)


@kernel
def _overlaps_boxes(vertex, row, probe):
    """Whether the probe's box meets that around the triangle, and the shape's own box the triangle."""
    c, half = probe[0], probe[1]
    for f in range(3):
        x, y, z = vertex[row, f], vertex[row + 1, f], vertex[row + 2, f]
        if min(x, min(y, z)) > c[f] + half[f] or max(x, max(y, z)) < c[f] - half[f]:
            return False
    return _looks_at(vertex, row, probe) and not _apart(vertex, row, probe)


@kernel
def _next_leaf(vertex, root, leaves, box, probe):
    """First leaf, from `box` on, that the probe meets, in the order of the triangles; -1 if none is left.

    The walk goes through the heap-ordered tree depth first: a box that the probe misses is left with all below it.
    """
    while box >= 0:
        if _misses(vertex, root + 2 * box, probe):
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
    first = (leaf - leaves + 1) * L.LEAF
    return first, min(first + L.LEAF, count)


@kernel
def next_near(vertex, mesh, probe, triangle):
    """First triangle from `triangle` on that the probe may meet, or -1.  mesh: its row of `geom_i`."""
    base, count, root, leaves = mesh[L.GI_FIRST], mesh[L.GI_COUNT], mesh[L.GI_ROOT], mesh[L.GI_LEAVES]
    if triangle >= count:
        return -1
    leaf = 0 if triangle == 0 else leaves - 1 + triangle // L.LEAF
    leaf = _next_leaf(vertex, root, leaves, leaf, probe)
    while leaf >= 0:
        low, high = triangles_of(leaves, count, leaf)
        for k in range(max(low, triangle), high):
            if _overlaps_boxes(vertex, base + L.TRIANGLE_ROWS * k, probe):
                return k
        leaf = _next_leaf(vertex, root, leaves, after(leaf), probe)
    return -1
