# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""One drone, wall, object or hand by the keys of a world file, alone: for what comes while a scene runs."""
from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ... import yaml_text
from ..errors import WorldFileError
from . import world_file, world_writer
from .constraint_file import plain
from .world_types import Body, WorldConfig
from .yaml_node import Node

__all__ = ['entry_from_text', 'entry_of', 'write_entry']

# bytes of an entry as text
MOST_TEXT = 1 << 16


def entry_of(kind: str, values: Mapping[str, Any], config: WorldConfig) -> Body:
    """The 'drone', 'wall', 'object' or 'hand' of a world; numbers may be NumPy's, None is not given.  Models are those
    of the world's drones, or files beside the world or of the package.  WorldFileError names key and value."""
    node = Node({key: plain(value) for key, value in values.items() if value is not None}, f'add {kind}', '')
    materials = {'default': config.default_material, **{m.name: m for m in config.file_materials},
                 **{m.name: m for m in config.materials}}
    known = world_file.Known(materials, ('default', *config.filters.groups))
    if kind == 'drone':
        models = {d.model.name: d.model for d in config.drones}
        if not isinstance(node.get('model'), dict) and set('/\\') & set(node.text('model')):
            raise node.error('model', 'must be the name of a model, not a path', node.data['model'])
        return world_file.drone_entry(node, models, known, _folder_of(config.source))
    readers = {'wall': world_file.wall_entry, 'object': world_file.object_entry, 'hand': world_file.hand_entry}
    return readers[kind](node, known)


@lru_cache(maxsize=8)
def _folder_of(source: str | Path) -> Path:
    """That of a world file; to ask the disk takes a tenth of the time in which a drone comes."""
    return Path(source).resolve().parent


def entry_from_text(text: str) -> dict[str, Any]:
    """The keys in a YAML or JSON text that came from elsewhere: at most MOST_TEXT bytes, and no files of this machine.
    WorldFileError."""
    data = text.encode('utf8', 'replace')
    if len(data) > MOST_TEXT:
        raise WorldFileError(f'entry: must have at most {MOST_TEXT} bytes, got {len(data)}')
    try:
        values = yaml_text.load(data)
    except ValueError as error:
        raise WorldFileError(f'entry: {error}') from None
    if not isinstance(values, dict):
        raise WorldFileError(f'entry: must be a mapping of keys, got {type(values).__name__}')
    if _names_file(values):
        raise WorldFileError('entry: file: meshes and height fields come by their numbers (vertices, faces, heights), '
                             'not by files of this machine')
    return values


def _names_file(value: Any) -> bool:
    """Whether a key of a mapping in it is `file`; the nesting of YAML texts has a bound."""
    if isinstance(value, dict):
        return 'file' in value or any(map(_names_file, value.values()))
    return isinstance(value, list) and any(map(_names_file, value))


def write_entry(kind: str, item: Body, config: WorldConfig) -> dict[str, Any]:
    """For JSON: what `entry_of` makes the same of again, number for number, in any world with these materials."""
    return world_writer.entry(kind, item, config)
