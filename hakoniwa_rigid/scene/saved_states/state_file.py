# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A saved state as a file: what it is of, a digest, and the arrays; read within limits, refused with a sentence.

    hakoniwa_rigid state 2\n
    bytes of the header (uint64, little endian), SHA-256 of all that follows
    header: JSON, with the names, types and shapes of the arrays
    the arrays, one behind the other

The digest finds damage, not malice: arrays of the engine are believed.  So a file is read only where nobody but its
owner, who must be this user, can have written it.
"""
from __future__ import annotations

import hashlib
import json
import math
import os
import stat
import struct
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ... import __version__
from ...brief import MOST_VALUE, brief, cut
from ...files import read_bytes, write_bytes
from ...law import LAW_VERSION, made_by_another
from ..errors import StateError
from ..world_files import world_writer
from ..world_files.world_types import WorldConfig
from .scene_state import SceneState

__all__ = ['FORMAT', 'Identity', 'pack', 'read', 'unpack', 'write']

MAGIC, FORMAT = b'hakoniwa_rigid state ', 2
HEAD = struct.Struct('<Q32s')
# bytes of a file; a world of a thousand drones has some 10 MB
MOST_BYTES = 1 << 30
# of the header: objects of Python take 30 times as much; a running contact is 1 kB
MOST_HEADER = 16 << 20
KINDS, MOST_AXES = ('<f8', '<i8', '|b1', '|u1'), 4
# parameters that do not decide what becomes of a scene; `world` is known by what is in it
UNDECIDED = ('world', 'autostart', 'realtime_priority', 'markers_rate', 'diagnostics_rate', 'proximity',
             'files_folder', 'save_world_path', 'record', 'record_split_size', 'record_split_time', 'record_keep',
             'record_sync', 'record_snapshot', 'record_snapshot_on_contact', 'state_file', 'state_period',
             'state_max_age', 'watchdog', 'watchdog_ends', 'simulation_interfaces', 'entity_bounds')


class Identity(NamedTuple):
    """What a state is of: the world, and the parameters by full names; those that decide what becomes of it count."""

    world: WorldConfig
    parameters: Mapping[str, Any]

    def header(self) -> dict[str, Any]:
        """For the file."""
        made = hashlib.sha256(world_writer.write(self.world).encode())
        for array in _arrays_in(self.world):    # the text only names the files of meshes
            made.update(array.tobytes())
        digest = made.hexdigest()
        deciding = {name: value for name, value in self.parameters.items() if name not in UNDECIDED}
        # as JSON gives them back
        return {'law': LAW_VERSION, 'version': __version__, 'world': digest,
                'parameters': json.loads(json.dumps(deciding))}


def _arrays_in(value: object) -> Iterator[np.ndarray]:
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _arrays_in(item)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _arrays_in(getattr(value, field.name))


def pack(header: Mapping[str, Any], state: SceneState, **more) -> bytes:
    """The bytes of a file; header: of its Identity; `more` goes beside the state's values.  StateError where they are
    more than are read again."""
    table, pieces = [], []
    for name, array in state.arrays.items():
        array = np.ascontiguousarray(array)
        table.append([name, array.dtype.str, list(array.shape)])
        pieces.append(array.tobytes())
    header = {**header, 'values': state.values, 'arrays': table, **more}
    text = json.dumps(header, separators=(',', ':')).encode()
    body = b''.join([text, *pieces])
    if len(text) > MOST_HEADER or len(body) > MOST_BYTES - 100:
        raise StateError(f'has {len(text)} bytes of values and {len(body)} in all, at most {MOST_HEADER} and '
                         f'{MOST_BYTES} are read')
    return MAGIC + b'%d\n' % FORMAT + HEAD.pack(len(text), hashlib.sha256(body).digest()) + body


def unpack(data: bytes, own: Mapping[str, Any]) -> tuple[SceneState, dict[str, Any]]:
    """The state, and the header; own: that of the Identity which it must have.  StateError says why it is not gone on
    from."""
    end = data.find(b'\n', 0, len(MAGIC) + 20)
    if not data.startswith(MAGIC) or end < 0:
        raise StateError('is no state of this package')
    number = data[len(MAGIC):end].decode('ascii', 'replace')
    if number != str(FORMAT):
        raise StateError(f'was written in format {cut(number, 20)}, this is {FORMAT}')
    begin = end + 1 + HEAD.size
    if len(data) < begin:
        raise StateError(f'is cut short: {len(data)} bytes')
    size, digest = HEAD.unpack_from(data, end + 1)
    if size > MOST_HEADER:
        raise StateError(f'has {size} bytes of values, at most {MOST_HEADER} are read')
    if hashlib.sha256(memoryview(data)[begin:]).digest() != digest:
        raise StateError('is damaged or cut short: its digest is another')
    try:
        header = json.loads(data[begin:begin + size])
        _check_identity(header, own)
        arrays, place = {}, begin + size
        for name, kind, shape in header['arrays']:
            if kind not in KINDS or len(shape) > MOST_AXES or not all(_is_length(n) for n in shape):
                raise StateError(f'arrays: must be numbers, {brief(name)} is {brief(kind)} of shape {brief(shape)}')
            arrays[name] = np.frombuffer(data, kind, math.prod(shape), place).reshape(shape)
            place += arrays[name].nbytes
        if place != len(data) or not isinstance(header['values'], dict):
            raise StateError(f'must end at byte {place}, has {len(data)}')
    except StateError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise StateError(f'is damaged: {cut(repr(error), MOST_VALUE)}') from error
    return SceneState(arrays, header['values']), header


def _is_length(n: Any) -> bool:
    return type(n) is int and 0 <= n <= MOST_BYTES


def _check_identity(header: Mapping[str, Any], own: Mapping[str, Any]) -> None:
    if header['law'] != own['law']:
        raise StateError(f'was {made_by_another(brief(header["law"]))}')
    if header['version'] != own['version']:
        raise StateError(f'was written by version {brief(header["version"])}, this is {own["version"]}')
    if header['world'] != own['world']:
        raise StateError('is of another world, or this one was changed')
    theirs, ours = header['parameters'], own['parameters']
    for name in sorted({*theirs, *ours}):
        if name not in theirs or name not in ours or theirs[name] != ours[name]:
            values = [brief(side[name]) if name in side else 'not given' for side in (theirs, ours)]
            raise StateError(f'was made with other parameters: {cut(name, MOST_VALUE)} was {values[0]}, is {values[1]}')


def write(path: Path, data: bytes) -> None:
    """To the disk, whole or not at all: written under another name, then renamed; readable by its owner.  OSError."""
    write_bytes(path, data, 0o600)


def read(path: Path, own: Mapping[str, Any]) -> tuple[SceneState, dict[str, Any]]:
    """As `unpack`.  StateError also where it is no file of this user's alone; FileNotFoundError where there is none."""
    try:
        found = os.stat(path)
        if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o022:
            raise StateError('is not believed: others than this user may have written it')
        data = read_bytes(path, MOST_BYTES)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise error if isinstance(error, StateError) else StateError(str(error)) from error
    return unpack(data, own)
