"""Is a triangle mesh a closed surface, wound outward?  Every check is a few passes over arrays."""
import numpy as np

from ..constants import CAVITY_PROBE
from ..errors import InvertedMeshError, OpenMeshError, WindingError
from ..shapes.arrays import flat
from ..shapes.edges import ends, is_closed, sorted_edges
from .polyhedron import corners, polyhedron_body, surface_integrals, triple_product


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

    Every vertex points to a smaller neighbour, chains of pointers are shortened to their end, and what is left of the
    edges joins the ends: each round halves the number of ends at least (Shiloach and Vishkin 1982).
    """
    label = np.arange(count, dtype=np.int32)
    smaller, larger = smaller.astype(np.int32), larger.astype(np.int32)
    while len(smaller):
        label[larger] = smaller
        label = _shortened(label)
        one, other = label[smaller], label[larger]
        left = one != other
        one, other = one[left], other[left]
        smaller, larger = np.minimum(one, other), np.maximum(one, other)
    return label


def _shortened(label):
    while True:
        further = label[label]
        if np.array_equal(further, label):
            return label
        label = further


def check_parts(mesh, label):
    """InvertedMeshError if a closed part is wound the wrong way for where it lies.

    A part of negative volume must be a cavity, with solid around it; one of positive volume must not lie in solid,
    where it would count twice (the shell of a cavity that looks outward).  label (V,): the part of each vertex, by its
    smallest vertex.
    """
    root = label[mesh.faces[:, 0]]
    parts = np.flatnonzero(np.bincount(root))
    if len(parts) == 1:
        return
    # each about a vertex of its own: small parts far away keep their sign
    local = np.ascontiguousarray((mesh.vertices - mesh.vertices[label]).T)
    volumes = np.bincount(root, triple_product(*corners(local, mesh.faces))) / 6.0
    low, high = _boxes(mesh, root)
    for part in parts:
        own = root == part
        if flat(volumes[part], mesh.vertices[label == part]):
            continue
        inward = volumes[part] < 0.0
        point = _point_inside(mesh, own, 1.0 if inward else -1.0)
        around = ((low <= point) & (point <= high)).all(axis=1)
        around[part] = False
        solid = around.any() and _winding_number(mesh, around[root], point) >= 1
        if solid != inward:
            raise InvertedMeshError(
                f'TriangleMesh: the closed part of {np.count_nonzero(own)} faces around faces[{np.argmax(own)}] '
                + (f'is inside out (volume {volumes[part]:g} m^3) and nothing solid is around it, so it is no cavity; '
                   if inward else 'lies inside solid and would count twice; if it is a cavity, ')
                + 'reverse its faces')


def _boxes(mesh, root):
    """Low and high corners (V, 3) of the box around each part; no box where a vertex does not stand for a part."""
    low, high = np.full((len(mesh.vertices), 3), np.inf), np.full((len(mesh.vertices), 3), -np.inf)
    for corner in mesh.faces.T:
        np.minimum.at(low, root, mesh.vertices[corner])
        np.maximum.at(high, root, mesh.vertices[corner])
    return low, high


def _point_inside(mesh, own, side):
    """A point (3,) m just inside the largest face of a part; side: 1 if its faces look inward, -1 if outward."""
    a, b, c = corners(mesh.vertices.T, mesh.faces[own])
    normals = np.cross(b - a, c - a, axis=0)
    sizes = np.sqrt((normals ** 2).sum(axis=0))
    k = np.argmax(sizes)
    return (a[:, k] + b[:, k] + c[:, k]) / 3.0 + side * CAVITY_PROBE * normals[:, k] / np.sqrt(sizes[k])


def _winding_number(mesh, mask, point):
    """How many times the faces in mask (F,) are wound around point (3,): a ray along z counts what it leaves.

    Whether a triangle lies over the point is decided edge by edge, with a value that its neighbour computes with the
    opposite sign, to the last bit: a ray through an edge or a vertex is counted once.
    """
    above = (mesh.vertices[:, 1] > point[1])[mesh.faces.T]
    near = mask & ((above[0] != above[1]) | (above[0] != above[2]))
    above = above[:, near]
    points = corners(mesh.vertices.T - point[:, None], mesh.faces[near])
    turns = np.zeros(np.count_nonzero(near), np.int64)
    for i in range(3):
        start, end = points[i], points[i - 2]
        side = start[0] * end[1] - start[1] * end[0]
        turns += ~above[i] & above[i - 2] & (side > 0.0)
        turns -= above[i] & ~above[i - 2] & (side < 0.0)
    return int(turns[triple_product(*points) * turns > 0.0].sum())
