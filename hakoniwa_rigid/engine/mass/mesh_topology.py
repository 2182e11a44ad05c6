# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Is a triangle mesh a closed surface, wound outward?  Every check is a few passes over arrays."""
import numpy as np
import scipy

from ..constants import CAVITY_PROBE
from ..errors import InvertedMeshError, OpenMeshError, WindingError
from ..shapes.arrays import flat
from ..shapes.edges import ends, is_closed, sorted_edges
from .polyhedron import corners, polyhedron_body, surface_integrals, triple_product

# corners of a part that are tried before it is said to lie within solid
CORNERS_LOOKED_AT = 64


def mesh_body(mesh):
    """Body of unit density of a TriangleMesh.

    Errors: OpenMeshError, WindingError (an edge has not exactly two faces that run along it opposite ways),
    VolumeError (nothing inside), InvertedMeshError (the mesh, or a closed part of it that is no cavity, has a negative
    volume).  Parts that share a vertex count as one.
    """
    edges = sorted_edges(mesh.faces)
    check_edges(mesh.faces, edges)
    integrals = surface_integrals(mesh.vertices, mesh.faces)
    if integrals.volume < 0.0 and not integrals.flat:
        raise InvertedMeshError(f'TriangleMesh: volume {integrals.volume:g} m^3: its faces run clockwise as seen from '
                                'outside; reverse each face: faces[:, ::-1]')
    check_parts(mesh, part_labels(len(mesh.vertices), *ends(edges[::2])))
    return polyhedron_body('TriangleMesh', integrals)


def check_edges(faces, keys):
    """OpenMeshError or WindingError, naming the first edge that has not two faces running along it opposite ways."""
    if is_closed(keys):
        return
    edges, first, count = np.unique(keys >> 1, return_index=True, return_counts=True)
    wrong = np.flatnonzero(count != 2)
    if len(wrong):
        raise _open_error(faces, _edge(2 * edges[wrong[0]]), len(wrong))
    same = np.flatnonzero(keys[first] == keys[first + 1])
    edge = _edge(keys[first[same[0]]])
    a, b = _faces_at(faces, edge)
    raise WindingError(
        f'TriangleMesh: faces[{a}] and faces[{b}] run along edge {edge} the same way, so one of them is inside out '
        f'({len(same)} such edges): list the corners of every face counter-clockwise as seen from outside', edge)


def _open_error(faces, edge, count):
    at = _faces_at(faces, edge)
    if len(at) == 1:
        what, remedy = f'only faces[{at[0]}]', 'close the hole, or merge vertices that repeat a position'
    else:
        what, remedy = f'faces {at}', 'drop repeated faces, and give bodies that touch along an edge their own vertices'
    return OpenMeshError(f'TriangleMesh: edge {edge} belongs to {what}, but on a closed surface every edge has exactly '
                         f'two faces ({count} edges have not): {remedy}', edge)


def _edge(key):
    smaller, larger = ends(key)
    return int(smaller), int(larger)


def _faces_at(faces, edge):
    """Indices of the faces that have both vertices."""
    has = (faces == edge[0]).any(axis=1) & (faces == edge[1]).any(axis=1)
    return np.flatnonzero(has).tolist()


def part_labels(count, smaller, larger):
    """(count,) int: the smallest vertex that each vertex hangs together with, over the edges given by their ends.

    smaller (E,): ascending, so that the edges are the rows of a sparse matrix as they stand.
    """
    rows = np.zeros(count + 1, np.int32)
    np.cumsum(np.bincount(smaller, minlength=count), out=rows[1:])
    graph = scipy.sparse.csr_array((np.ones(len(larger), np.int8), larger.astype(np.int32), rows), shape=(count, count))
    parts, part = scipy.sparse.csgraph.connected_components(graph, directed=True, connection='weak')
    smallest = np.empty(parts, np.int64)
    smallest[part[::-1]] = np.arange(count)[::-1]
    return smallest[part]


