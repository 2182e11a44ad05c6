# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Files that are almost right: worlds, meshes and recorded hands.  Only the errors that a reader promises may come."""
from __future__ import annotations

import base64
import gzip
import struct
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import yaml

from hakoniwa_rigid.engine import EngineError
from hakoniwa_rigid.scene import CollisionScene, WorldFileError
from hakoniwa_rigid.scene.world_files import world_file
from hakoniwa_rigid.scene.world_files.mesh_file import MeshFileError, load_mesh
from hakoniwa_rigid.sims.hands.landmarks import is_landmark_file, read_landmarks
from hakoniwa_rigid.sims.hands.motion import HandFileError, read_motion

from .judging import Meter, need
from .values import Chance

ROOT = Path(__file__).resolve().parents[2]
WORLDS = ('demo_room', 'gym', 'ar_room', 'drone_billiards', 'empty', 'hall')
HANDS = ('strike_right.npz', 'push_right.jsonl.gz', 'plain.jsonl', 'plain.csv')
MESHES = ('binary.stl', 'text.stl', 'text.ply', 'binary.ply', 'text.obj')
REPLACED = (None, True, -1, 0, 1e308, float('nan'), float('inf'), 'x', '', [], {}, [1, 2], {'a': 1}, 10**30, 1e-320,
            -0.0, ['d0'], 'd0', [0, 0, 0], [float('nan')] * 3, '../../etc', [[]], 1000)
KEYS = ('x', 'mass', 'size', 'scene', 'solver', 'dt', 'shape', 3, 'contact')
# what is written over a text
WORDS = (b'nan', b'inf', b'-1', b'1e999', b'999999999999', b'\0', b'\xff\xfe', b'', b'{', b'[', b'null', b'\n',
         b'[' * 500, b'9' * 400, b'2024-13-45', b'!!timestamp ', b'!!bool x', b'&a ', b'*a ', b'<<: *a', b'"\\0"',
         b'0x_', b'x' * 5000)
# ticks of a world that could be read
FEW = 3
MS = 1_000_000


def make(kind: str, entropy) -> dict:
    """A case: lines of a world file, or the bytes of a file with its suffix."""
    chance = Chance(entropy)
    if kind == 'worlds':
        return {'kind': kind, 'text': _world(chance)}
    name = chance.one(MESHES if kind == 'meshes' else HANDS)
    data = bytearray(_mesh(name) if kind == 'meshes' else _hand(name))
    packed = name.endswith('.gz') and chance.happens(0.7)
    data = bytearray(gzip.decompress(bytes(data))) if packed else data
    for _ in range(chance.whole(1, 4)):
        _spoil(data, chance, text='text' in name or packed or 'plain' in name)
    data = gzip.compress(bytes(data), 1) if packed else bytes(data)
    return {'kind': kind, 'name': name, 'data': base64.b64encode(data).decode()}


def judge(case: dict, meter: Meter) -> None:
    """BrokenPromiseError where another error comes out, or what is read cannot be used."""
    meter.inputs += 1
    with tempfile.TemporaryDirectory() as folder:
        if case['kind'] == 'worlds':
            _judge_world(Path(folder) / 'world.yaml', case['text'], meter)
            return
        path = Path(folder) / case['name']
        path.write_bytes(base64.b64decode(case['data']))
        if case['kind'] == 'meshes':
            mesh = meter.call('load_mesh', load_mesh, path, allowed=(MeshFileError, EngineError))
            need(mesh is None or np.isfinite(mesh.vertices).all(), 'mesh not finite')
        elif is_landmark_file(path):
            meter.call('read_landmarks', read_landmarks, path, allowed=(HandFileError,))
        else:
            meter.call('read_motion', read_motion, path, allowed=(HandFileError,))


