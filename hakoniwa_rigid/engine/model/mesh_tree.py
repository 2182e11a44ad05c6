# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Tables of a static mesh: its triangles in patches, what their edges allow, and a tree of boxes over them.

A patch is a connected set of triangles in one plane: a wall is one patch, however it is cut.  Patches, and triangles
within them, are put in Morton order (Lauterbach et al., "Fast BVH construction on GPUs", Eurographics 2009), and four
neighbours share a leaf.  The tree is complete and lies in heap order, children of box k at 2k + 1 and 2k + 2: it is
built and walked without pointers.
"""
from typing import NamedTuple

import numpy as np
import scipy

from ..constants import LEAST_DIVISOR
from ..maths.matrices import dots, lengths
from ..maths.pointwise import atan2
from . import layout as L

# rad: normals of neighbours that differ by less lie in one plane; relative to its size, how far from its plane a patch
# may get, whose size counts as no less than this (m)
FLAT = 1e-7
WARP, LEAST_PATCH = 1e-9, 1e-3


class MeshTables(NamedTuple):
    """T triangles in the order of the leaves, and their boxes."""

    rows: np.ndarray            # (T, TRIANGLE_ROWS, 3), see model.layout
    order: np.ndarray           # (T,) index of each in the user's mesh
    box: np.ndarray             # (2 leaves - 1, 6) m, low and high corner; empty boxes are inside out
    leaves: int                 # a power of two


def _spread(x):
    """The lowest 21 bits of x, two zeros between each."""
    for shift, mask in ((32, 0x1f00000000ffff), (16, 0x1f0000ff0000ff), (8, 0x100f00f00f00f00f),
                        (4, 0x10c30c30c30c30c3), (2, 0x1249249249249249)):
        x = (x | (x << np.uint64(shift))) & np.uint64(mask)
    return x


def _morton(points):
    """Place of (T, 3) points along a space-filling curve."""
    low = points.min(axis=0)
    size = max((points.max(axis=0) - low).max(), LEAST_DIVISOR)
    cell = np.minimum((points - low) / size * 2**21, 2**21 - 1).astype(np.uint64)
    return _spread(cell[:, 0]) | (_spread(cell[:, 1]) << np.uint64(1)) | (_spread(cell[:, 2]) << np.uint64(2))


def _normals(corners):
    n = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = lengths(n)[:, None]
    return np.divide(n, length, out=np.tile([0.0, 0.0, 1.0], (len(n), 1)), where=length > 0.0)


def _neighbours(faces):
    """(E, 2) pairs of half-edges 3 t + i that run along one edge in opposite directions, two triangles there in all."""
    a, b = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    key = np.minimum(a, b) * (faces.max() + 1) + np.maximum(a, b)
    order = np.argsort(key, kind='stable')
    key = key[order]
    first = np.concatenate([[True], key[1:] != key[:-1]])
    starts = np.flatnonzero(first)
    two = starts[np.diff(np.append(starts, len(key))) == 2]
    pairs = np.stack([order[two], order[two + 1]], axis=1)
    return pairs[a[pairs[:, 0]] == b[pairs[:, 1]]]


def edges_of(vertices, faces):
    """Limits (T, 3) rad of the edges v0-v1, v1-v2, v2-v0, and the patch (T,) of each triangle.

    A normal may lean out over an edge by the angle between the normals on its two sides where the mesh is convex, not
    at all where it is flat or concave, and by pi/2 at its rim.
    """
    corners = vertices[faces]
    normals, pairs = _normals(corners), _neighbours(faces)
    t, other = pairs[:, 0] // 3, pairs[:, 1] // 3
    angle = atan2(lengths(np.cross(normals[t], normals[other])), dots(normals[t], normals[other]))
    opposite = corners[other, (pairs[:, 1] + 2) % 3]
    convex = dots(opposite - corners[t, pairs[:, 0] % 3], normals[t]) < 0.0
    limits = np.full(faces.size, 0.5 * np.pi)
    limits[pairs] = np.where(convex & (angle > FLAT), angle, 0.0)[:, None]
    flat = angle <= FLAT
    links = scipy.sparse.coo_array((np.ones(flat.sum()), (t[flat], other[flat])), shape=(len(faces), len(faces)))
    return limits.reshape(-1, 3), by_first(scipy.sparse.csgraph.connected_components(links, directed=False)[1])


def by_first(label):
    """Labels (n,) from 0 on, numbered by where each comes first: whoever found what belongs together, and in which
    order, the numbers are the same."""
    _, first, label = np.unique(label, return_index=True, return_inverse=True)
    number = np.empty(len(first), np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return number[label.ravel()]


def _flat_patches(corners, patch):
    """Patches (T,) of which each lies in one plane, and the triangle of each that is the largest, which gives it.

    Neighbours that turn by next to nothing add up: a patch that leaves its plane is taken apart into triangles.
    """
    n = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    order = np.lexsort((-dots(n, n), patch))
    largest = order[np.flatnonzero(np.diff(patch[order], prepend=-1))]
    normal, origin = _normals(corners[largest])[patch], corners[largest, 0][patch]
    off = np.abs(dots(corners - origin[:, None], normal[:, None])).max(axis=1)
    size = np.abs(corners - origin[:, None]).max(axis=(1, 2))
    warped = np.zeros(len(largest), bool)
    warped[patch[off > WARP * np.maximum(size, LEAST_PATCH)]] = True
    alone = np.flatnonzero(warped[patch])
    patch = patch.copy()
    patch[alone] = len(largest) + np.arange(len(alone))
    patch = np.unique(patch, return_inverse=True)[1]
    order = np.lexsort((-dots(n, n), patch))
    return patch, order[np.flatnonzero(np.diff(patch[order], prepend=-1))]


def mesh_tables(vertices, faces):
    """MeshTables of vertices (V, 3) m and faces (T, 3)."""
    limits, patch = edges_of(vertices, faces)
    patch, largest = _flat_patches(vertices[faces], patch)
    centres = vertices[faces].mean(axis=1)
    members = np.bincount(patch)
    middle = np.stack([np.bincount(patch, centres[:, k]) for k in range(3)], axis=1) / members[:, None]
    rank = np.empty(len(members), np.int64)
    rank[np.argsort(_morton(middle), kind='stable')] = np.arange(len(members))
    order = np.lexsort((_morton(centres), rank[patch]))
    ends = np.cumsum(np.bincount(rank[patch]))
    rows = np.zeros((len(faces), L.TRIANGLE_ROWS, 3))
    rows[:, :3], rows[:, L.TRI_LIMITS] = vertices[faces[order]], limits[order]
    rows[:, L.TRI_PATCH, 1] = ends[rank[patch[order]]]
    rows[:, L.TRI_PATCH, 0] = rows[:, L.TRI_PATCH, 1] - members[patch[order]]
    rows[:, L.TRI_PATCH, 2] = np.argsort(order)[largest[patch[order]]]
    rows[:, L.TRI_NORMAL] = _normals(vertices[faces[order]])
    return MeshTables(rows, order, *_tree(rows[:, :3]))


def _tree(corners):
    """Boxes and number of leaves over (T, 3, 3) triangles in order."""
    leaves = 1 << max(int(np.ceil(len(corners) / L.LEAF)) - 1, 0).bit_length()
    box = np.empty((2 * leaves - 1, 6))
    box[:, :3], box[:, 3:] = np.inf, -np.inf
    starts = np.arange(0, len(corners), L.LEAF)
    rows = box[leaves - 1:leaves - 1 + len(starts)]
    rows[:, :3] = np.minimum.reduceat(corners.min(axis=1), starts)
    rows[:, 3:] = np.maximum.reduceat(corners.max(axis=1), starts)
    first = leaves - 1
    while first > 0:
        parent = (first - 1) // 2
        left, right = box[first:2 * first + 1:2], box[first + 1:2 * first + 2:2]
        box[parent:first, :3] = np.minimum(left[:, :3], right[:, :3])
        box[parent:first, 3:] = np.maximum(left[:, 3:], right[:, 3:])
        first = parent
    return box, leaves
