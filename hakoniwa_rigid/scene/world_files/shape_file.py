# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Shapes and poses between world files and the engine: what is read here is written here, number for number.

Keys of the shapes (m): docs/world_files.md.  The engine checks sizes and points; its words end up behind the key.
"""
from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np

from ... import rotations
from ...brief import brief_path, cut
from ...engine import (
    Compound,
    ConvexHull,
    EngineError,
    HalfSpace,
    HeightField,
    Part,
    Primitive,
    Shape,
    TriangleMesh,
    mass_properties,
)
from ...engine.maths.matrices import length
from ...files import size_of
from ..errors import WorldFileError
from .mesh_file import load_mesh
from .shape_words import SOLIDS, STATIC, part_name, word_of
from .world_types import FileSource, Pose
from .yaml_node import Node

# a quaternion of a file may be this far from length 1: what four rounded decimals give
UNIT_TOLERANCE = 1e-3
# this far it is of length 1 to rounding, and stays as it is: what was written is read back to the last bit
ROUNDED = 1e-15
# a direction shorter than this is a mistake
LEAST_LENGTH = 1e-9
# bytes of a .npy file of heights: eight million of them
MOST_HEIGHTS = (64 << 20) + 4096
# letters of what numpy says
MOST_WORDS = 160

# of the shapes that are given by lengths alone: their keys, with the type of each
LENGTHS = {word: {f.name: f.type for f in fields(shape)}
           for word, shape in SOLIDS.items() if issubclass(shape, Primitive)}


def read_pose(node: Node) -> Pose:
    """position (m) and rpy (rad) or orientation_xyzw, all optional."""
    node.has('orientation_xyzw')
    return Pose(node.vector('position', Pose.position), _quat(node))


def write_pose(pose: Pose) -> dict:
    """The keys of read_pose."""
    w, x, y, z = map(float, pose.quat)
    return {'position': [float(x) for x in pose.position], 'orientation_xyzw': [x, y, z, w]}


def _quat(node: Node) -> tuple[float, ...]:
    if node.has('rpy') and node.has('orientation_xyzw'):
        raise node.error('rpy', 'give either rpy or orientation_xyzw, not both')
    if 'rpy' in node.data:
        return rotations.from_rpy(node.vector('rpy'))
    q = node.vector('orientation_xyzw', (0.0, 0.0, 0.0, 1.0), length=4)
    size = length(q)
    if abs(size - 1.0) > UNIT_TOLERANCE:
        raise node.error('orientation_xyzw', f'must have length 1, has {size:.6g}', list(q))
    return _unit((q[3], *q[:3]), size)


def _unit(v: tuple[float, ...], size: float) -> tuple[float, ...]:
    return v if abs(size - 1.0) <= ROUNDED else tuple(x / size for x in v)


def read_solid(node: Node) -> Shape:
    """The shape of a body that can move, from a node of its own."""
    word = node.text('type')
    if word in STATIC:
        hint = 'a convex_hull, or a compound of convex parts'
        raise node.error('type', f'a {word} cannot move, it can only be a wall; use {hint}', word)
    shape = _read(node, word, tuple(SOLIDS))
    node.done()
    return shape


def read_wall(node: Node) -> tuple[Shape, FileSource | None]:
    """The shape of a wall, whose keys stand among the wall's own, and the file that it came from."""
    word = node.text('type')
    if word == 'plane':
        return _plane(node), None
    if word == 'mesh':
        return _mesh(node)
    if word == 'height_field':
        return _height_field(node)
    return _read(node, word, (*STATIC, *SOLIDS)), None


def _read(node: Node, word: str, known: tuple[str, ...]) -> Shape:
    if word in LENGTHS:
        made = SOLIDS[word]
        return _made(node, made, **{key: _length(node, made, key) for key in LENGTHS[word]})
    if word == 'convex_hull':
        return _hull(node)
    if word == 'compound':
        return _compound(node)
    raise node.error('type', f'must be one of {", ".join(known)}', word)


def _length(node: Node, made: type[Primitive], key: str) -> float | tuple:
    """A length (m) of a shape, or three."""
    if LENGTHS[made.word][key] is tuple:
        return node.vector(key, above=0.0)
    if key in made.may_be_zero or key in made.instead_of_zero:
        return node.number(key, at_least=0.0)
    return node.number(key, above=0.0)


def _made(node: Node, made: type, /, **values) -> Shape | Part:
    """The shape, or the engine's error behind the key that it names."""
    try:
        return made(**values)
    except EngineError as error:
        raise _reworded(node, error) from None


def _reworded(node: Node, error: EngineError) -> WorldFileError:
    """'Box.size[1]: must be ...' becomes '<node>.size[1]: must be ...'; other messages stand behind the node's own
    path."""
    owner, _, rest = str(error).partition('.')
    key = rest.partition(':')[0].partition('[')[0]
    if owner.isidentifier() and key in node.data:
        return WorldFileError(f'{node.file}: {node.path}.{rest}')
    return node.error('', str(error))


def _plane(node: Node) -> HalfSpace:
    normal = node.vector('normal', (0.0, 0.0, 1.0))
    size = length(normal)
    if size < LEAST_LENGTH:
        raise node.error('normal', 'must not be zero', list(normal))
    return _made(node, HalfSpace, normal=_unit(normal, size), offset=node.number('offset', 0.0))


def _file(node: Node) -> Path:
    """The file that a node names, looked for beside the world file."""
    return Path(node.file).resolve().parent / node.text('file')


