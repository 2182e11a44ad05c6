# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Which shapes lie beside each other and stand still against each other: all static ones, and the parts of one body."""
import numpy as np

from ..constants import LANES
from ..maths.matrices import dots, times
from ..maths.quat import conj_rows, mul_rows, rotate_rows
from ..shapes.kinds import BOX, CONE, CYLINDER, FRUSTUM, HALFSPACE, HULL, MESH, UNBOUNDED
from . import layout as L

# m: boxes around shapes this close count as neighbours; what touches is decided where contacts are
CLOSE = 1e-8
# shapes that may hide contacts of their neighbours: those with flat faces
FLAT = BOX, HULL, CYLINDER, CONE, FRUSTUM, HALFSPACE


def _matrices(q):
    """(N, 3, 3) rotations of (N, 4) quaternions."""
    return np.stack([rotate_rows(q, np.tile(e, (len(q), 1))) for e in np.eye(3)], axis=2)


def _pairs(low, high):
    """(K, 2) indices of boxes (N, 3) that overlap, each pair once: sorted along the axis of the widest spread."""
    axis = int(np.argmax(np.ptp(low, axis=0)))
    order = np.argsort(low[:, axis], kind='stable')
    start, found = low[order, axis], []
    for k, i in enumerate(order):
        others = order[k + 1:np.searchsorted(start, high[i, axis] + CLOSE, side='right')]
        near = (low[others] <= high[i] + CLOSE).all(axis=1) & (low[i] <= high[others] + CLOSE).all(axis=1)
        found += [np.column_stack((np.full(near.sum(), i), others[near]))]
    return np.concatenate([np.zeros((0, 2), np.int64), *found])


def _neighbours(kind, half, x, q, planes):
    """(K, 2): shape, and one beside it, by their poses in one frame."""
    turn = _matrices(q)
    reach = times(np.abs(turn), half)
    bounded = np.flatnonzero((kind != HALFSPACE) & (kind != MESH))
    pairs = bounded[_pairs((x - reach)[bounded], (x + reach)[bounded])] if len(bounded) > 1 else np.zeros((0, 2), int)
    both = np.concatenate((pairs, pairs[:, ::-1]))
    both = both[np.isin(kind[both[:, 1]], FLAT)]
    on_plane = [np.column_stack((touching, np.full(len(touching), p))) for p, n in planes
                for touching in [bounded[dots(x[bounded] - x[p], n) - dots(reach[bounded], np.abs(n)) <= CLOSE]]]
    return np.concatenate([both, *on_plane]).astype(np.int64)


def neighbour_table(shapes, geom, geom_i, x, q):
    """Rows of `beside` for the shapes (N,), numbered by their places among these, at poses x, q in one frame; their
    counts and axes."""
    kind, half = geom_i[shapes, L.GI_TYPE], geom[shapes, L.G_HALF:L.G_HALF + 3]
    planes = [(k, rotate_rows(q[k:k + 1], geom[shapes[k:k + 1], L.G_SIZE:L.G_SIZE + 3])[0])
              for k in np.flatnonzero(kind == HALFSPACE)]
    pairs = _neighbours(kind, half, x, q, planes)
    axis = np.argmax(half, axis=1)
    if not len(pairs):
        return np.zeros((0, L.BESIDE)), np.zeros(len(shapes), np.int64), axis
    one, other = pairs.T
    back, rows = conj_rows(q[one]), np.zeros((len(pairs), L.BESIDE))
    rows[:, L.K_SHAPE] = other
    rows[:, L.K_X:L.K_X + 3] = rotate_rows(back, x[other] - x[one])
    rows[:, L.K_Q:L.K_Q + 4] = mul_rows(back, q[other])
    along = np.take_along_axis(times(np.abs(_matrices(rows[:, L.K_Q:L.K_Q + 4])), half[other]), axis[one][:, None],
                               axis=1)[:, 0]
    middle = np.take_along_axis(rows[:, L.K_X:L.K_X + 3], axis[one][:, None], axis=1)[:, 0]
    unbounded = kind[other] == HALFSPACE
    rows[:, L.K_LOW] = np.where(unbounded, -UNBOUNDED, middle - along - CLOSE)
    reach = np.where(unbounded, UNBOUNDED, middle + along + CLOSE)
    order = np.lexsort((rows[:, L.K_LOW], one))
    rows, reach, one = rows[order], reach[order], one[order]
    counts = np.bincount(one, minlength=len(shapes))
    rows[:, L.K_REACH] = np.concatenate([np.maximum.accumulate(r) for r in np.split(reach, np.cumsum(counts)[:-1])])
    return rows, counts, axis


def _groups(body, geom_i):
    """Shapes that stand still against each other: static ones that meet the same bodies, and the parts of others."""
    owner, several = geom_i[:, L.GI_BODY], (body[:, L.B_GEOMS] - body[:, L.B_GEOM] > 1)
    place = np.arange(len(geom_i))      # rows of bodies that are others by now are of no body
    fixed = ((body[owner, L.B_KIND] == L.STATIC) & (place >= body[owner, L.B_GEOM]) & (place < body[owner, L.B_GEOMS]))
    groups = body[owner][:, [L.B_GROUP, L.B_MASK]]
    for meets in np.unique(groups[fixed], axis=0):
        yield np.flatnonzero(fixed & (groups == meets).all(axis=1))
    for i in np.flatnonzero(several & (body[:, L.B_KIND] != L.STATIC)):
        yield np.arange(body[i, L.B_GEOM], body[i, L.B_GEOMS])


def find_seams(block, body, geom, geom_i):
    """Table of the neighbours of all shapes; notes in geom_i where each has its own.

    Poses of static bodies are those in `block`.  O(n log n) for shapes of a size.
    """
    geom_i[:, [L.GI_BESIDE, L.GI_BESIDES]] = 0
    tables, first, known = [np.zeros((0, L.BESIDE))], 0, {}
    for shapes in _groups(body, geom_i):
        if len(shapes) < 2:
            continue
        x, q = geom[shapes, L.G_X:L.G_X + 3], geom[shapes, L.G_Q:L.G_Q + 4]
        i = geom_i[shapes, L.GI_BODY]
        if body[i[0], L.B_KIND] == L.STATIC:
            pose = np.stack([block[i // LANES, f * LANES + i % LANES] for f in range(L.H_X, L.H_Q + 4)], axis=1)
            x, q = pose[:, :3] + rotate_rows(pose[:, 3:], x), mul_rows(pose[:, 3:], q)
        # of bodies that are alike once
        key = tuple(a.tobytes() for a in (x, q, geom[shapes], geom_i[shapes, L.GI_TYPE]))
        if key not in known:
            known[key] = neighbour_table(shapes, geom, geom_i, x, q)
        rows, counts, axis = known[key]
        rows = rows.copy()
        rows[:, L.K_SHAPE] = shapes[rows[:, L.K_SHAPE].astype(np.int64)]
        geom_i[shapes, L.GI_BESIDE] = first + np.cumsum(counts) - counts
        geom_i[shapes, L.GI_BESIDES], geom_i[shapes, L.GI_AXIS] = counts, axis
        tables.append(rows)
        first += len(rows)
    return np.concatenate(tables)


def with_seams(s):
    """Arrays s with the neighbours of all shapes where static bodies have been set anew."""
    return s._replace(beside=find_seams(s.block, s.body, s.geom, s.geom_i))