def check_parts(mesh, label):
    """InvertedMeshError if a closed part is wound the wrong way for where it lies.

    A part of negative volume must be a cavity, with solid around it; one of positive volume must not lie within solid,
    where it would count twice (the shell of a cavity that looks outward).  Parts that overlap and stick out are left
    alone.  label (V,): the part of each vertex, by its smallest vertex.
    """
    root = label[mesh.faces[:, 0]]
    if (root == root[0]).all():
        return
    order = np.argsort(root, kind='stable')
    starts = np.flatnonzero(np.diff(root[order], prepend=-1))
    faces = mesh.faces[order]
    # each about a vertex of its own: small parts far away keep their sign
    local = np.ascontiguousarray((mesh.vertices - mesh.vertices[label]).T)
    volumes = np.add.reduceat(triple_product(*corners(local, faces)), starts) / 6.0
    boxes = _boxes(mesh.vertices, faces, starts)
    points = _points_inside(mesh.vertices, faces, starts, np.where(volumes < 0.0, 1.0, -1.0))
    around = _containers(boxes, points, volumes < 0.0)
    pieces = np.split(faces, starts[1:])
    for part in np.flatnonzero(~flat(volumes, boxes)):
        inward, shells = volumes[part] < 0.0, around.get(part, [])
        shells = np.concatenate([pieces[k] for k in shells]) if len(shells) else np.zeros((0, 3), np.int64)
        solid = _winding_number(mesh.vertices, shells, points[part]) >= 1
        if solid != inward and (inward or _is_within(mesh.vertices, pieces[part], shells)):
            raise InvertedMeshError(
                f'TriangleMesh: the closed part of {len(pieces[part])} faces around faces[{order[starts[part]]}] '
                + (f'is inside out (volume {volumes[part]:g} m^3) and nothing solid is around it, so it is no cavity; '
                   if inward else 'lies inside solid and would count twice; if it is a cavity, ')
                + 'reverse its faces')


def _boxes(vertices, faces, starts):
    """(P, 2, 3) m: low and high corner of the box around each part; the parts' faces begin at starts (P,)."""
    a, b, c = corners(vertices.T, faces)
    return np.stack([np.minimum.reduceat(np.minimum(np.minimum(a, b), c), starts, axis=1).T,
                     np.maximum.reduceat(np.maximum(np.maximum(a, b), c), starts, axis=1).T], axis=1)


def _points_inside(vertices, faces, starts, side):
    """(P, 3) m: just inside the largest face of each part; side (P,): 1 if its faces look inward, -1 if outward."""
    a, b, c = corners(vertices.T, faces)
    normals = np.cross(b - a, c - a, axis=0)
    sizes = np.sqrt((normals ** 2).sum(axis=0))
    largest = np.repeat(np.maximum.reduceat(sizes, starts), np.diff(starts, append=len(faces)))
    found = np.flatnonzero(sizes == largest)
    k = found[np.searchsorted(found, starts)]
    step = side * CAVITY_PROBE / np.sqrt(np.maximum(sizes[k], np.finfo(np.float64).tiny))
    return ((a[:, k] + b[:, k] + c[:, k]) / 3.0 + step * normals[:, k]).T


def _containers(boxes, points, inward):
    """Of each part its point's containers: {part: others whose box (2, 3) holds the point}.

    An outward part is left out unless its whole box lies in one of them.
    """
    low, high = boxes[:, 0], boxes[:, 1]
    # cubes a little larger than the boxes, and among what they hold the exact answer
    near = scipy.spatial.cKDTree(points).query_ball_point(0.5 * (low + high), 0.51 * (high - low).max(axis=1), p=np.inf)
    other = np.repeat(np.arange(len(boxes)), [len(n) for n in near])
    part = np.concatenate(near).astype(np.int64)
    holds = ((low[other] <= points[part]) & (points[part] <= high[other])).all(axis=1) & (part != other)
    part, other = part[holds], other[holds]
    whole = ((low[other] <= low[part]) & (high[part] <= high[other])).all(axis=1)
    wanted = inward | (np.bincount(part[whole], minlength=len(boxes)) > 0)
    part, other = part[wanted[part]], other[wanted[part]]
    order = np.argsort(part, kind='stable')
    which, first = np.unique(part[order], return_index=True)
    return dict(zip(which.tolist(), np.split(other[order], first[1:]), strict=True)) if len(which) else {}


def _is_within(vertices, faces, shells):
    """Whether the corners of some faces, up to CORNERS_LOOKED_AT of them, all lie in the solid within the shells."""
    step = -(-faces.size // CORNERS_LOOKED_AT)
    return all(_winding_number(vertices, shells, vertices[k]) >= 1 for k in np.unique(faces.ravel()[::step]))


def _winding_number(vertices, faces, point):
    """How many times the faces (F, 3) are wound around point (3,): a ray along z counts what it leaves.

    Whether a triangle lies over the point is decided edge by edge, with a value that its neighbour computes with the
    opposite sign, to the last bit: a ray through an edge or a vertex is counted once.
    """
    above = vertices[:, 1].take(faces.T) > point[1]
    near = (above[0] != above[1]) | (above[0] != above[2])
    above = above[:, near]
    points = [x - point[:, None] for x in corners(vertices.T, faces[near])]
    turns = np.zeros(np.count_nonzero(near), np.int64)
    for i in range(3):
        start, end = points[i], points[i - 2]
        side = start[0] * end[1] - start[1] * end[0]
        turns += ~above[i] & above[i - 2] & (side > 0.0)
        turns -= above[i] & ~above[i - 2] & (side < 0.0)
    return int(turns[triple_product(*points) * turns > 0.0].sum())
