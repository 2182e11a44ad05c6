# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Further hulls and meshes for a world that runs.  Each is kept once and for good, as shapes that were seen are likely
to come again.  What is there stays where it is, so that states which were saved before remain valid."""
import numpy as np

from ..errors import CapacityError
from ..shapes.kinds import HULL, MESH
from . import layout as L

# rows of the table (24 MB): beyond, hulls and meshes that were never seen are refused
MOST_ROWS = 1_000_000


class SolidTable:
    """Where hulls and meshes are in `convex`, by what they are."""

    def __init__(self, s):
        self.convex, self._first = s.convex, {}
        for row in _solid_rows(s.geom_i):
            self._first.setdefault(_key(row, self.convex), int(row[L.GI_FIRST]))

    def place(self, geometry):
        """geom_i of a geometry of its own, of which hulls and meshes are in this table now.  CapacityError."""
        out = geometry.geom_i.copy()
        for k, row in enumerate(geometry.geom_i):
            if row[L.GI_TYPE] in (HULL, MESH):
                key = _key(row, geometry.convex)
                if key not in self._first:
                    self._first[key] = self._append(row, geometry.convex)
                shift = self._first[key] - row[L.GI_FIRST]
                out[k, L.GI_FIRST] += shift
                out[k, L.GI_ROOT] += shift if row[L.GI_TYPE] == MESH else 0
        return out

    def _append(self, row, other):
        """The rows of a solid of another table at the end of this one: where they begin."""
        vertices, convex = other.vertex[_range(row)], self.convex
        first = len(convex.vertex)
        if first + len(vertices) > MOST_ROWS:
            raise CapacityError(f'shape: has {len(vertices)} rows of corners or triangles; with those of the hulls and '
                                f'meshes that the world has seen, {first}, these are more than {MOST_ROWS}')
        change = {'vertex': np.concatenate([convex.vertex, vertices])}
        if row[L.GI_TYPE] == HULL:
            change['topology'] = _joined(convex, first, other, row)
            change['face_normal'] = np.concatenate([convex.face_normal, other.face_normal[_faces(other, row)]])
        self.convex = convex._replace(**change)
        return first


def _solid_rows(geom_i):
    return geom_i[(geom_i[:, L.GI_TYPE] == HULL) | (geom_i[:, L.GI_TYPE] == MESH)]


def _range(row):
    """Rows of `vertex` of a hull, or of a mesh with its tree."""
    first, end = row[L.GI_FIRST], row[L.GI_FIRST] + row[L.GI_COUNT]
    return slice(first, end if row[L.GI_TYPE] == HULL else row[L.GI_ROOT] + 2 * (2 * row[L.GI_LEAVES] - 1))


def _key(row, convex):
    return int(row[L.GI_TYPE]), convex.vertex[_range(row)].tobytes()


def _lists(convex):
    """Of the topology: lengths and values of the neighbours of each vertex, of the faces around it, of the corners of
    each face."""
    t, v, f = convex.topology, int(convex.topology[0]), len(convex.face_normal)
    starts = t[1:v + 2], t[v + 2:2 * v + 3], t[2 * v + 3:2 * v + 4 + f]
    return [(np.diff(s), t[s[0]:s[-1]]) for s in starts]


def _own(lists, row):
    """The lists of one hull, with its vertices and faces counted from 0."""
    first, n = int(row[L.GI_FIRST]), int(row[L.GI_COUNT])
    (links, link), (around, face), (corners, corner) = lists
    faces = np.unique(face[around[:first].sum():around[:first + n].sum()])
    low, high = int(faces[0]), int(faces[-1]) + 1
    return [(links[first:first + n], link[links[:first].sum():links[:first + n].sum()] - first),
            (around[first:first + n], face[around[:first].sum():around[:first + n].sum()] - low),
            (corners[low:high], corner[corners[:low].sum():corners[:high].sum()] - first)], slice(low, high)


def _faces(convex, row):
    return _own(_lists(convex), row)[1]


def _joined(convex, first, other, row):
    """The topology with that of a hull whose vertices begin at `first`; rows of meshes before it have none."""
    own, faces = _own(_lists(other), row)[0], len(convex.face_normal)
    idle = np.zeros(first - int(convex.topology[0]), np.int64)
    lists = []
    for (lengths, values), (more, further), offset, between in zip(
            _lists(convex), own, (first, faces, first), (idle, idle, idle[:0]), strict=True):
        lists.append((np.concatenate([lengths, between, more]), np.concatenate([values, further + offset])))
    begin, starts = 1 + sum(len(lengths) + 1 for lengths, _ in lists), []
    for lengths, values in lists:
        starts.append(begin + np.concatenate([[0], np.cumsum(lengths)]))
        begin += len(values)
    return np.concatenate([[first + len(own[0][0])], *starts, *(values for _, values in lists)]).astype(np.int64)