def _mesh(node: Node) -> tuple[TriangleMesh, FileSource | None]:
    if node.has('file') == node.has('vertices'):
        raise node.error('file', 'give a file, or vertices and faces')
    if 'file' in node.data:
        source = FileSource(str(_file(node)), node.number('scale', 1.0, above=0.0))
        mesh = _loaded(node, source)
    else:
        source, mesh = None, _made(node, TriangleMesh, vertices=node.get('vertices'), faces=node.get('faces'))
    problem = None if node.flag('open', False) else _not_solid(mesh)
    if problem is not None:
        raise node.error('file' if source else 'faces', f'{problem}; or say open: true, and the mesh is a surface that '
                         'is met from the front of its faces only')
    return mesh, source


def _not_solid(mesh: TriangleMesh) -> EngineError | None:
    """Why a mesh bounds no solid: an edge without two faces, faces that look inward."""
    try:
        mass_properties(mesh, density=1.0)
    except EngineError as error:
        return error
    return None


def read_mesh_file(node: Node) -> TriangleMesh:
    """The mesh of a node's `file` and `scale`, closed or not."""
    return _loaded(node, FileSource(str(_file(node)), node.number('scale', 1.0, above=0.0)))


def _loaded(node: Node, source: FileSource) -> TriangleMesh:
    try:
        return load_mesh(source.path, source.scale)
    except EngineError as error:
        raise node.error('file', str(error), node.data['file']) from None


def _height_field(node: Node) -> tuple[HeightField, FileSource | None]:
    if node.has('file') == node.has('heights'):
        raise node.error('heights', 'give heights, a list of rows along x, or the file of a .npy array')
    spacing = node.get('spacing')
    if isinstance(spacing, list):
        spacing = node.vector('spacing', length=2, above=0.0)
    else:
        spacing = (node.number('spacing', above=0.0),) * 2
    if 'heights' in node.data:
        return _made(node, HeightField, heights=_table(node, 'heights'), spacing=spacing), None
    path = _file(node)
    return _made(node, HeightField, heights=_array(node, path), spacing=spacing), FileSource(str(path))


def _table(node: Node, key: str) -> list:
    """Rows of equal length."""
    rows = node.get(key)
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows) or len(set(map(len, rows))) != 1:
        raise node.error(key, 'must be a list of rows of equal length')
    return rows


def _array(node: Node, path: Path) -> np.ndarray:
    """Numbers of a .npy file."""
    try:
        size_of(path, MOST_HEIGHTS)
        # mapped, so that a head that promises more than there is cannot ask for memory
        heights = np.array(np.load(path, mmap_mode='r', allow_pickle=False))
    except Exception as error:  # whatever a broken head does to numpy's reader: tokens, syntax, memory maps
        reason = cut(getattr(error, 'strerror', None) or str(error), MOST_WORDS)
        raise node.error('file', f'{brief_path(path)}: cannot be read as a .npy array: {reason}',
                         node.data['file']) from None
    if not isinstance(heights, np.ndarray) or heights.dtype.kind not in 'fiu':
        raise node.error('file', f'{brief_path(path)}: must hold one array of real numbers', node.data['file'])
    return heights


def _hull(node: Node) -> ConvexHull:
    """From points, or from the vertices of a mesh file; only corners are kept, so that a saved world holds few."""
    if node.has('file') == node.has('points'):
        raise node.error('points', 'give points, or the file of a mesh to take the hull of')
    if 'points' in node.data:
        return _made(node, ConvexHull, points=_table(node, 'points'))
    mesh = read_mesh_file(node)
    return ConvexHull(_made(node, ConvexHull, points=mesh.vertices).vertices)


def _compound(node: Node) -> Compound:
    parts, names = [], {}
    for k, child in enumerate(node.children('parts')):
        name = child.text('name', '')
        if part_name(k, name) in names:
            raise child.error('name', f'is already used by parts[{names[part_name(k, name)]}]', part_name(k, name))
        names[part_name(k, name)] = k
        pose = read_pose(child)
        parts.append(_made(child, Part, shape=read_solid(child), pos=pose.position, quat=pose.quat, name=name))
    if not parts:
        raise node.error('parts', 'must hold at least one part', node.get('parts'))
    return Compound(tuple(parts))


def write_shape(shape: Shape, source: FileSource | None = None) -> dict:
    """The keys that read_solid and read_wall read."""
    word = word_of(shape)
    head = {'type': word}
    if source is not None:
        head |= {'file': source.path} | ({'scale': source.scale} if word == 'mesh' else {})
    if word in LENGTHS:
        return head | {key: _plain(getattr(shape, key)) for key in LENGTHS[word]}
    if word == 'plane':
        return head | {'normal': list(shape.normal), 'offset': shape.offset}
    if word == 'convex_hull':
        return head | {'points': shape.points.tolist()}
    if word == 'compound':
        return head | {'parts': [_write_part(part) for part in shape.parts]}
    if word == 'height_field':
        heights = {} if source else {'heights': shape.heights.tolist()}
        return head | heights | {'spacing': list(shape.spacing)}
    if word == 'mesh':
        head |= {'open': True} if _not_solid(shape) else {}
        return head if source else head | {'vertices': shape.vertices.tolist(), 'faces': shape.faces.tolist()}
    raise WorldFileError(f'a {word} cannot be written to a world file')


def _plain(value: float | tuple) -> float | list:
    return list(value) if isinstance(value, tuple) else value


def _write_part(part: Part) -> dict:
    name = {'name': part.name} if part.name else {}
    return name | write_shape(part.shape) | write_pose(Pose(part.pos, part.quat))
