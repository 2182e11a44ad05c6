# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The convex hull of points."""
from dataclasses import dataclass, field

import numpy as np
import scipy  # its parts are loaded where they are used: 0.2 s that most worlds need not

from ..constants import STRAIGHT
from ..errors import VolumeError
from ..maths.matrices import dots, lengths
from .arrays import ArrayShape, flat, points, winding
from .edges import is_closed, sorted_edges
from .kinds import HULL


@dataclass(frozen=True, eq=False, repr=False)
class ConvexHull(ArrayShape):
    """Hull of points (n, 3) m, inner and repeated ones allowed.

    vertices (V, 3) m are those of the points that are corners, faces (F, 3) their indices, counter-clockwise as seen
    from outside.  VolumeError if the points lie in a plane.
    """

    points: np.ndarray
    vertices: np.ndarray = field(init=False)
    faces: np.ndarray = field(init=False)
    kind = HULL
    word = 'convex_hull'

    def __post_init__(self):
        object.__setattr__(self, 'points', points('ConvexHull.points', self.points))
        vertices, faces = _hull(self.points)
        for name, a in (('vertices', vertices), ('faces', faces)):
            a.setflags(write=False)
            object.__setattr__(self, name, a)

    def bounding_radius(self):
        return float(lengths(self.vertices).max())

    def holds(self, p, margin=0.0):
        return winding(self, p) > 0


def _hull(p):
    """Corners and outward faces of the hull; Qhull (Barber et al. 1996) works about the middle of the points."""
    if len(p) < 4:
        raise VolumeError(f'ConvexHull.points: must be 4 or more to have a volume, got {len(p)}')
    middle = 0.5 * (p.min(axis=0) + p.max(axis=0))
    try:
        hull = scipy.spatial.ConvexHull(p - middle)
    except scipy.spatial.QhullError:
        raise _without_volume(p) from None
    if flat(hull.volume, p):
        raise _without_volume(p)
    faces = _outward(p, hull)
    used, faces = np.unique(faces, return_inverse=True)
    return p[used], faces.reshape(-1, 3)


def _outward(p, hull):
    """Faces of the hull, counter-clockwise as seen from outside.

    Qhull leaves the order of a face's corners open, but gives its outward normal.
    """
    faces = hull.simplices.astype(np.int64)
    a, b, c = np.moveaxis(p[faces], 1, 0)
    normals = np.cross(b - a, c - a)
    inward = dots(normals, hull.equations[:, :3]) < 0.0
    faces[inward] = faces[inward, ::-1]
    if not is_closed(sorted_edges(faces)):
        # slivers between points on a line have no normal to speak of: they follow their neighbours
        _follow(faces, hull.neighbors, int(dots(normals, normals).argmax()))
    return faces


def _follow(faces, neighbours, first):
    """Turn faces, in place, so that each runs along its edges against its neighbours; neighbours (F, 3)."""
    seen, queue = {first}, [first]
    for face in queue:
        corners = faces[face].tolist()
        edges = set(zip(corners, corners[1:] + corners[:1], strict=True))
        for other in neighbours[face].tolist():
            if other not in seen:
                a, b, c = faces[other].tolist()
                if edges & {(a, b), (b, c), (c, a)}:
                    faces[other] = faces[other, ::-1]
                seen.add(other)
                queue.append(other)


def _without_volume(p):
    spread = np.linalg.svd(p - p.mean(axis=0), compute_uv=False)
    directions = int((spread > STRAIGHT * max(spread[0], np.abs(p).max())).sum())
    where = ('at one point', 'on a line', 'in a plane')[min(directions, 2)]
    return VolumeError(f'ConvexHull.points: all {len(p)} lie {where}: the hull has no volume')
