# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Mesh files into TriangleMesh, through trimesh."""
from __future__ import annotations

import io
import json
import logging
import re
import struct
from pathlib import Path

import numpy as np

from ...brief import brief_path, cut
from ...engine import EngineError, TriangleMesh
from ...engine.checks import number
from ...engine.maths.matrices import dots, product
from ...engine.shapes.edges import is_closed, sorted_edges
from ...files import read_bytes, size_of

SUFFIXES = ('.stl', '.obj', '.ply', '.glb')
# bytes of a file and triangles in all: a terrain of 1000 by 1000 squares; a drone has some thousands
MOST_BYTES, MOST_TRIANGLES = 128 << 20, 2_000_000
# letters of what a reader says of a broken file
MOST_WORDS = 160
# bytes of a PLY in which its header ends
PLY_HEADER = 4096
# what begins a GLB: magic, version, bytes; bytes and kind of its first part, which is JSON
GLB = struct.Struct('<4sIIII')
# bytes of a binary STL: name and number of triangles, then each triangle
STL_HEADER, STL_TRIANGLE = 84, 50


class MeshFileError(EngineError):
    """A mesh file that cannot be read or that holds no triangles; the message begins with its path."""


def load_mesh(path: str | Path, scale: float = 1.0) -> TriangleMesh:
    """The triangles of an STL, OBJ, PLY or GLB file in one frame, coordinates times `scale` (0.001 for a file in mm).

    Vertices at the same position, to the last bit, become one (an STL repeats them for every triangle), and triangles
    with two corners in one vertex are dropped.  The nodes of a GLB are placed by their transforms.  Whether the mesh is
    closed is not checked here: mass_properties does.

    MeshFileError: no such file, another kind of file, too large, unreadable or cut short, no triangles, NaN.
    EngineError: scale.
    """
    path, scale = Path(path), number('scale', scale, positive=True)
    where = brief_path(path)
    try:
        size_of(path, MOST_BYTES)
        if path.suffix.lower() not in SUFFIXES:
            raise MeshFileError(f'{where}: cannot read {cut(path.suffix, 10) or "files without a suffix"}; '
                                f'known are {", ".join(SUFFIXES)}')
        data = read_bytes(path, MOST_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        raise MeshFileError(f'{where}: no such file') from None
    except OSError as error:
        raise MeshFileError(f'{where}: cannot be read: {error.strerror}') from None
    try:
        return _mesh_of(path.suffix.lower(), data, scale)
    except EngineError as error:
        raise MeshFileError(f'{where}: {error}') from error


def _mesh_of(suffix: str, data: bytes, scale: float) -> TriangleMesh:
    """The mesh in the bytes of a file."""
    pieces = [_tidy(scale * vertices, faces) for vertices, faces in _pieces(suffix, data)]
    if not any(len(faces) for _, faces in pieces):
        raise MeshFileError('holds no triangles')
    return TriangleMesh(*_joined(pieces))


def _pieces(suffix: str, data: bytes) -> list[tuple[np.ndarray, np.ndarray]]:
    """(vertices, faces) of every geometry in the file, in the frame of the file."""
    try:
        import trimesh
    except ImportError:
        raise MeshFileError("reading mesh files needs trimesh: pip install 'trimesh>=4.5,<6'") from None
    {'.stl': _check_binary_stl, '.ply': _check_ply, '.glb': _check_glb, '.obj': lambda data: None}[suffix](data)
    log, plain = logging.getLogger('trimesh'), {} if suffix in ('.stl', '.ply') else {'skip_materials': True}
    quiet, log.disabled = log.disabled, True    # it writes whole tracebacks, of what is said below
    try:
        # process=False: NaN would be dropped, and vertices merged by a tolerance.  From memory: no other files that
        # this one names, such as textures, are opened
        with np.errstate(all='ignore'):
            loaded = trimesh.load(io.BytesIO(data), file_type=suffix[1:], process=False, **plain)
            placed = _geometries(trimesh, loaded)
    except MeshFileError:
        raise
    except Exception as error:  # whatever a broken file does to the readers: struct, json, index and many other errors
        raise MeshFileError(f'cannot be read, it may be cut short: {type(error).__name__}: '
                            f'{cut(str(error), MOST_WORDS)}') from error
    finally:
        log.disabled = quiet
    for vertices, faces in placed:
        _check_piece(vertices, faces)
    if suffix == '.ply':
        # the readers take what they find of a text that is cut short
        found, promised = sum(len(faces) for _, faces in placed), _promised(data, b'face')
        if promised > found:
            raise MeshFileError(f'cut short: its header promises {promised} faces, it has {found}')
    return placed


def _geometries(trimesh, loaded) -> list[tuple[np.ndarray, np.ndarray]]:
    """(vertices, faces) of what trimesh has read."""
    if isinstance(loaded, trimesh.Trimesh):
        nodes = [(loaded, np.eye(4))]
    elif isinstance(loaded, trimesh.Scene):
        nodes = [(loaded.geometry[name], pose) for pose, name in map(loaded.graph.get, loaded.graph.nodes_geometry)]
    else:
        nodes = []
    nodes = [(geometry, pose) for geometry, pose in nodes if isinstance(geometry, trimesh.Trimesh)]
    triangles = sum(len(geometry.faces) for geometry, _ in nodes)
    if triangles > MOST_TRIANGLES:
        raise MeshFileError(f'holds {triangles} triangles, at most {MOST_TRIANGLES} are read')
    return [_placed(geometry, pose) for geometry, pose in nodes]


def _check_piece(vertices: np.ndarray, faces: np.ndarray) -> None:
    """Faces name vertices that are there."""
    if vertices.ndim != 2 or vertices.shape[1] != 3 or faces.ndim != 2 or faces.shape[1] != 3:
        if len(faces):
            raise MeshFileError(f'holds no triangles in space: vertices of shape {vertices.shape}, faces of shape '
                                f'{faces.shape}')
    elif len(faces) and not 0 <= faces.min() <= faces.max() < len(vertices):
        worst = faces.min() if faces.min() < 0 else faces.max()
        raise MeshFileError(f'a face names vertex {worst}, but there are {len(vertices)}, counted from 0')


def _placed(geometry, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(vertices, faces) of a geometry moved by a (4, 4) transform; a mirror turns the faces round."""
    vertices, faces = np.asarray(geometry.vertices), np.asarray(geometry.faces)
    if (pose == np.eye(4)).all():
        return vertices, faces
    mirrored = dots(pose[0, :3], np.cross(pose[1, :3], pose[2, :3])) < 0.0
    return product(vertices, pose[:3, :3].T) + pose[:3, 3], faces[:, ::-1] if mirrored else faces


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


def _check_binary_stl(data: bytes) -> None:
    """The readers take a binary STL that is cut short for text."""
    if len(data) >= STL_HEADER and not data[:STL_HEADER].lstrip().startswith(b'solid'):
        (count,) = struct.unpack('<I', data[STL_HEADER - 4:STL_HEADER])
        if len(data) != STL_HEADER + STL_TRIANGLE * count:
            raise MeshFileError(f'cannot be read: its header promises {count} triangles, '
                                f'{STL_HEADER + STL_TRIANGLE * count} bytes, but it has {len(data)}')


def _check_ply(data: bytes) -> None:
    """The readers ask for the memory of whatever is promised."""
    for word in re.findall(rb'element\s+\w+\s+(\d+)', data[:PLY_HEADER]):
        if len(word) > 20 or int(word) > len(data):
            raise MeshFileError(f'cannot be read: its header promises {cut(word.decode(), 20)} elements in {len(data)} '
                                'bytes')


def _promised(data: bytes, element: bytes) -> int:
    """How many of an element the header of a PLY promises."""
    found = re.search(rb'element\s+' + element + rb'\s+(\d+)', data[:PLY_HEADER])
    return int(found[1]) if found else 0


def _check_glb(data: bytes) -> None:
    """The readers ask for the memory of whatever is promised, and would open what a buffer names."""
    try:
        _, _, _, size, _ = GLB.unpack_from(data)
        head = json.loads(data[GLB.size:GLB.size + size])
        counts = [accessor['count'] for accessor in head.get('accessors', ())]
        elsewhere = [buffer for buffer in head.get('buffers', ()) if 'uri' in buffer]
        promised = sum(counts)
    except (struct.error, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise MeshFileError(f'cannot be read as GLB: {type(error).__name__}: {cut(str(error), MOST_WORDS)}') from None
    if elsewhere:
        raise MeshFileError('a buffer lies in another file; save it as one GLB')
    if promised > len(data):
        raise MeshFileError(f'cannot be read: it promises {promised} elements in {len(data)} bytes')
