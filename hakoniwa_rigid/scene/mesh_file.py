"""Mesh files into TriangleMesh, through trimesh."""
from __future__ import annotations

import re
import struct
from pathlib import Path

import numpy as np

from ..engine import EngineError, TriangleMesh
from ..engine.checks import number
from ..engine.shapes.edges import is_closed, sorted_edges

SUFFIXES = ('.stl', '.obj', '.ply', '.glb')
# bytes of a binary STL: name and number of triangles, then each triangle
STL_HEADER, STL_TRIANGLE = 84, 50


class MeshFileError(EngineError):
    """A mesh file that cannot be read or that holds no triangles; the message begins with its path."""


def load_mesh(path: str | Path, scale: float = 1.0) -> TriangleMesh:
    """The triangles of an STL, OBJ, PLY or GLB file in one frame, coordinates times `scale` (0.001 for a file in mm).

    Vertices at the same position, to the last bit, become one (an STL repeats them for every triangle), and triangles
    with two corners in one vertex are dropped.  The nodes of a GLB are placed by their transforms.  Whether the mesh is
    closed is not checked here: mass_properties does.

    MeshFileError: no such file, another kind of file, unreadable or cut short, no triangles, NaN.  EngineError: scale.
    """
    path, scale = Path(path), number('scale', scale, positive=True)
    if not path.is_file():
        raise MeshFileError(f'{path}: no such file')
    if path.suffix.lower() not in SUFFIXES:
        raise MeshFileError(f'{path}: cannot read {path.suffix or "files without a suffix"}; '
                            f'known are {", ".join(SUFFIXES)}')
    pieces = [_tidy(scale * vertices, faces) for vertices, faces in _pieces(path)]
    if not any(len(faces) for _, faces in pieces):
        raise MeshFileError(f'{path}: holds no triangles')
    try:
        return TriangleMesh(*_joined(pieces))
    except EngineError as error:
        raise MeshFileError(f'{path}: {error}') from error


def _pieces(path: Path) -> list[tuple[np.ndarray, np.ndarray]]:
    """(vertices, faces) of every geometry in the file, in the frame of the file."""
    try:
        import trimesh
    except ImportError:
        raise MeshFileError(f"{path}: reading mesh files needs trimesh: pip install 'trimesh>=4.5,<6'") from None
    _check_binary_stl(path)
    try:
        # process=False: NaN would be dropped, and vertices merged by a tolerance
        with np.errstate(all='ignore'):
            loaded = trimesh.load(str(path), process=False)
    except Exception as error:  # whatever a broken file does to the readers: struct, json, index and many other errors
        raise MeshFileError(f'{path}: cannot be read, it may be cut short: {type(error).__name__}: {error}') from error
    if isinstance(loaded, trimesh.Trimesh):
        pieces = [_placed(loaded, np.eye(4))]
    elif isinstance(loaded, trimesh.Scene):
        nodes = [(loaded.geometry[name], pose) for pose, name in map(loaded.graph.get, loaded.graph.nodes_geometry)]
        pieces = [_placed(geometry, pose) for geometry, pose in nodes if isinstance(geometry, trimesh.Trimesh)]
    else:
        pieces = []
    _check_ply(path, sum(len(faces) for _, faces in pieces))
    return pieces


def _placed(geometry, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(vertices, faces) of a geometry moved by a (4, 4) transform; a mirror turns the faces round."""
    vertices, faces = np.asarray(geometry.vertices), np.asarray(geometry.faces)
    if (pose == np.eye(4)).all():
        return vertices, faces
    mirrored = np.linalg.det(pose[:3, :3]) < 0.0
    return vertices @ pose[:3, :3].T + pose[:3, 3], faces[:, ::-1] if mirrored else faces


def _tidy(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Repeated vertices merged into the first of them, faces that name a vertex twice dropped."""
    order = np.lexsort(vertices.T)
    ordered = vertices[order]
    new = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))
    first = order[new]
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    index = np.empty(len(order), dtype=np.int64)
    index[order] = rank[np.cumsum(new) - 1]
    a, b, c = faces = index[faces].T
    return vertices[np.sort(first)], faces.T[(a != b) & (b != c) & (c != a)]


def _joined(pieces: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """One mesh out of many.  Open pieces, such as the materials of one body, are sewn together where their vertices
    meet; closed ones stay apart, or bodies that touch along an edge would become one that is not closed."""
    if len(pieces) == 1:
        return pieces[0]
    closed = [piece for piece in pieces if is_closed(sorted_edges(piece[1]))]
    open_ones = [piece for piece in pieces if not is_closed(sorted_edges(piece[1]))]
    return _stacked([*closed, _tidy(*_stacked(open_ones))] if open_ones else closed)


def _stacked(pieces: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in pieces)])
    return (np.concatenate([vertices for vertices, _ in pieces]),
            np.concatenate([faces + start for start, (_, faces) in zip(starts, pieces, strict=False)]))


def _check_binary_stl(path: Path) -> None:
    """The readers take a binary STL that is cut short for text."""
    size = path.stat().st_size
    with path.open('rb') as file:
        head = file.read(STL_HEADER)
    if path.suffix.lower() == '.stl' and len(head) == STL_HEADER and not head.lstrip().startswith(b'solid'):
        (count,) = struct.unpack('<I', head[-4:])
        if size != STL_HEADER + STL_TRIANGLE * count:
            raise MeshFileError(f'{path}: cannot be read: its header promises {count} triangles, '
                                f'{STL_HEADER + STL_TRIANGLE * count} bytes, but it has {size}')


def _check_ply(path: Path, count: int) -> None:
    """The readers take what they find of a text PLY that is cut short."""
    if path.suffix.lower() == '.ply':
        with path.open('rb') as file:
            promised = re.search(rb'element face (\d+)', file.read(4096))
        if promised and int(promised[1]) > count:
            raise MeshFileError(f'{path}: cut short: its header promises {int(promised[1])} faces, it has {count}')
