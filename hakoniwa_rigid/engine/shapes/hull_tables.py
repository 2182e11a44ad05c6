# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Tables of a convex hull for the narrow phase: corners, faces with merged coplanar triangles, neighbours."""
from typing import NamedTuple

import numpy as np
import scipy

from ..errors import EngineError
from ..maths.matrices import dots, lengths

# relative to the hull's size: triangles whose corners lie this close to the plane of a larger one belong to its face.
# Smaller: rounding of the points splits flat faces.  Larger: true facets of fine hulls melt together.
COPLANAR = 1e-10


class HullTables(NamedTuple):
    """A hull of V corners and F faces.  Lists of lists lie end to end: list k is `what[start[k]:start[k + 1]]`."""

    vertex: np.ndarray          # (V, 3) float64 m
    link_start: np.ndarray      # (V + 1,) int64
    link: np.ndarray            # neighbours of each vertex along edges
    corner_start: np.ndarray    # (V + 1,) int64
    corner: np.ndarray          # faces around each vertex
    face_start: np.ndarray      # (F + 1,) int64
    face_vertex: np.ndarray     # corners of each face, counter-clockwise seen from outside
    face_normal: np.ndarray     # (F, 3) float64, unit, outward


def _joined(lists):
    """(start, values) of lists put end to end."""
    start = np.concatenate([[0], np.cumsum([len(x) for x in lists])]).astype(np.int64)
    return start, np.array([x for one in lists for x in one], np.int64)


def _alone(corners, hull, tolerance):
    """(T,) bool: triangles that no neighbour can share a face with, so that fine hulls need no search.

    A thousand times the tolerance, and slivers, whose own plane says little, stay for the search.
    """
    near, normal, offset = 1e3 * tolerance, hull.equations[:, :3], hull.equations[:, 3]
    sides = corners - np.roll(corners, 1, axis=1)
    sliver = lengths(np.cross(sides[:, 0], sides[:, 1])) <= near * lengths(sides).max(axis=1)
    alone = ~sliver
    for k in hull.neighbors.T:
        ahead = np.abs(dots(corners[k], normal[:, None]) + offset[:, None]).max(axis=1)
        back = np.abs(dots(corners, normal[k][:, None]) + offset[k, None]).max(axis=1)
        alone &= (np.minimum(ahead, back) > near) & ~sliver[k]
    return alone


def _groups(points, hull, tolerance):
    """Face number of each triangle, grown from the largest triangles over their coplanar neighbours."""
    corners = points[hull.simplices]
    area = lengths(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    order = np.argsort(-area, kind='stable')
    group, alone = np.full(len(corners), -1), _alone(corners, hull, tolerance)
    number = np.empty(len(corners), np.int64)
    number[order] = np.arange(len(corners))
    group[alone] = number[alone]
    for seed in order[~alone[order]]:
        if group[seed] >= 0:
            continue
        normal, offset = hull.equations[seed, :3], hull.equations[seed, 3]
        group[seed], front = number[seed], [seed]
        while front:
            for k in hull.neighbors[front.pop()]:
                if group[k] < 0 and np.abs(dots(corners[k], normal) + offset).max() <= tolerance and \
                        dots(hull.equations[k], normal) > 0.0:
                    group[k] = number[seed]
                    front.append(k)
    return group


def _loop(edges):
    """Corners along directed boundary edges, or None if they do not form a single loop."""
    after = dict(edges)
    if len(after) != len(edges):
        return None
    first = edges[0][0]
    loop = [first]
    while (k := after.get(loop[-1])) is not None and k != first:
        loop.append(k)
        if len(loop) > len(edges):
            return None
    return loop if len(loop) == len(edges) else None


def _faces(points, hull, group):
    """Corner lists of all faces; a group without a single boundary stays in triangles."""
    a, b, c = np.moveaxis(points[hull.simplices], 1, 0)
    flip = dots(np.cross(b - a, c - a), hull.equations) < 0.0
    triangles = np.where(flip[:, None], hull.simplices[:, ::-1], hull.simplices)
    faces, order = [], np.argsort(group, kind='stable')
    for some in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
        mine = triangles[some].tolist()
        if len(mine) == 1:
            faces += mine
            continue
        edges = {(t[i], t[(i + 1) % 3]) for t in mine for i in range(3)}
        loop = _loop([e for e in sorted(edges) if e[::-1] not in edges])
        faces += [loop] if loop is not None else mine
    return faces


def _normals(vertex, faces):
    """(F, 3) unit normals of polygons, counter-clockwise; Newell's sum about each one's middle."""
    start, corner = _joined(faces)
    count, p = np.diff(start), vertex[corner]
    of = np.repeat(np.arange(len(faces)), count)
    rest = p - (np.add.reduceat(p, start[:-1]) / count[:, None])[of]
    after = np.arange(1, len(corner) + 1)
    after[start[1:] - 1] = start[:-1]
    n = np.add.reduceat(np.cross(rest, rest[after]), start[:-1])
    return n / lengths(n)[:, None]


def hull_tables(points):
    """Tables of the hull of points (n, 3), m.  Raises EngineError where they span no volume."""
    points = np.asarray(points, np.float64)
    try:
        hull = scipy.spatial.ConvexHull(points)
    except (scipy.spatial.QhullError, ValueError) as e:
        raise EngineError('ConvexHull.points: must be at least four points that do not lie in one plane') from e
    faces = _faces(points, hull, _groups(points, hull, COPLANAR * np.ptp(points, axis=0).max()))
    used = np.unique(np.concatenate([np.array(f) for f in faces]))
    renumber = {int(v): k for k, v in enumerate(used)}
    faces = [[renumber[int(v)] for v in f] for f in faces]
    vertex = np.ascontiguousarray(points[used])
    links, corners = [set() for _ in used], [[] for _ in used]
    for k, f in enumerate(faces):
        for i, v in enumerate(f):
            corners[v].append(k)
            links[v].update((f[i - 1], f[(i + 1) % len(f)]))
    return HullTables(vertex, *_joined([sorted(x) for x in links]), *_joined(corners), *_joined(faces),
                      _normals(vertex, faces))