def _judge_world(path: Path, text: str, meter: Meter) -> None:
    path.write_bytes(text.encode('utf8', 'surrogateescape'))
    config = meter.call('load', world_file.load, path, allowed=(WorldFileError,))
    if config is None:
        return
    scene = meter.call('from_config', CollisionScene.from_config, config, allowed=(WorldFileError, EngineError))
    for k in range(FEW if scene is not None else 0):
        tick = meter.call('advance', scene.advance, 5 * MS * k)
        need(all(np.isfinite(a).all() for a in tick.states[1:5]), 'tick not finite')


# worlds

@cache
def _text(name: str) -> str:
    return (ROOT / 'config' / 'worlds' / f'{name}.yaml').read_text()


def _world(chance: Chance) -> str:
    text = _text(chance.one(WORLDS))
    if chance.happens(0.3):
        data = bytearray(text.encode())
        for _ in range(chance.whole(1, 4)):
            _spoil(data, chance, text=True)
        return bytes(data).decode('utf8', 'surrogateescape')
    tree = yaml.safe_load(text)
    for _ in range(chance.whole(1, 3)):
        _prune(tree, chance)
    return yaml.safe_dump(tree, sort_keys=False)


def _prune(tree, chance: Chance) -> None:
    """Something in the tree replaced, scaled, removed or doubled."""
    node = tree
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            return
        key = chance.one(keys)
        if isinstance(node[key], (dict, list)) and node[key] and chance.happens(0.8):
            node = node[key]
            continue
        way = chance.whole(0, 5)
        if way == 0:
            del node[key]
        elif way == 1 and isinstance(node, list):
            node.append(node[key])
        elif way == 2 and isinstance(node[key], (int, float)):
            node[key] = node[key] * chance.one((1e-9, -1.0, 1e3, 1e9, 1e300, 0.0))
        elif way == 3 and isinstance(node, dict):
            node[chance.one(KEYS)] = chance.one(REPLACED)
        else:
            node[key] = chance.one(REPLACED)
        return


# bytes

def _spoil(data: bytearray, chance: Chance, text: bool) -> None:
    """Changed at one place."""
    size = len(data)
    at = chance.whole(0, size + 1)
    way = chance.whole(0, 7)
    if way == 0:
        del data[at:]
    elif way == 1:
        del data[at:at + chance.whole(1, 40)]
    elif way == 2:
        data[at:at] = data[at:at + chance.whole(1, 60)]
    elif way == 3:
        data[at:at + chance.whole(0, 5)] = chance.one(WORDS)
    elif way == 4 and not text and size > 8:
        place = chance.whole(0, min(size - 4, 200 if chance.happens(0.5) else size))
        struct.pack_into('<I', data, place, chance.one((0, 1, 2**32 - 1, 4_000_000_000, 2**31, 100)))
    else:
        for _ in range(chance.whole(1, 6) if size else 0):
            data[chance.whole(0, size)] = chance.whole(0, 256)


@cache
def _mesh(name: str) -> bytes:
    import trimesh
    box = trimesh.creation.box((1.0, 2.0, 3.0))
    kind = name.rpartition('.')[2]
    options = {'text.stl': {'file_type': 'stl_ascii'}, 'text.ply': {'encoding': 'ascii'}}.get(name, {})
    made = box.export(**{'file_type': kind, **options})
    return made.encode() if isinstance(made, str) else made


@cache
def _hand(name: str) -> bytes:
    folder = ROOT / 'config' / 'hands'
    if not name.startswith('plain'):
        return (folder / name).read_bytes()
    lines = gzip.decompress((folder / 'push_right.jsonl.gz').read_bytes()).splitlines(keepends=True)[:12]
    if name.endswith('jsonl'):
        return b''.join(lines)
    from hakoniwa_rigid.sims.hands.landmarks import write_landmarks
    with tempfile.TemporaryDirectory() as made:
        (Path(made) / 'a.jsonl').write_bytes(b''.join(lines))
        write_landmarks(Path(made) / 'a.csv', read_landmarks(Path(made) / 'a.jsonl'))
        return (Path(made) / 'a.csv').read_bytes()
